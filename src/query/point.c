#include "query/point.h"

#include "cli/values.h"

#include "base/characters.h"

#include <inttypes.h>
#include <stdio.h>

// --- Positions -----------------------------------------------------------------------------------

static enum trawl_status find_visit(const struct index_view *view, const struct position *position,
                                    uint64_t lane, uint64_t *event, struct trawl_error *from)
{
    uint64_t address = position->value & ~UINT64_C(1), found;
    *event = TRAWL_START;
    for (uint64_t i = 0; i < position->visit; i++) {
        enum trawl_status status =
            trawl_visit(view->index, lane, address, *event, TRAWL_FORWARD, &found, from);
        if (status != TRAWL_OK)
            return status;
        if (*event != TRAWL_START && found <= *event)
            return index_view_no_progress(from);
        *event = found;
    }
    return TRAWL_OK;
}

uint64_t point_time(const struct index_view *view, const struct position *position)
{
    uint64_t hz = view->info.ticks_per_second;
    if (!position->is_fraction || !view->info.is_by_lanes || !hz)
        return position->value;
    uint64_t ticks = ticks_to_ns(position->ns, hz), time;
    bool is_past = __builtin_add_overflow(index_view_first_time(view), ticks, &time);
    return is_past ? UINT64_MAX : time;
}

enum status point_of(const struct index_view *view, const struct position *position, uint64_t lane,
                     uint64_t *event, struct error *err)
{
    struct trawl_error from;
    struct trawl_index *index = view->index;
    const struct trawl_info *info = &view->info;
    enum trawl_status status = TRAWL_OK;
    switch (position->kind) {
    case POSITION_START:
        *event = TRAWL_START;
        break;
    case POSITION_END:
        *event = info->events - 1; // without any events: TRAWL_START
        break;
    case POSITION_LINE:
        if (position->value > info->lines)
            return error_set(err, STATUS_NOT_FOUND, "the trace has only %" PRIu64 " line%s",
                             info->lines, plural(info->lines));
        status = trawl_event_at_line(index, position->value, event, &from);
        break;
    case POSITION_TIME:
        status = trawl_event_at_time(index, lane, point_time(view, position), event, &from);
        break;
    case POSITION_EVENT:
        if (position->value >= info->events)
            return error_set(err, STATUS_NOT_FOUND, "the trace has only %" PRIu64 " event%s",
                             info->events, plural(info->events));
        *event = position->value;
        break;
    case POSITION_BYTE:
        if (position->value >= info->trace_bytes)
            return error_set(err, STATUS_NOT_FOUND, "the trace has only %" PRIu64 " byte%s",
                             info->trace_bytes, plural(info->trace_bytes));
        status = trawl_event_at_position(index, position->value, event, &from);
        break;
    case POSITION_PC:
        status = find_visit(view, position, lane, event, &from);
        if (status == TRAWL_NOT_FOUND && position->visit == 1)
            return error_set(err, STATUS_NOT_FOUND, "0x%" PRIx64 " is never reached",
                             position->value);
        if (status == TRAWL_NOT_FOUND)
            return error_set(err, STATUS_NOT_FOUND,
                             "0x%" PRIx64 " is not reached %" PRIu64 " times", position->value,
                             position->visit);
        break;
    }
    return index_status(status, &from, err);
}

enum status point_in_lane(const struct index_view *view, uint64_t lane, uint64_t event,
                          struct trawl_event *about, struct error *err)
{
    struct trawl_error from;
    *about = (struct trawl_event){.event = TRAWL_START};
    if (event == TRAWL_START)
        return STATUS_OK;
    enum trawl_status read = trawl_event(view->index, event, about, &from);
    if (read != TRAWL_OK || about->lane == lane)
        return index_status(read, &from, err);
    // The number of events of the lane up to the point.
    uint64_t low = 0, high = u64_min(view->lanes[lane].events, event + 1);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2, candidate;
        read = trawl_event_of_lane(view->index, lane, middle, &candidate, &from);
        if (read != TRAWL_OK)
            return index_status(read, &from, err);
        if (candidate <= event)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0)
        return index_view_event_of_lane(view, lane, low - 1, about, err);
    *about = (struct trawl_event){.event = TRAWL_START};
    return STATUS_OK;
}

enum status point_next_instruction(const struct index_view *view, uint64_t lane, uint64_t event,
                                   struct trawl_event *about, struct error *err)
{
    uint64_t next = 0, events = view->lanes[lane].events;
    enum status status = point_in_lane(view, lane, event, about, err);
    if (status == STATUS_OK && about->event != TRAWL_START)
        next = about->in_lane + 1;
    for (; status == STATUS_OK && next < events; next++) {
        status = index_view_event_of_lane(view, lane, next, about, err);
        if (status == STATUS_OK && (about->flags & TRAWL_HAS_INSTRUCTION))
            return STATUS_OK;
    }
    return status == STATUS_OK ? error_set(err, STATUS_NOT_FOUND, "no instruction comes next")
                               : status;
}

