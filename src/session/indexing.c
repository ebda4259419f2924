#include "session/indexing.h"

#include "base/source.h"
#include "base/thread.h"
#include "base/vec.h"
#include "flow/messages.h"
#include "idx/host_calls.h"
#include "idx/index.h"
#include "idx/index_write.h"
#include "session/call_lists.h"
#include "session/index_access_points.h"
#include "session/index_files.h"
#include "session/index_names.h"
#include "session/index_trial.h"
#include "session/prefix_index.h"
#include "session/shard_calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// --- Hashes of a trace that is followed ----------------------------------------------------------

// Hashes of the blocks of a trace that is followed (base/fingerprint.h), for each file, as it is
// read.

struct file_blocks {
    uint64_t *hashes;
    size_t count, capacity;
};

// Initialize with zeros.
struct read_blocks {
    VEC(, struct file_blocks) files;
};

static bool add(struct file_blocks *blocks, const char *bytes, uint64_t size_bytes, bool is_end)
{
    size_t count = (size_t)(is_end ? fingerprint_block_count(size_bytes)
                                   : size_bytes / FINGERPRINT_BLOCK_BYTES);
    if (!vec_reserve((void **)&blocks->hashes, &blocks->capacity, count, sizeof *blocks->hashes))
        return false;
    while (blocks->count < count) {
        uint64_t offset = blocks->count * FINGERPRINT_BLOCK_BYTES;
        size_t left = (size_t)u64_min(size_bytes - offset, FINGERPRINT_BLOCK_BYTES);
        blocks->hashes[blocks->count++] = fingerprint_block(bytes + offset, left);
    }
    return true;
}

// Adds blocks that were completely read since; at the end, also incomplete ones. False: no memory.
static bool read_blocks_go_on(struct read_blocks *blocks, const struct source *source, bool is_end)
{
    size_t count = source_file_count(source);
    if (!VEC_EXTEND(&blocks->files, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!add(&blocks->files.items[i], source_file(source, i).bytes,
                 source_file_read_bytes(source, i), is_end))
            return false;
    }
    return true;
}

// All hashes, in order. The caller frees them. NULL: no memory.
static uint64_t *read_blocks_join(const struct read_blocks *blocks, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < blocks->files.count; i++)
        *count += blocks->files.items[i].count;
    uint64_t *all = calloc(*count + 1, sizeof *all), *at = all;
    for (size_t i = 0; all && i < blocks->files.count; i++) {
        const struct file_blocks *file = &blocks->files.items[i];
        if (file->count)
            memcpy(at, file->hashes, file->count * sizeof *at);
        at += file->count;
    }
    return all;
}

static void read_blocks_free(struct read_blocks *blocks)
{
    for (size_t i = 0; i < blocks->files.count; i++)
        free(blocks->files.items[i].hashes);
    free(blocks->files.items);
}

// --- The index -----------------------------------------------------------------------------------

struct indexing {
    struct trace *trace;
    const struct indexing_options *how;
    struct index_writer *writer;
    const struct pass_observer *observer; // receives the messages
    struct message_log messages;
    bool lost_messages;     // because there was no memory
    bool is_preview;        // this is an index of what was read so far
    uint64_t *block_hashes; // NULL: the trace is not a file
    size_t block_count;
    struct read_blocks read_blocks; // of a trace that is followed
    bool big_endian;
    enum simd simd;
    bool uses_aarch64;
    bool has_host_calls; // that may have written memory
    struct doubt contradictions;
    struct register_names names;
    struct space_cells space_cells;
    struct call_lists calls;        // unless this is a part
    struct shard_calls shard_calls; // of a part
};

// Whether the whole trace is read, so that everything about it is known.
static bool is_of_all(const struct indexing_options *how)
{
    return !how->shard || how->shard->number == how->shard->count;
}

// --- Segments ------------------------------------------------------------------------------------

static void found_name(void *self, uint32_t number, const char *name)
{
    struct indexing *indexing = self;
    space_cells_take(&indexing->space_cells, number, name);
}

