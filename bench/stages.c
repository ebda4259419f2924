#include "bench/stages.h"

#include "elf/symbols.h"
#include "flow/calls.h"
#include "flow/context_tree.h"
#include "trace/lines/parse.h"
#include "trace/lines/scan.h"
#include "trace/tarmac/line_read.h"
#include "trace/tarmac/tarmac.h"

#include <stdio.h>
#include <stdlib.h>

struct stages {
    char *text;
    size_t size_bytes;
    struct parsed_chunk parsed;
    struct scan_result *scans; // one a lane
    size_t scan_count;
};

// --- The trace -----------------------------------------------------------------------------------

// Reads whole lines up to `capacity`; 0 when there are none.
static size_t read_lines(const char *path, char *text, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    size_t size_bytes = fread(text, 1, capacity, file);
    fclose(file);
    while (size_bytes && text[size_bytes - 1] != '\n')
        size_bytes--;
    return size_bytes;
}

struct stages *stages_open(const char *path, size_t bytes)
{
    struct stages *stages = calloc(1, sizeof *stages);
    if (!stages || !(stages->text = malloc(bytes))) {
        stages_close(stages);
        return NULL;
    }
    size_t piece_bytes = read_lines(path, stages->text, bytes);
    if (piece_bytes == 0) {
        stages_close(stages);
        return NULL;
    }
    stages->size_bytes = piece_bytes;
    for (; stages->size_bytes + piece_bytes <= bytes; stages->size_bytes += piece_bytes)
        memcpy(stages->text + stages->size_bytes, stages->text, piece_bytes);
    return stages;
}

void stages_close(struct stages *stages)
{
    if (!stages)
        return;
    for (size_t i = 0; i < stages->scan_count; i++)
        scan_result_free(&stages->scans[i]);
    free(stages->scans);
    parsed_chunk_free(&stages->parsed);
    free(stages->text);
    free(stages);
}

size_t stages_bytes(const struct stages *stages)
{
    return stages->size_bytes;
}

// --- The stages ----------------------------------------------------------------------------------

uint64_t stages_read_lines(struct stages *stages, bool as_ttu)
{
    const struct reading_options options = {.reading = as_ttu ? READING_TTU : READING_TRUE};
    struct line_context context = LINE_CONTEXT_START;
    const char *at = stages->text, *end = at + stages->size_bytes;
    uint64_t count = 0;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        struct trace_line line;
        struct text_fault fault;
        count += tarmac_line_read(at, newline, &options, &context, &line, &fault);
        at = newline + 1;
    }
    return count;
}

static struct source_chunk chunk_of(const struct stages *stages)
{
    return (struct source_chunk){
        .data = stages->text, .size_bytes = stages->size_bytes, .is_last = true};
}

uint64_t stages_parse(struct stages *stages)
{
    const struct parse_options options = {.language = &tarmac_language, .split_lanes = true};
    const struct reader_state start = {LINE_CONTEXT_START, {""}};
    const struct source_chunk chunk = chunk_of(stages);
    return parse_chunk(&stages->parsed, &chunk, &options, &start, NULL) ? stages->parsed.line_count
                                                                        : 0;
}

uint64_t stages_scan(struct stages *stages)
{
    const struct source_chunk chunk = chunk_of(stages);
    const struct chunk_base base = {0, 0};
    const struct scan_options keep_nothing = {.language = &tarmac_language, .keep_nodes = false};
    uint64_t count = 0;
    if (!stages->scans) {
        stages->scan_count = stages->parsed.part_count;
        stages->scans = calloc(stages->scan_count, sizeof *stages->scans);
    }
    for (size_t i = 0; i < stages->scan_count; i++) {
        static struct branch_memo memo[BRANCH_MEMO_COUNT];
        struct lane_state state = LANE_STATE_START;
        stages->scans[i].memo = memo;
        if (!scan_marks(&state, &stages->parsed.parts.items[i].marks, &chunk, &base, &keep_nothing,
                        &stages->scans[i]))
            return 0;
        count += stages->scans[i].transfers.count;
    }
    return count;
}

static uint64_t match_lane(const struct scan_result *scan, const struct call_consumer *consumer)
{
    struct call_matcher *matcher = call_matcher_new(consumer);
    struct call_content outermost = {{0, 0}};
    struct call_counts counts = {0};
    struct node_ref last = {0};
    for (size_t i = 0; matcher && i < scan->transfers.count; i++) {
        struct call_decision decision;
        last = scan->transfers.items[i].node;
        if (!call_matcher_transfer(matcher, &scan->transfers.items[i], &decision))
            break;
    }
    if (matcher)
        call_matcher_finish(matcher, &last, true, &outermost, &counts);
    call_matcher_free(matcher);
    return counts.returned;
}

uint64_t stages_match(struct stages *stages)
{
    struct context_tree tree;
    uint64_t count = 0;
    if (!context_tree_init(&tree))
        return 0;
    const struct call_consumer consumer = context_tree_consumer(&tree);
    for (size_t i = 0; i < stages->scan_count; i++)
        count += match_lane(&stages->scans[i], &consumer);
    context_tree_free(&tree);
    return count;
}

// --- Names ---------------------------------------------------------------------------------------

struct stages_names {
    struct symbols *symbols;
    uint64_t *addresses;
    size_t count;
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// False: no functions.
static bool choose_addresses(struct stages_names *names)
{
    size_t symbol_count;
    const struct symbol *symbols = symbols_all(names->symbols, &symbol_count);
    uint64_t seed = 88172645463325252u;
    bool has_functions = false;
    for (size_t i = 0; i < symbol_count; i++)
        has_functions |= symbols[i].is_function && symbols[i].size;
    for (size_t i = 0; has_functions && i < names->count;) {
        const struct symbol *symbol = &symbols[next_random(&seed) % symbol_count];
        if (symbol->is_function && symbol->size)
            names->addresses[i++] = symbol->address + next_random(&seed) % symbol->size;
    }
    return has_functions;
}

struct stages_names *stages_names_open(const char *path, size_t count)
{
    struct stages_names *names = calloc(1, sizeof *names);
    struct image *image = NULL;
    struct error err;
    bool is_ready = names && (names->addresses = calloc(count, sizeof *names->addresses)) &&
                    image_open(&image, path, &err) == STATUS_OK &&
                    symbols_load(&names->symbols, image, SYMBOLS_RIGHT, &err) == STATUS_OK;
    image_close(image);
    if (is_ready) {
        names->count = count;
        if (choose_addresses(names))
            return names;
    }
    stages_names_close(names);
    return NULL;
}

void stages_names_close(struct stages_names *names)
{
    if (!names)
        return;
    symbols_free(names->symbols);
    free(names->addresses);
    free(names);
}

uint64_t stages_look_up(const struct stages_names *names)
{
    uint64_t found = 0;
    for (size_t i = 0; i < names->count; i++)
        found += symbols_by_address(names->symbols, names->addresses[i]) != NULL;
    return found;
}
