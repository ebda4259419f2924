// Which bytes of an input a copy takes.
#ifndef TRAWL_DATAFLOW_COPY_H
#define TRAWL_DATAFLOW_COPY_H

#include "dataflow/step.h"

// The most bytes of a place: a vector of the Scalable Vector Extension.
enum { PLACE_BYTES = 256 };

// Which bytes of a place of an instruction are among some others: a flag for each. For flags, the
// first says whether any is. False: none.
bool copy_find_wanted(const struct dataflow_step *step, const struct effect_place *output,
                      const struct dataflow_bytes *wanted, size_t count,
                      bool is_wanted[PLACE_BYTES]);

// Whether a flow leaves its place as it is: a trace shows the whole register for an instruction
// that writes a part (MOVK, BFI).
bool copy_stays(const struct effects *effects, const struct effect_flow *flow);

// Which byte of an input is byte `at` of a copy of it.
unsigned copy_byte(const struct dataflow *flow, const struct effect_place *output,
                   const struct effect_place *input, unsigned at);

// The bytes of an input from which wanted bytes of the output come: from a copy those that they
// are, from any other input all. `take` gets them by cells; false: stop.
bool copy_inputs(const struct dataflow *flow, const struct dataflow_step *step,
                 const struct effect_place *output, const struct effect_place *input,
                 const bool is_wanted[PLACE_BYTES],
                 bool (*take)(void *self, const struct dataflow_bytes *bytes, uint8_t role),
                 void *self);

#endif
