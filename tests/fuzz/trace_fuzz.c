// The whole pass: its result must not depend on the division of a trace into chunks, nor on the
// number of threads. Everything that an observer or a consumer of calls receives is hashed, and the
// hashes of all ways of reading must be equal.
//
// Input: a byte of options, then the trace: of a RISC-V log if bit 4 is set.
#include "fuzz.h"

#include "flow/calls.h"
#include "trace/lines/pipeline.h"
#include "trace/riscv/forms.h"
#include "trace/riscv/riscv.h"
#include "trace/tarmac/tarmac.h"

static const uint64_t watched[] = {WATCH_EXCEPTIONS, 0x8000, 0x8004, 0x80000};

// --- The hash ------------------------------------------------------------------------------------

struct print {
    uint64_t lines;     // notes and faults, in order
    uint64_t transfers; // a sum, because several lanes give theirs in any order
    uint64_t results;
    uint64_t faults_seen;
    bool stops;
};

// Faults beyond LIMIT_DAMAGE_KEPT in a chunk are only counted.
static bool see_fault(void *self, const struct line_fault *fault)
{
    struct print *print = self;
    if (print->faults_seen++ >= LIMIT_DAMAGE_KEPT)
        return true;
    uint64_t hash = fuzz_mix(print->lines, fault->line);
    hash = fuzz_mix(hash, fault->offset);
    hash = fuzz_mix(hash, fault->header_lines);
    hash = fuzz_mix(hash, (uint64_t)fault->has_events * 2 + fault->is_partial);
    hash = fuzz_mix(hash, fault->fault.column);
    hash = fuzz_mix(hash, fault->fault.length);
    hash = fuzz_mix_bytes(hash, fault->fault.text, strlen(fault->fault.text));
    print->lines = fuzz_mix_bytes(hash, fault->text, fault->length);
    return !print->stops;
}

static void see_note(void *self, const struct line_note_report *note)
{
    struct print *print = self;
    uint64_t hash = fuzz_mix(print->lines, note->line);
    hash = fuzz_mix(hash, note->offset);
    hash = fuzz_mix(hash, (uint64_t)note->note * 2 + note->is_first_event);
    print->lines = fuzz_mix_bytes(hash, note->subject, note->subject_length);
}

static uint64_t mix_node(uint64_t hash, const struct node_ref *node)
{
    hash = fuzz_mix(hash, node->event);
    hash = fuzz_mix(hash, node->time);
    hash = fuzz_mix(hash, node->line);
    hash = fuzz_mix(hash, node->position);
    return fuzz_mix(hash, node->pc);
}

static void see_transfer(void *self, const struct transfer *transfer,
                         const struct call_decision *decision, uint64_t header_lines)
{
    struct print *print = self;
    uint64_t hash = mix_node(mix_node(header_lines, &transfer->previous), &transfer->node);
    hash = fuzz_mix(hash, transfer->sp);
    hash = fuzz_mix(hash, transfer->may_be_call ? transfer->return_address : 0);
    hash = fuzz_mix(hash, (uint64_t)decision->is_return * 2 + decision->is_call);
    print->transfers += fuzz_mix(hash, decision->is_return ? decision->returned_line : 0);
}

// A sequence of calls as a polynomial: words[0] is its value, words[1] the power; 0: none.
static bool see_merge(void *self, struct call_content *into, const struct call_content *from)
{
    (void)self;
    if (from->words[1] == 0)
        return true;
    into->words[0] = into->words[0] * from->words[1] + from->words[0];
    into->words[1] = (into->words[1] ? into->words[1] : 1) * from->words[1];
    return true;
}

static bool see_call(void *self, struct call_content *into, const struct call *call,
                     const struct call_content *inner)
{
    uint64_t hash = mix_node(mix_node(call->is_open, &call->site), &call->entry);
    hash = mix_node(mix_node(hash, &call->exit), &call->resume);
    hash = fuzz_mix(fuzz_mix(hash, inner->words[0]), inner->words[1]);
    const struct call_content one = {{hash, UINT64_C(0x9e3779b97f4a7c15)}};
    return see_merge(self, into, &one);
}

