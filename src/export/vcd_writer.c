#include "export/vcd_writer.h"

#include "query/segment_order.h"

#include "base/characters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <xxhash.h>

// Steps of the file's time from one event to the next, so that this many accesses can have their
// own times.
#define STEPS_PER_EVENT 1000

struct function_name {
    const char *name; // "": no symbol; NULL: no function
    uint64_t pc;
};

// The state of a core between two events.
struct core_state {
    struct slot_values registers;
    struct function_name function;
    uint64_t cycle;    // of the last event
    uint64_t events;   // so far
    bool is_accessing; // the last event accessed memory
    bool is_aarch64;   // at the last instruction
    bool is_shown;     // the last event was shown
    bool has_last;     // of the last instruction, shown or not:
    uint64_t last_address;
    bool has_address; // `address` is shown, with or without its instruction
    // Of the last instruction shown, if any:
    bool has_instruction, is_executed;
    uint32_t encoding;
    uint64_t address;
    uint64_t text_hash; // of its disassembly
};

#define CORE_STATE_START ((struct core_state){.encoding = UINT32_MAX})

struct function_at {
    uint32_t event; // in the segment
    struct function_name function;
};

// Owned by a segment: the state before it, then its text.
struct segment_text {
    struct core_state *cores; // as many as lanes
    struct vcd_named_values named;
    VEC(, struct function_at) functions;
    struct out text;
    uint64_t now;     // the file's time; before the segment, then after it
    bool has_now;     // a time was written
    uint32_t refused; // the event that has too many accesses; UINT32_MAX: none
};

struct vcd_lane {
    struct vcd_core core;
    bool is_shown;
    const char *name;
    struct function_changes functions;
};

struct vcd_writer {
    struct vcd_options options;
    bool has_shown; // some event
    bool is_true_reading;
    struct names *names;
    struct out *out;
    VEC(, struct vcd_lane) lanes;
    uint32_t variable_count;
    struct register_names names_again; // those of the second pass
    // Of the carrying role:
    struct core_state *cores;                // as many as lanes
    const struct segment_instruction **last; // likewise, of the current segment
    struct vcd_named_values named;
    uint64_t now;
    bool has_now;
    // Of the writing role:
    uint64_t end_event, end_time; // of the last event
    uint64_t end_now;
};

// --- Lanes and header ----------------------------------------------------------------------------

struct vcd_writer *vcd_writer_new(const struct vcd_options *options, struct names *names,
                                  struct out *out)
{
    struct vcd_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return NULL;
    writer->options = *options;
    writer->is_true_reading = options->how.reading == READING_TRUE;
    writer->names = names;
    writer->out = out;
    return writer;
}

void vcd_writer_free(struct vcd_writer *writer)
{
    if (!writer)
        return;
    for (size_t i = 0; i < writer->lanes.count; i++)
        function_changes_free(&writer->lanes.items[i].functions);
    free(writer->lanes.items);
    free(writer->cores);
    free(writer->last);
    vcd_named_values_free(&writer->named);
    register_names_free(&writer->names_again);
    free(writer);
}

bool vcd_writer_add_lane(struct vcd_writer *writer, const struct lane_result *lane,
                         const struct node_ref *root, struct call_list *list)
{
    struct core_state *cores =
        realloc(writer->cores, (writer->lanes.count + 1) * sizeof *writer->cores);
    if (cores)
        writer->cores = cores;
    if (!cores || !VEC_ROOM(&writer->lanes, 1))
        return false;
    cores[writer->lanes.count] = CORE_STATE_START;
    struct vcd_lane *added = &writer->lanes.items[writer->lanes.count++];
    *added = (struct vcd_lane){.is_shown = root != NULL, .name = lane->name};
    vcd_core_init(&added->core, writer->options.registers, writer->options.named,
                  writer->options.how.reading, lane->has_aarch64, writer->variable_count);
    if (!root)
        return true;
    writer->variable_count += vcd_core_variables(&added->core);
    return function_changes_begin(&added->functions, list, root, &lane->calls);
}

void vcd_writer_begin(struct vcd_writer *writer)
{
    struct out *out = writer->out;
    if (writer->options.with_date) {
        char text[64] = "";
        time_t now = time(NULL);
        struct tm parts;
        if (localtime_r(&now, &parts) &&
            strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &parts)) {
            out_text(out, "$date\n");
            out_text(out, text);
            out_text(out, "\n$end\n");
        }
    }
    out_text(out, writer->is_true_reading ? "$version\ntrawl vcd\n$end\n"
                                          : "$version\ntarmac-vcd 0.0\n$end\n"
                                            "$comment\nGenerated by tarmac-vcd.\n$end\n");
    out_text(out, "$timescale 1ps $end\n");
    for (size_t i = 0; i < writer->lanes.count; i++) {
        const struct vcd_lane *lane = &writer->lanes.items[i];
        const char *scope = writer->is_true_reading && *lane->name ? lane->name : "CPU";
        if (lane->is_shown)
            vcd_core_declare(&lane->core, scope, out);
    }
    out_text(out, "$enddefinitions $end\n$dumpvars\n");
    if (!writer->is_true_reading)
        return; // the reference leaves the keyword open
    for (size_t i = 0; i < writer->lanes.count; i++) {
        if (writer->lanes.items[i].is_shown)
            vcd_core_dump_unknown(&writer->lanes.items[i].core, out);
    }
    out_text(out, "$end\n");
}

