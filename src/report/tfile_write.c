#include "report/tfile_write.h"

#include <inttypes.h>
#include <stdio.h>

// --- The head ------------------------------------------------------------------------------------

static void put_hex_text(struct out *out, const char *text)
{
    size_t length = (size_t)u64_min(strlen(text), TFILE_TEXT_BYTES_MAX);
    for (size_t i = 0; i < length; i++)
        out_hex(out, (uint8_t)text[i], 2);
}

void tfile_write_begin(struct tfile_writer *writer, struct out *out, bool big_endian,
                       uint32_t register_bytes, const struct tfile_write_status *status)
{
    *writer = (struct tfile_writer){out, big_endian};
    out_text(out, "\x7fTRACE0\nR ");
    out_hex(out, register_bytes, 1);
    out_text(out, "\nstatus 0;tstop:");
    put_hex_text(out, status->reason);
    out_text(out, ":0;tframes:");
    out_hex(out, status->frame_count, 1);
    out_text(out, ";tcreated:");
    out_hex(out, status->frame_count, 1);
    out_text(out, ";notes:");
    put_hex_text(out, status->note);
    out_byte(out, '\n');
}

void tfile_write_description_line(struct tfile_writer *writer, const char *line)
{
    out_text(writer->out, "tdesc ");
    out_text(writer->out, line);
    out_byte(writer->out, '\n');
}

void tfile_write_variable(struct tfile_writer *writer, uint32_t number, const char *name)
{
    struct out *out = writer->out;
    out_text(out, "tsv ");
    out_hex(out, number, 1);
    out_text(out, ":0:0:");
    put_hex_text(out, name);
    out_byte(out, '\n');
}

// "tp PNUMBER:ADDRESS:", of the piece P.
static void begin_piece(struct out *out, char piece, uint32_t number, uint64_t address)
{
    out_text(out, "tp ");
    out_byte(out, piece);
    out_hex(out, number, 1);
    out_byte(out, ':');
    out_hex(out, address, 1);
    out_byte(out, ':');
}

// GDB takes the place of a tracepoint from its source form, which needs no image if it is an
// address.
void tfile_write_tracepoint(struct tfile_writer *writer, uint32_t number, uint64_t address)
{
    struct out *out = writer->out;
    char source[24];
    int length = snprintf(source, sizeof source, "*0x%" PRIx64, address);
    begin_piece(out, 'T', number, address);
    out_text(out, "E:0:0\n");
    begin_piece(out, 'Z', number, address);
    out_text(out, "at:0:");
    out_hex(out, (uint64_t)length, 1);
    out_byte(out, ':');
    put_hex_text(out, source);
    out_byte(out, '\n');
}

void tfile_write_end_head(struct tfile_writer *writer)
{
    out_byte(writer->out, '\n');
}

// --- Frames --------------------------------------------------------------------------------------

// A number of up to eight bytes in the order of the target.
static void put_number(struct tfile_writer *writer, uint64_t value, unsigned size_bytes)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size_bytes; i++)
        bytes[writer->big_endian ? size_bytes - 1 - i : i] = (uint8_t)(value >> (8 * i));
    out_bytes(writer->out, bytes, size_bytes);
}

void tfile_write_frame(struct tfile_writer *writer, uint32_t tracepoint, uint32_t size_bytes)
{
    ASSERT(tracepoint > 0 && tracepoint <= TFILE_TRACEPOINT_MAX);
    put_number(writer, tracepoint, 2);
    put_number(writer, size_bytes, 4);
}

void tfile_write_registers(struct tfile_writer *writer, const uint8_t *bytes, uint32_t count)
{
    out_byte(writer->out, 'R');
    out_bytes(writer->out, bytes, count);
}

void tfile_write_memory(struct tfile_writer *writer, uint64_t address, const uint8_t *bytes,
                        uint32_t count)
{
    ASSERT(count <= TFILE_MEMORY_BYTES_MAX);
    out_byte(writer->out, 'M');
    put_number(writer, address, 8);
    put_number(writer, count, 2);
    out_bytes(writer->out, bytes, count);
}

void tfile_write_value(struct tfile_writer *writer, uint32_t number, uint64_t value)
{
    out_byte(writer->out, 'V');
    put_number(writer, number, 4);
    put_number(writer, value, 8);
}

// Writes a frame of tracepoint 0. GDB writes these four bytes; other readers read two, or a whole
// head of a frame.
void tfile_write_end(struct tfile_writer *writer)
{
    put_number(writer, 0, 4);
}
