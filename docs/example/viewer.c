// Shows where the time of a trace went, and the stack and registers at a point, with libtrawl2.
//
//     cc viewer.c $(pkg-config --cflags --libs trawl2) -o viewer
//     ./viewer run.tarmac prog.elf pc:main
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <trawl2.h>

static struct trawl_failure failure = {.struct_bytes = sizeof failure};

static void check(enum trawl_result result)
{
    if (result == TRAWL_DONE)
        return;
    fprintf(stderr, "viewer: %s\n", failure.text);
    exit(EXIT_FAILURE);
}

// Shows some columns of a report, up to NULL: numbers, or texts.
static void show(struct trawl_trace *trace, const char *report, const char *word,
                 const char *const *names)
{
    struct trawl_table *table;
    check(trawl_trace_report(trace, report, &word, 1, &table, &failure));
    printf("%s\n", report);
    for (uint64_t row = 0; row < trawl_table_row_count(table); row++) {
        for (const char *const *name = names; *name; name++) {
            uint64_t column = trawl_table_column_named(table, *name), length;
            const char *text = trawl_table_cell(table, row, column, &length);
            if (text)
                printf(" %.*s", (int)length, text);
            else
                printf(" %" PRIu64, trawl_table_number(table, row, column));
        }
        printf("\n");
    }
    trawl_table_free(table);
}

int main(int argc, char **argv)
{
    struct trawl_trace_options options = {.struct_bytes = sizeof options, .is_in_memory = 1};
    struct trawl_trace *trace;
    uint64_t event, value;
    char at[64];
    if (argc != 4)
        return EXIT_FAILURE;
    options.images = (const char *const *)&argv[2];
    options.image_count = 1;
    check(trawl_trace_open(&trace, argv[1], &options, &failure));
    check(trawl_trace_point(trace, argv[3], TRAWL_EVERY_LANE, &event, &failure));
    snprintf(at, sizeof at, "--at=event:%" PRIu64, event);
    show(trace, "profile", "--top=5", (const char *[]){"self", "total", "calls", "function", NULL});
    show(trace, "stack", at, (const char *[]){"frame", "pc", "function", NULL});
    for (const char *name = "x0\0x1\0sp\0"; *name; name += 3)
        if (trawl_trace_value(trace, 0, event, name, &value, &failure) == TRAWL_DONE)
            printf("%s %" PRIu64 "\n", name, value);
    trawl_trace_close(trace);
}