// --- Time ----------------------------------------------------------------------------------------

// The reference counts modulo 2^64; here the time stops at its maximum.
static uint64_t steps_of(const struct vcd_writer *writer, uint64_t count)
{
    uint64_t steps;
    bool is_over = __builtin_mul_overflow(count, STEPS_PER_EVENT, &steps);
    return is_over && writer->is_true_reading ? UINT64_MAX - STEPS_PER_EVENT : steps;
}

static uint64_t time_of_event(const struct vcd_writer *writer, const struct segment *segment,
                              uint32_t event)
{
    return steps_of(writer, writer->options.by_trace_times ? segment->events.time[event]
                                                           : segment->first_event + event);
}

// The time of access `index` of `count` in an event.
static uint64_t time_of_access(uint64_t base, uint64_t index, uint64_t count)
{
    return base + index * STEPS_PER_EVENT / count;
}

// --- Events and what belongs to them -------------------------------------------------------------

static const char *text_of(const struct vcd_writer *writer,
                           const struct segment_instruction *instruction)
{
    return source_bytes(writer->options.source) + instruction->text;
}

// The reference compares encodings.
static uint64_t hash_of_text(const struct vcd_writer *writer,
                             const struct segment_instruction *instruction)
{
    return writer->is_true_reading
               ? XXH3_64bits(text_of(writer, instruction), instruction->text_bytes)
               : 0;
}

// Stores what the next instruction needs.
static void keep_instruction(struct core_state *state,
                             const struct segment_instruction *instruction, uint64_t text_hash)
{
    state->has_instruction = state->has_address = true;
    state->address = instruction->address;
    state->encoding = instruction->encoding;
    state->is_executed = instruction->is_executed;
    state->text_hash = text_hash;
}

static bool is_of_event(const struct segment *segment, size_t instruction, uint32_t event)
{
    return instruction < segment->instructions.count &&
           segment->instructions.items[instruction].event == event;
}

// Whether the event is shown. The first event shown of a core writes all known values.
static bool shows_event(const struct vcd_writer *writer, const struct segment *segment,
                        uint32_t event, struct core_state *state)
{
    const struct vcd_lane *lane = &writer->lanes.items[segment->events.lane[event]];
    bool was_shown = state->is_shown;
    state->is_shown = lane->is_shown && call_range_has(&writer->options.range,
                                                       segment->events.time[event], state->events);
    if (!was_shown)
        state->has_instruction = state->has_address = false;
    return state->is_shown;
}

// An event without an instruction belongs to the one that its line names, or to the last, even if
// that was not shown. Returns whether it moves the PC, to an instruction of which no more is known,
// or which is unknown itself.
static bool moves_pc(const struct segment *segment, size_t *next_origin, uint32_t event,
                     struct core_state *state)
{
    const struct segment_origin *origins = segment->origins.items;
    bool is_known = state->has_last;
    uint64_t address = state->last_address;
    for (; *next_origin < segment->origins.count && origins[*next_origin].event <= event;
         ++*next_origin) {
        is_known = true;
        address = origins[*next_origin].pc;
    }
    bool is_same = state->has_address == is_known && (!is_known || state->address == address);
    if (segment->events.flags[event] & EVENT_HAS_INSTRUCTION || !state->is_shown || is_same)
        return false;
    state->address = address;
    state->has_address = is_known;
    state->has_instruction = false;
    return true;
}

static uint64_t spread_mask(uint8_t mask)
{
    uint64_t bits = mask * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    uint64_t high = ((bits + UINT64_C(0x7f7f7f7f7f7f7f7f)) | bits) & UINT64_C(0x8080808080808080);
    return (high >> 7) * 255;
}

// Returns whether something changed.
static ALWAYS_INLINE bool write_slot(struct slot_values *values, uint32_t slot,
                                     const struct segment_register *reg)
{
    uint64_t old = values->value[slot];
    uint8_t was_known = values->known[slot];
    values->value[slot] = (old & ~spread_mask(reg->mask)) | reg->value;
    if (UNLIKELY(reg->cell & REGISTER_VALUE_UNKNOWN)) {
        values->known[slot] &= (uint8_t)~reg->mask;
        values->has_unknown = true;
    } else {
        values->known[slot] |= reg->mask;
    }
    return values->value[slot] != old || values->known[slot] != was_known;
}

