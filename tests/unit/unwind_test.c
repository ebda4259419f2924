// Stacks of real programs, whose frames were recorded with GDB (corpus/README.md), and the ways in
// which a stack can end.
#include "arch/arm/arm.h"
#include "elf/sframe_flat.h"
#include "test.h"
#include "unwind/unwind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { REGISTERS = 40, WORDS_MAX = 4096, FRAMES_MAX = 64, RULES_MAX = 4 };

// A stack that was recorded, or made for a test.
struct recorded {
    uint64_t registers[REGISTERS];
    bool has_register[REGISTERS];
    uint64_t memory_at;
    uint8_t memory[8 * WORDS_MAX];
    size_t memory_bytes;
    uint64_t pc, frames[FRAMES_MAX];
    uint64_t entry;           // of the function on its page, if not 0; other functions begin with
                              // their pages
    struct unwind_frame seen; // the caller of the innermost frame; no PC: unknown
    enum unwind_seen how;     // what was seen, if not the caller
    struct frame_row row;     // of the innermost frame by DWARF, if it has a CFA
    size_t frame_count;
    const struct sframe_flat *flat;      // the rules, or
    struct sframe_rule rules[RULES_MAX]; // for PCs 0x1000, 0x2000, ...
};

static bool read_register(void *self, uint32_t number, uint64_t *value)
{
    const struct recorded *recorded = self;
    *value = number < REGISTERS ? recorded->registers[number] : 0;
    return number < REGISTERS && recorded->has_register[number];
}

static bool read_memory(void *self, uint64_t address, unsigned size_bytes, uint64_t *value)
{
    const struct recorded *recorded = self;
    uint64_t at = address - recorded->memory_at;
    if (at >= recorded->memory_bytes || recorded->memory_bytes - at < size_bytes)
        return false;
    *value = 0;
    memcpy(value, recorded->memory + at, size_bytes);
    return true;
}

static const struct sframe_rule *find_rule(void *self, uint64_t pc)
{
    static const struct sframe_rule miss = {.kind = SFRAME_MISS};
    const struct recorded *recorded = self;
    if (recorded->flat)
        return sframe_flat_find(recorded->flat, pc);
    uint64_t number = (pc >> 12) - 1;
    return number < RULES_MAX ? &recorded->rules[number] : &miss;
}

static bool is_code(void *self, uint64_t pc)
{
    (void)self;
    return pc >= 0x1000 && pc < 0x1000000;
}

static bool find_function(void *self, uint64_t pc, uint64_t *start)
{
    const uint64_t page = ~UINT64_C(0xfff), entry = ((const struct recorded *)self)->entry;
    *start = (pc & page) == (entry & page) ? entry : pc & page;
    return entry != 0;
}

static enum unwind_seen find_caller(void *self, const struct unwind_frame *frame,
                                    struct unwind_frame *caller)
{
    const struct recorded *recorded = self;
    *caller = recorded->seen;
    caller->is_return_address = true;
    if (frame->source != UNWIND_REGISTERS)
        return UNWIND_NOT_SEEN;
    return recorded->seen.pc ? UNWIND_SEEN : recorded->how;
}

static const struct frame_row *find_row(void *self, enum unwind_source source, uint64_t pc)
{
    const struct recorded *recorded = self;
    bool has_row = source == UNWIND_DWARF && pc == recorded->pc && recorded->row.cfa.kind;
    return has_row ? &recorded->row : NULL;
}

static struct unwind_stack unwound(struct recorded *recorded, const struct arch_frames *machine,
                                   struct unwind_frame *frames, size_t capacity)
{
    const struct unwind_reader reader = {.self = recorded,
                                         .read_register = read_register,
                                         .read_memory = read_memory,
                                         .find_rule = find_rule,
                                         .find_row = find_row,
                                         .is_code = is_code,
                                         .find_function = find_function,
                                         .find_caller = find_caller};
    struct unwind_stack stack = {.frames = frames, .capacity = capacity};
    unwind(&stack, &reader, machine, recorded->pc);
    return stack;
}

// --- Recorded stacks -----------------------------------------------------------------------------

