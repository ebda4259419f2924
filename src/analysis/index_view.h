// An index opened for queries, with what all queries need.
#ifndef TRAWL_ANALYSIS_INDEX_VIEW_H
#define TRAWL_ANALYSIS_INDEX_VIEW_H

#include "base/error.h"
#include "base/file_stamp.h"
#include "flow/reading.h"
#include "idx/errors.h"

// Fields are for reading.
struct index_view {
    struct trawl_index *index;
    struct trawl_info info;
    struct trawl_lane *lanes; // info.lanes of them
};

// Opens the index at `path`. On failure nothing is left open.
enum status index_view_open(struct index_view *view, const char *path, enum reading reading,
                            struct error *err);

// The same of an index that is open; it is the view's from now on, also on failure.
enum status index_view_adopt(struct index_view *view, struct trawl_index *index,
                             enum reading reading, struct error *err);

// The same of an index in the open file `fd`, which stays the caller's. `name` is for messages.
enum status index_view_open_file(struct index_view *view, int fd, const char *name,
                                 enum reading reading, struct error *err);
// The same index once more, for another thread: an open index is used by one at a time. `of` must
// stay open as long.
enum status index_view_open_again(struct index_view *view, const struct index_view *of,
                                  struct error *err);
void index_view_close(struct index_view *view);

// False when the file was cut or written to since it was opened: what was answered does not count.
bool index_view_is_intact(const struct trawl_index *index);

// Which file is read, as it is now; all zero: none, but bytes.
struct file_stamp index_view_stamp(const struct index_view *view);

// What an event is; and the event that is number `in_lane` of a lane.
enum status index_view_event(const struct index_view *view, uint64_t event,
                             struct trawl_event *about, struct error *err);
enum status index_view_event_of_lane(const struct index_view *view, uint64_t lane, uint64_t in_lane,
                                     struct trawl_event *about, struct error *err);

// An answer that does not lead on would be asked for again without end: the index is damaged.
enum trawl_status index_view_no_progress(struct trawl_error *err);

// Whether its events are snapshots, which show what they hold and nothing of those before.
bool index_view_has_snapshots(const struct index_view *view);

// The lane called `name`, TRAWL_NONE if there is none.
uint64_t index_view_lane_named(const struct index_view *view, const char *name);

#endif