// --- Carry: what a segment leaves to the next ----------------------------------------------------

static bool make_named(const struct vcd_writer *writer, struct vcd_named_values *named)
{
    return vcd_named_values_make(named, writer->options.named, writer->lanes.count);
}

static struct segment_text *own_of(const struct vcd_writer *writer, struct segment *segment)
{
    struct segment_text *own = segment->own;
    struct error err;
    if (own)
        return own;
    own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->cores = calloc(writer->lanes.count + 1, sizeof *own->cores);
    if (!own->cores || !make_named(writer, &own->named) ||
        out_open_memory(&own->text, &err) != STATUS_OK) {
        vcd_named_values_free(&own->named);
        free(own->cores);
        free(own);
        return NULL;
    }
    segment->own = own;
    return own;
}

static void free_own(void *self, void *given)
{
    struct segment_text *own = given;
    (void)self;
    out_abandon(&own->text);
    free(own->cores);
    vcd_named_values_free(&own->named);
    free(own->functions.items);
    free(own);
}

static bool has_known_lanes(const struct vcd_writer *writer, const struct segment *segment)
{
    size_t lanes = writer->lanes.count;
    for (size_t i = 0; i < segment->event_count; i++) {
        if (segment->events.lane[i] >= lanes)
            return false;
    }
    for (size_t i = 0; i < segment->registers.count; i++) {
        if (segment->registers.items[i].lane >= lanes)
            return false;
    }
    for (size_t i = 0; i < segment->accesses.count; i++) {
        if (segment->accesses.items[i].lane >= lanes)
            return false;
    }
    for (size_t i = 0; i < segment->instructions.count; i++) {
        if (segment->instructions.items[i].lane >= lanes)
            return false;
    }
    return true;
}

// The functions entered or continued at an event: for the reference, the next in the queue if it
// has the event's time; otherwise those of the event itself. False: no memory.
static bool carry_functions(struct vcd_writer *writer, struct segment_text *own, uint32_t event,
                            uint64_t time, size_t lane)
{
    struct function_changes *changes = &writer->lanes.items[lane].functions;
    struct core_state *state = &writer->cores[lane];
    while (changes->has_head && (writer->is_true_reading ? changes->head.event <= state->events
                                                         : changes->head.time == time)) {
        state->function =
            (struct function_name){names_of(writer->names, changes->head.pc), changes->head.pc};
        if (!VEC_ROOM(&own->functions, 1))
            return false;
        own->functions.items[own->functions.count++] = (struct function_at){event, state->function};
        if (!function_changes_next(changes))
            return false;
        if (!writer->is_true_reading)
            return true;
    }
    return true;
}

// Moves the states over the segment's events. `last` becomes the last instructions shown, by lane.
// False: no memory.
static bool carry_events(struct vcd_writer *writer, const struct segment *segment,
                         struct segment_text *own, const struct segment_instruction **last)
{
    const struct segment_events *events = &segment->events;
    size_t at = 0, next_instruction = 0, next_origin = 0;
    for (uint32_t event = 0; event < segment->event_count; event++) {
        size_t lane = events->lane[event], first = at;
        struct core_state *state = &writer->cores[lane];
        bool is_shown = shows_event(writer, segment, event, state);
        writer->has_shown |= is_shown;
        for (; is_of_event(segment, next_instruction, event); next_instruction++) {
            const struct segment_instruction *instruction =
                &segment->instructions.items[next_instruction];
            struct core_state *of = &writer->cores[instruction->lane];
            of->is_aarch64 = instruction->is_aarch64;
            of->has_last = true;
            of->last_address = instruction->address;
            if (!of->is_shown)
                continue;
            last[instruction->lane] = instruction;
            of->has_address = true;
            of->address = instruction->address;
        }
        if (writer->is_true_reading && moves_pc(segment, &next_origin, event, state))
            last[lane] = NULL;
        if (!carry_functions(writer, own, event, events->time[event], lane))
            return false;
        state->is_accessing = false;
        for (; at < segment->accesses.count && segment->accesses.items[at].event == event; at++)
            writer->cores[segment->accesses.items[at].lane].is_accessing = true;
        if (is_shown) {
            uint64_t base = time_of_event(writer, segment, event), count = at - first;
            uint64_t now = count ? time_of_access(base, count - 1, count) : base;
            writer->now = writer->has_now ? u64_max(writer->now, now) : now;
            writer->has_now = true;
        }
        state->cycle = events->time[event];
        state->events++;
    }
    return true;
}

