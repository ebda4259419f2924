// The stages of a pass, one by one, for the microbenchmarks: C below, C++ above this line.
//
// A trace is in memory; each call runs one stage over all of it, on one thread, with the memory
// that the stage kept from the previous call, as in a real pass.
#ifndef TRAWL_BENCH_STAGES_H
#define TRAWL_BENCH_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stages;

// The first lines of a trace, `bytes` of them, repeated if it is shorter. NULL: it cannot be read.
struct stages *stages_open(const char *path, size_t bytes);
void stages_close(struct stages *stages);
size_t stages_bytes(const struct stages *stages);

// Each returns how many things it made: lines, lines, transfers, calls.
uint64_t stages_read_lines(struct stages *stages, bool as_ttu);
uint64_t stages_parse(struct stages *stages);
uint64_t stages_scan(struct stages *stages);  // of what was parsed
uint64_t stages_match(struct stages *stages); // of what was scanned

struct stages_names;

// The symbols of an image, and `count` addresses throughout them, in random order. NULL: no image.
struct stages_names *stages_names_open(const char *image, size_t count);
void stages_names_close(struct stages_names *names);

// Looks every address up; returns how many have a name.
uint64_t stages_look_up(const struct stages_names *names);

#ifdef __cplusplus
}
#endif

#endif
