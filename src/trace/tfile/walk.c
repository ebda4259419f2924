// Walks from frame to frame by their sizes, and searches for the next frame if that fails.
//
// It fails with real files: gdbserver saves a circular buffer that has wrapped with up to 2000
// bytes of stale data, whose length is right. A header in these data leads to a wrong place. This
// shows as a tracepoint that does not exist, a size that does not fit, or an end mark before the
// number of frames in the status. The frames just before are then discarded as long as their blocks
// do not add up, because the size of one of them may have been the first wrong one. The search
// begins after the last sound frame, for a header whose blocks add up and which is followed by
// something that may be a header.
#include "base/limits.h"
#include "trace/tfile/file.h"
#include "trace/tfile/frame.h"

#include <stdlib.h>

enum {
    END_MARK_BYTES = 2,
    END_MARK_BYTES_MAX = 6, // writers differ
    ORDER_SAMPLE = 64,
};

struct walk {
    struct tfile *file;
    uint64_t at;
    uint64_t blocks_left; // that searches may read: the file's size bounds their time
    uint16_t marks;       // of frames that follow
};

static uint16_t number_at(const struct tfile *file, uint64_t at)
{
    return load_u16(file->data + at, file->is_big_endian);
}

// The frame whose header is at `at`, if the file has room for a header, whatever the frame's size.
static struct tfile_frame frame_at(const struct tfile *file, uint64_t at)
{
    return (struct tfile_frame){.offset = at + TFILE_FRAME_HEADER_BYTES,
                                .size_bytes = load_u32(file->data + at + 2, file->is_big_endian),
                                .number = number_at(file, at)};
}

// Whether a complete frame of an existing tracepoint may begin at `at`. Callers must use the frame
// returned here: the file may be changed, and a second read may give one that does not fit.
static bool read_header(const struct tfile *file, uint64_t at, struct tfile_frame *frame)
{
    if (file->size_bytes - at < TFILE_FRAME_HEADER_BYTES)
        return false;
    *frame = frame_at(file, at);
    return tfile_is_number(file, frame->number) &&
           frame->size_bytes <= file->size_bytes - frame->offset;
}

static bool is_header(const struct tfile *file, uint64_t at)
{
    struct tfile_frame frame;
    return read_header(file, at, &frame);
}

// --- Searching -----------------------------------------------------------------------------------

static bool adds_up(struct walk *walk, const struct tfile_frame *frame)
{
    struct tfile_cursor cursor = tfile_blocks(walk->file, frame);
    struct tfile_block block = {.kind = TFILE_UNKNOWN_BLOCK};
    while (walk->blocks_left && tfile_next(walk->file, &cursor, &block))
        walk->blocks_left--;
    return cursor.at == cursor.end && block.kind < TFILE_UNKNOWN_BLOCK;
}

// A frame without data proves nothing.
static bool is_anchor(struct walk *walk, uint64_t at)
{
    const struct tfile *file = walk->file;
    struct tfile_frame frame;
    if (!read_header(file, at, &frame) || frame.size_bytes == 0)
        return false;
    uint64_t end = frame.offset + frame.size_bytes, left = file->size_bytes - end;
    return adds_up(walk, &frame) &&
           (left < END_MARK_BYTES || number_at(file, end) == 0 || is_header(file, end));
}

static void add_fault(struct walk *walk, enum tfile_fault_kind kind, uint64_t value,
                      uint64_t offset, uint64_t end)
{
    trace_damage_add(&walk->file->damage, &(struct trace_fault){kind, value, offset, end - offset});
}

