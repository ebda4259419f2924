// Files that appear only when they are complete, whatever happens during the writing, by io_uring
// and by pwrite.
#include "base/atomic_file.h"
#include "idx/file_writer.h"
#include "random.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB ((size_t)1 << 20)
#define NOBODY 65534

// The exit statuses of a child process.
enum { CHILD_FINE, CHILD_FAILED, CHILD_SKIPPED };

struct scratch {
    char directory[40], file[60];
};

static void scratch_make(struct scratch *scratch)
{
    strcpy(scratch->directory, "/tmp/trawl-writer-XXXXXX");
    CHECK(mkdtemp(scratch->directory) != NULL);
    snprintf(scratch->file, sizeof scratch->file, "%s/t.index", scratch->directory);
}

static int count_files(const char *path)
{
    DIR *directory = opendir(path);
    int count = -2; // minus . and ..
    while (directory && readdir(directory))
        count++;
    closedir(directory);
    return count;
}

// The directory must be empty, or contain only the file.
static void scratch_remove(struct scratch *scratch)
{
    unlink(scratch->file);
    CHECK(rmdir(scratch->directory) == 0);
}

static const enum file_writer_io ios[] = {FILE_WRITER_URING, FILE_WRITER_PWRITE};

static bool has_uring(void)
{
    static char memory[4096];
    const struct write_ring_buffers buffers = {memory, 1, sizeof memory};
    struct write_ring *ring = write_ring_open(-1, &buffers);
    write_ring_close(ring);
    return ring;
}

// Runs `body` for each way to write that this system has.
static void for_each_io(void (*body)(enum file_writer_io io))
{
    body(FILE_WRITER_PWRITE);
    if (has_uring())
        body(FILE_WRITER_URING);
    else
        test_skip("the kernel refuses io_uring");
}

// Runs `body` in a separate process, for changes that cannot be undone.
static void in_child(int (*body)(struct scratch *), struct scratch *scratch, const char *needs)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(body(scratch));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == CHILD_SKIPPED)
        test_skip(needs);
    else
        CHECK(WEXITSTATUS(status) == CHILD_FINE);
}

static enum status write_letters(const char *path, enum file_writer_io io, char letter, size_t size,
                                 struct error *err)
{
    struct file_writer *writer;
    char piece[10000];
    memset(piece, letter, sizeof piece);
    enum status status = file_writer_open(&writer, FILE_WRITER_TARGET(path), io, err);
    if (status != STATUS_OK)
        return status;
    for (size_t done = 0; done < size; done += sizeof piece)
        file_writer_append(writer, piece, u64_min(size - done, sizeof piece));
    return file_writer_publish(writer, false, err);
}

// Whether the file contains one letter `size` times; 0: any letter.
static bool holds_letters(const char *path, char letter, size_t size)
{
    char piece[10000];
    FILE *file = fopen(path, "r");
    size_t total = 0, got;
    bool is_right = file;
    while (is_right && (got = fread(piece, 1, sizeof piece, file)) > 0) {
        letter = letter ? letter : piece[0];
        for (size_t i = 0; i < got; i++)
            is_right &= piece[i] == letter;
        total += got;
    }
    if (file)
        fclose(file);
    return is_right && total == size;
}

// --- Contents
// -------------------------------------------------------------------------------------

static bool equals_map(struct file_writer *writer, const char *model)
{
    struct map map;
    struct error err;
    if (file_writer_read_back(writer, &map, &err) != STATUS_OK)
        return false;
    bool is_equal = map.size_bytes == file_writer_position(writer) &&
                    (!map.size_bytes || memcmp(map.data, model, map.size_bytes) == 0);
    map_close(&map);
    return is_equal;
}

