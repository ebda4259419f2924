#include "trace/riscv/language.h"

#include "arch/riscv/control.h"
#include "arch/riscv/riscv.h"
#include "trace/riscv/access.h"
#include "trace/riscv/spike.h"

static struct branch branch(uint64_t pc, uint32_t encoding, uint32_t size_bytes, enum isa_state isa)
{
    (void)size_bytes; // the code tells
    return riscv_branch(pc, encoding, (enum riscv_isa)isa);
}

static bool opens_frame(uint32_t encoding, uint32_t size_bytes, enum isa_state isa)
{
    (void)size_bytes;
    return riscv_opens_frame(encoding, (enum riscv_isa)isa);
}

// Where exceptions return, as their lines show it. A trap writes mepc without a line; what
// instructions write there is where a handler goes, perhaps to another task.
static const char *const exception_returns[] = {"epc", NULL};

const struct line_language riscv_language = {
    .lane_prefix = SPIKE_LANE_PREFIX,
    .has_several_records = true,
    .counts_instructions = true,
    .study = spike_study,
    .add_access = riscv_add_access,
    .branch = branch,
    .opens_frame = opens_frame,
    .exceptions = &riscv_exceptions,
    .exception_returns = exception_returns,
};
