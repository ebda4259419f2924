#include "dataflow/access_rows.h"

enum status access_rows_fill(struct access_rows *rows, const struct index_view *view,
                             struct error *err)
{
    struct trawl_error from;
    const struct trawl_load_columns loads = {
        .event = rows->event, .address = rows->address, .size_bytes = rows->size_bytes};
    const struct trawl_access_columns stores = {.event = rows->event,
                                                .address = rows->address,
                                                .size_bytes = rows->size_bytes,
                                                .kind = rows->kind};
    enum trawl_status read = rows->are_loads
                                 ? trawl_loads(view->index, &rows->place, rows->until, ACCESS_ROWS,
                                               &loads, &rows->count, &from)
                                 : trawl_accesses(view->index, &rows->place, rows->until,
                                                  ACCESS_ROWS, &stores, &rows->count, &from);
    rows->at = 0;
    rows->is_end = rows->count < ACCESS_ROWS;
    return index_status(read, &from, err);
}
