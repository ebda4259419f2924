// The table of kinds of the program that knows the toy, too.
#include "trace/kinds.h"
#include "kind/toy.h"
#include "trace/tarmac/tarmac.h"

const struct trace_kind *const trace_kinds[] = {&toy_kind, &tarmac_kind};
