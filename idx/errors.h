// What went wrong, as the public header has it, which stands alone (trawl.h), and as the rest of
// the program does (base/error.h): the only two ways from one to the other.
#ifndef TRAWL_IDX_ERRORS_H
#define TRAWL_IDX_ERRORS_H

#include "base/error.h"
#include "idx/trawl.h"

// For the caller of a public function: what `why` says, where `status` is not STATUS_OK. `theirs`
// may be NULL.
enum trawl_status errors_give(struct trawl_error *theirs, struct error *why, enum status status);

// For who called a public function: what it said. TRAWL_DAMAGED becomes STATUS_DAMAGED, which only
// an index can be. `err` may be NULL.
enum status index_status(enum trawl_status status, const struct trawl_error *from,
                         struct error *err);

#endif
