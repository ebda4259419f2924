// viewer.c in C++: c++ -std=c++17 viewer.cpp $(pkg-config --cflags --libs trawl2) -o viewer
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <trawl2.h>

template <typename Function, typename... Arguments>
void ask(Function function, Arguments... arguments)
{
    trawl_failure failure{};
    failure.struct_bytes = sizeof failure;
    if (function(arguments..., &failure) != TRAWL_DONE)
        throw std::runtime_error(failure.text);
}

static void show(trawl_trace *trace, const char *report, const char *word,
                 std::initializer_list<const char *> names)
{
    trawl_table *made = nullptr;
    ask(trawl_trace_report, trace, report, &word, uint64_t{1}, &made);
    const std::unique_ptr<trawl_table, decltype(&trawl_table_free)> held(made, trawl_table_free);
    std::cout << report << '\n';
    for (uint64_t row = 0; row < trawl_table_row_count(made); row++) {
        for (const char *name : names) {
            uint64_t length = 0, column = trawl_table_column_named(made, name);
            const char *text = trawl_table_cell(made, row, column, &length);
            if (text)
                std::cout << ' ' << std::string(text, length);
            else
                std::cout << ' ' << trawl_table_number(made, row, column);
        }
        std::cout << '\n';
    }
}

int main(int argc, char **argv)
try {
    if (argc != 4)
        return EXIT_FAILURE;
    trawl_trace_options options{};
    options.struct_bytes = sizeof options;
    options.is_in_memory = 1;
    options.images = argv + 2;
    options.image_count = 1;
    trawl_trace *trace = nullptr;
    uint64_t event = 0, value = 0;
    ask(trawl_trace_open, &trace, argv[1], &options);
    const std::unique_ptr<trawl_trace, decltype(&trawl_trace_close)> held(trace, trawl_trace_close);
    ask(trawl_trace_point, trace, argv[3], uint64_t{TRAWL_EVERY_LANE}, &event);
    show(trace, "profile", "--top=5", {"self", "total", "calls", "function"});
    show(trace, "stack", ("--at=event:" + std::to_string(event)).c_str(),
         {"frame", "pc", "function"});
    for (const char *name : {"x0", "x1", "sp"})
        if (trawl_trace_value(trace, 0, event, name, &value, nullptr) == TRAWL_DONE)
            std::cout << name << ' ' << value << '\n';
} catch (const std::exception &error) {
    std::cerr << "viewer: " << error.what() << '\n';
    return EXIT_FAILURE;
}
