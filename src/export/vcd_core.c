#include "export/vcd_writer.h"

#include "base/characters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct vcd_ending vcd_ending_of(uint32_t number)
{
    struct vcd_ending ending = {.text = {' '}};
    unsigned length = 1;
    do
        ending.text[length++] = (char)('!' + number % 94);
    while ((number /= 94) > 0);
    ending.text[length++] = '\n';
    ending.length = (uint8_t)length;
    return ending;
}

char *vcd_put_short_bits(char *at, uint64_t value)
{
    unsigned digits = 64 - (unsigned)__builtin_clzll(value | 1);
    vcd_put_bits(at, value << (64 - digits), 8);
    return at + digits;
}

// Writes a backslash and a letter, or a backslash and three octal digits. Bytes are signed, as in
// the reference, so bytes above 127 begin with a character below '0'.
static NEVER_INLINE char *put_escape(char *at, char byte)
{
    static const char named[] = "\a\b\f\n\r\t\v'\"\\?", letters[] = "abfnrtv'\"\\?";
    const char *found = byte ? strchr(named, byte) : NULL;
    *at++ = '\\';
    if (found) {
        *at++ = letters[found - named];
        return at;
    }
    int bits = (uint8_t)byte, value = bits < 128 ? bits : bits - 256;
    *at++ = (char)('0' + value / 64);
    *at++ = (char)('0' + (bits >> 3 & 7));
    *at++ = (char)('0' + (bits & 7));
    return at;
}

static ALWAYS_INLINE bool is_plain(char byte)
{
    return byte > ' ' && byte < 127 && byte != '"' && byte != '\'' && byte != '\\' && byte != '?';
}

static ALWAYS_INLINE char *put_byte(char *at, char byte)
{
    *at = byte;
    if (LIKELY(is_plain(byte)))
        return at + 1;
    if (byte == ' ')
        return (char *)memcpy(at, "\\040", 4) + 4;
    return put_escape(at, byte);
}

char *vcd_put_string(char *at, const char *text, size_t length)
{
    for (const char *end = text + length; text < end; text++)
        at = put_byte(at, *text);
    return at;
}

char *vcd_put_words(char *at, const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        at = put_byte(at, *text);
        bool is_run = is_blank(*text++);
        while (is_run && text < end && is_blank(*text))
            text++;
    }
    return at;
}

// `offsets` in the register space, by state.
static void add_register(struct vcd_core *core, const char *name, uint32_t size_bytes,
                         const uint64_t offsets[2])
{
    ASSERT(core->register_count < VCD_REGISTERS_MAX && size_bytes <= VCD_REGISTER_BYTES_MAX &&
           strlen(name) < sizeof core->registers->name);
    uint32_t number = core->register_count++;
    struct vcd_register *reg = &core->registers[number];
    memcpy(reg->name, name, strlen(name) + 1);
    reg->size_bytes = (uint16_t)size_bytes;
    core->declared[number] = number;
    for (int state = 0; state < 2; state++)
        reg->offsets[state] = (uint32_t)offsets[state];
}

// --- The registers of the reference --------------------------------------------------------------

// Finds a register by its name in an instruction set. False: there is none.
static bool find(const struct register_table *registers, unsigned isa, const char *prefix,
                 uint32_t number, bool is_single, uint64_t *offset, uint32_t *size_bytes)
{
    for (size_t i = 0; i < registers->count; i++) {
        const struct register_run *run = &registers->runs[i];
        if (!(run->isas >> isa & 1) || strcmp(run->name, prefix) != 0 || !run->count != is_single ||
            number >= register_run_length(run) || run->flags & TRAWL_REGISTER_BANKED)
            continue;
        *offset = register_run_offset(run, number);
        *size_bytes = run->size_bytes;
        return true;
    }
    return false;
}

// Adds registers with a name and numbers from 0, or, with a count of 0, a single one. They have the
// same size in each state.
static void add_named(struct vcd_core *core, const struct register_table *registers,
                      const char *prefix, uint32_t count)
{
    for (uint32_t i = 0; i < (count ? count : 1); i++) {
        char name[16];
        uint64_t offsets[2];
        uint32_t size_bytes;
        snprintf(name, sizeof name, count ? "%s%" PRIu32 : "%s", prefix, i);
        if (find(registers, 0, prefix, i, !count, &offsets[0], &size_bytes) &&
            find(registers, EVENT_ISA_A64, prefix, i, !count, &offsets[1], &size_bytes))
            add_register(core, name, size_bytes, offsets);
    }
}

// --- All registers -------------------------------------------------------------------------------

