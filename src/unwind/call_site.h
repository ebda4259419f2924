// The callers of calls in an indexed trace: through functions that replaced each other, through
// consecutive exceptions, and through task switches, which end calls that continue as other calls
// (trawl_call.began).
#ifndef TRAWL_UNWIND_CALL_SITE_H
#define TRAWL_UNWIND_CALL_SITE_H

#include "trace/index_view.h"

// The call in which `call` was made, in its latest part. STATUS_NOT_FOUND: none, because `call` is
// outside of all calls or begins its task.
enum status call_around(const struct index_view *view, uint64_t lane, const struct trawl_call *call,
                        struct trawl_call *around, struct error *err);

// Follows tail calls back: from `call` to the call that it replaced by a branch, and so on up to
// the one that was really called, or up to `last` (NULL: no limit). All of them return to the
// caller of that one, which was called by the event before first->began. STATUS_NOT_FOUND: nobody
// called it, because the trace or a task begins in it.
enum status call_first_in_place(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *call, const struct trawl_call *last,
                                struct trawl_call *first, struct error *err);

// Whether nobody called a first call because it took the place of the function in which the lane
// begins, which has no frame any more.
static inline bool call_replaces_root(const struct trawl_call *first)
{
    return first->began &&
           (first->how & (TRAWL_CALL_TAIL_ENTRY | TRAWL_CALL_TASK)) == TRAWL_CALL_TAIL_ENTRY;
}

// Where the code that an exception interrupted goes on, without code bit (interrupted.c): the
// return address that the machine recorded (arch.exception_returns), otherwise the place where the
// interrupted task of the lane continues. STATUS_NOT_FOUND: the trace ends before that.
enum status interrupted_at(const struct index_view *view, uint64_t lane,
                           const struct trawl_call *exception, uint64_t *pc, struct error *err);

// The same, always by the return address that the machine recorded.
enum status interrupted_kept_at(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *exception, uint64_t *pc,
                                struct error *err);

// The event of the lane with which the task that an exception interrupted continues: after the
// exception, further exceptions without an instruction between them, and other tasks that ran
// first. STATUS_NOT_FOUND: as above.
enum status interrupted_continues(const struct index_view *view, uint64_t lane,
                                  const struct trawl_call *exception, uint64_t *at,
                                  struct error *err);

// The same as interrupted_at, always by where it continues, with the program that it is of.
enum status interrupted_continues_at(const struct index_view *view, uint64_t lane,
                                     const struct trawl_call *exception, uint64_t *pc,
                                     struct error *err);

// The last instruction that the code interrupted by an exception executed itself, or the code from
// which control came to a call. Exceptions that returned without an instruction after them
// (tail-chaining) and other tasks may lie between. STATUS_NOT_FOUND: it has executed none.
enum status call_interrupted_site(const struct index_view *view, uint64_t lane,
                                  const struct trawl_call *exception, struct trawl_event *site,
                                  struct error *err);

// Moves `site`, which call_interrupted_site found, to where the interrupted function goes on;
// otherwise at least into that function, if a return came before the exception. `around` is the
// call that was interrupted; NULL: code outside of calls. STATUS_OK also if nothing shows it.
enum status call_move_to_resume(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *exception, const struct trawl_call *around,
                                struct trawl_event *site, struct error *err);

// The event that made a call: the one before it, or, if exceptions came between the call and its
// target, the last one of the code that they interrupted. Without TRAWL_HAS_INSTRUCTION, as in
// call_site: nothing shows from where.
enum status call_made_site(const struct index_view *view, uint64_t lane,
                           const struct trawl_call *call, struct trawl_event *site,
                           struct error *err);

// The event that made a call, with the place of its caller in site->pc; for an exception, the last
// one that the interrupted code executed, with where this goes on. `around` as above. Without
// TRAWL_HAS_INSTRUCTION, nothing shows that place.
enum status call_site(const struct index_view *view, uint64_t lane, const struct trawl_call *first,
                      const struct trawl_call *around, struct trawl_event *site, struct error *err);

// At an event without an instruction, control is at the one before it: that one's PC.
enum status call_find_place(const struct index_view *view, uint64_t lane, struct trawl_event *site,
                            struct error *err);

#endif
