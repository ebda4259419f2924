// writes: who wrote a register or memory. reads: who read memory. They differ in what they walk
// over, and in where the value is from.
#include "query/writes.h"
#include "base/limits.h"
#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "query/register_set.h"
#include "report/value.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_PREVIOUS = OPTION_OWN, OPTION_NEXT, OPTION_ALL, OPTION_LAST };

// Which writes around the point to show.
enum writes_mode {
    WRITES_PREVIOUS, // the last at or before it
    WRITES_NEXT,     // the first after it
    WRITES_ALL,      // of the whole trace
    WRITES_LAST,     // a number of them at or before it, the last first
};

struct writes {
    struct command common;
    const char *what;
    bool are_reads;
    enum writes_mode mode;
    uint64_t last_count; // of WRITES_LAST
    struct location location;
    struct write_target target;
    struct write_walk walk;
    uint64_t first_event, last_event; // range of the wanted ones
    bool has_shown;                   // a write
};

// Of snapshots, which show no writes, a row is one in which the value differs from the last
// collected one; they have neither times nor lines.
enum { WITH_LINES = 1 };

struct write_cells {
    uint64_t event, time, line, size_bytes;
    const uint64_t *pc, *address;
    const char *function, *lane, *kind, *value;
};

#define VALUE(name) FIELD_VALUE(struct write_cells, name)

static const struct field fields[] = {
    {"Event", "event", COLUMN_U64, VALUE(event)},
    {"Time", "time", COLUMN_TICKS, VALUE(time), .when = WITH_LINES},
    {"Line", "line", COLUMN_LINE, VALUE(line), .when = WITH_LINES},
    {"PC", "pc", COLUMN_ADDRESS, VALUE(pc)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane)},
    {"Kind", "kind", COLUMN_TEXT, VALUE(kind)},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Bytes", "size", COLUMN_U64, VALUE(size_bytes)},
    {"Value", "value", COLUMN_WHOLE, VALUE(value)},
};

static void put(struct writes *writes, struct write_cells *cells, const struct trawl_event *at)
{
    struct command *command = &writes->common;
    cells->event = at->event;
    cells->time = at->time;
    cells->line = at->line;
    cells->function = cells->pc ? query_name(command, at->pc) : NULL;
    cells->lane = query_lane_name(command, at->lane);
    writes->has_shown = true;
    command_row(command, cells, &(struct line_place){at->line, at->position});
}

// Formats memory like a value loaded by the core, if that is possible in one load, otherwise as
// bytes in order of address.
static void writes_format_memory(char text[VALUE_TEXT_MAX], uint8_t *values, uint8_t *known,
                                 uint64_t size_bytes, bool is_big_endian)
{
    size_t size = (size_t)u64_min(size_bytes, LIMIT_WRITE_SHOWN_BYTES);
    if (size_bytes > 8 || (size & (size - 1))) {
        value_bytes(text, values, known, size);
        if (size < size_bytes)
            memcpy(text + 2 * size, "+", 2);
        return;
    }
    for (size_t i = 0; is_big_endian && i < size / 2; i++) {
        uint8_t value = values[i], is_known = known[i];
        values[i] = values[size - 1 - i];
        known[i] = known[size - 1 - i];
        values[size - 1 - i] = value;
        known[size - 1 - i] = is_known;
    }
    value_number(text, values, known, size);
}

// --- Snapshots -----------------------------------------------------------------------------------

// A collected value.
struct seen {
    uint8_t values[LIMIT_VALUE_BYTES];
    bool is_whole; // all of it was collected
};

struct changes {
    struct writes *writes;
    VEC(, struct trawl_event) events;
};