static void add_all_registers(struct vcd_core *core, const struct register_table *registers,
                              uint32_t vector_bytes)
{
    enum { VECTOR_BYTES_MIN = 16 };
    unsigned isa = core->has_aarch64 ? EVENT_ISA_A64 : 0;
    for (size_t i = 0; i < registers->count; i++) {
        const struct register_run *run = &registers->runs[i];
        // z and p, of which v is the longest fixed part.
        bool is_scalable = run->flags & TRAWL_REGISTER_VIEW && run->size_bytes > VECTOR_BYTES_MIN;
        uint32_t size_bytes = run->size_bytes;
        if (is_scalable)
            size_bytes = (uint32_t)(size_bytes * (uint64_t)vector_bytes / VCD_REGISTER_BYTES_MAX);
        if (!(run->shown >> isa & 1) || !size_bytes ||
            (run->flags & TRAWL_REGISTER_VIEW && !is_scalable))
            continue;
        for (uint32_t number = 0; number < register_run_length(run); number++) {
            char name[16];
            uint64_t offset = register_run_offset(run, number);
            snprintf(name, sizeof name, run->count ? "%s%" PRIu32 : "%s", run->name, number);
            add_register(core, name, size_bytes, (const uint64_t[2]){offset, offset});
            core->registers[core->register_count - 1].is_scalable = is_scalable;
        }
    }
}

// --- Slots ---------------------------------------------------------------------------------------

static struct vcd_location place_at(const struct vcd_core *core, uint32_t offset)
{
    return (struct vcd_location){core->slots[offset / 8], (uint8_t)(offset % 8)};
}

static void place_registers(struct vcd_core *core)
{
    bool is_shown[REGISTER_CELLS] = {false};
    uint16_t count = 0;
    for (uint32_t i = 0; i < core->register_count; i++) {
        const struct vcd_register *reg = &core->registers[i];
        for (int state = 0; state < 2; state++) {
            for (uint32_t at = reg->offsets[state]; at < reg->offsets[state] + reg->size_bytes;
                 at += 4)
                is_shown[at / 8] = true;
        }
    }
    for (uint32_t cell = 0; cell < REGISTER_CELLS; cell++)
        core->slots[cell] = is_shown[cell] ? count++ : NO_SLOT;
    ASSERT(count <= SLOT_COUNT);
    for (uint32_t i = 0; i < core->register_count; i++) {
        struct vcd_register *reg = &core->registers[i];
        for (int state = 0; state < 2; state++) {
            uint32_t start = reg->offsets[state];
            reg->places[state] = place_at(core, start);
            for (uint32_t half = start; half < start + reg->size_bytes; half += 4) {
                struct vcd_location place = place_at(core, half);
                core->in_half[state][place.slot][place.first_byte / 4].bits[i / 64] |= UINT64_C(1)
                                                                                       << (i % 64);
            }
        }
    }
}

// --- Variables of a core -------------------------------------------------------------------------

static uint32_t named_count(const struct vcd_core *core)
{
    return core->named ? (uint32_t)core->named->items.count : 0;
}

uint32_t vcd_core_variables(const struct vcd_core *core)
{
    return core->register_count + VCD_VARIABLE_COUNT + named_count(core);
}

void vcd_core_init(struct vcd_core *core, const struct register_table *registers,
                   const struct register_names *named, enum reading reading, bool has_aarch64,
                   uint32_t first_variable)
{
    *core =
        (struct vcd_core){.has_aarch64 = has_aarch64, .is_true_reading = reading == READING_TRUE};
    core->address_bytes = has_aarch64 ? 8 : 4;
    core->cycle_bytes = core->is_true_reading ? 8 : 4;
    core->data_bytes = core->is_true_reading ? 8 : core->address_bytes;
    if (registers && core->is_true_reading)
        add_all_registers(core, registers, named ? named->vector_bytes : 0);
    else if (registers) {
        // The order of changes is core, single, double; that of declarations core, double, single.
        add_named(core, registers, core->has_aarch64 ? "x" : "r", core->has_aarch64 ? 31 : 15);
        if (core->has_aarch64)
            add_named(core, registers, "xsp", 0);
        add_named(core, registers, "psr", 0);
        uint32_t singles = core->register_count;
        add_named(core, registers, "s", 32);
        uint32_t doubles = core->register_count, at = singles;
        add_named(core, registers, "d", core->has_aarch64 ? 32 : 16);
        for (uint32_t i = doubles; i < core->register_count; i++)
            core->declared[at++] = i;
        for (uint32_t i = singles; i < doubles; i++)
            core->declared[at++] = i;
    }
    place_registers(core);
    for (uint32_t i = 0; i < core->register_count; i++)
        core->registers[core->declared[i]].ending = vcd_ending_of(first_variable + i);
    for (uint32_t i = 0; i < VCD_VARIABLE_COUNT; i++)
        core->variables[i] = vcd_ending_of(first_variable + core->register_count + i);
    core->named = named;
    core->first_named = first_variable + core->register_count + VCD_VARIABLE_COUNT;
}

