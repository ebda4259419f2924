#include "base/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void words_add(struct words *words, const char *format, ...)
{
    char *word;
    va_list arguments;
    va_start(arguments, format);
    bool is_made = vasprintf(&word, format, arguments) >= 0;
    va_end(arguments);
    if (is_made && VEC_ROOM(&words->items, 1)) {
        words->items.items[words->items.count++] = word;
        return;
    }
    words->lacks_memory = true;
    if (is_made)
        free(word);
}

char **words_end(struct words *words)
{
    if (words->lacks_memory || !VEC_ROOM(&words->items, 1))
        return NULL;
    words->items.items[words->items.count] = NULL;
    return words->items.items;
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->items.count; i++)
        free(words->items.items[i]);
    free(words->items.items);
    *words = (struct words){0};
}
