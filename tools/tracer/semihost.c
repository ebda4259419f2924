#include "semihost.h"

#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITEC = 0x03,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_ISTTY = 0x09,
    SYS_CLOCK = 0x10,
    SYS_GET_CMDLINE = 0x15,
    SYS_HEAPINFO = 0x16,
    SYS_EXIT = 0x18,
} operation_t;

enum { HANDLE_INPUT = 1, HANDLE_OUTPUT = 2, REASON_EXIT = 0x20026 };

bool semihost_open(semihost_t *semihost, const char *input_path)
{
    memset(semihost, 0, sizeof *semihost);
    if (input_path == NULL) {
        return true;
    }
    FILE *f = fopen(input_path, "rb");
    semihost->input = malloc(SEMIHOST_INPUT_MAX);
    if (f == NULL || semihost->input == NULL) {
        return false;
    }
    semihost->input_bytes = fread(semihost->input, 1, SEMIHOST_INPUT_MAX, f);
    fclose(f);
    return true;
}

// Word `index` of the parameter block.
static uint64_t word(const core_t *core, uint64_t block, unsigned index)
{
    unsigned size_bytes = core->machine->cache.is_a64 ? 8 : 4;
    uint64_t value = 0;
    uint64_t address = block + (uint64_t)index * size_bytes;
    if (ram_holds(address, size_bytes)) {
        memcpy(&value, ram_at(&core->machine->image, address), size_bytes);
    }
    return core->machine->image.is_big_endian ? __builtin_bswap32((uint32_t)value) : value;
}

static void set_memory(core_t *core, uint64_t address, const void *data, uint64_t size_bytes)
{
    machine_t *m = core->machine;
    if (!ram_holds(address, size_bytes)) {
        return;
    }
    memcpy(ram_at(&m->image, address), data, size_bytes);
    if (m->truth.touched != NULL) {
        truth_forget(&m->truth, address, size_bytes); // no trace line shows this
    }
}

static void set_word(core_t *core, uint64_t block, unsigned index, uint64_t value)
{
    unsigned size_bytes = core->machine->cache.is_a64 ? 8 : 4;
    if (core->machine->image.is_big_endian) {
        value = __builtin_bswap32((uint32_t)value);
    }
    set_memory(core, block + (uint64_t)index * size_bytes, &value, size_bytes);
}

static void show(const core_t *core, uint64_t address, uint64_t size_bytes)
{
    if (!core->machine->options.quiet && ram_holds(address, size_bytes)) {
        fwrite(ram_at(&core->machine->image, address), 1, size_bytes, stderr);
    }
}

static uint64_t do_read(core_t *core, uint64_t block)
{
    semihost_t *sh = &core->machine->semihost;
    uint64_t wanted = word(core, block, 2);
    uint64_t left = sh->input_bytes - sh->input_position;
    uint64_t count = wanted < left ? wanted : left;
    set_memory(core, word(core, block, 1), sh->input + sh->input_position, count);
    sh->input_position += count;
    return wanted - count; // the number of bytes not read
}

static uint64_t do_command_line(core_t *core, uint64_t block)
{
    const char *arguments = core->machine->options.arguments;
    uint64_t length = strlen(arguments);
    if (length + 1 > word(core, block, 1)) {
        return UINT64_MAX;
    }
    set_memory(core, word(core, block, 0), arguments, length + 1);
    set_word(core, block, 1, length);
    return 0;
}

static uint64_t do_heap_info(core_t *core, uint64_t block)
{
    uint64_t heap = (core->machine->image.data_end + 0xfff) & ~0xfffull;
    const uint64_t info[4] = {heap, RAM_END - 0x200000, RAM_END - 0x10000, RAM_END - 0x100000};
    for (unsigned i = 0; i < 4; i++) {
        set_word(core, word(core, block, 0), i, info[i]);
    }
    return 0;
}

static unsigned exit_code(const core_t *core, uint64_t argument)
{
    if (!core->machine->cache.is_a64) {
        return argument == REASON_EXIT ? 0 : 1;
    }
    return word(core, argument, 0) == REASON_EXIT ? (unsigned)word(core, argument, 1) : 1;
}

static uint64_t do_write0(const core_t *core, uint64_t address)
{
    for (; ram_holds(address, 1) && *ram_at(&core->machine->image, address) != 0; address++) {
        show(core, address, 1);
    }
    return 0;
}

bool semihost_call(core_t *core)
{
    uint64_t operation[2];
    uint64_t argument[2];
    core_read_reg(core, 0, operation);
    core_read_reg(core, 1, argument);
    uint64_t block = argument[0];
    uint64_t result = 0;
    switch ((operation_t)(operation[0] & 0xff)) {
    // ":tt" is the input if opened for reading, otherwise the output. There are no other files.
    case SYS_OPEN:
        result = word(core, block, 1) < 4 ? HANDLE_INPUT : HANDLE_OUTPUT;
        break;
    case SYS_CLOSE:
        break;
    case SYS_WRITEC:
        show(core, block, 1);
        break;
    case SYS_WRITE0:
        result = do_write0(core, block);
        break;
    case SYS_WRITE:
        show(core, word(core, block, 1), word(core, block, 2));
        break;
    case SYS_READ:
        result = do_read(core, block);
        break;
    case SYS_ISTTY:
        result = 1;
        break;
    case SYS_CLOCK:
        result = core->insn_count / 1000;
        break; // the same in every run
    case SYS_GET_CMDLINE:
        result = do_command_line(core, block);
        break;
    case SYS_HEAPINFO:
        result = do_heap_info(core, block);
        break;
    case SYS_EXIT:
        core->machine->exit_code = exit_code(core, block);
        return false;
    default:
        result = UINT64_MAX;
        break;
    }
    core_write_reg(core, 0, result);
    return true;
}