// --- The header ----------------------------------------------------------------------------------

static const struct {
    const char *name, *type;
} variables[VCD_VARIABLE_COUNT] = {
    [VCD_CYCLE] = {"Cycle", "integer"},
    [VCD_FUNCTION] = {"Function", "string"},
    [VCD_INST] = {"Inst", "integer"},
    [VCD_INST_ASM] = {"InstAsm", "string"},
    [VCD_INST_EXECUTED] = {"InstExecuted", "bit"},
    [VCD_PC] = {"PC", "integer"},
    [VCD_MEM_RW] = {"MemRW", "string"},
    [VCD_MEM_ADDR] = {"MemAddr", "integer"},
    [VCD_MEM_DATA] = {"MemData", "integer"},
};

static bool is_string(enum vcd_variable variable)
{
    return variables[variable].type[0] == 's';
}

// The width of variables that are numbers; the others have one bit.
static unsigned width_bits(const struct vcd_core *core, enum vcd_variable variable)
{
    switch (variable) {
    case VCD_CYCLE:
        return 8 * core->cycle_bytes;
    case VCD_INST:
        return 32;
    case VCD_PC:
    case VCD_MEM_ADDR:
        return 8 * core->address_bytes;
    case VCD_MEM_DATA:
        return 8 * core->data_bytes;
    default:
        return 1;
    }
}

static void declare(const struct vcd_core *core, struct out *out, const char *type, unsigned width,
                    const struct vcd_ending *ending, const char *name)
{
    // The standard's integer has 32 bits, and there is no bit type; readers accept any width for a
    // reg.
    out_text(out, "$var ");
    out_text(out, core->is_true_reading && type[0] != 's' ? "reg" : type);
    out_byte(out, ' ');
    out_u64(out, width);
    out_bytes(out, ending->text, ending->length - 1);
    out_byte(out, ' ');
    out_text(out, name);
    out_text(out, " $end\n");
}

void vcd_core_declare(const struct vcd_core *core, const char *scope, struct out *out)
{
    out_text(out, "$scope module ");
    out_text(out, scope);
    out_text(out, " $end\n");
    for (uint32_t i = 0; i < core->register_count; i++) {
        const struct vcd_register *reg = &core->registers[core->declared[i]];
        declare(core, out, "integer", 8u * reg->size_bytes, &reg->ending, reg->name);
    }
    for (enum vcd_variable i = 0; i < VCD_VARIABLE_COUNT; i++)
        declare(core, out, variables[i].type, width_bits(core, i), &core->variables[i],
                variables[i].name);
    for (uint32_t i = 0; i < named_count(core); i++) {
        const struct named_register *reg = &core->named->items.items[i];
        const struct vcd_ending ending = vcd_ending_of(core->first_named + i);
        declare(core, out, "integer", 8u * reg->size_bytes, &ending, reg->name);
    }
    out_text(out, "$upscope $end\n");
}

void vcd_core_dump_unknown(const struct vcd_core *core, struct out *out)
{
    for (uint32_t i = 0; i < core->register_count; i++) {
        out_text(out, "bx");
        out_bytes(out, core->registers[i].ending.text, core->registers[i].ending.length);
    }
    for (enum vcd_variable i = 0; i < VCD_VARIABLE_COUNT; i++) {
        bool is_bit = width_bits(core, i) == 1 && !is_string(i); // written without a space
        out_text(out, is_string(i) ? "s" : is_bit ? "x" : "bx");
        out_bytes(out, core->variables[i].text + is_bit, core->variables[i].length - is_bit);
    }
    for (uint32_t i = 0; i < named_count(core); i++) {
        const struct vcd_ending ending = vcd_ending_of(core->first_named + i);
        out_text(out, "bx");
        out_bytes(out, ending.text, ending.length);
    }
}

// --- Registers beyond the common ones ------------------------------------------------------------

struct vcd_named_cell {
    uint64_t value;
    uint8_t known, unknown; // bit i: byte i; neither: never written
};

bool vcd_named_values_make(struct vcd_named_values *values, const struct register_names *named,
                           size_t lane_count)
{
    *values = (struct vcd_named_values){.lane_count = lane_count};
    values->lane_cells = named ? named->items.count * NAMED_REGISTER_CELLS : 0;
    values->cells = calloc(values->lane_cells * lane_count + 1, sizeof *values->cells);
    return values->cells != NULL;
}

void vcd_named_values_free(struct vcd_named_values *values)
{
    free(values->cells);
    *values = (struct vcd_named_values){0};
}

