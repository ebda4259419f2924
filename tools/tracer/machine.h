// Everything that belongs to a run: the options, the image, the cores, the output.
#ifndef TRACER_MACHINE_H
#define TRACER_MACHINE_H

#include "core.h"
#include "image.h"
#include "insn.h"
#include "out.h"
#include "semihost.h"
#include "stacks.h"
#include "style.h"
#include "truth.h"

enum { CORES_MAX = 4 };

typedef struct {
    const char *elf_path;
    const char *out_path;
    const char *truth_path;
    const char *stacks_path;
    const char *task_variable; // of the program: identifies the current task
    const char *input_path;    // standard input of the program
    const char *arguments;     // its command line
    const style_t *style;
    uint64_t bytes_max;
    uint64_t insns_max;
    uint64_t cut_bytes;
    uint64_t truth_every;
    uint64_t irq_every;
    uint64_t irq_again;    // after every third one, another follows this soon
    uint64_t device_every; // M profile: a second source, of higher priority
    uint64_t turn_insns;   // how long a core runs before the next one does
    unsigned core_count;
    bool is_m_profile;
    bool has_no_registers; // the trace shows none, as a simulator can be told
    bool signs_addresses;  // A64: the cores have pointer authentication
    bool check;
    bool quiet;
} options_t;

typedef struct machine {
    options_t options;
    image_t image;
    insn_cache_t cache;
    out_t out;
    truth_t truth;
    semihost_t semihost;
    stacks_t stacks;
    core_t cores[CORES_MAX];
    uint8_t scs[SCS_BYTES]; // M profile: the system control space
    uint64_t insn_count;    // of all cores
    uint64_t ticks;         // gem5: the time, which also counts memory accesses
    bool stopping;          // a limit was reached
    bool failed;
    unsigned exit_code; // the program's
} machine_t;

#endif
