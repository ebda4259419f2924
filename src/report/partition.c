// Until it is complete, a partition is named .trawl-HASH-N.tmp, with a hash of its name, and its
// files part-0.tmp: readers ignore both. Its writer holds a lock on the directory as long as it
// runs, so that the next writer of the same partition can remove what a killed one left.

#include "report/parquet.h"

#include "base/characters.h"
#include "base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <xxhash.h>

#define SLOTS 64                      // the most concurrent writers of one partition
#define TAIL_BYTES ((size_t)64 << 10) // the part at the end of a file that has its keys
#define HASH_DIGITS 16
#define PATH_BYTES (PARTITION_NAME_BYTES + 16)
#define EXCHANGE 2u // the kernel's RENAME_EXCHANGE
#define OPEN_TRIES 16

static const char unfinished[] = "part-0.tmp", finished[] = "part-0.parquet";

// --- Names ---------------------------------------------------------------------------------------

static size_t escape(char *at, unsigned char byte)
{
    static const char digits[] = "0123456789ABCDEF";
    if (byte >= 0x80 || is_alphanumeric((char)byte) || strchr("-+,@._", byte)) {
        *at = (char)byte;
        return 1;
    }
    at[0] = '%';
    at[1] = digits[byte >> 4];
    at[2] = digits[byte & 15];
    return 3;
}

// Escapes as many whole characters of an inert text as there is room for. Returns whether that is
// all.
static bool escape_text(char *at, size_t room, const char *name)
{
    while (*name) {
        unsigned length = utf8_character(name, strlen(name));
        char escaped[8];
        size_t bytes = 0;
        for (unsigned i = 0; i < (length ? length : 1); i++)
            bytes += escape(escaped + bytes, (unsigned char)name[i]);
        if (bytes >= room) {
            *at = '\0';
            return false;
        }
        memcpy(at, escaped, bytes);
        at += bytes;
        room -= bytes;
        name += length ? length : 1;
    }
    *at = '\0';
    return true;
}

void partition_name(char text[PARTITION_NAME_BYTES], const char *key, const char *name)
{
    // Readers have a word for no name, but if all partitions have it, they cannot tell the column's
    // type.
    static const char none[] = "-", none_of_readers[] = "__HIVE_DEFAULT_PARTITION__";
    char inert[PARTITION_NAME_BYTES];
    size_t used = (size_t)snprintf(text, PARTITION_NAME_BYTES, "%s=", key);
    size_t length = name ? strlen(name) : 0;
    if (!length) {
        memcpy(text + used, none, sizeof none);
        return;
    }
    size_t kept = length < sizeof inert ? length : sizeof inert - 1;
    memcpy(inert, name, kept);
    inert[kept] = '\0';
    utf8_make_inert(inert, kept);
    bool is_same = kept == length && memcmp(inert, name, length) == 0 && strcmp(name, none) != 0 &&
                   strcmp(name, none_of_readers) != 0;
    size_t room = PARTITION_NAME_BYTES - used - HASH_DIGITS - 1;
    if (escape_text(text + used, room, inert) && is_same)
        return;
    used = strlen(text);
    snprintf(text + used, PARTITION_NAME_BYTES - used, "~%016" PRIx64, XXH3_64bits(name, length));
}

// --- What is there already -----------------------------------------------------------------------

// Finds the value of a key among those at the end of a file: a struct of two texts. False: there is
// none.
static bool find_value(const char *tail, size_t length, const char *key, const char **value,
                       size_t *value_bytes)
{
    char head[64];
    int head_bytes = snprintf(head, sizeof head, "\x18%c%s\x18", (int)strlen(key), key);
    const char *at = memmem(tail, length, head, (size_t)head_bytes), *end = tail + length;
    uint64_t bytes = 0;
    if (!at)
        return false;
    at += head_bytes;
    for (unsigned shift = 0; at < end && shift < 28; shift += 7) {
        unsigned char byte = (unsigned char)*at++;
        bytes |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = at;
            *value_bytes = (size_t)bytes;
            return bytes <= (uint64_t)(end - at);
        }
    }
    return false;
}

