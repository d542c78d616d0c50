"""The thresholds by which `insync why` decides: all of them, each with its reason.

Most are shares of replica.lag.time.max.ms ("lags"), because what a lag is too short to show harms
nobody.
"""

from typing import Final

DEFAULT_LAG_MS: Final = 30_000.0
"""Kafka's default of replica.lag.time.max.ms."""
PAUSED_LAGS: Final = 0.5
"""A process that did not run for so long, in sum, was frozen or starved: agents report fetches that
are pending for half of the lag."""
PAUSED_APART_MS: Final = 3_000
"""Pauses nearer to each other are one: three of the agents' reports of each second."""
SERVED_LAGS: Final = 0.5
"""A fetch that was pending for so long, without pauses, was slow: the event `pending_long`."""
SERVED_APART_LAGS: Final = 0.5
"""Slow fetches nearer to each other are one finding: shorter ones are not reported."""
STARVED_SHARE: Final = 0.35
"""A fetch waited for the process if that did not run for this share of it. A choice: 0.45 with a
CPU quota of 2 % in the sixth set, because a pause counts from 60 ms on; 0 with each slow disk."""
SAME_DROP_LAGS: Final = 2.0
"""Followers that leave ISRs within this time leave for one reason: isr-expiration runs every half
of the lag, so that a follower is then between 1 and 1.5 lags late; a recording of a read stall has
1.6 lags between one follower and the next."""
OVERDUE_LAGS: Final = 2.0
"""A leader that drops a follower only after it was late for so long is slow itself: 1.5 lags are
the longest time between two searches for late followers."""
BACK_LAGS: Final = 0.5
BACK_MS: Final = 2_000
"""A follower that is back in the ISR so soon after it was dropped, the longer of both, had waited
for the leader: its fetch is answered when the leader goes on. On busy hosts 1.4 s were seen."""
FETCHING_LAGS: Final = 0.9
"""A dropped follower that had fetched within this time does fetch, but does not catch up."""
UNACKED_LAGS: Final = 1.0
"""A partition without any ack for so long is stalled: a follower is dropped a lag late at least."""
UNEXPLAINED_LAGS: Final = 1.5
"""Such a stall is a finding after so long: a follower delays acks only until it is dropped."""
SLOW_ACK_MS: Final = 1_000
"""An ack that takes so long is slow. A choice: on healthy brokers it takes some ms."""
SLOW_ACKS_MS: Final = 5_000
"""Slow acks for so long are a finding, however long the lag is. A choice: clients notice it."""
AGAIN_MS: Final = 600_000
"""What logs show of the same broker, cause and place within this time is one finding: ISRs that
shrink and grow every minute have one reason. A choice."""
LOST_DIR_MS: Final = 10_000
"""A process that ends so soon after a log directory failed ended for that: Kafka halts at once when
the last one fails."""
WARM_UP_MS: Final = 20_000
"""What is slow so soon after a broker's start is part of it: 20 s on a busy machine."""
TOGETHER_MS: Final = 5_000
"""Brokers that are fenced within this time, for no other reason, are the controller's matter: a
starved controller of the first set fenced three within 4.0 s."""
SESSION_MS: Final = 12_000
"""A broker is fenced so long after its last heartbeat at most: Kafka's default session is 9 s."""
RAN_MS: Final = 5_000
"""A broker that logged so shortly before it was fenced ran: heartbeats time out after half of
Kafka's default session of 9 s."""
SCRAPED_MS: Final = 60_000
"""Metrics are read every 15 to 60 s, so what a finding shows in them may come so much later."""
KEPT_LEADS: Final = 2
"""A link works if the broker that was dropped over it leads so many partitions in which it keeps
the other one in the ISR. A choice: logs do not show which partitions are written, and in one that
is not nobody is behind."""
SLOW_REQUEST_MS: Final = 100
"""A part of a request that takes so long on average is slow: usually it takes some ms."""
SILENT_MS: Final = 2_000
"""A leader that answers no fetch for so long is not reached: 4 times replica.fetch.wait.max.ms."""
