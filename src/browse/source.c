#include "browse/source.h"

#include "base/limits.h"
#include "query/point.h"
#include "session/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

void browse_source_open(struct browse_source *source, struct session *session)
{
    uint64_t options = session->view.info.options;
    enum implicit_state implicit = options & TRAWL_IMPLICIT_THUMB     ? STATE_IS_THUMB
                                   : session->reading == READING_TRUE ? STATE_BY_SIZE
                                                                      : STATE_IS_WRITTEN;
    *source = (struct browse_source){
        .session = session,
        .file = session->path,
        .trace = session->trace,
        .indexed = &session->view,
        .names = &session->names,
        .how = {.reading = session->reading,
                .implicit_state = implicit,
                .prefix = session->prefix,
                .dialect = session->trace->dialect},
        .load_offset = session->name_options.load_offset,
        .isa = session->view.isa,
        .rows = browse_rows_of(&session->view),
        .found_event = TRAWL_NONE,
    };
    if (source->rows != ROWS_LINES)
        source->first_time = index_view_first_time(&session->view);
    if (trace_lines_open(&source->lines, session->trace->source, &source->err) != STATUS_OK)
        source->has_failed = true;
}

void browse_source_renew(struct browse_source *source)
{
    struct growth *growth = source->growth;
    browse_source_open(source, source->session);
    source->growth = growth;
}

void browse_source_lose(struct browse_source *source)
{
    error_set(&source->err, STATUS_INPUT, "%s: was changed while it was read",
              source->session->view_path);
    source->has_failed = true;
}

static void fail(struct browse_source *source, enum trawl_status status,
                 const struct trawl_error *from)
{
    if (!source->has_failed)
        index_status(status, from, &source->err);
    source->has_failed = true;
}

bool browse_note(struct browse_source *source, enum status status, const struct error *err)
{
    bool is_answer = status == STATUS_OK || status == STATUS_NOT_FOUND;
    if (!is_answer && !source->has_failed)
        source->err = *err;
    source->has_failed |= !is_answer;
    return status == STATUS_OK;
}

bool browse_note_trawl(struct browse_source *source, enum trawl_status status,
                       const struct trawl_error *err)
{
    struct error why;
    return browse_note(source, index_status(status, err, &why), &why);
}

bool browse_failed(const struct browse_source *source, struct error *err)
{
    if (source->has_failed)
        *err = source->err;
    return source->has_failed || source_view_status(source->trace->source, err) != STATUS_OK;
}

// --- Events --------------------------------------------------------------------------------------

void browse_event(struct browse_source *source, uint64_t event, struct trawl_event *about)
{
    struct trawl_error err;
    *about = (struct trawl_event){.event = event, .pc = 2};
    if (event == TRAWL_START)
        return;
    enum trawl_status status = trawl_event(source->indexed->index, event, about, &err);
    if (status != TRAWL_OK)
        fail(source, status, &err);
}

bool browse_next_pc(struct browse_source *source, uint64_t event, uint64_t *pc)
{
    const struct index_view *indexed = source->indexed;
    struct trawl_event about = {0};
    struct trawl_error err;
    if (source->rows == ROWS_SNAPSHOTS) {
        browse_event(source, event, &about);
        *pc = about.pc;
        return about.flags & TRAWL_HAS_INSTRUCTION;
    }
    uint64_t next = event + 1; // of TRAWL_START: the first
    if (indexed->info.lanes > 1 && event != TRAWL_START) {
        browse_event(source, event, &about);
        if (about.in_lane + 1 >= indexed->lanes[about.lane].events)
            return false;
        enum trawl_status status =
            trawl_event_of_lane(indexed->index, about.lane, about.in_lane + 1, &next, &err);
        if (status != TRAWL_OK) {
            fail(source, status, &err);
            return false;
        }
    }
    if (next >= indexed->info.events)
        return false;
    browse_event(source, next, &about);
    *pc = about.pc;
    return true;
}

