// Which instruction the line of an event shows, as a number: of two events of one PC with the same
// number, the second shows what the first did, and need not be read again. It is found by comparing
// the bytes of the line (address and encoding) with those of the event of this PC before, because
// code can change: that costs as much as reading the encodings from the index would, as the lines
// are in the cache soon.
//
// It asks no other state than its own, so blocks of events can be looked at ahead, and by several
// threads, each with its own struct: numbers are the same for all that have one seed.
#ifndef TRAWL_DATAFLOW_CODE_TEXT_H
#define TRAWL_DATAFLOW_CODE_TEXT_H

#include "base/hash_index.h"
#include "dataflow/dataflow.h"

enum { CODE_TEXT_BYTES = 48, CODE_TEXTS_NEAR = 4096 };

// No line tells which it is: it has to be read each time.
#define CODE_TEXT_UNKNOWN 0

struct code_text {
    uint64_t pc, number;
    struct trace_code code; // what it shows
    char text[CODE_TEXT_BYTES];
    uint32_t offset, size_bytes; // from the start of the event's text
    uint32_t isa;
};

struct code_texts {
    struct hash_seed seed; // of numbers
    VEC(, struct code_text) items;
    struct hash_index by_pc;
    uint32_t near[CODE_TEXTS_NEAR]; // item + 1 of a PC
};

// Ready for use after `seed` was set, all else zero.
void code_texts_free(struct code_texts *texts);

// Columns of events.
struct code_text_events {
    const uint64_t *position, *pc, *flags;
};

// Puts the numbers of events `first` and following into `numbers`; CODE_TEXT_UNKNOWN also where an
// event has no instruction.
enum status code_texts_of(struct code_texts *texts, struct dataflow *flow, uint64_t first,
                          size_t count, const struct code_text_events *events, uint64_t *numbers,
                          struct error *err);

// What the line of an event with an instruction shows. *code is valid until the next call.
enum status code_texts_code(struct code_texts *texts, struct dataflow *flow,
                            const struct trawl_event *about, const struct trace_code **code,
                            struct error *err);

#endif
