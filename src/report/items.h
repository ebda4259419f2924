// A list of labelled values, a line each for humans, or the members of a JSON object.
#ifndef TRAWL_REPORT_ITEMS_H
#define TRAWL_REPORT_ITEMS_H

#include "report/table.h"

struct items {
    struct out *out;
    struct json json; // of a JSON document
    bool is_json;
    bool has_lines;
    unsigned label_width; // of the lines
};

// Begins the list, as an object of its own in JSON.
void items_begin(struct items *items, struct out *out, bool is_json, unsigned label_width);

// A value; without text it is left out of the lines, and NULL is null in JSON.
void items_text(struct items *items, const char *label, const char *key, const char *value);
void items_u64(struct items *items, const char *label, const char *key, uint64_t value);
void items_bool(struct items *items, const char *label, const char *key, bool value);

// Ticks of so many a second as seconds, to `digits` after the point; of 0 a second "unknown".
void items_seconds(struct items *items, const char *label, const char *key, uint64_t ticks,
                   uint64_t ticks_a_second, unsigned digits);

// A part of a whole as a share, to `digits` after the point in lines.
void items_ratio(struct items *items, const char *label, const char *key, uint64_t part,
                 uint64_t whole, unsigned digits);

// What follows belongs together, after an empty line where it is not the first, or in an object
// that is a member.
void items_begin_part(struct items *items, const char *key);
void items_end_part(struct items *items);

// A table after an empty line, or as a member: what `put` fills it with. Fails only when there is
// no memory.
enum status items_table(struct items *items, const char *key, const struct column *columns,
                        size_t column_count, void (*put)(void *self, struct table *table),
                        void *self, struct error *err);

void items_end(struct items *items);

#endif
