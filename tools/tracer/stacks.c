#include "stacks.h"

#include "machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static stack_task_t *task_of(stacks_t *s)
{
    return &s->tasks[s->current];
}

static stack_frame_t *top_of(stacks_t *s)
{
    stack_task_t *task = task_of(s);
    return &task->frames[task->depth - 1];
}

// The line of the next instruction: a change is valid from there on.
static uint64_t next_line(const core_t *core)
{
    return core->machine->out.line_count + 1;
}

static void fail(core_t *core, const char *what, uint64_t is, uint64_t should)
{
    stacks_t *s = &core->machine->stacks;
    fprintf(stderr,
            "tracer: the stack is not known: %s: 0x%" PRIx64 ", not 0x%" PRIx64 ", after 0x%" PRIx64
            "\n",
            what, is, should, core->step.insn == NULL ? 0 : core->step.insn->pc);
    s->failed = true;
    core->machine->failed = true;
    core->machine->stopping = true;
}

static const function_t *function_at(const core_t *core, uint64_t address)
{
    const function_t *f = image_function(&core->machine->image, address);
    // Assembly may have functions without size.
    bool holds = f != NULL && (f->size_bytes == 0 || address - f->address < f->size_bytes);
    return holds ? f : NULL;
}

static const char *name_at(const core_t *core, uint64_t address)
{
    const function_t *f = function_at(core, address);
    return f == NULL ? "" : f->name;
}

// --- Output --------------------------------------------------------------------------------------

static void put_push(const core_t *core, stack_kind_t kind, uint64_t entry)
{
    static const char letters[] = "ctes";
    fprintf(core->machine->stacks.file, "%" PRIu64 " %c %" PRIx64 "\n", next_line(core),
            letters[kind], entry);
}

static void put_pop(const core_t *core, char letter, uint32_t count)
{
    fprintf(core->machine->stacks.file, "%" PRIu64 " %c %u\n", next_line(core), letter, count);
}

// --- Changes -------------------------------------------------------------------------------------

static void push(core_t *core, stack_kind_t kind, uint64_t entry, uint64_t return_address,
                 uint64_t sp)
{
    stacks_t *s = &core->machine->stacks;
    stack_task_t *task = task_of(s);
    if (task->depth == STACKS_FRAMES_MAX) {
        fail(core, "too deep", task->depth, 0);
        return;
    }
    task->frames[task->depth++] = (stack_frame_t){kind, entry, return_address, sp};
    put_push(core, kind, entry);
}

// Removes frames that return, or are left by a jump.
static void pop(core_t *core, uint32_t count, bool is_left)
{
    stack_task_t *task = task_of(&core->machine->stacks);
    task->depth -= count;
    put_pop(core, is_left ? 'l' : 'r', count);
}

static bool is_same_pc(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~1ull) == 0;
}

static uint64_t running_task(const core_t *core)
{
    const machine_t *m = core->machine;
    uint64_t id = 0;
    if (m->stacks.current_task != 0) {
        memcpy(&id, ram_at(&m->image, m->stacks.current_task), m->cache.is_a64 ? 8 : 4);
    }
    return id;
}

static bool add_task(stacks_t *s, uint64_t id)
{
    if (s->task_count == STACKS_TASKS_MAX) {
        return false;
    }
    stack_task_t *task = &s->tasks[s->task_count];
    *task = (stack_task_t){.id = id, .frames = calloc(STACKS_FRAMES_MAX, sizeof *task->frames)};
    s->task_count += task->frames != NULL;
    return task->frames != NULL;
}

// Switches to the task that the program has marked as current, at `pc` with `sp`. The previous task
// must have recorded where it continues. A task whose stack starts again has its entry function in
// its record.
static void switch_task(core_t *core, uint64_t pc, uint64_t sp)
{
    stacks_t *s = &core->machine->stacks;
    uint64_t id = running_task(core);
    uint32_t at = 0;
    while (at < s->task_count && s->tasks[at].id != id) {
        at++;
    }
    if (at == s->task_count && !add_task(s, id)) {
        fail(core, "too many tasks", at, 0);
        return;
    }
    stack_task_t *task = &s->tasks[at];
    s->current = at;
    bool goes_on = task->depth != 0 && is_same_pc(task->left_pc, pc) && task->left_sp == sp;
    fprintf(s->file, "%" PRIu64 " w %" PRIx64 " %c\n", next_line(core), id, goes_on ? 'o' : 'n');
    if (goes_on) {
        return;
    }
    const function_t *f = function_at(core, pc);
    if (f == NULL || f->address != (pc & ~1ull)) {
        fail(core, "a task goes on elsewhere", pc, task->left_pc);
        return;
    }
    task->depth = 0;
    push(core, STACK_TASK, pc & ~1ull, 0, sp);
}

static void leave_task(stacks_t *s, uint64_t pc, uint64_t sp)
{
    task_of(s)->left_pc = pc;
    task_of(s)->left_sp = sp;
}

// --- Jumps out of frames -------------------------------------------------------------------------

