#include "session/merging.h"

#include "idx/index_write.h"
#include "idx/shard.h"
#include "idx/trawl.h"
#include "session/index_trial.h"
#include "session/indexing.h"
#include "session/shard_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Options in which the shards of one trace may differ, because they depend on what each of them
// read.
#define SEEN_OPTIONS ((uint64_t)(TRAWL_USES_AARCH64 | TRAWL_READINGS_AGREE))

// What is known about a part before it is copied.
struct member {
    const char *path;
    uint64_t identity[IDENTITY_ROWS];
    char task_key[LIMIT_TASK_EXPRESSION_BYTES + 1];
    uint64_t figures[SHARD_FIGURES];
    uint64_t segment_count;
    char kind[INDEX_KIND_BYTES];
};

struct merging {
    const struct merging_options *how;
    struct member *members; // by number
    struct index_writer *writer;
    struct shard last;         // has the data about the whole trace
    struct pass_result result; // its lanes, without their clips
    struct call_lists calls;
    struct matching *matching;
    bool uses_aarch64, has_host_calls;
    struct doubt contradictions;
};

// --- Which parts there are -----------------------------------------------------------------------

static enum status read_member(struct member *member, const char *path, struct error *err)
{
    struct shard shard;
    enum status status = shard_open(&shard, path, ROLE_PART, err);
    if (status != STATUS_OK)
        return status;
    *member = (struct member){.path = path, .segment_count = shard.segment_count};
    memcpy(member->identity, shard.identity, sizeof member->identity);
    memcpy(member->task_key, shard.task_key, sizeof member->task_key);
    memcpy(member->figures, shard.figures, sizeof member->figures);
    memcpy(member->kind, shard.kind, sizeof member->kind);
    shard_close(&shard);
    return STATUS_OK;
}

// Compares the properties in which two parts of one index must agree.
static enum status compare(const struct member *first, const struct member *other,
                           struct error *err)
{
    const struct fingerprint of_first = shard_fingerprint(first->identity);
    const struct fingerprint of_other = shard_fingerprint(other->identity);
    if (fingerprint_compare(&of_first, &of_other) != FINGERPRINT_SAME)
        return error_set(err, STATUS_INPUT,
                         "%s: was built from another trace than %s, or the trace was changed",
                         other->path, first->path);
    uint64_t options = first->identity[IDENTITY_OPTIONS] ^ other->identity[IDENTITY_OPTIONS];
    if (first->identity[IDENTITY_SEGMENT_EVENTS] != other->identity[IDENTITY_SEGMENT_EVENTS] ||
        first->identity[IDENTITY_FUNCTIONS] != other->identity[IDENTITY_FUNCTIONS] ||
        (options & ~SEEN_OPTIONS) || strcmp(first->task_key, other->task_key) != 0 ||
        strcmp(first->kind, other->kind) != 0)
        return error_set(err, STATUS_INPUT, "%s: was built with other options than %s", other->path,
                         first->path);
    if (first->figures[SHARD_COUNT] != other->figures[SHARD_COUNT])
        return error_set(err, STATUS_INPUT,
                         "%s: one of %" PRIu64 " parts, but %s is one of %" PRIu64, other->path,
                         other->figures[SHARD_COUNT], first->path, first->figures[SHARD_COUNT]);
    return STATUS_OK;
}

static enum status take_member(struct merging *merging, const struct member *member,
                               struct error *err)
{
    struct member *place = &merging->members[member->figures[SHARD_NUMBER] - 1];
    if (place->path)
        return error_set(err, STATUS_INPUT, "%s: is part %" PRIu64 ", like %s", member->path,
                         member->figures[SHARD_NUMBER], place->path);
    *place = *member;
    return STATUS_OK;
}

static enum status find_missing(const struct merging *merging, uint64_t count, struct error *err)
{
    uint64_t missing = 0, first = 0;
    for (uint64_t i = count; i-- > 0;) {
        if (!merging->members[i].path) {
            missing++;
            first = i + 1;
        }
    }
    if (!missing)
        return STATUS_OK;
    if (missing == 1)
        return error_set(err, STATUS_INPUT, "%s: part %" PRIu64 " of %" PRIu64 " is missing",
                         merging->how->path, first, count);
    return error_set(err, STATUS_INPUT,
                     "%s: %" PRIu64 " of %" PRIu64 " parts are missing, the first is %" PRIu64,
                     merging->how->path, missing, count, first);
}

