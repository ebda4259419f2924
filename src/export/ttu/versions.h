// The known registers and memory after each event: goes over the events of a trace, in order, and
// writes a version of the memory tree for each event that changes something.
#ifndef TRAWL_EXPORT_TTU_VERSIONS_H
#define TRAWL_EXPORT_TTU_VERSIONS_H

#include "export/ttu/contents.h"
#include "export/ttu/items.h"
#include "export/ttu/learned.h"
#include "export/ttu/shown.h"
#include "export/ttu/windows.h"
#include "flow/segment.h"

struct ttu_versions {
    struct ttu_stream stream;
    struct ttu_items items;
    struct ttu_contents contents;
    struct ttu_learned learned;
    struct ttu_shown shown;
    bool big_endian;
    uint64_t header_lines; // before the first event
    uint64_t root;         // of the last version
    uint64_t count;
    bool has_state; // the instruction-set state after the previous event is known
    uint64_t state;
};

// Receives the root of each event.
struct ttu_root_sink {
    void *self;
    void (*add)(void *self, uint64_t root);
};

// Begins at `offset` of the file. False: no memory.
bool ttu_versions_begin(struct ttu_versions *versions, struct ttu_file *file, uint64_t offset,
                        bool big_endian);
void ttu_versions_free(struct ttu_versions *versions);

// Processes the next segment. *line: on failure, the line of the event at which there was no memory
// (STATUS_MEMORY) or the tree became too deep (STATUS_LIMIT).
enum status ttu_versions_take(struct ttu_versions *versions, const struct segment *segment,
                              const struct ttu_windows *windows, const struct ttu_root_sink *sink,
                              uint64_t *line);

// Writes what is only known at the end, and ends the stream. False: no memory.
bool ttu_versions_end(struct ttu_versions *versions);

#endif
