#include "cmd/tfile/query.h"

#include <inttypes.h>

// The K-th frame at an address, of those that --lane lets through.
static enum status find_visit(struct trace_command *command, const struct position *position,
                              uint64_t *number, struct error *err)
{
    const struct tfile *file = tfile_file(command);
    uint64_t count = 0, pc;
    for (*number = 0; *number < file->frames.count; ++*number) {
        if (tfile_wants_frame(command, *number) &&
            tfile_frame_pc(file, &file->frames.items[*number], &pc) && pc == position->value &&
            ++count == position->visit)
            return STATUS_OK;
    }
    return error_set(err, STATUS_NOT_FOUND, "%" PRIu64 " frame%s at 0x%" PRIx64, count,
                     count == 1 ? " is" : "s are", position->value);
}

// The frame whose header or data a byte is in.
static enum status find_byte(const struct tfile *file, uint64_t byte, uint64_t *number,
                             struct error *err)
{
    for (*number = 0; *number < file->frames.count; ++*number) {
        const struct tfile_frame *frame = &file->frames.items[*number];
        uint64_t start = frame->offset - TFILE_FRAME_HEADER_BYTES;
        if (byte >= start && byte < frame->offset + frame->size_bytes)
            return STATUS_OK;
    }
    return error_set(err, STATUS_NOT_FOUND, "byte %" PRIu64 " is in no frame", byte);
}

// The last frame that --lane lets through.
static enum status find_end(struct trace_command *command, uint64_t *number, struct error *err)
{
    for (*number = tfile_file(command)->frames.count; (*number)--;) {
        if (tfile_wants_frame(command, *number))
            return STATUS_OK;
    }
    return error_set(err, STATUS_NOT_FOUND, "the file has no frames");
}

static enum status find_frame(struct trace_command *command, const struct position *position,
                              uint64_t *number, struct error *err)
{
    const struct tfile *file = tfile_file(command);
    switch (position->kind) {
    case POSITION_PC:
        return find_visit(command, position, number, err);
    case POSITION_BYTE:
        return find_byte(file, position->value, number, err);
    case POSITION_END:
        return find_end(command, number, err);
    case POSITION_EVENT:
        *number = position->value;
        if (*number < file->frames.count)
            return STATUS_OK;
        return error_set(err, STATUS_NOT_FOUND, "the file has only %zu frame%s", file->frames.count,
                         plural(file->frames.count));
    default:
        return error_set_at(err, STATUS_INPUT, 0,
                            "a trace file has event:N (its frame N), byte:N, pc:ADDR#K and end");
    }
}

bool query_tfile_frame(struct query *query, const char *option, const char *text, uint64_t *number,
                       enum exit_status *status)
{
    struct error err;
    struct position position;
    struct point_names symbols = {&query->common.session.names, NULL, 0};
    const struct expression_names names = point_names(&symbols);
    text = text ? text : "end";
    enum status result = position_parse(&position, text, &names, &err);
    if (result == STATUS_OK)
        result = find_frame(&query->common, &position, number, &err);
    if (result == STATUS_OK && !tfile_wants_frame(&query->common, *number))
        result = error_set(&err, STATUS_NOT_FOUND, "frame %" PRIu64 " is not of tracepoint %s",
                           *number, query->common.session.filter.lane);
    if (result != STATUS_OK)
        *status = query_text_error(query, option, text, &err);
    return result == STATUS_OK;
}

bool query_tfile_location(struct query *query, const char *option, const char *text,
                          uint64_t number, struct location *location, uint64_t *address,
                          enum exit_status *status)
{
    const struct tfile *file = tfile_file(&query->common);
    struct tfile_names known = {file, &query->common.session.names.images};
    struct tfile_point point = {file, tfile_frame_registers(file, &file->frames.items[number])};
    const struct expression_names names = tfile_expression_names(&known);
    const struct expression_registers registers = tfile_point_registers(&point);
    struct error err;
    enum status result = location_parse(location, text, &names, &err);
    if (result == STATUS_OK && location->kind == LOCATION_MEMORY)
        result = location_address(location, &registers, address, &err);
    if (result == STATUS_OK && location->size_bytes > QUERY_MEMORY_BYTES_MAX)
        result = error_set(&err, STATUS_INPUT, "more than 16 MB");
    if (result != STATUS_OK)
        *status = query_text_error(query, option, text, &err);
    return result == STATUS_OK;
}