uint32_t point_isa(const struct index_view *view, const struct trawl_event *about)
{
    if (about->event != TRAWL_START && (about->flags & TRAWL_HAS_INSTRUCTION))
        return about->flags & TRAWL_ISA;
    return view->isa;
}

// --- Names ---------------------------------------------------------------------------------------

static bool find_register(void *self, const char *name, size_t length, struct trawl_register *found)
{
    const struct point_names *names = self;
    return names->index &&
           trawl_register_named(names->index, names->isa, name, length, found, NULL) == TRAWL_OK;
}

static bool find_symbol(void *self, const char *name, size_t length,
                        struct expression_symbol *symbol)
{
    const struct point_names *names = self;
    char text[1024];
    if (length >= sizeof text)
        return false;
    memcpy(text, name, length);
    text[length] = '\0';
    struct image_symbol place;
    symbol->is_code = names->names->options.reading == READING_TRUE && !names->names->options.ids &&
                      image_set_by_name(&names->names->images, text, &place) &&
                      place.symbol->is_function;
    return names_find_symbol(names->names, text, &symbol->address, &symbol->size_bytes);
}

struct expression_names point_names(struct point_names *names)
{
    return (struct expression_names){
        .self = names,
        .find_register = find_register,
        .find_symbol = find_symbol,
        .takes_conditions = true, // with reads of memory
    };
}

static bool find_local(void *self, const char *name, size_t length, struct trawl_register *found);

struct expression_names point_c_names(struct point_names *names, bool takes_values)
{
    struct expression_names all = point_names(names);
    all.types = names_types(names->names);
    all.address_bytes = names->isa == ARCH_ISA_64 ? 8 : 4;
    all.takes_values = takes_values;
    struct trawl_event next;
    if (all.types && names->view &&
        point_next_instruction(names->view, names->lane, names->event, &next, NULL) == STATUS_OK) {
        all.scope =
            (struct c_scope){.has_pc = true, .is_point = true, .pc = next.pc & ~UINT64_C(1)};
        all.find_local = find_local;
    }
    return all;
}

static bool is_in_name(char c)
{
    return is_alphanumeric(c) || (c && strchr("_$.@#", c));
}

void point_suggest(const struct point_names *names, const char *text, uint64_t offset,
                   char hint[SUGGEST_TEXT_BYTES])
{
    struct suggestion near;
    const struct image_set *images = &names->names->images;
    size_t start = (size_t)u64_min(offset, strlen(text)), length = 0;
    bool is_symbol = strncmp(text + start, "sym::", 5) == 0;
    bool is_register = strncmp(text + start, "reg::", 5) == 0;
    start += is_symbol || is_register ? 5 : 0;
    while (is_in_name(text[start + length]))
        length++;
    suggest_begin(&near, text + start, length);
    struct trawl_register about;
    uint64_t registers = names->index && !is_symbol ? trawl_register_count(names->index) : 0;
    for (uint64_t i = 0; i < registers; i++) {
        if (trawl_register(names->index, i, &about, NULL) == TRAWL_OK)
            suggest_offer(&near, about.name, strlen(about.name));
    }
    for (size_t i = 0; i < images->members.count && !is_register; i++) {
        size_t count;
        const struct symbol *symbols = symbols_all(images->members.items[i].symbols, &count);
        for (size_t s = 0; s < count; s++)
            suggest_offer(&near, symbols[s].display, strlen(symbols[s].display));
    }
    if (!images->members.count && !is_register)
        names_offer(names->names, &near);
    *hint = '\0';
    if (near.near[0].distance)
        suggest_text(&near, hint);
}

// --- Registers -----------------------------------------------------------------------------------

// The address of the next instruction of the lane. False: there is none, or an error, which is in
// `err`.
static bool read_pc(struct point_registers *registers, uint64_t *value)
{
    struct trawl_event about;
    enum status status = point_next_instruction(registers->view, registers->lane, registers->event,
                                                &about, &registers->err);
    *value = about.pc & ~UINT64_C(1);
    registers->has_failed |= status != STATUS_OK && status != STATUS_NOT_FOUND;
    return status == STATUS_OK;
}

uint64_t point_number(const uint8_t *bytes, size_t size_bytes, bool is_big_endian)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size_bytes; i++)
        number = number << 8 | bytes[is_big_endian ? i : size_bytes - 1 - i];
    return number;
}

