// Questions to an index: processor time of each in nanoseconds, at random points, warm. After the
// ordinary table come the median and the worst of all traces for each question. For building, the
// time of all threads.
//
//     near   within one segment      far   anywhere in the trace
//     first  the first question to an index that was just opened, with nothing cached
#include "bench/queries.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{

// Made when the first benchmark that was asked for needs it.
class Index
{
  public:
    Index(const std::string &trace_path, const std::string &index_path)
        : trace_path_(trace_path), index_path_(index_path)
    {
    }

    struct queries *get()
    {
        if (!queries_)
            queries_.reset(queries_open(trace_path_.c_str(), index_path_.c_str()));
        if (!queries_)
            exit(1);
        return queries_.get();
    }

  private:
    std::string trace_path_, index_path_;
    std::unique_ptr<struct queries, decltype(&queries_close)> queries_{nullptr, queries_close};
};

using Queries = std::shared_ptr<Index>;

const std::vector<std::pair<enum question, std::string>> questions = {
    {ASK_EVENT, "event"},
    {ASK_EVENT_AT_TIME, "event_at_time"},
    {ASK_ALL_REGISTERS, "all_registers"},
    {ASK_REGISTER, "register"},
    {ASK_REGISTER_WRITTEN, "register_written"},
    {ASK_REGISTER_WRITTEN_NEXT, "register_written_next"},
    {ASK_MEMORY_8, "memory_8"},
    {ASK_MEMORY_64, "memory_64"},
    {ASK_MEMORY_WRITTEN_8, "memory_written_8"},
    {ASK_MEMORY_WRITTEN_64, "memory_written_64"},
    {ASK_MEMORY_WRITTEN_NEXT_8, "memory_written_next_8"},
    {ASK_MEMORY_WRITTEN_NEXT_64, "memory_written_next_64"},
    {ASK_STACK, "stack"},
    {ASK_NEXT_VISIT, "next_visit"},
    {ASK_PREVIOUS_VISIT, "previous_visit"},
};

void add(const std::string &name, const std::string &trace,
         const std::function<void(benchmark::State &)> &run)
{
    benchmark::RegisterBenchmark((name + "/" + trace).c_str(), run);
}

double processor_seconds()
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

void add_first(const std::string &name, const std::string &trace,
               const std::function<void(benchmark::State &)> &run)
{
    benchmark::RegisterBenchmark((name + "/first/" + trace).c_str(), run)
        ->UseManualTime()
        ->Iterations(500); // opening takes longer than asking, and does not count
}

void build(benchmark::State &state, struct queries *queries)
{
    for (auto _ : state) {
        if (!queries_build(queries))
            state.SkipWithError("the index cannot be made");
    }
    queries_reopen(queries);
    const double trace_bytes = double(queries_trace_bytes(queries));
    const double index_bytes = double(queries_index_bytes(queries));
    state.SetBytesProcessed(int64_t(state.iterations() * queries_trace_bytes(queries)));
    state.counters["of_trace"] = index_bytes / trace_bytes;
    state.counters["bytes_per_instruction"] = index_bytes / double(queries_instructions(queries));
}

void ask_all(benchmark::State &state, struct queries *queries, enum question question,
             enum where where)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(queries_ask(queries, question, where));
}

void add_question(enum question question, const std::string &name, const std::string &trace,
                  const Queries &queries)
{
    const auto ask = [=](enum where where) {
        return [=](benchmark::State &state) { ask_all(state, queries->get(), question, where); };
    };
    add(name + "/near", trace, ask(NEAR));
    add(name + "/far", trace, ask(FAR));
    add_first(name, trace, [=](benchmark::State &state) {
        struct queries *index = queries->get();
        for (auto _ : state) {
            queries_reopen(index);
            const double start = processor_seconds();
            benchmark::DoNotOptimize(queries_ask(index, question, FAR));
            state.SetIterationTime(processor_seconds() - start);
        }
    });
}

// Over the whole trace, so it is reported as a rate.
void add_scan(enum question question, const std::string &name, const std::string &trace,
              const Queries &queries)
{
    add(name, trace, [=](benchmark::State &state) {
        ask_all(state, queries->get(), question, FAR);
        state.SetBytesProcessed(int64_t(state.iterations() * queries_trace_bytes(queries->get())));
    });
}

void add_all(const std::string &trace, const Queries &queries)
{
    benchmark::RegisterBenchmark(("build/" + trace).c_str(), [=](benchmark::State &state) {
        build(state, queries->get());
    })->MeasureProcessCPUTime();
    add("open", trace, [=](benchmark::State &state) {
        struct queries *index = queries->get();
        for (auto _ : state)
            queries_reopen(index);
    });
    for (const auto &[question, name] : questions)
        add_question(question, name, trace, queries);
    add_scan(ASK_MISSED_VISIT, "missed_visit", trace, queries);
    for (const auto &[question, name] :
         {std::pair{ASK_CALLS_IN_TURN, "calls_in_turn"}, {ASK_EVENTS_IN_TURN, "events_in_turn"}}) {
        add(name, trace, [queries, question = question](benchmark::State &state) {
            ask_all(state, queries->get(), question, FAR);
        });
    }
}

// Keeps the times of each question, to sum them up.
class Summary : public benchmark::ConsoleReporter
{
  public:
    Summary() : ConsoleReporter(OO_Tabular) {}

    void ReportRuns(const std::vector<Run> &runs) override
    {
        ConsoleReporter::ReportRuns(runs);
        for (const Run &run : runs) {
            const std::string &name = run.run_name.function_name;
            const size_t end = name.rfind('/');
            if (!times_.count(name.substr(0, end)))
                order_.push_back(name.substr(0, end));
            times_[name.substr(0, end)].push_back(run.run_name.time_type == "manual_time"
                                                      ? run.GetAdjustedRealTime()
                                                      : run.GetAdjustedCPUTime());
        }
    }

    void print()
    {
        printf("\n%-28s %14s %14s\n", "ns", "median trace", "worst trace");
        for (const std::string &name : order_) {
            std::vector<double> &times = times_[name];
            std::sort(times.begin(), times.end());
            printf("%-28s %14.0f %14.0f\n", name.c_str(), times[times.size() / 2], times.back());
        }
    }

  private:
    std::vector<std::string> order_;
    std::map<std::string, std::vector<double>> times_;
};

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    const char *base = getenv("TMPDIR");
    std::string directory = std::string(base ? base : "/tmp") + "/trawl-bench-XXXXXX";
    if (!mkdtemp(directory.data()))
        return 1;
    for (const std::string program : {"int", "mem", "fp", "calls", "interp"}) {
        for (const std::string style : {"it", "es"}) {
            const std::string trace = "bench_" + program + "." + style;
            const std::string index = directory + "/" + trace + ".index";
            const std::string path = "zig-out/corpus/" + trace + ".tarmac";
            if (access(path.c_str(), R_OK) == 0)
                add_all(trace, std::make_shared<Index>(path, index));
        }
    }
    Summary summary;
    benchmark::RunSpecifiedBenchmarks(&summary);
    summary.print();
    benchmark::ClearRegisteredBenchmarks(); // which keep the indexes open
    rmdir(directory.c_str());
    return 0;
}