static size_t compare(struct recorded *recorded)
{
    struct unwind_frame frames[FRAMES_MAX];
    struct unwind_stack stack = unwound(recorded, &frames_x86_64, frames, FRAMES_MAX);
    size_t same = 0;
    while (same < stack.count && same < recorded->frame_count &&
           frames[same].pc == recorded->frames[same])
        same++;
    CHECK(same == recorded->frame_count); // GDB stops at main, which libc has called
    for (size_t i = 1; i < same; i++)
        CHECK(frames[i].source == UNWIND_SFRAME);
    return same;
}

static void take_line(struct recorded *recorded, const char *line)
{
    unsigned number;
    uint64_t value;
    int at;
    if (sscanf(line, "pc %" SCNx64, &value) == 1) {
        recorded->pc = value;
    } else if (sscanf(line, "register %u %" SCNx64, &number, &value) == 2 && number < REGISTERS) {
        recorded->registers[number] = value;
        recorded->has_register[number] = true;
    } else if (sscanf(line, "frame %" SCNx64, &value) == 1) {
        recorded->frames[recorded->frame_count++ % FRAMES_MAX] = value;
    } else if (sscanf(line, "memory %" SCNx64 " %n", &value, &at) == 1) {
        recorded->memory_at = value;
        for (line += at; sscanf(line, "%2x", &number) == 1; line += 2)
            recorded->memory[recorded->memory_bytes++ % sizeof recorded->memory] = (uint8_t)number;
    }
}

static void on_fault(void *self, const struct error *err)
{
    (void)self;
    CHECK(!err);
}

static void check_recording(const char *name, size_t stack_count)
{
    const struct sframe_faults faults = {NULL, on_fault};
    char path[128];
    char *line = NULL;
    size_t capacity = 0, stacks = 0;
    struct image *image;
    struct sframe_section section;
    struct sframe_flat flat;
    struct error err;
    struct recorded *recorded = calloc(1, sizeof *recorded);
    snprintf(path, sizeof path, "corpus/sframe/%s.elf", name);
    CHECK(image_open(&image, path, &err) == STATUS_OK);
    CHECK(sframe_section_read(&section, image, &faults, &err) == STATUS_OK);
    CHECK(sframe_flat_build(&flat, &section, 0, &faults, &err) == STATUS_OK);
    snprintf(path, sizeof path, "corpus/sframe/%s.recorded", name);
    FILE *file = fopen(path, "r");
    CHECK(file && recorded);
    for (bool is_more = file && recorded; is_more;) {
        is_more = getline(&line, &capacity, file) > 0;
        if (is_more && strcmp(line, "stack\n") != 0) {
            take_line(recorded, line);
            continue;
        }
        if (recorded->frame_count)
            stacks += compare(recorded) > 0;
        *recorded = (struct recorded){.flat = &flat};
    }
    CHECK(stacks == stack_count);
    if (file)
        fclose(file);
    free(line);
    free(recorded);
    sframe_flat_free(&flat);
    sframe_section_free(&section);
    image_close(image);
}

static void frames_are_those_of_gdb(void)
{
    check_recording("stacks-x86_64-v1", 23);
    check_recording("stacks-x86_64-v2", 23);
    check_recording("stacks-x86_64-v3", 100);
}

// --- Ends ----------------------------------------------------------------------------------------

static const struct sframe_location at_sp_16 = {16, 31, SFRAME_VALUE};
static const struct sframe_location at_cfa_8 = {-8, SFRAME_CFA, SFRAME_MEMORY};

// Two frames of AArch64: 0x1004, called from 0x2000, which was called from `outer`.
static struct recorded *two_frames(uint64_t outer)
{
    struct recorded *recorded = calloc(1, sizeof *recorded);
    CHECK(recorded);
    const struct sframe_rule rule = {.kind = SFRAME_ROW, .cfa = at_sp_16, .ra = at_cfa_8};
    const uint64_t words[] = {0, 0x2ffc, 0, outer, 0, 0};
    recorded->pc = 0x1004;
    recorded->rules[0] = recorded->rules[1] = rule;
    recorded->registers[31] = recorded->memory_at = 0x8000;
    recorded->has_register[31] = true;
    memcpy(recorded->memory, words, sizeof words);
    recorded->memory_bytes = sizeof words;
    return recorded;
}

