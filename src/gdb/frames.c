// The frames of a trace file of GDB as stops: what a target collected where it hit tracepoints.
//
// GDB opens such a file itself (`target tfile`), and selects its frames by number; it cannot go
// from one to the next or back, nor look for one by a condition. Here each frame is a place where
// the program stands: a step leads to the next frame or the one before, a breakpoint stops at
// frames of its address. Between two frames the program ran on unseen, so a frame has only what it
// collected, and there is nothing to watch. A position is the event of the frame that is shown, and
// not the one that comes next; behind the last frame, nothing is known.
//
// The file has the target's own description of its registers, and a block of registers is passed on
// as the target sent it; so every machine that GDB knows is served.
#include "gdb/run.h"

#include "arch/arch.h"
#include "base/limits.h"
#include "idx/index.h"

#include <stdlib.h>

enum status gdb_frames_begin(struct gdb_frames *frames, const struct session *session,
                             struct error *err)
{
    const struct index_view *view = &session->view;
    const uint64_t count = trawl_register_count(view->index);
    uint64_t block_bytes = 0;
    *frames = (struct gdb_frames){0};
    if (!view->info.events)
        return error_set(err, STATUS_LIMIT, "%s: it has no frames", session->path);
    for (uint64_t i = 0; i < count; i++) {
        struct trawl_register about;
        if (trawl_register(view->index, i, &about, NULL) != TRAWL_OK ||
            (about.flags & TRAWL_REGISTER_VARIABLE))
            continue;
        block_bytes = u64_max(block_bytes, about.offset + about.size_bytes);
        if ((about.flags & TRAWL_REGISTER_PC) && about.size_bytes <= 8) {
            frames->pc_offset = (uint32_t)about.offset;
            frames->pc_bytes = (uint32_t)about.size_bytes;
        }
    }
    if (block_bytes > LIMIT_GDB_PACKET_BYTES / 2 - 64)
        return error_set(err, STATUS_LIMIT, "%s: its registers are too many for GDB's protocol",
                         session->path);
    frames->block_bytes = (uint32_t)block_bytes;
    return STATUS_OK;
}

// The pc of a frame that collected no registers is that of its tracepoint; behind the last frame,
// it is behind that of this one.
static void put_pc(const struct gdb_frames *frames, const struct index_view *view,
                   const struct trawl_event *about, bool is_end, uint8_t *bytes, uint8_t *known)
{
    const bool is_big_endian = (view->info.options & TRAWL_BIG_ENDIAN) != 0;
    const uint64_t pc = index_pc_address(view->index, about->pc) +
                        (is_end ? arch_least_bytes(view->arch, view->isa) : 0);
    if (!(about->flags & TRAWL_HAS_INSTRUCTION) || !frames->pc_bytes || known[frames->pc_offset])
        return;
    for (uint32_t i = 0; i < frames->pc_bytes; i++) {
        const uint32_t at = is_big_endian ? frames->pc_bytes - 1 - i : i;
        bytes[frames->pc_offset + at] = (uint8_t)(pc >> 8 * i);
        known[frames->pc_offset + at] = 1;
    }
}

enum status gdb_frames_registers(const struct gdb_frames *frames, const struct index_view *view,
                                 uint64_t event, struct out *out, struct error *err)
{
    const size_t size = frames->block_bytes;
    const bool is_end = event >= view->info.events;
    struct trawl_event about;
    struct trawl_error from;
    uint8_t *bytes = calloc(2, size + 1), *known = bytes + size + 1;
    if (!bytes)
        return error_set(err, STATUS_MEMORY, "no memory");
    enum status status = index_view_event(view, event - is_end, &about, err);
    if (status == STATUS_OK && !is_end)
        status = index_status(
            trawl_registers(view->index, about.lane, event, 0, size, bytes, known, &from), &from,
            err);
    if (status == STATUS_OK)
        put_pc(frames, view, &about, is_end, bytes, known);
    for (size_t i = 0; i < size && status == STATUS_OK; i++) {
        if (known[i])
            out_hex(out, bytes[i], 2);
        else
            out_text(out, "xx");
    }
    free(bytes);
    return status;
}

enum trawl_status gdb_frames_memory(const struct session *session, uint64_t event, uint64_t address,
                                    size_t size_bytes, uint8_t *bytes, uint8_t *known,
                                    struct trawl_error *err)
{
    enum trawl_status status = TRAWL_OK;
    memset(known, 0, size_bytes);
    if (event < session->view.info.events)
        status = trawl_memory(session->view.index, event, address, size_bytes, bytes, known, err);
    // GDB, too, takes constants from the program where a frame has not collected them.
    if (status == TRAWL_OK && memchr(known, 0, size_bytes))
        image_memory_fill(&session->image_memory, address, size_bytes, bytes, known);
    return status;
}
