// Converts between the errors of the public header, which does not depend on others (trawl.h), and
// those of the rest of the program (base/error.h). All conversions are here.
#ifndef TRAWL_IDX_ERRORS_H
#define TRAWL_IDX_ERRORS_H

#include "base/error.h"
#include "idx/trawl.h"

// Passes an error to the caller of a public function: the text of `why`, unless `status` is
// STATUS_OK. `theirs` may be NULL.
enum trawl_status errors_give(struct trawl_error *theirs, struct error *why, enum status status);

// Converts the result of a public function for its caller. TRAWL_DAMAGED becomes STATUS_DAMAGED,
// which only an index can cause. `err` may be NULL.
enum status index_status(enum trawl_status status, const struct trawl_error *from,
                         struct error *err);

#endif
