// Arm semihosting: the program's way to write, read and exit.
#ifndef TRACER_SEMIHOST_H
#define TRACER_SEMIHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEMIHOST_INPUT_MAX = 1 << 20 };

typedef struct {
    uint8_t *input; // what SYS_READ gives
    size_t input_bytes;
    size_t input_position;
} semihost_t;

struct core;

bool semihost_open(semihost_t *semihost, const char *input_path);

// The call of the current instruction. False: the program has exited.
bool semihost_call(struct core *core);

#endif
