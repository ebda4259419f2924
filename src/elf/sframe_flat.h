// The contents of the SFrame tables of an image, as one array to be searched: a row for each range
// of PCs with one rule, sorted, overlaps resolved.
//
// A row is a start (32 bits, from the first row of its region) and the number of a rule (16 bits):
// real images have a hundred thousand rows and some hundred rules. Adjacent rows with the same rule
// are merged. A gap is a row of rule 0, SFRAME_MISS; so is the last row. PLTs, where one pattern of
// rows repeats, are one row whose rule names the pattern.
//
// To find the row of a PC, a bucket for each 2^shift bytes has the row at its beginning; there are
// a quarter as many buckets as rows, so that one comparison of 16 starts nearly always finds the
// row. That takes two dependent loads, while binary search and its relatives take one per level
// (bench/RESULTS.md).
//
// The concatenated parts are the file that `trawl sframe convert` writes: it is mapped, checked
// once, and searched in place.
#ifndef TRAWL_ELF_SFRAME_FLAT_H
#define TRAWL_ELF_SFRAME_FLAT_H

#include "base/map.h"
#include "elf/sframe_rule.h"
#include "elf/sframe_section.h"

enum {
    // Keys compared at once; a region's starts are followed by as many of UINT32_MAX.
    SFRAME_WINDOW = 16,
};

// Code within 4 GiB. `span` is the start of its last row.
struct sframe_region {
    uint64_t base;
    uint32_t span, shift;
    uint32_t first_row, row_count; // in starts and numbers
    uint32_t first_bucket, bucket_count;
};

// Rows that repeat: `count` of pattern_rows from `first`, each with its start in the block.
struct sframe_pattern {
    uint64_t start; // of the first block
    uint32_t first, count;
    uint32_t repeat_bytes;
    uint32_t padding; // 0
};

struct sframe_pattern_row {
    uint32_t start, rule;
};

// The header of the file.
struct sframe_flat_head {
    char magic[8];
    uint32_t version; // also tells the byte order
    uint32_t abi;
    uint64_t size_bytes;
    uint64_t checksum; // XXH3 of what follows this field
    uint32_t region_count, rule_count, pattern_count, pattern_row_count;
    uint32_t row_count, bucket_count;         // of all regions, padding included
    uint32_t function_count, table_row_count; // it was made from
};

struct sframe_flat {
    const struct sframe_flat_head *head; // magic, version and checksum only in a file
    const struct sframe_region *regions;
    const struct sframe_rule *rules; // 0 is SFRAME_MISS
    const struct sframe_pattern *patterns;
    const struct sframe_pattern_row *pattern_rows;
    const uint32_t *starts;
    const uint32_t *buckets;
    const uint16_t *numbers; // of rules
    bool is_owned;           // each of these is allocated separately
    struct map map;          // otherwise all are in this
};

// Makes the array from all tables of a section; for an object, from the functions in its code
// section number `code_section`. Functions that are empty or outside of the image's code are left
// out. Where functions overlap, the one that starts later counts, and after its end the other one
// again. Damaged functions are reported to `faults` and left out.
enum status sframe_flat_build(struct sframe_flat *flat, const struct sframe_section *section,
                              uint32_t code_section, const struct sframe_faults *faults,
                              struct error *err);

// Writes a file that sframe_flat_open maps. The mapped file is checked completely: STATUS_INPUT if
// it is damaged.
enum status sframe_flat_save(const struct sframe_flat *flat, const char *path, struct error *err);
enum status sframe_flat_open(struct sframe_flat *flat, const char *path, struct error *err);

void sframe_flat_free(struct sframe_flat *flat);

// Whether a file begins like one from sframe_flat_save.
bool sframe_flat_is_file(const char *path);

// The rule at a PC, never NULL and never SFRAME_PATTERN.
const struct sframe_rule *sframe_flat_find(const struct sframe_flat *flat, uint64_t pc);

// The same; *end becomes the first PC behind it that may have another rule.
const struct sframe_rule *sframe_flat_range(const struct sframe_flat *flat, uint64_t pc,
                                            uint64_t *end);

// The same for many PCs: several times as fast, because memory is prefetched.
void sframe_flat_find_many(const struct sframe_flat *flat, const uint64_t *pcs, size_t count,
                           const struct sframe_rule **rules);

// The size of the file, according to the counts in a header.
uint64_t sframe_flat_file_bytes(const struct sframe_flat_head *head);

#endif
