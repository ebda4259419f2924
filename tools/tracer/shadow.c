#include "shadow.h"

#include "machine.h"

#include <stdlib.h>

bool shadow_open(shadow_t *shadow, uint64_t entry)
{
    shadow->frames = calloc(SHADOW_DEPTH_MAX, sizeof *shadow->frames);
    if (shadow->frames == NULL) {
        return false;
    }
    shadow->frames[0] = (frame_t){.kind = FRAME_ROOT, .entry = entry & ~1ull};
    shadow->depth = 1;
    return true;
}

static void push(core_t *core, frame_kind_t kind, uint64_t entry, uint64_t return_address)
{
    shadow_t *s = &core->shadow;
    if (s->depth == SHADOW_DEPTH_MAX) {
        s->lost++;
        return;
    }
    s->frames[s->depth++] = (frame_t){
        .kind = kind,
        .entry = entry,
        .call = core->step.insn != NULL ? core->step.insn->pc : return_address,
        .return_address = return_address,
        .sp = core_sp(core),
        .entry_insn = core->insn_count,
    };
}

// Tail-called frames share the return address of the frame that was really called.
static void pop_returned(shadow_t *s)
{
    while (s->depth > 1 && s->frames[s->depth - 1].kind == FRAME_TAIL) {
        s->depth--;
    }
    if (s->depth > 1) {
        s->depth--;
    }
}

// A jump back to an older frame. The stack grows down, so every frame whose SP at entry is not
// above the current SP is gone. Exceptions have their own stacks, so they end the search.
static void unwind_by_sp(core_t *core)
{
    shadow_t *s = &core->shadow;
    uint64_t sp = core_sp(core);
    uint32_t before = s->depth;
    while (s->depth > 1 && s->frames[s->depth - 1].kind != FRAME_EXCEPTION &&
           s->frames[s->depth - 1].sp <= sp) {
        s->depth--;
    }
    s->longjmps += s->depth != before;
}

static void branched(core_t *core)
{
    const image_t *image = &core->machine->image;
    uint64_t target = core->step.next_pc;
    const function_t *to = image_function(image, target);
    const function_t *from = image_function(image, core->step.insn->pc);
    if (to != NULL && to != from && to->address == target) {
        shadow_t *s = &core->shadow;
        push(core, FRAME_TAIL, target, s->frames[s->depth - 1].return_address);
    } else if (core->step.insn->kind == KIND_INDIRECT && to != from) {
        unwind_by_sp(core);
    }
}

static void returned(core_t *core)
{
    shadow_t *s = &core->shadow;
    if (s->lost != 0) {
        s->lost--;
    } else if (s->frames[s->depth - 1].return_address == core->step.next_pc) {
        pop_returned(s);
    } else {
        unwind_by_sp(core);
    }
}

static void exception_returned(core_t *core)
{
    shadow_t *s = &core->shadow;
    uint32_t depth = s->depth;
    while (depth > 1 && s->frames[depth - 1].kind != FRAME_EXCEPTION) {
        depth--;
    }
    if (depth > 1) {
        s->depth = depth - 1;
    } else {
        push(core, FRAME_DROP, core->step.next_pc, 0);
    }
}

void shadow_step(core_t *core)
{
    const step_t *step = &core->step;
    if (!step->passed) {
        return;
    }
    switch (step->insn->kind) {
    case KIND_CALL:
        push(core, FRAME_CALL, step->next_pc, step->insn->pc + step->insn->size_bytes);
        break;
    case KIND_RETURN:
        returned(core);
        break;
    case KIND_ERET:
        exception_returned(core);
        break;
    case KIND_BRANCH:
    case KIND_COND_BRANCH:
    case KIND_INDIRECT:
        if (step->taken) {
            branched(core);
        }
        break;
    case KIND_PLAIN:
    case KIND_SVC:
    case KIND_IGNORED:
    case KIND_SEMIHOST:
        break;
    }
}

void shadow_exception(core_t *core, uint64_t target, uint64_t return_address)
{
    push(core, FRAME_EXCEPTION, target, return_address);
}
