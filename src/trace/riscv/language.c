#include "trace/riscv/language.h"

#include "arch/riscv/control.h"
#include "arch/riscv/riscv.h"
#include "trace/riscv/access.h"
#include "trace/riscv/forms.h"

static struct branch branch(uint64_t pc, uint32_t encoding, uint32_t size_bytes, enum isa_state isa)
{
    struct branch branch = riscv_branch(pc, encoding, (enum riscv_isa)isa);
    if (size_bytes == 2) // whose code may be that of what it stands for
        branch.next = isa == (enum isa_state)RISCV_32 ? (uint32_t)(pc + 2) : pc + 2;
    return branch;
}

static bool opens_frame(uint32_t encoding, uint32_t size_bytes, enum isa_state isa)
{
    (void)size_bytes;
    return riscv_opens_frame(encoding, (enum riscv_isa)isa);
}

// Where exceptions return, as their lines show it. A trap writes mepc without a line; what
// instructions write there is where a handler goes, perhaps to another task.
static const char *const exception_returns[] = {"epc", NULL};

#define RISCV_LANGUAGE                                                                             \
    .lane_prefix = RISCV_LANE_PREFIX, .has_several_records = true, .study = riscv_study,           \
    .add_access = riscv_add_access, .branch = branch, .opens_frame = opens_frame,                  \
    .exceptions = &riscv_exceptions, .exception_returns = exception_returns

const struct line_language riscv_language = {RISCV_LANGUAGE, .counts_instructions = true,
                                             .first_record_end = ')'};

const struct line_language riscv_timed_language = {RISCV_LANGUAGE};
