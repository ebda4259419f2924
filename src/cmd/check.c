// check: what is wrong in a run. The check itself is in src/check; here findings get their names,
// places and stacks, and are written as text, a table, JSON or SARIF.
#include "check/check.h"

#include "base/version.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/live_bytes.h"
#include "cmd/option_rows.h"
#include "cmd/stack_bounds.h"
#include "names/source_lines.h"
#include "session/tasks.h"
#include "unwind/call_site.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OPTION_ALL = OPTION_OWN,
    OPTION_ONLY,
    OPTION_PAIRS,
    OPTION_KNOWN,
    OPTION_SUPPRESS,
    OPTION_WRITE_SUPPRESSIONS,
    OPTION_LIVE,
    OPTION_CHECK_FORMAT,
};

enum check_format { CHECK_TEXT, CHECK_CSV, CHECK_JSON, CHECK_SARIF };

static const char *const format_names[] = {"text", "csv", "json", "sarif"};

static const struct {
    const char *name;
    unsigned parts;
} part_names[] = {
    {"undefined", CHECK_UNDEFINED},
    {"stack", CHECK_STACK},
    {"heap", CHECK_HEAP},
    {"locks", CHECK_LOCKS},
};

enum { SHOWN = 20, FRAMES = 12 };

// A line of a file of suppressions: a kind, and patterns for the functions from the innermost on.
struct suppression {
    char *kind;
    char *functions[FRAMES];
    size_t count;
};

struct check_command {
    struct command common;
    struct check check;
    struct dataflow flow;
    struct bounded_stacks stacks;
    struct source_lines lines;
    size_t format; // enum check_format
    bool wants_all;
    VEC(, const char *) known, pairs;
    const char *suppress, *write_suppressions, *live;
    VEC(, struct suppression) suppressions;
    size_t suppressed, found;
};

// --- Stacks --------------------------------------------------------------------------------------

struct frames {
    uint64_t pc[FRAMES];
    size_t count;
};

// The PCs of an event and of the calls around it, by the calls of the index.
static enum status find_frames(struct check_command *self, uint64_t lane, uint64_t event,
                               struct frames *frames, struct error *err)
{
    const struct index_view *view = query_view(&self->common);
    struct trawl_event about;
    struct trawl_call call, first, around;
    struct trawl_error from;
    bool has_pc;
    frames->count = 0;
    enum status status = index_view_event(view, event, &about, err);
    if (status == STATUS_OK)
        status = index_view_origin(view, &about, &has_pc, err);
    if (status != STATUS_OK || !has_pc)
        return status;
    enum trawl_status found = trawl_call_at(view->index, lane, about.in_lane, &call, &from);
    frames->pc[frames->count++] = about.pc;
    while (found == TRAWL_OK && frames->count < FRAMES) {
        const enum status outside = call_around(view, lane, &call, &around, err);
        status = call_first_in_place(view, lane, &call, outside == STATUS_OK ? &around : NULL,
                                     &first, err);
        if (status == STATUS_OK)
            status = first.began ? call_site(view, lane, &first,
                                             outside == STATUS_OK ? &around : NULL, &about, err)
                                 : STATUS_NOT_FOUND;
        if (status == STATUS_OK && about.flags & TRAWL_HAS_INSTRUCTION)
            frames->pc[frames->count++] = about.pc;
        if (status != STATUS_OK || outside != STATUS_OK)
            return status == STATUS_NOT_FOUND || status == STATUS_OK ? STATUS_OK : status;
        call = around;
    }
    return found == TRAWL_OK || found == TRAWL_NOT_FOUND ? STATUS_OK
                                                         : index_status(found, &from, err);
}

// "parse+0x14 (parse.c:31)".
static void put_frame(struct check_command *self, struct out *out, uint64_t pc)
{
    char address[NAMES_ADDRESS_BYTES], place[SOURCE_PLACE_BYTES];
    struct names *names = &self->common.session.names;
    command_put(&self->common, out, names_or_address(names, pc, address));
    if (source_lines_text(&self->lines, names, pc, place)) {
        out_text(out, " (");
        command_put(&self->common, out, place);
        out_byte(out, ')');
    }
}

// --- Suppressions --------------------------------------------------------------------------------

