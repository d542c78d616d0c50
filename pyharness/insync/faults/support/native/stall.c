/*
 * LD_PRELOAD shim: stalls a broker's calls on chosen files of chosen topic-partitions, or lets
 * them fail; and shows the broker another time of day.
 *
 *   cc -O2 -shared -fPIC -o libinsync_stall.so stall.c -ldl -pthread
 *
 * It intercepts the calls by which a JVM moves log data on Linux:
 *
 *   read   pread64 and read (FileChannel), readv, and their 32-bit and vector variants
 *   send   sendfile64 (FileChannel.transferTo to a socket; seen on JDK 17 and 25;
 *          copy_file_range, which 25 knows as well, copies from file to file)
 *   write  write and pwrite64 (FileChannel), writev, and their variants; not what goes
 *          through a mapping, as indexes do
 *   fsync  fsync (FileChannel.force(true), also of a folder; FileDescriptor.sync)
 *          and fdatasync (force(false)); not msync, by which indexes are flushed
 *   create open and openat with O_CREAT (FileChannel.open): a log that rolls creates a file
 *   open   open and openat without: a file that is there, or a folder (Utils.flushDir)
 *   truncate ftruncate: a log that is truncated (FileChannel.truncate); the size of an index
 *          (RandomAccessFile.setLength)
 *   rename rename (Files.move), by the old name: a file or folder that is to be deleted gets
 *          another name first, a checkpoint is written beside its old one
 *   unlink unlink, unlinkat, remove and rmdir (Files.delete)
 *
 * A call is stalled if a rule for its site is armed, its file is in
 * <data_dir>/.../<topic>-<partition>, and the file's name fits one of the rule's patterns. The
 * name of the folder itself is ".". A folder that Kafka has renamed to delete it, or that becomes
 * a replica's future one, is still that of its partition; see stall.h for the rules.
 * A stalled call behaves like one on a slow disk: a signal does not interrupt it,
 * and it then returns what the real call returns, errno included.  A call that is
 * to fail is not made: it returns -1 at once, with EIO.  Nothing is
 * allocated and no lock is taken; while no rule is armed it costs one load.
 *
 * The clock: CLOCK_REALTIME, as clock_gettime and gettimeofday return it, is shown ahead by
 * a number of nanoseconds.  A JVM asks for the time of day in no other way.  CLOCK_MONOTONIC,
 * waits, timers and the times of files are those of the kernel.
 *
 * The environment variable INSYNC_STALL_CONTROL names the control file.  Without
 * a valid one the shim says so on standard error and stalls nothing.
 */
#define _GNU_SOURCE
#include "stall.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 1000000ull /* how soon a stalled call notices that its rule was lifted */

static _Atomic uint32_t never; /* what `armed` points to until a control file is mapped */
static _Atomic uint32_t *armed = &never;
static struct stall_control *_Atomic control; /* NULL until then */

/* ---- the control file ---------------------------------------------------- */

static const char *attach(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return strerror(errno);
    if (fstat(fd, &status) != 0 || (size_t)status.st_size < sizeof(struct stall_control)) {
        close(fd);
        return "shorter than its header";
    }
    struct stall_control *mapped =
        mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (mapped == MAP_FAILED) return strerror(errno);
    if (mapped->magic != STALL_MAGIC) return "not a control file";
    if (mapped->layout != STALL_LAYOUT) return "of another layout version";
    if (mapped->capacity > STALL_MAX_RULES
        || (size_t)status.st_size
               < sizeof(struct stall_control) + mapped->capacity * sizeof(struct stall_rule))
        return "shorter than its rules";
    control = mapped;
    atomic_fetch_add(&control->attached, 1);
    armed = &control->armed;
    return NULL;
}

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("INSYNC_STALL_CONTROL");
    const char *fault = path ? attach(path) : "INSYNC_STALL_CONTROL is not set";
    if (fault) fprintf(stderr, "insync stall shim: inactive: %s: %s\n", path ? path : "-", fault);
}

/* ---- which file a descriptor is ------------------------------------------ */

/* Writes "/proc/self/fd/<fd>"; snprintf is not safe inside a signal handler. */
static void link_of(int fd, char *out)
{
    char digits[12];
    size_t count = 0;
    memcpy(out, "/proc/self/fd/", 14);
    do digits[count++] = (char)('0' + fd % 10);
    while ((fd /= 10) > 0);
    for (out += 14; count > 0;) *out++ = digits[--count];
    *out = '\0';
}