static uint64_t mix_lane(uint64_t hash, const struct lane_result *lane)
{
    hash = fuzz_mix_bytes(hash, lane->name, strlen(lane->name));
    hash = fuzz_mix(fuzz_mix(hash, lane->events), lane->nodes);
    hash = fuzz_mix(fuzz_mix(hash, lane->instructions), lane->has_root);
    if (lane->has_root)
        hash = mix_node(hash, &lane->root);
    if (lane->nodes)
        hash = mix_node(hash, &lane->last);
    hash = fuzz_mix(fuzz_mix(hash, lane->calls.words[0]), lane->calls.words[1]);
    hash = fuzz_mix(fuzz_mix(hash, lane->counts.transfers), lane->counts.returned);
    hash = fuzz_mix(fuzz_mix(hash, lane->counts.dropped), lane->counts.unreturned);
    for (uint32_t watch = 0; watch < ARRAY_COUNT(watched); watch++) {
        const struct visit *visit = visit_log_first(&lane->visits, watch);
        for (; visit; visit = visit_log_next(&lane->visits, visit)) {
            hash = fuzz_mix(fuzz_mix(hash, visit->watch), visit->event);
            hash = fuzz_mix(fuzz_mix(hash, visit->time), visit->line);
            hash = fuzz_mix(hash, visit->position);
        }
    }
    return hash;
}

static uint64_t mix_result(const struct pass_result *result)
{
    uint64_t hash = result->lane_count;
    for (size_t i = 0; i < result->lane_count; i++)
        hash = mix_lane(hash, &result->lanes[i]);
    hash = fuzz_mix(fuzz_mix(hash, result->lines), result->bytes);
    hash = fuzz_mix(fuzz_mix(hash, result->header_lines), result->damaged_lines);
    return fuzz_mix(fuzz_mix(hash, result->damaged_bytes), result->lines_of_refused_lanes);
}

// --- Ways to read --------------------------------------------------------------------------------

static struct print read_trace(const char *path, uint8_t choice, uint64_t chunk_bytes,
                               unsigned threads)
{
    struct print print = {.stops = choice & 4};
    const bool is_riscv = choice & 16;
    uint32_t dialect = is_riscv ? (choice & 1) | (uint32_t)choice >> 5 << 1 : 0;
    if (is_riscv && choice & 2) // of another form than Spike's
        dialect = (1 + (uint32_t)(choice >> 5) % (RISCV_FORM_COUNT - 1)) << RISCV_FORM_SHIFT |
                  (choice & 1 ? RISCV_IS_32 : 0);
    const bool is_timed = dialect >> RISCV_FORM_SHIFT == RISCV_FORM_IBEX;
    const struct pass_observer observer = {
        &print, see_note, see_fault, NULL, see_transfer,
    };
    const struct pass_options options = {
        .how = {.reading = choice & 1 && !is_riscv ? READING_TTU : READING_TRUE,
                .implicit_state = choice & 2,
                .dialect = dialect},
        .threads = threads,
        .chunk_bytes = chunk_bytes,
        .stop_at_fault = print.stops,
        .keep_open_calls = choice & 8,
        .watch = {watched, ARRAY_COUNT(watched)},
        .consumer = {.fold = see_call, .merge = see_merge},
    };
    struct source *source;
    struct pass_result result;
    struct error err;
    CLAIM(source_open(&source, path, SOURCE_RAW, &err) == STATUS_OK);
    CLAIM(pipeline_run(is_timed   ? &riscv_timed_language
                       : is_riscv ? &riscv_language
                                  : &tarmac_language,
                       source, &options, &observer, &result, NULL, &err) == STATUS_OK);
    if (!result.stopped_at_fault) // otherwise the rest is not used
        print.results = mix_result(&result);
    else
        print.transfers = 0;
    pass_result_free(&result);
    source_close(source);
    return print;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static const struct {
        uint64_t chunk_bytes;
        unsigned threads;
    } ways[] = {{1, 1}, {64, 1}, {1, 2}, {300, 2}};
    if (size_bytes == 0)
        return 0;
    const char *path = fuzz_file(data + 1, size_bytes - 1);
    const struct print whole = read_trace(path, data[0], LIMIT_CHUNK_BYTES_MAX, 1);
    for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
        struct print print = read_trace(path, data[0], ways[i].chunk_bytes, ways[i].threads);
        CLAIM(print.lines == whole.lines);
        CLAIM(print.results == whole.results);
        CLAIM(print.transfers == whole.transfers);
    }
    return 0;
}