static const char *function_name(struct check_command *self, uint64_t pc, char *text, size_t room)
{
    uint64_t start;
    struct names *names = &self->common.session.names;
    const char *name = names_start_of(names, pc, &start) ? names_of_root(names, start) : "";
    if (!*name)
        name = "?";
    snprintf(text, room, "%s", name);
    return text;
}

static bool is_suppressed(struct check_command *self, const struct finding *finding,
                          const struct frames *frames)
{
    for (size_t i = 0; i < self->suppressions.count; i++) {
        const struct suppression *one = &self->suppressions.items[i];
        bool fits =
            fnmatch(one->kind, finding_keys[finding->kind], 0) == 0 && one->count <= frames->count;
        for (size_t k = 0; k < one->count && fits; k++) {
            char name[256];
            fits = fnmatch(one->functions[k], function_name(self, frames->pc[k], name, sizeof name),
                           0) == 0;
        }
        if (fits)
            return true;
    }
    return false;
}

// Reads "KIND FUNCTION [FUNCTION]..." lines, of which # and empty ones are comments.
static bool read_suppressions(struct check_command *self)
{
    struct command *command = &self->common;
    FILE *file = fopen(self->suppress, "re");
    char *line = NULL;
    size_t room = 0;
    bool is_good = true;
    if (!file)
        return command_fail_with(command, STATUS_IO, "%s: %s", self->suppress, strerror(errno));
    while (is_good && getline(&line, &room, file) >= 0) {
        struct suppression one = {0};
        char *rest = NULL, *word = strtok_r(line, " \t\r\n", &rest);
        if (!word || *word == '#')
            continue;
        is_good = VEC_ROOM(&self->suppressions, 1) && (one.kind = strdup(word));
        while (is_good && one.count < FRAMES && (word = strtok_r(NULL, " \t\r\n", &rest)))
            is_good = (one.functions[one.count++] = strdup(word)) != NULL;
        if (is_good)
            self->suppressions.items[self->suppressions.count++] = one;
    }
    const bool is_read = !ferror(file);
    free(line);
    fclose(file);
    if (!is_read)
        return command_fail_with(command, STATUS_IO, "%s: cannot be read", self->suppress);
    return is_good || command_no_memory(command);
}

static void write_suppression(struct check_command *self, FILE *file, const struct finding *finding,
                              const struct frames *frames)
{
    fputs(finding_keys[finding->kind], file);
    for (size_t i = 0; i < frames->count && i < 3; i++) {
        char name[256];
        function_name(self, frames->pc[i], name, sizeof name);
        for (char *at = name; *at; at++) // C++: a word for fnmatch
            *at = *at == ' ' ? '?' : *at;
        fprintf(file, " %s", name);
    }
    fputc('\n', file);
}

// --- Text ----------------------------------------------------------------------------------------

