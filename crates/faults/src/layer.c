/* The file layer: preloaded into a process, it sees every change below one directory.
 *
 * Each change and each sync becomes a record of the journal, in the order in which they happened.
 * Syncs are not passed on to the system: what a cut of the power would leave is worked out from
 * the journal (disk.rs), so a sync only has to take its time. Faults are given on demand.
 *
 * From the environment: FILE_LAYER_ROOT, the directory; FILE_LAYER_CONTROL, a page shared with
 * the test; FILE_LAYER_JOURNAL, where records go (without it there are only faults).
 *
 * Invariants
 * 1. One lock, of all processes on the same page, orders changes and their records; a sync holds it
 *    only for its two records.
 * 2. The position is raised after its record is written: who reads it after a reply knows
 *    that all of the server's work for that reply lies before it.
 * 3. A call that failed or was made to fail leaves no record; one that did not always has one, also
 *    at the end of the process (but for kill -9).
 *
 * Not here: changes through memory maps, dup, sendfile and copy_file_range, which the server does
 * not use; `Disk::differences` would show them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Up to `names` they are shared with layer.rs; numbers of 8 bytes each. */
struct control {
    uint64_t position;      /* records so far */
    uint64_t fault;         /* what fails from now on, FAULT_* */
    uint64_t faults;        /* calls that were made to fail, or told of a full disk */
    uint64_t sync_micros;   /* how long a sync takes at most */
    uint64_t tick_micros;   /* a record of the clock so often; 0: none */
    uint64_t passes;        /* so many calls go through before one hangs */
    char names[64];         /* only calls on paths with this in them hang */
    uint64_t used_permille; /* of the disk, for those who ask; 0: what it is */
    uint64_t processes;     /* that were started on this page so far */
    pthread_mutex_t lock;   /* made by the first of them */
};
enum {
    FAULT_NONE, FAULT_NO_SPACE, FAULT_WRITE, FAULT_SYNC, FAULT_NEW_FILE, FAULT_SYNC_HANGS,
    FAULT_LINK_HANGS
};

/* Read by journal.rs. */
enum kind {
    OPEN = 1, WRITE, TRUNCATE, SYNC_BEGIN, SYNC_END, RENAME, UNLINK, MKDIR, RMDIR, LINK, TICK
};
struct head {
    uint64_t kind, handle, number, nanos, first_bytes, second_bytes;
};

#define FDS 65536
#define DIRECTORY (1ull << 63)
#define APPENDS (1ull << 62)
#define HANDLE (~(DIRECTORY | APPENDS))

static struct control no_control = {.lock = PTHREAD_MUTEX_INITIALIZER}, *control = &no_control;
static char root[PATH_MAX];
static size_t root_bytes;
static int journal = -1;
static uint64_t next_handle;
static uint64_t handles[FDS];

static void hold(void) {
    if (pthread_mutex_lock(&control->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&control->lock);
}

static void let_go(void) { pthread_mutex_unlock(&control->lock); }

static void record(enum kind kind, uint64_t handle, uint64_t number, const void *first,
                   size_t first_bytes, const void *second, size_t second_bytes) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct head head = {kind, handle & HANDLE, number,
                        now.tv_sec * 1000000000ull + now.tv_nsec, first_bytes, second_bytes};
    struct iovec parts[3] = {{&head, sizeof head},
                             {(void *)first, first_bytes},
                             {(void *)second, second_bytes}};
    if (journal >= 0) {
        ssize_t bytes = sizeof head + first_bytes + second_bytes;
        if (syscall(SYS_writev, journal, parts, 3) != bytes) {
            fprintf(stderr, "file layer: the journal cannot be written\n");
            abort();
        }
    }
    __atomic_add_fetch(&control->position, 1, __ATOMIC_SEQ_CST);
}

static void *tick(void *unused) {
    for (;;) {
        usleep(control->tick_micros);
        hold();
        record(TICK, 0, 0, NULL, 0, NULL, 0);
        let_go();
    }
    return unused;
}

__attribute__((constructor)) static void start(void) {
    const char *where = getenv("FILE_LAYER_ROOT"), *shared = getenv("FILE_LAYER_CONTROL");
    const char *to = getenv("FILE_LAYER_JOURNAL");
    if (!where || !shared)
        return;
    int fd = syscall(SYS_openat, AT_FDCWD, shared, O_RDWR | O_CLOEXEC);
    void *page = fd < 0 ? MAP_FAILED : mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        fprintf(stderr, "file layer: no control page at %s\n", shared);
        abort();
    }
    control = page;
    flock(fd, LOCK_EX);
    if (control->processes++ == 0) {
        pthread_mutexattr_t shared_by_processes;
        pthread_mutexattr_init(&shared_by_processes);
        pthread_mutexattr_setpshared(&shared_by_processes, PTHREAD_PROCESS_SHARED);
        pthread_mutexattr_setrobust(&shared_by_processes, PTHREAD_MUTEX_ROBUST);
        pthread_mutexattr_settype(&shared_by_processes, PTHREAD_MUTEX_RECURSIVE);
        pthread_mutex_init(&control->lock, &shared_by_processes);
    }
    /* Handles of another process on the same journal are others. */
    next_handle = (control->processes << 40) + 1;
    /* The page keeps the open file, and with it the lock. */
    flock(fd, LOCK_UN);
    syscall(SYS_close, fd);
    if (to)
        journal = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    root_bytes = snprintf(root, sizeof root, "%s", where);
    pthread_t thread;
    if (control->tick_micros)
        pthread_create(&thread, NULL, tick, NULL);
}