bool browse_is_exit(const struct trawl_event *about)
{
    uint32_t kind = about->flags & TRAWL_XRAY_KIND;
    return kind == 1 << 8 || kind == 2 << 8;
}

bool browse_next_row_of(struct browse_source *source, uint64_t lane, uint64_t pc, bool is_forward,
                        uint64_t *event)
{
    struct trawl_index *index = source->indexed->index;
    enum trawl_direction direction = is_forward ? TRAWL_FORWARD : TRAWL_BACKWARD;
    struct trawl_event about;
    struct trawl_error err;
    uint64_t at = *event;
    do {
        if (!is_forward &&
            at-- == TRAWL_START) // of the first: TRAWL_START, before which is nothing
            return false;
        if (trawl_visit(index, lane, pc, at, direction, &at, &err) != TRAWL_OK)
            return false;
        browse_event(source, at, &about);
    } while (browse_is_exit(&about) && !source->has_failed);
    *event = at;
    return true;
}

uint32_t browse_isa(struct browse_source *source, uint64_t event)
{
    struct trawl_event about;
    struct trawl_error err;
    if (source->rows != ROWS_LINES)
        return source->isa;
    browse_event(source, event, &about);
    for (int i = 0; event != TRAWL_START && i < LIMIT_STATE_STEPS; i++) {
        if (about.flags & TRAWL_HAS_INSTRUCTION)
            return about.flags & TRAWL_ISA;
        if (about.in_lane == 0)
            return false;
        enum trawl_status status = trawl_event_of_lane(source->indexed->index, about.lane,
                                                       about.in_lane - 1, &event, &err);
        if (status != TRAWL_OK) {
            fail(source, status, &err);
            return false;
        }
        browse_event(source, event, &about);
    }
    return false;
}

// --- Text ----------------------------------------------------------------------------------------

uint64_t browse_text_bytes(const struct browse_source *source)
{
    uint64_t size_bytes = source->lines.size_bytes;
    return source->growth ? u64_min(source->growth->text_bytes, size_bytes) : size_bytes;
}

struct trace_lines browse_lines(const struct browse_source *source)
{
    struct trace_lines lines = source->lines;
    lines.size_bytes = browse_text_bytes(source);
    return lines;
}

struct text_span browse_line(struct browse_source *source, uint64_t event, uint64_t line)
{
    const struct trace_lines lines = browse_lines(source);
    struct trawl_event about;
    if (event != source->found_event || line < source->found_line) {
        browse_event(source, event, &about);
        source->found_event = event;
        source->found_line = 0;
        source->found_position = u64_min(about.position, lines.size_bytes);
    }
    if (!lines.text)
        return (struct text_span){"", ""};
    uint64_t at = source->found_position;
    for (; source->found_line < line && at < lines.size_bytes; source->found_line++)
        at = trace_lines_next(&lines, at);
    source->found_position = at;
    const char *start = lines.text + at, *stop = lines.text + trace_lines_end(&lines, at);
    while (stop > start && stop[-1] == '\r')
        stop--;
    return (struct text_span){start, stop};
}

// --- Names ---------------------------------------------------------------------------------------

bool browse_has_image(const struct browse_source *source)
{
    return names_have_image(source->names);
}

// The name of an address, from the symbol of the byte `back` before it.
static bool name_by(struct browse_source *source, uint64_t address, unsigned back,
                    char text[BROWSE_NAME_BYTES])
{
    const bool is_true_reading = source->how.reading == READING_TRUE;
    uint64_t behind = 0;
    const char *name;
    if (source->trace->kind->ids) {
        name = names_of(source->names, address);
    } else if (!is_true_reading) {
        const struct symbols *symbols = source->names->ttu_symbols;
        uint64_t place = address - back - source->load_offset;
        const struct symbol *symbol = symbols ? symbols_by_address(symbols, place) : NULL;
        name = symbol ? symbol->display : NULL;
        behind = symbol ? address - symbol->value - source->load_offset : 0;
    } else {
        name = names_of_value(source->names, address - back,
                              source->indexed->arch->isas[source->isa].has_code_bit, &behind);
        behind += back;
    }
    if (!name)
        snprintf(text, BROWSE_NAME_BYTES, "0x%" PRIx64, names_address(source->names, address));
    else if (!behind || !source->names->options.with_offsets)
        snprintf(text, BROWSE_NAME_BYTES, "%.*s", BROWSE_NAME_BYTES - 1, name);
    else
        snprintf(text, BROWSE_NAME_BYTES, is_true_reading ? "%.*s+0x%" PRIx64 : "%.*s + 0x%" PRIx64,
                 BROWSE_NAME_BYTES - 24, name, behind);
    return name != NULL;
}

