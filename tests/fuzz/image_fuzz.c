// An image, for everything that reads images: its instrumentation map and the names of function
// ids, names of addresses, a set of overlapping images, rules for stacks, and stacks unwound with
// them.
//
// Input: eight bytes for each of REGISTERS registers, STACK_BYTES of memory, then an ELF file.
#include "arch/arm/arm.h"
#include "fuzz.h"

#include "cmd/xray/command.h"
#include "elf/image.h"
#include "names/names.h"
#include "session/images.h"
#include "session/index_names.h"
#include "trace/xray/map.h"
#include "unwind/unwind.h"
#include "unwind/unwind_trace.h"

#include <stdio.h>

enum { REGISTERS = 4, STACK_BYTES = 64, FRAMES_MAX = 40, HEAD_BYTES = 8 * REGISTERS + STACK_BYTES };

#define STACK_AT UINT64_C(0x7000)

// --- Names ---------------------------------------------------------------------------------------

static void check_map(const char *path)
{
    struct image *image;
    struct xray_map map;
    struct error err;
    if (image_open(&image, path, &err) != STATUS_OK)
        return;
    if (xray_map_read(&map, image, &err) == STATUS_OK) {
        for (size_t i = 0; i < map.functions.count; i++) {
            const struct xray_function *function = &map.functions.items[i];
            CLAIM(xray_map_function(&map, function->id) == function);
        }
        for (size_t i = 0; i < map.sleds.count; i++)
            CLAIM(xray_map_function(&map, map.sleds.items[i].function_id));
    } else {
        CLAIM(err.text[0]);
    }
    xray_map_free(&map);
    image_close(image);
}

static void check_ids(const char *path)
{
    struct xray_names names = {0};
    struct source_location place;
    struct error err;
    if (xray_names_add(&names, path, &err) == STATUS_OK &&
        xray_names_settle(&names, NULL, &err) == STATUS_OK) {
        CLAIM(xray_names_open_lines(&names, &err) == STATUS_OK || err.text[0]);
        for (uint32_t id = 0; id < 40; id++) {
            CLAIM(xray_name(&names, id)[0] || names.lacks_memory || xray_names_knows(&names, id));
            xray_function_location(&names, id, &place);
        }
    } else {
        CLAIM(err.text[0]);
    }
    xray_names_free(&names);
}

static void check_identity(const struct image_set *set)
{
    for (size_t i = 0; i < set->members.count; i++) {
        char text[IMAGE_IDENTITY_BYTES];
        int length =
            image_identity(set->members.items[i].image, set->members.items[i].offset, text);
        CLAIM(length >= 0 && (size_t)length == strlen(text));
    }
}

// Lines as an index stores them: pieces ascend, for any line tables.
static void check_lines(const char *path)
{
    struct image_set set = {{0}, {0}};
    struct parts_writer parts = {0};
    struct error err, left_out = {.status = STATUS_OK};
    if (image_set_add(&set, path, 0, &err) == STATUS_OK &&
        index_lines_write(&set, &parts, &left_out))
        CLAIM(left_out.status == STATUS_OK || left_out.text[0]);
    parts_writer_free(&parts);
    image_set_free(&set);
}

static void hear_fault(void *self, const struct error *err)
{
    CLAIM(!self && err->text[0]);
}

// These are not used for an image that has symbols of functions.
static void check_functions(const char *path)
{
    const struct frame_functions_faults faults = {NULL, hear_fault};
    struct frame_functions found;
    struct image_set set = {{0}, {0}};
    struct function_map map;
    struct error err;
    if (image_set_add(&set, path, 0, &err) == STATUS_OK) {
        CLAIM(frame_functions_find(&found, set.members.items[0].image, &faults, &err) == STATUS_OK);
        free(found.items);
        CLAIM(image_functions_find(&map, &set, &faults, &err) == STATUS_OK);
        function_map_free(&map);
    }
    image_set_free(&set);
}

// In either reading; in one, the image is added twice, the second time moved so that the two
// overlap.
static void check_addresses(const char *path, enum reading reading, const uint64_t *addresses)
{
    const struct name_options options = {
        .reading = reading, .with_offsets = true, .demangle = true};
    struct names names;
    struct error err;
    char moved[64];
    snprintf(moved, sizeof moved, "%s@0x40", path);
    names_init(&names, &options);
    if (names_add_image(&names, path, &err) == STATUS_OK && reading == READING_TRUE)
        CLAIM(names_add_image(&names, moved, &err) == STATUS_OK);
    for (size_t i = 0; i < REGISTERS; i++) {
        const char *name = names_of(&names, addresses[i]),
                   *root = names_of_root(&names, addresses[i]);
        CLAIM(name == names_of(&names, addresses[i]) || reading == READING_TTU || !*name);
        uint64_t address, size_bytes;
        if (*root && reading == READING_TRUE)
            names_find_symbol(&names, root, &address, &size_bytes);
    }
    if (reading == READING_TRUE)
        check_identity(&names.images);
    names_free(&names);
}

