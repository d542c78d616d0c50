-- The tables of `python -m insync.analysis.tables.measure compute` in DuckDB's SQL. insync.bench.engines
-- fills in the braces. docs/tables.md and docs/checker.md describe the columns.
CREATE TEMP TABLE histogram AS
SELECT run, arm, repeat, topic, partition, outcome, bucket_us,
       count(*) AS records, max(acked_ms) AS top_ms, sum(us) AS total_us
FROM (
    SELECT *, floor(acked_ms * 1000)::BIGINT AS us, {bucket} AS bucket_us
    FROM (
        SELECT run, arm, repeat, topic, partition,
               CASE WHEN done_ms IS NOT NULL AND error IS NULL THEN 'acked'
                    WHEN error IS NOT NULL THEN 'failed' ELSE 'unanswered' END AS outcome,
               CASE WHEN done_ms IS NOT NULL AND error IS NULL THEN latency_ms END AS acked_ms
        FROM produce))
GROUP BY ALL;

CREATE TEMP TABLE ack_latency AS
WITH with_totals AS (
    SELECT run, arm, repeat, topic, partition, outcome, bucket_us, records, top_ms, total_us
    FROM histogram
    UNION ALL
    SELECT run, arm, repeat, topic, NULL, outcome, bucket_us,
           sum(records), max(top_ms), sum(total_us)
    FROM histogram GROUP BY ALL),
ranked AS (
    SELECT *, sum(records) OVER (PARTITION BY run, arm, repeat, topic, partition
                                 ORDER BY bucket_us) AS upto,
           sum(records) OVER (PARTITION BY run, arm, repeat, topic, partition) AS total
    FROM with_totals WHERE outcome = 'acked'),
found AS (
    SELECT run, arm, repeat, topic, partition,
           min(top_ms) FILTER (upto * 1000 >= total * 500) AS p50_ms,
           min(top_ms) FILTER (upto * 1000 >= total * 900) AS p90_ms,
           min(top_ms) FILTER (upto * 1000 >= total * 990) AS p99_ms,
           min(top_ms) FILTER (upto * 1000 >= total * 999) AS p999_ms,
           max(top_ms) AS max_ms,
           sum(total_us)::DOUBLE / sum(records)::DOUBLE / 1000 AS mean_ms
    FROM ranked GROUP BY ALL),
counts AS (
    SELECT run, arm, repeat, topic, partition, sum(records) AS sent,
           coalesce(sum(records) FILTER (outcome = 'acked'), 0) AS acked,
           coalesce(sum(records) FILTER (outcome = 'failed'), 0) AS failed,
           coalesce(sum(records) FILTER (outcome = 'unanswered'), 0) AS unanswered
    FROM with_totals GROUP BY ALL)
SELECT counts.*, p50_ms, p90_ms, p99_ms, p999_ms, max_ms, mean_ms
FROM counts LEFT JOIN found
  ON counts.run = found.run AND counts.arm = found.arm AND counts.repeat = found.repeat
 AND counts.topic = found.topic AND counts.partition IS NOT DISTINCT FROM found.partition;

CREATE TEMP TABLE ack_gaps AS
WITH settled AS (
    SELECT run, arm, repeat, topic, partition,
           max(greatest(sent_ms, coalesce(done_ms, 'infinity'::DOUBLE))) AS settled_ms
    FROM produce GROUP BY ALL),
points AS (
    SELECT run, arm, repeat, topic, partition,
           unnest([start_ms, least(end_ms, settled_ms)]) AS to_ms
    FROM partitions LEFT JOIN settled USING (run, arm, repeat, topic, partition)
    UNION ALL
    SELECT run, arm, repeat, topic, partition, done_ms
    FROM produce JOIN partitions USING (run, arm, repeat, topic, partition)
    WHERE done_ms IS NOT NULL AND error IS NULL AND done_ms BETWEEN start_ms AND end_ms),