static struct unwind_stack end_of(struct recorded *recorded)
{
    static struct unwind_frame frames[FRAMES_MAX];
    struct unwind_stack stack = unwound(recorded, &frames_aarch64, frames, FRAMES_MAX);
    free(recorded);
    return stack;
}

static bool ends(struct unwind_stack stack, enum unwind_end end, size_t count, uint64_t address)
{
    return stack.end == end && stack.count == count && stack.end_address == address;
}

static void a_stack_says_why_it_ends(void)
{
    struct recorded *made = two_frames(0);
    CHECK(ends(end_of(made), UNWIND_OUTERMOST, 2, 0));
    made = two_frames(0x3ffc);
    made->rules[2].kind = SFRAME_OUTERMOST;
    CHECK(ends(end_of(made), UNWIND_OUTERMOST, 3, 0x3ffc));
    made = two_frames(0x3ffc);
    made->rules[2].kind = SFRAME_NO_ROWS_SIGNAL;
    CHECK(ends(end_of(made), UNWIND_SIGNAL_FRAME, 3, 0x3ffc));
    CHECK(ends(end_of(two_frames(0x9000)), UNWIND_NO_RULE, 3, 0x9000));
    made = two_frames(0);
    made->memory_bytes = 16;
    CHECK(ends(end_of(made), UNWIND_NO_MEMORY, 2, 0x8018));
    made = two_frames(0);
    made->has_register[31] = false;
    CHECK(ends(end_of(made), UNWIND_NO_REGISTER, 1, 0x1004));
    made = two_frames(0);
    made->rules[1].cfa.base = 10; // which is known only in the innermost frame
    CHECK(ends(end_of(made), UNWIND_UNSAFE_REGISTER, 2, 0x2ffc));
    made = two_frames(0);
    made->rules[1].ra.kind = SFRAME_SAME; // also known only there
    made->registers[29] = 0x8010;
    made->has_register[29] = true;
    CHECK(ends(end_of(made), UNWIND_UNSAFE_REGISTER, 2, 0x2ffc));
    made = two_frames(0);
    made->rules[1].cfa.offset = 0;
    CHECK(ends(end_of(made), UNWIND_NOT_RISING, 2, 0x8010));
    made = two_frames(0);
    made->rules[0].cfa.offset = 12;
    CHECK(ends(end_of(made), UNWIND_NOT_RISING, 1, 0x800c));
}

static void there_is_no_end_of_frames(void)
{
    struct recorded *made = two_frames(0x2ffc);
    struct unwind_frame frames[2];
    struct unwind_stack stack = unwound(made, &frames_aarch64, frames, ARRAY_COUNT(frames));
    CHECK(ends(stack, UNWIND_TOO_DEEP, 2, 0x2ffc));
    stack = unwound(made, &frames_aarch64, NULL, 0);
    CHECK(ends(stack, UNWIND_TOO_DEEP, 0, 0x1004));
    free(made);
}

static void the_innermost_frame_may_keep_its_registers(void)
{
    struct recorded *made = two_frames(0);
    made->rules[0] = (struct sframe_rule){.kind = SFRAME_ROW, .cfa = {0, 31, SFRAME_VALUE}};
    made->registers[30] = 0x2ffc;
    made->has_register[30] = true;
    struct unwind_stack stack = end_of(made);
    CHECK(stack.count > 1 && stack.frames[1].pc == 0x2ffc && stack.frames[1].sp == 0x8000);
}

static void signatures_are_no_part_of_addresses(void)
{
    struct recorded *made = two_frames(0);
    const uint64_t is_signed = UINT64_C(0x5a12000000002ffc);
    memcpy(made->memory + 8, &is_signed, sizeof is_signed);
    made->rules[0].marks = SFRAME_MARK_MANGLED;
    struct unwind_stack stack = end_of(made);
    CHECK(stack.count == 2 && stack.frames[1].pc == 0x2ffc);
}

static void what_a_signal_interrupted_is_looked_up_as_it_is(void)
{
    struct recorded *made = two_frames(0x2000);
    made->rules[1].marks = SFRAME_MARK_SIGNAL; // 0x2ffc: it interrupted the first byte of 0x2000
    struct unwind_stack stack = end_of(made);
    CHECK(stack.count >= 3 && stack.frames[1].is_signal && !stack.frames[2].is_return_address);
    CHECK(stack.frames[1].is_return_address);
}