static enum status see(const struct writes *writes, const struct trawl_event *at, struct seen *seen,
                       struct error *err)
{
    struct register_value value;
    *seen = (struct seen){0};
    if (!writes->target.is_register) {
        struct trawl_error from;
        uint8_t known[LIMIT_WRITE_SHOWN_BYTES];
        size_t size = (size_t)writes->target.size_bytes;
        enum trawl_status status =
            trawl_memory(query_view(&writes->common)->index, at->event, writes->target.start, size,
                         seen->values, known, &from);
        seen->is_whole = status == TRAWL_OK && !memchr(known, 0, size);
        return index_status(status, &from, err);
    }
    enum status status = register_read(query_view(&writes->common), at->lane, at->event,
                                       &writes->location.which, &value, err);
    memcpy(seen->values, value.values, value.size_bytes);
    seen->is_whole = status == STATUS_OK && value.known_bytes == value.size_bytes;
    return status;
}

// All snapshots in which the value differs from the last collected one.
static enum status find_changes(struct changes *changes, struct error *err)
{
    struct writes *writes = changes->writes;
    const struct index_view *view = query_view(&writes->common);
    struct seen last = {0}, now;
    struct write_found found;
    struct trawl_event at;
    writes_begin(&writes->walk, view, &writes->target, TRAWL_START, false);
    for (;;) {
        enum status status = writes_next(&writes->walk, &found, err);
        if (status == STATUS_OK)
            status = index_view_event(view, found.event, &at, err);
        if (status == STATUS_OK)
            status = see(writes, &at, &now, err);
        if (status != STATUS_OK)
            return status == STATUS_NOT_FOUND ? STATUS_OK : status;
        if (!now.is_whole || !query_wants_event(&writes->common, &at) ||
            memcmp(&last, &now, sizeof now) == 0)
            continue;
        if (!VEC_ROOM(&changes->events, 1))
            return error_set(err, STATUS_MEMORY, "%s: no memory", writes->common.session.path);
        changes->events.items[changes->events.count++] = at;
        last = now;
    }
}

static enum status put_change(struct changes *changes, size_t number, struct error *err)
{
    struct writes *writes = changes->writes;
    const struct write_target *target = &writes->target;
    const struct trawl_event *at = &changes->events.items[number];
    char text[VALUE_TEXT_MAX];
    uint8_t known[LIMIT_VALUE_BYTES];
    struct seen seen;
    enum status status = see(writes, at, &seen, err);
    if (status != STATUS_OK)
        return status;
    memset(known, 1, sizeof known);
    if (target->is_register)
        value_number(text, seen.values, known, (size_t)target->size_bytes);
    else
        writes_format_memory(text, seen.values, known, target->size_bytes,
                             query_view(&writes->common)->info.options & TRAWL_BIG_ENDIAN);
    put(writes,
        &(struct write_cells){.pc = at->flags & TRAWL_HAS_INSTRUCTION ? &at->pc : NULL,
                              .kind = number ? "changed" : "first seen",
                              .address = target->is_register ? NULL : &target->start,
                              .size_bytes = target->size_bytes,
                              .value = text},
        at);
    return STATUS_OK;
}

// Changes are in the order of events: those up to the point come first.
static enum status show_changes(struct writes *writes, struct error *err)
{
    struct changes changes = {.writes = writes};
    enum status status = find_changes(&changes, err);
    size_t count = status == STATUS_OK ? changes.events.count : 0, before = 0;
    uint64_t wanted = writes->mode == WRITES_ALL    ? UINT64_MAX
                      : writes->mode == WRITES_LAST ? writes->last_count
                                                    : 1;
    bool is_back = writes->mode == WRITES_PREVIOUS || writes->mode == WRITES_LAST;
    while (before < count && changes.events.items[before].event <= writes->common.event)
        before++;
    for (uint64_t i = 0; is_back && i < wanted && i < before && status == STATUS_OK; i++)
        status = put_change(&changes, before - 1 - (size_t)i, err);
    size_t first = writes->mode == WRITES_ALL ? 0 : before;
    for (size_t i = first; !is_back && i < count && i - first < wanted && status == STATUS_OK; i++)
        status = put_change(&changes, i, err);
    free(changes.events.items);
    return status;
}

