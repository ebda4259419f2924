// Decoded instructions, cached by address: what the tracer needs to know to follow an instruction,
// and the constant parts of its trace line.
#ifndef TRACER_INSN_H
#define TRACER_INSN_H

#include "image.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    INSN_WRITES_MAX = 36, // vldm of s0-s31, and the base register
    INSN_HEAD_MAX = 48,
    INSN_TAIL_MAX = 160,
};

typedef enum {
    KIND_PLAIN,
    KIND_BRANCH,
    KIND_COND_BRANCH, // A64 only: AArch32 has the condition in `condition`
    KIND_INDIRECT,
    KIND_CALL,
    KIND_RETURN,
    KIND_ERET,
    KIND_SVC,
    KIND_IGNORED, // a write to an implementation-defined register, which Unicorn lacks
    KIND_SEMIHOST,
} kind_t;

typedef struct {
    uint8_t reg;
    uint8_t bytes;
} reg_write_t;

typedef struct {
    uint64_t pc;
    uint32_t bits;
    uint8_t size_bytes;
    char state; // 'O', 'A' or 'T', as in the trace
    kind_t kind;
    uint8_t condition; // AArch32: 0 to 14 (always); of an IT block: see core.c
    uint8_t it_state;  // Thumb IT instruction: the state that it sets; otherwise 0
    bool changes_mode; // may change exception level, mode, masks or the active stack pointer
    bool is_simd_list; // LD1-LD4, ST1-ST4: Unicorn reports one access per element
    bool is_16byte;    // one access of 16 bytes, for models that show it so
    bool is_store_exclusive;
    bool may_interwork; // the last write is to cpsr, and happens only if the state changes
    uint8_t write_count;
    reg_write_t writes[INSN_WRITES_MAX];
    char system_name[20]; // MSR: the name of the register; system_source: the general register
    uint8_t system_source;
    uint8_t head_bytes, tail_bytes, failed_tail_bytes;
    char head[INSN_HEAD_MAX];        // up to the mode
    char tail[INSN_TAIL_MAX];        // from the mode to the newline
    char failed_tail[INSN_TAIL_MAX]; // the same if the condition failed
} insn_t;

struct style;

typedef struct {
    const image_t *image;
    const struct style *style;
    bool is_a64;
    bool is_m_profile;
    size_t capstone[2]; // handles: A64 or A32; T32
    insn_t **table;     // by (pc - text_start) / 2
    size_t table_count;
} insn_cache_t;

bool insn_cache_open(insn_cache_t *cache, const image_t *image, const struct style *style,
                     bool is_m_profile);

// Decodes an instruction that is not in the cache. NULL: it is not in the image, or invalid.
// it_state: of the IT block that contains the instruction, or 0.
insn_t *insn_cache_miss(insn_cache_t *cache, uint64_t pc, unsigned size_bytes, bool is_thumb,
                        unsigned it_state);

// Memory was written: forgets what was decoded there.
void insn_cache_forget(insn_cache_t *cache, uint64_t address, unsigned size_bytes);

static inline insn_t *insn_find(insn_cache_t *cache, uint64_t pc)
{
    uint64_t slot = (pc - cache->image->text_start) >> 1;
    return slot < cache->table_count ? cache->table[slot] : NULL;
}

#endif
