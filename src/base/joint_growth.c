// Reads the files of a joint while they are written.
#include "base/joint.h"
#include "base/joint_state.h"

#include "base/file_stamp.h"
#include "base/limits.h"

#include <stdlib.h>

static enum status was_changed(const struct part *part, struct error *err)
{
    return error_set(err, STATUS_INPUT, "%s was truncated or rewritten", part->path);
}

// The bytes up to the last line end of a file; 0 if it has none.
static uint64_t whole_lines(const struct map *map)
{
    const char *newline = map->data ? memrchr(map->data, '\n', map->file_bytes) : NULL;
    return newline ? (uint64_t)(newline - map->data) + 1 : 0;
}

// Shows the part of the files that is certain: of merged files, whole lines, or everything if the
// file is final; of pieces, everything up to the last line end of all.
static void show_merged(struct part *part)
{
    map_cut(&part->map, part->is_final ? part->map.file_bytes : whole_lines(&part->map));
}

static void show_pieces(struct joint *joint)
{
    bool is_whole = false;
    for (size_t i = joint->count; i-- > joint->reading;) {
        struct part *part = &joint->parts[i];
        uint64_t shown = is_whole ? part->map.file_bytes : whole_lines(&part->map);
        is_whole |= shown > 0;
        map_cut(&part->map, u64_max(shown, part->at));
    }
}

void joint_follow(struct joint *joint)
{
    joint->is_followed = true;
    for (size_t i = 0; i < joint->count; i++) {
        joint->parts[i].is_final = !joint_may_grow(joint, i);
        if (joint->stamp) {
            joint->merge_files[i].may_grow = true;
            show_merged(&joint->parts[i]);
        }
    }
    if (!joint->stamp)
        show_pieces(joint);
}

void joint_hold(struct joint *joint)
{
    joint->is_held = true;
}

// --- Looking for more ----------------------------------------------------------------------------

bool joint_has_no_writers(const struct joint *joint)
{
    for (size_t i = 0; i < joint->count; i++) {
        if (!joint->parts[i].is_final && !file_has_no_writers(joint->parts[i].map.fd))
            return false;
    }
    return true;
}

static enum status grow_part(struct part *part, struct error *err)
{
    bool is_intact = true;
    enum map_change change = map_change_of(&part->map);
    if (change == MAP_CHANGED || (change == MAP_GROWN && part->is_final))
        return was_changed(part, err);
    enum status status = STATUS_OK;
    if (change == MAP_GROWN)
        status = map_grow(&part->map, part->path, &is_intact, err);
    return status == STATUS_OK && !is_intact ? was_changed(part, err) : status;
}

// An empty file may still get a writer, so it becomes final only when all files are.
static enum status grow_merged(struct joint *joint, size_t number, bool are_all_final,
                               struct error *err)
{
    struct part *part = &joint->parts[number];
    bool has_no_writers = are_all_final || file_has_no_writers(part->map.fd);
    enum status status = grow_part(part, err);
    if (status != STATUS_OK)
        return status;
    part->is_final |= has_no_writers && (part->map.file_bytes || are_all_final);
    joint->merge_files[number].may_grow = !part->is_final;
    show_merged(part);
    if (joint->merge)
        merge_refresh(joint->merge, number);
    return STATUS_OK;
}

// Only the last piece may grow.
static enum status grow_pieces(struct joint *joint, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < joint->count && status == STATUS_OK; i++)
        status = grow_part(&joint->parts[i], err);
    if (status == STATUS_OK)
        show_pieces(joint);
    return status;
}

enum status joint_grow(struct joint *joint, struct error *err)
{
    bool are_all_final = joint_has_no_writers(joint); // determined before looking for text
    enum status status = STATUS_OK;
    if (joint_is_replaced(joint))
        return was_changed(&joint->parts[0], err);
    joint->is_held = false;
    merge_close(joint->locator);
    joint->locator = NULL;
    if (!joint->stamp)
        return grow_pieces(joint, err);
    for (size_t i = 0; i < joint->count && status == STATUS_OK; i++)
        status = grow_merged(joint, i, are_all_final, err);
    return status;
}

enum status joint_add(struct joint *joint, const char *path, struct error *err)
{
    struct part added = {.path = path};
    if (joint->count == LIMIT_TRACE_FILES)
        return error_set(err, STATUS_LIMIT, "%s: the trace consists of more than %d files",
                         joint->parts[0].path, LIMIT_TRACE_FILES);
    struct part *grown = realloc(joint->parts, (joint->count + 1) * sizeof *grown);
    if (!grown)
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    joint->parts = grown;
    enum status status = joint_open_part(&added, err);
    if (status != STATUS_OK)
        return status;
    // The writer of the new piece has finished the previous one, which may have grown until then.
    struct part *before = &grown[joint->count - 1];
    if (added.codec)
        status = error_set(err, STATUS_LIMIT, "%s: cannot be followed: it is compressed", path);
    else if (!joint_have_same_rights(joint->rights_fd, added.map.fd))
        status =
            error_set(err, STATUS_INPUT, "%s: has other permissions than the first file", path);
    else
        status = grow_part(before, err);
    if (status != STATUS_OK) {
        map_close(&added.map);
        return status;
    }
    before->is_final = true;
    grown[joint->count++] = added;
    show_pieces(joint);
    return STATUS_OK;
}