static bool is_text(const char *value, size_t value_bytes, const char *text)
{
    return strlen(text) == value_bytes && memcmp(value, text, value_bytes) == 0;
}

static enum status refuse(const struct partition *partition, const char *why, struct error *err)
{
    return error_set(err, STATUS_INPUT, "%s/%s: %s", partition->directory, partition->name, why);
}

static enum status judge_tail(const struct partition *partition, const char *tail, size_t length,
                              struct error *err)
{
    const char *value;
    size_t bytes;
    if (!find_value(tail, length, PARTITION_TABLE_KEY, &value, &bytes))
        return refuse(partition, "was not written by trawl, and is not replaced", err);
    if (!is_text(value, bytes, partition->table))
        return refuse(partition, "contains another table: each table needs its own directory", err);
    if (!*partition->owner || !find_value(tail, length, PARTITION_OWNER_KEY, &value, &bytes) ||
        !bytes || is_text(value, bytes, partition->owner))
        return STATUS_OK;
    return error_set(err, STATUS_INPUT,
                     "%s/%s: is of another trace with this name, %.*s: give each its own "
                     "--partition NAME",
                     partition->directory, partition->name, (int)bytes, value);
}

static enum status judge_file(const struct partition *partition, int file, struct error *err)
{
    struct stat about;
    char *tail = malloc(TAIL_BYTES);
    enum status status = STATUS_OK;
    if (!tail)
        return error_set(err, STATUS_MEMORY, "no memory");
    off_t from = fstat(file, &about) == 0 && about.st_size > (off_t)TAIL_BYTES
                     ? about.st_size - (off_t)TAIL_BYTES
                     : 0;
    ssize_t length = pread(file, tail, TAIL_BYTES, from);
    if (length < 0)
        status = error_set_errno(err, partition->name, "read");
    else
        status = judge_tail(partition, tail, (size_t)length, err);
    free(tail);
    return status;
}

// Judges by the first part found; an empty directory belongs to nobody.
static enum status judge_directory(const struct partition *partition, DIR *listing,
                                   struct error *err)
{
    const struct dirent *entry;
    while ((entry = readdir(listing))) {
        char path[PATH_BYTES];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", entry->d_name, finished);
        int file = openat(dirfd(listing), path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file < 0)
            return refuse(partition, "was not written by trawl, and is not replaced", err);
        enum status status = judge_file(partition, file, err);
        close(file);
        return status;
    }
    return STATUS_OK;
}

