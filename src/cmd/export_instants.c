// What a program logged in an XRay log besides calls, as a table: custom and typed events.
#include "cmd/export.h"

#include "cmd/contexts.h"
#include "cmd/trace_pass.h"

#include <stdlib.h>

struct instant_cells {
    const char *lane, *event, *function, *payload;
    const uint64_t *id, *type;
    uint64_t time, bytes;
};

#define VALUE(name) FIELD_VALUE(struct instant_cells, name)

static const struct field fields[] = {
    {"Core", "lane", COLUMN_TEXT, VALUE(lane)},
    {"Time", "time", COLUMN_TICKS, VALUE(time)},
    {"Event", "kind", COLUMN_TEXT, VALUE(event)},
    {"Id", "function_id", COLUMN_U64, VALUE(id)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Type", "type", COLUMN_U64, VALUE(type)},
    {"Bytes", "bytes", COLUMN_U64, VALUE(bytes)},
    {"Payload", "payload", COLUMN_TEXT, VALUE(payload)},
};

struct instants {
    struct command *command;
    char *lane;
    bool has_rows, lacks_memory;
};

static bool begin(void *self, uint64_t start, uint64_t hz)
{
    (void)self, (void)start, (void)hz;
    return true;
}

static bool begin_lane(void *self, const struct call_lane *lane)
{
    struct instants *instants = self;
    free(instants->lane);
    instants->lane = strdup(lane->name ? lane->name : "");
    instants->lacks_memory = !instants->lane;
    return !instants->lacks_memory;
}

static bool enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    (void)self, (void)time, (void)pc, (void)how;
    return true;
}

static bool leave(void *self, uint64_t time)
{
    (void)self, (void)time;
    return true;
}

// The bytes of a payload are text in hexadecimal digits, as anything may be in them.
static bool put_instant(void *self, const struct call_instant *instant)
{
    struct instants *instants = self;
    struct command *command = instants->command;
    const uint8_t *bytes = instant->payload;
    const size_t size = bytes ? instant->payload_bytes : 0;
    char *payload = malloc(2 * size + 1);
    uint64_t id;
    if (!payload)
        return instants->lacks_memory = true, false;
    for (size_t i = 0; i < size; i++) {
        payload[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        payload[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    payload[2 * size] = '\0';
    const char *name = instant->has_function ? names_of(&command->session.names, instant->pc) : "";
    command_row(command,
                &(struct instant_cells){
                    .lane = instants->lane,
                    .time = instant->time,
                    .event = instant->name,
                    .id = instant->has_function ? command_function_id(instant->pc, &id) : NULL,
                    .function = *name ? name : NULL,
                    .type = instant->has_type ? &instant->type : NULL,
                    .bytes = size,
                    .payload = size ? payload : NULL,
                },
                NULL);
    free(payload);
    instants->has_rows = true;
    return !out_failed(&command->out);
}

bool export_instants(struct command *command)
{
    struct instants instants = {.command = command};
    const struct call_sink sink = {.self = &instants,
                                   .begin = begin,
                                   .lane = begin_lane,
                                   .enter = enter,
                                   .leave = leave,
                                   .instant = put_instant};
    if (!command_ensure_open(command))
        return false;
    if (!command->session.trace->kind->direct)
        return command_fail_with(command, STATUS_INPUT,
                                 "%s: %s has no events of its program, as XRay logs have",
                                 command->session.path, command->session.trace->kind->words.a);
    bool is_done =
        command_fields(command, fields, ARRAY_COUNT(fields), 0) && command_stream(command, &sink);
    free(instants.lane);
    if (instants.lacks_memory)
        return command_no_memory(command);
    return is_done && command_require_shown(command, instants.has_rows);
}
