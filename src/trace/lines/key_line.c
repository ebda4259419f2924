#include "trace/lines/key_line.h"

#include <strings.h>

#define KEY_BYTES 8

bool key_line_may_show(const struct trace_line *line, const struct task_key *key)
{
    switch (line->kind) {
    case LINE_MEMORY:
    case LINE_DIAGRAM:
        return key->size_bytes > 0;
    case LINE_REGISTER:
    case LINE_NAMED_REGISTER:
        return key->name && line->reg.spelled_length;
    case LINE_NOTHING:
    case LINE_INSTRUCTION:
    case LINE_EXCEPTION:
    case LINE_TEXT:
        return false;
    }
    return false;
}

// Whether a register has the name; what follows a name may be the exception level at which A64 has
// what A32 has under the name alone.
static bool is_called(const struct line_register *reg, const char *name)
{
    static const char level[] = "_EL1";
    size_t length = strlen(name), spelled = reg->spelled_length, common = length;
    if (spelled < length)
        common = spelled;
    if (strncasecmp(reg->spelled, name, common) != 0)
        return false;
    const char *rest = spelled > length ? reg->spelled + common : name + common;
    size_t rest_length = spelled > length ? spelled - length : length - spelled;
    return !rest_length ||
           (rest_length == strlen(level) && strncasecmp(rest, level, rest_length) == 0);
}

// The number in a register line. False: it is not known, or the line writes only a part of it.
static bool read_register(const struct line_register *reg, uint64_t *content)
{
    uint8_t values[KEY_BYTES], effects[KEY_BYTES];
    size_t count = line_register_bytes(reg, values, effects, KEY_BYTES);
    if (!count || reg->is_range)
        return false;
    *content = 0;
    for (size_t i = 0; i < count && i < KEY_BYTES; i++) {
        if (effects[i] != BYTE_KNOWN)
            return false;
        *content |= (uint64_t)values[i] << 8 * i;
    }
    return true;
}

// Takes the bytes of the variable that an access has; *missing is a bit for each that is still
// unknown.
static void take_bytes(const struct memory_record *access, const struct task_key *key,
                       bool is_big_endian, uint64_t *content, unsigned *missing)
{
    for (unsigned i = 0; i < access->size_bytes && i < KEY_BYTES && access->is_known; i++) {
        uint64_t at = access->address + i - key->address;
        unsigned from = is_big_endian ? access->size_bytes - 1 - i : i;
        if (at >= key->size_bytes)
            continue;
        unsigned to = (unsigned)(is_big_endian ? key->size_bytes - 1 - at : at);
        *content |= (access->value >> 8 * from & 0xff) << 8 * to;
        *missing &= ~(1U << at);
    }
}

static bool is_near(uint64_t address, const struct task_key *key)
{
    return address - key->address < key->size_bytes ||
           key->address - address < LINE_ACCESS_BYTES_MAX;
}

bool key_line_add(struct marks *marks, const struct trace_line *line,
                  const struct line_extent *place, const struct parse_options *options)
{
    const struct task_key *key = options->task_key;
    const uint32_t position = (uint32_t)(place->start - place->chunk->data);
    uint64_t content = 0;
    if (line->kind == LINE_REGISTER || line->kind == LINE_NAMED_REGISTER)
        return !is_called(&line->reg, key->name) || !read_register(&line->reg, &content) ||
               marks_add_key(marks, key->kind, task_key_value(key, content), false, place->number,
                             position);
    uint64_t address = line->kind == LINE_MEMORY ? line->memory.address : line->diagram.address;
    if (LIKELY(!is_near(address, key)))
        return true;
    struct records records = {0};
    bool has_memory =
        line->kind == LINE_MEMORY
            ? records_add_access(&records, &line->memory, 0, SP_BANK_NONE, &options->records)
            : records_add_diagram(&records, &line->diagram, 0, &options->records);
    unsigned missing = (1U << key->size_bytes) - 1;
    bool is_read = true;
    for (size_t i = 0; i < records.accesses.count; i++) {
        take_bytes(&records.accesses.items[i], key, options->records.big_endian, &content,
                   &missing);
        is_read &= records.accesses.items[i].is_read;
    }
    records_free(&records);
    return has_memory && (missing || marks_add_key(marks, key->kind, task_key_value(key, content),
                                                   is_read, place->number, position));
}