static struct segment_input input_of(const struct indexing *indexing, const struct segment *segment)
{
    struct segment_input input = {
        .events = &segment->events,
        .event_count = segment->event_count,
        .registers = segment->registers.items,
        .register_count = segment->registers.count,
        .accesses = segment->accesses.items,
        .access_count = segment->accesses.count,
        .origins = segment->origins.items,
        .origin_count = segment->origins.count,
        .regimes = segment->regimes.items,
        .regime_count = segment->regimes.count,
        .is_nested = segment->is_nested,
        .nesting = {segment->depth, segment->exceptions.items, segment->exceptions.count},
        .big_endian = indexing->big_endian,
        .simd = indexing->simd,
    };
    space_cells_list(&indexing->space_cells, input.space_cells);
    return input;
}

static bool build(void *self, struct segment *segment, struct error *err)
{
    struct error why;
    const struct segment_input input = input_of(self, segment);
    if (!segment->own && !(segment->own = calloc(1, sizeof(struct segment_writer))))
        return error_set(err, STATUS_MEMORY, "no memory for a segment of the index"), false;
    enum status status = segment_write(segment->own, &input, &why);
    if (status == STATUS_LIMIT)
        error_set(err, status, "line %" PRIu64 ": %s of the index%s", segment->events.line[0],
                  why.text, segment->event_count > 1 ? " (see --segment-events)" : "");
    else if (status != STATUS_OK)
        *err = why;
    return status == STATUS_OK;
}

static bool write_out(void *self, struct segment *segment, struct error *err)
{
    struct indexing *indexing = self;
    const struct segment_input input = input_of(indexing, segment);
    const struct segment_writer *built = segment->own;
    const struct doubt there = {built->contradictions, built->contradiction_line};
    indexing->has_host_calls |= built->host_call_count > 0;
    doubt_join(&indexing->contradictions, &there);
    index_writer_begin_at(indexing->writer, segment->number);
    bool has_memory =
        index_writer_add_segment(indexing->writer, segment->own, &input) &&
        index_writer_add_late(indexing->writer, segment->late.items, segment->late.count);
    indexing->uses_aarch64 |= (built->flags & EVENT_ISA_A64) != 0;
    if (!has_memory)
        error_set(err, STATUS_MEMORY, "no memory for the directories of the index");
    else if (index_writer_failed(indexing->writer)) // publishing will report the reason
        error_set(err, STATUS_IO, "the index cannot be written");
    return has_memory && !index_writer_failed(indexing->writer);
}

static void free_own(void *self, void *own)
{
    (void)self;
    segment_writer_free(own);
    free(own);
}

static enum status open_writer(struct indexing *indexing, struct error *err)
{
    const struct indexing_options *how = indexing->how;
    const struct file_writer_target target = {how->path, source_fd(indexing->trace->source),
                                              how->file ? *how->file : -1};
    enum status status = index_writer_open(&indexing->writer, &target, how->io, how->segment_events,
                                           indexing->simd, err);
    if (status == STATUS_OK && trace_can(indexing->trace, TRACE_SNAPSHOTS))
        index_writer_has_snapshots(indexing->writer);
    return status;
}

// Discards what was written, but not the messages: lines are reported once. The list of calls is
// emptied as a consumer of calls.
static bool begin_again(void *self, struct error *err)
{
    struct indexing *indexing = self;
    const int *file = indexing->how->file;
    index_writer_abandon(indexing->writer);
    indexing->writer = NULL;
    register_names_free(&indexing->names);
    read_blocks_free(&indexing->read_blocks);
    indexing->read_blocks = (struct read_blocks){0};
    indexing->uses_aarch64 = indexing->has_host_calls = false;
    space_cells_forget(&indexing->space_cells);
    indexing->contradictions = (struct doubt){0};
    if (file && ftruncate(*file, 0) != 0)
        return error_set_errno(err, indexing->how->path, "truncate"), false;
    return open_writer(indexing, err) == STATUS_OK;
}

// --- Only doubts ---------------------------------------------------------------------------------

static bool build_for_doubts(void *self, struct segment *segment, struct error *err)
{
    const struct indexing plain = {0};
    const struct segment_input input = input_of(&plain, segment);
    (void)self;
    if (!segment->own && !(segment->own = calloc(1, sizeof(struct segment_writer))))
        return error_set(err, STATUS_MEMORY, "no memory for a segment"), false;
    return segment_write(segment->own, &input, err) == STATUS_OK;
}

