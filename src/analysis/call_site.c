#include "analysis/call_site.h"

enum status call_first_in_place(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *call, uint64_t last,
                                struct trawl_call *first, struct error *err)
{
    *first = *call;
    while (first->how & TRAWL_CALL_TAIL_ENTRY && first->entry > 0) {
        struct trawl_call before;
        struct trawl_error from;
        enum trawl_status status =
            trawl_call_at(view->index, lane, first->entry - 1, &before, &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, err);
        if (before.call == last)
            break;
        if (before.entry >= first->entry)
            return index_status(index_view_no_progress(&from), &from, err);
        *first = before;
    }
    return first->entry > 0 ? STATUS_OK : error_set(err, STATUS_NOT_FOUND, "the trace begins here");
}
