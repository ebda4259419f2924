// Any bytes as parts of an index: they are refused, or merged into an index of which every question
// has an answer or is refused. In fuzzing builds, checksums always fit, as for indexes.
//
// Input: the parts, each after two bytes with its size.
#include "questions.h"

#include "idx/shard_format.h"
#include "session/merging.h"

#include <fcntl.h>
#include <stdio.h>

enum { PARTS_TRIED_MAX = 4, SIZE_BYTES_MAX = 1 << 16 };

static char directory[] = "/tmp/trawl-parts-fuzz-XXXXXX", merged[64], names[PARTS_TRIED_MAX][64];

static void remove_directory(void)
{
    for (size_t i = 0; i < PARTS_TRIED_MAX; i++)
        unlink(names[i]);
    rmdir(directory);
}

static void make_directory(void)
{
    if (merged[0])
        return;
    CLAIM(mkdtemp(directory));
    snprintf(merged, sizeof merged, "%s/merged", directory);
    for (unsigned i = 0; i < PARTS_TRIED_MAX; i++)
        snprintf(names[i], sizeof names[i], "%s/%u", directory, i);
    atexit(remove_directory);
}

static void write_part(const char *name, const uint8_t *data, size_t size_bytes)
{
    char *bytes = fuzz_copy(data, size_bytes);
    if (size_bytes >= INDEX_HEADER_BYTES) {
        memcpy(bytes, SHARD_MAGIC, 8);
        for (unsigned i = 0; i < 8; i++)
            bytes[16 + i] = (char)((uint64_t)size_bytes >> 8 * i);
    }
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CLAIM(fd >= 0 && write(fd, bytes, size_bytes) == (ssize_t)size_bytes);
    close(fd);
    free(bytes);
}

static size_t write_parts(const uint8_t *data, size_t size_bytes)
{
    size_t count = 0;
    for (size_t at = 0; at + 2 <= size_bytes && count < PARTS_TRIED_MAX; count++) {
        size_t wanted = data[at] | (size_t)data[at + 1] << 8;
        size_t part_bytes = (size_t)u64_min(wanted, size_bytes - at - 2);
        write_part(names[count], data + at + 2, part_bytes);
        at += 2 + part_bytes;
    }
    return count;
}

static void ask_merged(void)
{
    struct trawl_index *index;
    if (trawl_open(&index, merged, NULL) == TRAWL_OK) {
        ask_all(index);
        trawl_close(index);
    }
    CLAIM(unlink(merged) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct error err = {0};
    if (size_bytes > SIZE_BYTES_MAX)
        return 0;
    make_directory();
    const char *parts[PARTS_TRIED_MAX] = {names[0], names[1], names[2], names[3]};
    const struct merging_options how = {.parts = parts,
                                        .part_count = write_parts(data, size_bytes),
                                        .path = merged,
                                        .io = FILE_WRITER_PWRITE};
    if (how.part_count && merging_run(&how, &err) == STATUS_OK)
        ask_merged();
    else
        CLAIM(!how.part_count || err.text[0]);
    CLAIM(access(merged, F_OK) != 0);
    return 0;
}