bool browse_address_name(struct browse_source *source, uint64_t address,
                         char text[BROWSE_NAME_BYTES])
{
    return name_by(source, address, 0, text);
}

bool browse_return_name(struct browse_source *source, uint64_t address,
                        char text[BROWSE_NAME_BYTES])
{
    // From the start of the last halfword of the call, for any code bit.
    return name_by(source, address, 2, text);
}

// --- State ---------------------------------------------------------------------------------------

static uint64_t lane_of(struct browse_source *source, uint64_t event)
{
    struct trawl_event about;
    if (source->indexed->info.lanes < 2)
        return 0;
    browse_event(source, event, &about);
    return about.lane;
}

// Whether an event may still get more lines.
static bool is_open(const struct browse_source *source, uint64_t event)
{
    return source->growth && event != TRAWL_START && event >= source->growth->known_events;
}

void browse_registers(struct browse_source *source, uint64_t event, uint64_t offset, size_t size,
                      uint8_t *values, uint8_t *known)
{
    browse_registers_beside(source, event, event, offset, size, values, known);
}

void browse_registers_beside(struct browse_source *source, uint64_t of, uint64_t event,
                             uint64_t offset, size_t size, uint8_t *values, uint8_t *known)
{
    struct trawl_error err;
    memset(known, 0, size);
    if (is_open(source, event))
        return;
    enum trawl_status status = trawl_registers(source->indexed->index, lane_of(source, of), event,
                                               offset, size, values, known, &err);
    if (status == TRAWL_OK)
        return;
    fail(source, status, &err);
    memset(known, 0, size);
}

void browse_memory(struct browse_source *source, uint64_t event, uint64_t address, size_t size,
                   uint8_t *values, uint8_t *known)
{
    struct trawl_error err;
    memset(known, 0, size);
    if (is_open(source, event))
        return;
    enum trawl_status status =
        index_view_memory(source->indexed, event, address, size, values, known, &err);
    if (status == TRAWL_OK)
        return;
    fail(source, status, &err);
    memset(known, 0, size);
}

uint64_t browse_register_written(struct browse_source *source, uint64_t event, uint64_t offset,
                                 size_t size)
{
    return browse_register_written_beside(source, event, event, offset, size);
}

uint64_t browse_register_written_beside(struct browse_source *source, uint64_t of, uint64_t event,
                                        uint64_t offset, size_t size)
{
    struct trawl_error err;
    uint64_t written;
    if (event == TRAWL_START)
        return TRAWL_NONE;
    enum trawl_status status =
        trawl_register_written(source->indexed->index, lane_of(source, of), event, TRAWL_BACKWARD,
                               offset, size, &written, &err);
    if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
        fail(source, status, &err);
    return status == TRAWL_OK ? written : TRAWL_NONE;
}

uint64_t browse_memory_written(struct browse_source *source, uint64_t event, uint64_t address,
                               uint64_t size)
{
    struct trawl_error err;
    struct trawl_write write;
    if (event == TRAWL_START)
        return TRAWL_NONE;
    enum trawl_status status = trawl_memory_written(source->indexed->index, event, TRAWL_BACKWARD,
                                                    address, size, &write, &err);
    if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
        fail(source, status, &err);
    return status == TRAWL_OK ? write.event : TRAWL_NONE;
}

// --- Expressions ---------------------------------------------------------------------------------

// The state for looking up the names of an expression.
struct known_names {
    struct browse_source *source;
    uint32_t isa; // after the event
};