static bool take_doubts(void *self, struct segment *segment, struct error *err)
{
    struct indexing_doubts *found = self;
    const struct segment_writer *built = segment->own;
    const struct doubt there = {built->contradictions, built->contradiction_line};
    doubt_join(&found->contradictions, &there);
    return space_count_take(&found->spaces, segment, built->has_places) ||
           (error_set(err, STATUS_MEMORY, "no memory for address spaces"), false);
}

static bool forget_doubts(void *self, struct error *err)
{
    struct indexing_doubts *found = self;
    (void)err;
    found->contradictions = (struct doubt){0};
    register_names_free(&found->names);
    space_count_free(&found->spaces);
    return true;
}

static void found_name_for_doubts(void *self, uint32_t number, const char *name)
{
    struct indexing_doubts *found = self;
    space_cells_take(&found->spaces.cells, number, name);
}

struct segment_consumer indexing_doubts_only(struct indexing_doubts *found)
{
    return (struct segment_consumer){.self = found,
                                     .segment_events = SEGMENT_EVENTS_DEFAULT,
                                     .names = &found->names,
                                     .found_name = found_name_for_doubts,
                                     .build = build_for_doubts,
                                     .write = take_doubts,
                                     .begin_again = forget_doubts,
                                     .free_own = free_own};
}

void indexing_doubts_free(struct indexing_doubts *found)
{
    register_names_free(&found->names);
    space_count_free(&found->spaces);
}

// --- Messages ------------------------------------------------------------------------------------

static void on_note(void *self, const struct line_note_report *note)
{
    struct indexing *indexing = self;
    indexing->lost_messages |= !message_log_note(&indexing->messages, note);
    if (indexing->observer->note)
        indexing->observer->note(indexing->observer->self, note);
}

static bool on_fault(void *self, const struct line_fault *fault)
{
    struct indexing *indexing = self;
    indexing->lost_messages |= !message_log_fault(&indexing->messages, fault);
    return !indexing->observer->fault || indexing->observer->fault(indexing->observer->self, fault);
}

static void on_advanced(void *self, const struct source_chunk *chunk)
{
    const struct indexing *indexing = self;
    if (indexing->observer->advanced)
        indexing->observer->advanced(indexing->observer->self, chunk);
}

static void on_transfer(void *self, const struct transfer *transfer,
                        const struct call_decision *decision, uint64_t header_lines)
{
    const struct indexing *indexing = self;
    indexing->observer->transfer(indexing->observer->self, transfer, decision, header_lines);
}

static bool add_messages(struct indexing *indexing, const struct pass_result *result)
{
    struct parts_writer parts = {0};
    bool is_done =
        !indexing->lost_messages && message_log_unknown(&indexing->messages, &result->unknown);
    if (is_done && indexing->messages.figures.count)
        is_done = message_log_write(&indexing->messages, &parts) &&
                  index_writer_add_section(indexing->writer, SECTION_MESSAGES, &parts);
    parts_writer_free(&parts);
    return is_done;
}

// --- Blocks --------------------------------------------------------------------------------------

// Allocates a hash for each block of a trace that is a file; otherwise leaves NULL.
static bool begin_blocks(struct indexing *indexing, const struct source *source)
{
    if (!source_is_file(source))
        return true;
    for (size_t i = 0; i < source_file_count(source); i++)
        indexing->block_count += (size_t)fingerprint_block_count(source_file(source, i).file_bytes);
    indexing->block_hashes = calloc(indexing->block_count + 1, sizeof *indexing->block_hashes);
    return indexing->block_hashes != NULL;
}

static bool add_blocks(struct indexing *indexing)
{
    struct parts_writer parts = {0};
    bool is_done = !indexing->block_hashes || indexing->is_preview ||
                   (parts_add_column(&parts, PART_BLOCK_HASHES, indexing->block_hashes,
                                     indexing->block_count) &&
                    index_writer_add_section(indexing->writer, SECTION_BLOCKS, &parts));
    parts_writer_free(&parts);
    return is_done;
}

