#include "cmd/trace_inputs.h"

#include "trace/kinds.h"

// "a Tarmac trace" without its article.
static const char *noun(const struct trace_kind *kind)
{
    const char *blank = strchr(kind->words.a, ' ');
    return blank ? blank + 1 : kind->words.a;
}

// The usual kind, which ends the table, comes first.
void trace_inputs_describe(const struct command_spec *spec, char text[OPTION_INPUT_BYTES])
{
    const struct trace_kind *taken[16];
    size_t count = 0, used = 0;
    for (size_t i = 0; count < ARRAY_COUNT(taken); i++) {
        const struct trace_kind *kind = trace_kinds[i];
        if (!trace_lacks(kind, spec->needs))
            taken[count++] = kind;
        if (!kind->is)
            break;
    }
    for (size_t i = 0; i < count && used < OPTION_INPUT_BYTES; i++) {
        const struct trace_kind *kind = taken[i ? i - 1 : count - 1];
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        used +=
            (size_t)snprintf(text + used, OPTION_INPUT_BYTES - used, "%s%s", before, noun(kind));
    }
}
