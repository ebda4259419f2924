#include "export/profile_writers.h"

#include "base/version.h"
#include "export/event_time.h"
#include "report/out.h"

#include <stdlib.h>

void callgrind_init(struct callgrind *callgrind, const struct frame_label *labels,
                    bool by_instruction)
{
    *callgrind = (struct callgrind){.labels = labels, .by_instruction = by_instruction};
}

// --- Pairs ---------------------------------------------------------------------------------------

// --- Stacks --------------------------------------------------------------------------------------

static bool add_stack(struct callgrind *callgrind, uint32_t function,
                      const struct stack_visit *visit)
{
    size_t depth = callgrind->stack.open.count;
    if (!VEC_EXTEND(&callgrind->own, callgrind->stack.ids.pcs.count)) // a sum for each function
        return false;
    callgrind->own.items[function] += visit->self_ticks;
    if (!depth)
        return true;
    uint32_t caller = callgrind->stack.open.items[depth - 1];
    uint64_t hash =
        hash_key(hash_index_seed(&callgrind->by_functions), (uint64_t)caller << 32 | function);
    const struct callgrind_pair *pairs = callgrind->pairs.items;
    uint32_t number;
    HASH_INDEX_FIND(number, &callgrind->by_functions, hash,
                    pairs[candidate].caller == caller && pairs[candidate].callee == function);
    if (number == HASH_INDEX_NONE) {
        number = (uint32_t)callgrind->pairs.count;
        if (callgrind->pairs.count >= HASH_INDEX_NONE || !VEC_ROOM(&callgrind->pairs, 1) ||
            !hash_index_add(&callgrind->by_functions, hash, number))
            return false;
        callgrind->pairs.items[callgrind->pairs.count++] =
            (struct callgrind_pair){.caller = caller, .callee = function};
    }
    callgrind->pairs.items[number].calls += visit->count;
    callgrind->pairs.items[number].ticks += visit->ticks;
    return true;
}

static bool on_event(void *self, enum stack_event event, const struct stack_visit *visit)
{
    struct callgrind *callgrind = self;
    uint32_t function;
    return stack_ids_take(&callgrind->stack, event, visit, &function) &&
           (event != STACK_OWN || add_stack(callgrind, function, visit));
}

struct stack_walk callgrind_walk(struct callgrind *callgrind)
{
    return (struct stack_walk){callgrind, on_event};
}

// --- The file ------------------------------------------------------------------------------------

ORDER_BY_2(compare_pairs, struct callgrind_pair, caller, callee)

static void sort_pairs(struct callgrind *callgrind)
{
    if (callgrind->pairs.count)
        qsort(callgrind->pairs.items, callgrind->pairs.count, sizeof *callgrind->pairs.items,
              compare_pairs);
}

struct writer {
    struct callgrind *callgrind;
    struct out *out;
    struct names *names;
    uint64_t hz;
};

// "fn=(3) main", or "cfn=(3) main".
static void put_function(const struct writer *writer, const char *key, uint32_t function)
{
    struct out *out = writer->out;
    char text[NAME_ID_BYTES];
    out_text(out, key);
    out_byte(out, '(');
    out_u64(out, function + UINT64_C(1));
    out_text(out, ") ");
    out_clean(out, name_ids_text(&writer->callgrind->stack.ids, function, writer->names, text));
    out_byte(out, '\n');
}

static const struct source_location *place_of(const struct writer *writer, uint32_t function)
{
    return &writer->callgrind->places.items[function];
}

// "fl=(3) main.c", or "cfi=(3) main.c"; "fl=???", like callgrind, if there is no source. A file has
// one number for each of its functions.
static void put_file(const struct writer *writer, const char *key, uint32_t function)
{
    const char *path = place_of(writer, function)->path;
    out_text(writer->out, key);
    if (path) {
        out_byte(writer->out, '(');
        out_u64(writer->out, function + UINT64_C(1));
        out_text(writer->out, ") ");
    }
    out_clean(writer->out, path ? path : "???");
    out_byte(writer->out, '\n');
}

static bool is_same_file(const struct writer *writer, uint32_t left, uint32_t right)
{
    const char *of_left = place_of(writer, left)->path, *of_right = place_of(writer, right)->path;
    return of_left && of_right ? strcmp(of_left, of_right) == 0 : of_left == of_right;
}

static void put_line(const struct writer *writer, uint32_t function)
{
    out_u64(writer->out, place_of(writer, function)->line);
}

