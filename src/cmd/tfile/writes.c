#include "cmd/tfile/writes.h"

#include "cmd/tfile/query.h"
#include "report/value.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SEEN_BYTES_MAX = 32 };

struct writes {
    struct query *query;
    const struct tfile *file;
    const struct tfile_variable *variable; // NULL: a register or memory
    struct location location;
    uint64_t address;
    size_t size_bytes; // that are looked at
    VEC(, uint64_t) changes;
};

struct seen {
    uint8_t bytes[SEEN_BYTES_MAX];
};

static const struct column columns[] = {
    {"Event", "event", COLUMN_U64},        {"PC", "pc", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT}, {"Tracepoint", "lane", COLUMN_TEXT},
    {"Kind", "kind", COLUMN_TEXT},         {"Address", "address", COLUMN_ADDRESS},
    {"Size", "size", COLUMN_U64},          {"Value", "value", COLUMN_TEXT},
};

// What was collected of it in a frame; false unless all of it was.
static bool see(const struct writes *writes, uint64_t number, struct seen *seen)
{
    const struct tfile *file = writes->file;
    const struct tfile_frame *frame = &file->frames.items[number];
    bool known[SEEN_BYTES_MAX];
    memset(seen, 0, sizeof *seen);
    if (writes->variable) {
        int64_t value;
        if (!tfile_frame_variable(file, frame, writes->variable->number, &value))
            return false;
        for (size_t i = 0; i < sizeof value; i++) // in the order of the target
            seen->bytes[i] = (uint8_t)((uint64_t)value >> 8 * (file->is_big_endian ? 7 - i : i));
        return true;
    }
    if (writes->location.kind == LOCATION_REGISTER) {
        const uint8_t *registers = tfile_frame_registers(file, frame);
        if (registers)
            memcpy(seen->bytes, registers + writes->location.which.offset, writes->size_bytes);
        return registers != NULL;
    }
    return tfile_frame_memory(file, frame, writes->address, writes->size_bytes, seen->bytes,
                              known) == writes->size_bytes;
}

// All frames in which it is another than the last time that it was collected.
static bool find_changes(struct writes *writes)
{
    struct seen last, now;
    bool has_last = false;
    for (uint64_t i = 0; i < writes->file->frames.count; i++) {
        if (!tfile_wants_frame(&writes->query->common, i) || !see(writes, i, &now))
            continue;
        if (has_last && memcmp(&last, &now, sizeof now) == 0)
            continue;
        if (!VEC_ROOM(&writes->changes, 1))
            return false;
        writes->changes.items[writes->changes.count++] = i;
        last = now;
        has_last = true;
    }
    return true;
}

static void put_change(struct writes *writes, struct table *table, size_t change)
{
    static const uint8_t known[SEEN_BYTES_MAX] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                                  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct trace_command *command = &writes->query->common;
    uint64_t number = writes->changes.items[change], pc;
    const struct tfile_frame *frame = &writes->file->frames.items[number];
    bool is_memory = !writes->variable && writes->location.kind == LOCATION_MEMORY;
    bool has_pc = tfile_frame_pc(writes->file, frame, &pc);
    char text[VALUE_TEXT_MAX], lane[TFILE_LANE_NAME_BYTES];
    struct seen seen;
    see(writes, number, &seen);
    size_t size = writes->size_bytes;
    if (!is_memory || (size <= 8 && (size & (size - 1)) == 0)) {
        for (size_t i = 0; writes->file->is_big_endian && i < size / 2; i++) {
            uint8_t byte = seen.bytes[i];
            seen.bytes[i] = seen.bytes[size - 1 - i];
            seen.bytes[size - 1 - i] = byte;
        }
        value_number(text, seen.bytes, known, size);
    } else {
        value_bytes(text, seen.bytes, known, size);
    }
    tfile_lane_name(frame, lane);
    table_u64(table, number);
    if (has_pc)
        table_address(table, pc);
    else
        table_none(table);
    table_text(table, has_pc ? tfile_function(command, pc) : NULL);
    table_text(table, lane);
    table_text(table, change ? "changed" : "first seen");
    if (is_memory)
        table_address(table, writes->address);
    else
        table_none(table);
    table_u64(table, size);
    table_text(table, text);
}

// Changes are in the order of frames: those up to the point come first.
static void put_changes(struct writes *writes, struct table *table,
                        const struct writes_wanted *wanted, uint64_t point)
{
    size_t count = writes->changes.count, before = 0;
    while (before < count && writes->changes.items[before] <= point)
        before++;
    if (wanted->is_back) {
        for (uint64_t i = 0; i < wanted->count && i < before; i++)
            put_change(writes, table, before - 1 - (size_t)i);
        return;
    }
    size_t first = wanted->is_all ? 0 : before;
    for (size_t i = first; i < count && i - first < wanted->count; i++)
        put_change(writes, table, i);
}

static bool find_target(struct writes *writes, const char *what, uint64_t point,
                        enum exit_status *status)
{
    struct error err;
    const char *name = what + (*what == '$');
    size_t length = strlen(name);
    if (tfile_register_named(&writes->file->registers, name, length) == TFILE_NO_REGISTER)
        writes->variable = tfile_variable_named(writes->file, name, length);
    writes->size_bytes = sizeof(int64_t);
    if (writes->variable)
        return true;
    if (!query_tfile_location(writes->query, "", name, point, &writes->location, &writes->address,
                              status))
        return false;
    writes->size_bytes = (size_t)writes->location.size_bytes;
    if (writes->location.kind == LOCATION_REGISTER)
        writes->size_bytes = writes->location.which.size_bytes;
    if (writes->size_bytes <= SEEN_BYTES_MAX)
        return true;
    error_set(&err, STATUS_LIMIT, "'%.200s': of a trace file, at most %d bytes", what,
              SEEN_BYTES_MAX);
    *status = query_error(writes->query, &err);
    return false;
}

static enum exit_status report(struct writes *writes, const struct writes_wanted *wanted,
                               uint64_t point)
{
    struct trace_command *command = &writes->query->common;
    struct out out;
    struct table table;
    struct error err;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!find_changes(writes)) {
        error_set(&err, STATUS_MEMORY, "%s: no memory", command->session.path);
        return query_error(writes->query, &err);
    }
    if (!trace_command_output(command, &out, &status) ||
        !trace_command_table(command, &table, &out, columns, ARRAY_COUNT(columns), &status))
        return status;
    put_changes(writes, &table, wanted, point);
    table_end(&table);
    return trace_command_end(command, &out);
}

enum exit_status writes_tfile(struct query *query, const char *what,
                              const struct writes_wanted *wanted)
{
    struct writes writes = {.query = query};
    uint64_t point;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!tfile_open_trace(&query->common, &status) ||
        !query_tfile_frame(query, "--at", query->at, &point, &status))
        return status;
    writes.file = tfile_file(&query->common);
    if (find_target(&writes, what, point, &status))
        status = report(&writes, wanted, point);
    free(writes.changes.items);
    return status;
}
