// diff, for humans.
#include "cmd/diff.h"

static const char letters[2] = {'A', 'B'};

static void put_count(struct out *out, uint64_t count, const char *text)
{
    out_u64(out, count);
    out_text(out, text);
}

static void put_units(struct out *out, uint64_t count, const struct diff_unit *unit)
{
    put_count(out, count, " ");
    out_text(out, count == 1 ? unit->one : unit->many);
    out_byte(out, '\n');
}

static void put_traces(struct diff *diff, struct out *out)
{
    for (int side = 0; side < 2; side++) {
        struct command *query = diff_side(diff, side);
        out_byte(out, letters[side]);
        out_text(out, ": ");
        command_put(query, out, query->session.path);
        out_text(out, ", ");
        put_units(out, diff->same + diff->changed + diff->only[side], diff->unit);
    }
}

static void put_compared(struct diff *diff, struct out *out)
{
    const char *names[DIFF_COMPARED + 1];
    diff_compared(diff, names);
    out_text(out, "compared: ");
    for (size_t i = 0; names[i]; i++) {
        out_text(out, i ? ", " : "");
        out_text(out, names[i]);
    }
    for (size_t i = 0; i < diff->left_out.count && i <= EFFECT_NAMES; i++) {
        out_text(out, i ? " " : "; not compared, as only one of the two shows them: ");
        if (i < EFFECT_NAMES)
            command_put(&diff->common, out, diff->left_out.names[i]);
        else
            out_text(out, "and others");
    }
    out_byte(out, '\n');
}

// The beginning of the first region on one side, with the lines around it.
static enum status put_side(struct diff *diff, const struct lane_region *region, int side,
                            struct out *out, struct error *err)
{
    struct command *query = diff_side(diff, side);
    struct trawl_event about;
    const char *function;
    enum status status;
    out_byte(out, letters[side]);
    if (!diff_event(diff, region, side, &about, &function, &status, err)) {
        out_text(out, ": has ended\n");
        return status;
    }
    out_text(out, ": event ");
    out_u64(out, about.event);
    if (about.line) {
        out_text(out, ", line ");
        out_u64(out, about.line);
    }
    if (session_can(&query->session, TRACE_TIMES)) {
        out_text(out, ", time ");
        out_u64(out, about.time);
        out_byte(out, ' ');
        out_text(out, query_tick_unit(query));
    }
    if (session_can(&query->session, TRACE_ADDRESSES)) {
        out_text(out, ", at 0x");
        out_hex(out, about.pc & ~UINT64_C(1), 1);
    }
    if (function) {
        out_text(out, ", in ");
        command_put(query, out, function);
    }
    out_byte(out, '\n');
    trace_context_put(&query->context, out, &(struct line_place){about.line, about.position});
    return STATUS_OK;
}

static enum status put_first(struct diff *diff, struct out *out, struct error *err)
{
    const struct diff_region *region = &diff->regions.items[diff->first];
    out_text(out, "\nfirst difference: ");
    out_text(out, diff_region_kind(&region->found));
    out_byte(out, '\n');
    enum status status = put_side(diff, &region->found, 0, out, err);
    if (status == STATUS_OK)
        status = put_side(diff, &region->found, 1, out, err);
    out_byte(out, '\n');
    return status;
}

static void put_sums(struct diff *diff, struct out *out)
{
    out_byte(out, '\n');
    put_count(out, diff->region_count, diff->region_count == 1 ? " region: " : " regions: ");
    put_count(out, diff->only[0], " only in A, ");
    put_count(out, diff->only[1], " only in B, ");
    put_count(out, diff->changed, " changed, ");
    put_count(out, diff->same, " the same\n");
    if (diff->region_count > diff->regions.count)
        put_count(out, diff->region_count - diff->regions.count,
                  " regions are not listed (--max-regions)\n");
}

static void put_lone_lanes(struct diff *diff, struct out *out)
{
    for (size_t i = 0; i < diff->pairs.count; i++) {
        const struct diff_pair *pair = &diff->pairs.items[i];
        int side = pair->lanes[0] == TRAWL_NONE;
        const struct command *query = diff_side(diff, side);
        const char *name = query_lane_name(query, pair->lanes[side]);
        if (pair->lanes[!side] != TRAWL_NONE)
            continue;
        out_text(out, "lane ");
        if (name)
            command_put(query, out, name);
        else
            out_u64(out, pair->lanes[side]);
        out_text(out, " is only in ");
        out_byte(out, letters[side]);
        out_text(out, ", with ");
        put_units(out, pair->only[side], diff->unit);
    }
}

enum status diff_write_text(struct diff *diff, struct out *out, struct error *err)
{
    struct table table;
    put_traces(diff, out);
    put_compared(diff, out);
    if (diff_is_equal(diff)) {
        out_text(out, "no difference\n");
        return STATUS_OK;
    }
    put_lone_lanes(diff, out);
    if (!diff->regions.count)
        return STATUS_OK;
    enum status status = put_first(diff, out, err);
    if (status == STATUS_OK)
        status = table_begin(&table, out, TABLE_TEXT, diff_columns, DIFF_COLUMNS, err);
    if (status == STATUS_OK)
        status = diff_write_regions(diff, &table, err);
    put_sums(diff, out);
    return status;
}