// Whether each part begins where the previous one ends, in bytes and in segments.
static enum status check_order(const struct merging *merging, uint64_t count, struct error *err)
{
    uint64_t from = 0, segments = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct member *member = &merging->members[i];
        const uint64_t *figures = member->figures;
        if (figures[SHARD_FROM] != from || figures[SHARD_END] < from ||
            (member->segment_count && figures[SHARD_FIRST_SEGMENT] != segments))
            return error_set(err, STATUS_INPUT,
                             "%s: the trace is cut at a different place than in %s", member->path,
                             merging->members[i ? i - 1 : 0].path);
        from = figures[SHARD_END];
        segments += member->segment_count;
    }
    const struct member *last = &merging->members[count - 1];
    uint64_t per_segment = last->identity[IDENTITY_SEGMENT_EVENTS];
    uint64_t events = last->identity[IDENTITY_EVENTS];
    if (from != UINT64_MAX || !per_segment || per_segment > INDEX_SEGMENT_EVENTS_MAX ||
        segments != events / per_segment + (events % per_segment != 0))
        return error_set(err, STATUS_INPUT, "%s: damaged: number of segments", last->path);
    return STATUS_OK;
}

static enum status find_members(struct merging *merging, struct error *err)
{
    const struct merging_options *how = merging->how;
    struct member member, first;
    enum status status = read_member(&first, how->parts[0], err);
    if (status != STATUS_OK)
        return status;
    uint64_t count = first.figures[SHARD_COUNT];
    merging->members = calloc((size_t)count, sizeof *merging->members);
    if (!merging->members)
        return error_set(err, STATUS_MEMORY, "no memory for %" PRIu64 " parts", count);
    for (size_t i = 0; i < how->part_count; i++) {
        if ((status = read_member(&member, how->parts[i], err)) ||
            (status = compare(&first, &member, err)) ||
            (status = take_member(merging, &member, err)))
            return status;
    }
    status = find_missing(merging, count, err);
    return status == STATUS_OK ? check_order(merging, count, err) : status;
}

// --- Copying -------------------------------------------------------------------------------------

static enum status no_memory(const struct merging *merging, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory", merging->how->path);
}

static enum status copy_late(struct merging *merging, const struct shard *shard, struct error *err)
{
    enum status status;
    size_t count;
    struct segment_late *late = shard_late(shard, &count, &status, err);
    if (late && !index_writer_add_late(merging->writer, late, count))
        status = no_memory(merging, err);
    free(late);
    return status;
}

static enum status copy_segments(struct merging *merging, const struct shard *shard,
                                 struct error *err)
{
    struct shard_segment segment = {0};
    enum status status = STATUS_OK;
    for (uint64_t i = 0; i < shard->segment_count && status == STATUS_OK; i++) {
        status = shard_segment(shard, i, merging->result.lane_count, &segment, err);
        if (status != STATUS_OK)
            break;
        merging->uses_aarch64 |= (segment.writer.flags & EVENT_ISA_A64) != 0;
        merging->has_host_calls |= segment.writer.host_call_count > 0;
        const struct doubt there = {segment.writer.contradictions,
                                    segment.writer.contradiction_line};
        doubt_join(&merging->contradictions, &there);
        if (!index_writer_add_segment(merging->writer, &segment.writer, &segment.input))
            status = no_memory(merging, err);
    }
    shard_segment_free(&segment);
    return status == STATUS_OK ? copy_late(merging, shard, err) : status;
}

// Whether the part has not changed since it was first opened.
static enum status is_same(const struct shard *shard, const struct member *member,
                           struct error *err)
{
    if (memcmp(shard->figures, member->figures, sizeof member->figures) == 0 &&
        shard->segment_count == member->segment_count)
        return STATUS_OK;
    return error_set(err, STATUS_INPUT, "%s: was changed while it was read", shard->path);
}

static enum status copy_shard(struct merging *merging, const struct member *member,
                              struct error *err)
{
    struct shard shard;
    enum status status = shard_open(&shard, member->path, ROLE_PART, err);
    if (status != STATUS_OK)
        return status;
    if ((status = is_same(&shard, member, err)) == STATUS_OK &&
        (status = shard_verify(&shard, err)) == STATUS_OK)
        status = copy_segments(merging, &shard, err);
    if (status == STATUS_OK)
        status = matching_take(merging->matching, &shard, err);
    if (status == STATUS_OK && !map_is_intact(&shard.map))
        status = error_set(err, STATUS_INPUT, "%s: was changed while it was read", member->path);
    shard_close(&shard);
    return status;
}

// --- The end -------------------------------------------------------------------------------------