// For a compressed trace: the places from which its text can be shown.
static bool add_access_points(struct indexing *indexing)
{
    const struct access_points *access_points = source_access_points(indexing->trace->source);
    struct parts_writer parts = {0};
    bool is_done = !access_points ||
                   (index_access_points_write(access_points, &parts) &&
                    index_writer_add_section(indexing->writer, SECTION_ACCESS_POINTS, &parts));
    parts_writer_free(&parts);
    return is_done;
}

// For a trace in several files: their beginnings.
static bool add_files(struct indexing *indexing)
{
    const struct source *source = indexing->trace->source;
    struct source_file_beginning first;
    struct parts_writer parts = {0};
    bool is_done = !source_file_beginning(source, 0, &first) ||
                   (index_files_write(source, &parts) &&
                    index_writer_add_section(indexing->writer, SECTION_FILES, &parts));
    parts_writer_free(&parts);
    return is_done;
}

// For a trace whose pass does not read it from front to back (without TRACE_CHUNKS), or that is
// compressed.
struct hashing {
    const char *bytes;
    uint64_t size_bytes;
    uint64_t *hashes;
    bool leaves; // drops hashed data from memory, because it is read again only much later
};

static bool hash_block(void *self, unsigned worker, uint64_t block)
{
    const struct hashing *hashing = self;
    uint64_t offset = block * FINGERPRINT_BLOCK_BYTES, left = hashing->size_bytes - offset;
    (void)worker;
    hashing->hashes[block] =
        fingerprint_block(hashing->bytes + offset, (size_t)u64_min(left, FINGERPRINT_BLOCK_BYTES));
    if (hashing->leaves)
        madvise((void *)(uintptr_t)(hashing->bytes + offset),
                (size_t)u64_min(left, FINGERPRINT_BLOCK_BYTES), MADV_DONTNEED);
    return true;
}

// --- The end -------------------------------------------------------------------------------------

// The options that distinguish this index from others of its trace, and the results of the pass.
static uint64_t options_of(const struct indexing *indexing, const struct pass_options *options,
                           const struct pass_result *result)
{
    const struct trace *trace = indexing->trace;
    bool readings_agree = !result->readings_differ &&
                          (!trace_can(trace, TRACE_LINES) || pass_result_is_understood(result));
    uint64_t mask;
    return trace->kind->indexing.identity(trace, options, true, &mask) |
           (indexing->uses_aarch64 ? TRAWL_USES_AARCH64 : 0) |
           (readings_agree ? TRAWL_READINGS_AGREE : 0);
}

static bool end_index(struct indexing *indexing, const struct pass_options *options,
                      const struct indexing_options *how, const struct pass_result *result)
{
    struct index_lane *lanes = calloc(result->lane_count + 1, sizeof *lanes);
    struct index_ending ending = {.kind = indexing->trace->kind->name,
                                  .lanes = lanes,
                                  .lane_count = result->lane_count,
                                  .is_packed = source_is_synthesized(indexing->trace->source),
                                  .is_by_lanes = trace_can(indexing->trace, TRACE_BY_LANES)};
    const struct trace_kind *kind = indexing->trace->kind;
    uint64_t *identity = ending.identity;
    ending.task_key = how->task_key;
    bool may_be_forked = indexing->is_preview || how->follows; // the forked process has no threads
    index_writer_use_threads(indexing->writer, may_be_forked ? 1 : options->threads);
    bool is_done = lanes != NULL;
    for (size_t i = 0; i < result->lane_count; i++)
        identity[IDENTITY_EVENTS] += result->lanes[i].nodes;
    is_done = is_done && call_lists_write(&indexing->calls, indexing->writer, result,
                                          kind->indexing.nests_calls, lanes);
    identity[IDENTITY_TICKS_PER_SECOND] = trace_frequency_hz(indexing->trace);
    identity[IDENTITY_FUNCTIONS] = options->functions ? options->functions->hash : 0;
    identity[IDENTITY_OPTIONS] = options_of(indexing, options, result);
    // If the trace is followed, identifies it by what was read, as recorded last.
    struct fingerprint read;
    struct error err;
    const struct fingerprint *fingerprint = how->fingerprint;
    if (how->follows && source_fingerprint(indexing->trace->source, &read, &err) == STATUS_OK)
        fingerprint = &read;
    if (fingerprint)
        index_ending_set_trace(&ending, fingerprint);
    const struct source_fault fault = source_fault(indexing->trace->source);
    identity[IDENTITY_TEXT_BYTES] = source_text_bytes(indexing->trace->source);
    identity[IDENTITY_PACKED_FAULT] = fault.text ? fault.packed_byte + 1 : 0;
    identity[IDENTITY_SEGMENT_EVENTS] = how->segment_events;
    identity[IDENTITY_LINES] = result->lines;
    identity[IDENTITY_HEADER_LINES] = result->header_lines;
    identity[IDENTITY_DAMAGED_LINES] = result->damaged_lines;
    identity[IDENTITY_DAMAGED_BYTES] = result->damaged_bytes;
    identity[IDENTITY_REFUSED_LANE_LINES] = result->lines_of_refused_lanes;
    is_done = is_done && index_writer_end(indexing->writer, &ending);
    if (is_of_all(how)) // the data about the trace as a whole
        is_done =
            is_done && call_lists_write_sections(&indexing->calls, indexing->writer, result) &&
            add_messages(indexing, result) && add_blocks(indexing) && add_access_points(indexing) &&
            add_files(indexing) &&
            kind->indexing.write_sections(indexing->trace, indexing->writer, &indexing->names);
    free(lanes);
    return is_done;
}

