#include "flow/doubts.h"

#include "base/limits.h"
#include "idx/column.h"
#include "idx/index_format.h"
#include "idx/parts.h"

bool doubts_write(const struct doubts *doubts, struct parts_writer *parts, bool *is_needed)
{
    uint64_t rows[(size_t)DOUBT_KINDS * DOUBT_ROWS];
    size_t count = 0;
    for (size_t kind = 0; kind < DOUBT_KINDS; kind++) {
        const struct doubt *doubt = &doubts->of[kind];
        if (!doubt->count)
            continue;
        rows[count + DOUBT_ROW_KIND] = kind;
        rows[count + DOUBT_ROW_COUNT] = doubt->count;
        rows[count + DOUBT_ROW_LINE] = doubt->line;
        count += DOUBT_ROWS;
    }
    *is_needed = count > 0;
    return !count || parts_add_column(parts, PART_DOUBTS, rows, count);
}

enum status doubts_read(struct doubts *doubts, const struct parts *parts, struct error *err)
{
    struct column column;
    *doubts = (struct doubts){0};
    enum status status = parts_column(parts, PART_DOUBTS, &column, err);
    if (status == STATUS_OK && (column.count % DOUBT_ROWS || column.count > LIMIT_DOUBT_ROWS))
        status = error_set(err, STATUS_DAMAGED, "doubts");
    for (uint64_t i = 0; status == STATUS_OK && i < column.count; i += DOUBT_ROWS) {
        uint64_t row[DOUBT_ROWS];
        if (!column_read(&column, i, DOUBT_ROWS, row))
            return error_set(err, STATUS_DAMAGED, "doubts");
        if (row[DOUBT_ROW_KIND] < DOUBT_KINDS)
            doubts->of[row[DOUBT_ROW_KIND]] =
                (struct doubt){row[DOUBT_ROW_COUNT], row[DOUBT_ROW_LINE]};
    }
    return status;
}