// --- Writes --------------------------------------------------------------------------------------

// The value of a write, read before a row is begun, so that no row is incomplete.
struct written {
    uint64_t start, size_bytes; // for memory; for registers only the size
    char text[VALUE_TEXT_MAX];
    uint64_t address; // the value of a register as an address; 0: it is none
};

static enum status read_memory(const struct writes *writes, const struct write_found *found,
                               struct written *written, struct error *err)
{
    const struct index_view *view = &writes->common.session.view;
    uint8_t values[LIMIT_WRITE_SHOWN_BYTES], known[LIMIT_WRITE_SHOWN_BYTES];
    struct trawl_error from;
    written->start = found->start;
    written->size_bytes = found->size_bytes;
    const size_t size = (size_t)u64_min(found->size_bytes, LIMIT_WRITE_SHOWN_BYTES);
    const enum trawl_status read = (writes->are_reads ? trawl_loaded : trawl_memory)(
        view->index, found->event, found->start, size, values, known, &from);
    if (read == TRAWL_OK)
        writes_format_memory(written->text, values, known, found->size_bytes,
                             view->info.options & TRAWL_BIG_ENDIAN);
    return index_status(read, &from, err);
}

static enum status read_registers(const struct writes *writes, const struct write_found *found,
                                  struct written *written, struct error *err)
{
    struct register_value value;
    enum status status = register_read(&writes->common.session.view, found->lane, found->event,
                                       &writes->location.which, &value, err);
    written->size_bytes = value.size_bytes;
    written->address = 0;
    if (status == STATUS_OK && value.size_bytes <= 8 && value.known_bytes == value.size_bytes) {
        memcpy(&written->address, value.values, value.size_bytes);
        written->address = le64toh(written->address);
    }
    if (status == STATUS_OK)
        value_number(written->text, value.values, value.known, value.size_bytes);
    return status;
}

// How many instructions RTL executes before it writes the result of one.
enum { INSTRUCTIONS_AHEAD = 8 };

// The instruction that a write without one belongs to. If it is to the link register, the return
// address shows which call that is: others may have been executed since.
static enum status find_writer(const struct writes *writes, const struct written *written,
                               struct trawl_event *about, bool *has_pc, struct error *err)
{
    const struct index_view *view = query_view(&writes->common);
    const struct trawl_register *which = &writes->location.which;
    struct trawl_event before = *about;
    struct trawl_register link;
    uint64_t event;
    enum status status = index_view_origin(view, about, has_pc, err);
    if (before.flags & TRAWL_HAS_INSTRUCTION || status != STATUS_OK || !*has_pc ||
        !writes->target.is_register || !written->address ||
        trawl_register_with(view->index, point_isa(view, &before), TRAWL_REGISTER_LINK, &link,
                            NULL) != TRAWL_OK ||
        which->offset != link.offset)
        return status;
    for (int i = 0; i < INSTRUCTIONS_AHEAD && before.in_lane; i++) {
        if (trawl_instruction_before(view->index, about->lane, before.in_lane - 1, &event, NULL) !=
                TRAWL_OK ||
            index_view_event(view, event, &before, err) != STATUS_OK)
            break;
        uint64_t size = (written->address & ~UINT64_C(1)) - (before.pc & ~UINT64_C(1));
        if (size == 2 || size == 4) {
            about->pc = before.pc;
            break;
        }
    }
    return STATUS_OK;
}