static bool carry(void *self, struct segment *segment, struct error *err)
{
    struct vcd_writer *writer = self;
    struct segment_text *own = own_of(writer, segment);
    size_t lanes = writer->lanes.count;
    if (!writer->last && !(writer->last = calloc(lanes + 1, sizeof(void *))))
        return false;
    const struct segment_instruction **last = writer->last;
    memset(last, 0, lanes * sizeof(void *));
    if (!own || !(lanes > 1 ? segment_order(segment) : segment_order_registers(segment)))
        return false;
    if (!has_known_lanes(writer, segment))
        return error_set(err, STATUS_INPUT, "the trace was changed while it was read"), false;
    if (!writer->named.cells && !make_named(writer, &writer->named))
        return false;
    memcpy(own->cores, writer->cores, lanes * sizeof *own->cores);
    vcd_named_values_copy(&own->named, &writer->named);
    own->now = writer->now;
    own->has_now = writer->has_now;
    own->functions.count = 0;
    if (!carry_events(writer, segment, own, last))
        return false;
    for (size_t i = 0; i < segment->registers.count; i++) {
        const struct segment_register *reg = &segment->registers.items[i];
        uint32_t slot =
            vcd_core_slot(&writer->lanes.items[reg->lane].core, register_cell(reg->cell));
        if (slot != NO_SLOT)
            write_slot(&writer->cores[reg->lane].registers, slot, reg);
        else
            vcd_named_write(&writer->named, reg);
    }
    for (size_t i = 0; i < lanes; i++) {
        if (last[i])
            keep_instruction(&writer->cores[i], last[i], hash_of_text(writer, last[i]));
    }
    return true;
}

// --- Build: the text of a segment ----------------------------------------------------------------

// Room for any change of a number.
#define CHANGE_BYTES (1 + 128 + 8)

struct builder {
    const struct vcd_writer *writer;
    const struct segment *segment;
    struct segment_text *own;
    size_t next_instruction, next_register, next_access, next_function, next_origin;
};

static void put_time(struct builder *builder, uint64_t time)
{
    struct segment_text *own = builder->own;
    bool goes_on = !own->has_now || time > own->now;
    if (builder->writer->is_true_reading && !goes_on)
        return; // readers need ascending times
    own->now = time;
    own->has_now = true;
    out_byte(&own->text, '#');
    out_u64(&own->text, time);
    out_byte(&own->text, '\n');
}

static ALWAYS_INLINE char *put_number(char *at, bool is_true_reading, uint64_t value,
                                      unsigned bytes, const struct vcd_ending *ending)
{
    *at++ = 'b';
    at = is_true_reading ? vcd_put_short_bits(at, value) : vcd_put_bits(at, value, bytes);
    return vcd_put_ending(at, ending);
}

// With `squeezes`, only the first of a run of blanks is written. A text too long for one
// reservation is written in parts.
static void put_string(struct out *out, const char *text, size_t length, bool squeezes,
                       const struct vcd_ending *ending)
{
    const size_t part_bytes = (OUT_ROOM_BYTES_MAX - 16) / VCD_ESCAPE_BYTES_MAX;
    char *start = out_room(out, OUT_ROOM_BYTES_MAX), *at = start;
    *at++ = 's';
    for (;;) {
        size_t part = length < part_bytes ? length : part_bytes;
        at = squeezes ? vcd_put_words(at, text, part) : vcd_put_string(at, text, part);
        text += part;
        length -= part;
        if (LIKELY(length == 0))
            break;
        for (; squeezes && length && is_blank(text[-1]) && is_blank(*text); length--)
            text++;
        out_commit(out, (size_t)(at - start));
        at = start = out_room(out, OUT_ROOM_BYTES_MAX);
    }
    out_commit(out, (size_t)(vcd_put_ending(at, ending) - start));
}

// The disassembly up to a comment.
static void put_disassembly(struct out *out, const char *text, size_t length,
                            const struct vcd_ending *ending)
{
    const char *comment = memchr(text, ';', length);
    const char *end = comment ? comment : text + length, *last = end;
    while (last > text && is_blank(last[-1]))
        last--;
    if (last == text && end > text)
        last = text + 1;
    put_string(out, text, (size_t)(last - text), true, ending);
}

