// The callers of calls in an indexed trace: through functions that replaced each other, through
// consecutive exceptions, and through task switches, which end calls that continue as other calls
// (trawl_call.began).
#ifndef TRAWL_ANALYSIS_CALL_SITE_H
#define TRAWL_ANALYSIS_CALL_SITE_H

#include "analysis/index_view.h"

// The call that `call` was made in, as it stood last. STATUS_NOT_FOUND: there is none, as it is
// outside of every call, or begins its task.
enum status call_around(const struct index_view *view, uint64_t lane, const struct trawl_call *call,
                        struct trawl_call *around, struct error *err);

// The call that `call` took the place of by a branch, and so on back to the one that was called, or
// to `last` (NULL for none), which is not gone past: who called that is where all of them return
// to. It was called by the event before first->began. STATUS_NOT_FOUND: nobody called it, as the
// trace or a task begins in it.
enum status call_first_in_place(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *call, const struct trawl_call *last,
                                struct trawl_call *first, struct error *err);

// The last instruction that what an exception interrupted executed itself. Before the exception
// may stand other ones that returned without an instruction after them (tail-chaining), and other
// tasks. STATUS_NOT_FOUND: it has executed none.
enum status call_interrupted_site(const struct index_view *view, uint64_t lane,
                                  const struct trawl_call *exception, struct trawl_event *site,
                                  struct error *err);

#endif
