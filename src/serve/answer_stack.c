// stack: the calls that are active at a point.
#include "base/limits.h"
#include "browse/frames.h"
#include "serve/answer.h"

static void put_frame(struct asking *asking, const struct frame *frame)
{
    struct json *json = asking->json;
    json_begin_object(json);
    uint64_t pc = frame->has_pc ? frame->pc : frame->function;
    json_key(json, "pc");
    if (frame->has_pc)
        json_address(json, pc & ~UINT64_C(1));
    else
        json_text(json, NULL);
    if (frame->has_pc || frame->function)
        answer_name(asking, "name", pc);
    if (frame->has_call && (frame->has_pc || frame->function)) {
        answer_event(json, "called_at", frame->site);
        answer_line(asking, "line", frame->site);
    }
    json_member_bool(json, "is_open", frame->is_open);
    json_member_bool(json, "is_exception", frame->how & TRAWL_CALL_EXCEPTION);
    json_member_bool(json, "has_tail_calls", frame->has_tail_calls);
    json_end_object(json);
}

enum status answer_stack(struct asking *asking, struct error *err)
{
    struct desk *desk = asking->desk;
    struct frame_walk walk;
    struct frame frame;
    uint64_t event, count = 0;
    enum status status = asking_point(asking, &event, err);
    if (status != STATUS_OK)
        return status;
    json_key(asking->json, "frames");
    json_begin_array(asking->json);
    frames_begin(&walk, &desk->source, &desk->timeline, event);
    bool has_frame = frames_next(&walk, &frame);
    for (; has_frame && count < LIMIT_SERVE_FRAMES; count++) {
        put_frame(asking, &frame);
        has_frame = frames_next(&walk, &frame);
    }
    json_end_array(asking->json);
    json_key(asking->json, "is_cut"); // there are more
    json_bool(asking->json, has_frame);
    return STATUS_OK;
}
