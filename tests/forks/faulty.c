/* A disk and a clock that go wrong, put before the C library with LD_PRELOAD.

   What goes wrong is told by the environment, at every call, so a process may turn it on and off:

   EPCG_TEST_DISK    how the paths begin whose files lie on the disk
   EPCG_TEST_LOG     a file that receives every change of the disk, in order (see power.py)
   EPCG_TEST_AFTER   from the n-th change on (0: the first) the disk fails,
   EPCG_TEST_ERRNO   with this error: EROFS and EIO refuse every change, ENOSPC only what makes a file larger
   EPCG_TEST_LOCKS   'refuse': no file can be locked; 'grant': every lock is granted to everybody
   EPCG_TEST_CLOCK   a file with the seconds by which the wall clock is wrong

   Every call goes to the kernel itself, so nothing of the library has to be found behind this. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE = 2, SYNC = 3, UNLINK = 4 };

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static long changes = 0;

static int on_disk(const char *path)
{
    const char *prefix = getenv("EPCG_TEST_DISK");
    if (!prefix || !*prefix) return 0;
    if (strncmp(path, prefix, strlen(prefix)) == 0) return 1;
    const char *name = strrchr(prefix, '/');  /* files without a name lie in the same folder: folder/#inode */
    return name && strncmp(path, prefix, name + 1 - prefix) == 0 && path[name + 1 - prefix] == '#';
}

static int path_of(int fd, char *path, size_t size)
{
    char link[40] = "/proc/self/fd/", digits[20];
    int n = 0;
    if (!getenv("EPCG_TEST_DISK") || fd < 0) return 0;
    do digits[n++] = '0' + fd % 10; while ((fd /= 10));
    char *end = link + strlen(link);
    while (n) *end++ = digits[--n];
    *end = 0;
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return on_disk(path);
}

static int failing(void)
{
    const char *after = getenv("EPCG_TEST_AFTER"), *error = getenv("EPCG_TEST_ERRNO");
    return after && error && changes >= atol(after) ? atoi(error) : 0;
}

static void record(int kind, const char *path, uint64_t offset, const void *data, uint64_t length)
{
    const char *log = getenv("EPCG_TEST_LOG");
    if (!log || !*log) return;
    int fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return;
    uint64_t head[4] = {kind, strlen(path), offset, length};
    struct iovec parts[3] = {{head, sizeof head}, {(void *)path, head[1]}, {(void *)data, data ? length : 0}};
    syscall(SYS_writev, fd, parts, 3);
    syscall(SYS_close, fd);
}

/* Whether a change may happen; if so it is counted, and the caller holds the lock until `done`. */
static int allowed(int grows)
{
    pthread_mutex_lock(&one_at_a_time);
    int error = failing();
    if (error && (error != ENOSPC || grows)) {
        pthread_mutex_unlock(&one_at_a_time);
        errno = error;
        return 0;
    }
    changes++;
    return 1;
}

static void done(void) { pthread_mutex_unlock(&one_at_a_time); }