static void frame_pointers_help_where_there_are_no_rules(void)
{
    struct recorded *made = two_frames(0);
    const uint64_t record[] = {0, 0x6000};
    memcpy(made->memory + 16, record, sizeof record);
    made->rules[1].kind = SFRAME_MISS;
    made->rules[0].fp = (struct sframe_location){.kind = SFRAME_SAME};
    made->registers[29] = 0x8010;
    made->has_register[29] = true;
    struct unwind_stack stack = end_of(made);
    CHECK(stack.count == 3 && stack.frames[2].pc == 0x6000 && stack.frames[2].sp == 0x8020);
    CHECK(stack.frames[1].source == UNWIND_SFRAME);
    CHECK(stack.frames[2].source == UNWIND_FRAME_POINTER);
    CHECK(stack.end == UNWIND_NO_RULE &&
          strcmp(unwind_source_name(stack.frames[2].source), "frame pointer") == 0);
}

static void a_pushed_frame_pointer_may_still_be_in_its_register(void)
{
    struct unwind_frame frames[FRAMES_MAX];
    struct recorded *made = two_frames(0);
    const uint64_t words[] = {0x8020, 0x2ffc, 0, 0, 0x8040, 0x3ffc};
    memcpy(made->memory, words, sizeof words);
    made->rules[0].kind = SFRAME_MISS;
    made->rules[1].kind = made->rules[2].kind = SFRAME_OUTERMOST;
    made->registers[6] = 0x8020; // rbp, rsp
    made->registers[7] = 0x8000;
    made->has_register[6] = made->has_register[7] = true;
    struct unwind_stack stack = unwound(made, &frames_x86_64, frames, FRAMES_MAX);
    CHECK(stack.count == 2 && frames[1].pc == 0x2ffc && frames[1].fp == 0x8020);
    CHECK(frames[1].sp == 0x8010);
    made->memory[0]++; // another value
    stack = unwound(made, &frames_x86_64, frames, FRAMES_MAX);
    CHECK(stack.count == 2 && frames[1].pc == 0x3ffc && frames[1].sp == 0x8030);
    free(made);
}

static void at_an_entry_the_abi_tells_the_caller(void)
{
    struct recorded *made = two_frames(0);
    made->rules[0].kind = SFRAME_MISS;
    made->entry = made->pc;
    made->registers[30] = 0x2ffc;
    made->has_register[30] = true;
    made->memory_at = 0x8000 - 16; // the frame of 0x1004 does not exist yet
    struct unwind_stack stack = end_of(made);
    CHECK(stack.count == 2 && stack.frames[1].pc == 0x2ffc && stack.frames[1].sp == 0x8000);
    CHECK(stack.frames[1].source == UNWIND_ENTRY && stack.end == UNWIND_OUTERMOST);
    made = two_frames(0);
    made->rules[0].kind = SFRAME_MISS;
    made->entry = made->pc;
    made->registers[30] = 0x10;
    made->has_register[30] = true;
    CHECK(ends(end_of(made), UNWIND_NO_RULE, 1, 0x1004)); // the return address is not code
    made = two_frames(0);
    made->rules[0].kind = SFRAME_MISS;
    made->entry = made->pc;
    CHECK(ends(end_of(made), UNWIND_NO_REGISTER, 1, 0x1004));
    made = two_frames(0);
    made->rules[0].kind = SFRAME_MISS;
    made->entry = made->pc;
    made->registers[13] = 0x8000;
    made->registers[14] = UINT32_MAX; // as a core of the M profile begins
    made->has_register[13] = made->has_register[14] = true;
    struct unwind_frame frames[FRAMES_MAX];
    stack = unwound(made, &frames_arm, frames, FRAMES_MAX);
    CHECK(stack.count == 1 && stack.end == UNWIND_OUTERMOST);
    free(made);
}