void vcd_named_values_copy(struct vcd_named_values *to, const struct vcd_named_values *from)
{
    ASSERT(to->lane_cells == from->lane_cells && to->lane_count == from->lane_count);
    memcpy(to->cells, from->cells, from->lane_cells * from->lane_count * sizeof *from->cells);
}

bool vcd_named_write(struct vcd_named_values *values, const struct segment_register *reg)
{
    size_t number = register_cell(reg->cell), at = number - REGISTER_CELLS;
    if (number < REGISTER_CELLS || at >= values->lane_cells)
        return false;
    struct vcd_named_cell *cell = &values->cells[reg->lane * values->lane_cells + at];
    cell->value = (cell->value & ~bytes_of_mask(reg->mask)) | reg->value;
    cell->known = reg->cell & REGISTER_VALUE_UNKNOWN ? cell->known & (uint8_t)~reg->mask
                                                     : cell->known | reg->mask;
    cell->unknown = reg->cell & REGISTER_VALUE_UNKNOWN ? cell->unknown | reg->mask
                                                       : cell->unknown & (uint8_t)~reg->mask;
    return true;
}

void vcd_named_put(const struct vcd_named_values *values, const struct vcd_core *core, size_t lane,
                   uint32_t number, struct out *out)
{
    const struct vcd_named_cell *cells =
        &values->cells[lane * values->lane_cells + (size_t)number * NAMED_REGISTER_CELLS];
    uint32_t size_bytes = core->named->items.items[number].size_bytes;
    uint32_t words = (size_bytes + 7) / 8;
    bool is_known = true;
    for (uint32_t i = 0; i < words; i++) {
        // The bytes of a word that belong to a register of `size_bytes`.
        uint32_t bytes = size_bytes - 8 * i;
        uint8_t wanted = (uint8_t)(bytes >= 8 ? 0xff : (1u << bytes) - 1);
        is_known &= (cells[i].known & wanted) == wanted;
        if (((cells[i].known | cells[i].unknown) & wanted) != wanted)
            return;
    }
    const struct vcd_ending ending = vcd_ending_of(core->first_named + number);
    char *start = out_room(out, 1 + 8 * LIMIT_NAMED_REGISTER_BYTES + sizeof ending.text),
         *at = start;
    if (!is_known) {
        *at++ = 'b';
        for (uint32_t i = size_bytes; i-- > 0;) {
            if (cells[i / 8].known >> i % 8 & 1)
                at = vcd_put_bits(at, cells[i / 8].value >> 8 * (i % 8) & 0xff, 1);
            else
                at = (char *)memset(at, 'x', 8) + 8;
        }
        out_commit(out, (size_t)(vcd_put_ending(at, &ending) - start));
        return;
    }
    uint32_t top = words ? words - 1 : 0;
    while (top > 0 && !cells[top].value)
        top--;
    *at++ = 'b';
    at = vcd_put_short_bits(at, cells[top].value);
    while (top > 0)
        at = vcd_put_bits(at, cells[--top].value, 8);
    out_commit(out, (size_t)(vcd_put_ending(at, &ending) - start));
}

// --- The function that a core executes -----------------------------------------------------------

struct open_function {
    uint64_t pc;
    call_ref next_call;
    struct node_ref resume; // where its caller continues
    bool never_resumes;
};

static void set_head(struct function_changes *changes, const struct node_ref *node, uint64_t pc)
{
    changes->head = (struct function_change){node->event, node->time, pc};
    changes->has_head = true;
}

static bool enter(struct function_changes *changes, const struct call *call, call_ref first_call)
{
    if (!VEC_ROOM(&changes->open, 1))
        return false;
    changes->open.items[changes->open.count++] =
        (struct open_function){call->entry.pc, first_call, call->resume, call->is_open};
    set_head(changes, &call->entry, call->entry.pc);
    return true;
}

bool function_changes_begin(struct function_changes *changes, struct call_list *list,
                            const struct node_ref *root, const struct call_content *calls)
{
    const struct call all = {.entry = *root, .is_open = true};
    *changes = (struct function_changes){.list = list};
    return enter(changes, &all, call_list_first(calls));
}

bool function_changes_next(struct function_changes *changes)
{
    changes->has_head = false;
    while (changes->open.count) {
        struct open_function *top = &changes->open.items[changes->open.count - 1];
        if (top->next_call) {
            struct listed_call listed;
            call_list_read(changes->list, top->next_call, &listed);
            top->next_call = listed.next_sibling;
            return enter(changes, &listed.call, listed.first_child);
        }
        changes->open.count--;
        if (top->never_resumes)
            continue;
        set_head(changes, &top->resume, top[-1].pc);
        return true;
    }
    return true;
}

void function_changes_free(struct function_changes *changes)
{
    free(changes->open.items);
    *changes = (struct function_changes){0};
}