// --- Stacks --------------------------------------------------------------------------------------

struct thread {
    uint64_t registers[REGISTERS];
    uint8_t stack[STACK_BYTES];
    struct unwind_rules *rules;
    const struct arch_frames *machine;
};

static bool read_register(void *self, uint32_t number, uint64_t *value)
{
    const struct thread *thread = self;
    *value = thread->registers[number % REGISTERS];
    return number % 5 != 0;
}

static bool read_memory(void *self, uint64_t address, unsigned size_bytes, uint64_t *value)
{
    const struct thread *thread = self;
    uint64_t at = address - STACK_AT;
    CLAIM(size_bytes >= 1 && size_bytes <= sizeof *value);
    if (at > STACK_BYTES - sizeof *value)
        return false;
    *value = 0;
    memcpy(value, thread->stack + at, size_bytes);
    return true;
}

static const struct sframe_rule *find_rule(void *self, uint64_t pc)
{
    const struct thread *thread = self;
    return unwind_rules_find(thread->rules, thread->machine->machine, pc);
}

static const struct frame_row *find_row(void *self, enum unwind_source source, uint64_t pc)
{
    const struct thread *thread = self;
    return unwind_rules_row(thread->rules, thread->machine->machine, source, pc);
}

static bool is_code(void *self, uint64_t pc)
{
    return unwind_rules_is_code(((const struct thread *)self)->rules, pc);
}

static bool find_function(void *self, uint64_t pc, uint64_t *start)
{
    return unwind_rules_function(((const struct thread *)self)->rules, pc, start);
}

static void check_stack(struct thread *thread)
{
    const struct unwind_reader reader = {.self = thread,
                                         .read_register = read_register,
                                         .read_memory = read_memory,
                                         .find_rule = find_rule,
                                         .find_row = find_row,
                                         .is_code = is_code,
                                         .find_function = find_function};
    struct unwind_frame frames[FRAMES_MAX];
    struct unwind_stack stack = {.frames = frames, .capacity = FRAMES_MAX};
    unwind(&stack, &reader, thread->machine, thread->registers[0]);
    CLAIM(stack.count >= 1 && stack.count <= FRAMES_MAX);
    for (size_t i = 0; i < stack.count; i++)
        CLAIM(unwind_source_name(frames[i].source)[0]);
    CLAIM(unwind_end_text(stack.end)[0]);
}

static void ignore_fault(void *self, const char *what, const struct error *err)
{
    (void)self;
    CLAIM(*what && err->text[0]);
}

static void check_rules(const char *path, struct thread *thread)
{
    static const struct arch_frames *const machines[] = {&frames_x86_64, &frames_aarch64,
                                                         &frames_arm};
    const struct unwind_faults faults = {NULL, ignore_fault};
    struct image_set set = {{0}, {0}};
    struct error err;
    for (uint64_t offset = 0; offset <= 0x1000; offset += 0x1000)
        if (image_set_add(&set, path, offset, &err) != STATUS_OK)
            break;
    for (size_t i = 0; i < ARRAY_COUNT(machines) && set.members.count; i++) {
        struct unwind_rules rules;
        if (unwind_rules_open(&rules, &set, &faults, &err) == STATUS_OK) {
            thread->rules = &rules;
            thread->machine = machines[i];
            check_stack(thread);
        }
        unwind_rules_free(&rules);
    }
    image_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct thread thread;
    if (size_bytes < HEAD_BYTES + 4 || memcmp(data + HEAD_BYTES, "\177ELF", 4) != 0)
        return 0;
    memcpy(thread.registers, data, sizeof thread.registers);
    memcpy(thread.stack, data + sizeof thread.registers, STACK_BYTES);
    const char *path = fuzz_file(data + HEAD_BYTES, size_bytes - HEAD_BYTES);
    check_map(path);
    check_ids(path);
    check_addresses(path, READING_TTU, thread.registers);
    check_addresses(path, READING_TRUE, thread.registers);
    check_lines(path);
    check_functions(path);
    check_rules(path, &thread);
    return 0;
}
