#include "search/line_prefix.h"

#include "search/dfa.h"

#include <stdlib.h>
#include <xxhash.h>

// The nodes of each state while the automaton is made.
struct builder {
    struct nfa nfa;
    struct line_prefix *prefix;
    struct node_set sets[LIMIT_PREFIX_STATES];
    bool has_failed;
};

// The state of a set of nodes; 0 for the empty one.
static uint16_t state_of(struct builder *builder, const struct node_set *set)
{
    static const struct node_set none;
    struct line_prefix *prefix = builder->prefix;
    if (memcmp(set, &none, sizeof none) == 0)
        return 0;
    for (uint32_t i = 1; i < prefix->state_count; i++) {
        if (memcmp(set, &builder->sets[i], sizeof *set) == 0)
            return (uint16_t)i;
    }
    if (prefix->state_count == LIMIT_PREFIX_STATES) {
        builder->has_failed = true;
        return 0;
    }
    uint16_t state = (uint16_t)prefix->state_count++;
    builder->sets[state] = *set;
    prefix->states[state].is_end = nfa_has_match(&builder->nfa, set);
    return state;
}

// Makes all states that can be reached.
static void build(struct builder *builder)
{
    struct line_prefix *prefix = builder->prefix;
    struct node_set first = {0};
    nfa_add_closure(&builder->nfa, &first, builder->nfa.start, true, false);
    prefix->state_count = 1;
    state_of(builder, &first);
    for (uint32_t i = 1; i < prefix->state_count && !builder->has_failed; i++) {
        struct line_prefix_state *state = &prefix->states[i];
        state->is_last = true;
        for (unsigned byte = 0; byte < 256; byte++) {
            const struct node_set after =
                nfa_step(&builder->nfa, &builder->sets[i], NFA_BYTES, (uint8_t)byte);
            state->next[byte] = state_of(builder, &after);
            state->is_last &= !state->next[byte];
        }
    }
}

enum status line_prefix_open(struct line_prefix **out, const char *pattern, struct error *err)
{
    struct builder *builder = calloc(1, sizeof *builder);
    struct line_prefix *prefix = calloc(1, sizeof *prefix);
    if (prefix)
        prefix->states = calloc(LIMIT_PREFIX_STATES, sizeof *prefix->states);
    enum status status = STATUS_OK;
    if (!builder || !prefix || !prefix->states) {
        status = error_set(err, STATUS_MEMORY, "no memory for an expression");
    } else if (!nfa_of_pattern(&builder->nfa, pattern, false)) {
        status = error_set(err, STATUS_INPUT,
                           "an extended regular expression of POSIX, without back-references, "
                           "words or classes other than [:digit:] and [:xdigit:]");
    } else {
        builder->prefix = prefix;
        build(builder);
        prefix->hash = (uint32_t)XXH3_64bits(pattern, strlen(pattern)) | 1;
        if (builder->has_failed)
            status = error_set(err, STATUS_INPUT, "an expression with fewer repetitions");
    }
    free(builder);
    *out = status == STATUS_OK ? prefix : NULL;
    if (status != STATUS_OK)
        line_prefix_close(prefix);
    return status;
}

void line_prefix_close(struct line_prefix *prefix)
{
    if (prefix)
        free(prefix->states);
    free(prefix);
}
