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
#define STALL_LAYOUT 2u
#define STALL_MAX_RULES 4096u

enum stall_state { STALL_UNUSED = 0, STALL_ARMED = 1, STALL_LIFTED = 2 };
enum stall_site { STALL_READ = 1, STALL_SEND = 2, STALL_WRITE = 3, STALL_FSYNC = 4 };
enum stall_mode { STALL_HOLD = 1, STALL_DELAY = 2, STALL_FAIL = 3 };

/* One rule: calls of one site on the log files of one topic-partition. */
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
    char target[256];            /* harness; "<topic>-<partition>", NUL-terminated */
};

struct stall_control {
    uint32_t magic;
    uint32_t layout;
    uint32_t capacity;         /* how many rules the file holds */
    _Atomic uint32_t used;     /* harness: how many were handed out so far */
    _Atomic uint32_t armed;    /* harness: how many are armed; 0 is the fast path */
    _Atomic uint32_t attached; /* shim: processes that have mapped the file */
    char data_dir[1000];       /* harness; resolved path, NUL-terminated */
    struct stall_rule rules[]; /* [capacity] */
};

static_assert(sizeof(struct stall_rule) == 320, "control.py expects rules of 320 bytes");
static_assert(offsetof(struct stall_rule, calls) == 32, "control.py expects counters at 32");
static_assert(offsetof(struct stall_rule, target) == 64, "control.py expects the target at 64");
static_assert(offsetof(struct stall_control, armed) == 16, "control.py expects armed at 16");
static_assert(offsetof(struct stall_control, rules) == 1024, "control.py expects rules at 1024");

#endif
