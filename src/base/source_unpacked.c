// A source that is one compressed file. Its text is decompressed in separate threads while it is
// read in order (base/unpack/unpack_stream.h), because that takes longer than analyzing it;
// it is never stored as a whole unless it is needed in memory. Parts of it can be
// shown without what is before them where places were recorded at which decompression can start
// again: the index keeps them (base/unpack/access_point.h), and base/unpack/seekable.h decompresses
// what is requested.
//
// Damage ends the text as the end of the file would, and is reported by source_fault.
#include "base/source.h"
#include "base/source_kind.h"
#include "base/unpack/seekable.h"
#include "base/unpack/unpack_stream.h"

#include <stdlib.h>

struct unpacked {
    struct file_source file;
    const struct codec *codec;
    struct packed packed;
    struct unpack_stream *stream;
};

static struct unpacked *unpacked_of(struct source *source)
{
    return (struct unpacked *)source;
}

static struct unpack_stream *stream_of(const struct source *source)
{
    return ((const struct unpacked *)source)->stream;
}

static enum status read_in_order(struct source *source, char *bytes, size_t wanted, size_t *have,
                                 struct error *err)
{
    struct error cause;
    if (unpack_stream_read(stream_of(source), bytes, wanted, have, &cause) != STATUS_OK)
        return error_set(err, cause.status, "%s: %s", source->path, cause.text);
    source->is_ended = *have < wanted;
    return STATUS_OK;
}

static void rewind_text(struct source *source)
{
    unpack_stream_rewind(stream_of(source));
}

static void set_threads(struct source *source)
{
    unpack_stream_set_threads(stream_of(source), source->threads);
}

static uint64_t text_bytes(const struct source *source)
{
    return unpack_stream_text_bytes(stream_of(source));
}

static struct source_fault fault_of(const struct source *source)
{
    const struct unpack_stream_fault fault = unpack_stream_fault(stream_of(source));
    return (struct source_fault){source->path, fault.text, fault.packed_byte, fault.plain_byte};
}

static void keep_access_points(struct source *source)
{
    unpack_stream_keep_access_points(stream_of(source));
}

static const struct access_points *access_points_of(const struct source *source)
{
    const struct access_points *access_points = unpack_stream_access_points(stream_of(source));
    return access_points && access_points->items.count > 1 ? access_points
                                                           : NULL; // the first is the beginning
}

static struct seekable *use_access_points(struct source *source,
                                          struct access_points *access_points)
{
    const struct unpacked *unpacked = unpacked_of(source);
    const struct packed_file file = {source->path, unpacked->codec, &unpacked->packed};
    return access_points_may_be_of(access_points, &file, 1)
               ? seekable_open(&file, 1, access_points, source->threads)
               : NULL;
}

static void close_unpacked(struct source *source)
{
    unpack_stream_close(stream_of(source));
    map_close(&file_source(source)->map);
}

static const struct source_kind unpacked_kind = {
    .is_file = true,
    .is_synthesized = true,
    .read = read_in_order,
    .rewind = rewind_text,
    .set_threads = set_threads,
    .text_bytes = text_bytes,
    .fault = fault_of,
    .close = close_unpacked,
    .keep_access_points = keep_access_points,
    .access_points = access_points_of,
    .use_access_points = use_access_points,
    .file_count = file_source_count,
    .file = file_source_file,
    .fd = file_source_fd,
    .fingerprint = file_source_fingerprint,
    .change = file_source_change,
    .begins_as_before = file_source_begins_as_before,
    .is_replaced = file_source_is_replaced,
};

enum status source_unpacked_open(struct source **out, const char *path, struct map *map,
                                 const struct codec *codec, struct error *err)
{
    struct source *source = source_make(&unpacked_kind, sizeof(struct unpacked), path, err);
    if (!source) {
        map_close(map);
        return STATUS_MEMORY;
    }
    struct unpacked *unpacked = unpacked_of(source);
    unpacked->file.map = *map;
    unpacked->codec = codec;
    unpacked->packed = (struct packed){(const uint8_t *)map->data, map->size_bytes};
    source->packed_by = codec->name;
    unpacked->stream = unpack_stream_open(codec, &unpacked->packed, 1);
    if (!unpacked->stream) {
        source_close(source);
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    *out = source;
    return STATUS_OK;
}