static enum status put_write(struct writes *writes, const struct write_found *found,
                             struct trawl_event *about, struct error *err)
{
    static const char *const kinds[] = {[WRITE_REGISTER] = "register",
                                        [WRITE_STORE] = "store",
                                        [WRITE_STORE_UNKNOWN] = "unknown store",
                                        [WRITE_HOST] = "host write",
                                        [WRITE_NONE] = "load"};
    struct written written;
    char kind[96];
    bool is_register = writes->target.is_register, has_pc = false;
    bool is_outside = found->kind == WRITE_OUTSIDE; // a load showed it
    enum status status = is_register ? read_registers(writes, found, &written, err)
                                     : read_memory(writes, found, &written, err);
    if (status == STATUS_OK && !is_outside)
        status = find_writer(writes, &written, about, &has_pc, err);
    if (status != STATUS_OK)
        return status;
    if (is_outside)
        snprintf(kind, sizeof kind, "changed from outside, between %" PRIu64 " and %" PRIu64,
                 found->since, found->event);
    const uint64_t pc = about->pc & ~UINT64_C(1);
    put(writes,
        &(struct write_cells){.pc = has_pc ? &pc : NULL,
                              .kind = is_outside ? kind : kinds[found->kind],
                              .address = is_register ? NULL : &written.start,
                              .size_bytes = written.size_bytes,
                              .value = written.text},
        about);
    return STATUS_OK;
}