static bool read_register(void *self, const struct trawl_register *which, uint64_t *value)
{
    struct point_registers *registers = self;
    size_t size_bytes = (size_t)which->size_bytes;
    uint8_t values[8], known[8];
    struct trawl_error from;
    ASSERT(size_bytes <= sizeof values);
    if (size_bytes == 0)
        return which->flags & TRAWL_REGISTER_PC && read_pc(registers, value);
    enum trawl_status status =
        trawl_registers(registers->view->index, registers->lane, registers->event, which->offset,
                        size_bytes, values, known, &from);
    registers->has_failed |= status != TRAWL_OK;
    if (index_status(status, &from, &registers->err) != STATUS_OK || memchr(known, 0, size_bytes))
        return false;
    *value = point_number(values, size_bytes, which->flags & TRAWL_REGISTER_BIG_ENDIAN);
    return true;
}

static bool read_memory(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    struct point_registers *registers = self;
    uint8_t values[8], known[8];
    struct trawl_error from;
    if (address > UINT64_MAX - (size_bytes - 1))
        return false;
    enum trawl_status status = index_view_memory(registers->view, registers->event, address,
                                                 (size_t)size_bytes, values, known, &from);
    registers->has_failed |= status != TRAWL_OK;
    if (index_status(status, &from, &registers->err) != STATUS_OK ||
        memchr(known, 0, (size_t)size_bytes))
        return false;
    *value =
        point_number(values, (size_t)size_bytes, registers->view->info.options & TRAWL_BIG_ENDIAN);
    return true;
}

// --- Variables of functions ----------------------------------------------------------------------

// What DWARF asks about the point.
struct local_reader {
    struct point_registers *registers;
    uint32_t isa;
};

static void read_bytes(void *self, uint64_t address, size_t size_bytes, uint8_t *bytes,
                       uint8_t *known)
{
    const struct local_reader *reader = self;
    struct point_registers *registers = reader->registers;
    struct trawl_error from;
    memset(known, 0, size_bytes);
    if (!size_bytes || address > UINT64_MAX - (size_bytes - 1))
        return;
    enum trawl_status status = index_view_memory(registers->view, registers->event, address,
                                                 size_bytes, bytes, known, &from);
    registers->has_failed |= status != TRAWL_OK;
    if (index_status(status, &from, &registers->err) != STATUS_OK)
        memset(known, 0, size_bytes);
}

// A layout has numbers only for those that unwinding needs.
static bool find_numbered(const struct index_view *view, uint32_t isa, uint64_t number,
                          struct trawl_register *which)
{
    const struct arch_numbers *numbers = view->arch->isas[isa].numbers;
    for (; numbers && numbers->count; numbers++) {
        char name[16];
        if (number < numbers->first || number - numbers->first >= numbers->count)
            continue;
        snprintf(name, sizeof name, "%s%u", numbers->name, (unsigned)(number - numbers->first));
        return trawl_register_named(view->index, isa, name, strlen(name), which, NULL) == TRAWL_OK;
    }
    return number <= UINT32_MAX &&
           trawl_register_of_dwarf(view->index, isa, (uint32_t)number, which, NULL) == TRAWL_OK;
}

// In the byte order of the target.
static size_t read_numbered(void *self, uint64_t number, uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES])
{
    const struct local_reader *reader = self;
    struct point_registers *registers = reader->registers;
    const struct index_view *view = registers->view;
    uint8_t values[LIMIT_DEBUG_REGISTER_BYTES], known[LIMIT_DEBUG_REGISTER_BYTES];
    struct trawl_register which;
    struct trawl_error from;
    if (!find_numbered(view, reader->isa, number, &which))
        return 0;
    size_t size_bytes = (size_t)which.size_bytes;
    if (!size_bytes || which.size_bytes > LIMIT_DEBUG_REGISTER_BYTES)
        return 0;
    enum trawl_status status = trawl_registers(view->index, registers->lane, registers->event,
                                               which.offset, size_bytes, values, known, &from);
    registers->has_failed |= status != TRAWL_OK;
    if (index_status(status, &from, &registers->err) != STATUS_OK || memchr(known, 0, size_bytes))
        return 0;
    bool is_big = view->info.options & TRAWL_BIG_ENDIAN;
    bool is_turned = is_big != ((which.flags & TRAWL_REGISTER_BIG_ENDIAN) != 0);
    for (size_t i = 0; i < size_bytes; i++)
        bytes[i] = values[is_turned ? size_bytes - 1 - i : i];
    return size_bytes;
}

// The point of the function that runs next. False: there is none.
static bool begin_local(struct local_reader *reader, struct debug_point *point)
{
    struct point_registers *registers = reader->registers;
    struct trawl_event about;
    uint64_t pc;
    if (!registers->names || !names_types(registers->names) || !read_pc(registers, &pc))
        return false;
    enum status status =
        point_in_lane(registers->view, registers->lane, registers->event, &about, &registers->err);
    registers->has_failed |= status != STATUS_OK;
    reader->isa = point_isa(registers->view, &about);
    *point = (struct debug_point){.self = reader,
                                  .pc = pc,
                                  .calls = registers->view->arch->isas[reader->isa].calls,
                                  .is_big_endian = registers->view->info.options & TRAWL_BIG_ENDIAN,
                                  .read_memory = read_bytes,
                                  .read_register = read_numbered};
    return status == STATUS_OK;
}