// Continues after a break in the chain at walk->at, unless nothing is found after it.
static bool go_on(struct walk *walk, enum tfile_fault_kind kind, uint64_t value)
{
    struct tfile *file = walk->file;
    size_t kept = file->frames.count;
    uint64_t broken = walk->at;
    for (unsigned i = 0; i < LIMIT_TFILE_FRAMES_DOUBTED && kept; i++) {
        const struct tfile_frame *last = &file->frames.items[kept - 1];
        if (last->size_bytes == 0 || adds_up(walk, last))
            break;
        broken = last->offset - TFILE_FRAME_HEADER_BYTES;
        kept--;
    }
    // The next anchor from `from` on; the end of the file if there is none.
    uint64_t from = broken + 1;
    uint64_t at = from;
    while (at < walk->file->size_bytes && walk->blocks_left && !is_anchor(walk, at))
        at++;
    uint64_t found = walk->blocks_left ? at : walk->file->size_bytes;
    if (found == file->size_bytes) {
        if (!walk->blocks_left)
            add_fault(walk, TFILE_FAULT_GIVEN_UP, 0, walk->at, file->size_bytes);
        return false;
    }
    add_fault(walk, kind, value, broken, found);
    file->frames.count = kept;
    walk->marks = TFILE_RECOVERED;
    walk->at = found;
    return true;
}

// --- The walk ------------------------------------------------------------------------------------

static bool add_frame(struct walk *walk, const struct tfile_frame *found, uint16_t marks)
{
    struct tfile *file = walk->file;
    if (!VEC_ROOM(&file->frames, 1))
        return false;
    struct tfile_frame *frame = &file->frames.items[file->frames.count++];
    *frame = *found;
    frame->size_bytes = (uint32_t)u64_min(frame->size_bytes, file->size_bytes - frame->offset);
    frame->marks = walk->marks | marks;
    walk->at = frame->offset + frame->size_bytes;
    return true;
}

// Handles an end mark, which may be false. Writers may leave anything after a true one.
static bool ends(struct walk *walk)
{
    const struct tfile *file = walk->file;
    size_t count = file->frames.count;
    bool is_early = file->status.frames == TFILE_UNKNOWN
                        ? count && !tfile_frame_is_whole(file, &file->frames.items[count - 1])
                        : count < file->status.frames;
    return !is_early || file->size_bytes - walk->at <= END_MARK_BYTES_MAX ||
           !go_on(walk, TFILE_FAULT_EARLY_END, 0);
}

// Whether a sound frame of a tracepoint that the header does not define begins at walk->at. This
// happens in files whose tracepoints were deleted before they were saved; GDB reads them. Its
// blocks must add up, and it must be followed by the end mark, a possible frame, or another frame
// of this kind.
static bool read_undefined(struct walk *walk, struct tfile_frame *frame)
{
    const struct tfile *file = walk->file;
    uint64_t at = walk->at;
    for (unsigned i = 0; i < 2; i++) {
        if (file->size_bytes - at < TFILE_FRAME_HEADER_BYTES)
            return false;
        const struct tfile_frame found = frame_at(file, at);
        if (!found.size_bytes || found.size_bytes > file->size_bytes - found.offset ||
            !adds_up(walk, &found))
            return false;
        if (i == 0)
            *frame = found;
        at = found.offset + found.size_bytes;
        uint64_t left = file->size_bytes - at;
        if (left < END_MARK_BYTES || number_at(file, at) == 0 || is_header(file, at))
            return true;
    }
    return true;
}

// Handles bytes that are not a complete frame: a cut frame at the end of the file, or a break.
// False: no memory.
static bool take_broken(struct walk *walk, bool *is_done)
{
    struct tfile *file = walk->file;
    const struct tfile_frame frame = frame_at(file, walk->at);
    uint16_t number = frame.number;
    uint32_t size = frame.size_bytes;
    bool is_known = tfile_is_number(file, number);
    *is_done =
        !go_on(walk, is_known ? TFILE_FAULT_SIZE : TFILE_FAULT_NUMBER, is_known ? size : number);
    if (!*is_done)
        return true;
    if (is_known) {
        add_fault(walk, TFILE_FAULT_CUT, 0, walk->at, file->size_bytes);
        return add_frame(walk, &frame, TFILE_CUT);
    }
    if (walk->blocks_left)
        add_fault(walk, TFILE_FAULT_NUMBER, number, walk->at, file->size_bytes);
    walk->at = file->size_bytes;
    return true;
}