// What was found, in a line: "writes 4 bytes at 0x1010, 2 bytes behind a block of 16 bytes".
static void detail_of(struct check_command *self, const struct finding *finding, char *text,
                      size_t room)
{
    size_t length = 0;
    uint64_t start = 0, behind = 0;
    struct names *names = &self->common.session.names;
    *text = '\0';
#define ADD(...)                                                                                   \
    length +=                                                                                      \
        (size_t)snprintf(text + u64_min(length, room), room - u64_min(length, room), __VA_ARGS__)
    if (finding->kind == FINDING_LEAK) {
        ADD("%" PRIu64 " byte%s in %" PRIu64 " block%s, the first at 0x%" PRIx64, finding->bytes,
            plural(finding->bytes), finding->count, plural(finding->count), finding->address);
        return;
    }
    if (finding->kind == FINDING_STACK_OVERFLOW) {
        const char *object = names_of_value(names, finding->block, false, &behind);
        const struct stack_extent *of =
            finding->is_write ? stack_extent_at(&self->check, finding->block, finding->event)
                              : NULL;
        const uint64_t reached = of ? of->lowest : finding->address;
        const struct stack_extent *into = stack_extent_at(&self->check, reached, finding->event);
        const struct heap_block *block = heap_block_at(&self->check.heap, reached, finding->event);
        struct image_symbol variable;
        if (of)
            ADD("the stack of %.60s ran below its end", of->owner);
        if (of && into && into != of)
            ADD(", into the stack of %.60s", into->owner);
        else if (of && bounded_stacks_variable(&self->stacks, reached, &variable) &&
                 variable.address + variable.symbol->size <= finding->block)
            ADD(", into %.80s", variable.symbol->display);
        else if (of && block)
            ADD(", into a block of %" PRIu64 " bytes", block->size_bytes);
        if (of)
            ADD(": ");
        ADD("the stack pointer is 0x%" PRIx64 ", ", finding->address);
        if (finding->is_write)
            ADD("below the stack's %" PRIu64 " bytes at 0x%" PRIx64, finding->block_bytes,
                finding->block);
        else
            ADD("in another object at 0x%" PRIx64, finding->block);
        if (object)
            ADD(behind ? " (%s+0x%" PRIx64 ")" : " (%s)", object, behind);
        return;
    }
    if (finding->kind >= FINDING_UNLOCK) {
        const char *lock = names_of_value(names, finding->address, false, &start);
        ADD("lock 0x%" PRIx64, finding->address);
        if (lock)
            ADD(start ? " (%s+0x%" PRIx64 ")" : " (%s)", lock, start);
        if (finding->kind == FINDING_LOCK_ORDER)
            ADD(" while 0x%" PRIx64 " is held", finding->block);
        return;
    }
    if (finding->kind == FINDING_UNDEFINED_DECISION || finding->kind == FINDING_UNDEFINED_ADDRESS) {
        if (finding->size_bytes)
            ADD("loaded from 0x%" PRIx64 ", %" PRIu64 " byte%s", finding->address,
                finding->size_bytes, plural(finding->size_bytes));
        return;
    }
    if (finding->size_bytes)
        ADD("%s %" PRIu64 " byte%s at 0x%" PRIx64, finding->is_write ? "writes" : "reads",
            finding->size_bytes, plural(finding->size_bytes), finding->address);
    else
        ADD("at 0x%" PRIx64, finding->address);
    if (!finding->block_bytes)
        return;
    const char *what = finding->kind == FINDING_OUTSIDE_STACK ? "the stack" : "a block";
    const uint64_t end = finding->block + finding->block_bytes;
    if (finding->address >= end)
        ADD(", %" PRIu64 " byte%s behind %s of %" PRIu64 " bytes", finding->address - end,
            plural(finding->address - end), what, finding->block_bytes);
    else if (finding->address < finding->block)
        ADD(", %" PRIu64 " byte%s before %s of %" PRIu64 " bytes",
            finding->block - finding->address, plural(finding->block - finding->address), what,
            finding->block_bytes);
    else
        ADD(", %" PRIu64 " byte%s into a block of %" PRIu64 " bytes",
            finding->address - finding->block, plural(finding->address - finding->block),
            finding->block_bytes);
#undef ADD
}

// A point of a finding with its stack.
static enum status put_point(struct check_command *self, struct out *out, const char *what,
                             uint64_t lane, uint64_t event, struct error *err)
{
    struct trawl_event about;
    struct frames frames;
    enum status status = index_view_event(query_view(&self->common), event, &about, err);
    if (status == STATUS_OK)
        status = find_frames(self, lane, event, &frames, err);
    if (status != STATUS_OK)
        return status;
    out_format(out, "   %s event:%" PRIu64 ", line %" PRIu64, what, event, about.line);
    const char *name = query_lane_name(&self->common, lane);
    if (name) {
        out_text(out, ", ");
        command_put(&self->common, out, name);
    }
    out_byte(out, '\n');
    for (size_t i = 0; i < frames.count; i++) {
        out_text(out, i ? "      called by " : "      in ");
        put_frame(self, out, frames.pc[i]);
        out_byte(out, '\n');
    }
    return STATUS_OK;
}

static enum status put_text(struct check_command *self, const struct finding *finding,
                            size_t number, struct error *err)
{
    struct out *out = &self->common.out;
    char detail[512];
    enum status status = STATUS_OK;
    detail_of(self, finding, detail, sizeof detail);
    out_format(out, "%s%zu. %s%s", number > 1 ? "\n" : "", number, finding_texts[finding->kind],
               *detail ? ": " : "");
    command_put(&self->common, out, detail);
    if (finding->count > 1 && finding->kind != FINDING_LEAK)
        out_format(out, " (%" PRIu64 " times)", finding->count);
    out_byte(out, '\n');
    status = put_point(self, out, finding->kind == FINDING_LEAK ? "allocated at" : "at",
                       finding->lane, finding->event, err);
    for (unsigned i = 0; i < FINDING_CAUSES && finding->causes[i].what && status == STATUS_OK;
         i++) {
        char what[64];
        snprintf(what, sizeof what, "%s at", finding->causes[i].what);
        status = put_point(self, out, what, finding->causes[i].lane, finding->causes[i].event, err);
    }
    return status;
}

