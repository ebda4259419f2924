// Every limit of trawl, in one place. Passing one is a clear message, never a crash.
#ifndef TRAWL_BASE_LIMITS_H
#define TRAWL_BASE_LIMITS_H

// The longest line of a text trace. A longer one is skipped as damage under `trawl` and stops the
// run under the tarmac-* names.
#define LIMIT_LINE_BYTES (UINT64_C(4) << 20)

// A chunk's positions are 32 bits wide, relative to its start.
#define LIMIT_CHUNK_BYTES_MIN UINT64_C(1)
#define LIMIT_CHUNK_BYTES_MAX (UINT64_C(1) << 30)

#define LIMIT_THREADS 256

// Streams of control (cores) that one trace may hold.
#define LIMIT_LANES 256

// Tasks of one lane that are told apart.
#define LIMIT_TASKS 4096

// Threads of an XRay log. The records of further ones are left out as damage.
#define LIMIT_XRAY_THREADS 65536

// XRay logs up to this size are looked through for buffers inside of others' extents.
#define LIMIT_XRAY_SPLIT_BYTES (UINT64_C(1) << 20)

// Bytes of a CPU name that count; what follows is cut.
#define LIMIT_LANE_NAME_BYTES 47

// Distinct event types that are remembered so as to be named once each. Later ones are not named.
#define LIMIT_NOTES (UINT64_C(1) << 20)

// Damaged places that are kept with their text; the rest is only counted.
#define LIMIT_DAMAGE_KEPT 10

// Text of notes that an index keeps. Reports that would show more read the trace.
#define LIMIT_MESSAGE_BYTES (UINT64_C(64) << 20)

// Records of memory in one segment of an index. Where they are all alike they take no bytes, so a
// reader, too, has to draw a line somewhere.
#define LIMIT_SEGMENT_RECORDS (UINT64_C(1) << 24)

// Blocks of memory that host calls of one trace may have written, some for each call: they are kept
// in memory, in 24 bytes.
#define LIMIT_HOST_CALL_BLOCKS (UINT64_C(1) << 24)

// Registers that a trace may name, other spellings included.
#define LIMIT_REGISTERS (UINT64_C(1) << 17)

// Of a Tarmac trace those beyond the registers that every core has: names, bytes of a name, and
// bytes of a value. The values of other ones are counted and not kept.
#define LIMIT_NAMED_REGISTERS 3072
#define LIMIT_REGISTER_NAME_BYTES 63
#define LIMIT_NAMED_REGISTER_BYTES 64

// Symbols of one image.
#define LIMIT_SYMBOLS (UINT64_C(1) << 26)

// Different rules that the SFrame tables of an image may have (numbers of 16 bits), and rows that
// are read from them for each byte: functions may share rows, but not without end.
#define LIMIT_SFRAME_RULES 65535u
#define LIMIT_SFRAME_ROWS_PER_BYTE UINT64_C(4)

// Segments (or without any sections) of an image that are looked into.
#define LIMIT_IMAGE_PIECES 256

// DW_CFA_remember_state within each other; operations of one DWARF expression, jumps included, and
// its stack.
#define LIMIT_CFI_STATES 16
#define LIMIT_EXPRESSION_STEPS 1000
#define LIMIT_EXPRESSION_STACK 64

// Lists and maps of a YAML document within each other.
#define LIMIT_YAML_NESTING 8

// The header of a GDB trace file, and the registers of its target's description.
#define LIMIT_TFILE_HEADER_BYTES (UINT64_C(64) << 20)
#define LIMIT_TFILE_REGISTERS 65536

// Blocks of a trace file, beyond one a byte of it, that the search for frames after damage looks
// at.
#define LIMIT_TFILE_SEARCH_BLOCKS (UINT64_C(1) << 20)

// Frames of one stack that are followed.
#define LIMIT_STACK_FRAMES (UINT64_C(1) << 16)

// Of an expression: bytes of its text, operands and operators, and operators that wait for their
// right side or a closing parenthesis.
#define LIMIT_EXPRESSION_BYTES 65536
#define LIMIT_EXPRESSION_TERMS 128
#define LIMIT_EXPRESSION_NESTING 64

#endif