static bool read_local(void *self, const struct c_local *local, const char *name, size_t length,
                       uint64_t *value)
{
    struct local_reader reader = {.registers = self};
    struct debug_point point;
    return begin_local(&reader, &point) && point.pc >= local->low && point.pc < local->high &&
           c_local_read(names_types(reader.registers->names), &point, local, name, length, value) &&
           !reader.registers->has_failed;
}

static bool find_local(void *self, const char *name, size_t length, struct trawl_register *found)
{
    const struct point_names *names = self;
    struct point_registers registers = {
        .view = names->view, .lane = names->lane, .event = names->event, .names = names->names};
    struct local_reader reader = {.registers = &registers};
    struct debug_point point;
    uint64_t number;
    return begin_local(&reader, &point) &&
           c_local_register(names_types(names->names), &point, name, length, &number) &&
           find_numbered(names->view, reader.isa, number, found);
}

// The name of what a pointer points to.
static const char *symbol_at(void *self, uint64_t address, uint64_t *offset)
{
    const struct local_reader *reader = self;
    struct names *names = reader->registers->names;
    uint64_t start;
    if (!names_start_of(names, address, &start))
        return NULL;
    *offset = (address & ~UINT64_C(1)) - start;
    return names_of_root(names, start);
}

// The point in a function, at `function`, or before or after a call of it. NULL: no image has it.
static struct debug_info *begin_call(struct local_reader *reader, uint64_t function,
                                     struct debug_point *point)
{
    struct point_registers *registers = reader->registers;
    struct image_lines *types = registers->names ? names_types(registers->names) : NULL;
    struct trawl_event about;
    size_t image;
    function &= ~UINT64_C(1);
    if (!types || !image_lines_member_at(types, function, &image) ||
        point_in_lane(registers->view, registers->lane, registers->event, &about,
                      &registers->err) != STATUS_OK)
        return NULL;
    const struct image_member *member = image_lines_member(types, image);
    reader->isa = point_isa(registers->view, &about);
    *point = (struct debug_point){.self = reader,
                                  .pc = function,
                                  .calls = registers->view->arch->isas[reader->isa].calls,
                                  .offset = member->offset,
                                  .address_mask = member->address_mask,
                                  .is_big_endian = registers->view->info.options & TRAWL_BIG_ENDIAN,
                                  .read_memory = read_bytes,
                                  .read_register = read_numbered,
                                  .find_symbol = symbol_at};
    return image_lines_info(types, image);
}

bool point_arguments(struct point_registers *registers, uint64_t function, struct out *out,
                     uint64_t *result_address)
{
    struct local_reader reader = {.registers = registers};
    struct debug_point point;
    struct debug_info *info = begin_call(&reader, function, &point);
    return info && debug_call_arguments(info, &point, out, result_address);
}

bool point_result(struct point_registers *registers, uint64_t function, uint64_t result_address,
                  struct out *out)
{
    struct local_reader reader = {.registers = registers};
    struct debug_point point;
    struct debug_info *info = begin_call(&reader, function, &point);
    return info && debug_call_result(info, &point, function & ~UINT64_C(1), result_address, out);
}

bool point_variables(struct point_registers *registers, uint64_t pc, enum debug_list list,
                     const struct debug_sink *sink)
{
    struct local_reader reader = {.registers = registers};
    struct debug_point point;
    struct error none;
    struct debug_info *info = begin_call(&reader, pc, &point);
    return info && debug_values_list(info, &point, list, sink, &none) == STATUS_OK;
}

struct expression_registers point_registers(struct point_registers *registers)
{
    return (struct expression_registers){.self = registers,
                                         .read = read_register,
                                         .read_memory = read_memory,
                                         .read_local = read_local};
}

// The failure to report: an unreadable index takes precedence over an unknown register.
static enum status judge(enum status status, const struct point_registers *registers,
                         struct error *err)
{
    if (status == STATUS_OK || !registers->has_failed)
        return status;
    if (err)
        *err = registers->err;
    return registers->err.status;
}

enum status point_value(const struct expression *expression, struct point_registers *registers,
                        uint64_t *value, struct error *err)
{
    const struct expression_registers readers = point_registers(registers);
    return judge(expression_evaluate(expression, &readers, value, err), registers, err);
}

enum status point_address(const struct location *location, struct point_registers *registers,
                          uint64_t *address, struct error *err)
{
    const struct expression_registers readers = point_registers(registers);
    return judge(location_address(location, &readers, address, err), registers, err);
}
