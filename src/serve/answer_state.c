// registers, memory, stack: the state at a point.
#include "base/limits.h"
#include "browse/frames.h"
#include "idx/index.h"
#include "query/exception_text.h"
#include "query/memory_space.h"
#include "query/point.h"
#include "serve/answer.h"

#include <stdlib.h>

// --- Registers -----------------------------------------------------------------------------------

enum status answer_registers(struct asking *asking, struct error *err)
{
    struct request_context *context = asking->context;
    struct trawl_index *index = context->session.view.index;
    struct trawl_register about;
    struct trawl_event here;
    struct trawl_error why;
    uint64_t event;
    enum status status = asking_point(asking, &event, err);
    if (status != STATUS_OK)
        return status;
    browse_event(&context->source, event, &here);
    uint32_t isa = point_isa(&context->session.view, &here);
    json_key(asking->json, "registers");
    json_begin_array(asking->json);
    for (uint64_t i = 0; trawl_register(index, i, &about, &why) == TRAWL_OK; i++) {
        bool is_listed = about.shown >> isa & 1 && about.size_bytes;
        if (is_listed) {
            uint8_t values[LIMIT_SERVE_REGISTER_BYTES], known[LIMIT_SERVE_REGISTER_BYTES];
            size_t size = (size_t)about.size_bytes;
            struct json *json = asking->json;
            json_begin_object(json);
            json_member_text(json, "name", about.name);
            json_member_text(json, "kind",
                             about.flags & TRAWL_REGISTER_VECTOR     ? "vector"
                             : about.flags & TRAWL_REGISTER_SYSTEM   ? "system"
                             : about.flags & TRAWL_REGISTER_VARIABLE ? "variable"
                                                                     : "general");
            json_key(json, "value");
            if (size && size <= sizeof values) {
                bool is_whole = size == 8 || size == 4,
                     is_big = about.flags & TRAWL_REGISTER_BIG_ENDIAN;
                browse_registers(&asking->context->source, event, about.offset, size, values,
                                 known);
                answer_bytes(json, values, known, size, !is_big);
                if (is_whole && !memchr(known, 0, size) && about.flags & TRAWL_REGISTER_GENERAL)
                    answer_value_name(asking, event, point_number(values, size, is_big));
            } else {
                json_text(json, NULL);
            }
            answer_event(json, "written",
                         browse_register_written(&asking->context->source, event, about.offset,
                                                 (size_t)about.size_bytes));
            json_end_object(json);
        }
    }
    json_end_array(asking->json);
    return STATUS_OK;
}

// --- Memory --------------------------------------------------------------------------------------

static enum status find_address(struct asking *asking, uint64_t event, uint64_t *address,
                                struct error *err)
{
    struct request_context *context = asking->context;
    const char *text = request_text(asking->request, "address");
    struct expression expression;
    if (!text || !*text)
        return error_set(err, STATUS_INPUT, "address: expected an expression such as sp+16");
    enum status status = browse_parse(&context->source, event, true, text, &expression, err);
    if (status == STATUS_OK && !browse_evaluate(&context->source, &expression, event, address))
        return error_set(err, STATUS_NOT_FOUND, "%s: has no value here", text);
    return status;
}

// Writes a word of memory as a number, the name of what it points to, and the value there: pointers
// are followed one step.
static void put_word(struct asking *asking, uint64_t event, const uint8_t *values,
                     const uint8_t *known, size_t size)
{
    struct request_context *context = asking->context;
    struct json *json = asking->json;
    uint8_t there[sizeof(uint64_t)], is_there[sizeof(uint64_t)];
    bool is_big = context->session.view.info.options & TRAWL_BIG_ENDIAN;
    uint64_t number = point_number(values, size, is_big);
    char name[BROWSE_NAME_BYTES];
    json_begin_array(json);
    bool is_known = !memchr(known, 0, size);
    if (is_known)
        json_address(json, number);
    else
        json_text(json, NULL);
    bool is_named = is_known && frames_value_name(&context->source, &context->timeline, event,
                                                  number, name, NULL);
    json_text(json, is_named ? name : NULL);
    bool is_pointer = is_known && number >= size && number <= UINT64_MAX - size;
    if (is_pointer)
        browse_memory(&context->source, event, number, size, there, is_there);
    if (is_pointer && !memchr(is_there, 0, size))
        json_address(json, point_number(there, size, is_big));
    else
        json_text(json, NULL);
    json_end_array(json);
}