static int grows(int fd, off_t end)
{
    struct stat found;
    return fstat(fd, &found) == 0 && end > found.st_size;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off_t offset)
{
    char path[4096];
    if (!path_of(fd, path, sizeof path)) return syscall(SYS_pwrite64, fd, data, length, offset);
    if (!allowed(grows(fd, offset + length))) return -1;
    ssize_t written = syscall(SYS_pwrite64, fd, data, length, offset);
    if (written > 0) record(WRITE, path, offset, data, written);
    done();
    return written;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

ssize_t write(int fd, const void *data, size_t length)
{
    char path[4096];
    if (!path_of(fd, path, sizeof path)) return syscall(SYS_write, fd, data, length);
    off_t offset = lseek(fd, 0, SEEK_CUR);
    if (!allowed(grows(fd, offset + length))) return -1;
    ssize_t written = syscall(SYS_write, fd, data, length);
    if (written > 0) record(WRITE, path, offset, data, written);
    done();
    return written;
}

int ftruncate64(int fd, off_t length)
{
    char path[4096];
    if (!path_of(fd, path, sizeof path)) return syscall(SYS_ftruncate, fd, length);
    if (!allowed(grows(fd, length))) return -1;
    int result = syscall(SYS_ftruncate, fd, length);
    if (result == 0) record(TRUNCATE, path, length, NULL, 0);
    done();
    return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int synced(int fd, long call)
{
    char path[4096];
    if (!path_of(fd, path, sizeof path)) return syscall(call, fd);
    if (failing() == EIO) return errno = EIO, -1;
    int result = syscall(call, fd);
    if (result == 0) record(SYNC, path, 0, NULL, 0);
    return result;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

int posix_fallocate64(int fd, off_t offset, off_t length)
{
    char path[4096];
    if (path_of(fd, path, sizeof path)) {
        if (!allowed(1)) return errno;
        done();
    }
    return syscall(SYS_fallocate, fd, 0, offset, length) == 0 ? 0 : errno;
}

int posix_fallocate(int fd, off_t offset, off_t length) { return posix_fallocate64(fd, offset, length); }

int unlinkat(int folder, const char *path, int flags)
{
    if (!on_disk(path)) return syscall(SYS_unlinkat, folder, path, flags);
    if (!allowed(0)) return -1;
    int result = syscall(SYS_unlinkat, folder, path, flags);
    if (result == 0) record(UNLINK, path, 0, NULL, 0);
    done();
    return result;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int openat64(int folder, const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if (on_disk(path) && (flags & (O_WRONLY | O_RDWR | O_CREAT)) && failing() == EROFS)
        return errno = EROFS, -1;
    return syscall(SYS_openat, folder, path, flags, mode);
}

#define OPENS(name, before, folder)                        \
    int name before                                        \
    {                                                      \
        mode_t mode = 0;                                   \
        if (flags & (O_CREAT | O_TMPFILE)) {               \
            va_list rest;                                  \
            va_start(rest, flags);                         \
            mode = va_arg(rest, mode_t);                   \
            va_end(rest);                                  \
        }                                                  \
        return openat64(folder, path, flags, mode);        \
    }
OPENS(open, (const char *path, int flags, ...), AT_FDCWD)
OPENS(open64, (const char *path, int flags, ...), AT_FDCWD)
OPENS(openat, (int folder, const char *path, int flags, ...), folder)

/* --- locks: of the disk's files alone */

static int locking(int command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK ||
           command == F_OFD_SETLKW || command == F_OFD_GETLK;
}

static int pretended(int fd, int *answer)
{
    char path[4096];
    const char *locks = getenv("EPCG_TEST_LOCKS");
    if (!locks || !*locks || !path_of(fd, path, sizeof path)) return 0;
    *answer = strcmp(locks, "refuse") == 0 ? (errno = ENOLCK, -1) : 0;
    return 1;
}

int fcntl64(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    int answer;
    if (locking(command) && pretended(fd, &answer)) {
        if (answer == 0 && (command == F_GETLK || command == F_OFD_GETLK))
            ((struct flock *)argument)->l_type = F_UNLCK;
        return answer;
    }
    return syscall(SYS_fcntl, fd, command, argument);
}

int fcntl(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return fcntl64(fd, command, argument);
}

int flock(int fd, int operation)
{
    int answer;
    return pretended(fd, &answer) ? answer : syscall(SYS_flock, fd, operation);
}

/* --- the wall clock; the monotonic one cannot jump */

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = syscall(SYS_clock_gettime, clock, now);
    const char *path = getenv("EPCG_TEST_CLOCK");
    if (result == 0 && clock == CLOCK_REALTIME && path && *path) {
        char text[32] = "";
        int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            if (syscall(SYS_read, fd, text, sizeof text - 1) > 0) now->tv_sec += atol(text);
            syscall(SYS_close, fd);
        }
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec precise;
    if (clock_gettime(CLOCK_REALTIME, &precise)) return -1;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *answer)
{
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (answer) *answer = precise.tv_sec;
    return precise.tv_sec;
}
