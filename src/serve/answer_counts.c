// counts: how often the lines of the source file at a point, and the instructions of its function,
// were executed in a range of a lane, and how long they took.
#include "base/limits.h"
#include "names/source_lines.h"
#include "query/place_profile.h"
#include "serve/answer.h"
#include "serve/selection.h"

// How many bytes of a function without a known end are examined.
enum { CODE_BYTES = 512 };

static enum status put_source(struct asking *asking, const struct counted *counted, uint64_t pc,
                              struct error *err)
{
    struct json *json = asking->json;
    struct source_lines lines = {0};
    struct place_profile profile = {0};
    struct source_location here;
    enum status status = STATUS_OK;
    if (source_lines_find(&lines, counted->names, pc, &here)) {
        json_member_text(json, "file", here.path);
        if (!place_profile_make(&profile, PLACE_LINE, counted->counts, counted->count,
                                counted->names, &lines))
            status = error_set(err, STATUS_MEMORY, "no memory for lines");
        json_key(json, "lines");
        json_begin_array(json);
        for (size_t i = 0; i < profile.rows.count && status == STATUS_OK; i++) {
            const struct place_row *row = &profile.rows.items[i];
            if (!row->name || strcmp(row->name, here.path) != 0)
                continue;
            json_begin_array(json);
            json_u64(json, row->line);
            json_u64(json, row->visits);
            json_u64(json, row->ticks);
            json_end_array(json);
        }
        json_end_array(json);
        answer_text_u64(json, "ticks", profile.ticks);
    }
    if (status == STATUS_OK && source_lines_lacked_memory(&lines))
        status = error_set(err, STATUS_MEMORY, "no memory for lines");
    place_profile_free(&profile);
    source_lines_free(&lines);
    return status;
}

enum status answer_counts(struct asking *asking, struct error *err)
{
    struct stretch stretch;
    struct counted counted;
    uint64_t event, pc;
    if (!trace_can(asking->context->session.trace, TRACE_INSTRUCTIONS))
        return error_set(err, STATUS_NOT_FOUND, "this trace shows no instructions");
    enum status status = stretch_read_for_pass(asking->request, asking->context, &stretch, err);
    if (status == STATUS_OK)
        status = asking_point(asking, &event, err);
    if (status == STATUS_OK && !browse_next_pc(&asking->context->source, event, &pc))
        status = error_set(err, STATUS_NOT_FOUND, "nothing is executed after that");
    if (status == STATUS_OK)
        status = selection_take_counts(asking->selection, &stretch, asking->request, &counted, err);
    if (status != STATUS_OK)
        return status;
    pc &= ~UINT64_C(1);
    status = put_source(asking, &counted, pc, err);
    struct json *json = asking->json;
    // The function, or code near the PC if it is not known.
    struct image_symbol place;
    uint64_t first = pc - u64_min(pc, CODE_BYTES / 2);
    uint64_t end = pc > UINT64_MAX - CODE_BYTES ? UINT64_MAX : pc + CODE_BYTES / 2;
    if (image_set_by_address(&counted.names->images, pc, &place) && place.address <= pc) {
        uint64_t size = place.symbol->size;
        first = place.address;
        if (size > pc - first && size <= LIMIT_PANE_CODE_BYTES)
            end = first + size;
    }
    json_key(json, "instructions");
    json_begin_array(json);
    for (size_t i = 0; i < counted.count; i++) {
        const struct pc_count *count = &counted.counts[i];
        if (count->pc < first || count->pc >= end)
            continue;
        json_begin_array(json);
        json_address(json, count->pc);
        json_u64(json, count->executed);
        json_u64(json, count->skipped);
        json_u64(json, count->ticks);
        json_end_array(json);
    }
    json_end_array(json);
    return selection_give_back(asking->selection, counted.names, status, err);
}
