// A dialect of traces: how their parts are written.
#ifndef TRACER_STYLE_H
#define TRACER_STYLE_H

#include "core.h"

typedef struct style {
    const char *name;
    // Fills in head, tail and failed_tail of an instruction.
    void (*prepare)(insn_t *in, const char *mnemonic, const char *operands);
    // Names the registers and the mode for a core in its current mode.
    void (*name_registers)(core_t *core);
    // Each formats at p, at most OUT_STEP_BYTES_MAX bytes, and returns the end.
    char *(*header)(const core_t *core, char *p);
    char *(*step)(core_t *core, char *p);
    char *(*exception)(core_t *core, const exception_t *e, char *p);
    char *(*footer)(const core_t *core, char *p);
} style_t;

extern const style_t style_it;
extern const style_t style_es;
extern const style_t style_gem5;

// The entry to an exception of the M profile, and the return from one, in the style `it`.
char *style_it_enter_m(const core_t *core, const exception_m_t *e, char *p);
char *style_it_return_m(const core_t *core, const exception_m_t *e, char *p);

// --- for the dialects ---

void reg_name_set(reg_name_t *name, const char *format, ...);

// Of the written registers of the step, how many the trace shows: all or none.
unsigned shown_writes(const core_t *core);

// "LDR      x1,[sp,#0]", from Capstone's spelling; branch targets as "{pc}+0x10 ; 0x80010".
void disassembly_arm(char *text, size_t text_bytes, const insn_t *in, const char *mnemonic,
                     const char *operands);

// The name of the processor mode in psr, such as "EL1h" or "svc".
const char *mode_text(bool is_a64, uint32_t psr, bool upper);

// "SP_EL1", "EL0" ...: the bank of the active stack pointer; AArch32: "svc".
const char *bank_text(bool is_a64, uint32_t psr);

#endif
