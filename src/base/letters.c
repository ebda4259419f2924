#include "base/letters.h"

#include "base/characters.h"

// What is worth how much. A name that contains the letters as they are is always better than one
// that does not.
enum {
    WHOLE = 10000,
    WHOLE_WORD = 2000,
    EQUAL = 5000,
    NEXT = 120,
    WORD = 80,
    GAP = 10,
    GAP_MOST = 60
};

static bool begins_word(const char *name, size_t at)
{
    return at == 0 || !is_alphanumeric(name[at - 1]) ||
           (name[at - 1] != to_small(name[at]) && to_small(name[at - 1]) == name[at - 1] &&
            to_small(name[at]) != name[at]);
}

// The first place of a letter at or after another; the end if there is none.
static size_t find(const char *name, size_t length, size_t from, char letter)
{
    while (from < length && to_small(name[from]) != to_small(letter))
        from++;
    return from;
}

static bool has_rest(const char *name, size_t length, size_t from, const char *letters)
{
    for (; *letters; letters++, from++) {
        from = find(name, length, from, *letters);
        if (from == length)
            return false;
    }
    return true;
}

static bool find_whole(const char *letters, const char *name, size_t length,
                       struct letters_match *match)
{
    for (size_t from = 0; from + match->count <= length; from++) {
        size_t i = 0;
        while (i < match->count && to_small(name[from + i]) == to_small(letters[i]))
            i++;
        if (i < match->count)
            continue;
        for (i = 0; i < match->count; i++)
            match->at[i] = (uint32_t)(from + i);
        match->score = WHOLE - 10 * (int)u64_min(from, 500) - (int)u64_min(length, 1000) +
                       (begins_word(name, from) ? WHOLE_WORD : 0) +
                       (length == match->count ? EQUAL : 0);
        return true;
    }
    return false;
}

bool letters_find(const char *letters, const char *name, struct letters_match *match)
{
    size_t length = strlen(name), from = 0;
    *match = (struct letters_match){.count = strlen(letters)};
    if (match->count > LETTERS_MOST)
        return false;
    if (find_whole(letters, name, length, match))
        return true;
    for (size_t i = 0; i < match->count; i++) {
        size_t found = find(name, length, from, letters[i]);
        if (found == length)
            return false;
        // The beginning of a word further on is meant, if the rest still follows it.
        for (size_t next = found; i && found != from && next < length;
             next = find(name, length, next + 1, letters[i])) {
            if (begins_word(name, next) && has_rest(name, length, next + 1, letters + i + 1)) {
                found = next;
                break;
            }
        }
        bool is_next = i && found == from;
        match->score += is_next                    ? NEXT
                        : begins_word(name, found) ? WORD
                                                   : -(int)u64_min(GAP * (found - from), GAP_MOST);
        match->at[i] = (uint32_t)found;
        from = found + 1;
    }
    match->score -= (int)u64_min(length, 1000);
    return true;
}
