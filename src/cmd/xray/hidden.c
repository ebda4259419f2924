#include "cmd/xray/hidden.h"

#include <inttypes.h>
#include <stdio.h>

void xray_hidden_init(struct xray_hidden *hidden)
{
    *hidden = (struct xray_hidden){0};
    pthread_mutex_init(&hidden->lock, NULL);
}

void xray_hidden_free(struct xray_hidden *hidden)
{
    hidden_names_free(&hidden->names);
    pthread_mutex_destroy(&hidden->lock);
}

struct question {
    const char *name, *number;
};

static bool is_meant(void *self, struct hidden_name *hidden)
{
    const struct question *question = self;
    return hidden_name_is(hidden, question->name) || strcmp(hidden->pattern, question->number) == 0;
}

static bool hides(void *self, uint32_t function)
{
    struct xray_hidden *hidden = self;
    char number[16];
    snprintf(number, sizeof number, "#%" PRIu32, function);
    pthread_mutex_lock(&hidden->lock);
    struct question question = {xray_name(hidden->functions, function), number};
    bool is_hidden = hidden_names_have(&hidden->names, &question, is_meant);
    pthread_mutex_unlock(&hidden->lock);
    return is_hidden;
}

const struct xray_hider *xray_hidden_hider(struct xray_hidden *hidden, struct xray_names *names)
{
    hidden->functions = names;
    hidden->hider = (struct xray_hider){hidden, hides};
    return hidden->names.items.count ? &hidden->hider : NULL;
}
