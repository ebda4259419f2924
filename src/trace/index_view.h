// An index opened for queries, with what all queries need.
#ifndef TRAWL_TRACE_INDEX_VIEW_H
#define TRAWL_TRACE_INDEX_VIEW_H

#include "arch/arch.h"
#include "base/error.h"
#include "base/file_stamp.h"
#include "flow/reading.h"
#include "idx/caller.h"

struct image_memory;

// Fields are for reading.
struct index_view {
    struct trawl_index *index;
    struct trawl_info info;
    struct trawl_lane *lanes; // info.lanes of them
    const struct arch *arch;  // of its machine; arch_unknown if it says nothing
    uint32_t isa; // for names of registers where no instruction tells: that with 64 bits, if it was
                  // ever executed
    const struct image_memory *images; // what the trace does not show; NULL: nothing
};

// Opens the index at `path`. On failure nothing stays open.
enum status index_view_open(struct index_view *view, const char *path, enum reading reading,
                            struct error *err);

// The same for an open index, which from now on belongs to the view, also on failure.
enum status index_view_adopt(struct index_view *view, struct trawl_index *index,
                             enum reading reading, struct error *err);

// The same for an index in the open file `fd`, which still belongs to the caller. `name` is for
// messages.
enum status index_view_open_file(struct index_view *view, int fd, const char *name,
                                 enum reading reading, struct error *err);
// Opens the same index again, for another thread: only one thread at a time can use an open index.
// `of` must stay open as long.
enum status index_view_open_again(struct index_view *view, const struct index_view *of,
                                  struct error *err);
void index_view_close(struct index_view *view);

// False: the file was truncated or written to since it was opened, so answers are invalid.
bool index_view_is_intact(const struct trawl_index *index);

// The identity of the file that is read, as it is now; all zero: the index is in memory.
struct file_stamp index_view_stamp(const struct index_view *view);

// The open file of an index that has no name, which can be opened again as long as the view is
// open; -1: it has one, or is only in memory.
int index_view_unnamed(const struct index_view *view);

// Describes an event; or event number `in_lane` of a lane.
enum status index_view_event(const struct index_view *view, uint64_t event,
                             struct trawl_event *about, struct error *err);
enum status index_view_event_of_lane(const struct index_view *view, uint64_t lane, uint64_t in_lane,
                                     struct trawl_event *about, struct error *err);

// Gives an event without an instruction the PC of the one that it belongs to
// (trawl_instruction_of); *has_pc: there is one.
enum status index_view_origin(const struct index_view *view, struct trawl_event *about,
                              bool *has_pc, struct error *err);

// The earliest time of the first event of any lane; UINT64_MAX: there is none.
uint64_t index_view_first_time(const struct index_view *view);

// The contents of memory, as trawl_memory has them. Bytes that the trace neither shows at the point
// nor stores to at any time, and that an image has, are known with IMAGE_MEMORY_KNOWN.
enum trawl_status index_view_memory(const struct index_view *view, uint64_t event, uint64_t address,
                                    size_t size_bytes, uint8_t *values, uint8_t *known,
                                    struct trawl_error *err);

// Reports damage: an answer makes no progress, so asking again would never end.
enum trawl_status index_view_no_progress(struct trawl_error *err);

// Whether its events are snapshots, which contain only what was collected at that point.
bool index_view_has_snapshots(const struct index_view *view);

// The lane called `name`, TRAWL_NONE if there is none.
uint64_t index_view_lane_named(const struct index_view *view, const char *name);

#endif