const char *browse_task(struct browse_source *source, uint64_t event)
{
    struct session *session = source->session;
    const struct index_view *view = source->indexed;
    struct trawl_event about;
    struct trawl_task second;
    struct trawl_task_run run;
    struct trawl_error from;
    struct error err;
    if (!(view->info.options & TRAWL_TELLS_TASKS) || source->has_failed || !view->info.events)
        return NULL;
    browse_event(source, event == TRAWL_START ? 0 : event, &about);
    const bool has_next =
        event != TRAWL_START && about.in_lane + 1 < view->lanes[about.lane].events;
    if (trawl_task(view->index, about.lane, 1, &second, NULL) != TRAWL_OK)
        return NULL;
    const enum trawl_status found =
        trawl_task_run_at(view->index, about.lane, about.in_lane + has_next, &run, &from);
    if (found == TRAWL_NOT_FOUND || !browse_note_trawl(source, found, &from))
        return NULL;
    // The filter selects no task, so that all have names.
    if (!source->has_tasks && !browse_note(source, session_name_tasks_of_view(session, &err), &err))
        return NULL;
    source->has_tasks = true;
    return task_names_find(&session->tasks, about.lane, run.task)->name;
}

bool browse_register_named(const struct browse_source *source, const char *name, size_t length,
                           uint32_t isa, struct trawl_register *found)
{
    return trawl_register_named(source->indexed->index, isa, name, length, found, NULL) == TRAWL_OK;
}

// Registers with a role depend on the trace, the others on the state: as "sp" a core has different
// ones in its states.
static bool find_register(void *self, const char *name, size_t length, struct trawl_register *found)
{
    const struct known_names *known = self;
    enum { ROLES = TRAWL_REGISTER_SP | TRAWL_REGISTER_LINK };
    return (length == 2 &&
            browse_register_named(known->source, name, length, known->source->isa, found) &&
            found->flags & ROLES) ||
           browse_register_named(known->source, name, length, known->isa, found);
}

static bool find_symbol(void *self, const char *name, size_t length,
                        struct expression_symbol *symbol)
{
    const struct known_names *known = self;
    struct browse_source *source = known->source;
    char text[BROWSE_NAME_BYTES];
    if (length >= sizeof text)
        return false;
    memcpy(text, name, length);
    text[length] = '\0';
    if (source->how.reading == READING_TRUE)
        return names_find_symbol(source->names, text, &symbol->address, &symbol->size_bytes);
    const struct symbol *found =
        source->names->ttu_symbols ? symbols_by_name(source->names->ttu_symbols, text) : NULL;
    if (found)
        *symbol = (struct expression_symbol){.address = found->value + source->load_offset,
                                             .size_bytes = found->size};
    return found != NULL;
}

static struct expression_names names_known(struct known_names *known)
{
    bool is_right = known->source->how.reading == READING_TRUE;
    return (struct expression_names){
        .self = known,
        .find_register = find_register,
        .find_symbol = find_symbol,
        .takes_conditions = is_right,
        .types = is_right ? names_types(known->source->names) : NULL,
        .address_bytes = known->source->isa == ARCH_ISA_64 ? 8 : 4,
    };
}

// Ends the message about an unknown name with those that may have been meant.
static enum status suggest_names(const struct browse_source *source, const char *text,
                                 enum status status, struct error *err)
{
    if (status != STATUS_NOT_FOUND || !err || err->offset == ERROR_NO_OFFSET ||
        source->how.reading == READING_TTU)
        return status;
    const struct point_names known = {
        .names = source->names, .index = source->indexed->index, .isa = 0};
    char hint[SUGGEST_TEXT_BYTES];
    point_suggest(&known, text, err->offset, hint);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "%s", hint);
    return status;
}

enum status browse_parse(struct browse_source *source, uint64_t event, bool with_names,
                         const char *text, struct expression *expression, struct error *err)
{
    struct known_names known = {source, with_names ? browse_isa(source, event) : 0};
    const struct expression_names names = names_known(&known);
    const struct expression_names none = {0};
    enum status status =
        expression_parse(expression, text, strlen(text), with_names ? &names : &none, err);
    return suggest_names(source, text, status, err);
}