static void put_ticks(const struct writer *writer, uint32_t function, uint64_t ticks)
{
    put_line(writer, function);
    out_byte(writer->out, ' ');
    out_u64(writer->out, event_time_nanos(ticks, writer->hz));
    out_byte(writer->out, '\n');
}

static void put_pair(const struct writer *writer, const struct callgrind_pair *pair)
{
    if (!is_same_file(writer, pair->caller, pair->callee))
        put_file(writer, "cfi=", pair->callee);
    put_function(writer, "cfn=", pair->callee);
    out_text(writer->out, "calls=");
    out_u64(writer->out, pair->calls);
    out_byte(writer->out, ' ');
    put_line(writer, pair->callee);
    out_byte(writer->out, '\n');
    put_ticks(writer, pair->caller, pair->ticks);
}

// --- By lines ------------------------------------------------------------------------------------

// The labels of functions, grouped by function, in the order of their places.
struct by_lines {
    struct writer writer;
    uint32_t *order; // label numbers
    uint32_t *group; // for each label: where in `order` its function begins
    size_t count;
};

static const struct frame_label *label_of(const struct callgrind *callgrind, uint32_t number)
{
    return &callgrind->labels[callgrind->stack.ids.pcs.items[number]];
}

static int compare_labels(const void *a_item, const void *b_item, void *context)
{
    const struct callgrind *callgrind = context;
    const struct frame_label *a = label_of(callgrind, *(const uint32_t *)a_item),
                             *b = label_of(callgrind, *(const uint32_t *)b_item);
    int order = strcmp(a->function, b->function);
    if (order)
        return order;
    return a->pc != b->pc ? (a->pc > b->pc) - (a->pc < b->pc) : strcmp(a->name, b->name);
}

static bool sort_labels(struct by_lines *lines)
{
    struct callgrind *callgrind = lines->writer.callgrind;
    lines->count = callgrind->own.count;
    lines->order = calloc(lines->count + 1, sizeof *lines->order);
    lines->group = calloc(lines->count + 1, sizeof *lines->group);
    if (!lines->order || !lines->group)
        return false;
    for (size_t i = 0; i < lines->count; i++)
        lines->order[i] = (uint32_t)i;
    qsort_r(lines->order, lines->count, sizeof *lines->order, compare_labels, callgrind);
    for (size_t i = 0, first = 0; i < lines->count; i++) {
        const char *function = label_of(callgrind, lines->order[i])->function;
        if (strcmp(label_of(callgrind, lines->order[first])->function, function) != 0)
            first = i;
        lines->group[lines->order[i]] = (uint32_t)first;
    }
    return true;
}

// "0x8004 12", or what is requested of it.
static void put_place(const struct by_lines *lines, const struct frame_label *label)
{
    struct out *out = lines->writer.out;
    if (lines->writer.callgrind->by_instruction) {
        out_text(out, "0x");
        out_hex(out, names_address(lines->writer.names, label->pc), 1);
        out_byte(out, ' ');
    }
    out_u64(out, label->line);
}

// "fl=main.c". Names are written in full instead of numbered.
static void put_name(const struct by_lines *lines, const char *key, const char *name)
{
    out_text(lines->writer.out, key);
    out_clean(lines->writer.out, name ? name : "???");
    out_byte(lines->writer.out, '\n');
}

static void put_cost(const struct by_lines *lines, const struct frame_label *label, uint64_t ticks)
{
    put_place(lines, label);
    out_byte(lines->writer.out, ' ');
    out_u64(lines->writer.out, event_time_nanos(ticks, lines->writer.hz));
    out_byte(lines->writer.out, '\n');
}

// The first known place of a label's function.
static const struct frame_label *first_of(const struct by_lines *lines, uint32_t number)
{
    return label_of(lines->writer.callgrind, lines->order[lines->group[number]]);
}

// Orders the calls of one place by the called functions.
static int compare_calls(const void *a_item, const void *b_item, void *context)
{
    const struct by_lines *lines = context;
    const struct callgrind_pair *a = a_item, *b = b_item;
    uint32_t left = lines->group[a->callee], right = lines->group[b->callee];
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (left != right)
        return left < right ? -1 : 1;
    return (a->callee > b->callee) - (a->callee < b->callee);
}

