// Any bytes as a GDB trace file: every frame and every block is inside the file, frames ascend
// without overlap, and memory read byte by byte is the same as memory read at once. The first byte
// selects byte order and machine.
#include "fuzz.h"
#include "trace/tfile/file.h"
#include "trace/tfile/frame.h"

static void check_memory(const struct tfile *file, const struct tfile_frame *frame,
                         uint64_t address)
{
    uint8_t values[8], value;
    bool known[8], is_known;
    tfile_frame_memory(file, frame, address, sizeof values, values, known);
    for (uint64_t i = 0; i < sizeof values; i++) {
        tfile_frame_memory(file, frame, address + i, 1, &value, &is_known);
        CLAIM(is_known == known[i] && (!is_known || value == values[i]));
    }
}

static void check_frame(const struct tfile *file, const struct tfile_frame *frame)
{
    struct tfile_cursor cursor = tfile_blocks(file, frame);
    struct tfile_block block;
    const uint8_t *data = file->data, *registers = tfile_frame_registers(file, frame);
    unsigned looks = 0;
    uint64_t value;
    while (tfile_next(file, &cursor, &block)) {
        int64_t variable;
        if (block.kind == TFILE_VARIABLE)
            CLAIM(tfile_frame_variable(file, frame, block.variable, &variable));
        else
            CLAIM(block.bytes >= data && block.bytes + block.size_bytes <= cursor.at);
        if (block.kind == TFILE_MEMORY && looks++ < 4)
            check_memory(file, frame, block.address - 3);
    }
    for (uint32_t i = 0; registers && i < u64_min(file->registers.items.count, 64); i++)
        tfile_register_value(file, registers, i);
    tfile_frame_pc(file, frame, &value);
}

static void check_file(const struct tfile *file)
{
    struct trace_damage damage = file->damage;
    char text[TRACE_FAULT_TEXT_BYTES];
    uint64_t at = file->frames_offset;
    for (size_t i = 0; i < file->frames.count; i++) {
        const struct tfile_frame *frame = &file->frames.items[i];
        CLAIM(frame->offset >= at + TFILE_FRAME_HEADER_BYTES);
        at = frame->offset + frame->size_bytes;
        CLAIM(at <= file->size_bytes);
        check_frame(file, frame);
    }
    CLAIM(tfile_check_frames(file, 1, &damage));
    for (uint64_t i = 0; i < u64_min(damage.count, LIMIT_DAMAGE_KEPT); i++) {
        tfile_fault_text(&damage.first[i], text);
        CLAIM(damage.first[i].offset + damage.first[i].size_bytes <= file->size_bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct tfile file;
    struct error err;
    if (size_bytes < 1)
        return 0;
    const struct tfile_options options = {
        .byte_order = (enum tfile_byte_order)(*data % 3),
        .machine = (enum tfile_machine)(*data / 3 % (TFILE_OTHER + 1)),
    };
    uint8_t *copy = (uint8_t *)fuzz_copy(data + 1, size_bytes - 1);
    if (tfile_open(&file, copy, size_bytes - 1, &options, &err) == STATUS_OK)
        check_file(&file);
    tfile_close(&file);
    free(copy);
    return 0;
}