enum status browse_condition(struct browse_source *source, uint64_t event, const char *text,
                             struct expression *condition, struct error *err)
{
    struct known_names known = {source, browse_isa(source, event)};
    struct expression_names names = names_known(&known);
    names.takes_values = true;
    return suggest_names(source, text, expression_parse(condition, text, strlen(text), &names, err),
                         err);
}

enum status browse_location(struct browse_source *source, uint64_t event, const char *text,
                            struct location *location, struct error *err)
{
    struct known_names known = {source, browse_isa(source, event)};
    const struct expression_names names = names_known(&known);
    return suggest_names(source, text, location_parse(location, text, &names, err), err);
}

struct reader {
    struct browse_source *source;
    uint64_t event;
};

static bool read_register(void *self, const struct trawl_register *which, uint64_t *value)
{
    const struct reader *reader = self;
    size_t size = (size_t)which->size_bytes;
    uint8_t values[8], known[8];
    if (size == 0)
        return which->flags & TRAWL_REGISTER_PC &&
               browse_next_pc(reader->source, reader->event, value);
    browse_registers(reader->source, reader->event, which->offset, size, values, known);
    *value = point_number(values, size, which->flags & TRAWL_REGISTER_BIG_ENDIAN);
    return !memchr(known, 0, size);
}

static bool read_memory(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    const struct reader *reader = self;
    uint8_t values[8], known[8];
    size_t size = (size_t)size_bytes;
    if (address > UINT64_MAX - (size_bytes - 1))
        return false;
    browse_memory(reader->source, reader->event, address, size, values, known);
    *value = point_number(values, size, reader->source->indexed->info.options & TRAWL_BIG_ENDIAN);
    return !memchr(known, 0, size);
}

static bool read_local(void *self, const struct c_local *local, const char *name, size_t length,
                       uint64_t *value)
{
    const struct reader *reader = self;
    struct trawl_event about = {0};
    if (reader->event != TRAWL_START)
        browse_event(reader->source, reader->event, &about);
    struct point_registers point = {.view = reader->source->indexed,
                                    .lane = about.lane,
                                    .event = reader->event,
                                    .names = reader->source->names};
    const struct expression_registers registers = point_registers(&point);
    return registers.read_local(registers.self, local, name, length, value);
}

bool browse_evaluate(struct browse_source *source, const struct expression *expression,
                     uint64_t event, uint64_t *value)
{
    struct reader reader = {source, event};
    const struct expression_registers registers = {.self = &reader,
                                                   .read = read_register,
                                                   .read_memory = read_memory,
                                                   .read_local = read_local};
    return expression_evaluate(expression, &registers, value, NULL) == STATUS_OK;
}

// Lines to come may belong to the last event of a lane.
void growth_take(struct growth *growth, const struct index_view *indexed, uint64_t text_bytes)
{
    growth->text_bytes = text_bytes;
    growth->known_events = indexed->info.events;
    for (uint64_t lane = 0; lane < indexed->info.lanes; lane++) {
        struct trawl_event last;
        struct error err;
        uint64_t events = indexed->lanes[lane].events;
        if (!events)
            continue;
        bool is_found =
            index_view_event_of_lane(indexed, lane, events - 1, &last, &err) == STATUS_OK;
        growth->known_events = is_found ? u64_min(growth->known_events, last.event) : 0;
    }
}

void growth_put_status(const struct growth *growth, struct row *row)
{
    uint64_t total = growth->total_bytes ? growth->total_bytes : 1;
    uint64_t done = growth->progress ? growth->progress->done_bytes : 0;
    if (growth->is_cancelled)
        row_string(row, ROLE_STATUS, "   no index: canceled");
    else
        row_format(row, ROLE_STATUS, "   indexing: %u %%",
                   (unsigned)((unsigned __int128)u64_min(done, total) * 100 / total));
}
