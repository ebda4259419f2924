// Decoded instructions, cached by address: what the tracer needs to know about one to follow it,
// and the parts of its trace line that never change.
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
    KIND_IGNORED, // a write to an implementation-defined register, which Unicorn does not have
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
    uint8_t it_state;  // Thumb IT instruction: the state that it sets, else 0
    bool changes_mode; // may change exception level, mode, masks or the stack pointer in use
    bool is_simd_list; // LD1-LD4, ST1-ST4: Unicorn reports one access per element
    bool is_16byte;    // one access of 16 bytes, for models that show it as such
    bool is_store_exclusive;
    bool may_interwork; // the last write is of cpsr, and only happens if the state changes
    uint8_t write_count;
    reg_write_t writes[INSN_WRITES_MAX];
    char system_name[20]; // MSR: the register's name and the general register that it comes from
    uint8_t system_source;
    uint8_t head_bytes, tail_bytes, failed_tail_bytes;
    char head[INSN_HEAD_MAX];        // up to the mode
    char tail[INSN_TAIL_MAX];        // from the mode to the newline
    char failed_tail[INSN_TAIL_MAX]; // the same when the condition failed
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

// Decodes on a miss. NULL: not in the image, or not an instruction.
// it_state: that of the IT block which the instruction is in, or 0.
insn_t *insn_cache_miss(insn_cache_t *cache, uint64_t pc, unsigned size_bytes, bool is_thumb,
                        unsigned it_state);

// Memory was written: what was decoded there is no more.
void insn_cache_forget(insn_cache_t *cache, uint64_t address, unsigned size_bytes);

static inline insn_t *insn_find(insn_cache_t *cache, uint64_t pc)
{
    uint64_t slot = (pc - cache->image->text_start) >> 1;
    return slot < cache->table_count ? cache->table[slot] : NULL;
}

#endif