// --- For programs --------------------------------------------------------------------------------

struct finding_cells {
    const char *kind, *detail, *function, *source, *lane, *cause, *cause_function;
    uint64_t count, event, line;
    const uint64_t *pc, *address, *size, *cause_event;
};

#define VALUE(name) FIELD_VALUE(struct finding_cells, name)

static const struct field fields[] = {
    {"Kind", "kind", COLUMN_TEXT, VALUE(kind)},
    {"Times", "times", COLUMN_U64, VALUE(count)},
    {"Event", "event", COLUMN_U64, VALUE(event)},
    {"Line", "line", COLUMN_LINE, VALUE(line)},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane)},
    {"PC", "pc", COLUMN_ADDRESS, VALUE(pc)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Source", "source", COLUMN_TEXT, VALUE(source)},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Bytes", "bytes", COLUMN_U64, VALUE(size)},
    {"Detail", "detail", COLUMN_TEXT, VALUE(detail)},
    {"Cause", "cause", COLUMN_TEXT, VALUE(cause)},
    {"Cause event", "cause_event", COLUMN_U64, VALUE(cause_event)},
    {"Cause function", "cause_function", COLUMN_TEXT, VALUE(cause_function)},
};
#undef VALUE

static enum status put_row(struct check_command *self, const struct finding *finding,
                           struct error *err)
{
    struct command *command = &self->common;
    const struct index_view *view = query_view(command);
    struct trawl_event about, cause;
    char detail[512], source[SOURCE_PLACE_BYTES], function[256], caused_by[256];
    const struct finding_cause *first = &finding->causes[0];
    bool has_pc, has_cause_pc = false;
    detail_of(self, finding, detail, sizeof detail);
    enum status status = index_view_event(view, finding->event, &about, err);
    if (status == STATUS_OK)
        status = index_view_origin(view, &about, &has_pc, err);
    if (status == STATUS_OK && first->what)
        status = index_view_event(view, first->event, &cause, err);
    if (status == STATUS_OK && first->what)
        status = index_view_origin(view, &cause, &has_cause_pc, err);
    if (status != STATUS_OK)
        return status;
    const uint64_t pc = about.pc & ~UINT64_C(1);
    command_row(
        command,
        &(struct finding_cells){
            .kind = finding_keys[finding->kind],
            .count = finding->count,
            .event = finding->event,
            .line = about.line,
            .lane = query_lane_name(command, finding->lane),
            .pc = has_pc ? &pc : NULL,
            .function = has_pc ? function_name(self, about.pc, function, sizeof function) : NULL,
            .source =
                has_pc && source_lines_text(&self->lines, &command->session.names, about.pc, source)
                    ? source
                    : NULL,
            .address = finding->address ? &finding->address : NULL,
            .size = finding->size_bytes ? &finding->size_bytes : NULL,
            .detail = *detail ? detail : NULL,
            .cause = first->what,
            .cause_event = first->what ? &first->event : NULL,
            .cause_function =
                has_cause_pc ? function_name(self, cause.pc, caused_by, sizeof caused_by) : NULL},
        &(struct line_place){about.line, about.position});
    return STATUS_OK;
}

static void put_sarif_place(struct check_command *self, struct json *json, uint64_t pc)
{
    struct source_location place;
    struct names *names = &self->common.session.names;
    char address[NAMES_ADDRESS_BYTES];
    json_key(json, "physicalLocation");
    json_begin_object(json);
    if (source_lines_find(&self->lines, names, pc, &place) && place.path && place.line) {
        json_key(json, "artifactLocation");
        json_begin_object(json);
        json_member_text(json, "uri", place.path);
        json_end_object(json);
        json_key(json, "region");
        json_begin_object(json);
        json_member_u64(json, "startLine", place.line);
        json_end_object(json);
    } else {
        json_key(json, "address");
        json_begin_object(json);
        json_member_u64(json, "absoluteAddress", names_address(names, pc) & ~UINT64_C(1));
        json_end_object(json);
    }
    json_end_object(json);
    json_key(json, "logicalLocations");
    json_begin_array(json);
    json_begin_object(json);
    json_member_text(json, "fullyQualifiedName", names_or_address(names, pc, address));
    json_end_object(json);
    json_end_array(json);
}