static void put_instruction(struct builder *builder, const struct vcd_core *core,
                            struct core_state *state, const struct segment_instruction *instruction)
{
    struct out *out = &builder->own->text;
    bool is_true_reading = builder->writer->is_true_reading, is_executed = instruction->is_executed;
    uint64_t text_hash = hash_of_text(builder->writer, instruction);
    bool is_first = !state->has_instruction;
    // The reference shows the flag and encoding of the first instruction only if they are not 0 and
    // ffffffff, and decides by the encoding whether to show the text.
    bool has_flag = is_executed != state->is_executed || (is_true_reading && is_first);
    bool has_encoding = instruction->encoding != state->encoding || (is_true_reading && is_first);
    bool has_text = is_true_reading ? is_first || text_hash != state->text_hash : has_encoding;
    char *start = out_room(out, 3 * CHANGE_BYTES), *at = start;
    if (has_flag) {
        const struct vcd_ending *ending = &core->variables[VCD_INST_EXECUTED];
        *at++ = is_executed ? '1' : '0';
        memcpy(at, ending->text + 1, sizeof ending->text - 1);
        at += ending->length - 1;
    }
    if (!state->has_address || instruction->address != state->address)
        at = put_number(at, is_true_reading, instruction->address, core->address_bytes,
                        &core->variables[VCD_PC]);
    if (has_encoding)
        at = put_number(at, is_true_reading, instruction->encoding, 4, &core->variables[VCD_INST]);
    out_commit(out, (size_t)(at - start));
    if (has_text)
        put_disassembly(out, text_of(builder->writer, instruction), instruction->text_bytes,
                        &core->variables[VCD_INST_ASM]);
    keep_instruction(state, instruction, text_hash);
}

static void put_function(struct builder *builder, const struct vcd_core *core,
                         const struct function_name *function)
{
    char address[24];
    const char *name = function->name;
    if (builder->writer->is_true_reading && !*name) {
        snprintf(address, sizeof address, "0x%" PRIx64,
                 names_address(builder->writer->names, function->pc));
        name = address;
    }
    put_string(&builder->own->text, name, strlen(name), false, &core->variables[VCD_FUNCTION]);
}

static ALWAYS_INLINE bool is_known(const struct slot_values *values, uint32_t slot, uint8_t mask)
{
    return (values->known[slot] & mask) == mask;
}

// A long register, or one of which some bytes are not known, from the highest byte to the lowest.
static NEVER_INLINE void put_by_bytes(struct out *out, const struct vcd_register *reg,
                                      const struct slot_values *values, struct vcd_location place)
{
    unsigned known = 0, count = reg->size_bytes;
    for (unsigned i = 0; i < count; i++) {
        unsigned byte = place.first_byte + i;
        known += values->known[place.slot + byte / 8] >> byte % 8 & 1;
    }
    if (!known && !values->has_unknown)
        return;
    bool omits_zeros = known == count;
    char *start = out_room(out, 1 + 8 * VCD_REGISTER_BYTES_MAX + sizeof reg->ending.text),
         *at = start;
    *at++ = 'b';
    for (unsigned i = count; i-- > 0;) {
        unsigned byte = place.first_byte + i, slot = place.slot + byte / 8;
        uint64_t value = values->value[slot] >> 8 * (byte % 8) & 0xff;
        if (omits_zeros) {
            if (!value && i)
                continue;
            at = vcd_put_short_bits(at, value);
            omits_zeros = false;
        } else if (values->known[slot] >> byte % 8 & 1) {
            at = vcd_put_bits(at, value, 1);
        } else {
            memset(at, 'x', 8);
            at += 8;
        }
    }
    out_commit(out, (size_t)(vcd_put_ending(at, &reg->ending) - start));
}

static ALWAYS_INLINE void put_register(struct out *out, const struct vcd_core *core,
                                       const struct core_state *state, uint32_t number)
{
    const struct vcd_register *reg = &core->registers[number];
    const struct vcd_location place = reg->places[state->is_aarch64];
    const struct slot_values *values = &state->registers;
    unsigned bytes = reg->size_bytes;
    if (UNLIKELY(reg->is_scalable)) {
        put_by_bytes(out, reg, values, place);
        return;
    }
    uint8_t mask = (uint8_t)(bytes >= 8 ? 0xff : 0x0f << place.first_byte);
    if (!is_known(values, place.slot, mask) ||
        (bytes == 16 && !is_known(values, place.slot + 1u, mask))) {
        if (core->is_true_reading && values->has_unknown)
            put_by_bytes(out, reg, values, place);
        return;
    }
    uint64_t value = values->value[place.slot] >> (8 * place.first_byte);
    uint64_t upper = bytes == 16 ? values->value[place.slot + 1u] : 0;
    value &= bytes == 4 ? UINT32_MAX : UINT64_MAX;
    char *start = out_room(out, CHANGE_BYTES), *at = start;
    if (upper) {
        *at++ = 'b';
        at = vcd_put_short_bits(at, upper);
        at = vcd_put_ending(vcd_put_bits(at, value, 8), &reg->ending);
    } else {
        at = put_number(at, core->is_true_reading, value, bytes, &reg->ending);
    }
    out_commit(out, (size_t)(at - start));
}

