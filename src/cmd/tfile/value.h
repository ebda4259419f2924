// Registers of a frame as text.
#ifndef TRAWL_CMD_TFILE_VALUE_H
#define TRAWL_CMD_TFILE_VALUE_H

#include "report/value.h"
#include "trace/tfile/frame.h"

// A number of 1 to 8 bytes as signed, or one of 4 or 8 bytes as floating point.
int64_t tfile_value_signed(uint64_t value, uint32_t size_bytes);
double tfile_value_float(uint64_t value, uint32_t size_bytes);

// All digits of a large register, "0x401136" for one of up to 8 bytes. `registers` as from
// tfile_frame_registers.
void tfile_value_hex(const struct tfile *file, const uint8_t *registers, uint32_t number,
                     char text[VALUE_TEXT_MAX]);

// In its natural form: a decimal number, an address, a floating-point number; "" for anything else.
void tfile_value_natural(const struct tfile *file, const uint8_t *registers, uint32_t number,
                         char text[VALUE_TEXT_MAX]);

#endif