/* Writes the path of a descriptor's file into `path`; false if it has none. */
static bool path_of(int fd, char *path, size_t size)
{
    char link[32];
    if (fd < 0) return false;
    link_of(fd, link);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 1) return false;
    path[length] = '\0';
    return path[0] == '/';
}

/* The same for an absolute name, of a file that may not exist; `path` has PATH_MAX bytes. */
static bool path_of_name(const char *file, char *path)
{
    char parent[PATH_MAX];
    size_t length = strlen(file);
    if (file[0] != '/' || length >= sizeof parent) return false;
    memcpy(parent, file, length + 1);
    char *name = strrchr(parent, '/');
    *name++ = '\0';
    if (!realpath(parent, path)) return false;
    size_t root = strlen(path);
    if (root + strlen(name) + 2 > PATH_MAX) return false;
    path[root] = '/';
    memcpy(path + root + 1, name, strlen(name) + 1);
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

/* Cuts "<topic>-<partition>.<id>-delete", as Kafka renames a folder, to the partition's name. */
static void cut_state(char *folder)
{
    char *dot = strrchr(folder, '.');
    if (dot && (ends_with(dot, "-delete") || ends_with(dot, "-future") || ends_with(dot, "-stray")))
        *dot = '\0';
}

/* Whether a name fits the pattern that ends at `end`, in which `*` stands for anything. */
static bool fits(const char *pattern, const char *end, const char *name)
{
    if (pattern == end) return !*name;
    if (*pattern != '*') return *pattern == *name && fits(pattern + 1, end, name + 1);
    while (!fits(pattern + 1, end, name))
        if (!*name++) return false;
    return true;
}

/* Whether a name fits one of the patterns of a rule. */
static bool fits_any(const char *patterns, const char *name)
{
    while (*patterns) {
        size_t length = strcspn(patterns, " ");
        if (fits(patterns, patterns + length, name)) return true;
        patterns += length + (patterns[length] == ' ');
    }
    return false;
}

/* ---- stalling ------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* the clock of Python's time.monotonic_ns() */
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t when)
{
    struct timespec at = {(time_t)(when / 1000000000ull), (long)(when % 1000000000ull)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {}
}

static void keep_longest(_Atomic uint64_t *longest, uint64_t candidate)
{
    uint64_t seen = atomic_load(longest);
    while (candidate > seen && !atomic_compare_exchange_weak(longest, &seen, candidate)) {}
}

/* Counts a call that meets the rule; false if the rule no longer applies. */
static bool counts(struct stall_rule *rule, uint64_t since)
{
    if (since >= rule->deadline_ns || atomic_load(&rule->state) != STALL_ARMED) return false;
    atomic_fetch_add(&rule->calls, 1);
    uint64_t none = 0;
    atomic_compare_exchange_strong(&rule->first_ns, &none, since);
    return true;
}

/* Blocks the calling thread for as long as the rule says; false if it no longer applies. */
static bool wait_out(struct stall_rule *rule, uint64_t since)
{
    uint64_t now = since;
    uint64_t end = rule->deadline_ns;
    if (rule->mode == STALL_DELAY && since + rule->delay_ns < end) end = since + rule->delay_ns;
    if (!counts(rule, since)) return false;
    while (now < end && atomic_load(&rule->state) == STALL_ARMED) {
        sleep_until(now + POLL_NS < end ? now + POLL_NS : end);
        now = now_ns();
    }
    return true;
}

/* held_now goes up before the state is read, so a harness that lifts the rule
 * and then sees held_now at 0 has seen the last of its calls. */
static void apply(struct stall_rule *rule)
{
    atomic_fetch_add(&rule->held_now, 1);
    uint64_t since = now_ns();
    if (wait_out(rule, since)) {
        uint64_t held = now_ns() - since;
        atomic_fetch_add(&rule->held_ns, held);
        keep_longest(&rule->longest_ns, held);
    }
    atomic_fetch_sub(&rule->held_now, 1);
}

static uint32_t bucket_of(const char *target)
{
    uint32_t hash = 2166136261u; /* FNV-1a, as in control.py */
    for (; *target; target++) hash = (hash ^ (unsigned char)*target) * 16777619u;
    return hash % STALL_BUCKETS;
}

/*
 * Stalls a call on the file `name` in `folder` by all rules that it meets, up to one by which it
 * fails; returns whether one does.  Rules are found by the hash of their target, so that the calls
 * of a broker with thousands of armed rules take no longer than with one.
 */
static bool apply_all(uint32_t site, const char *folder, const char *name)
{
    bool fails = false;
    uint32_t next = atomic_load(&control->buckets[bucket_of(folder)]);
    while (next > 0 && next <= control->capacity && !fails) {
        struct stall_rule *rule = &control->rules[next - 1];
        next = atomic_load(&rule->next);
        if (atomic_load(&rule->state) != STALL_ARMED || rule->site != site) continue;
        if (strncmp(folder, rule->target, sizeof rule->target) != 0) continue;
        if (!fits_any(rule->files, name)) continue;
        if (rule->mode == STALL_FAIL)
            fails = counts(rule, now_ns());
        else
            apply(rule);
    }
    return fails;
}

/* The same for a path: of a file in a partition's folder, or of that folder, below data_dir. */
static bool apply_to(uint32_t site, char *path)
{
    size_t root = strlen(control->data_dir);
    if (strncmp(path, control->data_dir, root) != 0 || path[root] != '/') return false;
    char *name = strrchr(path, '/');
    *name++ = '\0';
    if (strlen(path) > root) { /* else it is a file of the data folder itself */
        char *folder = strrchr(path, '/') + 1;
        cut_state(folder);
        if (apply_all(site, folder, name)) return true;
    }
    cut_state(name);
    return apply_all(site, name, ".");
}

/* Stalls a call on a descriptor, or if `file` is not NULL on the file of that path. */
static __attribute__((noinline)) bool stall_armed(uint32_t site, int fd, const char *file)
{
    char path[PATH_MAX];
    int saved = errno;
    if (!(atomic_load(&control->sites) & (1u << site))) return false;
    bool found = file ? path_of_name(file, path) : path_of(fd, path, sizeof path);
    bool fails = found && apply_to(site, path);
    errno = fails ? EIO : saved;
    return fails;
}

/* Returns whether the call is to fail, with errno set. */
static inline bool stall(uint32_t site, int fd)
{
    return __builtin_expect(atomic_load_explicit(armed, memory_order_relaxed) != 0, 0)
           && stall_armed(site, fd, NULL);
}

/* The same for a call on the file of a name. */
static inline bool stall_named(uint32_t site, const char *file)
{
    return __builtin_expect(atomic_load_explicit(armed, memory_order_relaxed) != 0, 0)
           && stall_armed(site, -1, file);
}

/* The same for a call that opens a file. */
static inline bool stall_open(const char *file, int flags)
{
    return stall_named((flags & O_CREAT) ? STALL_CREATE : STALL_OPEN, file);
}

/* ---- the calls ------------------------------------------------------------ */

/* The next definition of `name`, looked up on first use: other libraries'
 * constructors may call in here before ours has run. */
#define NEXT(name)                                                               \
    static __typeof__(&name) _Atomic found;                                      \
    __typeof__(&name) next = atomic_load_explicit(&found, memory_order_relaxed); \
    if (__builtin_expect(!next, 0)) {                                            \
        next = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                       \
        atomic_store_explicit(&found, next, memory_order_relaxed);               \
    }

/* Defines a call: it stalls as `site` on the descriptor `fd`, then fails or does what the next one does. */
#define STALLED(type, name, site, fd, parameters, arguments) \
    type name parameters                                     \
    {                                                        \
        NEXT(name)                                           \
        return stall(site, fd) ? -1 : next arguments;        \
    }

/* Defines the calls that move bytes between memory and a file, by a buffer and by a vector. */
#define MOVED(site, bytes, move, at, at64, v, v_at, v_at64, v_at2, v_at64v2)                      \
    STALLED(ssize_t, move, site, fd, (int fd, bytes *buffer, size_t count), (fd, buffer, count))  \
    STALLED(ssize_t, at, site, fd, (int fd, bytes *buffer, size_t count, off_t offset),           \
            (fd, buffer, count, offset))                                                          \
    STALLED(ssize_t, at64, site, fd, (int fd, bytes *buffer, size_t count, off64_t offset),       \
            (fd, buffer, count, offset))                                                          \
    STALLED(ssize_t, v, site, fd, (int fd, VECTOR), (fd, vector, count))                          \
    STALLED(ssize_t, v_at, site, fd, (int fd, VECTOR, off_t offset), (fd, vector, count, offset)) \
    STALLED(ssize_t, v_at64, site, fd, (int fd, VECTOR, off64_t offset),                          \
            (fd, vector, count, offset))                                                          \
    STALLED(ssize_t, v_at2, site, fd, (int fd, VECTOR, off_t offset, int flags),                  \
            (fd, vector, count, offset, flags))                                                   \
    STALLED(ssize_t, v_at64v2, site, fd, (int fd, VECTOR, off64_t offset, int flags),             \
            (fd, vector, count, offset, flags))
#define VECTOR const struct iovec *vector, int count

MOVED(STALL_READ, void, read, pread, pread64, readv, preadv, preadv64, preadv2, preadv64v2)
MOVED(STALL_WRITE, const void, write, pwrite, pwrite64, writev, pwritev, pwritev64, pwritev2,
      pwritev64v2)

STALLED(ssize_t, sendfile, STALL_SEND, in,
        (int out, int in, off_t *offset, size_t count),
        (out, in, offset, count))
STALLED(ssize_t, sendfile64, STALL_SEND, in,
        (int out, int in, off64_t *offset, size_t count),
        (out, in, offset, count))

STALLED(int, fsync, STALL_FSYNC, fd, (int fd), (fd))
STALLED(int, fdatasync, STALL_FSYNC, fd, (int fd), (fd))

STALLED(int, ftruncate, STALL_TRUNCATE, fd, (int fd, off_t length), (fd, length))
STALLED(int, ftruncate64, STALL_TRUNCATE, fd, (int fd, off64_t length), (fd, length))

/* Reads the mode, which callers pass only where the flags ask for it, into `mode`. */
#define READ_MODE(flags)                                              \
    mode_t mode = 0;                                                  \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {    \
        va_list more;                                                 \
        va_start(more, flags);                                        \
        mode = va_arg(more, mode_t);                                  \
        va_end(more);                                                 \
    }

#define OPENED(name)                                                  \
    int name(const char *file, int flags, ...)                        \
    {                                                                 \
        NEXT(name)                                                    \
        READ_MODE(flags)                                              \
        return stall_open(file, flags) ? -1 : next(file, flags, mode); \
    }

#define OPENED_AT(name)                                               \
    int name(int at, const char *file, int flags, ...)                \
    {                                                                 \
        NEXT(name)                                                    \
        READ_MODE(flags)                                              \
        return stall_open(file, flags) ? -1 : next(at, file, flags, mode); \
    }

/* Defines a call on the file `file`. */
#define NAMED(name, site, file, parameters, arguments)       \
    int name parameters                                      \
    {                                                        \
        NEXT(name)                                           \
        return stall_named(site, file) ? -1 : next arguments; \
    }

NAMED(rename, STALL_RENAME, old, (const char *old, const char *new), (old, new))
NAMED(unlink, STALL_UNLINK, file, (const char *file), (file))
NAMED(unlinkat, STALL_UNLINK, file, (int at, const char *file, int flags), (at, file, flags))
NAMED(remove, STALL_UNLINK, file, (const char *file), (file))
NAMED(rmdir, STALL_UNLINK, file, (const char *file), (file))

OPENED(open)
OPENED(open64)
OPENED_AT(openat)
OPENED_AT(openat64)

/* ---- the time of day ------------------------------------------------------ */

#define SECOND_NS 1000000000ll

/* By how much the time of day is shown ahead at this moment, counted if it is. */
static inline int64_t ahead_ns(void)
{
    struct stall_control *shared = atomic_load_explicit(&control, memory_order_acquire);
    if (!shared) return 0;
    int64_t ahead = atomic_load_explicit(&shared->ahead_ns, memory_order_relaxed);
    if (__builtin_expect(ahead != 0, 0)) atomic_fetch_add(&shared->shifted, 1);
    return ahead;
}

/* A moment, by its seconds and nanoseconds, shown `ahead` nanoseconds ahead. */
static struct timespec shown(int64_t seconds, int64_t ns, int64_t ahead)
{
    int64_t rest = ns + ahead % SECOND_NS;
    seconds += ahead / SECOND_NS + (rest >= SECOND_NS) - (rest < 0);
    rest += rest < 0 ? SECOND_NS : rest >= SECOND_NS ? -SECOND_NS : 0;
    return (struct timespec){(time_t)seconds, (long)rest};
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    NEXT(clock_gettime)
    int failed = next(clock, now);
    if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
    int64_t ahead = ahead_ns();
    if (ahead) *now = shown(now->tv_sec, now->tv_nsec, ahead);
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    NEXT(gettimeofday)
    int failed = next(now, zone);
    int64_t ahead = failed ? 0 : ahead_ns();
    if (ahead) {
        struct timespec then = shown(now->tv_sec, now->tv_usec * 1000ll, ahead);
        *now = (struct timeval){then.tv_sec, then.tv_nsec / 1000};
    }
    return failed;
}