static void begin_sarif(struct json *json)
{
    json_begin_object(json);
    json_member_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_member_text(json, "version", "2.1.0");
    json_key(json, "runs");
    json_begin_array(json);
    json_begin_object(json);
    json_key(json, "tool");
    json_begin_object(json);
    json_key(json, "driver");
    json_begin_object(json);
    json_member_text(json, "name", "trawl");
    json_member_text(json, "version", TRAWL_VERSION);
    json_key(json, "rules");
    json_begin_array(json);
    for (unsigned kind = 0; kind < FINDING_KINDS; kind++) {
        json_begin_object(json);
        json_member_text(json, "id", finding_keys[kind]);
        json_key(json, "shortDescription");
        json_begin_object(json);
        json_member_text(json, "text", finding_texts[kind]);
        json_end_object(json);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
    json_end_object(json);
    json_key(json, "results");
    json_begin_array(json);
}

static enum status put_sarif(struct check_command *self, struct json *json,
                             const struct finding *finding, struct error *err)
{
    struct frames frames;
    char detail[512], text[640];
    enum status status = find_frames(self, finding->lane, finding->event, &frames, err);
    if (status != STATUS_OK)
        return status;
    detail_of(self, finding, detail, sizeof detail);
    snprintf(text, sizeof text, "%s%s%s, %" PRIu64 " time%s, first at event:%" PRIu64,
             finding_texts[finding->kind], *detail ? ": " : "", detail, finding->count,
             plural(finding->count), finding->event);
    json_begin_object(json);
    json_member_text(json, "ruleId", finding_keys[finding->kind]);
    json_member_text(json, "level", "error");
    json_key(json, "message");
    json_begin_object(json);
    json_member_text(json, "text", text);
    json_end_object(json);
    json_key(json, "locations");
    json_begin_array(json);
    if (frames.count) {
        json_begin_object(json);
        put_sarif_place(self, json, frames.pc[0]);
        json_end_object(json);
    }
    json_end_array(json);
    json_key(json, "stacks");
    json_begin_array(json);
    json_begin_object(json);
    json_key(json, "frames");
    json_begin_array(json);
    for (size_t i = 0; i < frames.count; i++) {
        json_begin_object(json);
        json_key(json, "location");
        json_begin_object(json);
        put_sarif_place(self, json, frames.pc[i]);
        json_end_object(json);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
    json_end_array(json);
    json_end_object(json);
    return STATUS_OK;
}

// --- The command ---------------------------------------------------------------------------------

static void sum_up(struct check_command *self, size_t shown)
{
    const struct check *check = &self->check;
    struct diag *diag = &self->common.diag;
    const size_t count = self->found;
    if (!count)
        diag_note(diag, "nothing found");
    if (shown < count)
        diag_note(diag, "%zu more finding%s (--all)", count - shown, plural(count - shown));
    if (check->findings.beyond)
        diag_warning(diag, "more than %d different findings: %" PRIu64 " were left out",
                     LIMIT_FINDINGS, check->findings.beyond);
    if (self->suppressed)
        diag_note(diag, "%zu finding%s suppressed", self->suppressed,
                  self->suppressed == 1 ? " is" : "s are");
    if (check->heap.blocks.count)
        diag_note(diag,
                  "heap: %zu block%s allocated, %" PRIu64 " live at the end (%" PRIu64
                  " bytes); at most %" PRIu64 " bytes, at event:%" PRIu64,
                  check->heap.blocks.count, plural(check->heap.blocks.count),
                  check->heap.live_count, check->heap.live_bytes, check->heap.most_bytes,
                  check->heap.most_event);
    if (check->parts & (CHECK_HEAP | CHECK_LOCKS) && !check->pairs.calls.count)
        diag_note(diag, "no function of a heap or of locks was called that trawl knows (--pairs)");
    if (check->has_no_stack && check->parts & (CHECK_STACK | CHECK_UNDEFINED))
        diag_warning(diag, "the trace shows no stack pointer: stacks were not checked");
    if (check->unknown_instructions)
        diag_warning(diag, "%" PRIu64 " instruction%s not known: what they wrote counts as set",
                     check->unknown_instructions,
                     check->unknown_instructions == 1 ? " is" : "s are");
    if (check->is_cut)
        diag_warning(diag,
                     "more memory was used than can be watched: parts of it were not checked");
    if (self->common.session.view.info.damaged_lines)
        diag_warning(diag, "lines of the trace could not be read: what they did was not checked");
}

// Finds where the stacks are, for what the check says of them.
static enum status find_extents(struct check_command *self, struct error *err)
{
    struct bounded_stacks *stacks = &self->stacks;
    struct check *check = &self->check;
    *stacks = (struct bounded_stacks){.command = &self->common, .flow = &self->flow};
    stacks->until = TRAWL_NONE;
    enum status status = bounded_stacks_find(stacks, err);
    if (status == STATUS_OK && !VEC_ROOM(&check->extents, stacks->found.stacks.count))
        status = error_set(err, STATUS_MEMORY, "no memory for the stacks");
    for (size_t i = 0; i < stacks->found.stacks.count && status == STATUS_OK; i++) {
        const struct stack_use *use = &stacks->found.stacks.items[i];
        const struct stack_bounds *bounds = &stacks->bounds[i];
        const bool is_saved = use->stored < use->low;
        if (use->is_moved && bounds->has_bottom && !bounds->is_by_neighbor)
            check->extents.items[check->extents.count++] = (struct stack_extent){
                .bottom = bounds->bottom,
                .top = bounds->top,
                .lane = use->lane,
                .first = use->first,
                .owner = bounded_stacks_owner(stacks, use),
                .lowest = stack_use_lowest(use),
                .lowest_event = is_saved ? use->stored_event : use->event,
            };
    }
    return status;
}

static enum status put_findings(struct check_command *self, size_t *shown, struct error *err)
{
    struct command *command = &self->common;
    struct check *check = &self->check;
    struct json json;
    FILE *file = NULL;
    enum status status = STATUS_OK;
    if (self->write_suppressions && !(file = fopen(self->write_suppressions, "we")))
        return error_set(err, STATUS_IO, "%s: %s", self->write_suppressions, strerror(errno));
    if (self->format == CHECK_SARIF) {
        json_begin(&json, &command->out, 6);
        begin_sarif(&json);
    }
    for (size_t i = 0; i < check->findings.items.count && status == STATUS_OK; i++) {
        struct finding *finding = &check->findings.items.items[i];
        struct frames frames;
        status = find_frames(self, finding->lane, finding->event, &frames, err);
        if (status != STATUS_OK)
            break;
        if (is_suppressed(self, finding, &frames)) {
            self->suppressed++;
            continue;
        }
        self->found++;
        if (file)
            write_suppression(self, file, finding, &frames);
        if (*shown >= SHOWN && !self->wants_all && self->format == CHECK_TEXT)
            continue;
        ++*shown;
        status = check_explain(check, finding, err);
        if (status == STATUS_OK)
            status = self->format == CHECK_TEXT    ? put_text(self, finding, *shown, err)
                     : self->format == CHECK_SARIF ? put_sarif(self, &json, finding, err)
                                                   : put_row(self, finding, err);
    }
    if (self->format == CHECK_SARIF) {
        json_end_array(&json);
        json_end_object(&json);
        json_end_array(&json);
        json_end_object(&json);
        json_end(&json);
    }
    if (file && fclose(file) != 0 && status == STATUS_OK)
        status = error_set(err, STATUS_IO, "%s: %s", self->write_suppressions, strerror(errno));
    return status;
}

static void show_progress(void *own, uint64_t bytes)
{
    struct progress *progress = own;
    progress_add(progress, bytes - progress->done_bytes);
    progress_show(progress);
}

static bool report(void *own)
{
    struct check_command *self = own;
    struct command *command = &self->common;
    struct check *check = &self->check;
    const unsigned parts = check->parts;
    size_t shown = 0;
    struct error err;
    struct session *session = &command->session;
    const struct os_system *system = NULL;
    enum status status = dataflow_open(&self->flow, query_view(command), session->trace, &err);
    if (status == STATUS_OK)
        status = session_find_os(session, &system, &err);
    *check = (struct check){.flow = &self->flow,
                            .names = &command->session.names,
                            .advanced = show_progress,
                            .self = &command->progress,
                            .parts = parts,
                            .lane = command->lane,
                            .threads = command->session.threads,
                            .wants_steps = self->live};
    self->found = self->suppressed = 0;
    command->uses_memory = true;
    if (!check->parts)
        check->parts = CHECK_UNDEFINED | CHECK_STACK | CHECK_HEAP | CHECK_LOCKS;
    bool is_done = status == STATUS_OK || command_fail(command, &err);
    if (is_done && self->suppress && !self->suppressions.count)
        is_done = read_suppressions(self);
    for (size_t i = 0; i < self->pairs.count && is_done; i++) {
        if (pairs_add(&check->pairs, self->pairs.items[i], &err) != STATUS_OK)
            is_done = query_text_fail(command, "--pairs", self->pairs.items[i], &err);
    }
    const struct os_line *line;
    for (size_t at = 0;
         is_done && system && (line = os_next(&session->os_table, system, OS_PAIRS, NULL, &at));) {
        if (pairs_add(&check->pairs, line->word, &err) != STATUS_OK)
            is_done = query_text_fail(command, "--os", line->word, &err);
    }
    for (size_t i = 0; i < self->known.count && is_done; i++) {
        struct location location;
        struct trawl_event start = {.event = TRAWL_START};
        is_done = query_memory(command, self->known.items[i], &start, &location);
        struct known_range range = {.size_bytes = is_done ? location.size_bytes : 0};
        if (is_done && !query_address(command, self->known.items[i], &location, 0, TRAWL_START,
                                      &range.address))
            is_done = false;
        if (is_done && !VEC_ROOM(&check->known, 1))
            is_done = command_no_memory(command);
        if (is_done)
            check->known.items[check->known.count++] = range;
    }
    if (is_done && check->parts & CHECK_STACK) {
        status = find_extents(self, &err);
        is_done = status == STATUS_OK || command_fail(command, &err);
    }
    if (is_done) {
        progress_begin(&command->progress, command->diag.out, command_meter(command),
                       query_view(command)->info.trace_bytes);
        status = check_run(check, &err);
        progress_end(&command->progress);
        is_done = status == STATUS_OK || command_fail(command, &err);
    }
    if (is_done)
        is_done = self->format == CHECK_TEXT || self->format == CHECK_SARIF
                      ? command_output(command)
                      : command_fields(command, fields, ARRAY_COUNT(fields), 0);
    if (is_done) {
        status = put_findings(self, &shown, &err);
        is_done = status == STATUS_OK || command_fail(command, &err);
    }
    if (is_done && self->live) {
        status = live_bytes_write(self->live, check, &err);
        is_done = status == STATUS_OK || command_fail(command, &err);
    }
    if (is_done)
        sum_up(self, shown);
    check_free(check);
    bounded_stacks_free(&self->stacks);
    dataflow_close(&self->flow);
    *check = (struct check){.parts = parts};
    return source_places_end(command, &self->lines) && is_done;
}

static int take(void *own, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct check_command *self = own;
    switch (option) {
    case OPTION_ALL:
        self->wants_all = true;
        return OPTION_END;
    case OPTION_ONLY:
        for (size_t i = 0; i < ARRAY_COUNT(part_names); i++) {
            if (strcmp(match->value, part_names[i].name) == 0) {
                self->check.parts |= part_names[i].parts;
                return OPTION_END;
            }
        }
        return options_bad_value(parser, match, "undefined, stack, heap or locks");
    case OPTION_PAIRS:
        if (!VEC_ROOM(&self->pairs, 1))
            return options_no_memory(parser);
        self->pairs.items[self->pairs.count++] = match->value;
        return OPTION_END;
    case OPTION_KNOWN:
        if (!VEC_ROOM(&self->known, 1))
            return options_no_memory(parser);
        self->known.items[self->known.count++] = match->value;
        return OPTION_END;
    case OPTION_SUPPRESS:
        self->suppress = match->value;
        return OPTION_END;
    case OPTION_LIVE:
        self->live = match->value;
        return OPTION_END;
    case OPTION_WRITE_SUPPRESSIONS:
        self->write_suppressions = match->value;
        return OPTION_END;
    default:
        for (self->format = 0; self->format < ARRAY_COUNT(format_names); self->format++) {
            if (strcmp(match->value, format_names[self->format]) == 0)
                break;
        }
        if (self->format == ARRAY_COUNT(format_names))
            return options_bad_value(parser, match, "text, csv, json or sarif");
        self->common.table_format = self->format == CHECK_JSON ? TABLE_JSON : TABLE_CSV;
        return OPTION_END;
    }
}

static enum exit_status run(const struct command_spec *spec, int argc, char *const *argv)
{
    struct check_command self = {0};
    command_begin(&self.common, spec);
    self.common.asks_index = true;
    self.common.session.asks_loads = true;
    self.common.session.asks_text = true;
    enum exit_status status =
        command_run(&self.common, argc, argv, &(struct command_steps){&self, take, NULL, report});
    for (size_t i = 0; i < self.suppressions.count; i++) {
        free(self.suppressions.items[i].kind);
        for (size_t k = 0; k < self.suppressions.items[i].count; k++)
            free(self.suppressions.items[i].functions[k]);
    }
    free(self.suppressions.items);
    free(self.known.items);
    free(self.pairs.items);
    if (status == EXIT_STATUS_FAILED)
        return EXIT_STATUS_TROUBLE;
    return status == EXIT_STATUS_DONE && self.found ? EXIT_STATUS_DIFFERENT : status;
}

static const struct option_spec own_options[] = {
    {OPTION_ONLY, 0, "only", "WHAT",
     "check this only: undefined, stack, heap or locks; may be given several times"},
    {OPTION_PAIRS, 0, "pairs", "A:B",
     "also functions that allocate and free blocks (my_alloc:my_free), or take and release locks "
     "(lock=begin:end); may be given several times"},
    {OPTION_KNOWN, 0, "known", "ADDR:SIZE",
     "this memory has values that the trace does not show being written; may be given several "
     "times"},
    {OPTION_ALL, 0, "all", NULL, "all findings, not only the first 20"},
    {OPTION_SUPPRESS, 0, "suppress", "FILE",
     "leave out what its lines describe: a kind of finding, and patterns for the names of the "
     "function and its callers"},
    {OPTION_WRITE_SUPPRESSIONS, 0, "write-suppressions", "FILE",
     "write such a line for each finding"},
    {OPTION_LIVE, 0, "live", "FILE",
     "also write how many bytes and blocks of the heap are in use after each call that changes it, "
     "as CSV, or as a picture if the name ends in .svg"},
    {OPTION_CHECK_FORMAT, 0, "format", "FORMAT", "text (default), csv, json or sarif"},
    {ROW_OS},
    {ROW_LANE},
    {0},
};

const struct command_spec check_command = {
    .name = "check",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_REGISTERS | TRACE_MEMORY | TRACE_INSTRUCTIONS,
    .describe_input = trace_inputs_describe,
    .summary = "what is wrong in a run: values, stacks, heaps and locks",
    .description =
        "Checks a run after the fact, without another run and without another build. Reports\n"
        "decisions and addresses that depend on a value which nothing has set, in a new frame of a "
        "stack, in a block of a heap or in memory that the trace never writes; copies are "
        "followed, and are no fault themselves;\n"
        "accesses to frames of the stack that have ended, stacks that run into other data, and "
        "returns to addresses that were overwritten;\n"
        "accesses to freed blocks of a heap and right outside of blocks, blocks that are freed "
        "twice, by another heap or were never allocated, and those to which nothing points at the "
        "end;\n"
        "locks that are released without being held or by another task, taken twice, held over a "
        "wait, or taken in both orders.\n"
        "The same fault at the same instruction is one finding, with its first place, the stack "
        "there, and what led to it. trawl knows the functions of C, C++ and common operating "
        "systems; others are named by --pairs. docs/check.md says what cannot be found.\n"
        "The exit status is 0 if nothing is found, 1 if something is, 2 if the run could not be "
        "checked, and 3 if damaged parts were left out.",
    .common = &trace_common_options,
    .groups = QUERY_OPTION_GROUPS(own_options),
    .positionals = query_positional,
    .examples = "trawl check --image prog.elf run.tarmac\n"
                "trawl check --image prog.elf run.tarmac --only heap --pairs pool_get:pool_put\n"
                "trawl check --image prog.elf run.tarmac --write-suppressions known.txt\n"
                "trawl check --image prog.elf run.tarmac --only heap --live heap.svg\n",
    .alternatives = trace_alternatives,
    .answers = {"Nothing is found.", "Something is found."},
    .run = run,
};