gaps AS (
    SELECT *, lag(to_ms) OVER (PARTITION BY run, arm, repeat, topic, partition
                               ORDER BY to_ms) AS from_ms
    FROM points),
longest AS (
    SELECT run, arm, repeat, topic, partition,
           max({{'gap_ms': to_ms - from_ms, 'from_ms': from_ms, 'to_ms': to_ms}}) AS gap
    FROM gaps WHERE from_ms IS NOT NULL GROUP BY ALL)
SELECT run, arm, repeat, topic, partition, gap.gap_ms, gap.from_ms, gap.to_ms FROM longest;

CREATE TEMP TABLE errors AS
SELECT run, arm, repeat, topic, partition, error, count(*) AS records,
       min(sent_ms) AS first_ms, max(sent_ms) AS last_ms
FROM produce WHERE error IS NOT NULL GROUP BY ALL;

-- checks
CREATE TEMP TABLE fates AS
SELECT run, arm, repeat, topic, partition, seq,
       coalesce(bool_or(idempotent), false) AS idempotent, max(producer) AS producer,
       max(sent_ms) AS sent_ms, max(done_ms) AS done_ms, coalesce(bool_or(acked), false) AS acked,
       min("offset") AS "offset", count(read_offset) AS times_read,
       min(read_offset) AS first_offset, max(read_offset) AS last_offset
FROM (
    SELECT run, arm, repeat, topic, partition, seq, idempotent, producer, sent_ms, done_ms,
           done_ms IS NOT NULL AND error IS NULL AS acked,
           CASE WHEN done_ms IS NOT NULL AND error IS NULL THEN "offset" END AS "offset",
           NULL::BIGINT AS read_offset
    FROM produce
    UNION ALL
    SELECT run, arm, repeat, topic, partition, seq, NULL, NULL, NULL, NULL, NULL, NULL, "offset"
    FROM consume)
GROUP BY run, arm, repeat, topic, partition, seq;

CREATE TEMP TABLE readback AS
SELECT run, arm, repeat, topic, partition,
       count(*) FILTER (acked) AS acked, count(*) FILTER (times_read > 0) AS read,
       count(*) FILTER (acked AND times_read = 0) AS lost,
       count(*) FILTER (first_offset < last_offset) AS duplicated,
       count(*) FILTER (first_offset < last_offset AND idempotent) AS duplicated_idempotent
FROM fates GROUP BY ALL;

CREATE TEMP MACRO op(what, who, seq, place, at_ms, note) AS
    {{'what': what, 'who': who::INTEGER, 'seq': seq::BIGINT, 'offset': place::BIGINT,
     'at_ms': at_ms::DOUBLE, 'note': note::VARCHAR}};

CREATE TEMP TABLE anomalies AS
WITH placed AS (
    SELECT *, coalesce("offset", first_offset) AS position
    FROM fates WHERE coalesce("offset", first_offset) IS NOT NULL),
