#include "flow/unknown_words.h"

#include "base/limits.h"

#include <stdlib.h>

// Adds all except the sum.
static bool add(struct unknown_words *words, const char *text, size_t length, uint64_t line_count)
{
    length = (size_t)u64_min(length, UNKNOWN_WORD_BYTES - 1);
    const struct hash_seed *seed = hash_index_seed(&words->by_text);
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++)
        hash = hash_keys(seed, hash, (unsigned char)text[i]);
    struct unknown_word *items = words->items.items;
    uint32_t number;
    HASH_INDEX_FIND(number, &words->by_text, hash,
                    memcmp(items[candidate].text, text, length) == 0 &&
                        items[candidate].text[length] == 0);
    if (number != HASH_INDEX_NONE) {
        items[number].line_count += line_count;
        return true;
    }
    if (words->items.count == LIMIT_UNKNOWN_WORDS) {
        words->is_cut = true;
        return true;
    }
    if (!VEC_ROOM(&words->items, 1) ||
        !hash_index_add(&words->by_text, hash, (uint32_t)words->items.count))
        return false;
    struct unknown_word *word = &words->items.items[words->items.count++];
    *word = (struct unknown_word){.line_count = line_count};
    memcpy(word->text, text, length);
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
    hash_index_clear(&words->by_text);
    words->items.count = 0;
    words->line_count = 0;
    words->is_cut = false;
}

void unknown_words_free(struct unknown_words *words)
{
    free(words->items.items);
    hash_index_free(&words->by_text);
    *words = (struct unknown_words){0};
}
