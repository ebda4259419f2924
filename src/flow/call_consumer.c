#include "flow/call_consumer.h"

const char *call_end_word(unsigned how)
{
    if (how & CALL_SUSPENDED)
        return "switched away";
    if (how & CALL_TAIL_EXIT)
        return "tail call";
    return how & CALL_LEFT ? "left" : NULL;
}

static bool forget_call(void *self, struct call_content *into, const struct call *call,
                        const struct call_content *inner)
{
    (void)self, (void)into, (void)call, (void)inner;
    return true;
}

static bool forget_content(void *self, struct call_content *into, const struct call_content *from)
{
    (void)self, (void)into, (void)from;
    return true;
}

static void forget_nothing(void *self)
{
    (void)self;
}

const struct call_consumer call_consumer_none = {
    .fold = forget_call, .merge = forget_content, .begin_again = forget_nothing};