// At the end of the file, where they can be replaced.
static enum status add_names(struct indexing *indexing, const struct indexing_options *how,
                             struct error *err)
{
    struct parts_writer symbols = {0}, lines = {0};
    bool is_done = index_names_write(how->names, &symbols, &lines, how->left_out) &&
                   index_writer_add_section(indexing->writer, SECTION_SYMBOLS, &symbols) &&
                   index_writer_add_section(indexing->writer, SECTION_SOURCE_LINES, &lines);
    parts_writer_free(&symbols);
    parts_writer_free(&lines);
    return is_done ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", how->path);
}

// --- Indexes of what was read so far -------------------------------------------------------------

static void settle(void *self)
{
    index_writer_settle(((struct indexing *)self)->writer);
}

// In the forked process, which reports nothing to the observer.
static enum status branch(void *self, int file, struct error *err)
{
    static const struct pass_observer silent = {0};
    struct indexing *indexing = self;
    const struct file_writer_target target = {indexing->how->path,
                                              source_fd(indexing->trace->source), file};
    indexing->observer = &silent;
    indexing->is_preview = indexing->how->prefix_indexes->are_previews;
    return index_writer_branch(indexing->writer, &target, err);
}

static bool is_pause_due(void *self)
{
    struct indexing *indexing = self;
    struct prefix_indexes *indexes = indexing->how->prefix_indexes;
    return indexes->is_due(indexes, indexing->trace->source);
}

static enum pass_pause pause_pass(void *self, struct error *err)
{
    struct indexing *indexing = self;
    struct source *source = indexing->trace->source;
    struct prefix_indexes *indexes = indexing->how->prefix_indexes;
    const struct prefix_index_writer writer = {self, settle, branch};
    if (indexing->how->follows && !read_blocks_go_on(&indexing->read_blocks, source, false)) {
        error_set(err, STATUS_MEMORY, "no memory for the index");
        return PASS_FAIL;
    }
    return indexes->pause(indexes, source, &writer, err);
}

// Whether the pass pauses to make indexes of what was read so far. Only the final index has names
// and hashes of blocks. Previews begin as soon as there is something to show.
static bool begin_prefix_indexes(const struct indexing *indexing, const struct pass_pauses *others)
{
    const struct indexing_options *how = indexing->how;
    const struct trace *trace = indexing->trace;
    if (!how->prefix_indexes)
        return false;
    prefix_indexes_begin(how->prefix_indexes, how->trace, others);
    return how->follows || (trace_can(trace, TRACE_CHUNKS) && source_is_file(trace->source) &&
                            !source_packed_by(trace->source));
}

