// Every limit of trawl, in one place. Passing one is a clear message, never a crash.
#ifndef TRAWL_BASE_LIMITS_H
#define TRAWL_BASE_LIMITS_H

// The longest line of a text trace. A longer one is skipped as damage under `trawl` and stops the
// run under the tarmac-* names.
#define LIMIT_LINE_BYTES (UINT64_C(1) << 20)

// A chunk's positions are 32 bits wide, relative to its start.
#define LIMIT_CHUNK_BYTES_MIN UINT64_C(1)
#define LIMIT_CHUNK_BYTES_MAX (UINT64_C(1) << 30)

#define LIMIT_THREADS 256

// Streams of control (cores) that one trace may hold.
#define LIMIT_LANES 256

// Symbols of one image.
#define LIMIT_SYMBOLS (UINT64_C(1) << 26)

#endif
