// Several files that are read while they are written. The text is then what is certain: further
// text can only come after it. Files that follow each other end with the last whole line of the
// last one. With merged files, the next line is certain if the next line of every other file is
// known, or the file is final, which means that nobody writes to it any more; otherwise reading
// ends early, and an idle core delays the others until it writes again, or its file is closed.
#include "base/source_concat.h"

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
// file is final; of members, everything up to the last line end of all.
static void show_merged(struct part *part)
{
    map_cut(&part->map, part->is_final ? part->map.file_bytes : whole_lines(&part->map));
}

static void show_members(struct concat *concat)
{
    bool is_whole = false;
    for (size_t i = concat->count; i-- > concat->reading;) {
        struct part *part = &concat->parts[i];
        uint64_t shown = is_whole ? part->map.file_bytes : whole_lines(&part->map);
        is_whole |= shown > 0;
        map_cut(&part->map, u64_max(shown, part->at));
    }
}

void concat_follow(struct concat *concat)
{
    for (size_t i = 0; i < concat->count; i++) {
        concat->parts[i].is_final = !concat_may_grow(concat, i);
        if (concat->stamp) {
            concat->merge_files[i].may_grow = true;
            show_merged(&concat->parts[i]);
        }
    }
    if (!concat->stamp)
        show_members(concat);
}

static bool is_possible(const struct source *source)
{
    return source->is_followed; // since it was opened
}

static bool settle(struct source *source)
{
    if (!source->carry_bytes)
        return true;
    concat_of(source)->is_held = true;
    return false;
}

// --- Looking for more ----------------------------------------------------------------------------

