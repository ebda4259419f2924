// Any bytes as a trace of any kind: its index is the same for any division into chunks, any number
// of threads and any instruction set; the whole index is sound; and a report from the index is the
// same as from the trace.
//
// Input: a byte of choices, a byte for the size of segments, then the trace.
#include "indexed.h"
#include "questions.h"

#include "flow/call_list.h"

enum { SIZE_BYTES_MAX = 1 << 16 };

// --- Reports -------------------------------------------------------------------------------------

struct told {
    uint64_t hash, faults;
};

static bool tell_fault(void *self, const struct line_fault *fault)
{
    struct told *told = self;
    if (told->faults++ >= LIMIT_DAMAGE_KEPT)
        return true;
    told->hash = fuzz_mix(fuzz_mix(told->hash, fault->line), fault->offset);
    told->hash = fuzz_mix_bytes(told->hash, fault->fault.text, strlen(fault->fault.text));
    return true;
}

static void tell_note(void *self, const struct line_note_report *note)
{
    struct told *told = self;
    told->hash = fuzz_mix(fuzz_mix(told->hash, note->line), note->note);
    told->hash = fuzz_mix_bytes(told->hash, note->subject, note->subject_length);
}

static uint64_t mix_place(uint64_t hash, const struct node_ref *node)
{
    hash = fuzz_mix(fuzz_mix(hash, node->event), node->time);
    return fuzz_mix(fuzz_mix(hash, node->line), node->pc);
}

// A call and the calls in it, as stored in an index, for any of several lists.
static uint64_t mix_calls(uint64_t hash, struct call_list *list, const struct call_content *content,
                          unsigned depth)
{
    struct listed_call listed;
    for (call_ref place = call_list_first(content); place; place = listed.next_sibling) {
        call_list_read(list, place, &listed);
        hash = mix_place(mix_place(hash, &listed.call.entry), &listed.call.exit);
        hash = fuzz_mix(fuzz_mix(hash, depth), listed.call.is_open);
        const struct call_content inner = {{listed.first_child, 0}};
        if (depth < 200)
            hash = mix_calls(hash, list, &inner, depth + 1);
    }
    return hash;
}

static uint64_t mix_report(uint64_t hash, struct call_list *list, const struct pass_result *result)
{
    hash = fuzz_mix(fuzz_mix(hash, result->lane_count), result->lines);
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct lane_result *lane = &result->lanes[i];
        hash = fuzz_mix_bytes(hash, lane->name, strlen(lane->name));
        hash = fuzz_mix(fuzz_mix(hash, lane->events), lane->nodes);
        hash = fuzz_mix(fuzz_mix(hash, lane->instructions), lane->has_root);
        hash = fuzz_mix(fuzz_mix(hash, lane->counts.returned), lane->counts.unreturned);
        hash = mix_calls(hash, list, &lane->calls, 0);
    }
    return hash;
}

// What a report receives from the trace, or from trace->index. False: not possible.
static bool report(struct trace *trace, const struct indexed_way *way, uint64_t *hash)
{
    struct told told = {0};
    const struct pass_observer observer = {&told, tell_note, tell_fault, NULL, NULL};
    struct pass_options options = indexed_pass(way);
    struct call_list list = {0};
    struct pass_result result;
    struct error err;
    options.keep_open_calls = true;
    options.consumer = call_list_consumer(&list);
    bool is_done = trace->kind->run(trace, &options, &observer, &result, &err) == STATUS_OK;
    if (is_done) {
        *hash = mix_report(told.hash, &list, &result);
        pass_result_free(&result);
    }
    call_list_free(&list);
    return is_done;
}

static void check_reports(const char *path, const struct indexed_way *way,
                          const struct indexed *index)
{
    uint64_t of_trace, of_index;
    struct error err;
    struct trace *trace = indexed_trace(path, way);
    CLAIM(trace);
    if (trace_can(trace, TRACE_CALLS | TRACE_REPLAYS)) {
        CLAIM(report(trace, way, &of_trace));
        CLAIM(trawl_open_bytes(&trace->index, "index", index->bytes, index->size_bytes, NULL) ==
              TRAWL_OK);
        CLAIM(trace_take_index(trace, trace->index, &err) == STATUS_OK);
        if (report(trace, way, &of_index))
            CLAIM(of_trace == of_index);
    }
    trace_close(trace);
}

// --- Indexes -------------------------------------------------------------------------------------

// The index is the same for all ways to build it: `choice` selects two of them.
static void check_same(const char *path, const struct indexed_way *usual,
                       const struct indexed *index, unsigned choice)
{
    const struct {
        uint64_t chunk_bytes;
        unsigned threads;
        enum simd simd;
    } ways[] = {
        {64, 1, usual->simd},
        {300, 2, usual->simd},
        {1 << 20, 1, SIMD_SCALAR},
        {1, 2, simd_is_here(SIMD_AVX2) ? SIMD_AVX2 : SIMD_SCALAR},
    };
    for (size_t i = choice & 1; i < ARRAY_COUNT(ways); i += 2) {
        struct indexed_way way = *usual;
        way.chunk_bytes = ways[i].chunk_bytes;
        way.threads = ways[i].threads;
        way.simd = ways[i].simd;
        struct trace *trace = indexed_trace(path, &way);
        CLAIM(trace);
        struct indexed other = indexed_make(trace, &way);
        CLAIM(other.size_bytes == index->size_bytes);
        CLAIM(!index->bytes || memcmp(other.bytes, index->bytes, index->size_bytes) == 0);
        free(other.bytes);
        trace_close(trace);
    }
}

static void check_sound(const struct indexed *made)
{
    struct trawl_index *index;
    CLAIM(trawl_open_bytes(&index, "index", made->bytes, made->size_bytes, NULL) == TRAWL_OK);
    CLAIM(trawl_verify(index, NULL) == TRAWL_OK);
    ask_all(index);
    trawl_close(index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    if (size_bytes < 3 || size_bytes > SIZE_BYTES_MAX)
        return 0;
    const char *path = fuzz_file(data + 2, size_bytes - 2);
    const struct indexed_way way = {
        .how = {.reading = data[0] & 1 ? READING_TTU : READING_TRUE, .implicit_state = data[0] & 2},
        .threads = 1,
        .chunk_bytes = 1 << 20,
        .segment_events = data[1] < 200 ? 1 + data[1] : 131072,
        .simd = simd_here(),
    };
    struct trace *trace = indexed_trace(path, &way);
    if (!trace)
        return 0;
    struct indexed index = indexed_make(trace, &way);
    trace_close(trace);
    check_same(path, &way, &index, data[0] >> 2);
    if (index.bytes) {
        check_sound(&index);
        check_reports(path, &way, &index);
    }
    free(index.bytes);
    return 0;
}
