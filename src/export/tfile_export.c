#include "export/tfile_export.h"

#include "base/limits.h"
#include "query/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum variable { VARIABLE_EVENT = 1, VARIABLE_TIME, VARIABLE_UNKNOWN, VARIABLE_UNKNOWN_VECTOR };

static const char *const variable_names[] = {
    [VARIABLE_EVENT] = "trawl_event",
    [VARIABLE_TIME] = "trawl_time",
    [VARIABLE_UNKNOWN] = "trawl_unknown",
    [VARIABLE_UNKNOWN_VECTOR] = "trawl_unknown_vector",
};

// A point, with values that are not registers of the trace.
struct state {
    uint64_t event, time;
    uint64_t pc;
    bool is_pc_known;
    uint32_t isa;
    const struct gdb_machine *machine;
};

static const struct index_view *view_of(const struct tfile_export *export)
{
    return export->points->view;
}

// --- Points --------------------------------------------------------------------------------------

static enum status read_state(const struct tfile_export *export, uint64_t event,
                              struct state *state, struct error *err)
{
    struct trawl_event about, next;
    uint64_t lane = export->points->lane;
    enum status status = point_in_lane(view_of(export), lane, event, &about, err);
    if (status != STATUS_OK)
        return status;
    *state = (struct state){.event = event, .time = about.time};
    status = point_next_instruction(view_of(export), lane, event, &next, err);
    state->is_pc_known = status == STATUS_OK;
    if (!state->is_pc_known)
        next = about;
    if (next.flags & TRAWL_HAS_INSTRUCTION)
        state->pc = next.pc & ~UINT64_C(1);
    state->isa = point_isa(view_of(export), &next);
    state->machine =
        gdb_machine_of(view_of(export)->arch->gdb, view_of(export)->index, state->isa, false);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

// The next point where the core is the machine of the file. STATUS_NOT_FOUND: there is none.
static enum status next_state(struct tfile_export *export, struct state *state, struct error *err)
{
    for (;;) {
        uint64_t event;
        enum status status = point_choice_next(export->points, &event, err);
        if (status == STATUS_OK)
            status = read_state(export, event, state, err);
        if (status != STATUS_OK || state->machine == export->machine)
            return status;
        export->other_state = view_of(export)->arch->isas[state->isa].state;
        export->left_out_count++;
    }
}

// --- Tracepoints ---------------------------------------------------------------------------------

// The number of addresses below `address`.
static size_t rank_of(const struct tfile_export *export, uint64_t address)
{
    size_t low;
    PARTITION_POINT(low, export->addresses.count, export->addresses.items[middle] < address);
    return low;
}

static bool has_address(const struct tfile_export *export, size_t rank, uint64_t address)
{
    return rank < export->addresses.count && export->addresses.items[rank] == address;
}

static bool add_address(struct tfile_export *export, uint64_t address)
{
    size_t rank = rank_of(export, address);
    if (has_address(export, rank, address))
        return true;
    if (export->addresses.count == LIMIT_TFILE_EXPORT_TRACEPOINTS) {
        export->has_more_addresses = true;
        return true;
    }
    if (!VEC_ROOM(&export->addresses, 1))
        return false;
    uint64_t *at = export->addresses.items + rank;
    memmove(at + 1, at, (export->addresses.count++ - rank) * sizeof *at);
    *at = address;
    return true;
}

static uint32_t tracepoint_of(const struct tfile_export *export, uint64_t address)
{
    size_t rank = rank_of(export, address);
    bool is_own = has_address(export, rank, address);
    return (uint32_t)(is_own ? rank : export->addresses.count) + 1;
}

// --- The plan ------------------------------------------------------------------------------------

// Vector registers at the end of the block are left out if nothing writes them.
static enum status find_block(struct tfile_export *export, struct error *err)
{
    struct gdb_target *target = &export->target;
    struct trawl_error from;
    if (!export->machine || !gdb_target_init(target, view_of(export)->index, export->machine))
        return error_set(err, STATUS_INPUT, "its registers are not those of a core that GDB knows");
    export->register_count = target->count;
    export->block_bytes = target->block_bytes;
    while (export->register_count > target->core_count) {
        const struct gdb_register *last = &target->registers[export->register_count - 1];
        uint64_t event;
        enum trawl_status status = trawl_register_written(
            view_of(export)->index, export->points->lane, view_of(export)->info.events - 1,
            TRAWL_BACKWARD, last->place, last->size_bytes, &event, &from);
        if (status != TRAWL_NOT_FOUND)
            return index_status(status, &from, err);
        export->register_count--;
        export->block_bytes = last->offset;
    }
    return STATUS_OK;
}

static enum status find_first(struct tfile_export *export, struct error *err)
{
    struct state state;
    uint64_t event;
    enum status status = point_choice_begin(export->points, err);
    if (status == STATUS_OK)
        status = point_choice_next(export->points, &event, err);
    if (status == STATUS_OK)
        status = read_state(export, event, &state, err);
    if (status != STATUS_OK)
        return status;
    export->isa = state.isa;
    export->machine = state.machine;
    return find_block(export, err);
}

enum status tfile_export_plan(struct tfile_export *export, struct error *err)
{
    struct state state;
    enum status status = find_first(export, err);
    if (status == STATUS_OK)
        status = point_choice_begin(export->points, err);
    if (status != STATUS_OK)
        return status;
    while ((status = next_state(export, &state, err)) == STATUS_OK) {
        export->frame_count++;
        if (!add_address(export, state.pc))
            return error_set(err, STATUS_MEMORY, "no memory for the tracepoints");
    }
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

// --- The head ------------------------------------------------------------------------------------

static void put_description_line(void *self, const char *line)
{
    tfile_write_description_line(self, line);
}

// --- Registers -----------------------------------------------------------------------------------

// A frame's registers, and bits for those that are unknown.
struct registers {
    uint8_t block[GDB_BLOCK_BYTES_MAX];
    uint64_t unknown, unknown_vector;
};

// Values of the state take precedence over writes in the trace: the pc, and in an unknown psr the
// bit by which GDB recognizes the instruction set.
static enum status read_register(const struct tfile_export *export, const struct state *state,
                                 size_t number, uint8_t values[16], bool *is_known,
                                 struct error *err)
{
    const struct gdb_register *reg = &export->target.registers[number];
    struct trawl_error from;
    uint8_t known[16];
    ASSERT(reg->size_bytes <= sizeof known);
    if (number == export->target.pc) {
        memcpy(values, &state->pc, reg->size_bytes); // little-endian hosts only
        *is_known = state->is_pc_known;
        return STATUS_OK;
    }
    enum trawl_status status =
        trawl_registers(view_of(export)->index, export->points->lane, state->event, reg->place,
                        reg->size_bytes, values, known, &from);
    for (uint32_t i = 0; i < reg->size_bytes; i++)
        values[i] = known[i] ? values[i] : 0;
    *is_known = !memchr(known, 0, reg->size_bytes);
    if (number == export->target.status && !known[0] && state->isa == export->machine->state_isa)
        memcpy(values, &export->machine->state_bit, sizeof export->machine->state_bit);
    return index_status(status, &from, err);
}

static enum status read_registers(const struct tfile_export *export, const struct state *state,
                                  struct registers *registers, struct error *err)
{
    bool big_endian = view_of(export)->info.options & TRAWL_BIG_ENDIAN;
    registers->unknown = registers->unknown_vector = 0;
    for (size_t i = 0; i < export->target.count; i++) {
        const struct gdb_register *reg = &export->target.registers[i];
        uint32_t size_bytes = reg->size_bytes;
        uint8_t values[16] = {0};
        bool is_known = false;
        enum status status = STATUS_OK;
        if (i < export->register_count)
            status = read_register(export, state, i, values, &is_known, err);
        if (status != STATUS_OK)
            return status;
        if (!is_known) {
            size_t core_count = export->target.core_count;
            if (i < core_count)
                registers->unknown |= UINT64_C(1) << i;
            else
                registers->unknown_vector |= UINT64_C(1) << (i - core_count);
        }
        for (uint32_t b = 0; b < size_bytes; b++)
            registers->block[reg->offset + b] = values[big_endian ? size_bytes - 1 - b : b];
    }
    return STATUS_OK;
}

// --- Memory --------------------------------------------------------------------------------------

static enum status read_memory(struct tfile_export *export, const struct state *state,
                               struct tfile_export_memory *memory, struct error *err)
{
    struct point_registers registers = {
        .view = view_of(export), .lane = export->points->lane, .event = state->event};
    struct trawl_error from;
    struct error why;
    enum status status = point_address(&memory->location, &registers, &memory->address, &why);
    memory->is_there = status == STATUS_OK;
    if (status == STATUS_NOT_FOUND || status == STATUS_INPUT) {
        if (memory->missing_count++ == 0)
            memory->why = why;
        return STATUS_OK;
    }
    if (status != STATUS_OK) {
        *err = why;
        return status;
    }
    return index_status(trawl_memory(view_of(export)->index, state->event, memory->address,
                                     memory->location.size_bytes, memory->values, memory->known,
                                     &from),
                        &from, err);
}

// The length of the next known bytes from `at` on, at most a block; *at becomes their start. 0:
// there are none.
static uint32_t next_block(const struct tfile_export_memory *memory, uint64_t *at)
{
    uint64_t size_bytes = memory->location.size_bytes;
    const uint8_t *first =
        memory->is_there ? memchr(memory->known + *at, 1, size_bytes - *at) : NULL;
    if (!first)
        return 0;
    *at = (uint64_t)(first - memory->known);
    uint64_t count = u64_min(size_bytes - *at, TFILE_MEMORY_BYTES_MAX);
    const uint8_t *end = memchr(first, 0, count);
    return (uint32_t)(end ? (uint64_t)(end - first) : count);
}

static uint64_t memory_bytes(const struct tfile_export_memory *memory)
{
    uint64_t sum = 0;
    uint32_t count;
    for (uint64_t at = 0; (count = next_block(memory, &at)); at += count)
        sum += TFILE_MEMORY_BYTES(count);
    return sum;
}

static bool find_room(struct tfile_export *export)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < export->memory.count; i++)
        sum += export->memory.items[i].location.size_bytes;
    ASSERT(sum <= LIMIT_TFILE_EXPORT_MEMORY_BYTES);
    uint8_t *at = export->buffer = malloc(2 * sum + 1);
    for (size_t i = 0; at && i < export->memory.count; i++) {
        struct tfile_export_memory *memory = &export->memory.items[i];
        memory->values = at;
        memory->known = at + memory->location.size_bytes;
        at += 2 * memory->location.size_bytes;
    }
    return at;
}