overtaken AS (
    SELECT *, max(sent_ms) OVER (PARTITION BY run, arm, repeat, topic, partition ORDER BY position
                                 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS most_ms
    FROM placed WHERE sent_ms IS NOT NULL),
retried AS (
    SELECT *, max(seq) OVER (PARTITION BY run, arm, repeat, topic, partition, producer
                             ORDER BY position
                             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS most_seq
    FROM placed WHERE idempotent),
late AS (
    SELECT run, arm, repeat, topic, partition, most_ms AS sent_ms, max(position) AS last_position,
           min({{'position': position, 'seq': seq, 'producer': producer, 'done_ms': done_ms}}) AS passed
    FROM overtaken WHERE acked AND most_ms > done_ms GROUP BY ALL),
again AS (
    SELECT run, arm, repeat, topic, partition, producer, most_seq AS seq,
           max(position) AS last_position,
           min({{'position': position, 'seq': seq, 'producer': producer, 'done_ms': done_ms}}) AS passed
    FROM retried WHERE most_seq > seq GROUP BY run, arm, repeat, topic, partition, producer, most_seq),
culprits AS (
    SELECT placed.*, last_position, passed
    FROM late JOIN placed USING (run, arm, repeat, topic, partition, sent_ms)
    UNION ALL
    SELECT placed.*, last_position, passed
    FROM again JOIN placed USING (run, arm, repeat, topic, partition, producer, seq)),
polls AS (
    SELECT run, arm, repeat, topic, partition, consumer, "offset", nth, seq, read_ms,
           lag("offset") OVER in_order AS before, lag(nth) OVER in_order AS nth_before,
           lag(seq) OVER in_order AS seq_before, lag(read_ms) OVER in_order AS ms_before
    FROM consume
    WINDOW in_order AS (PARTITION BY run, arm, repeat, topic, partition, consumer ORDER BY nth)),
seen AS (
    SELECT run, arm, repeat, topic, partition, "offset",
           min(acked_seq) AS low_acked, max(acked_seq) AS high_acked,
           min(read_seq) AS low_read, max(read_seq) AS high_read
    FROM (
        SELECT run, arm, repeat, topic, partition, "offset", seq AS acked_seq, NULL AS read_seq
        FROM produce WHERE done_ms IS NOT NULL AND error IS NULL AND "offset" >= 0
        UNION ALL
        SELECT run, arm, repeat, topic, partition, "offset", NULL, seq FROM consume)
    GROUP BY ALL)
SELECT run, arm, repeat, topic, partition, 'lost-write' AS kind,
       "offset", "offset" AS last_offset, [op('ack', producer, seq, "offset", done_ms, NULL)] AS operations
FROM fates WHERE acked AND times_read = 0
UNION ALL
SELECT run, arm, repeat, topic, partition,
       CASE WHEN idempotent THEN 'idempotent-duplicate' ELSE 'duplicate' END, first_offset, last_offset,
       [op('produce', producer, seq, "offset", sent_ms, CASE WHEN idempotent THEN 'idempotent' END),
        op('read', NULL, seq, first_offset, NULL, NULL),
        op('read', NULL, seq, last_offset, NULL, NULL)]
FROM fates WHERE first_offset < last_offset
UNION ALL
SELECT run, arm, repeat, topic, partition, 'nonmonotonic-send', position, last_position,
       [op('produce', producer, seq, position, sent_ms, NULL),
        op('ack', passed.producer, passed.seq, passed.position, passed.done_ms, NULL)]
FROM culprits
UNION ALL
SELECT run, arm, repeat, topic, partition, 'nonmonotonic-poll', "offset", before,
       [op('read', consumer, seq_before, before, ms_before, NULL),
        op('read', consumer, seq, "offset", read_ms, NULL)]
FROM polls WHERE "offset" <= before AND NOT ("offset" = before AND nth = nth_before)
UNION ALL
SELECT run, arm, repeat, topic, partition, 'poll-skip', before + 1, "offset" - 1,
       [op('read', consumer, seq_before, before, ms_before, NULL),
        op('read', consumer, seq, "offset", read_ms, NULL)]
FROM polls WHERE "offset" > before + 1
UNION ALL
SELECT run, arm, repeat, topic, partition, 'inconsistent-offsets', "offset", "offset",
       list_filter(
           [CASE WHEN low_acked IS NOT NULL THEN op('ack', NULL, low_acked, "offset", NULL, NULL) END,
            CASE WHEN low_acked < high_acked THEN op('ack', NULL, high_acked, "offset", NULL, NULL) END,
            CASE WHEN low_read IS NOT NULL THEN op('read', NULL, low_read, "offset", NULL, NULL) END,
            CASE WHEN low_read < high_read THEN op('read', NULL, high_read, "offset", NULL, NULL) END],
           lambda each: each IS NOT NULL)
FROM seen WHERE least(low_acked, low_read) < greatest(high_acked, high_read);
