// A file mapped for reading, which may be cut or replaced by somebody else while we read it.
//
// Touching a page beyond a file's new end raises SIGBUS. A program (never a library) that calls
// `map_guard_install` gets a zero page there instead, and the mapping is marked: whoever used its
// bytes asks `map_is_intact` before the results count. A file that is read twice may read
// differently the second time: what was counted at first is no bound of what comes then.
#ifndef TRAWL_BASE_MAP_H
#define TRAWL_BASE_MAP_H

#include "base/error.h"

struct map {
    const char *data;    // NULL for an empty file
    uint64_t size_bytes; // that are shown
    uint64_t file_bytes; // of the file when it was opened
    int guard_slot;      // -1 without
    int fd;
    uint64_t mtime_ns;
};

// Maps the regular file behind `fd`, which the map then owns, also on failure. `path` is for
// messages. STATUS_LIMIT: more files are mapped than can be guarded.
enum status map_open(struct map *map, int fd, const char *path, struct error *err);

// The same with the file read into memory, for bytes that are checked once and then relied on.
enum status map_open_copy(struct map *map, int fd, const char *path, struct error *err);

// False when the file was cut, grew or was written to since it was opened.
bool map_is_intact(const struct map *map);

// What became of the file since it was opened, as far as its size and its time tell.
enum map_change {
    MAP_SAME,
    MAP_GROWN,   // longer: what was there may be the same still
    MAP_CHANGED, // cut, or written to at the same length
};

enum map_change map_change_of(const struct map *map);

// Maps all that a file has that has grown, which it then shows. *is_intact: it was not cut, nor
// written to before its end, as far as its size and its time tell.
enum status map_grow(struct map *map, const char *path, bool *is_intact, struct error *err);

// Shows only the first bytes of the file from now on.
void map_cut(struct map *map, uint64_t size_bytes);

// Says that the bytes from `from` up to `to` were read and will not be used soon, as far as whole
// steps of some megabytes of that are over. Returns where the next step begins, to be `from` then.
uint64_t map_leave(const struct map *map, uint64_t from, uint64_t to);

void map_close(struct map *map);

// Installs the SIGBUS handler, once in a program's life. Faults outside of maps stay fatal.
void map_guard_install(void);

#endif