// --- Frames --------------------------------------------------------------------------------------

static enum status put_frame(struct tfile_export *export, const struct state *state,
                             struct tfile_writer *writer, struct error *err)
{
    struct registers registers;
    uint64_t size_bytes =
        TFILE_REGISTERS_BYTES(export->block_bytes) + UINT64_C(4) * TFILE_VALUE_BYTES;
    enum status status = read_registers(export, state, &registers, err);
    for (size_t i = 0; i < export->memory.count && status == STATUS_OK; i++) {
        status = read_memory(export, state, &export->memory.items[i], err);
        if (status == STATUS_OK)
            size_bytes += memory_bytes(&export->memory.items[i]);
    }
    if (status != STATUS_OK)
        return status;
    ASSERT(size_bytes <= INT32_MAX); // GDB accepts no more; memory is bounded
    tfile_write_frame(writer, tracepoint_of(export, state->pc), (uint32_t)size_bytes);
    tfile_write_registers(writer, registers.block, export->block_bytes);
    tfile_write_value(writer, VARIABLE_EVENT, state->event);
    tfile_write_value(writer, VARIABLE_TIME, state->time);
    tfile_write_value(writer, VARIABLE_UNKNOWN, registers.unknown);
    tfile_write_value(writer, VARIABLE_UNKNOWN_VECTOR, registers.unknown_vector);
    for (size_t i = 0; i < export->memory.count; i++) {
        const struct tfile_export_memory *memory = &export->memory.items[i];
        uint32_t count;
        for (uint64_t at = 0; (count = next_block(memory, &at)); at += count)
            tfile_write_memory(writer, memory->address + at, memory->values + at, count);
    }
    return STATUS_OK;
}

