// The ELF file and the memory into which it is loaded: one contiguous RAM, which all cores share
// and the tracer accesses directly.
#ifndef TRACER_IMAGE_H
#define TRACER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RAM_BASE = 0x8000,
    RAM_END = 0x4000000, // 64 MB
    RAM_BYTES = RAM_END - RAM_BASE,
};

typedef struct {
    uint64_t address; // without the Thumb bit
    uint64_t size_bytes;
    char *name;
} function_t;

typedef struct {
    bool is_64bit;
    bool is_big_endian; // data only: code is little-endian (BE8). 32-bit programs only
    uint64_t entry;     // with the Thumb bit
    uint64_t text_start, text_end;
    uint64_t data_start, data_end; // writable segments, including .bss
    uint8_t *ram;                  // ram[address - RAM_BASE]
    function_t *functions;         // sorted by address
    size_t function_count;
    function_t *objects; // variables, not sorted
    size_t object_count;
} image_t;

bool image_load(image_t *image, const char *path);

// The value of a symbol; 0: there is none.
uint64_t image_symbol(const image_t *image, const char *name);

// The address of a variable; 0: there is none.
uint64_t image_object(const image_t *image, const char *name);

// The function that contains the address, or NULL.
const function_t *image_function(const image_t *image, uint64_t address);

static inline bool ram_holds(uint64_t address, uint64_t size_bytes)
{
    return address >= RAM_BASE && address < RAM_END && size_bytes <= RAM_END - address;
}

static inline uint8_t *ram_at(const image_t *image, uint64_t address)
{
    return image->ram + (address - RAM_BASE);
}

#endif
