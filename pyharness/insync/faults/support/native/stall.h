/*
 * The control file of the stall shim: what the harness and a broker share.
 *
 * The harness makes the file and writes the rules; every process that runs
 * under the shim maps it and writes the counters.  Rules are handed out in
 * order and never reused, so a slot means one thing for the life of the file
 * and its counters stay there as evidence.  insync/faults/support/control.py holds the
 * same layout for Python: change both, and STALL_LAYOUT with them.
 */
#ifndef INSYNC_STALL_H
#define INSYNC_STALL_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define STALL_MAGIC 0x4c545349u /* "ISTL" */
#define STALL_LAYOUT 4u
#define STALL_MAX_RULES 65536u
#define STALL_BUCKETS 16384u /* a power of two */

enum stall_state { STALL_UNUSED = 0, STALL_ARMED = 1, STALL_LIFTED = 2 };
enum stall_site { STALL_READ = 1, STALL_SEND = 2, STALL_WRITE = 3, STALL_FSYNC = 4,
                  STALL_CREATE = 5, STALL_TRUNCATE = 6, STALL_RENAME = 7, STALL_OPEN = 8,
                  STALL_UNLINK = 9 };
enum stall_mode { STALL_HOLD = 1, STALL_DELAY = 2, STALL_FAIL = 3 };

/* One rule: calls of one site on files of one topic-partition. */
struct stall_rule {
    _Atomic uint32_t state;      /* harness; written last when arming */
    uint32_t site;               /* harness */
    uint32_t mode;               /* harness */
    _Atomic uint32_t held_now;   /* shim: calls stalled at this moment */
    uint64_t delay_ns;           /* harness; for STALL_DELAY */
    uint64_t deadline_ns;        /* harness; CLOCK_MONOTONIC, no call is stalled beyond it */
    _Atomic uint64_t calls;      /* shim: calls stalled, counted on entry, or failed */
    _Atomic uint64_t held_ns;    /* shim: summed over the calls that have left */
    _Atomic uint64_t longest_ns; /* shim: the longest of them */
    _Atomic uint64_t first_ns;   /* shim; CLOCK_MONOTONIC, when the first was; 0: none */
    _Atomic uint32_t next;       /* harness; 1 + the next slot in this rule's bucket, 0: none */
    char target[252];            /* harness; "<topic>-<partition>", NUL-terminated */
    char files[64];              /* harness; patterns with `*`, a space between two; ".": the folder */
};

struct stall_control {
    uint32_t magic;
    uint32_t layout;
    uint32_t capacity;         /* how many rules the file holds */
    _Atomic uint32_t used;     /* harness: how many were handed out so far */
    _Atomic uint32_t armed;    /* harness: how many are armed; 0 is the fast path */
    _Atomic uint32_t attached; /* shim: processes that have mapped the file */
    _Atomic uint32_t sites;    /* harness: a bit for each site that any rule so far is for */
    char data_dir[972];        /* harness; resolved path, NUL-terminated */
    _Atomic int64_t ahead_ns;  /* harness: by how much CLOCK_REALTIME is shown ahead; 0: as it is */
    _Atomic uint64_t shifted;  /* shim: how often it was shown shifted */
    uint64_t unused;
    /* harness: 1 + the first slot whose target has this hash (FNV-1a), 0: none */
    _Atomic uint32_t buckets[STALL_BUCKETS];
    struct stall_rule rules[]; /* [capacity] */
};

static_assert(sizeof(struct stall_rule) == 384, "control.py expects rules of 384 bytes");
static_assert(offsetof(struct stall_rule, calls) == 32, "control.py expects counters at 32");
static_assert(offsetof(struct stall_rule, target) == 68, "control.py expects the target at 68");
static_assert(offsetof(struct stall_rule, files) == 320, "control.py expects the files at 320");
static_assert(offsetof(struct stall_control, armed) == 16, "control.py expects armed at 16");
static_assert(offsetof(struct stall_control, ahead_ns) == 1000, "control.py expects the clock at 1000");
static_assert(offsetof(struct stall_control, rules) == 66560, "control.py expects rules at 66560");

#endif