// Shows up to `count` writes that the filters select, backwards or forwards from the point.
static enum status show(struct writes *writes, uint64_t event, bool is_back, uint64_t count,
                        struct error *err)
{
    const struct index_view *view = query_view(&writes->common);
    struct write_found found;
    struct trawl_event about;
    enum status status = STATUS_OK;
    writes_begin(&writes->walk, view, &writes->target, event, is_back);
    while (count > 0 && status == STATUS_OK && !out_failed(&writes->common.out)) {
        status = writes_next(&writes->walk, &found, err);
        if (status == STATUS_OK)
            status = index_view_event(view, found.event, &about, err);
        if (status != STATUS_OK ||
            (is_back ? found.event < writes->first_event : found.event > writes->last_event))
            break;
        if (!query_wants_event(&writes->common, &about))
            continue;
        status = put_write(writes, &found, &about, err);
        count--;
    }
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status show_wanted(struct writes *writes, struct error *err)
{
    uint64_t point = writes->common.event;
    enum status status = session_event_bounds(&writes->common.session, writes->common.lane,
                                              &writes->first_event, &writes->last_event, err);
    if (status != STATUS_OK || writes->first_event > writes->last_event)
        return status;
    switch (writes->mode) {
    case WRITES_NEXT:
        return show(writes, point, false, 1, err);
    case WRITES_ALL: // before event 0 is TRAWL_START
        return show(writes, writes->first_event - 1, false, UINT64_MAX, err);
    case WRITES_LAST:
        return show(writes, point, true, writes->last_count, err);
    default:
        return show(writes, point, true, 1, err);
    }
}

// --- The command ---------------------------------------------------------------------------------

static bool find_target(struct writes *writes, bool is_of_snapshots)
{
    struct command *command = &writes->common;
    struct location *location = &writes->location;
    struct trawl_event about;
    struct error err;
    uint64_t lane;
    if (query_lane(command, command->event, &lane, &about, &err) != STATUS_OK)
        return command_fail(command, &err);
    // GDB writes variables of trace state with a $.
    const char *what = writes->what + (is_of_snapshots && *writes->what == '$');
    if (!query_location(command, what, &about, location))
        return false;
    writes->target = (struct write_target){.lane = command->lane,
                                           .size_bytes = location->size_bytes,
                                           .wish = writes->are_reads ? WISH_READS : WISH_WRITES};
    if (location->kind == LOCATION_REGISTER && writes->are_reads)
        return command_fail_with(command, STATUS_INPUT,
                                 "'%.200s': is a register, and only reads of memory are known",
                                 writes->what);
    if (location->kind == LOCATION_REGISTER) {
        writes->target.is_register = true;
        writes->target.start = location->which.offset;
        if (location->which.size_bytes == 0)
            return command_fail_with(
                command, STATUS_INPUT,
                "'%.200s': every instruction writes the pc; 'trawl pc' finds one", writes->what);
    } else if (!query_address(command, what, location, lane, command->event,
                              &writes->target.start)) {
        return false;
    }
    // Values of snapshots are compared.
    return !is_of_snapshots || writes->target.size_bytes <= LIMIT_WRITE_SHOWN_BYTES ||
           command_fail_with(command, STATUS_LIMIT, "'%.200s': of a trace file, at most %d bytes",
                             writes->what, LIMIT_WRITE_SHOWN_BYTES);
}

// From here on, addresses of memory are as they are at the point: what was written to a place is
// shown there, whoever wrote it.
static bool pin(struct writes *writes, struct error *err)
{
    struct trawl_index *index = query_view(&writes->common)->index;
    struct trawl_memory_view view;
    struct trawl_error from;
    trawl_seen_memory(index, &view);
    view.event = writes->common.event;
    return index_status(trawl_see_memory(index, &view, &from), &from, err) == STATUS_OK;
}

static bool report(void *self)
{
    static const char *const ranges[] = {" up to that point", " after that point", "",
                                         " up to that point"};
    struct writes *writes = self;
    struct command *command = &writes->common;
    struct error err;
    bool is_of_snapshots = index_view_has_snapshots(query_view(command));
    if (!query_has_range(command) || !find_target(writes, is_of_snapshots) ||
        !command_fields(command, fields, ARRAY_COUNT(fields), is_of_snapshots ? 0 : WITH_LINES))
        return false;
    if (!is_of_snapshots && !pin(writes, &err))
        return command_fail(command, &err);
    if ((is_of_snapshots ? show_changes(writes, &err) : show_wanted(writes, &err)) != STATUS_OK)
        return command_fail(command, &err);
    if (!writes->has_shown)
        diag_note(&command->diag, "'%.200s': is not %s%s", writes->what,
                  writes->are_reads ? "read" : "written", ranges[writes->mode]);
    return true;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct writes *writes = self;
    switch (option) {
    case OPTION_POSITIONAL:
        writes->what = match->value;
        return OPTION_END;
    case OPTION_LAST:
        writes->mode = WRITES_LAST;
        return parse_u64_within(match->value, 1, UINT64_MAX, &writes->last_count)
                   ? OPTION_END
                   : options_bad_value(parser, match, "a number above 0");
    default:
        writes->mode = option == OPTION_NEXT  ? WRITES_NEXT
                       : option == OPTION_ALL ? WRITES_ALL
                                              : WRITES_PREVIOUS;
        return OPTION_END;
    }
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct writes writes = {.mode = WRITES_PREVIOUS,
                            .are_reads = strcmp(self->name, reads_command.name) == 0};
    command_begin(&writes.common, self);
    writes.common.asks_index = true;
    writes.common.session.asks_loads = writes.are_reads;
    return command_run(&writes.common, argc, argv,
                       &(struct command_steps){&writes, take, NULL, report});
}

static const struct option_spec own_options[] = {
    {OPTION_PREVIOUS, 0, "previous", NULL, "the last write at or before POS (default)"},
    {OPTION_NEXT, 0, "next", NULL, "the first write after POS"},
    {OPTION_LAST, 0, "last", "N", "the last N writes at or before POS, the latest first"},
    {OPTION_ALL, 0, "all", NULL, "every write of the trace, the earliest first"},
    {ROW_AT},
    {ROW_TIME},
    {OPTION_EVENTS, 0, "lane-events", "A..B",
     LANE_EVENTS_HELP "; of a GDB trace file frames A to B"},
    {ROW_OLD_EVENTS},
    {ROW_LANE},
    {ROW_PHYSICAL},
    {ROW_SPACE},
    TRACE_CONTEXT_OPTION,
    {ROW_FORMAT},
    {ROW_WIDE},
    {0},
};

static const struct option_spec reads_options[] = {
    {OPTION_PREVIOUS, 0, "previous", NULL, "the last read at or before POS (default)"},
    {OPTION_NEXT, 0, "next", NULL, "the first read after POS"},
    {OPTION_LAST, 0, "last", "N", "the last N reads at or before POS, the latest first"},
    {OPTION_ALL, 0, "all", NULL, "every read of the trace, the earliest first"},
    {ROW_AT},
    {ROW_TIME},
    {ROW_LANE_EVENTS},
    {ROW_OLD_EVENTS},
    {ROW_LANE},
    {ROW_PHYSICAL},
    {ROW_SPACE},
    TRACE_CONTEXT_OPTION,
    {ROW_FORMAT},
    {ROW_WIDE},
    {0},
};

const struct command_spec writes_command = {
    .name = "writes",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_REGISTERS | TRACE_MEMORY,
    .describe_input = trace_inputs_describe,
    .summary = "what wrote a register or memory",
    .description =
        "Lists writes to a register or to memory: when each happened, which instruction did it, "
        "and the value. WHAT is a register, or memory as ADDR or ADDR:SIZE, where ADDR is a "
        "number, a symbol, or an expression of registers and symbols such as table+4*x2. A symbol "
        "alone means all of its bytes.\n"
        "RTL writes registers and memory later than the instruction, at times of their own. PC is "
        "then that of the instruction that the line names, of the call that the value of the link "
        "register shows, or of the last one before the write.\n"
        "Value is what is there after the write: a number for registers and for 1, 2, 4 or 8 "
        "bytes, otherwise bytes in the order of their addresses; '..' is an unknown byte. Kind "
        "'host write' is a write by the debug host (semihosting), for which the trace has no "
        "line; 'changed from outside, between A and B' is a change that no store of the trace "
        "explains: the load of event B shows it, and at event A memory still had the value of "
        "before (a device, DMA, another master, a debugger).\n"
        "For a GDB trace file, each frame is an event: lists the frames in which a register, a "
        "trace state variable or memory differs from when it was last collected.",
    .common = &trace_common_options,
    .groups = QUERY_OPTION_GROUPS(own_options),
    .positionals =
        (const struct positional_spec[]){{"TRACE", "{input}", NULL, false, false},
                                         {"WHAT", "register or memory", NULL, false, false},
                                         {0}},
    .examples = "trawl writes run.tarmac x0 --at line:51042\n"
                "trawl writes run.tarmac sp+8:8 --at pc:0x8000#3 --last 5\n"
                "trawl writes --image prog.elf run.tarmac counter --all\n",
    .alternatives = (const int[]){TRACE_ALTERNATIVES, OPTION_PREVIOUS, OPTION_NEXT, OPTION_LAST,
                                  OPTION_ALL, 0, 0},
    .run = run,
};

const struct command_spec reads_command = {
    .name = "reads",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_MEMORY | TRACE_LOADS,
    .describe_input = trace_inputs_describe,
    .summary = "what read memory",
    .description =
        "Lists reads of memory: when each happened, which instruction did it, and the value. WHAT "
        "is memory as ADDR or ADDR:SIZE, where ADDR is a number, a symbol, or an expression of "
        "registers and symbols such as table+4*x2. A symbol alone means all of its bytes.\n"
        "All loads that the trace shows count, also those that show nothing new. The row has those "
        "bytes of WHAT that the event reads, from the first to the last; Value is what it read "
        "there (of an atomic operation, what was there before it), as in 'trawl writes'.",
    .common = &trace_common_options,
    .groups = QUERY_OPTION_GROUPS(reads_options),
    .positionals = (const struct positional_spec[]){{"TRACE", "{input}", NULL, false, false},
                                                    {"WHAT", "memory", NULL, false, false},
                                                    {0}},
    .examples = "trawl reads run.tarmac 0x8010:4 --at line:51042\n"
                "trawl reads --image prog.elf run.tarmac counter --all\n",
    .alternatives = (const int[]){TRACE_ALTERNATIVES, OPTION_PREVIOUS, OPTION_NEXT, OPTION_LAST,
                                  OPTION_ALL, 0, 0},
    .run = run,
};