// Called at the entry of a function: functions that fill or use a jump buffer have it as their
// argument.
static void note_buffer(core_t *core, uint64_t entry, uint64_t return_address)
{
    stacks_t *s = &core->machine->stacks;
    const char *name = name_at(core, entry);
    bool fills = strcmp(name, "set_jump") == 0;
    if (!fills && strcmp(name, "long_jump") != 0) {
        return;
    }
    uint64_t value[2];
    core_read_reg(core, REG_X0, value);
    s->jumped_buffer = value[0];
    uint32_t at = 0;
    while (fills && at < s->buffer_count && s->buffers[at].buffer != value[0]) {
        at++;
    }
    if (fills && at < STACKS_BUFFERS_MAX) {
        s->buffer_count += at == s->buffer_count;
        s->buffers[at] = (jump_buffer_t){value[0], return_address, s->current, task_of(s)->depth};
    }
}

// Checks that the long jump lands where its buffer says.
static void long_jumped(core_t *core)
{
    stacks_t *s = &core->machine->stacks;
    for (uint32_t i = 0; i < s->buffer_count; i++) {
        const jump_buffer_t *b = &s->buffers[i];
        if (b->buffer != s->jumped_buffer) {
            continue;
        }
        if (!is_same_pc(core->step.next_pc, b->return_address) || b->task != s->current ||
            task_of(s)->depth < b->depth) {
            fail(core, "a long jump lands elsewhere", core->step.next_pc, b->return_address);
            return;
        }
        pop(core, task_of(s)->depth - b->depth, true);
        return;
    }
    fail(core, "a long jump with a buffer that was not filled", s->jumped_buffer, 0);
}

// The unwinder of C++ lands in a frame of the function with the landing pad. SP is then what it is
// at each call of that function: the SP with which the inner frame was entered.
static void landed(core_t *core)
{
    stacks_t *s = &core->machine->stacks;
    stack_task_t *task = task_of(s);
    const function_t *f = function_at(core, core->step.next_pc);
    uint64_t sp = core_sp(core);
    for (uint32_t i = task->depth - 1; f != NULL && i-- > 0;) {
        if (task->frames[i].entry == f->address && task->frames[i + 1].sp == sp) {
            pop(core, task->depth - 1 - i, true);
            return;
        }
    }
    fail(core, "no frame of the landing pad", core->step.next_pc, 0);
}

static bool is_switch(const char *name)
{
    return strcmp(name, "switch_stacks") == 0;
}

static bool is_unwinder(const char *name)
{
    return strcmp(name, "__libunwind_Registers_arm64_jumpto") == 0;
}

// --- Steps ---------------------------------------------------------------------------------------

static void returned(core_t *core)
{
    stacks_t *s = &core->machine->stacks;
    const step_t *step = &core->step;
    const char *name = name_at(core, step->insn->pc);
    uint64_t sp = core_sp(core);
    const stack_frame_t *top = top_of(s);
    if (strcmp(name, "long_jump") == 0) {
        long_jumped(core);
        return;
    }
    if (is_unwinder(name)) {
        landed(core);
        return;
    }
    if (is_switch(name)) {
        stack_frame_t own = *top;
        pop(core, 1, false);
        leave_task(s, own.return_address, own.sp);
        switch_task(core, step->next_pc, sp);
        return;
    }
    if (!is_same_pc(top->return_address, step->next_pc)) {
        fail(core, "a return elsewhere", step->next_pc, top->return_address);
    } else if (top->sp != sp) {
        fail(core, "a return with another SP", sp, top->sp);
    } else if (top->kind == STACK_EXCEPTION || top->kind == STACK_TASK) {
        fail(core, "a return from no call", step->insn->pc, 0);
    } else {
        pop(core, 1, false);
    }
}

static void called(core_t *core)
{
    const insn_t *in = core->step.insn;
    uint64_t return_address = in->pc + in->size_bytes;
    note_buffer(core, core->step.next_pc, return_address);
    push(core, STACK_CALL, core->step.next_pc & ~1ull, return_address, core_sp(core));
}

// MOV LR, PC; B: how compilers of A32 write a call that does not return.
static bool is_call_in_two(const core_t *core)
{
    const insn_t *in = core->step.insn;
    uint64_t link[2];
    if (in->state != 'A') {
        return false;
    }
    core_read_reg(core, REG_LR32, link);
    return link[0] == in->pc + in->size_bytes;
}

