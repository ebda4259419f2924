#include "analysis/unwind_tfile.h"

enum { WORD_BYTES = 8 };

// --- What the unwinder asks ----------------------------------------------------------------------

static bool read_register(void *context, uint32_t number, uint64_t *value)
{
    const struct unwind_tfile *self = context;
    uint32_t found = tfile_register_dwarf(&self->file->registers, number);
    if (!self->registers || found == TFILE_NO_REGISTER)
        return false;
    *value = tfile_register_value(self->file, self->registers, found);
    return true;
}

static bool read_memory(void *context, uint64_t address, uint64_t *value)
{
    const struct unwind_tfile *self = context;
    return tfile_frame_load(self->file, self->frame, address, WORD_BYTES, value);
}

static const struct sframe_rule *find_rule(void *context, uint64_t pc)
{
    return unwind_rules_find(&((const struct unwind_tfile *)context)->rules, pc);
}

static bool is_code(void *context, uint64_t pc)
{
    return unwind_rules_is_code(&((const struct unwind_tfile *)context)->rules, pc);
}

static bool find_function(void *context, uint64_t pc, uint64_t *start)
{
    return unwind_rules_function(&((const struct unwind_tfile *)context)->rules, pc, start);
}

// --- Opening -------------------------------------------------------------------------------------

enum status unwind_tfile_open(struct unwind_tfile *self, const struct tfile *file,
                              const struct image_set *images, bool use_sframe,
                              const struct sframe_faults *faults, struct error *err)
{
    *self = (struct unwind_tfile){.file = file};
    switch (file->registers.machine) {
    case TFILE_X86_64:
        self->abi = SFRAME_AMD64;
        break;
    case TFILE_AARCH64:
        self->abi = file->is_big_endian ? SFRAME_AARCH64_BIG : SFRAME_AARCH64_LITTLE;
        break;
    default:
        return error_set(err, STATUS_INPUT,
                         "stacks can be unwound of x86-64 and AArch64, not of this machine: %s",
                         tfile_machine_name(file->registers.machine));
    }
    const unsigned abi = use_sframe ? self->abi : 0, abis[2] = {abi, abi};
    return unwind_rules_open(&self->rules, images, abis, faults, err);
}

void unwind_tfile_free(struct unwind_tfile *self)
{
    unwind_rules_free(&self->rules);
    *self = (struct unwind_tfile){0};
}

bool unwind_tfile_has_sframe(const struct unwind_tfile *self)
{
    return self->rules.abi != 0;
}

// --- A stack -------------------------------------------------------------------------------------

static bool is_main(const struct unwind_tfile *self, const struct unwind_frame *frame)
{
    struct image_place place;
    return image_set_by_address(self->rules.images, unwind_lookup_pc(frame), &place) &&
           strcmp(place.symbol->name, "main") == 0;
}

// A stack that is lost where libc begins, which nobody gave, ends at main.
static void end_at_main(struct unwind_tfile *self, struct unwind_stack *stack)
{
    if (stack->end != UNWIND_NO_RULE)
        return;
    size_t count = stack->count;
    if (count > 1 && !is_code(self, unwind_lookup_pc(&stack->frames[count - 1])))
        count--;
    if (!is_main(self, &stack->frames[count - 1]))
        return;
    stack->count = count;
    stack->end = UNWIND_OUTERMOST;
}

bool unwind_tfile_at(struct unwind_tfile *self, const struct tfile_frame *frame,
                     struct unwind_stack *stack)
{
    const struct unwind_reader reader = {self,    read_register, read_memory, find_rule,
                                         is_code, find_function, NULL};
    uint64_t pc;
    self->frame = frame;
    self->registers = tfile_frame_registers(self->file, frame);
    stack->count = 0;
    if (!tfile_frame_pc(self->file, frame, &pc))
        return false;
    unwind(stack, &reader, self->abi, pc);
    if (stack->count)
        end_at_main(self, stack);
    return true;
}
