// Writes a trace file of GDB ("tfile") from front to back: the text of its head, then frames.
//
//     begin  description_line...  variable...  tracepoint...  end_head
//     { frame  registers  memory...  value... }...  end
//
// Only what GDB 13 and later read correctly: no line of the head reaches 1000 bytes.
#ifndef TRAWL_REPORT_TFILE_WRITE_H
#define TRAWL_REPORT_TFILE_WRITE_H

#include "report/out.h"

struct tfile_writer {
    struct out *out;
    bool big_endian; // of the target; the head does not state it
};

// Bytes of the blocks of a frame.
#define TFILE_REGISTERS_BYTES(count) (1 + (count))
#define TFILE_MEMORY_BYTES(count) (11 + (count))
#define TFILE_VALUE_BYTES 13

// The most bytes of one block of memory.
#define TFILE_MEMORY_BYTES_MAX 65535

// Tracepoints are numbered from 1 up to here.
#define TFILE_TRACEPOINT_MAX 32767

// For GDB's `tstatus`: the number of frames, why the trace ended, and a note. Texts are cut at
// TFILE_TEXT_BYTES_MAX.
#define TFILE_TEXT_BYTES_MAX 200

struct tfile_write_status {
    uint64_t frame_count;
    const char *reason, *note;
};

void tfile_write_begin(struct tfile_writer *writer, struct out *out, bool big_endian,
                       uint32_t register_bytes, const struct tfile_write_status *status);

// One line of the target description.
void tfile_write_description_line(struct tfile_writer *writer, const char *line);

// Writes a trace state variable: $NAME in GDB. Numbers begin at 1.
void tfile_write_variable(struct tfile_writer *writer, uint32_t number, const char *name);

// Writes a tracepoint at an address. GDB uses the same numbers if the highest is written first.
void tfile_write_tracepoint(struct tfile_writer *writer, uint32_t number, uint64_t address);

void tfile_write_end_head(struct tfile_writer *writer);

// Begins a frame of `size_bytes`, the sum of the blocks that follow.
void tfile_write_frame(struct tfile_writer *writer, uint32_t tracepoint, uint32_t size_bytes);

// Writes all registers, in the order of the target description, each in the target's byte order.
void tfile_write_registers(struct tfile_writer *writer, const uint8_t *bytes, uint32_t count);

// Writes at most TFILE_MEMORY_BYTES_MAX bytes of memory.
void tfile_write_memory(struct tfile_writer *writer, uint64_t address, const uint8_t *bytes,
                        uint32_t count);

void tfile_write_value(struct tfile_writer *writer, uint32_t number, uint64_t value);

// Writes the end, after the last frame.
void tfile_write_end(struct tfile_writer *writer);

#endif
