#include "cmd/unwind_method.h"

bool unwind_method_named(const char *name, enum unwind_method *method)
{
    static const char *const names[] = {
        [UNWIND_BY_AUTO] = "auto",   [UNWIND_BY_SFRAME] = "sframe", [UNWIND_BY_DWARF] = "dwarf",
        [UNWIND_BY_EXIDX] = "exidx", [UNWIND_BY_FP] = "fp",         [UNWIND_BY_CALLS] = "calls",
    };
    for (size_t i = UNWIND_BY_AUTO; i < ARRAY_COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *method = (enum unwind_method)i;
            return true;
        }
    }
    return false;
}