// The innermost function has no rule, and its return address may be in x30.
static struct unwind_stack end_by_link(uint64_t link, uint64_t saved)
{
    struct recorded *made = two_frames(0);
    const uint64_t record[] = {0, saved};
    made->rules[0].kind = SFRAME_MISS;
    made->rules[1] = (struct sframe_rule){.kind = SFRAME_OUTERMOST};
    made->entry = 0x1000;
    made->registers[29] = 0x8010;
    made->registers[30] = link;
    made->has_register[29] = made->has_register[30] = true;
    memcpy(made->memory + 16, record, sizeof record);
    return end_of(made);
}

static void a_leaf_returns_to_its_register(void)
{
    struct unwind_stack stack = end_by_link(0x2ffc, 0x6000);
    CHECK(ends(stack, UNWIND_OUTERMOST, 2, 0x2ffc) && stack.frames[1].sp == 0x8000);
    CHECK(stack.frames[1].source == UNWIND_LINK_REGISTER && stack.frames[1].fp == 0x8010);
    stack = end_by_link(0x5a12000000002ffc, 0x6000); // signed
    CHECK(stack.count == 2 && stack.frames[1].pc == 0x2ffc);
    stack = end_by_link(0x2ffc, 0x2ffc); // stored where it determines SP
    CHECK(stack.count == 2 && stack.frames[1].pc == 0x2ffc && stack.frames[1].sp == 0x8020);
    stack = end_by_link(0x1800, 0x2ffc); // the return address of an earlier call
    CHECK(stack.count == 2 && stack.frames[1].source == UNWIND_FRAME_POINTER);
    stack = end_by_link(0x10, 0x2ffc); // not code
    CHECK(stack.count == 2 && stack.frames[1].source == UNWIND_FRAME_POINTER);
}

static void who_was_seen_to_call_comes_before_guesses(void)
{
    struct recorded *made = two_frames(0);
    made->rules[0].kind = SFRAME_MISS;
    made->entry = made->pc;
    made->seen = (struct unwind_frame){.pc = 0x2ffc, .sp = 0x8010};
    struct unwind_stack stack = end_of(made);
    CHECK(ends(stack, UNWIND_OUTERMOST, 2, 0) && stack.frames[1].source == UNWIND_CALLS);
    made = two_frames(0x3ffc);
    made->rules[2].kind = SFRAME_OUTERMOST;
    made->seen = (struct unwind_frame){.pc = 0x4ffc, .sp = 0x8010};
    stack = end_of(made); // also after rules
    CHECK(stack.count == 3 && stack.frames[1].source == UNWIND_SFRAME);
    made = two_frames(0);
    made->rules[0].kind = SFRAME_MISS;
    made->rules[1].kind = SFRAME_OUTERMOST;
    made->seen = (struct unwind_frame){.pc = 0x2ffc, .sp = 0x7ff0};
    CHECK(ends(end_of(made), UNWIND_OUTERMOST, 2, 0x2ffc)); // SP is on another stack already
}

static void a_stack_that_was_seen_to_begin_has_no_caller(void)
{
    struct recorded *made = two_frames(0);
    made->how = UNWIND_SEEN_BEGIN; // regardless of rules
    CHECK(ends(end_of(made), UNWIND_OUTERMOST, 1, 0x1004));
    made = two_frames(0);
    made->how = UNWIND_SEEN_BEGIN;
    made->rules[0].kind = SFRAME_MISS;
    CHECK(ends(end_of(made), UNWIND_OUTERMOST, 1, 0x1004));
    made = two_frames(0);
    made->how = UNWIND_SEEN_OUTERMOST; // calls may not show the whole stack
    CHECK(ends(end_of(made), UNWIND_OUTERMOST, 2, 0));
    made = two_frames(0);
    made->how = UNWIND_SEEN_OUTERMOST;
    memset(made->memory + 8, 0x10, 1); // but nothing that is not code
    memset(made->memory + 9, 0, 7);
    CHECK(ends(end_of(made), UNWIND_OUTERMOST, 1, 0x1004));
    made = two_frames(0);
    made->how = UNWIND_SEEN_OUTERMOST;
    made->rules[0].kind = SFRAME_MISS;
    CHECK(ends(end_of(made), UNWIND_OUTERMOST, 1, 0x1004));
}