static void put_registers(struct out *out, const struct vcd_core *core,
                          const struct core_state *state, const struct vcd_register_set *set)
{
    for (uint32_t word = 0; word < ARRAY_COUNT(set->bits); word++) {
        for (uint64_t bits = set->bits[word]; bits; bits &= bits - 1)
            put_register(out, core, state, 64 * word + (uint32_t)__builtin_ctzll(bits));
    }
}

// The registers that a write touched, in the state of its core.
static void add_touched(struct vcd_register_set *set, const struct vcd_core *core, bool is_aarch64,
                        uint32_t slot, uint8_t mask)
{
    const struct vcd_register_set *halves = core->in_half[is_aarch64][slot];
    for (size_t i = 0; i < ARRAY_COUNT(set->bits); i++) {
        if (mask & 0x0f)
            set->bits[i] |= halves[0].bits[i];
        if (mask & 0xf0)
            set->bits[i] |= halves[1].bits[i];
    }
}

// Whether the next row is another word of the same register.
static bool goes_on_with(const struct segment *segment, size_t row)
{
    const struct segment_register *now = &segment->registers.items[row], *next = now + 1;
    return row + 1 < segment->registers.count && next->event == now->event &&
           next->lane == now->lane && register_cell(next->cell) >= REGISTER_CELLS &&
           vcd_named_number(register_cell(next->cell)) ==
               vcd_named_number(register_cell(now->cell));
}

static void put_named(struct builder *builder, size_t lane, uint32_t number)
{
    vcd_named_put(&builder->own->named, &builder->writer->lanes.items[lane].core, lane, number,
                  &builder->own->text);
}

// Applies the event's writes, and shows them if their core is shown. `touched`: registers to show
// in any case.
static void build_registers(struct builder *builder, uint32_t event, size_t own_lane,
                            struct vcd_register_set touched)
{
    const struct vcd_writer *writer = builder->writer;
    const struct segment *segment = builder->segment;
    struct core_state *cores = builder->own->cores;
    for (; builder->next_register < segment->registers.count; builder->next_register++) {
        const struct segment_register *reg = &segment->registers.items[builder->next_register];
        if (reg->event != event)
            break;
        const struct vcd_core *core = &writer->lanes.items[reg->lane].core;
        struct core_state *state = &cores[reg->lane];
        uint32_t slot = vcd_core_slot(core, register_cell(reg->cell));
        if (slot == NO_SLOT) {
            if (vcd_named_write(&builder->own->named, reg) && state->is_shown &&
                !goes_on_with(segment, builder->next_register))
                put_named(builder, reg->lane, vcd_named_number(register_cell(reg->cell)));
            continue;
        }
        bool is_change = write_slot(&state->registers, slot, reg);
        if (writer->is_true_reading && !is_change)
            continue;
        if (LIKELY(reg->lane == own_lane)) {
            add_touched(&touched, core, state->is_aarch64, slot, reg->mask);
        } else if (state->is_shown) {
            struct vcd_register_set alone = {{0}};
            add_touched(&alone, core, state->is_aarch64, slot, reg->mask);
            put_registers(&builder->own->text, core, state, &alone);
        }
    }
    if (cores[own_lane].is_shown)
        put_registers(&builder->own->text, &writer->lanes.items[own_lane].core, &cores[own_lane],
                      &touched);
}

static void put_access(struct builder *builder, const struct vcd_core *core,
                       const struct segment_access *access)
{
    struct out *out = &builder->own->text;
    bool is_true_reading = builder->writer->is_true_reading;
    uint64_t value = access->value;
    char *start = out_room(out, 3 * CHANGE_BYTES), *at = start;
    *at++ = 's';
    *at++ = access->is_read ? 'R' : 'W';
    at = vcd_put_ending(at, &core->variables[VCD_MEM_RW]);
    at = put_number(at, is_true_reading, access->address, core->address_bytes,
                    &core->variables[VCD_MEM_ADDR]);
    if (is_true_reading && !access->is_known) {
        *at++ = 'b';
        *at++ = 'x';
        at = vcd_put_ending(at, &core->variables[VCD_MEM_DATA]);
    } else {
        if (is_true_reading &&
            access->size_bytes < 8) // the reference also shows digits beyond the size
            value &= (UINT64_C(1) << (8 * access->size_bytes)) - 1;
        at = put_number(at, is_true_reading, value, core->data_bytes,
                        &core->variables[VCD_MEM_DATA]);
    }
    out_commit(out, (size_t)(at - start));
}

