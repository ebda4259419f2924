#include "trace/lines/running_pass.h"

#include <stdlib.h>

void pass_fail(struct pipeline *pipeline, enum status status, const char *text)
{
    pthread_mutex_lock(&pipeline->lock);
    if (pipeline->status == STATUS_OK)
        pipeline->status = error_set(&pipeline->error, status, "%s", text);
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

bool pass_is_new_note(struct pipeline *pipeline, uint64_t hash)
{
    bool is_new = false;
    if (pipeline->notes_seen.count < LIMIT_NOTES &&
        !hashset_add(&pipeline->notes_seen, hash, &is_new))
        pass_fail(pipeline, STATUS_MEMORY, "no memory for the messages of a trace");
    return is_new;
}

void pass_add_time(struct pipeline *pipeline, enum pass_stage stage, uint64_t since_ns)
{
    __atomic_fetch_add(&pipeline->result->stage_ns[stage], monotonic_ns() - since_ns,
                       __ATOMIC_RELAXED);
}

struct chunk_data *pass_chunk_data(struct pipeline *pipeline)
{
    struct chunk_data *data = pipeline->spare;
    if (!data)
        data = calloc(1, sizeof *data);
    else
        pipeline->spare = data->next_spare;
    if (!data)
        return NULL;
    data->users = 1;
    if (!data->parsed.templates && pipeline->spare_templates) {
        data->parsed.templates = pipeline->spare_templates;
        pipeline->spare_templates = data->parsed.templates->next_spare;
    }
    return data;
}

void pass_keep_templates(struct pipeline *pipeline, struct chunk_data *data)
{
    struct line_templates *templates = data->parsed.templates;
    if (!templates)
        return;
    templates->next_spare = pipeline->spare_templates;
    pipeline->spare_templates = templates;
    data->parsed.templates = NULL;
}

void pass_release_chunk_data(struct pipeline *pipeline, struct chunk_data *data)
{
    if (--data->users)
        return;
    data->next_spare = pipeline->spare;
    pipeline->spare = data;
}
