#include "cli/suggest.h"

// Longer names are compared by their first bytes only; no name of ours is near that long.
enum { NAME_LENGTH_MAX = 32 };

void suggest_begin(struct suggestion *suggestion, const char *wanted, size_t length)
{
    *suggestion = (struct suggestion){.wanted = wanted, .wanted_length = length};
}

static unsigned min_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

// Edit distance with insertion, deletion, change and the swap of two neighbours, each counting 1.
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
            row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = min_of(row[j], min_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min_of(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void suggest_offer(struct suggestion *suggestion, const char *name, size_t length)
{
    size_t wanted_length = suggestion->wanted_length;
    if (wanted_length == 0)
        return;
    unsigned distance = edit_distance(suggestion->wanted, wanted_length, name, length);
    bool is_prefix = wanted_length >= 2 && wanted_length < length &&
                     memcmp(suggestion->wanted, name, wanted_length) == 0;
    if (is_prefix) // cut short rather than misspelled: near, however much is missing
        distance = 1;
    unsigned distance_max = wanted_length < 3 ? 0 : wanted_length < 6 ? 1 : 2;
    if (distance > distance_max && !is_prefix)
        return;
    if (suggestion->best && distance >= suggestion->best_distance)
        return;
    suggestion->best = name;
    suggestion->best_length = length;
    suggestion->best_distance = distance;
}