/* A process ends between changes: else the last one of another thread would have no record. The
 * kernel frees the lock for other processes. */
__attribute__((destructor)) static void end(void) { hold(); }

__attribute__((noreturn)) void _exit(int code) {
    hold();
    syscall(SYS_exit_group, code);
    __builtin_unreachable();
}

/* The path below the root, "" for the root itself; NULL when it lies elsewhere. */
static const char *below(int directory, const char *path, char *whole) {
    if (!root_bytes || !path)
        return NULL;
    ssize_t bytes = 0;
    if (path[0] != '/') {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        const char *from = directory == AT_FDCWD ? "/proc/self/cwd" : link;
        bytes = syscall(SYS_readlinkat, AT_FDCWD, from, whole, PATH_MAX - 1);
        if (bytes < 0)
            return NULL;
        whole[bytes++] = '/';
    }
    snprintf(whole + bytes, PATH_MAX - bytes, "%s", path);
    size_t length = strlen(whole);
    while (length > 1 && whole[length - 1] == '/')
        whole[--length] = 0;
    if (strncmp(whole, root, root_bytes) || (whole[root_bytes] && whole[root_bytes] != '/'))
        return NULL;
    return whole[root_bytes] ? whole + root_bytes + 1 : whole + root_bytes;
}

static int fails(uint64_t fault, int number) {
    if (__atomic_load_n(&control->fault, __ATOMIC_SEQ_CST) != fault)
        return 0;
    __atomic_add_fetch(&control->faults, 1, __ATOMIC_SEQ_CST);
    errno = number;
    return 1;
}

/* Whether this is what hangs now, on a path like this one. */
static int hangs(uint64_t fault, const char *path) {
    return __atomic_load_n(&control->fault, __ATOMIC_SEQ_CST) == fault
           && strstr(path, control->names);
}