bool joint_has_more(struct joint *joint)
{
    if (joint->stamp)
        return !joint->merge || merge_has_more(joint->merge);
    for (size_t i = joint->reading; i < joint->count; i++) {
        if (joint->parts[i].at < joint->parts[i].map.size_bytes)
            return true;
    }
    return false;
}

// --- What was read -------------------------------------------------------------------------------

uint64_t joint_read_bytes(const struct joint *joint, size_t number)
{
    const struct part *part = &joint->parts[number];
    if (!joint->is_followed || (!joint->stamp && number < joint->reading))
        return part->map.size_bytes;
    if (!joint->stamp)
        return part->at;
    return joint->merge ? merge_read_bytes(joint->merge, number) : 0;
}

void joint_end_here(struct joint *joint, bool takes_rest)
{
    for (size_t i = 0; i < joint->count; i++) {
        struct part *part = &joint->parts[i];
        map_cut(&part->map, takes_rest ? part->map.file_bytes : joint_read_bytes(joint, i));
        if (joint->merge_files)
            joint->merge_files[i].may_grow = false;
        if (joint->merge)
            merge_refresh(joint->merge, i);
    }
    joint->is_open_end = joint->stamp && !takes_rest;
    joint->is_followed = false;
    joint->is_held = !takes_rest; // already known further lines are left out
}

// Whether a file still begins as it did. STATUS_MEMORY: unknown.
static enum status compare_beginning(const struct part *part, bool *is_same, struct error *err)
{
    *is_same = false;
    if (part->sampled_bytes > part->map.file_bytes)
        return STATUS_OK;
    return fingerprint_check_sample(&part->sample, part->map.fd, part->sampled_bytes, part->path,
                                    is_same, err);
}

bool joint_begins_the_same(const struct joint *joint)
{
    bool is_same = true;
    for (size_t i = 0; i < joint->count && is_same; i++) {
        struct error err;
        if (joint_may_grow(joint, i) &&
            compare_beginning(&joint->parts[i], &is_same, &err) != STATUS_OK)
            return false;
    }
    return is_same;
}

enum status joint_keep_progress(struct joint *joint, struct fingerprint *fingerprint,
                                struct error *err)
{
    for (size_t i = 0; i < joint->count; i++) {
        const struct part *part = &joint->parts[i];
        bool may_differ = part->has_sample && (part->map.mtime_ns != part->sampled_mtime_ns ||
                                               joint_read_bytes(joint, i) != part->sampled_bytes);
        bool is_same = true;
        enum status status = may_differ ? compare_beginning(part, &is_same, err) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
        if (!is_same)
            return was_changed(part, err);
    }
    return joint_fingerprint(joint, fingerprint, err);
}

// --- Beginnings
// -----------------------------------------------------------------------------------

// The name of a core is part of the text.
static struct hash128 with_core(const struct part *part, struct hash128 sample)
{
    if (part->core)
        sample.high ^= fingerprint_piece(part->core, strlen(part->core) + 1);
    return sample;
}

bool joint_is_plain(const struct joint *joint)
{
    for (size_t i = 0; i < joint->count; i++) {
        if (joint->parts[i].codec)
            return false;
    }
    return true;
}

// Whether more text in the file would change the joined text, so that only an unchanged file is
// accepted. If merged files were not followed, lines after the end may belong before it. Of pieces,
// only the last one with text may grow, and only if it ends with a line end.
static bool is_final(const struct joint *joint, size_t number)
{
    const struct part *part = &joint->parts[number];
    uint64_t after = 0;
    if (joint->stamp)
        return !joint->is_open_end || part->is_final;
    for (size_t i = number + 1; i < joint->count; i++)
        after += joint->parts[i].sampled_bytes;
    return after || (part->sampled_bytes && part->map.data[part->sampled_bytes - 1] != '\n');
}

struct joint_beginning joint_beginning(const struct joint *joint, size_t number)
{
    const struct part *part = &joint->parts[number];
    return (struct joint_beginning){part->sampled_bytes, with_core(part, part->sample),
                                    is_final(joint, number)};
}

static bool is_beginning(const struct part *part, const struct joint_beginning *of)
{
    struct hash128 now;
    struct error err;
    if (of->is_final ? part->map.file_bytes != of->size_bytes
                     : part->map.file_bytes < of->size_bytes)
        return false;
    return fingerprint_sample(&now, part->map.fd, of->size_bytes, part->path, &err) == STATUS_OK &&
           hash128_equals(with_core(part, now), of->sample);
}

bool joint_begins_with(const struct joint *joint, const struct joint_beginning *files, size_t count)
{
    if (!joint_is_plain(joint) || count > joint->count || (joint->stamp && count != joint->count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_beginning(&joint->parts[i], &files[i]))
            return false;
    }
    return true;
}

void joint_end_after(struct joint *joint, const struct joint_beginning *files, size_t count)
{
    for (size_t i = 0; i < joint->count; i++)
        map_cut(&joint->parts[i].map, i < count ? files[i].size_bytes : 0);
    joint_rewind(joint);
    merge_close(joint->locator);
    joint->locator = NULL;
    joint->is_found = joint->stamp != NULL;
}