enum status tfile_export_write(struct tfile_export *export, struct out *out, struct error *err)
{
    struct tfile_writer writer;
    struct state state;
    if (!find_room(export))
        return error_set(err, STATUS_MEMORY, "no memory for the memory of a frame");
    enum status status = point_choice_begin(export->points, err);
    if (status != STATUS_OK)
        return status;
    export->left_out_count = 0;
    const struct tfile_write_status about = {export->frame_count, "exported by trawl",
                                             export->note};
    bool big_endian = view_of(export)->info.options & TRAWL_BIG_ENDIAN;
    tfile_write_begin(&writer, out, big_endian, export->block_bytes, &about);
    gdb_target_describe(export->machine, &export->target, put_description_line, &writer);
    for (uint32_t i = VARIABLE_EVENT; i <= VARIABLE_UNKNOWN_VECTOR; i++)
        tfile_write_variable(&writer, i, variable_names[i]);
    if (export->has_more_addresses)
        tfile_write_tracepoint(&writer, (uint32_t) export->addresses.count + 1, 0);
    for (size_t i = export->addresses.count; i-- > 0;)
        tfile_write_tracepoint(&writer, (uint32_t)i + 1, export->addresses.items[i]);
    tfile_write_end_head(&writer);
    while ((status = next_state(export, &state, err)) == STATUS_OK && !out_failed(out)) {
        status = put_frame(export, &state, &writer, err);
        if (status != STATUS_OK)
            return status;
    }
    tfile_write_end(&writer);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

void tfile_export_free(struct tfile_export *export)
{
    free(export->addresses.items);
    free(export->memory.items);
    free(export->buffer);
    *export = (struct tfile_export){0};
}

// --- The text of a trace file --------------------------------------------------------------------

// --- The head ------------------------------------------------------------------------------------

static void put_hex_text(struct out *out, const char *text)
{
    size_t length = (size_t)u64_min(strlen(text), TFILE_TEXT_BYTES_MAX);
    for (size_t i = 0; i < length; i++)
        out_hex(out, (uint8_t)text[i], 2);
}

void tfile_write_begin(struct tfile_writer *writer, struct out *out, bool big_endian,
                       uint32_t register_bytes, const struct tfile_write_status *status)
{
    *writer = (struct tfile_writer){out, big_endian};
    out_text(out, "\x7fTRACE0\nR ");
    out_hex(out, register_bytes, 1);
    out_text(out, "\nstatus 0;tstop:");
    put_hex_text(out, status->reason);
    out_text(out, ":0;tframes:");
    out_hex(out, status->frame_count, 1);
    out_text(out, ";tcreated:");
    out_hex(out, status->frame_count, 1);
    out_text(out, ";notes:");
    put_hex_text(out, status->note);
    out_byte(out, '\n');
}

void tfile_write_description_line(struct tfile_writer *writer, const char *line)
{
    out_text(writer->out, "tdesc ");
    out_text(writer->out, line);
    out_byte(writer->out, '\n');
}

void tfile_write_variable(struct tfile_writer *writer, uint32_t number, const char *name)
{
    struct out *out = writer->out;
    out_text(out, "tsv ");
    out_hex(out, number, 1);
    out_text(out, ":0:0:");
    put_hex_text(out, name);
    out_byte(out, '\n');
}

// "tp PNUMBER:ADDRESS:", of the piece P.
static void begin_piece(struct out *out, char piece, uint32_t number, uint64_t address)
{
    out_text(out, "tp ");
    out_byte(out, piece);
    out_hex(out, number, 1);
    out_byte(out, ':');
    out_hex(out, address, 1);
    out_byte(out, ':');
}

// GDB takes the place of a tracepoint from its source form, which needs no image if it is an
// address.
void tfile_write_tracepoint(struct tfile_writer *writer, uint32_t number, uint64_t address)
{
    struct out *out = writer->out;
    char source[24];
    int length = snprintf(source, sizeof source, "*0x%" PRIx64, address);
    begin_piece(out, 'T', number, address);
    out_text(out, "E:0:0\n");
    begin_piece(out, 'Z', number, address);
    out_text(out, "at:0:");
    out_hex(out, (uint64_t)length, 1);
    out_byte(out, ':');
    put_hex_text(out, source);
    out_byte(out, '\n');
}

void tfile_write_end_head(struct tfile_writer *writer)
{
    out_byte(writer->out, '\n');
}

// --- Frames --------------------------------------------------------------------------------------

// A number of up to eight bytes in the order of the target.
static void put_number(struct tfile_writer *writer, uint64_t value, unsigned size_bytes)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size_bytes; i++)
        bytes[writer->big_endian ? size_bytes - 1 - i : i] = (uint8_t)(value >> (8 * i));
    out_bytes(writer->out, bytes, size_bytes);
}