static bool walk_frames(struct walk *walk)
{
    struct tfile *file = walk->file;
    bool is_done = false;
    while (!is_done) {
        struct tfile_frame frame;
        uint64_t left = file->size_bytes - walk->at;
        if (LIKELY(read_header(file, walk->at, &frame))) {
            if (!add_frame(walk, &frame, 0))
                return false;
        } else if (left >= END_MARK_BYTES && number_at(file, walk->at) == 0) {
            is_done = ends(walk);
        } else if (read_undefined(walk, &frame)) {
            if (!add_frame(walk, &frame, 0))
                return false;
        } else if (left < TFILE_FRAME_HEADER_BYTES) {
            add_fault(walk, TFILE_FAULT_NO_END, 0, walk->at, file->size_bytes);
            is_done = true;
        } else if (!take_broken(walk, &is_done)) {
            return false;
        }
    }
    return true;
}

// --- Byte order ----------------------------------------------------------------------------------

// How many of the first frames add up in this byte order.
static unsigned sound_frames(struct tfile *file, bool is_big_endian)
{
    unsigned count = 0;
    file->is_big_endian = is_big_endian;
    uint64_t at = file->frames_offset;
    struct tfile_frame frame;
    for (unsigned i = 0; i < ORDER_SAMPLE && read_header(file, at, &frame); i++) {
        count += tfile_frame_is_whole(file, &frame);
        at = frame.offset + frame.size_bytes;
    }
    return count;
}

static bool is_big_endian(struct tfile *file, const struct tfile_options *options)
{
    enum tfile_byte_order order = options->byte_order;
    if (order == TFILE_ORDER_UNKNOWN)
        order = file->registers.byte_order;
    if (order != TFILE_ORDER_UNKNOWN)
        return order == TFILE_BIG_ENDIAN;
    unsigned big = sound_frames(file, true);
    return big > sound_frames(file, false);
}

// --- Statistics ----------------------------------------------------------------------------------

// gdbserver sends decimal numbers, which GDB takes for hexadecimal ones and writes unchanged; other
// targets may send hexadecimal ones. The size of the frames of a tracepoint shows which they are,
// if it has one location.
static void read_statistics(struct tfile_location *location, const char *text, uint64_t used)
{
    for (unsigned base = 10; base <= 16; base += 6) {
        char *end;
        uint64_t hits = strtoull(text, &end, (int)base);
        if (end == text || *end != ':')
            continue;
        const char *usage = end + 1;
        uint64_t bytes = strtoull(usage, &end, (int)base);
        if (end == usage || *end)
            continue;
        bool is_first = location->hits == TFILE_UNKNOWN;
        if (is_first || bytes == used) {
            location->hits = hits;
            location->data_bytes = bytes;
        }
        if (bytes == used)
            return;
    }
}

bool tfile_find_frames(struct tfile *file, const struct tfile_options *options)
{
    struct walk walk = {.file = file,
                        .at = file->frames_offset,
                        .blocks_left = file->size_bytes + LIMIT_TFILE_SEARCH_BLOCKS};
    if (!file->frames_offset)
        return true;
    file->is_big_endian = is_big_endian(file, options);
    if (!walk_frames(&walk))
        return false;
    file->end_offset = walk.at;
    for (size_t i = 0; i < file->frames.count; i++)
        file->recovered_frames += file->frames.items[i].marks & TFILE_RECOVERED;
    uint64_t *used = calloc(UINT16_MAX + 1, sizeof *used);
    if (!used)
        return false;
    for (size_t i = 0; i < file->frames.count; i++)
        used[file->frames.items[i].number] += file->frames.items[i].size_bytes;
    for (size_t i = 0; i < file->locations.count; i++) {
        struct tfile_location *location = &file->locations.items[i];
        size_t namesakes;
        tfile_locations_of(file, (uint16_t)location->number, &namesakes);
        const bool is_known = namesakes == 1 && location->number <= UINT16_MAX;
        for (size_t piece = 0; piece < location->piece_count; piece++) {
            if (location->pieces[piece].kind == TFILE_STATISTICS)
                read_statistics(location, location->pieces[piece].text,
                                is_known ? used[location->number] : TFILE_UNKNOWN);
        }
    }
    free(used);
    return true;
}