static void write_as_model(enum file_writer_io io)
{
    enum { APPENDS = 60, PATCHES = 10 };
    struct scratch scratch;
    struct file_writer *writer;
    struct error err;
    struct prng prng = {7};
    char *model = malloc(APPENDS * MB);
    scratch_make(&scratch);
    CHECK(file_writer_open(&writer, FILE_WRITER_TARGET(scratch.file), io, &err) == STATUS_OK);
    CHECK(file_writer_io_in_use(writer) == io && equals_map(writer, model));
    for (size_t i = 0, at = 0; i < APPENDS; i++) {
        size_t size = prng_below(&prng, i % 4 ? 70000 : MB);
        memset(model + at, (int)('a' + i % 26), size);
        file_writer_append(writer, model + at, size);
        at += size;
        CHECK(file_writer_position(writer) == at);
        if (i % 20 == 10)
            CHECK(equals_map(writer, model));
    }
    uint64_t end = file_writer_position(writer);
    for (size_t i = 0; i < PATCHES; i++) {
        uint64_t at = i ? prng_below(&prng, (uint32_t)end) : 0;
        size_t size = (size_t)u64_min(end - at, prng_below(&prng, 3 * MB));
        memset(model + at, (int)('A' + i), size);
        file_writer_patch(writer, at, model + at, size);
        file_writer_append(writer, model, 1);
        model[end++] = model[0];
    }
    CHECK(equals_map(writer, model) && !file_writer_failed(writer));
    CHECK(count_files(scratch.directory) == 0);
    CHECK(file_writer_publish(writer, true, &err) == STATUS_OK);
    int fd = open(scratch.file, O_RDONLY);
    struct map map;
    CHECK(map_open(&map, fd, scratch.file, &err) == STATUS_OK && map.size_bytes == end);
    CHECK(map.size_bytes == end && memcmp(map.data, model, end) == 0);
    map_close(&map);
    free(model);
    scratch_remove(&scratch);
}

static void file_writer_writes_what_it_gets(void)
{
    for_each_io(write_as_model);
}

static void file_writer_makes_an_empty_file(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    CHECK(write_letters(scratch.file, FILE_WRITER_AUTO, 'a', 0, NULL) == STATUS_OK);
    CHECK(holds_letters(scratch.file, 'a', 0));
    scratch_remove(&scratch);
}

static int write_from_unregistered(struct scratch *scratch)
{
    // Enough for the ring, which counts in newer kernels, but not for the buffers.
    const struct rlimit small = {64 << 10, 64 << 10};
    static char memory[2][256 << 10];
    const struct write_ring_buffers buffers = {memory[0], 2, sizeof memory[0]};
    int fd = open(scratch->file, O_RDWR | O_CREAT, 0666), result = 0;
    unsigned which = 0;
    if (setrlimit(RLIMIT_MEMLOCK, &small) != 0 || (geteuid() == 0 && setuid(NOBODY) != 0))
        return CHILD_SKIPPED;
    struct write_ring *ring = write_ring_open(fd, &buffers);
    if (!ring || write_ring_is_registered(ring))
        return CHILD_SKIPPED;
    memset(memory[1] + 96, 'x', 4000);
    if (write_ring_start(ring, 1, 96, 4000, 0) != 0 || write_ring_wait(ring, &which, &result) != 0)
        return CHILD_FAILED;
    write_ring_close(ring);
    return which == 1 && result == 4000 && holds_letters(scratch->file, 'x', 4000) ? CHILD_FINE
                                                                                   : CHILD_FAILED;
}

static void write_ring_does_without_locked_memory(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    CHECK(chmod(scratch.directory, 0777) == 0);
    in_child(write_from_unregistered, &scratch, "needs io_uring without locked memory");
    scratch_remove(&scratch);
}

// --- Refused system calls
// -------------------------------------------------------------------------