bool concat_has_no_writers(const struct source *source)
{
    const struct concat *concat = const_concat_of(source);
    for (size_t i = 0; i < concat->count; i++) {
        if (!concat->parts[i].is_final && !file_has_no_writers(concat->parts[i].map.fd))
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
static enum status grow_merged(struct concat *concat, size_t number, bool are_all_final,
                               struct error *err)
{
    struct part *part = &concat->parts[number];
    bool has_no_writers = are_all_final || file_has_no_writers(part->map.fd);
    enum status status = grow_part(part, err);
    if (status != STATUS_OK)
        return status;
    part->is_final |= has_no_writers && (part->map.file_bytes || are_all_final);
    concat->merge_files[number].may_grow = !part->is_final;
    show_merged(part);
    if (concat->merge)
        merge_refresh(concat->merge, number);
    return STATUS_OK;
}

// Only the last member may grow.
static enum status grow_members(struct concat *concat, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < concat->count && status == STATUS_OK; i++)
        status = grow_part(&concat->parts[i], err);
    if (status == STATUS_OK)
        show_members(concat);
    return status;
}

static enum status grow(struct source *source, struct error *err)
{
    struct concat *concat = concat_of(source);
    bool are_all_final = concat_has_no_writers(source); // determined before looking for text
    enum status status = STATUS_OK;
    if (concat_is_replaced(source))
        return was_changed(&concat->parts[0], err);
    concat->is_held = false;
    merge_close(concat->locator);
    concat->locator = NULL;
    if (!concat->stamp)
        return grow_members(concat, err);
    for (size_t i = 0; i < concat->count && status == STATUS_OK; i++)
        status = grow_merged(concat, i, are_all_final, err);
    return status;
}

// Makes the previous file final.
static enum status add_file(struct source *source, const char *path, struct error *err)
{
    struct concat *concat = concat_of(source);
    struct part added = {.path = path};
    if (concat->count == LIMIT_TRACE_FILES)
        return error_set(err, STATUS_LIMIT, "%s: the trace consists of more than %d files",
                         concat->parts[0].path, LIMIT_TRACE_FILES);
    struct part *grown = realloc(concat->parts, (concat->count + 1) * sizeof *grown);
    if (!grown)
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    concat->parts = grown;
    enum status status = concat_open_part(&added, err);
    if (status != STATUS_OK)
        return status;
    // The writer of the new member has finished the previous one, which may have grown until then.
    struct part *before = &grown[concat->count - 1];
    if (added.codec)
        status = error_set(err, STATUS_LIMIT, "%s: cannot be followed: it is compressed", path);
    else if (!concat_have_same_rights(concat->rights_fd, added.map.fd))
        status =
            error_set(err, STATUS_INPUT, "%s: has other permissions than the first file", path);
    else
        status = grow_part(before, err);
    if (status != STATUS_OK) {
        map_close(&added.map);
        return status;
    }
    before->is_final = true;
    grown[concat->count++] = added;
    show_members(concat);
    return STATUS_OK;
}

static bool has_unread(struct source *source)
{
    const struct concat *concat = concat_of(source);
    if (source->carry_bytes)
        return true;
    if (concat->stamp)
        return !concat->merge || merge_has_more(concat->merge);
    for (size_t i = concat->reading; i < concat->count; i++) {
        if (concat->parts[i].at < concat->parts[i].map.size_bytes)
            return true;
    }
    return false;
}

// --- What was read -------------------------------------------------------------------------------

uint64_t concat_read_bytes(const struct source *source, size_t number)
{
    const struct concat *concat = const_concat_of(source);
    const struct part *part = &concat->parts[number];
    if (!source->is_followed || (!concat->stamp && number < concat->reading))
        return part->map.size_bytes;
    if (!concat->stamp)
        return part->at;
    return concat->merge ? merge_read_bytes(concat->merge, number) : 0;
}

static void end_here(struct source *source, bool takes_rest)
{
    struct concat *concat = concat_of(source);
    for (size_t i = 0; i < concat->count; i++) {
        struct part *part = &concat->parts[i];
        map_cut(&part->map, takes_rest ? part->map.file_bytes : concat_read_bytes(source, i));
        if (concat->merge_files)
            concat->merge_files[i].may_grow = false;
        if (concat->merge)
            merge_refresh(concat->merge, i);
    }
    concat->is_open_end = concat->stamp && !takes_rest;
    concat->is_held = !takes_rest; // already known further lines are left out
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

bool concat_begins_as_before(const struct source *source)
{
    const struct concat *concat = const_concat_of(source);
    bool is_same = true;
    for (size_t i = 0; i < concat->count && is_same; i++) {
        struct error err;
        if (concat_may_grow(concat, i) &&
            compare_beginning(&concat->parts[i], &is_same, &err) != STATUS_OK)
            return false;
    }
    return is_same;
}

// STATUS_INPUT: a file no longer begins with what the previous fingerprint covered.
static enum status keep_progress(struct source *source, struct error *err)
{
    struct concat *concat = concat_of(source);
    for (size_t i = 0; i < concat->count; i++) {
        const struct part *part = &concat->parts[i];
        bool may_differ = part->has_sample && (part->map.mtime_ns != part->sampled_mtime_ns ||
                                               concat_read_bytes(source, i) != part->sampled_bytes);
        bool is_same = true;
        enum status status = may_differ ? compare_beginning(part, &is_same, err) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
        if (!is_same)
            return was_changed(part, err);
    }
    enum status status = concat_fingerprint(source, &source->fingerprint, err);
    source->has_fingerprint = status == STATUS_OK;
    return status;
}

const struct source_following concat_following = {
    .is_possible = is_possible,
    .begin = source_rewind, // the first bytes may have been read already
    .settle = settle,
    .has_unread = has_unread,
    .grow = grow,
    .add_file = add_file,
    .keep_progress = keep_progress,
    .end_here = end_here,
};

// --- Beginnings ----------------------------------------------------------------------------------

// The name of a core is part of the text.
static struct hash128 with_core(const struct part *part, struct hash128 sample)
{
    if (part->core)
        sample.high ^= fingerprint_block(part->core, strlen(part->core) + 1);
    return sample;
}

bool concat_is_plain(const struct concat *concat)
{
    for (size_t i = 0; i < concat->count; i++) {
        if (concat->parts[i].codec)
            return false;
    }
    return true;
}

// Whether more text in the file would change the joined text, so that only an unchanged file is
// accepted. If merged files were not followed, lines after the end may belong before it. Of
// members, only the last one with text may grow, and only if it ends with a line end.
static bool is_final(const struct concat *concat, size_t number)
{
    const struct part *part = &concat->parts[number];
    uint64_t after = 0;
    if (concat->stamp)
        return !concat->is_open_end || part->is_final;
    for (size_t i = number + 1; i < concat->count; i++)
        after += concat->parts[i].sampled_bytes;
    return after || (part->sampled_bytes && part->map.data[part->sampled_bytes - 1] != '\n');
}

struct source_file_beginning concat_beginning(const struct concat *concat, size_t number)
{
    const struct part *part = &concat->parts[number];
    return (struct source_file_beginning){part->sampled_bytes, with_core(part, part->sample),
                                          is_final(concat, number)};
}

static bool is_beginning(const struct part *part, const struct source_file_beginning *of)
{
    struct hash128 now;
    struct error err;
    if (of->is_final ? part->map.file_bytes != of->size_bytes
                     : part->map.file_bytes < of->size_bytes)
        return false;
    return fingerprint_sample(&now, part->map.fd, of->size_bytes, part->path, &err) == STATUS_OK &&
           hash128_equals(with_core(part, now), of->sample);
}

bool concat_file_beginning(const struct source *source, size_t number,
                           struct source_file_beginning *beginning)
{
    const struct concat *concat = const_concat_of(source);
    *beginning = concat_beginning(concat, number);
    return concat_is_plain(concat);
}

bool concat_begins_with(const struct source *source, const struct source_beginning *beginning)
{
    const struct concat *concat = const_concat_of(source);
    if (!beginning->files || !concat_is_plain(concat) || beginning->count > concat->count ||
        (concat->stamp && beginning->count != concat->count))
        return false;
    for (size_t i = 0; i < beginning->count; i++) {
        if (!is_beginning(&concat->parts[i], &beginning->files[i]))
            return false;
    }
    return true;
}

void concat_end_after(struct source *source, const struct source_beginning *beginning)
{
    struct concat *concat = concat_of(source);
    for (size_t i = 0; i < concat->count; i++)
        map_cut(&concat->parts[i].map, i < beginning->count ? beginning->files[i].size_bytes : 0);
    concat_rewind(source);
    merge_close(concat->locator);
    concat->locator = NULL;
    concat->is_found = concat->stamp != NULL;
    if (source->text.is_at_hand) // which begins with the same text
        source->text.size_bytes = u64_min(source->text.size_bytes, beginning->text_bytes);
    source_rewind(source);
}