// Writes the calls from `label` to one function, from pair *at on, and moves *at after them.
static void put_calls(const struct by_lines *lines, const struct frame_label *label, size_t *at)
{
    const struct callgrind *callgrind = lines->writer.callgrind;
    const struct callgrind_pair *first = &callgrind->pairs.items[*at], *pair = first;
    const struct frame_label *callee = first_of(lines, first->callee);
    uint64_t calls = 0, ticks = 0;
    for (; *at < callgrind->pairs.count && pair->caller == first->caller &&
           lines->group[pair->callee] == lines->group[first->callee];
         pair = &callgrind->pairs.items[++*at]) {
        calls += pair->calls;
        ticks += pair->ticks;
    }
    put_name(lines, "cfi=", callee->path);
    put_name(lines, "cfn=", callee->function);
    out_text(lines->writer.out, "calls=");
    out_u64(lines->writer.out, calls);
    out_byte(lines->writer.out, ' ');
    put_place(lines, callee);
    out_byte(lines->writer.out, '\n');
    put_cost(lines, label, ticks);
}

static void put_by_lines(const struct by_lines *lines)
{
    const struct callgrind *callgrind = lines->writer.callgrind;
    const char *path = NULL; // file of the costs that follow
    for (size_t i = 0; i < lines->count; i++) {
        uint32_t number = lines->order[i];
        const struct frame_label *label = label_of(callgrind, number);
        // Code without a line belongs to the file of its function.
        const char *own_path = label->path ? label->path : first_of(lines, number)->path;
        if (lines->group[number] == i) {
            put_name(lines, i ? "\nfl=" : "fl=", own_path);
            put_name(lines, "fn=", label->function);
        } else if (!path != !own_path || (path && strcmp(path, own_path) != 0)) {
            put_name(lines, "fi=", own_path);
        }
        path = own_path;
        put_cost(lines, label, callgrind->own.items[number]);
        size_t pair; // the first one of this caller
        PARTITION_POINT(pair, callgrind->pairs.count,
                        callgrind->pairs.items[middle].caller < number);
        while (pair < callgrind->pairs.count && callgrind->pairs.items[pair].caller == number)
            put_calls(lines, label, &pair);
    }
}

// --- All of it -----------------------------------------------------------------------------------

bool callgrind_write(struct callgrind *callgrind, struct out *out, struct names *names,
                     struct source_lines *places, uint64_t hz, bool counts, const char *title)
{
    const struct writer writer = {callgrind, out, names, hz};
    size_t pair = 0;
    if (!callgrind->labels) {
        if (!VEC_ROOM(&callgrind->places, callgrind->own.count))
            return false;
        for (size_t i = 0; i < callgrind->own.count; i++) {
            struct source_location *place = &callgrind->places.items[i];
            if (!source_lines_find(places, names, callgrind->stack.ids.pcs.items[i], place))
                *place = (struct source_location){0};
        }
    }
    out_text(out, "# callgrind format\nversion: 1\ncreator: trawl " TRAWL_VERSION "\ncmd: ");
    out_clean(out, title);
    out_text(out, callgrind->by_instruction ? "\npositions: instr line\nevents: "
                                            : "\npositions: line\nevents: ");
    out_text(out, hz ? "Nanoseconds\n\n" : counts ? "Instructions\n\n" : "Ticks\n\n");
    if (callgrind->labels) {
        struct by_lines lines = {.writer = writer};
        bool is_whole = sort_labels(&lines);
        if (is_whole) {
            sort_pairs(writer.callgrind);
            if (writer.callgrind->pairs.count)
                qsort_r(writer.callgrind->pairs.items, writer.callgrind->pairs.count,
                        sizeof *writer.callgrind->pairs.items, compare_calls, &lines);
            put_by_lines(&lines);
        }
        free(lines.order);
        free(lines.group);
        return is_whole;
    }
    sort_pairs(callgrind);
    for (uint32_t function = 0; function < callgrind->own.count; function++) {
        if (!function || !is_same_file(&writer, function, function - 1))
            put_file(&writer, "fl=", function);
        put_function(&writer, "fn=", function);
        put_ticks(&writer, function, callgrind->own.items[function]);
        for (; pair < callgrind->pairs.count && callgrind->pairs.items[pair].caller == function;
             pair++)
            put_pair(&writer, &callgrind->pairs.items[pair]);
        out_byte(out, '\n');
    }
    return true;
}

void callgrind_free(struct callgrind *callgrind)
{
    stack_ids_free(&callgrind->stack);
    free(callgrind->own.items);
    free(callgrind->places.items);
    free(callgrind->pairs.items);
    hash_index_free(&callgrind->by_functions);
}