static enum status read_lanes(struct merging *merging, struct error *err)
{
    const struct shard *last = &merging->last;
    struct pass_result *result = &merging->result;
    struct parts parts;
    struct column figures;
    const char *names;
    size_t size_bytes;
    enum status status = shard_parts(last, SECTION_LANES, &parts, err);
    if (status != STATUS_OK)
        return status;
    if (parts_column(&parts, PART_LANE_FIGURES, &figures, NULL) != STATUS_OK ||
        parts_text(&parts, PART_LANE_NAMES, &names, &size_bytes, NULL) != STATUS_OK ||
        figures.count % LANE_ROWS || figures.count / LANE_ROWS > INDEX_LANES_MAX)
        return shard_damaged(last, "lanes", err);
    size_t count = (size_t)(figures.count / LANE_ROWS);
    result->readings_differ = !(last->identity[IDENTITY_OPTIONS] & TRAWL_READINGS_AGREE);
    result->lanes = calloc(count + 1, sizeof *result->lanes);
    if (!result->lanes)
        return no_memory(merging, err);
    for (; result->lane_count < count; result->lane_count++) {
        uint64_t row[LANE_ROWS];
        const char *end = memchr(names, 0, size_bytes);
        if (!end || end - names > LIMIT_LANE_NAME_BYTES ||
            !column_read(&figures, result->lane_count * LANE_ROWS, LANE_ROWS, row))
            return shard_damaged(last, "lanes", err);
        // From the last part, for the whole trace, without the fields about calls.
        struct lane_result *lane = &result->lanes[result->lane_count];
        memcpy(lane->name, names, strlen(names));
        lane->events = row[LANE_LINE_EVENTS];
        lane->nodes = row[LANE_EVENTS];
        lane->instructions = row[LANE_INSTRUCTIONS];
        lane->has_root = row[LANE_ROOT] != UINT64_MAX;
        lane->root.event = row[LANE_ROOT];
        size_bytes -= (size_t)(end + 1 - names);
        names = end + 1;
    }
    return STATUS_OK;
}

// Sections that the writer makes itself, or that are not part of the index.
static bool is_made(uint32_t number)
{
    return number == SECTION_LANES || number == SECTION_IDENTITY || number == SECTION_DOUBTS ||
           number == (uint32_t)SECTION_SHARD || number == (uint32_t)SECTION_TRANSFERS ||
           number == (uint32_t)SECTION_MATCHING;
}

// Copies the sections of images, which are last in the file, or all others.
static enum status copy_sections(struct merging *merging, bool names, struct error *err)
{
    const struct shard *last = &merging->last;
    for (size_t i = 0; i < last->section_count; i++) {
        const struct index_section_entry *section = &last->sections[i];
        const uint8_t *bytes = shard_bytes(last, section->offset, section->size_bytes);
        bool is_name =
            section->number == SECTION_SYMBOLS || section->number == SECTION_SOURCE_LINES;
        if (is_made(section->number) || is_name != names)
            continue;
        if (!bytes || section->number > SECTION_LAST ||
            !index_writer_copy_section(merging->writer, (enum index_section)section->number, bytes,
                                       section->size_bytes))
            return shard_damaged(last, "sections", err);
    }
    return STATUS_OK;
}

// What the last part found in the whole trace; the gaps come from matching.
static enum status read_doubts(struct merging *merging, struct error *err)
{
    const struct shard *last = &merging->last;
    struct parts parts;
    for (size_t i = 0; i < last->section_count; i++) {
        if (last->sections[i].number != SECTION_DOUBTS)
            continue;
        if (shard_parts(last, SECTION_DOUBTS, &parts, NULL) != STATUS_OK ||
            doubts_read(&merging->result.doubts, &parts, NULL) != STATUS_OK)
            return shard_damaged(last, "doubts", err);
    }
    return STATUS_OK;
}

static enum status end(struct merging *merging, struct error *err)
{
    const struct shard *last = &merging->last;
    struct pass_result *result = &merging->result;
    bool is_ttu = last->identity[IDENTITY_OPTIONS] & TRAWL_READ_AS_TTU;
    struct index_lane *lanes = calloc(result->lane_count + 1, sizeof *lanes);
    struct index_ending ending = {.kind = last->kind,
                                  .task_key = *last->task_key ? last->task_key : NULL,
                                  .lanes = lanes,
                                  .lane_count = result->lane_count,
                                  .is_packed = last->is_packed};
    memcpy(ending.identity, last->identity, sizeof ending.identity);
    result->doubts.of[DOUBT_LOADS] = merging->contradictions;
    if (merging->uses_aarch64)
        ending.identity[IDENTITY_OPTIONS] |= TRAWL_USES_AARCH64;
    bool has_memory = lanes && matching_end(merging->matching) &&
                      (pass_result_add_gaps(result, is_ttu), true) &&
                      call_lists_write(&merging->calls, merging->writer, result, false, lanes) &&
                      index_writer_end(merging->writer, &ending) &&
                      call_lists_write_sections(&merging->calls, merging->writer, result);
    free(lanes);
    if (!has_memory)
        return no_memory(merging, err);
    enum status status = copy_sections(merging, false, err);
    if (status == STATUS_OK && merging->has_host_calls && !index_writer_failed(merging->writer))
        status = index_add_regions(merging->writer, merging->how->path, err);
    return status == STATUS_OK ? copy_sections(merging, true, err) : status;
}