static void branched(core_t *core)
{
    stacks_t *s = &core->machine->stacks;
    const step_t *step = &core->step;
    uint64_t target = step->next_pc & ~1ull;
    const function_t *from = function_at(core, step->insn->pc);
    const function_t *to = function_at(core, target);
    const stack_frame_t *top = top_of(s);
    if (from != NULL && from == to) {
        return;
    }
    if (from != NULL && (is_switch(from->name) || is_unwinder(from->name) ||
                         strcmp(from->name, "long_jump") == 0)) {
        returned(core);
        return;
    }
    if (to == NULL || to->address != target) {
        fail(core, "a branch into the middle of a function", target, 0);
        return;
    }
    if (is_call_in_two(core)) {
        called(core);
        return;
    }
    if (top->kind == STACK_EXCEPTION) { // the branch of a vector to its handler
        push(core, STACK_TAIL, target, top->return_address, core_sp(core));
        return;
    }
    // Handlers may change the mode, and with it the stack.
    bool is_handler =
        top->kind == STACK_TAIL && task_of(s)->depth > 1 && top[-1].kind == STACK_EXCEPTION;
    if (top->sp != core_sp(core) && !is_handler) {
        fail(core, "a tail call with another SP", core_sp(core), top->sp);
        return;
    }
    uint64_t return_address = top->return_address;
    task_of(s)->depth--;
    push(core, STACK_TAIL, target, return_address, core_sp(core));
    note_buffer(core, target, return_address);
}

static void exception_returned(core_t *core)
{
    core_update_mode(core);
    bool is_a64 = core->machine->cache.is_a64;
    uint32_t mode = core->psr & 0x1f;
    bool to_thread = is_a64 ? (mode & 0xf) != 5 : mode == MODE_USR || mode == MODE_SYS;
    stacks_exception_return(core, core->step.next_pc, core_sp(core), to_thread);
}

void stacks_step(core_t *core)
{
    const step_t *step = &core->step;
    if (core->machine->stacks.file == NULL || !step->passed || core->machine->stacks.failed) {
        return;
    }
    switch (step->insn->kind) {
    case KIND_CALL:
        called(core);
        break;
    case KIND_RETURN:
        returned(core);
        break;
    case KIND_ERET:
        exception_returned(core);
        break;
    default:
        if (step->taken || step->insn->kind == KIND_BRANCH) { // also to the next instruction
            branched(core);
        }
        break;
    }
}

void stacks_exception(core_t *core, uint64_t target, uint64_t resume, uint64_t sp)
{
    if (core->machine->stacks.file != NULL && !core->machine->stacks.failed) {
        push(core, STACK_EXCEPTION, target & ~1ull, resume, sp);
    }
}

// Ends the innermost exception and returns it in *exception. False: there is none, or calls in it
// are open.
static bool end_exception(core_t *core, stack_frame_t *exception)
{
    stacks_t *s = &core->machine->stacks;
    uint32_t depth = task_of(s)->depth;
    while (depth != 0 && task_of(s)->frames[depth - 1].kind != STACK_EXCEPTION) {
        depth--;
    }
    uint32_t inside = task_of(s)->depth - depth;
    if (depth == 0) {
        return false;
    }
    if (inside > 1 || (inside == 1 && top_of(s)->kind != STACK_TAIL)) {
        fail(core, "an exception returns with calls inside", inside, 0);
        return false;
    }
    *exception = task_of(s)->frames[depth - 1];
    pop(core, inside + 1, false);
    return true;
}

void stacks_exception_chained(core_t *core, uint64_t target)
{
    stack_frame_t exception;
    if (core->machine->stacks.file != NULL && end_exception(core, &exception)) {
        push(core, STACK_EXCEPTION, target, exception.return_address, exception.sp);
    }
}

void stacks_exception_return(core_t *core, uint64_t pc, uint64_t sp, bool to_thread)
{
    stacks_t *s = &core->machine->stacks;
    if (s->file == NULL || s->failed) {
        return;
    }
    stack_frame_t exception;
    if (!end_exception(core, &exception)) { // a return without an exception: to the first task
        leave_task(s, 0, 0);
        switch_task(core, pc, sp);
        return;
    }
    bool goes_back = is_same_pc(exception.return_address, pc) && exception.sp == sp;
    if (to_thread && s->current_task != 0 && (!goes_back || running_task(core) != task_of(s)->id)) {
        leave_task(s, exception.return_address, exception.sp);
        switch_task(core, pc, sp);
    } else if (!goes_back) {
        fail(core, "an exception returns elsewhere", pc, exception.return_address);
    }
}

bool stacks_open(stacks_t *s, const machine_t *machine)
{
    memset(s, 0, sizeof *s);
    if (machine->options.stacks_path == NULL) {
        return true;
    }
    s->file = fopen(machine->options.stacks_path, "w");
    if (s->file == NULL) {
        return false;
    }
    s->current_task = image_object(&machine->image, machine->options.task_variable);
    if (!add_task(s, 0)) {
        return false;
    }
    uint64_t entry = machine->image.entry & ~1ull;
    s->tasks[0].depth = 1;
    s->tasks[0].frames[0] = (stack_frame_t){STACK_TASK, entry, 0, 0};
    fprintf(s->file, "stacks 1\n1 s %" PRIx64 "\n", entry);
    return true;
}

bool stacks_close(stacks_t *s)
{
    if (s->file == NULL) {
        return true;
    }
    bool good = !s->failed && ferror(s->file) == 0;
    return fclose(s->file) == 0 && good;
}
