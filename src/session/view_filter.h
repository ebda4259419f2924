// The filter of a session, by its view: which lane it names, and which events it selects.
#ifndef TRAWL_SESSION_VIEW_FILTER_H
#define TRAWL_SESSION_VIEW_FILTER_H

#include "session/session.h"

// The lane with the filter's name; TRAWL_ANY_LANE without a filter. STATUS_NOT_FOUND: none.
enum status session_find_lane(const struct session *session, uint64_t *lane, struct error *err);

// Whether an event of the lane (or of any) is in the filter's range. STATUS_NOT_FOUND: none; the
// error says what there is.
enum status session_find_range(const struct session *session, uint64_t lane, struct error *err);

// Bounds for the events of the trace whose numbers in the lane (or in any) are in the range: all
// are in [*first, *last].
enum status session_event_bounds(const struct session *session, uint64_t lane, uint64_t *first,
                                 uint64_t *last, struct error *err);

#endif