// The pass that the caller asks for, with what an index is made from.
static struct pass_options pass_of(struct indexing *indexing, const struct pass_options *options,
                                   const struct pass_pauses *pauses)
{
    const struct indexing_options *how = indexing->how;
    const struct shard_place *shard = how->shard;
    struct trace *trace = indexing->trace;
    struct pass_options pass = *options;
    bool is_packed = source_is_synthesized(trace->source);
    pass.consumer = pass.other_consumer = (struct call_consumer){0};
    if (shard) {
        pass.transfers = shard_calls_consumer(&indexing->shard_calls);
        pass.shard = (struct pass_shard){.from = shard->from,
                                         .end = shard->end,
                                         .before = how->before,
                                         .before_count = how->before_count};
    } else {
        call_lists_begin(&indexing->calls, trace_can(trace, TRACE_LINES), &pass.consumer,
                         &pass.other_consumer);
    }
    pass.keep_open_calls = true;
    pass.wants_tasks = !shard;
    pass.splits_by_task = pass.parts_interrupts = false;
    pass.range = CALL_RANGE_ALL;
    pass.block_hashes = is_packed || how->follows ? NULL : indexing->block_hashes;
    if (begin_prefix_indexes(indexing, options->pauses))
        pass.pauses = pauses;
    pass.segments = (struct segment_consumer){.self = indexing,
                                              .segment_events = how->segment_events,
                                              .from_position = shard ? shard->from : 0,
                                              .end_position = shard ? shard->end : 0,
                                              .names = &indexing->names,
                                              .found_name = found_name,
                                              .build = build,
                                              .write = write_out,
                                              .begin_again = begin_again,
                                              .free_own = free_own};
    if (is_packed && is_of_all(how))
        source_keep_access_points(trace->source);
    if ((!trace_can(trace, TRACE_CHUNKS) || is_packed) && !how->follows) {
        size_t count = source_file_count(trace->source);
        struct hashing hashing = {.hashes = indexing->block_hashes, .leaves = count > 1};
        for (size_t i = 0; i < count && hashing.hashes; i++) {
            const struct source_file file = source_file(trace->source, i);
            uint64_t blocks = fingerprint_block_count(file.file_bytes);
            hashing.bytes = file.bytes;
            hashing.size_bytes = file.file_bytes;
            parallel_run(pass.threads, blocks, &hashing, hash_block);
            hashing.hashes += blocks;
        }
    }
    return pass;
}

// Writes everything else after the pass, and tries the index.
static enum status complete(struct indexing *indexing, const struct pass_options *options,
                            const struct pass_options *pass, const struct pass_result *result,
                            struct error *err)
{
    const struct indexing_options *how = indexing->how;
    struct index_writer *writer = indexing->writer;
    enum status status = STATUS_OK;
    bool has_memory = true;
    if (how->follows) { // the hashes of the blocks that were read
        has_memory = read_blocks_go_on(&indexing->read_blocks, indexing->trace->source, true);
        indexing->block_hashes =
            has_memory ? read_blocks_join(&indexing->read_blocks, &indexing->block_count) : NULL;
        has_memory = indexing->block_hashes != NULL;
    }
    if (!has_memory || !end_index(indexing, options, how, result))
        return error_set(err, STATUS_MEMORY, "no memory for the index");
    if (indexing->has_host_calls && !how->shard && !index_writer_failed(writer))
        status = index_add_regions(writer, how->path, err);
    if (status == STATUS_OK && how->names && !indexing->is_preview && is_of_all(how))
        status = add_names(indexing, how, err);
    if (status == STATUS_OK && how->shard &&
        !(shard_calls_write(&indexing->shard_calls, indexing->writer) &&
          (!is_of_all(how) || matching_write(indexing->writer, result, pass->functions)) &&
          index_writer_end_part(indexing->writer)))
        status = error_set(err, STATUS_MEMORY, "no memory for the part of the index");
    if (status == STATUS_OK && !how->shard && !index_writer_failed(writer))
        status = index_trial_of(writer, how->path, err);
    if (status == STATUS_OK && !source_is_intact(indexing->trace->source))
        status = error_set(err, STATUS_INPUT, "the trace was changed while it was read");
    return status;
}

