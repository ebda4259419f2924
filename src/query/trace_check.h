// Whether a trace is still the one that its index was made from, down to the last byte: comparing
// only its fingerprint misses changes between the sampled pages.
#ifndef TRAWL_QUERY_TRACE_CHECK_H
#define TRAWL_QUERY_TRACE_CHECK_H

#include "trace/index_view.h"

// Reads the whole trace, which is the files at `paths`, and compares its blocks with the hashes in
// the index. STATUS_INPUT: it differs; the message says in which bytes. `index_path` is for
// messages.
enum status trace_check(const struct index_view *view, const char *index_path,
                        const char *const *paths, size_t count, struct error *err);

#endif