// Makes the kernel refuse one system call of this process, as containers do.
static bool refuse_call(int number, unsigned error_number)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error_number),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {ARRAY_COUNT(code), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// By default, a file of this size is written with a ring.
#define LARGE_BYTES (34 * MB)

// How a file of this size is written by default.
static enum file_writer_io io_of_file(const char *path, size_t size_bytes)
{
    static const char letters[1024];
    struct file_writer *writer;
    struct error err;
    if (file_writer_open(&writer, FILE_WRITER_TARGET(path), FILE_WRITER_AUTO, &err) != STATUS_OK)
        return FILE_WRITER_AUTO;
    for (size_t i = 0; i < size_bytes / sizeof letters; i++)
        file_writer_append(writer, letters, sizeof letters);
    enum file_writer_io io = file_writer_io_in_use(writer);
    file_writer_abandon(writer);
    return io;
}

static int fall_back(struct scratch *scratch, int call, unsigned error_number)
{
    struct file_writer *writer;
    struct error err;
    if (!refuse_call(call, error_number))
        return CHILD_SKIPPED;
    if (file_writer_open(&writer, FILE_WRITER_TARGET(scratch->file), FILE_WRITER_URING, &err) !=
            STATUS_IO ||
        !strstr(err.text, scratch->file))
        return CHILD_FAILED;
    if (io_of_file(scratch->file, LARGE_BYTES) != FILE_WRITER_PWRITE)
        return CHILD_FAILED;
    enum status status = write_letters(scratch->file, FILE_WRITER_AUTO, 'a', LARGE_BYTES, &err);
    bool is_whole = status == STATUS_OK && holds_letters(scratch->file, 'a', LARGE_BYTES);
    return is_whole ? CHILD_FINE : CHILD_FAILED;
}

static int without_setup(struct scratch *scratch)
{
    return fall_back(scratch, SYS_io_uring_setup, ENOSYS);
}

static int without_enter(struct scratch *scratch)
{
    return fall_back(scratch, SYS_io_uring_enter, EPERM);
}

static int without_register(struct scratch *scratch)
{
    return fall_back(scratch, SYS_io_uring_register, EPERM);
}

static void file_writer_falls_back_to_pwrite(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    in_child(without_setup, &scratch, "needs system call filters");
    in_child(without_enter, &scratch, "needs system call filters");
    in_child(without_register, &scratch, "needs system call filters");
    scratch_remove(&scratch);
}

// The kernel writes with threads that count as ours, and may make none for us.
static int write_without_threads(struct scratch *scratch)
{
    const struct rlimit none = {0, 0};
    struct error err;
    if ((geteuid() == 0 && setuid(NOBODY) != 0) || setrlimit(RLIMIT_NPROC, &none) != 0)
        return CHILD_SKIPPED;
    for (size_t i = 0; i < ARRAY_COUNT(ios); i++) {
        if (ios[i] == FILE_WRITER_URING && !has_uring())
            continue;
        if (write_letters(scratch->file, ios[i], 'a', LARGE_BYTES, &err) != STATUS_OK ||
            !holds_letters(scratch->file, 'a', LARGE_BYTES))
            return CHILD_FAILED;
    }
    return CHILD_FINE;
}

static void file_writer_needs_no_threads(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    CHECK(chmod(scratch.directory, 0777) == 0);
    in_child(write_without_threads, &scratch, "needs to be another user");
    scratch_remove(&scratch);
}

static void file_writer_sets_up_a_ring_for_large_files(void)
{
    struct scratch scratch;
    struct file_writer *writer;
    struct error err;
    scratch_make(&scratch);
    bool has_rings = file_writer_open(&writer, FILE_WRITER_TARGET(scratch.file), FILE_WRITER_URING,
                                      &err) == STATUS_OK;
    if (has_rings)
        file_writer_abandon(writer);
    CHECK(io_of_file(scratch.file, 31 * MB) == FILE_WRITER_PWRITE);
    CHECK(io_of_file(scratch.file, LARGE_BYTES) ==
          (has_rings ? FILE_WRITER_URING : FILE_WRITER_PWRITE));
    scratch_remove(&scratch);
}

static int open_protected(struct scratch *scratch)
{
    struct error err;
    if (geteuid() == 0 && setuid(NOBODY) != 0)
        return CHILD_SKIPPED;
    enum status status = write_letters(scratch->file, FILE_WRITER_AUTO, 'a', 1, &err);
    return status == STATUS_IO && strstr(err.text, strerror(EACCES)) ? CHILD_FINE : CHILD_FAILED;
}

static void file_writer_says_where_it_cannot_write(void)
{
    struct scratch scratch;
    struct error err;
    char path[80];
    scratch_make(&scratch);
    CHECK(write_letters(scratch.directory, FILE_WRITER_AUTO, 'a', 1, &err) == STATUS_IO);
    CHECK(strstr(err.text, scratch.directory) && strstr(err.text, strerror(EISDIR)));
    snprintf(path, sizeof path, "%s/gone/t.index", scratch.directory);
    CHECK(write_letters(path, FILE_WRITER_AUTO, 'a', 1, &err) == STATUS_IO);
    CHECK(strstr(err.text, path) && strstr(err.text, strerror(ENOENT)));
    CHECK(write_letters("/dev/null", FILE_WRITER_AUTO, 'a', 1, &err) == STATUS_IO);
    CHECK(write_letters("", FILE_WRITER_AUTO, 'a', 1, &err) == STATUS_IO);
    CHECK(strstr(err.text, "open for writing: ") && strstr(err.text, strerror(ENOENT)));
    char *longest = calloc(1, 300);
    memset(longest, 'n', 256);
    CHECK(write_letters(longest, FILE_WRITER_AUTO, 'a', 1, &err) == STATUS_IO);
    CHECK(strstr(err.text, "open for writing: ") && strstr(err.text, strerror(ENAMETOOLONG)));
    free(longest);
    CHECK(chmod(scratch.directory, 0555) == 0);
    in_child(open_protected, &scratch, "needs to be another user");
    CHECK(chmod(scratch.directory, 0755) == 0);
    CHECK(write_letters(scratch.file, FILE_WRITER_AUTO, 'a', 1, &err) == STATUS_OK);
    CHECK(chmod(scratch.file, 0444) == 0 && chmod(scratch.directory, 0777) == 0);
    in_child(open_protected, &scratch, "needs to be another user");
    scratch_remove(&scratch);
}

// With the default effect of SIGXFSZ.
static void pass_size_limit(enum file_writer_io io)
{
    struct scratch scratch;
    struct rlimit before, small;
    struct error err;
    scratch_make(&scratch);
    CHECK(write_letters(scratch.file, io, 'o', 100, &err) == STATUS_OK);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = 5 * MB + 1234;
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CHECK(write_letters(scratch.file, io, 'a', 5 * MB + 1234, &err) == STATUS_OK);
    CHECK(write_letters(scratch.file, io, 'b', 5 * MB + 1235, &err) == STATUS_IO);
    CHECK(strstr(err.text, scratch.file) && strstr(err.text, strerror(EFBIG)));
    CHECK(write_letters(scratch.file, io, 'b', 30 * MB, &err) == STATUS_IO);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(holds_letters(scratch.file, 'a', 5 * MB + 1234));
    CHECK(count_files(scratch.directory) == 1);
    scratch_remove(&scratch);
}

static void file_writer_survives_a_limit_on_sizes(void)
{
    for_each_io(pass_size_limit);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

// Makes this process root, if necessary in its own namespaces (`flags`, and one of users).
static bool become_root(int flags)
{
    char users[40], groups[40];
    snprintf(users, sizeof users, "0 %u 1", geteuid());
    snprintf(groups, sizeof groups, "0 %u 1", getegid());
    if (geteuid() == 0)
        return flags == 0 || unshare(flags) == 0;
    if (unshare(CLONE_NEWUSER | flags) != 0)
        return false;
    write_text("/proc/self/uid_map", users);
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/gid_map", groups);
    return geteuid() == 0;
}

static int fill_disk(struct scratch *scratch)
{
    struct error err;
    if (!become_root(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", scratch->directory, "tmpfs", 0, "size=4m") != 0)
        return CHILD_SKIPPED;
    if (write_letters(scratch->file, FILE_WRITER_AUTO, 'o', MB, &err) != STATUS_OK)
        return CHILD_FAILED;
    for (size_t i = 0; i < ARRAY_COUNT(ios); i++) {
        if (ios[i] == FILE_WRITER_URING && !has_uring())
            continue;
        if (write_letters(scratch->file, ios[i], 'a', 30 * MB, &err) != STATUS_IO ||
            !strstr(err.text, strerror(ENOSPC)) || !strstr(err.text, scratch->file))
            return CHILD_FAILED;
        // The failed file no longer takes space.
        if (write_letters(scratch->file, ios[i], 'o', 2 * MB, &err) != STATUS_OK)
            return CHILD_FAILED;
    }
    bool is_old = holds_letters(scratch->file, 'o', 2 * MB) && count_files(scratch->directory) == 1;
    return is_old ? CHILD_FINE : CHILD_FAILED;
}

static void file_writer_survives_a_full_disk(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    in_child(fill_disk, &scratch, "needs to mount a file system");
    scratch_remove(&scratch);
}

static void goes_on_after_failure(enum file_writer_io io)
{
    struct scratch scratch;
    struct file_writer *writer;
    struct map map;
    struct error err;
    struct rlimit before, small;
    scratch_make(&scratch);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = 100;
    CHECK(file_writer_open(&writer, FILE_WRITER_TARGET(scratch.file), io, &err) == STATUS_OK);
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    char *bytes = calloc(1, 20 * MB);
    file_writer_append(writer, bytes, 20 * MB);
    CHECK(file_writer_failed(writer) && file_writer_position(writer) == 20 * MB);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    file_writer_append(writer, bytes, 20 * MB);
    file_writer_patch(writer, 30 * MB, bytes, MB);
    free(bytes);
    CHECK(file_writer_position(writer) == 40 * MB);
    CHECK(file_writer_read_back(writer, &map, &err) == STATUS_IO);
    CHECK(file_writer_publish(writer, false, &err) == STATUS_IO);
    CHECK(strstr(err.text, strerror(EFBIG)));
    scratch_remove(&scratch);
}

static void file_writer_keeps_the_first_failure(void)
{
    for_each_io(goes_on_after_failure);
}

// --- Changes by others
// ----------------------------------------------------------------------------

static void file_writer_replaces_what_came_meanwhile(void)
{
    struct scratch scratch;
    struct file_writer *writer;
    struct error err;
    scratch_make(&scratch);
    CHECK(file_writer_open(&writer, FILE_WRITER_TARGET(scratch.file), FILE_WRITER_AUTO, &err) ==
          STATUS_OK);
    file_writer_append(writer, "n", 1);
    CHECK(write_letters(scratch.file, FILE_WRITER_PWRITE, 'o', 5, &err) == STATUS_OK);
    CHECK(file_writer_publish(writer, false, &err) == STATUS_OK);
    CHECK(holds_letters(scratch.file, 'n', 1) && count_files(scratch.directory) == 1);
    // A directory is not replaced.
    unlink(scratch.file);
    CHECK(file_writer_open(&writer, FILE_WRITER_TARGET(scratch.file), FILE_WRITER_AUTO, &err) ==
          STATUS_OK);
    CHECK(mkdir(scratch.file, 0700) == 0);
    CHECK(file_writer_publish(writer, false, &err) == STATUS_IO);
    CHECK(strstr(err.text, scratch.file) && count_files(scratch.directory) == 1);
    CHECK(rmdir(scratch.file) == 0);
    // A directory that was removed is not made again.
    CHECK(file_writer_open(&writer, FILE_WRITER_TARGET(scratch.file), FILE_WRITER_AUTO, &err) ==
          STATUS_OK);
    CHECK(rmdir(scratch.directory) == 0);
    CHECK(file_writer_publish(writer, false, &err) == STATUS_IO);
}

static void file_writer_abandoned_leaves_nothing(void)
{
    struct scratch scratch;
    struct file_writer *writer;
    struct error err;
    scratch_make(&scratch);
    char *bytes = calloc(1, 3 * MB);
    for (size_t i = 0; i < 2; i++) {
        CHECK(file_writer_open(&writer, FILE_WRITER_TARGET(scratch.file), FILE_WRITER_AUTO, &err) ==
              STATUS_OK);
        file_writer_append(writer, bytes, 3 * MB);
        file_writer_abandon(writer);
        CHECK(count_files(scratch.directory) == (int)i);
        CHECK(write_letters(scratch.file, FILE_WRITER_AUTO, 'o', 7, &err) == STATUS_OK);
    }
    file_writer_abandon(NULL);
    free(bytes);
    scratch_remove(&scratch);
}

static bool all_succeed(struct scratch *scratch, int writers)
{
    bool is_fine = true;
    for (int i = 0; i < writers; i++) {
        if (fork() != 0)
            continue;
        bool has_failed = false;
        for (int k = 0; k < 20; k++)
            has_failed |=
                write_letters(scratch->file, i % 2 ? FILE_WRITER_AUTO : FILE_WRITER_PWRITE,
                              (char)('a' + i), MB + 17, NULL) != STATUS_OK;
        _exit(has_failed);
    }
    for (int i = 0, status; i < writers; i++)
        is_fine &= wait(&status) > 0 && status == 0;
    return is_fine && holds_letters(scratch->file, 0, MB + 17) &&
           count_files(scratch->directory) == 1;
}

static void file_writers_at_once_all_succeed(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    fflush(NULL);
    CHECK(all_succeed(&scratch, 6));
    scratch_remove(&scratch);
}

// --- Kills and sweeping --------------------------------------------------------------------------

// A writer in the middle of its work, in a separate process.
static pid_t start_writer(const char *path)
{
    int ready[2];
    char byte;
    if (pipe(ready) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        struct file_writer *writer;
        char piece[10000] = "";
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ready[0]);
        if (file_writer_open(&writer, FILE_WRITER_TARGET(path), FILE_WRITER_AUTO, NULL) !=
            STATUS_OK)
            _exit(1);
        for (int i = 0; i < 400; i++)
            file_writer_append(writer, piece, sizeof piece);
        if (write(ready[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    bool is_ready = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    return is_ready ? child : -1;
}

static bool kill_writer(pid_t writer)
{
    int status;
    return writer > 0 && kill(writer, SIGKILL) == 0 && waitpid(writer, &status, 0) == writer;
}

static void killed_file_writer_leaves_nothing(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    fflush(NULL);
    CHECK(kill_writer(start_writer(scratch.file)));
    CHECK(write_letters(scratch.file, FILE_WRITER_AUTO, 'o', 7, NULL) == STATUS_OK);
    CHECK(kill_writer(start_writer(scratch.file)));
    CHECK(holds_letters(scratch.file, 'o', 7) && count_files(scratch.directory) == 1);
    scratch_remove(&scratch);
}

// Without /proc, an unnamed file cannot get a name, as on a file system without such files.
static bool go_where_files_need_names(const struct scratch *scratch)
{
    return become_root(0) && chroot(scratch->directory) == 0 && chdir("/") == 0;
}

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            return CHILD_FAILED;                                                                   \
        }                                                                                          \
    } while (0)

// The kernel completes the writes of a killed process a little later, and keeps the lock until
// then.
static bool opening_leaves(const char *path, int files)
{
    struct atomic_file atomic_file;
    for (int tries = 0; tries < 500; tries++) {
        if (!atomic_file_open(&atomic_file, path, O_RDWR, ATOMIC_FILE_KEEP_OWNER, -1))
            return false;
        atomic_file_drop(&atomic_file);
        if (count_files(".") == files)
            return true;
        usleep(10000);
    }
    return false;
}

static int sweep_named(struct scratch *scratch)
{
    struct error err;
    if (!go_where_files_need_names(scratch))
        return CHILD_SKIPPED;
    pid_t killed = start_writer("t.index"), alive = start_writer("t.index");
    pid_t other = start_writer("u.index");
    REQUIRE(count_files(".") == 3);
    REQUIRE(kill_writer(killed) && kill_writer(other));
    REQUIRE(count_files(".") == 3);
    // The next writer of the same file removes what the killed one left, and nothing else.
    REQUIRE(opening_leaves("t.index", 2) && opening_leaves("u.index", 1));
    REQUIRE(write_letters("u.index", FILE_WRITER_AUTO, 'u', 3 * MB, &err) == STATUS_OK);
    REQUIRE(holds_letters("u.index", 'u', 3 * MB) && count_files(".") == 2);
    REQUIRE(kill_writer(alive) && opening_leaves("t.index", 1));
    REQUIRE(write_letters("t.index", FILE_WRITER_AUTO, 't', 9, &err) == STATUS_OK);
    REQUIRE(write_letters("t.index", FILE_WRITER_AUTO, 't', 5, &err) == STATUS_OK);
    REQUIRE(holds_letters("t.index", 't', 5) && count_files(".") == 2);
    REQUIRE(unlink("u.index") == 0);
    return CHILD_FINE;
}

static void next_writer_sweeps_what_a_kill_left(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    in_child(sweep_named, &scratch, "needs chroot");
    scratch_remove(&scratch);
}

static int race_named(struct scratch *scratch)
{
    if (!go_where_files_need_names(scratch))
        return CHILD_SKIPPED;
    struct scratch here = {.directory = ".", .file = "t.index"};
    return all_succeed(&here, 6) ? CHILD_FINE : CHILD_FAILED;
}

static void named_file_writers_at_once_all_succeed(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    in_child(race_named, &scratch, "needs chroot");
    scratch_remove(&scratch);
}

static int exhaust_slots(struct scratch *scratch)
{
    struct atomic_file files[17];
    if (!go_where_files_need_names(scratch))
        return CHILD_SKIPPED;
    for (int i = 0; i < 16; i++)
        REQUIRE(atomic_file_open(&files[i], "t.index", O_RDWR, ATOMIC_FILE_KEEP_OWNER, -1));
    REQUIRE(!atomic_file_open(&files[16], "t.index", O_RDWR, ATOMIC_FILE_KEEP_OWNER, -1) &&
            errno == EBUSY);
    atomic_file_drop(&files[3]);
    REQUIRE(atomic_file_open(&files[3], "t.index", O_RDWR, ATOMIC_FILE_KEEP_OWNER, -1));
    // Only regular files are removed, and links are not followed.
    atomic_file_drop(&files[0]);
    char name[60];
    REQUIRE(files[1].temporary && strlen(files[1].temporary) < sizeof name);
    strcpy(name, files[1].temporary);
    atomic_file_drop(&files[1]);
    REQUIRE(symlink("nowhere", name) == 0);
    REQUIRE(atomic_file_open(&files[0], "t.index", O_RDWR, ATOMIC_FILE_KEEP_OWNER, -1));
    REQUIRE(!atomic_file_open(&files[1], "t.index", O_RDWR, ATOMIC_FILE_KEEP_OWNER, -1) &&
            errno == EBUSY);
    REQUIRE(unlink(name) == 0);
    for (int i = 0; i < 16; i++)
        atomic_file_drop(&files[i]);
    REQUIRE(count_files(".") == 0);
    return CHILD_FINE;
}

static void atomic_files_have_a_bounded_number_of_names(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    in_child(exhaust_slots, &scratch, "needs chroot");
    scratch_remove(&scratch);
}

static void atomic_file_has_sane_permissions(void)
{
    struct scratch scratch;
    struct stat now;
    scratch_make(&scratch);
    mode_t before = umask(027);
    CHECK(write_letters(scratch.file, FILE_WRITER_AUTO, 'a', 1, NULL) == STATUS_OK);
    CHECK(stat(scratch.file, &now) == 0 && (now.st_mode & 07777) == 0640);
    CHECK(chmod(scratch.file, 0664) == 0);
    bool is_given = chown(scratch.file, NOBODY, NOBODY) == 0;
    CHECK(write_letters(scratch.file, FILE_WRITER_AUTO, 'b', 1, NULL) == STATUS_OK);
    CHECK(stat(scratch.file, &now) == 0 && (now.st_mode & 07777) == 0664);
    CHECK(!is_given || (now.st_uid == NOBODY && now.st_gid == NOBODY));
    umask(before);
    scratch_remove(&scratch);
}

static void atomic_file_follows_symbolic_links(void)
{
    struct scratch scratch;
    char link[60], loop[60];
    struct stat now;
    struct error err;
    scratch_make(&scratch);
    snprintf(link, sizeof link, "%s/link", scratch.directory);
    snprintf(loop, sizeof loop, "%s/loop", scratch.directory);
    CHECK(symlink("./t.index", link) == 0 && symlink("loop", loop) == 0);
    for (size_t size = 1; size < 3; size++) {
        CHECK(write_letters(link, FILE_WRITER_AUTO, 'a', size, NULL) == STATUS_OK);
        CHECK(holds_letters(scratch.file, 'a', size));
        CHECK(lstat(link, &now) == 0 && S_ISLNK(now.st_mode));
    }
    CHECK(write_letters(loop, FILE_WRITER_AUTO, 'a', 1, &err) == STATUS_IO);
    CHECK(strstr(err.text, strerror(ELOOP)));
    CHECK(unlink(link) == 0 && unlink(loop) == 0);
    scratch_remove(&scratch);
}

// Runs as a user who may write to a file of root, but is not in its group.
static int take_over(struct scratch *scratch)
{
    struct atomic_file file;
    struct stat now;
    if (chown(scratch->file, 0, 0) != 0 || setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 ||
        setuid(NOBODY) != 0)
        return CHILD_SKIPPED;
    REQUIRE(!atomic_file_open(&file, scratch->file, O_RDWR, ATOMIC_FILE_KEEP_OWNER, -1) &&
            errno == EPERM);
    REQUIRE(write_letters(scratch->file, FILE_WRITER_AUTO, 'b', 1, NULL) == STATUS_OK);
    REQUIRE(stat(scratch->file, &now) == 0 && now.st_uid == NOBODY);
    REQUIRE((now.st_mode & 07777) == 0622 && holds_letters(scratch->file, 'b', 1));
    return CHILD_FINE;
}

static void file_writer_takes_a_file_over(void)
{
    struct scratch scratch;
    scratch_make(&scratch);
    CHECK(chmod(scratch.directory, 0777) == 0);
    CHECK(write_letters(scratch.file, FILE_WRITER_AUTO, 'a', 1, NULL) == STATUS_OK);
    CHECK(chmod(scratch.file, 0672) == 0);
    in_child(take_over, &scratch, "needs to be another user");
    CHECK(count_files(scratch.directory) == 1);
    scratch_remove(&scratch);
}

const struct test_case file_writer_tests[] = {
    {"file_writer_writes_what_it_gets", file_writer_writes_what_it_gets},
    {"file_writer_makes_an_empty_file", file_writer_makes_an_empty_file},
    {"write_ring_does_without_locked_memory", write_ring_does_without_locked_memory},
    {"file_writer_falls_back_to_pwrite", file_writer_falls_back_to_pwrite},
    {"file_writer_needs_no_threads", file_writer_needs_no_threads},
    {"file_writer_sets_up_a_ring_for_large_files", file_writer_sets_up_a_ring_for_large_files},
    {"file_writer_says_where_it_cannot_write", file_writer_says_where_it_cannot_write},
    {"file_writer_survives_a_limit_on_sizes", file_writer_survives_a_limit_on_sizes},
    {"file_writer_survives_a_full_disk", file_writer_survives_a_full_disk},
    {"file_writer_keeps_the_first_failure", file_writer_keeps_the_first_failure},
    {"file_writer_replaces_what_came_meanwhile", file_writer_replaces_what_came_meanwhile},
    {"file_writer_abandoned_leaves_nothing", file_writer_abandoned_leaves_nothing},
    {"file_writers_at_once_all_succeed", file_writers_at_once_all_succeed},
    {"killed_file_writer_leaves_nothing", killed_file_writer_leaves_nothing},
    {"next_writer_sweeps_what_a_kill_left", next_writer_sweeps_what_a_kill_left},
    {"named_file_writers_at_once_all_succeed", named_file_writers_at_once_all_succeed},
    {"atomic_files_have_a_bounded_number_of_names", atomic_files_have_a_bounded_number_of_names},
    {"atomic_file_has_sane_permissions", atomic_file_has_sane_permissions},
    {"atomic_file_follows_symbolic_links", atomic_file_follows_symbolic_links},
    {"file_writer_takes_a_file_over", file_writer_takes_a_file_over},
    {NULL, NULL},
};
