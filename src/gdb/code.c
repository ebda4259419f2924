// Code that the lines of the trace show, as memory: where no image has it, as in a boot ROM, GDB
// could not disassemble, and on RISC-V not even step.
//
// An index has no encodings. They are read from the line of the instruction that runs next at an
// address, or ran last, so code that changes itself is as it is then. That an address is never
// executed takes a search over the whole index, and is remembered.
#include "gdb/run.h"

#include "arch/arch.h"
#include "dataflow/step.h"
#include "idx/index.h"

void gdb_code_free(struct gdb_code *code)
{
    if (code->is_open)
        dataflow_close(&code->flow);
    *code = (struct gdb_code){0};
}

// Finds an event that executes the instruction at an address: the nearest after a position,
// otherwise the nearest before it. STATUS_NOT_FOUND: none does.
static enum status find_visit(struct gdb_code *code, const struct index_view *view,
                              uint64_t position, uint64_t address, uint64_t *event,
                              struct error *err)
{
    struct trawl_error from;
    uint64_t *none = &code->none[(address ^ address >> 8) / 2 % GDB_NO_CODE];
    if (*none == address + 1)
        return STATUS_NOT_FOUND;
    const uint64_t before = position - 1; // before event 0 is TRAWL_START
    enum trawl_status found =
        trawl_visit(view->index, TRAWL_ANY_LANE, address, before, TRAWL_FORWARD, event, &from);
    if (found == TRAWL_NOT_FOUND)
        found =
            trawl_visit(view->index, TRAWL_ANY_LANE, address, before, TRAWL_BACKWARD, event, &from);
    if (found == TRAWL_NOT_FOUND) {
        *none = address + 1;
        return STATUS_NOT_FOUND;
    }
    return index_status(found, &from, err);
}

enum status gdb_code_at(struct gdb_code *code, const struct index_view *view,
                        const struct trace *trace, uint64_t position, uint64_t address,
                        uint8_t bytes[GDB_CODE_BYTES], size_t *count, struct error *err)
{
    struct error why;
    *count = 0;
    if (!code->is_open && !code->has_none) {
        // Data of big-endian cores may have code in either order.
        code->is_open = !(view->info.options & TRAWL_BIG_ENDIAN) &&
                        dataflow_open(&code->flow, view, trace, &why) == STATUS_OK;
        code->has_none = !code->is_open;
    }
    const uint64_t least = arch_least_bytes(view->arch, view->isa);
    for (uint64_t back = address % least; code->is_open && back < GDB_CODE_BYTES; back += least) {
        struct trawl_event about;
        struct trace_step step;
        const char *text;
        uint64_t event;
        enum status status = find_visit(code, view, position, address - back, &event, err);
        if (status == STATUS_NOT_FOUND)
            continue;
        if (status == STATUS_OK)
            status = dataflow_event(&code->flow, event, &about, err);
        if (status == STATUS_OK)
            status = dataflow_read(&code->flow, &about, &step, &text, err);
        if (status != STATUS_OK)
            return status;
        // A search for one address finds exceptions (TRAWL_EXCEPTIONS).
        if (((index_pc_address(view->index, about.pc) ^ (address - back)) & ~UINT64_C(1)) != 0)
            continue;
        if (step.code.size_bytes > GDB_CODE_BYTES || step.code.size_bytes <= back)
            continue;
        // Instructions are little-endian; one of 32 bits with Thumb's code bit is two halfwords, of
        // which the first is the upper one of its encoding.
        uint8_t all[GDB_CODE_BYTES];
        const bool is_in_halves = (step.code.pc & 1) && step.code.size_bytes == 4;
        const uint32_t encoding = step.code.encoding;
        store_little(all, is_in_halves ? encoding << 16 | encoding >> 16 : encoding, sizeof all);
        *count = step.code.size_bytes - (size_t)back;
        memcpy(bytes, all + back, *count);
        return STATUS_OK;
    }
    return STATUS_OK;
}
