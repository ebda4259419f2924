#include "serve/request_context.h"

#include "serve/fold_text.h"
#include "session/session_index.h"

#include <pthread.h>
#include <stdlib.h>

struct request_contexts {
    struct request_contexts_plan plan;
    pthread_mutex_t lock;
    pthread_cond_t is_back;
    struct request_context *free;
    unsigned count; // number of existing contexts
};

// --- One context ---------------------------------------------------------------------------------

static void context_free(struct request_context *context)
{
    browser_close(&context->browser);
    timeline_close(&context->timeline);
    screen_free(&context->screen);
    session_free(&context->session);
    free(context);
}

static enum status context_open(struct request_context **out,
                                const struct request_contexts_plan *plan, struct error *err)
{
    struct request_context *context = calloc(1, sizeof *context);
    if (!context)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    enum status status = session_open_again(&context->session, plan->session, err);
    if (status == STATUS_OK) {
        browse_source_open(&context->source, &context->session);
        status = timeline_open(&context->timeline, &context->session.view, err);
    }
    if (status == STATUS_OK)
        status = browser_open(&context->browser, &context->source, &context->timeline, false, err);
    if (status != STATUS_OK) {
        context_free(context);
        return status;
    }
    context->lane = context->browser.lane;
    context->browser.source_search = plan->source_search;
    *out = context;
    return STATUS_OK;
}

bool request_context_failed(struct request_context *context, struct error *err)
{
    return browser_failed(&context->browser, err);
}

// --- All of them ---------------------------------------------------------------------------------

enum status request_contexts_open(struct request_contexts **out,
                                  const struct request_contexts_plan *plan, struct error *err)
{
    struct request_contexts *contexts = calloc(1, sizeof *contexts);
    if (!contexts)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    contexts->plan = *plan;
    pthread_mutex_init(&contexts->lock, NULL);
    pthread_cond_init(&contexts->is_back, NULL);
    *out = contexts;
    return STATUS_OK;
}

void request_contexts_close(struct request_contexts *contexts)
{
    if (!contexts)
        return;
    while (contexts->free) {
        struct request_context *context = contexts->free;
        contexts->free = context->next;
        context_free(context);
    }
    pthread_cond_destroy(&contexts->is_back);
    pthread_mutex_destroy(&contexts->lock);
    free(contexts);
}

static void take_off(struct request_contexts *contexts)
{
    pthread_mutex_lock(&contexts->lock);
    contexts->count--;
    pthread_cond_signal(&contexts->is_back);
    pthread_mutex_unlock(&contexts->lock);
}

enum status request_contexts_take(struct request_contexts *contexts,
                                  struct request_context **context, struct error *err)
{
    pthread_mutex_lock(&contexts->lock);
    while (!contexts->free && contexts->count >= contexts->plan.count_max)
        pthread_cond_wait(&contexts->is_back, &contexts->lock);
    *context = contexts->free;
    if (*context)
        contexts->free = (*context)->next;
    else
        contexts->count++; // another may be made
    pthread_mutex_unlock(&contexts->lock);
    if (!*context) {
        enum status status = context_open(context, &contexts->plan, err);
        if (status != STATUS_OK)
            take_off(contexts);
        return status;
    }
    return fold_text_read(&(*context)->timeline, NULL, err);
}

void request_contexts_give_back(struct request_contexts *contexts, struct request_context *context)
{
    struct error err;
    if (request_context_failed(context, &err)) { // what it has read is not reliable
        context_free(context);
        take_off(contexts);
        return;
    }
    pthread_mutex_lock(&contexts->lock);
    context->next = contexts->free;
    contexts->free = context;
    pthread_cond_signal(&contexts->is_back);
    pthread_mutex_unlock(&contexts->lock);
}