// False: more accesses than the reference can show.
static bool build_accesses(struct builder *builder, uint32_t event, size_t own_lane)
{
    const struct vcd_writer *writer = builder->writer;
    const struct segment *segment = builder->segment;
    const struct segment_access *items = segment->accesses.items;
    struct core_state *cores = builder->own->cores, *own = &cores[own_lane];
    bool was_accessing = own->is_accessing, is_timed = own->is_shown;
    size_t first = builder->next_access, end = first;
    own->is_accessing = false;
    for (; end < segment->accesses.count && items[end].event == event; end++)
        cores[items[end].lane].is_accessing = true;
    builder->next_access = end;
    if (was_accessing && !own->is_accessing && own->is_shown) {
        // What is on the bus after the last access.
        const struct vcd_core *core = &writer->lanes.items[own_lane].core;
        struct out *out = &builder->own->text;
        const struct vcd_ending *ending = &core->variables[VCD_MEM_RW];
        const unsigned bytes[] = {core->address_bytes, core->data_bytes};
        char *start = out_room(out, 3 * CHANGE_BYTES), *at = start;
        *at++ = 's';
        at = vcd_put_ending(at, ending);
        for (unsigned i = 0; i < 2; i++) {
            unsigned digits = builder->writer->is_true_reading ? 1 : 8 * bytes[i];
            *at++ = 'b';
            memset(at, 'z', digits);
            at = vcd_put_ending(at + digits, ending + 1 + i); // MemAddr, MemData
        }
        out_commit(out, (size_t)(at - start));
    }
    if (first == end)
        return true;
    if (!writer->is_true_reading && end - first > STEPS_PER_EVENT)
        return false;
    uint64_t base = time_of_event(writer, segment, event);
    for (size_t i = first; i < end; i++) {
        if (i > first && is_timed)
            put_time(builder, time_of_access(base, i - first, end - first));
        if (cores[items[i].lane].is_shown)
            put_access(builder, &writer->lanes.items[items[i].lane].core, &items[i]);
    }
    return true;
}

// The PC of an event without an instruction. With `hides`, another instruction is shown until then.
static void put_origin(struct builder *builder, const struct vcd_core *core,
                       const struct core_state *state, bool hides)
{
    struct out *out = &builder->own->text;
    char *start = out_room(out, CHANGE_BYTES), *at = start;
    if (state->has_address) {
        at = put_number(at, true, state->address, core->address_bytes, &core->variables[VCD_PC]);
    } else {
        *at++ = 'b';
        *at++ = 'x';
        at = vcd_put_ending(at, &core->variables[VCD_PC]);
    }
    out_commit(out, (size_t)(at - start));
    if (!hides)
        return;
    out_text(out, "bx");
    out_bytes(out, core->variables[VCD_INST].text, core->variables[VCD_INST].length);
    out_byte(out, 'x'); // written without a space
    out_bytes(out, core->variables[VCD_INST_EXECUTED].text + 1,
              core->variables[VCD_INST_EXECUTED].length - 1);
    put_string(out, "", 0, false, &core->variables[VCD_INST_ASM]);
}

// Writes the event's instruction, and those of other cores' events in previous segments that are
// still due.
static void build_instructions(struct builder *builder, uint32_t event)
{
    const struct segment *segment = builder->segment;
    for (; is_of_event(segment, builder->next_instruction, event); builder->next_instruction++) {
        const struct segment_instruction *instruction =
            &segment->instructions.items[builder->next_instruction];
        struct core_state *state = &builder->own->cores[instruction->lane];
        state->is_aarch64 = instruction->is_aarch64;
        state->has_last = true;
        state->last_address = instruction->address;
        if (state->is_shown)
            put_instruction(builder, &builder->writer->lanes.items[instruction->lane].core, state,
                            instruction);
    }
}

static bool build_event(struct builder *builder, uint32_t event)
{
    const struct vcd_writer *writer = builder->writer;
    const struct segment_events *events = &builder->segment->events;
    size_t lane = events->lane[event];
    const struct vcd_core *core = &writer->lanes.items[lane].core;
    struct core_state *state = &builder->own->cores[lane];
    struct vcd_register_set touched = {{0}};
    bool was_shown = state->is_shown;
    bool is_shown = shows_event(writer, builder->segment, event, state);
    bool is_begin = is_shown && !was_shown;
    // The functions of an event, the last of which continues.
    const struct segment_text *own = builder->own;
    size_t first = builder->next_function;
    while (builder->next_function < own->functions.count &&
           own->functions.items[builder->next_function].event == event)
        state->function = own->functions.items[builder->next_function++].function;
    bool has_function = builder->next_function > first;
    if (is_shown) {
        struct out *out = &builder->own->text;
        put_time(builder, time_of_event(writer, builder->segment, event));
        if (!writer->is_true_reading || is_begin || state->cycle != events->time[event]) {
            char *start = out_room(out, CHANGE_BYTES);
            out_commit(out, (size_t)(put_number(start, writer->is_true_reading, events->time[event],
                                                core->cycle_bytes, &core->variables[VCD_CYCLE]) -
                                     start));
        }
    }
    build_instructions(builder, event);
    bool has_instruction = state->has_instruction;
    if (writer->is_true_reading && moves_pc(builder->segment, &builder->next_origin, event, state))
        put_origin(builder, core, state, has_instruction);
    if (is_shown) {
        if (has_function || (is_begin && state->function.name))
            put_function(builder, core, &state->function);
        const struct register_names *named = writer->options.named;
        for (uint32_t i = 0; is_begin && i < core->register_count; i++) // only known ones are shown
            touched.bits[i / 64] |= UINT64_C(1) << (i % 64);
        for (uint32_t i = 0; is_begin && named && i < named->items.count; i++)
            put_named(builder, lane, i);
    }
    state->cycle = events->time[event];
    state->events++;
    build_registers(builder, event, lane, touched);
    return build_accesses(builder, event, lane);
}