void tfile_write_frame(struct tfile_writer *writer, uint32_t tracepoint, uint32_t size_bytes)
{
    ASSERT(tracepoint > 0 && tracepoint <= TFILE_TRACEPOINT_MAX);
    put_number(writer, tracepoint, 2);
    put_number(writer, size_bytes, 4);
}

void tfile_write_registers(struct tfile_writer *writer, const uint8_t *bytes, uint32_t count)
{
    out_byte(writer->out, 'R');
    out_bytes(writer->out, bytes, count);
}

void tfile_write_memory(struct tfile_writer *writer, uint64_t address, const uint8_t *bytes,
                        uint32_t count)
{
    ASSERT(count <= TFILE_MEMORY_BYTES_MAX);
    out_byte(writer->out, 'M');
    put_number(writer, address, 8);
    put_number(writer, count, 2);
    out_bytes(writer->out, bytes, count);
}

void tfile_write_value(struct tfile_writer *writer, uint32_t number, uint64_t value)
{
    out_byte(writer->out, 'V');
    put_number(writer, number, 4);
    put_number(writer, value, 8);
}

// Writes a frame of tracepoint 0. GDB writes these four bytes; other readers read two, or a whole
// head of a frame.
void tfile_write_end(struct tfile_writer *writer)
{
    put_number(writer, 0, 4);
}
