#include "truth.h"

#include "machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE_BITS = 12,
    PAGE_BYTES = 1 << PAGE_BITS,
    STACK_BELOW_BYTES = 32,
    STACK_ABOVE_BYTES = 160,
    DATA_BYTES = 128,
    FRAMES_MAX = 40,
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

bool truth_open(truth_t *truth, const machine_t *machine)
{
    const options_t *o = &machine->options;
    memset(truth, 0, sizeof *truth);
    if (o->truth_path == NULL) {
        return true;
    }
    truth->file = fopen(o->truth_path, "w");
    truth->touched =
        mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    truth->touched_pages = calloc(RAM_BYTES >> PAGE_BITS, 1);
    if (truth->file == NULL || truth->touched == MAP_FAILED || truth->touched_pages == NULL) {
        return false;
    }
    fprintf(truth->file,
            "{\"truth\":1,\"image\":\"%s\",\"trace\":\"%s\",\"isa\":\"%s\",\"style\":\"%s\","
            "\"big_endian\":%s,\"cores\":%u}\n",
            base_name(o->elf_path), base_name(o->out_path), machine->image.is_64bit ? "a64" : "a32",
            o->style->name, machine->image.is_big_endian ? "true" : "false", o->core_count);
    return true;
}

void truth_touch(truth_t *truth, uint64_t address, unsigned size_bytes)
{
    uint64_t offset = address - RAM_BASE;
    memset(truth->touched + offset, 1, size_bytes);
    truth->touched_pages[offset >> PAGE_BITS] = 1;
    truth->touched_pages[(offset + size_bytes - 1) >> PAGE_BITS] = 1;
}

void truth_forget(truth_t *truth, uint64_t address, uint64_t size_bytes)
{
    memset(truth->touched + (address - RAM_BASE), 0, size_bytes);
}

// --- parts of a record ---------------------------------------------------------------------

static void put_registers(FILE *f, const core_t *core)
{
    bool is_a64 = core->machine->cache.is_a64;
    int digits = is_a64 ? 16 : 8;
    uint64_t value[2];
    fputs(",\"x\":[", f);
    for (unsigned i = 0; i < (is_a64 ? 31u : 15u); i++) {
        core_read_reg(core, !is_a64 && i == 13 ? REG_SP : i, value);
        fprintf(f, "%s\"%0*" PRIx64 "\"", i == 0 ? "" : ",", digits, value[0]);
    }
    fprintf(f, "],\"sp\":\"%0*" PRIx64 "\"", digits, core_sp(core));
    core_read_reg(core, REG_CPSR, value);
    fprintf(f, ",\"cpsr\":\"%08x\",\"v\":{", (unsigned)value[0]);
    const char *comma = "";
    for (unsigned i = 0; i < 32; i++) {
        core_read_reg(core, REG_V0 + i, value);
        if ((value[0] | value[1]) == 0) {
            continue;
        }
        fprintf(f, "%s\"%u\":\"", comma, i);
        if (is_a64) {
            fprintf(f, "%016" PRIx64, value[1]);
        }
        fprintf(f, "%016" PRIx64 "\"", value[0]);
        comma = ",";
    }
    fputs("}", f);
}

// Bytes in memory order, and a mask of those that the trace has shown so far: one hexadecimal digit
// for four bytes, with the first byte as the most significant bit. False: none of it is in memory,
// for example because the stack pointer is not set yet.
static bool put_window(FILE *f, const machine_t *m, const char *comma, uint64_t start, uint64_t end)
{
    start = start < RAM_BASE ? RAM_BASE : start & ~15ull;
    end = end > RAM_END ? RAM_END : end & ~15ull;
    if (start >= end) {
        return false;
    }
    fprintf(f, "%s{\"at\":\"%" PRIx64 "\",\"bytes\":\"", comma, start);
    for (uint64_t a = start; a < end; a++) {
        fprintf(f, "%02x", *ram_at(&m->image, a));
    }
    fputs("\",\"seen\":\"", f);
    for (uint64_t a = start; a < end; a += 4) {
        const uint8_t *t = m->truth.touched + (a - RAM_BASE);
        fprintf(f, "%x", t[0] << 3 | t[1] << 2 | t[2] << 1 | t[3]);
    }
    fputs("\"}", f);
    return true;
}

// FNV-1a over (address as 8 little-endian bytes, value) of every byte shown so far, ascending.
static void put_digest(FILE *f, const machine_t *m)
{
    uint64_t hash = 0xcbf29ce484222325;
    uint64_t count = 0;
    for (uint64_t page = 0; page < RAM_BYTES >> PAGE_BITS; page++) {
        if (!m->truth.touched_pages[page]) {
            continue;
        }
        for (uint64_t i = page << PAGE_BITS; i < (page + 1) << PAGE_BITS; i++) {
            if (!m->truth.touched[i]) {
                continue;
            }
            uint64_t address = RAM_BASE + i;
            for (unsigned shift = 0; shift < 64; shift += 8) {
                hash = (hash ^ (address >> shift & 0xff)) * 0x100000001b3;
            }
            hash = (hash ^ m->image.ram[i]) * 0x100000001b3;
            count++;
        }
    }
    fprintf(f, ",\"seen_bytes\":%" PRIu64 ",\"digest\":\"%016" PRIx64 "\"", count, hash);
}

