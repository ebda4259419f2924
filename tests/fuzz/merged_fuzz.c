// Any bytes as files of several cores: the merged text is the same for any size of reads, also
// while the files grow, and its lines are in the order of a simple model.
//
// Input: two bytes of choices, then the files, each after two bytes with its size.
#include "fuzz.h"

#include "base/merge.h"
#include "base/unpack/codec.h"
#include "base/vec.h"
#include "trace/tarmac/line_read.h"

enum { FILES_MAX = 4, SIZE_BYTES_MAX = 1 << 14, TEXT_BYTES_MAX = 1 << 20, ROUNDS = 12 };

struct text {
    VEC(, char) bytes;
};

struct inputs {
    struct map maps[FILES_MAX];
    struct packed packed[FILES_MAX];
    struct merge_file files[FILES_MAX];
    size_t count;
    bool is_plain; // no file is compressed
};

static const char *const cores[FILES_MAX] = {"a", "core1", "clusterA.cpu2", "d"};

static void add_file(struct inputs *inputs, const uint8_t *bytes, size_t size_bytes)
{
    size_t number = inputs->count++;
    struct packed *packed = &inputs->packed[number];
    *packed = (struct packed){bytes, size_bytes};
    inputs->maps[number] = (struct map){
        .data = (const char *)bytes, .size_bytes = size_bytes, .guard_slot = -1, .fd = -1};
    const struct codec *codec = NULL;
    struct error err;
    CLAIM(!size_bytes || codec_of(packed, &codec, &err) == STATUS_OK);
    inputs->files[number] = (struct merge_file){.path = cores[number],
                                                .map = &inputs->maps[number],
                                                .codec = codec,
                                                .packed = packed,
                                                .core = cores[number]};
    inputs->is_plain &= !inputs->files[number].codec;
}

static void split(struct inputs *inputs, const uint8_t *data, size_t size_bytes)
{
    for (size_t at = 0; at + 2 <= size_bytes && inputs->count < FILES_MAX;) {
        size_t wanted = data[at] | (size_t)data[at + 1] << 8;
        size_t file_bytes = (size_t)u64_min(wanted, size_bytes - at - 2);
        add_file(inputs, data + at + 2, file_bytes);
        at += 2 + file_bytes;
    }
}

static void add(struct text *text, const char *bytes, size_t size_bytes)
{
    CLAIM(VEC_ROOM(&text->bytes, size_bytes + 1));
    memcpy(text->bytes.items + text->bytes.count, bytes, size_bytes);
    text->bytes.count += size_bytes;
}

// --- Reading -------------------------------------------------------------------------------------

static struct merge *open_merge(const struct inputs *inputs)
{
    struct merge *merge = merge_open(inputs->files, inputs->count, tarmac_line_stamp, NULL);
    CLAIM(merge);
    return merge;
}

// Reads the available text in steps of `step` bytes. False: the files cannot be merged, or are too
// long.
static bool read_on(struct merge *merge, size_t step, struct text *text)
{
    static char buffer[SIZE_BYTES_MAX];
    struct error err;
    size_t have = step;
    while (have == step) {
        have = 0;
        if (merge_read(merge, buffer, step, &have, false, &err) != STATUS_OK) {
            CLAIM(err.text[0]);
            return false;
        }
        CLAIM(have <= step);
        add(text, buffer, have);
        if (text->bytes.count > TEXT_BYTES_MAX)
            return false;
    }
    return true;
}

static bool read_all(const struct inputs *inputs, size_t step, struct text *text)
{
    struct merge *merge = open_merge(inputs);
    bool can = read_on(merge, step, text);
    merge_close(merge);
    return can;
}

// Shows up to `more` further bytes of a file, which end with a line. When everything is shown, the
// file is final.
static void grow(struct inputs *inputs, size_t number, uint64_t full_bytes, uint64_t more)
{
    struct map *map = &inputs->maps[number];
    uint64_t to = u64_min(full_bytes, map->size_bytes + more);
    while (to < full_bytes && to > map->size_bytes && map->data[to - 1] != '\n')
        to--;
    if (more >= full_bytes)
        inputs->files[number].may_grow = false;
    map->size_bytes = to;
}