enum status indexing_run(struct trace *trace, const struct pass_options *options,
                         const struct pass_observer *observer, const struct indexing_options *how,
                         struct pass_result *result, struct error *err)
{
    bool is_all = is_of_all(how); // otherwise other parts contain the data about the trace
    struct indexing indexing = {
        .trace = trace,
        .how = how,
        .big_endian = options->big_endian,
        .simd = options->simd,
        .observer = observer,
    };
    const struct pass_pauses pauses = {&indexing, is_pause_due, pause_pass};
    const struct pass_observer logging = {
        .self = &indexing,
        .note = is_all ? on_note : NULL,
        .fault = is_all ? on_fault : NULL,
        .advanced = observer->advanced ? on_advanced : NULL,
        .transfer = observer->transfer ? on_transfer : NULL,
    };
    bool is_whole = false; // there is an index to publish
    *result = (struct pass_result){0};
    if (how->follows)
        source_follow(trace->source);
    enum status status = open_writer(&indexing, err);
    if (status != STATUS_OK)
        return status;
    bool is_begun = !how->shard || (index_writer_be_part(indexing.writer, how->shard) &&
                                    shard_calls_begin(&indexing.shard_calls, options->simd));
    if (is_begun && (how->follows || !is_all || begin_blocks(&indexing, trace->source))) {
        struct pass_options pass = pass_of(&indexing, options, &pauses);
        status = trace->kind->run(trace, &pass, &logging, result, err);
        if (status == STATUS_NOT_FOUND && pass.shard.before_count) { // surveys cannot be used
            *how->text_needed = *err;
            pass.shard.before_count = 0;
            pass_result_free(result);
            source_rewind(trace->source);
            status = trace->kind->run(trace, &pass, &logging, result, err);
        }
        is_whole = status == STATUS_OK && !result->stopped_at_fault &&
                   pass_result_has_events(result) && trace_is_understood(trace, result);
        result->doubts.of[DOUBT_LOADS] = indexing.contradictions;
        if (is_whole)
            status = complete(&indexing, options, &pass, result, err);
    } else {
        status = error_set(err, STATUS_MEMORY, "no memory for the index");
    }
    message_log_free(&indexing.messages);
    register_names_free(&indexing.names);
    call_lists_free(&indexing.calls);
    shard_calls_free(&indexing.shard_calls);
    free(indexing.block_hashes);
    read_blocks_free(&indexing.read_blocks);
    bool failed = indexing.writer && index_writer_failed(indexing.writer);
    bool is_prefix_index = prefix_index_is_here(how->prefix_indexes); // this is a forked process
    if (!failed && (status != STATUS_OK || !is_whole)) {
        index_writer_abandon(indexing.writer);
        const struct error cause = err ? *err : (struct error){0};
        if (status != STATUS_OK)
            error_set(err, status, "%s: %s", how->trace, cause.text);
    } else if (how->follows &&
               source_text_bytes(trace->source) < how->prefix_indexes->published_bytes) {
        index_writer_abandon(indexing.writer); // the existing index covers more
    } else {
        // A prefix index will soon be replaced by the next one.
        status = index_writer_publish(indexing.writer, how->sync && !is_prefix_index, err);
    }
    if (is_prefix_index)
        prefix_index_report(how->prefix_indexes, status, is_whole ? result->lines : 0, err);
    return status;
}

// --- Memory that host calls may have written -----------------------------------------------------

enum status index_add_regions(struct index_writer *writer, const char *path, struct error *err)
{
    struct map map;
    struct trawl_index *index;
    struct parts_writer parts = {0};
    bool any;
    enum status status = index_writer_read_back(writer, &map, err);
    if (status != STATUS_OK || (status = index_open_map(&index, path, &map, err)) != STATUS_OK)
        return status;
    status = host_calls_resolve(index, &parts, &any, err);
    trawl_close(index);
    if (status == STATUS_OK && any && !index_writer_add_section(writer, SECTION_REGIONS, &parts))
        status = error_set(err, STATUS_MEMORY, "%s: no memory", path);
    parts_writer_free(&parts);
    return status;
}