/* Comes back when this fault is over, or at once if the call may still pass. */
static void hang(uint64_t fault) {
    uint64_t passes = __atomic_load_n(&control->passes, __ATOMIC_SEQ_CST);
    while (passes)
        if (__atomic_compare_exchange_n(&control->passes, &passes, passes - 1, 0,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return;
    if (fails(fault, 0))
        while (__atomic_load_n(&control->fault, __ATOMIC_SEQ_CST) == fault)
            usleep(200);
}

/* The path of an open file. */
static const char *path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t bytes = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[bytes < 0 ? 0 : bytes] = 0;
    return path;
}

static int write_fails(void) {
    return fails(FAULT_NO_SPACE, ENOSPC) || fails(FAULT_WRITE, EIO);
}

static uint64_t handle_of(int fd) {
    return fd >= 0 && fd < FDS ? __atomic_load_n(&handles[fd], __ATOMIC_SEQ_CST) : 0;
}

/* Of a file that can be written; 0 for sockets and directories. */
static uint64_t file_of(int fd) {
    uint64_t handle = handle_of(fd);
    return handle & DIRECTORY ? 0 : handle;
}

static int open_at(int directory, const char *path, int flags, mode_t mode) {
    char whole[PATH_MAX];
    const char *name = below(directory, path, whole);
    if (!name) {
        int fd = syscall(SYS_openat, directory, path, flags, mode);
        /* Directories are closed past the layer. */
        if (fd >= 0 && fd < FDS)
            __atomic_store_n(&handles[fd], 0, __ATOMIC_SEQ_CST);
        return fd;
    }
    if ((flags & O_CREAT) && syscall(SYS_faccessat, directory, path, F_OK)
        && (fails(FAULT_NO_SPACE, ENOSPC) || fails(FAULT_NEW_FILE, ENOSPC)))
        return -1;
    hold();
    int fd = syscall(SYS_openat, directory, path, flags, mode);
    struct stat is;
    if (fd >= 0 && fd < FDS && !fstat(fd, &is) && (S_ISREG(is.st_mode) || S_ISDIR(is.st_mode))) {
        uint64_t handle = next_handle++;
        uint64_t how = ((flags & O_TRUNC) ? 1 : 0) | (S_ISDIR(is.st_mode) ? 2 : 0);
        record(OPEN, handle, how, name, strlen(name), NULL, 0);
        handle |= S_ISDIR(is.st_mode) ? DIRECTORY : 0;
        handle |= (flags & O_APPEND) ? APPENDS : 0;
        __atomic_store_n(&handles[fd], handle, __ATOMIC_SEQ_CST);
    }
    int number = errno;
    let_go();
    errno = number;
    return fd;
}

#define OPEN_WITH(directory)                         \
    mode_t mode = 0;                                 \
    if (flags & (O_CREAT | O_TMPFILE)) {             \
        va_list more;                                \
        va_start(more, flags);                       \
        mode = va_arg(more, mode_t);                 \
        va_end(more);                                \
    }                                                \
    return open_at(directory, path, flags, mode);

int open(const char *path, int flags, ...) { OPEN_WITH(AT_FDCWD) }
int open64(const char *path, int flags, ...) { OPEN_WITH(AT_FDCWD) }
int openat(int at, const char *path, int flags, ...) { OPEN_WITH(at) }
int openat64(int at, const char *path, int flags, ...) { OPEN_WITH(at) }
int creat(const char *path, mode_t mode) {
    return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int fd) {
    if (fd >= 0 && fd < FDS)
        __atomic_store_n(&handles[fd], 0, __ATOMIC_SEQ_CST);
    return syscall(SYS_close, fd);
}

/* A write of several parts at an offset, or where the file stands (-1). */
static ssize_t write_parts(int fd, const struct iovec *parts, int count, off_t at) {
    uint64_t handle = file_of(fd);
    if (!handle || write_fails())
        return handle ? -1
             : at < 0 ? syscall(SYS_writev, fd, parts, count)
                      : syscall(SYS_pwritev, fd, parts, count, at, 0);
    hold();
    struct stat is;
    off_t from = at >= 0 ? at : lseek(fd, 0, SEEK_CUR);
    if ((handle & APPENDS) && !fstat(fd, &is))
        from = is.st_size;
    ssize_t done = at < 0 ? syscall(SYS_writev, fd, parts, count)
                          : syscall(SYS_pwritev, fd, parts, count, at, 0);
    int number = errno;
    ssize_t left = done;
    for (int part = 0; part < count && left > 0; part++) {
        size_t bytes = (size_t)left < parts[part].iov_len ? (size_t)left : parts[part].iov_len;
        if (bytes)
            record(WRITE, handle, from, parts[part].iov_base, bytes, NULL, 0);
        from += bytes;
        left -= bytes;
    }
    let_go();
    errno = number;
    return done;
}

ssize_t write(int fd, const void *bytes, size_t count) {
    if (!file_of(fd))
        return syscall(SYS_write, fd, bytes, count);
    struct iovec one = {(void *)bytes, count};
    return write_parts(fd, &one, 1, -1);
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    struct iovec one = {(void *)bytes, count};
    return write_parts(fd, &one, 1, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    return pwrite(fd, bytes, count, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    return write_parts(fd, parts, count, -1);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
    return write_parts(fd, parts, count, at);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
    return write_parts(fd, parts, count, at);
}

/* Runs a call and records it if it succeeds. */
#define CHANGE(call, ...)                 \
    hold();            \
    int result = (call);                  \
    int number = errno;                   \
    if (result == 0)                      \
        record(__VA_ARGS__);              \
    let_go();          \
    errno = number;                       \
    return result;

int ftruncate(int fd, off_t bytes) {
    uint64_t handle = file_of(fd);
    if (!handle)
        return syscall(SYS_ftruncate, fd, bytes);
    CHANGE(syscall(SYS_ftruncate, fd, bytes), TRUNCATE, handle, bytes, NULL, 0, NULL, 0)
}
int ftruncate64(int fd, off64_t bytes) { return ftruncate(fd, bytes); }

int fallocate(int fd, int mode, off_t at, off_t bytes) {
    uint64_t handle = file_of(fd);
    if (handle && write_fails())
        return -1;
    struct stat is;
    if (!handle || (mode & FALLOC_FL_KEEP_SIZE) || fstat(fd, &is) || is.st_size >= at + bytes)
        return syscall(SYS_fallocate, fd, mode, at, bytes);
    CHANGE(syscall(SYS_fallocate, fd, mode, at, bytes), TRUNCATE, handle, at + bytes, NULL, 0,
           NULL, 0)
}
int fallocate64(int fd, int mode, off64_t at, off64_t bytes) {
    return fallocate(fd, mode, at, bytes);
}
int posix_fallocate(int fd, off_t at, off_t bytes) {
    return fallocate(fd, 0, at, bytes) ? errno : 0;
}
int posix_fallocate64(int fd, off64_t at, off64_t bytes) { return posix_fallocate(fd, at, bytes); }

static int sync_file(int fd, long call) {
    static __thread uint64_t random;
    uint64_t handle = handle_of(fd);
    if (!handle)
        return syscall(call, fd);
    if (fails(FAULT_SYNC, EIO))
        return -1;
    hold();
    record(SYNC_BEGIN, handle, 0, NULL, 0, NULL, 0);
    random = random * 6364136223846793005ull + (control->position | 1);
    let_go();
    uint64_t micros = control->sync_micros;
    if (micros)
        usleep((random >> 33) % micros);
    char path[PATH_MAX];
    if (control->fault == FAULT_SYNC_HANGS && hangs(FAULT_SYNC_HANGS, path_of(fd, path)))
        hang(FAULT_SYNC_HANGS);
    /* A disk that fails does so to the syncs under way, too. */
    if (fails(FAULT_SYNC, EIO))
        return -1;
    hold();
    record(SYNC_END, handle, 0, NULL, 0, NULL, 0);
    let_go();
    return 0;
}
int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

/* Sends bytes on their way and promises nothing: no record. */
int sync_file_range(int fd, off64_t at, off64_t bytes, unsigned flags) {
    return syscall(SYS_sync_file_range, fd, at, bytes, flags);
}

/* A full disk says so to those who ask before they write, and one that is to be as full as that. */
#define SHOW_FULLNESS(space)                                                     \
    if (result == 0 && control->used_permille)                                   \
        space->f_bfree = space->f_bavail =                                       \
            space->f_blocks / 1000 * (1000 - control->used_permille);            \
    if (result == 0 && control->fault == FAULT_NO_SPACE) {                       \
        space->f_bfree = space->f_bavail = 0;                                    \
        __atomic_add_fetch(&control->faults, 1, __ATOMIC_SEQ_CST);               \
    }

int statvfs(const char *path, struct statvfs *space) {
    int (*next)(const char *, struct statvfs *) = dlsym(RTLD_NEXT, "statvfs");
    int result = next(path, space);
    SHOW_FULLNESS(space)
    return result;
}
int statvfs64(const char *path, struct statvfs64 *space) {
    int (*next)(const char *, struct statvfs64 *) = dlsym(RTLD_NEXT, "statvfs64");
    int result = next(path, space);
    SHOW_FULLNESS(space)
    return result;
}

/* Names below the root. */
#define ONE_NAME(call, kind, at, path)               \
    char whole[PATH_MAX];                            \
    const char *name = below(at, path, whole);       \
    if (!name)                                       \
        return (call);                               \
    CHANGE(call, kind, 0, 0, name, strlen(name), NULL, 0)

/* A name outside would hide a change: the server does not do that. */
#define TWO_NAMES(call, kind, at, path, at_second, path_second)          \
    char whole[PATH_MAX], whole_second[PATH_MAX];                        \
    const char *name = below(at, path, whole);                           \
    const char *second = below(at_second, path_second, whole_second);    \
    if (!name && !second)                                                \
        return (call);                                                   \
    if (!name || !second) {                                              \
        fprintf(stderr, "file layer: %s crosses the root\n", path);      \
        abort();                                                         \
    }                                                                    \
    CHANGE(call, kind, 0, 0, name, strlen(name), second, strlen(second))

int renameat(int at, const char *from, int at_second, const char *to) {
    TWO_NAMES(syscall(SYS_renameat2, at, from, at_second, to, 0), RENAME, at, from, at_second, to)
}
int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }
int renameat2(int at, const char *from, int at_second, const char *to, unsigned flags) {
    TWO_NAMES(syscall(SYS_renameat2, at, from, at_second, to, flags), RENAME, at, from, at_second, to)
}
int linkat(int at, const char *from, int at_second, const char *to, int flags) {
    char wanted[PATH_MAX];
    if (below(at_second, to, wanted) && hangs(FAULT_LINK_HANGS, wanted))
        hang(FAULT_LINK_HANGS);
    TWO_NAMES(syscall(SYS_linkat, at, from, at_second, to, flags), LINK, at, from, at_second, to)
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }
int unlinkat(int at, const char *path, int flags) {
    enum kind kind = (flags & AT_REMOVEDIR) ? RMDIR : UNLINK;
    ONE_NAME(syscall(SYS_unlinkat, at, path, flags), kind, at, path)
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
    int result = unlinkat(AT_FDCWD, path, 0);
    return result && errno == EISDIR ? rmdir(path) : result;
}
int mkdirat(int at, const char *path, mode_t mode) {
    char wanted[PATH_MAX];
    if (below(at, path, wanted) && syscall(SYS_faccessat, at, path, F_OK)
        && fails(FAULT_NO_SPACE, ENOSPC))
        return -1;
    ONE_NAME(syscall(SYS_mkdirat, at, path, mode), MKDIR, at, path)
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
