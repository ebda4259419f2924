// What images say about code, for unwinding (analysis/unwind.h): the SFrame of all of them, and
// where code and functions begin.
#ifndef TRAWL_ANALYSIS_UNWIND_RULES_H
#define TRAWL_ANALYSIS_UNWIND_RULES_H

#include "elf/image_set.h"
#include "elf/sframe_flat.h"

// Fields are for reading.
struct unwind_rules {
    const struct image_set *images;
    struct sframe_flat *flats; // one an image; head is NULL where it has no rules
    unsigned abi;              // of those that have; 0: none has
};

// Makes the rules of all images whose SFrame is of one of two ABIs (that of a machine, of either
// byte order). What is damaged is told to `faults`. The images must outlive the rules, which are
// freed by unwind_rules_free in any case.
enum status unwind_rules_open(struct unwind_rules *rules, const struct image_set *images,
                              const unsigned abis[2], const struct sframe_faults *faults,
                              struct error *err);
void unwind_rules_free(struct unwind_rules *rules);

// What an unwind_reader asks: the rule of a PC, whether it is in code, the function that it is
// in.
const struct sframe_rule *unwind_rules_find(const struct unwind_rules *rules, uint64_t pc);
bool unwind_rules_is_code(const struct unwind_rules *rules, uint64_t pc);
bool unwind_rules_function(const struct unwind_rules *rules, uint64_t pc, uint64_t *start);

#endif
