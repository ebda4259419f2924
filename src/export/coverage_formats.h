// Coverage in the formats of others: lcov's tracefile (genhtml, most services), and the XML of
// Cobertura (Jenkins, GitLab). Paths are those of the images; visits are executions.
#ifndef TRAWL_EXPORT_COVERAGE_FORMATS_H
#define TRAWL_EXPORT_COVERAGE_FORMATS_H

#include "analysis/coverage.h"
#include "report/out.h"

// geninfo(1) tells the format.
void coverage_write_lcov(const struct coverage *coverage, struct out *out);

// By its document type coverage-04.dtd. A function's method has the lines of its first instruction
// alone, as lines of several functions may be the same.
void coverage_write_cobertura(const struct coverage *coverage, struct out *out);

#endif
