#include "session/shard_build.h"

#include <inttypes.h>
#include <stdlib.h>

// --- Making one ----------------------------------------------------------------------------------

static bool write_survey(struct index_writer *writer, const struct trace *trace,
                         const struct indexing_options *how, const struct bytes *survey)
{
    struct index_ending ending = {.kind = trace->kind->name};
    index_ending_set_trace(&ending, how->fingerprint);
    return index_writer_end(writer, &ending) &&
           index_writer_copy_section(writer, SECTION_SURVEY, survey->items, survey->count) &&
           index_writer_end_part(writer);
}

static enum status run(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, const struct indexing_options *how,
                       struct pass_result *result, struct bytes *survey, struct error *err)
{
    struct register_names names = {0};
    struct pass_options pass = *options;
    uint64_t text_bytes = source_size_bytes(trace->source);
    pass.consumer = pass.other_consumer = (struct call_consumer){0};
    pass.range = CALL_RANGE_ALL;
    pass.shard = (struct pass_shard){.from = how->shard->from,
                                     .end = u64_max(u64_min(how->shard->end, text_bytes), 1),
                                     .survey = survey};
    // Segments are counted but not built.
    pass.segments = (struct segment_consumer){.segment_events = how->segment_events,
                                              .from_position = UINT64_MAX,
                                              .end_position = UINT64_MAX,
                                              .names = &names};
    pass.block_hashes = calloc((size_t)fingerprint_block_count(text_bytes) + 1, sizeof(uint64_t));
    enum status status =
        pass.block_hashes ? trace->kind->run(trace, &pass, observer, result, err)
                          : error_set(err, STATUS_MEMORY, "no memory for the hashes of the trace");
    if (status == STATUS_OK && !source_is_intact(trace->source))
        status = error_set(err, STATUS_INPUT, "the trace was changed while it was read");
    free(pass.block_hashes);
    register_names_free(&names);
    return status;
}

enum status survey_run(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, const struct indexing_options *how,
                       struct pass_result *result, struct error *err)
{
    struct bytes survey = {0};
    struct index_writer *writer;
    const struct file_writer_target target = {how->path, source_fd(trace->source), -1};
    *result = (struct pass_result){0};
    enum status status =
        index_writer_open(&writer, &target, how->io, how->segment_events, options->simd, err);
    if (status != STATUS_OK)
        return status;
    struct error cause;
    status = run(trace, options, observer, how, result, &survey, &cause);
    if (status == STATUS_OK &&
        (!index_writer_be_part(writer, how->shard) || !write_survey(writer, trace, how, &survey)))
        status = error_set(&cause, STATUS_MEMORY, "no memory for a survey");
    free(survey.items);
    if (status == STATUS_OK)
        return index_writer_publish(writer, how->sync, err);
    index_writer_abandon(writer);
    return error_set(err, status == STATUS_NOT_FOUND ? STATUS_INPUT : status,
                     "%s: cannot be surveyed: %s", how->trace, cause.text);
}

// --- Those before a shard ------------------------------------------------------------------------

static enum status check(const struct shard *shard, const struct shard_place *place,
                         const struct fingerprint *fingerprint, struct error *err)
{
    const struct fingerprint kept = shard_fingerprint(shard->identity);
    if (fingerprint_compare(&kept, fingerprint) != FINGERPRINT_SAME)
        return error_set(err, STATUS_INPUT,
                         "%s: was made of another trace, or the trace was changed", shard->path);
    if (shard->figures[SHARD_COUNT] != place->count)
        return error_set(err, STATUS_INPUT, "%s: one of %" PRIu64 " surveys, not of %" PRIu64,
                         shard->path, shard->figures[SHARD_COUNT], place->count);
    return shard_verify(shard, err);
}

// Puts a survey in its place.
static enum status take(struct surveys *surveys, const struct shard *shard, struct error *err)
{
    uint64_t number = shard->figures[SHARD_NUMBER];
    struct shard *to = &surveys->shards[number - 1];
    if (to->path)
        return error_set(err, STATUS_INPUT, "%s: is survey %" PRIu64 ", like %s", shard->path,
                         number, to->path);
    struct packed_survey *item = &surveys->items[number - 1];
    item->bytes = shard_section(shard, SECTION_SURVEY, &item->size_bytes);
    if (!item->bytes)
        return shard_damaged(shard, "the survey", err);
    *to = *shard;
    return STATUS_OK;
}

// One that is not wanted is closed again: nobody reads it.
static enum status open_one(struct surveys *surveys, const char *path,
                            const struct shard_place *place, const struct fingerprint *fingerprint,
                            struct error *err)
{
    struct shard shard;
    enum status status = shard_open(&shard, path, ROLE_SURVEY, err);
    if (status != STATUS_OK)
        return status;
    bool is_wanted = shard.figures[SHARD_NUMBER] <= surveys->count;
    if (is_wanted && (status = check(&shard, place, fingerprint, err)) == STATUS_OK)
        status = take(surveys, &shard, err);
    if (!is_wanted || status != STATUS_OK)
        shard_close(&shard);
    return status;
}

enum status surveys_open(struct surveys *surveys, const char *const *paths, size_t path_count,
                         const struct shard_place *place, const struct fingerprint *fingerprint,
                         struct error *err)
{
    size_t count = (size_t)place->number - 1;
    *surveys = (struct surveys){.shards = calloc(count + 1, sizeof *surveys->shards),
                                .items = calloc(count + 1, sizeof *surveys->items)};
    if (!surveys->shards || !surveys->items)
        return error_set(err, STATUS_MEMORY, "no memory for surveys");
    surveys->count = count;
    for (size_t i = 0; i < path_count; i++) {
        enum status status = open_one(surveys, paths[i], place, fingerprint, err);
        if (status != STATUS_OK)
            return status;
    }
    for (size_t i = 0; i < count; i++) {
        if (!surveys->shards[i].path)
            return error_set(err, STATUS_INPUT, "the survey of piece %zu of %" PRIu64 " is missing",
                             i + 1, place->count);
    }
    return STATUS_OK;
}

void surveys_free(struct surveys *surveys)
{
    for (size_t i = 0; surveys->shards && i < surveys->count; i++) {
        if (surveys->shards[i].path)
            shard_close(&surveys->shards[i]);
    }
    free(surveys->shards);
    free(surveys->items);
    *surveys = (struct surveys){0};
}
