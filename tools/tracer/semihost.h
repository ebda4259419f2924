// Arm semihosting, by which the program writes, reads and exits.
#ifndef TRACER_SEMIHOST_H
#define TRACER_SEMIHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEMIHOST_INPUT_MAX = 1 << 20 };

typedef struct {
    uint8_t *input; // for SYS_READ
    size_t input_bytes;
    size_t input_position;
} semihost_t;

struct core;

bool semihost_open(semihost_t *semihost, const char *input_path);

// Handles the call of the current instruction. False: the program has exited.
bool semihost_call(struct core *core);

#endif