// Whether an existing partition of that name may be replaced; also if there is none.
static enum status judge(const struct partition *partition, struct error *err)
{
    int fd =
        openat(partition->around, partition->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return STATUS_OK;
    if (fd < 0)
        return error_set_errno(err, partition->name, "open the directory");
    DIR *listing = fdopendir(fd);
    if (!listing) {
        close(fd);
        return error_set(err, STATUS_MEMORY, "no memory");
    }
    enum status status = judge_directory(partition, listing, err);
    closedir(listing);
    return status;
}

// --- Taking away ---------------------------------------------------------------------------------

static DIR *list_directory(int directory)
{
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    if (!listing && copy >= 0)
        close(copy);
    return listing;
}

// Removes the files that we write, in the directories of parts. Other files stay, with the
// directories around them.
static void remove_parts(DIR *listing)
{
    int inside = dirfd(listing);
    const struct dirent *entry;
    rewinddir(listing);
    while ((entry = readdir(listing))) {
        char path[PATH_BYTES];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", entry->d_name, unfinished);
        unlinkat(inside, path, 0);
        snprintf(path, sizeof path, "%s/%s", entry->d_name, finished);
        unlinkat(inside, path, 0);
        unlinkat(inside, entry->d_name, AT_REMOVEDIR);
    }
}

// Locks a directory. False: its writer still runs.
static bool lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static bool is_named(int around, const char *name, int fd)
{
    struct stat open_one, named;
    return fstat(fd, &open_one) == 0 && fstatat(around, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

// Waits for a process that has just published the directory or is removing it. True also if the
// file system has no locks.
static bool wait_for_lock(int fd)
{
    while (flock(fd, LOCK_EX) != 0) {
        if (errno != EINTR)
            break;
    }
    return true;
}

// Removes the directory of that name, once it is locked. Until it is locked, another directory may
// get the name; afterwards none can, because only the holder of the lock removes or renames it.
static void remove_partition(int around, const char *name, bool (*take_lock)(int fd))
{
    int inside = openat(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inside < 0)
        return;
    bool is_ours = take_lock(inside);
    DIR *listing = is_ours && is_named(around, name, inside) ? list_directory(inside) : NULL;
    if (listing) {
        remove_parts(listing);
        closedir(listing);
        unlinkat(around, name, AT_REMOVEDIR);
    }
    close(inside);
}

static void close_all(struct partition *partition)
{
    if (partition->listing)
        closedir(partition->listing);
    partition->listing = NULL;
    if (partition->inside >= 0)
        close(partition->inside);
    if (partition->around >= 0)
        close(partition->around);
    partition->inside = partition->around = -1;
}

// --- Making --------------------------------------------------------------------------------------

static void name_slot(struct partition *partition, int slot)
{
    snprintf(partition->temporary, sizeof partition->temporary, ".trawl-%016" PRIx64 "-%d.tmp",
             XXH3_64bits(partition->name, strlen(partition->name)), slot);
}

static bool take_slot(struct partition *partition, int slot)
{
    name_slot(partition, slot);
    if (mkdirat(partition->around, partition->temporary, 0777) != 0)
        return false;
    partition->inside = openat(partition->around, partition->temporary,
                               O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (partition->inside >= 0 && (lock(partition->inside) || errno != EWOULDBLOCK) &&
        is_named(partition->around, partition->temporary,
                 partition->inside)) // no other process has removed it meanwhile
        return true;
    if (partition->inside >= 0)
        close(partition->inside);
    partition->inside = -1;
    errno = EEXIST;
    return false;
}

static enum status make(struct partition *partition, struct error *err)
{
    for (int slot = 0; slot < SLOTS; slot++) { // what killed writers left; nothing without locks
        name_slot(partition, slot);
        remove_partition(partition->around, partition->temporary, lock);
    }
    for (int slot = 0; slot < SLOTS; slot++) {
        if (take_slot(partition, slot))
            return STATUS_OK;
        bool is_gone = errno == ENOENT;
        if (errno != EEXIST) {
            error_set_errno(err, partition->directory, "cannot make a directory in it");
            return is_gone ? STATUS_NOT_FOUND : STATUS_IO;
        }
    }
    return error_set(err, STATUS_IO, "%s/%s: too many processes are writing it",
                     partition->directory, partition->name);
}

// STATUS_NOT_FOUND: another process, which had made the directory and failed, has removed it
// meanwhile.
static enum status open_around(struct partition *partition, struct error *err)
{
    const char *directory = partition->directory;
    partition->made_around = mkdir(directory, 0777) == 0;
    if (!partition->made_around && errno != EEXIST)
        return error_set_errno(err, directory, "make the directory");
    partition->around = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (partition->around < 0) {
        bool is_gone = errno == ENOENT;
        error_set_errno(err, directory, "open the directory");
        return is_gone ? STATUS_NOT_FOUND : STATUS_IO;
    }
    enum status status = judge(partition, err);
    if (status == STATUS_OK)
        status = make(partition, err);
    if (status == STATUS_OK && !(partition->listing = list_directory(partition->inside)))
        status = error_set_errno(err, directory, "list a directory in it");
    if (status == STATUS_NOT_FOUND)
        close_all(partition);
    return status;
}

enum status partition_open(struct partition *partition, const char *directory, const char *name,
                           const char *table, const char *owner, struct error *err)
{
    *partition = (struct partition){
        .directory = directory, .table = table, .owner = owner, .around = -1, .inside = -1};
    snprintf(partition->name, sizeof partition->name, "%s", name);
    enum status status;
    int tries = OPEN_TRIES;
    do
        status = open_around(partition, err);
    while (status == STATUS_NOT_FOUND && --tries);
    if (status != STATUS_OK)
        partition_abandon(partition);
    return status == STATUS_NOT_FOUND ? STATUS_IO : status;
}

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

static enum status fail(const struct partition *partition, const char *part, const char *action,
                        struct error *err)
{
    char path[2 * PARTITION_NAME_BYTES];
    snprintf(path, sizeof path, "%s/%s", partition->name, part);
    return error_set_errno(err, path, action);
}

enum status partition_append(struct partition *partition, const char *part, bool is_new,
                             const void *bytes, size_t length, struct error *err)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", part, unfinished);
    if (is_new && mkdirat(partition->inside, part, 0777) != 0)
        return fail(partition, part, "make the directory", err);
    int file = openat(
        partition->inside, path,
        O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | (is_new ? O_CREAT | O_EXCL : 0), 0666);
    if (file < 0)
        return fail(partition, part, "open for writing", err);
    bool is_written = write_all(file, bytes, length);
    int error_number = errno;
    if (close(file) != 0 && is_written) { // a network file system may report a full disk here
        is_written = false;
        error_number = errno;
    }
    errno = error_number;
    return is_written ? STATUS_OK : fail(partition, part, "write", err);
}

enum status partition_finish(struct partition *partition, const char *part, struct error *err)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    snprintf(from, sizeof from, "%s/%s", part, unfinished);
    snprintf(to, sizeof to, "%s/%s", part, finished);
    if (renameat(partition->inside, from, partition->inside, to) != 0)
        return fail(partition, part, "rename", err);
    return STATUS_OK;
}

// --- Giving it its name --------------------------------------------------------------------------

// Moves the older one to an unused name, and the new one to its place.
static bool exchange_in_steps(struct partition *partition)
{
    char temporary[sizeof partition->temporary];
    memcpy(temporary, partition->temporary, sizeof temporary);
    for (int slot = 0; slot < SLOTS; slot++) {
        name_slot(partition, slot);
        if (strcmp(partition->temporary, temporary) == 0)
            continue;
        if (renameat(partition->around, partition->name, partition->around, partition->temporary) ==
            0) {
            if (renameat(partition->around, temporary, partition->around, partition->name) == 0)
                return true;
            int error_number = errno;
            renameat(partition->around, partition->temporary, partition->around, partition->name);
            errno = error_number;
            break;
        }
        if (errno != EEXIST && errno != ENOTEMPTY)
            break;
    }
    memcpy(partition->temporary, temporary, sizeof temporary);
    return false;
}

// A plain rename does not replace a directory that is not empty.
static bool replace(struct partition *partition)
{
    if (renameat(partition->around, partition->temporary, partition->around, partition->name) == 0)
        return true;
    return (errno == EEXIST || errno == ENOTEMPTY) &&
           (syscall(SYS_renameat2, partition->around, partition->temporary, partition->around,
                    partition->name, EXCHANGE) == 0 ||
            exchange_in_steps(partition));
}

enum status partition_publish(struct partition *partition, struct error *err)
{
    enum status status = judge(partition, err);
    if (status == STATUS_OK && !replace(partition))
        status = error_set_errno(err, partition->name, "rename");
    if (status != STATUS_OK) {
        partition_abandon(partition);
        return status;
    }
    close(partition->inside); // also releases the lock, for which a process that replaces this may
                              // wait
    partition->inside = -1;
    remove_partition(partition->around, partition->temporary,
                     wait_for_lock); // the older one, if there was one
    close_all(partition);
    partition->made_around = false;
    return STATUS_OK;
}

void partition_abandon(struct partition *partition)
{
    if (partition->listing)
        remove_parts(partition->listing);
    if (partition->inside >= 0)
        unlinkat(partition->around, partition->temporary, AT_REMOVEDIR);
    close_all(partition);
    if (partition->made_around)
        rmdir(partition->directory);
    partition->made_around = false;
}
