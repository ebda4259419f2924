// Writes a list of labelled values: a line each for humans, or the members of a JSON object.
#ifndef TRAWL_REPORT_ITEMS_H
#define TRAWL_REPORT_ITEMS_H

#include "report/table.h"

struct items {
    struct out *out;
    struct json json; // if this is a JSON document
    bool is_json;
    bool has_lines;
    unsigned label_width; // of the lines
};

// Begins the list; in JSON, an object of its own.
void items_begin(struct items *items, struct out *out, bool is_json, unsigned label_width);

// Writes a value. Without text it is left out of the lines; NULL is null in JSON.
void items_text(struct items *items, const char *label, const char *key, const char *value);
void items_u64(struct items *items, const char *label, const char *key, uint64_t value);
void items_bool(struct items *items, const char *label, const char *key, bool value);

// Writes ticks as seconds, with `digits` after the point; "unknown" if `ticks_a_second` is 0.
void items_seconds(struct items *items, const char *label, const char *key, uint64_t ticks,
                   uint64_t ticks_a_second, unsigned digits);

// Writes a part of a whole as a ratio, in lines with `digits` after the point.
void items_ratio(struct items *items, const char *label, const char *key, uint64_t part,
                 uint64_t whole, unsigned digits);

// Begins a group of values: after an empty line unless it is the first; in JSON, an object that is
// a member.
void items_begin_part(struct items *items, const char *key);
void items_end_part(struct items *items);

// Writes a table that `put` fills: after an empty line, or as a member. Fails only if there is no
// memory.
enum status items_table(struct items *items, const char *key, const struct table_column *columns,
                        size_t column_count, void (*put)(void *self, struct table *table),
                        void *self, struct error *err);

void items_end(struct items *items);

#endif
