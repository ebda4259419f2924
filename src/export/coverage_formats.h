// Coverage in the formats of others: lcov's tracefile (genhtml, most services), and the XML of
// Cobertura (Jenkins, GitLab). Paths are those of the images; visits are executions.
#ifndef TRAWL_EXPORT_COVERAGE_FORMATS_H
#define TRAWL_EXPORT_COVERAGE_FORMATS_H

#include "query/coverage.h"
#include "report/out.h"

// The format is described in geninfo(1).
void coverage_write_lcov(const struct coverage *coverage, struct out *out);

// According to its document type coverage-04.dtd. The method of a function only has the line of its
// first instruction, because functions can share lines.
void coverage_write_cobertura(const struct coverage *coverage, struct out *out);

#endif
