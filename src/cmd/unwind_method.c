#include "cmd/unwind_method.h"

bool unwind_method_named(const char *name, enum unwind_method *method)
{
    static const char *const names[] = {
        [UNWIND_BY_AUTO] = "auto",
        [UNWIND_BY_SFRAME] = "sframe",
        [UNWIND_BY_CALLS] = "calls",
        [UNWIND_BY_FP] = "fp",
    };
    for (size_t i = UNWIND_BY_AUTO; i < ARRAY_COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *method = (enum unwind_method)i;
            return true;
        }
    }
    return false;
}