static void put_stack(FILE *f, const core_t *core)
{
    static const char *const kinds[] = {"root", "call", "tail", "exception", "drop"};
    const shadow_t *s = &core->shadow;
    fprintf(f, ",\"depth\":%u,\"stack\":[", s->depth + s->lost);
    for (uint32_t i = 0; i < s->depth && i < FRAMES_MAX; i++) {
        const frame_t *frame = &s->frames[s->depth - 1 - i];
        const function_t *function = image_function(&core->machine->image, frame->entry);
        fprintf(f,
                "%s{\"kind\":\"%s\",\"name\":\"%s\",\"entry\":\"%" PRIx64 "\",\"call\":\"%" PRIx64
                "\",\"return\":\"%" PRIx64 "\",\"sp\":\"%" PRIx64 "\",\"insn\":%" PRIu64 "}",
                i == 0 ? "" : ",", kinds[frame->kind], function == NULL ? "" : function->name,
                frame->entry, frame->call, frame->return_address, frame->sp, frame->entry_insn);
    }
    fputs("]", f);
}

// The stack pointers of both levels: traces name them, and tools that know only one are wrong.
static void put_banks(FILE *f, const core_t *core)
{
    uint64_t el0 = 0;
    uint64_t el1 = 0;
    bool uses_el0 = (core->psr & 0xf) != 5;
    // Unicorn updates these only when the level changes.
    uc_reg_read(core->uc, UC_ARM64_REG_SP_EL0, &el0);
    uc_reg_read(core->uc, UC_ARM64_REG_SP_EL1, &el1);
    fprintf(f, ",\"sp_el0\":\"%016" PRIx64 "\",\"sp_el1\":\"%016" PRIx64 "\"",
            uses_el0 ? core_sp(core) : el0, uses_el0 ? el1 : core_sp(core));
}

// Writes the record of the last instruction, with the state after it.
static void put_record(core_t *core, bool is_last)
{
    machine_t *m = core->machine;
    const truth_t *t = &m->truth;
    FILE *f = t->file;
    fprintf(f,
            "{\"core\":%u,\"insn\":%" PRIu64 ",\"line\":%" PRIu64 ",\"byte\":%" PRIu64
            ",\"pc\":\"%" PRIx64 "\",\"next\":\"%" PRIx64 "\",\"mode\":\"%s\",\"last\":%s",
            core->index, core->insn_count - 1, t->last_line, t->last_byte, t->last_pc,
            t->last_next_pc, mode_text(m->cache.is_a64, core->psr, true),
            is_last ? "true" : "false");
    put_registers(f, core);
    if (m->cache.is_a64) {
        put_banks(f, core);
    }
    uint64_t sp = core_sp(core);
    fputs(",\"memory\":[", f);
    bool has_stack = put_window(f, m, "", sp - STACK_BELOW_BYTES, sp + STACK_ABOVE_BYTES);
    if (m->image.data_end != 0) {
        put_window(f, m, has_stack ? "," : "", m->image.data_start,
                   m->image.data_start + DATA_BYTES);
    }
    fputs("]", f);
    put_digest(f, m);
    put_stack(f, core);
    fputs("}\n", f);
    m->truth.last_insn = m->insn_count;
}

void truth_step(core_t *core, uint64_t line, uint64_t byte)
{
    machine_t *m = core->machine;
    m->truth.last_line = line;
    m->truth.last_byte = byte;
    m->truth.last_pc = core->step.insn->pc;
    m->truth.last_next_pc = core->step.next_pc;
    if (m->insn_count % m->options.truth_every == 0) {
        m->truth.is_due = true;
    }
    // At a plain instruction, the stack is the same before and after it.
    if (m->truth.is_due && core->step.insn->kind == KIND_PLAIN) {
        m->truth.is_due = false;
        put_record(core, false);
    }
}

bool truth_close(truth_t *truth, machine_t *machine)
{
    if (truth->file == NULL) {
        return true;
    }
    // A run with several cores has no single end, and the end of a truncated one is missing.
    if (machine->options.core_count == 1 && machine->options.cut_bytes == 0 &&
        truth->last_insn != machine->insn_count) {
        put_record(&machine->cores[0], true);
    }
    bool good = ferror(truth->file) == 0;
    return fclose(truth->file) == 0 && good;
}
