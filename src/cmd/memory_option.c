#include "cmd/memory_option.h"

#include "base/limits.h"
#include "base/memory_limit.h"
#include "cli/values.h"

int memory_option_take(struct options_parser *parser, const struct option_match *match,
                       struct diag *diag)
{
    uint64_t bytes;
    if (!parse_size(match->value, &bytes) || bytes < LIMIT_MEMORY_BYTES_MIN)
        return options_bad_value(parser, match, "a size from 32M");
    if (!memory_limit_set(bytes))
        return options_error(parser, "the memory of a process cannot be limited here");
    diag->memory_bytes = bytes;
    return OPTION_END;
}