static enum status copy_all(struct merging *merging, struct error *err)
{
    uint64_t count = merging->members[0].figures[SHARD_COUNT];
    bool is_ttu = merging->last.identity[IDENTITY_OPTIONS] & TRAWL_READ_AS_TTU;
    enum status status = matching_begin(&merging->matching, &merging->last, &merging->result,
                                        &merging->calls, is_ttu, err);
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++)
        status = copy_shard(merging, &merging->members[i], err);
    if (status == STATUS_OK)
        status = read_doubts(merging, err);
    if (status == STATUS_OK)
        status = end(merging, err);
    if (status == STATUS_OK && !map_is_intact(&merging->last.map))
        status =
            error_set(err, STATUS_INPUT, "%s: was changed while it was read", merging->last.path);
    return status == STATUS_OK && !index_writer_failed(merging->writer)
               ? index_trial_of(merging->writer, merging->how->path, err)
               : status;
}

static enum status write_index(struct merging *merging, struct error *err)
{
    const struct merging_options *how = merging->how;
    uint64_t count = merging->members[0].figures[SHARD_COUNT];
    const struct member *last = &merging->members[count - 1];
    enum status status = shard_open(&merging->last, last->path, ROLE_PART, err);
    if (status != STATUS_OK || (status = is_same(&merging->last, last, err)) ||
        (status = shard_verify(&merging->last, err)) || (status = read_lanes(merging, err)))
        return status;
    status = index_writer_open(&merging->writer, FILE_WRITER_TARGET(how->path), how->io,
                               (uint32_t)last->identity[IDENTITY_SEGMENT_EVENTS],
                               merging->last.simd, err);
    if (status != STATUS_OK)
        return status;
    status = copy_all(merging, err);
    if (status == STATUS_OK || index_writer_failed(merging->writer)) // it will report the reason
        return index_writer_publish(merging->writer, how->sync, err);
    index_writer_abandon(merging->writer);
    return status;
}

enum status merging_run(const struct merging_options *how, struct error *err)
{
    struct merging merging = {.how = how};
    enum status status = merging_may_replace(how->path, false, err);
    if (status == STATUS_OK)
        status = find_members(&merging, err);
    if (status == STATUS_OK)
        status = write_index(&merging, err);
    shard_close(&merging.last);
    matching_free(merging.matching);
    pass_result_free(&merging.result);
    call_lists_free(&merging.calls);
    free(merging.members);
    return status;
}

bool merging_has_part(const char *path, const struct shard_wanted *wanted)
{
    struct shard shard;
    struct stat info;
    if (stat(wanted->trace, &info) != 0 ||
        shard_open(&shard, path, wanted->role, NULL) != STATUS_OK)
        return false;
    uint64_t mtime_ns = (uint64_t)info.st_mtim.tv_sec * 1000000000 + (uint64_t)info.st_mtim.tv_nsec;
    bool is_it = shard.figures[SHARD_NUMBER] == wanted->number &&
                 shard.figures[SHARD_COUNT] == wanted->count &&
                 shard.identity[IDENTITY_TRACE_BYTES] == (uint64_t)info.st_size &&
                 shard.identity[IDENTITY_TRACE_MTIME_NS] == mtime_ns;
    shard_close(&shard);
    return is_it;
}

enum status merging_may_replace(const char *path, bool is_part, struct error *err)
{
    char first, text[FILE_ROLE_TEXT_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == EACCES)
        return error_set_errno(err, path, "cannot be opened to check what it is");
    if (fd < 0)
        return STATUS_OK; // creating the file will report the reason
    bool is_empty = read(fd, &first, 1) == 0;
    enum file_role role = file_role_of(fd), wanted = is_part ? ROLE_PART : ROLE_INDEX;
    close(fd);
    if (is_empty || role == wanted || (is_part && role == ROLE_SURVEY))
        return STATUS_OK;
    file_role_describe(role, wanted, text);
    return error_set(err, STATUS_INPUT, "%s: %s; leaving it alone", path, text);
}
