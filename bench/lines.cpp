// The line reader alone, in both readings: bytes and lines per second.
#include "bench/traces.hpp"

int main(int argc, char **argv)
{
    for (const auto &trace : bench::traces()) {
        bench::add("read", trace, [](struct stages *s) { return stages_read_lines(s, false); });
        bench::add("read_as_ttu", trace,
                   [](struct stages *s) { return stages_read_lines(s, true); });
    }
    return bench::run(argc, argv);
}
