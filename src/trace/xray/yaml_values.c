// Interprets the parts of any YAML document.
#include "trace/xray/yaml_events.h"

#include "cli/values.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

// The largest length of texts in messages.
#define SHOWN_BYTES_MAX 40

enum status yaml_fault(const struct yaml *yaml, struct error *err, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_set(err, STATUS_INPUT, "%s", text);
    if (err)
        err->line = yaml_line(yaml);
    return STATUS_INPUT;
}

enum status yaml_expect(struct yaml *yaml, enum yaml_kind kind, const char *what,
                        struct yaml_part *part, struct error *err)
{
    enum status status = yaml_next(yaml, part, err);
    if (status == STATUS_OK && part->kind != kind)
        return yaml_fault(yaml, err, "expected %s", what);
    return status;
}

// The text of a part for a message, cut if it is too long.
#define SHOWN(part) (int)u64_min((part)->length, SHOWN_BYTES_MAX), (part)->text

static bool is_word(const struct yaml_part *part, const char *word)
{
    return strlen(word) == part->length && memcmp(word, part->text, part->length) == 0;
}

enum status yaml_key(struct yaml *yaml, const char *const *keys, uint32_t *seen, int *key,
                     struct error *err)
{
    struct yaml_part part;
    enum status status = yaml_next(yaml, &part, err);
    *key = -1;
    if (status != STATUS_OK || part.kind == YAML_END)
        return status;
    if (part.kind != YAML_SCALAR)
        return yaml_fault(yaml, err, "expected a key");
    for (int i = 0; keys[i]; i++) {
        if (!is_word(&part, keys[i]))
            continue;
        if (*seen >> i & 1)
            return yaml_fault(yaml, err, "'%s' is here twice", keys[i]);
        *seen |= UINT32_C(1) << i;
        *key = i;
        return STATUS_OK;
    }
    return yaml_fault(yaml, err, "unknown key '%.*s'", SHOWN(&part));
}

enum status yaml_part_u64(const struct yaml *yaml, const struct yaml_part *part, const char *what,
                          uint64_t max, uint64_t *value, struct error *err)
{
    if (part->kind != YAML_SCALAR)
        return yaml_fault(yaml, err, "%s: expected a number", what);
    if (strlen(part->text) != part->length || !parse_u64_within(part->text, 0, max, value))
        return yaml_fault(yaml, err, "%s: '%.*s': expected a number up to %" PRIu64, what,
                          SHOWN(part), max);
    return STATUS_OK;
}

enum status yaml_u64(struct yaml *yaml, const char *what, uint64_t max, uint64_t *value,
                     struct error *err)
{
    struct yaml_part part;
    enum status status = yaml_next(yaml, &part, err);
    return status == STATUS_OK ? yaml_part_u64(yaml, &part, what, max, value, err) : status;
}

enum status yaml_word(struct yaml *yaml, const char *what, const char *const *words,
                      unsigned *choice, struct error *err)
{
    struct yaml_part part;
    enum status status = yaml_expect(yaml, YAML_SCALAR, "a word", &part, err);
    if (status != STATUS_OK)
        return status;
    for (*choice = 0; words[*choice]; ++*choice) {
        if (is_word(&part, words[*choice]))
            return STATUS_OK;
    }
    return yaml_fault(yaml, err, "%s: unknown: '%.*s'", what, SHOWN(&part));
}

enum status yaml_bool(struct yaml *yaml, const char *what, bool *value, struct error *err)
{
    static const char *const words[] = {"false", "true", NULL};
    unsigned choice = 0;
    enum status status = yaml_word(yaml, what, words, &choice, err);
    *value = choice == 1;
    return status;
}

enum status yaml_require(const struct yaml *yaml, const char *const *keys, uint32_t seen,
                         uint32_t required, struct error *err)
{
    for (int i = 0; keys[i]; i++) {
        if (required >> i & ~seen >> i & 1)
            return yaml_fault(yaml, err, "no '%s'", keys[i]);
    }
    return STATUS_OK;
}
