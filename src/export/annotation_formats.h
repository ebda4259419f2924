// Annotated functions as text for humans, as one HTML file without dependencies, and as JSON. The
// functions are written one after the other.
#ifndef TRAWL_EXPORT_ANNOTATION_FORMATS_H
#define TRAWL_EXPORT_ANNOTATION_FORMATS_H

#include "names/source_text.h"
#include "query/annotation.h"
#include "query/coverage.h"
#include "report/json.h"
#include "report/out.h"

// Where source files are searched for (source_text_open), and the one that is open.
struct annotation_sources {
    const struct source_search *search;
    struct source_lines *lines;
    struct names *names;
    const char *path, *directory; // of the current one; NULL: none. Valid as long as its annotation
    struct source_text text;
    const char *unread; // the path of a file that cannot be read; NULL: none
    int error;          // why
};

// The source line; `length` is 0 if the file is not found.
const char *annotation_source_line(struct annotation_sources *sources,
                                   const struct annotated_line *line, size_t *length);

// How many lines without code to show between line number `at` of the annotation and the one before
// it, from *first on: all of them if they are few, otherwise none.
uint32_t annotation_lines_before(struct annotation_sources *sources,
                                 const struct annotation *annotation, size_t at, uint32_t *first);
void annotation_sources_close(struct annotation_sources *sources);

// "at 0x8000: 120 ns (1.5% of all), 80 instructions", or "ticks" (annotation.tick_unit)
void annotation_write_sums(const struct annotation *annotation, uint64_t whole_ticks,
                           struct out *out);

void annotation_write_text(const struct annotation *annotation, struct annotation_sources *sources,
                           uint64_t whole_ticks, struct out *out);

void annotation_begin_html(struct out *out, const char *trace_name);
void annotation_write_html(const struct annotation *annotation, struct annotation_sources *sources,
                           uint64_t whole_ticks, struct out *out);
void annotation_end_html(struct out *out);

// Writes it as the next value of a document.
void annotation_write_json(const struct annotation *annotation, struct annotation_sources *sources,
                           uint64_t whole_ticks, struct json *json);

// --- coverage_formats.c --------------------------------------------------------------------------

// Coverage in the formats of others: lcov's tracefile (genhtml, most services), and the XML of
// Cobertura (Jenkins, GitLab). Paths are those of the images; visits are executions.

// The format is described in geninfo(1).
void coverage_write_lcov(const struct coverage *coverage, struct out *out);

// According to its document type coverage-04.dtd. The method of a function only has the line of its
// first instruction, because functions can share lines.
void coverage_write_cobertura(const struct coverage *coverage, struct out *out);

#endif
