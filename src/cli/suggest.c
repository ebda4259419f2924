#include "cli/suggest.h"

#include "base/characters.h"

#include <stdio.h>

// Longer names are compared only by their first bytes; our names are much shorter.
enum { NAME_LENGTH_MAX = 32 };

void suggest_begin(struct suggestion *suggestion, const char *wanted, size_t length)
{
    *suggestion = (struct suggestion){.wanted = wanted, .wanted_length = length};
}

static unsigned min_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

// Edit distance with insertion, deletion, change and the swap of two neighbours, each counting 1;
// small and capital letters are the same.
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][NAME_LENGTH_MAX + 1]; // row i % 3: distances of a[0..i) to all b[0..j)
    if (a_length > NAME_LENGTH_MAX)
        a_length = NAME_LENGTH_MAX;
    if (b_length > NAME_LENGTH_MAX)
        b_length = NAME_LENGTH_MAX;
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = above[j - 1] + (to_small(a[i - 1]) != to_small(b[j - 1]));
            row[j] = min_of(row[j], min_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && to_small(a[i - 1]) == to_small(b[j - 2]) &&
                to_small(a[i - 2]) == to_small(b[j - 1]))
                row[j] = min_of(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

// Inserts the name in order, after equally near ones.
static void take(struct suggestion *suggestion, const struct near_name *name)
{
    size_t at = 0;
    for (size_t i = 0; i < SUGGESTIONS_MAX && suggestion->near[i].name; i++) {
        const struct near_name *near = &suggestion->near[i];
        if (near->length == name->length && memcmp(near->name, name->name, name->length) == 0)
            return;
    }
    while (at < SUGGESTIONS_MAX && suggestion->near[at].name &&
           suggestion->near[at].distance <= name->distance)
        at++;
    if (at == SUGGESTIONS_MAX)
        return;
    memmove(&suggestion->near[at + 1], &suggestion->near[at],
            (SUGGESTIONS_MAX - 1 - at) * sizeof *suggestion->near);
    suggestion->near[at] = *name;
}

void suggest_offer(struct suggestion *suggestion, const char *name, size_t length)
{
    size_t wanted_length = suggestion->wanted_length;
    if (wanted_length == 0)
        return;
    unsigned distance = edit_distance(suggestion->wanted, wanted_length, name, length);
    bool is_prefix = wanted_length >= 2 && wanted_length < length &&
                     memcmp(suggestion->wanted, name, wanted_length) == 0;
    bool is_other_case =
        distance == 0 && (wanted_length != length || memcmp(suggestion->wanted, name, length) != 0);
    unsigned distance_max = wanted_length < 3 ? 0 : wanted_length < 6 ? 1 : 2;
    if (is_prefix) // truncated rather than misspelled: near, whatever is missing
        distance = 1;
    if (distance <= distance_max || is_prefix || is_other_case)
        take(suggestion, &(struct near_name){name, length, is_other_case ? 1 : 2 * distance});
}

void suggest_text(const struct suggestion *suggestion, char text[SUGGEST_TEXT_BYTES])
{
    enum { NAME_BYTES_SHOWN = 80 };
    size_t count = 0;
    int used = 0;
    text[0] = 0;
    while (count < SUGGESTIONS_MAX && suggestion->near[count].name)
        count++;
    for (size_t i = 0; i < count; i++) {
        const struct near_name *near = &suggestion->near[i];
        used += snprintf(text + used, SUGGEST_TEXT_BYTES - (size_t)used, "%s'%.*s'%s",
                         i == 0          ? "; did you mean "
                         : i + 1 < count ? ", "
                                         : " or ",
                         (int)u64_min(near->length, NAME_BYTES_SHOWN), near->name,
                         i + 1 == count ? "?" : "");
    }
}
