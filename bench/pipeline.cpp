// The stages of a pass on one thread: bytes of trace per second, and as items what each stage
// makes: lines, transfers of control, calls.
#include "bench/traces.hpp"

int main(int argc, char **argv)
{
    for (const auto &trace : bench::traces()) {
        stages_parse(trace.stages.get());
        stages_scan(trace.stages.get());
        bench::add("parse", trace, stages_parse);
        bench::add("scan", trace, stages_scan);
        bench::add("match", trace, stages_match);
    }
    return bench::run(argc, argv);
}