// Reads while the files grow in steps that depend on `seed`.
static bool read_growing(struct inputs *inputs, uint64_t seed, struct text *text)
{
    uint64_t full_bytes[FILES_MAX];
    for (size_t i = 0; i < inputs->count; i++) {
        full_bytes[i] = inputs->maps[i].size_bytes;
        inputs->files[i].may_grow = true;
        inputs->maps[i].size_bytes = 0;
    }
    struct merge *merge = open_merge(inputs);
    bool can = true;
    for (int round = 0; round <= ROUNDS && can; round++) {
        can = read_on(merge, 100, text);
        CLAIM(!can || !merge_has_more(merge));
        for (size_t i = 0; i < inputs->count && can; i++) {
            seed = fuzz_mix(seed, i);
            grow(inputs, i, full_bytes[i], round == ROUNDS - 1 ? SIZE_BYTES_MAX : seed % 300);
            merge_refresh(merge, i);
        }
    }
    merge_close(merge);
    return can;
}

// --- The order of lines --------------------------------------------------------------------------

struct feed {
    const char *at, *end;
    struct line_stamp stamp; // of the line at `at`
    unsigned __int128 time;
    int exponent;
};

static const char *line_end_of(const struct feed *feed)
{
    const char *newline = memchr(feed->at, '\n', (size_t)(feed->end - feed->at));
    return newline ? newline : feed->end;
}

static void look(struct feed *feed)
{
    if (feed->at == feed->end)
        return;
    feed->stamp = tarmac_line_stamp(feed->at, line_end_of(feed), NULL);
    if (feed->stamp.has_time)
        feed->time = line_stamp_time(&feed->stamp, &feed->exponent);
}

// The file of the next line; `current` is that of the last one.
static size_t next_file(const struct feed *feeds, size_t count, size_t current)
{
    size_t next = count;
    if (current < count && feeds[current].at < feeds[current].end && !feeds[current].stamp.has_time)
        return current;
    for (size_t i = count; i-- > 0;)
        if (feeds[i].at < feeds[i].end && (next == count || feeds[i].time <= feeds[next].time))
            next = i;
    return next;
}

// Lines are skipped in the order of the model, and each is counted once.
static void skip_all(const struct inputs *inputs)
{
    struct error err;
    struct feed feeds[FILES_MAX];
    struct merge *merge = open_merge(inputs);
    uint64_t lines = 0, of_files[FILES_MAX] = {0}, in_file;
    size_t file = inputs->count;
    bool is_end = false;
    for (size_t i = 0; i < inputs->count; i++) {
        const char *data = inputs->maps[i].data;
        feeds[i] = (struct feed){
            .at = data, .end = data + inputs->maps[i].size_bytes, .exponent = LINE_STAMP_EXPONENT};
        look(&feeds[i]);
    }
    while (merge_skip_line(merge, &is_end, &err) == STATUS_OK && !is_end) {
        size_t expected = next_file(feeds, inputs->count, file);
        CLAIM(merge_line(merge, &file, &in_file) == ++lines);
        CLAIM(file == expected && in_file == ++of_files[file]);
        struct feed *feed = &feeds[file];
        feed->at = line_end_of(feed);
        feed->at += feed->at < feed->end;
        look(feed);
    }
    CLAIM(is_end && next_file(feeds, inputs->count, file) == inputs->count);
    merge_close(merge);
}

static void check_same(const struct text *first, const struct text *other)
{
    CLAIM(first->bytes.count == other->bytes.count);
    CLAIM(!first->bytes.count ||
          memcmp(first->bytes.items, other->bytes.items, first->bytes.count) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct inputs inputs = {.is_plain = true};
    struct text first = {{0}}, in_steps = {{0}}, growing = {{0}};
    if (size_bytes < 3 || size_bytes > SIZE_BYTES_MAX)
        return 0;
    char *copy = fuzz_copy(data + 2, size_bytes - 2);
    split(&inputs, (const uint8_t *)copy, size_bytes - 2);
    bool can = read_all(&inputs, SIZE_BYTES_MAX, &first);
    CLAIM(read_all(&inputs, 1 + data[0], &in_steps) == can);
    if (can)
        check_same(&first, &in_steps);
    if (can && inputs.is_plain) {
        skip_all(&inputs);
        CLAIM(read_growing(&inputs, data[1], &growing));
        check_same(&first, &growing);
    }
    free(first.bytes.items);
    free(in_steps.bytes.items);
    free(growing.bytes.items);
    free(copy);
    return 0;
}
