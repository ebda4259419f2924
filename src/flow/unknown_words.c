#include "flow/unknown_words.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// Never more than half full.
enum { SLOTS = 2 * UNKNOWN_WORD_LINES };

static struct unknown_word *find(struct unknown_words *words, const char *text, size_t length)
{
    size_t slot = (size_t)(XXH3_64bits(text, length) % SLOTS);
    while (words->slots[slot].count &&
           (memcmp(words->slots[slot].text, text, length) != 0 || words->slots[slot].text[length]))
        slot = (slot + 1) % SLOTS;
    return &words->slots[slot];
}

static void add(struct unknown_words *words, struct text_span span)
{
    size_t length = (size_t)u64_min((uint64_t)(span.end - span.start), UNKNOWN_WORD_BYTES - 1);
    struct unknown_word *word = find(words, span.start, length);
    memcpy(word->text, span.start, length);
    if (++word->count > words->most.count)
        words->most = *word;
}

void unknown_words_add(struct unknown_words *words, const struct text_span *spans, size_t count)
{
    if (!words->slots && !(words->slots = calloc(SLOTS, sizeof *words->slots)))
        return;
    for (size_t i = 0; i < count && words->line_count < UNKNOWN_WORD_LINES; i++) {
        add(words, spans[i]);
        words->line_count++;
    }
}

void unknown_words_free(struct unknown_words *words)
{
    free(words->slots);
    *words = (struct unknown_words){0};
}