// By DWARF, which may not tell where a function ends.
static struct unwind_stack end_by_row(uint64_t seen_pc, uint64_t seen_sp)
{
    struct recorded *made = two_frames(0);
    made->rules[0].kind = SFRAME_MISS;
    made->rules[1].kind = SFRAME_OUTERMOST;
    made->row = (struct frame_row){.cfa = {FRAME_REGISTER, 31, 0, 16}, .ra = 30};
    made->row.registers[30] = (struct frame_location){FRAME_MEMORY, 0, 0, -8};
    made->seen = (struct unwind_frame){.pc = seen_pc, .sp = seen_sp};
    return end_of(made);
}

static void in_a_recursion_the_stack_pointer_tells_callers_apart(void)
{
    struct unwind_stack stack = end_by_row(0x2ffc, 0x8010);
    CHECK(stack.count == 2 && stack.frames[1].source == UNWIND_DWARF);
    CHECK(stack.frames[1].pc == 0x2ffc && stack.frames[1].sp == 0x8010);
    stack = end_by_row(0x2ffc, 0x8008);
    CHECK(stack.count == 2 && stack.frames[1].source == UNWIND_CALLS);
    CHECK(stack.frames[1].pc == 0x2ffc && stack.frames[1].sp == 0x8008);
}

static void what_cannot_return_is_the_outermost(void)
{
    struct recorded *made = two_frames(0);
    made->rules[1] = (struct sframe_rule){.kind = SFRAME_ROW, .cfa = {0, 31, SFRAME_VALUE}};
    CHECK(ends(end_of(made), UNWIND_OUTERMOST, 2, 0x2ffc));
    made = two_frames(0);
    made->rules[0].ra.kind = SFRAME_SAME; // the function may still return
    made->rules[0].cfa = (struct sframe_location){0, 31, SFRAME_VALUE};
    CHECK(ends(end_of(made), UNWIND_NO_REGISTER, 1, 0x1004));
}

static void at_an_entry_of_x86_the_caller_is_on_the_stack(void)
{
    struct unwind_frame frames[FRAMES_MAX];
    struct recorded *made = two_frames(0);
    made->rules[0].kind = SFRAME_MISS;
    made->entry = made->pc;
    made->registers[7] = 0x8008;
    made->has_register[7] = true;
    made->rules[1] = (struct sframe_rule){.kind = SFRAME_OUTERMOST};
    struct unwind_stack stack = unwound(made, &frames_x86_64, frames, FRAMES_MAX);
    CHECK(ends(stack, UNWIND_OUTERMOST, 2, 0x2ffc) && frames[1].sp == 0x8010);
    free(made);
}

const struct test_case unwind_tests[] = {
    {"frames_are_those_of_gdb", frames_are_those_of_gdb},
    {"a_stack_says_why_it_ends", a_stack_says_why_it_ends},
    {"there_is_no_end_of_frames", there_is_no_end_of_frames},
    {"the_innermost_frame_may_keep_its_registers", the_innermost_frame_may_keep_its_registers},
    {"signatures_are_no_part_of_addresses", signatures_are_no_part_of_addresses},
    {"what_a_signal_interrupted_is_looked_up_as_it_is",
     what_a_signal_interrupted_is_looked_up_as_it_is},
    {"frame_pointers_help_where_there_are_no_rules", frame_pointers_help_where_there_are_no_rules},
    {"a_pushed_frame_pointer_may_still_be_in_its_register",
     a_pushed_frame_pointer_may_still_be_in_its_register},
    {"at_an_entry_the_abi_tells_the_caller", at_an_entry_the_abi_tells_the_caller},
    {"a_leaf_returns_to_its_register", a_leaf_returns_to_its_register},
    {"who_was_seen_to_call_comes_before_guesses", who_was_seen_to_call_comes_before_guesses},
    {"a_stack_that_was_seen_to_begin_has_no_caller", a_stack_that_was_seen_to_begin_has_no_caller},
    {"in_a_recursion_the_stack_pointer_tells_callers_apart",
     in_a_recursion_the_stack_pointer_tells_callers_apart},
    {"what_cannot_return_is_the_outermost", what_cannot_return_is_the_outermost},
    {"at_an_entry_of_x86_the_caller_is_on_the_stack",
     at_an_entry_of_x86_the_caller_is_on_the_stack},
    {NULL, NULL},
};
