#include "flow/unknown_words.h"

#include "base/limits.h"

#include <stdlib.h>
#include <xxhash.h>

// Never more than half full.
enum { SLOTS = 2 * LIMIT_UNKNOWN_WORDS };

static bool is_word(const struct unknown_word *word, const char *text, size_t length)
{
    return memcmp(word->text, text, length) == 0 && word->text[length] == 0;
}

// The slot of the word, or where it belongs.
static uint16_t *find(const struct unknown_words *words, const char *text, size_t length)
{
    size_t slot = (size_t)(XXH3_64bits(text, length) % SLOTS);
    while (words->slots[slot] &&
           !is_word(&words->items.items[words->slots[slot] - 1], text, length))
        slot = (slot + 1) % SLOTS;
    return &words->slots[slot];
}

// Adds all except the sum.
static bool add(struct unknown_words *words, const char *text, size_t length, uint64_t line_count)
{
    length = (size_t)u64_min(length, UNKNOWN_WORD_BYTES - 1);
    if (!words->slots && !(words->slots = calloc(SLOTS, sizeof *words->slots)))
        return false;
    uint16_t *slot = find(words, text, length);
    if (*slot) {
        words->items.items[*slot - 1].line_count += line_count;
        return true;
    }
    if (words->items.count == LIMIT_UNKNOWN_WORDS) {
        words->is_cut = true;
        return true;
    }
    if (!VEC_ROOM(&words->items, 1))
        return false;
    struct unknown_word *word = &words->items.items[words->items.count++];
    *word = (struct unknown_word){.line_count = line_count};
    memcpy(word->text, text, length);
    *slot = (uint16_t)words->items.count;
    return true;
}

bool unknown_words_add(struct unknown_words *words, const char *text, size_t length,
                       uint64_t line_count)
{
    words->line_count += line_count;
    return add(words, text, length, line_count);
}

bool unknown_words_join(struct unknown_words *words, const struct unknown_words *more)
{
    words->is_cut |= more->is_cut;
    words->line_count += more->line_count;
    for (size_t i = 0; i < more->items.count; i++) {
        const struct unknown_word *word = &more->items.items[i];
        if (!add(words, word->text, strlen(word->text), word->line_count))
            return false;
    }
    return true;
}

void unknown_words_sum_up(const struct unknown_words *words, struct unknown_summary *summary)
{
    *summary = (struct unknown_summary){.kinds = words->is_cut ? 0 : words->items.count,
                                        .line_count = words->line_count};
    for (size_t i = 0; i < words->items.count && !words->is_cut; i++) {
        const struct unknown_word *word = &words->items.items[i];
        size_t place = UNKNOWN_WORDS_SHOWN; // among the most common, in order
        while (place > 0 && word->line_count > summary->most[place - 1].line_count)
            place--;
        if (place == UNKNOWN_WORDS_SHOWN)
            continue;
        memmove(&summary->most[place + 1], &summary->most[place],
                (UNKNOWN_WORDS_SHOWN - 1 - place) * sizeof *summary->most);
        summary->most[place] = *word;
    }
}

void unknown_words_clear(struct unknown_words *words)
{
    if (words->items.count)
        memset(words->slots, 0, SLOTS * sizeof *words->slots);
    words->items.count = 0;
    words->line_count = 0;
    words->is_cut = false;
}

void unknown_words_free(struct unknown_words *words)
{
    free(words->items.items);
    free(words->slots);
    *words = (struct unknown_words){0};
}