static void put_memory(struct asking *asking, uint64_t event, uint64_t address, uint64_t size,
                       uint64_t word)
{
    struct request_context *context = asking->context;
    uint8_t values[LIMIT_SERVE_MEMORY_BYTES], known[LIMIT_SERVE_MEMORY_BYTES];
    size = u64_min(size, UINT64_MAX - address); // the very last byte is left out
    browse_memory(&context->source, event, address, (size_t)size, values, known);
    json_member_address(asking->json, "address", address);
    json_key(asking->json, "bytes");
    answer_bytes(asking->json, values, known, (size_t)size, false);
    if (word) {
        json_key(asking->json, "words");
        json_begin_array(asking->json);
        for (size_t i = 0; i + word <= size; i += (size_t)word)
            put_word(asking, event, values + i, known + i, (size_t)word);
        json_end_array(asking->json);
    }
    answer_event(asking->json, "written",
                 size ? browse_memory_written(&context->source, event, address, size) : TRAWL_NONE);
    json_member_text(asking->json, "doubt",
                     memory_space_doubt(context->session.view.index, event, address, size));
}

enum { MEMORY_BYTES_DEFAULT = 256 };

enum status answer_memory(struct asking *asking, struct error *err)
{
    struct request_context *context = asking->context;
    uint64_t event, address, size = MEMORY_BYTES_DEFAULT, word = 0;
    enum status status = asking_point(asking, &event, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "size", LIMIT_SERVE_MEMORY_BYTES, &size, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "word", sizeof(uint64_t), &word, err);
    struct trawl_index *index = context->session.view.index;
    const char *space = request_text(asking->request, "space");
    struct trawl_memory_view before;
    trawl_seen_memory(index, &before);
    if (status == STATUS_OK && space && *space)
        status = memory_space_set(index, space, TRAWL_ANY_LANE, err);
    if (status == STATUS_OK)
        status = find_address(asking, event, &address, err);
    if (status == STATUS_OK)
        put_memory(asking, event, address, size, word);
    trawl_see_memory(index, &before, NULL);
    return status;
}
// --- Active calls --------------------------------------------------------------------------------

// The arguments that a log has of the call that begins with an event.
static enum status put_arguments(struct asking *asking, uint64_t event, struct error *err)
{
    struct request_context *context = asking->context;
    const struct trace_direct *direct = context->session.trace->kind->direct;
    uint64_t values[LIMIT_SERVE_ARGUMENTS];
    struct trawl_event about;
    if (!direct || !direct->arguments)
        return STATUS_OK;
    enum status status = session_make_ready(&context->session, err);
    if (status != STATUS_OK)
        return status;
    browse_event(&context->source, event, &about);
    size_t count =
        direct->arguments(context->session.trace, about.position, values, LIMIT_SERVE_ARGUMENTS);
    json_key(asking->json, "arguments");
    json_begin_array(asking->json);
    for (size_t i = 0; i < u64_min(count, LIMIT_SERVE_ARGUMENTS); i++)
        json_address(asking->json, values[i]);
    json_end_array(asking->json);
    json_member_u64(asking->json, "argument_count", count);
    return STATUS_OK;
}

enum status answer_stack(struct asking *asking, struct error *err)
{
    struct request_context *context = asking->context;
    struct frame_walk walk;
    struct frame frame;
    uint64_t event, count = 0;
    enum status status = asking_point(asking, &event, err);
    if (status != STATUS_OK)
        return status;
    json_key(asking->json, "frames");
    json_begin_array(asking->json);
    frames_begin(&walk, &context->source, &context->timeline, event);
    bool has_frame = frames_next(&walk, &frame);
    for (; has_frame && count < LIMIT_SERVE_FRAMES && status == STATUS_OK; count++) {
        struct json *json = asking->json;
        json_begin_object(json);
        uint64_t pc = frame.has_pc ? frame.pc : frame.function;
        json_key(json, "pc");
        if (frame.has_pc)
            json_address(json, index_pc_address(context->session.view.index, pc) & ~UINT64_C(1));
        else
            json_text(json, NULL);
        if (frame.has_pc || frame.function)
            answer_name(asking, "name", pc);
        if (frame.has_call && (frame.has_pc || frame.function)) {
            answer_event(json, "called_at", frame.site);
            answer_line(asking, "line", frame.site);
        }
        if (frame.has_call && context->source.rows == ROWS_CALLS)
            status = put_arguments(asking, frame.site, err);
        json_member_bool(json, "is_open", frame.is_open);
        json_member_bool(json, "is_exception", frame.how & TRAWL_CALL_EXCEPTION);
        char exception[EXCEPTION_TEXT_BYTES];
        if (exception_text(context->source.indexed, context->source.names, frame.lane, &frame.first,
                           exception))
            json_member_text(json, "exception", exception);
        json_member_bool(json, "is_guess", frame.how & TRAWL_CALL_GUESSED);
        json_member_bool(json, "has_tail_calls", frame.has_tail_calls);
        json_end_object(json);
        has_frame = frames_next(&walk, &frame);
    }
    json_end_array(asking->json);
    json_key(asking->json, "is_cut"); // there are more
    json_bool(asking->json, has_frame);
    json_member_text(asking->json, "task", browse_task(&context->source, event));
    return status;
}