// Releases the texts that were read again. Pages that the kernel mapped around them go with them,
// and are mapped again if somebody reads them.
static void release_texts(const struct vcd_writer *writer, const struct segment *segment)
{
    const uint64_t around_bytes = 1 << 16;
    uint64_t first = segment->events.position[0] & ~(around_bytes - 1);
    uint64_t last = segment->events.position[segment->event_count - 1] + around_bytes;
    last = u64_min(last, source_size_bytes(writer->options.source));
    source_release(writer->options.source,
                   &(struct source_chunk){.data = source_bytes(writer->options.source) + first,
                                          .size_bytes = last - first});
}

static bool build(void *self, struct segment *segment, struct error *err)
{
    struct segment_text *own = segment->own;
    struct builder builder = {.writer = self, .segment = segment, .own = own};
    out_clear(&own->text);
    own->refused = UINT32_MAX;
    for (uint32_t event = 0; event < segment->event_count && own->refused == UINT32_MAX; event++) {
        if (!build_event(&builder, event))
            own->refused = event;
    }
    if (segment->event_count)
        release_texts(self, segment);
    if (out_failed(&own->text))
        return error_set(err, STATUS_MEMORY, "no memory for the text of a segment"), false;
    return true;
}

// --- Write ---------------------------------------------------------------------------------------

static bool write_segment(void *self, struct segment *segment, struct error *err)
{
    struct vcd_writer *writer = self;
    const struct segment_text *own = segment->own;
    bool is_refused = own->refused != UINT32_MAX;
    uint32_t count = is_refused ? own->refused + 1 : segment->event_count;
    // Reports what the reference reports, event by event, if times do not rise.
    if (!writer->is_true_reading && writer->options.by_trace_times) {
        for (uint32_t event = 0; event < count; event++) {
            uint64_t time = segment->events.time[event];
            if (time == writer->end_time && time != 0)
                writer->options.time_stands_still(time);
            if (time < writer->end_time) {
                error_set(err, STATUS_LIMIT,
                          "Error: tarmac trace is not chronologically ordered (time %" PRIu64
                          " follows time %" PRIu64 ").",
                          time, writer->end_time);
                return false;
            }
            writer->end_time = time;
        }
    }
    if (is_refused) {
        // The reference prints the time with its bytes reversed.
        error_set(err, STATUS_LIMIT,
                  "Error: too many memory accesses in instruction at timestamp %" PRIu64
                  " - more than the %d that can be represented in the VCD output.",
                  __builtin_bswap64(segment->events.time[own->refused]), STEPS_PER_EVENT);
        return false;
    }
    out_bytes(writer->out, own->text.buffer, own->text.used_bytes);
    writer->end_event = segment->first_event + count;
    writer->end_now = own->now;
    if (out_failed(writer->out))
        return error_set(err, STATUS_IO, "cannot write"), false; // out_close says why
    return true;
}

struct segment_consumer vcd_writer_consumer(struct vcd_writer *writer)
{
    return (struct segment_consumer){
        .self = writer,
        .segment_events = writer->options.segment_events,
        .keeps_instructions = true,
        // Needed on the M profile to tell which stack sp is, even if they are not shown.
        .names = writer->is_true_reading ? &writer->names_again : NULL,
        .carry = carry,
        .build = build,
        .write = write_segment,
        .free_own = free_own,
    };
}

bool vcd_writer_has_shown(const struct vcd_writer *writer)
{
    return writer->has_shown;
}

void vcd_writer_end(struct vcd_writer *writer)
{
    uint64_t end = writer->is_true_reading          ? writer->end_now / STEPS_PER_EVENT
                   : writer->options.by_trace_times ? writer->end_time
                                                    : writer->end_event - 1;
    out_byte(writer->out, '#');
    out_u64(writer->out, steps_of(writer, end + 1));
    out_text(writer->out, writer->is_true_reading ? "\n" : "\n$end\n");
}
