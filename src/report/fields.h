// A report as a table of columns, each of which says where its value is in a row.
//
//     struct visit_row { uint64_t event; const uint64_t *pc; const char *function; };
//     #define VALUE(member) FIELD_VALUE(struct visit_row, member)
//     static const struct field fields[] = {
//         {"Event", "event", COLUMN_U64, VALUE(event)},
//         {"PC", "pc", COLUMN_ADDRESS, VALUE(pc)},
//         {"Function", "function", COLUMN_TEXT, VALUE(function)},
//     };
//
// A report fills a row with what it knows and writes it with fields_put; text, CSV, JSON, Arrow and
// Parquet follow from the table. So a new column is one line here, and its value one in the row.
// (We had an array of columns and beside it a function that wrote the cells in the same order, and
// such a pair for each variant of a report: a column was added in four places that had to agree.)
// Columns that only some reports have name in `when` what they need. A getter is a place in the
// row, and not a function as in perf's hists or uftrace's fields, because nearly all of ours would
// be `return row->member`; what has to be computed is computed where the row is made.
#ifndef TRAWL_REPORT_FIELDS_H
#define TRAWL_REPORT_FIELDS_H

#include "report/table.h"

#include <stddef.h>

// A value that may be missing is a pointer, which is then NULL: its cell stays empty.
enum member_type {
    MEMBER_NONE,
    MEMBER_U64,
    MEMBER_U32,
    MEMBER_TEXT,
    MEMBER_OPTIONAL_U64,
};

// uint64_t and size_t may be different types of 64 bits.
#define MEMBER_LONG (sizeof(unsigned long) == sizeof(uint64_t) ? MEMBER_U64 : MEMBER_U32)

struct member {
    uint16_t offset; // in the row
    uint8_t type;    // enum member_type
};

#define MEMBER_OF(row, name)                                                                         \
    {                                                                                                \
        offsetof(row, name), _Generic(((row *)0)->name,                                            \
                                      unsigned: MEMBER_U32,                                        \
                                      unsigned long: MEMBER_LONG,                                  \
                                      unsigned long long: MEMBER_U64,                              \
                                      const char *: MEMBER_TEXT,                                   \
                                      const uint64_t *: MEMBER_OPTIONAL_U64) \
    }
#define FIELD_VALUE(row, name) .value = MEMBER_OF(row, name)
#define FIELD_OF(row, name) .of = MEMBER_OF(row, name)

struct field {
    const char *title, *key; // as in struct column
    enum column_kind kind;
    struct member value;
    // The whole of COLUMN_SHARE, the ticks a second of COLUMN_SECONDS, the earlier value of
    // COLUMN_CHANGE and COLUMN_CHANGE_SHARE.
    struct member of;
    unsigned when; // bits that a report must all have to show the column
};

// The columns of a report that has those bits. `shown` and `columns` have room for all; returns how
// many there are.
size_t fields_choose(const struct field *fields, size_t count, unsigned bits,
                     const struct field **shown, struct column *columns);

// Writes the cells of a row, for columns that were chosen.
void fields_put(struct table *table, const struct field *const *shown, size_t count,
                const void *row);

#endif
