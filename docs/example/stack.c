// The call stack at an event of a trace, from its index, with the registers there:
//
//     cc -o stack stack.c $(pkg-config --cflags --libs trawl)
//     ./stack TRACE.index 1000
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <trawl.h>

static int fail(const struct trawl_error *err)
{
    fprintf(stderr, "stack: %s\n", err->text);
    return 1;
}

// Prints the stack pointer, whatever the target calls it, or a question mark where not all of it is
// known.
static enum trawl_status print_sp(struct trawl_index *index, const struct trawl_event *at,
                                  struct trawl_error *err)
{
    struct trawl_register sp;
    uint8_t values[8], known[8];
    uint64_t value = 0;
    size_t known_bytes = 0, size_bytes;
    enum trawl_status status =
        trawl_register_with(index, at->flags & TRAWL_ISA, TRAWL_REGISTER_SP, &sp, err);
    if (status != TRAWL_OK || sp.size_bytes > sizeof values)
        return status;
    size_bytes = (size_t)sp.size_bytes;
    status = trawl_registers(index, at->lane, at->event, sp.offset, size_bytes, values, known, err);
    if (status != TRAWL_OK)
        return status;
    for (size_t i = 0; i < size_bytes; i++) {
        bool is_big_endian = sp.flags & TRAWL_REGISTER_BIG_ENDIAN;
        value = value << 8 | values[is_big_endian ? i : size_bytes - 1 - i];
        known_bytes += known[i];
    }
    if (known_bytes == size_bytes)
        printf("SP 0x%" PRIx64 "\n", value);
    else
        printf("SP ?\n");
    return TRAWL_OK;
}

// An event without an instruction has no PC of its own.
static enum trawl_status print_event(struct trawl_index *index, const struct trawl_event *at,
                                     struct trawl_error *err)
{
    printf("event %" PRIu64 " time %" PRIu64 " line %" PRIu64 "\n", at->event, at->time, at->line);
    if (at->flags & TRAWL_HAS_INSTRUCTION)
        printf("PC 0x%" PRIx64 "\n", at->pc);
    else
        printf("PC ?\n");
    return print_sp(index, at, err);
}

// From the innermost call outwards.
static enum trawl_status print_calls(struct trawl_index *index, const struct trawl_event *at,
                                     struct trawl_error *err)
{
    struct trawl_call call;
    enum trawl_status status = trawl_call_at(index, at->lane, at->in_lane, &call, err);
    while (status == TRAWL_OK) {
        struct trawl_event entry;
        uint64_t event;
        if ((status = trawl_event_of_lane(index, at->lane, call.entry, &event, err)) ||
            (status = trawl_event(index, event, &entry, err)))
            return status;
        printf("%" PRIu64 ": 0x%" PRIx64 " since line %" PRIu64 "\n", call.depth, call.pc,
               entry.line);
        if (call.parent == TRAWL_NONE)
            return TRAWL_OK;
        status = trawl_call(index, at->lane, call.parent, &call, err);
    }
    return status == TRAWL_NOT_FOUND ? TRAWL_OK : status;
}

int main(int argc, char **argv)
{
    struct trawl_error err;
    struct trawl_index *index;
    struct trawl_event at;
    if (argc != 3) {
        fprintf(stderr, "usage: stack INDEX EVENT\n");
        return 2;
    }
    if (trawl_open(&index, argv[1], &err) != TRAWL_OK)
        return fail(&err);
    bool is_done = trawl_event(index, strtoull(argv[2], NULL, 0), &at, &err) == TRAWL_OK &&
                   print_event(index, &at, &err) == TRAWL_OK &&
                   print_calls(index, &at, &err) == TRAWL_OK;
    trawl_close(index);
    return is_done ? 0 : fail(&err);
}
