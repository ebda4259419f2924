// A file mapped for reading, which others may truncate or replace while we read it.
//
// Access to a page after the new end of a truncated file raises SIGBUS. In a program (never in a
// library) that calls `map_guard_install`, the page becomes zero instead, and the mapping is
// marked: code that used its bytes must call `map_is_intact` before it accepts the results. A file
// may have changed when it is read a second time, so counts from the first time are no bounds for
// the second.
#ifndef TRAWL_BASE_MAP_H
#define TRAWL_BASE_MAP_H

#include "base/error.h"

struct map {
    const char *data;    // NULL for an empty file
    uint64_t size_bytes; // the part that is shown
    uint64_t file_bytes; // when it was opened
    int guard_slot;      // -1: none
    int fd;
    uint64_t mtime_ns;
};

// Maps the regular file behind `fd`, which the map then owns, also on failure. `path` is for
// messages. STATUS_LIMIT: more files are mapped than can be guarded.
enum status map_open(struct map *map, int fd, const char *path, struct error *err);

// The same with the file read into memory, for bytes that are checked once and then relied on.
enum status map_open_copy(struct map *map, int fd, const char *path, struct error *err);

// False if the file was truncated, has grown or was written to since it was opened.
bool map_is_intact(const struct map *map);

// How the file has changed since it was opened, according to its size and time.
enum map_change {
    MAP_SAME,
    MAP_GROWN,   // longer; the previous contents may be unchanged
    MAP_CHANGED, // truncated, or written to without growing
};

enum map_change map_change_of(const struct map *map);

// Maps and shows everything in a file that has grown. *is_intact: according to size and time, it
// was neither truncated nor written to before its old end.
enum status map_grow(struct map *map, const char *path, bool *is_intact, struct error *err);

// Shows only the first `size_bytes` of the file from now on.
void map_cut(struct map *map, uint64_t size_bytes);

// Releases the memory of the bytes from `from` to `to`, which will not be used soon, in whole steps
// of some megabytes. Returns where the next step begins, to be passed as `from` next time.
uint64_t map_leave(const struct map *map, uint64_t from, uint64_t to);

void map_close(struct map *map);

// Installs the SIGBUS handler, once in a program's life. Faults outside of maps stay fatal.
void map_guard_install(void);

#endif
