// The results of the scan of lines: nodes, transfers of control, visits.
#include "test.h"
#include "trace/lines/parse.h"
#include "trace/lines/scan.h"
#include "trace/tarmac/tarmac.h"

#include <stdio.h>

static const uint64_t watched[] = {WATCH_EXCEPTIONS, 0x1000, 0x2000};

struct scanned {
    struct parsed_chunk parsed;
    struct lane_state state;
    struct scan_result result;
};

static void scan_text(struct scanned *scanned, const char *text)
{
    const struct parse_options options = {.language = &tarmac_language,
                                          .how = {.reading = READING_TTU}};
    const struct reader_state start = {LINE_CONTEXT_START, {""}};
    const struct source_chunk chunk = {text, strlen(text), 0, 0, false, true};
    const struct chunk_base base = {0, 0};
    const struct scan_options keep = {
        .language = &tarmac_language, .watch = {watched, ARRAY_COUNT(watched)}, .keep_nodes = true};
    static struct branch_memo memo[BRANCH_MEMO_COUNT];
    *scanned = (struct scanned){.state = LANE_STATE_START, .result.memo = memo};
    CHECK(parse_chunk(&scanned->parsed, &chunk, &options, &start, NULL));
    CHECK(scanned->parsed.part_count == 1);
    if (scanned->parsed.part_count)
        CHECK(scan_marks(&scanned->state, &scanned->parsed.parts.items[0].marks, &chunk, &base,
                         &keep, &scanned->result));
}

static void free_scanned(struct scanned *scanned)
{
    parsed_chunk_free(&scanned->parsed);
    scan_result_free(&scanned->result);
}

#define IT(address) "IT " address " d503201f O : x\n"

static void nodes_are_cut_where_section_2_says(void)
{
    static const struct {
        const char *text;
        uint64_t nodes, last_line, last_time;
    } traces[] = {
        {"10 R r0 0\n10 " IT("1000") "10 R r1 0\n10 " IT("1000"), 2, 4, 10},
        {"10 " IT("1000") "11 R r0 0\n11 " IT("1000"), 2, 2, 11},
        {"30 " IT("1000") "25 R r0 0\n25 " IT("1000"), 2, 3, 30},
        {"10 " IT("1000") "20 R FOO 1\nR r1 0\n", 2, 3, 20},
        {"10 BR\n10 BR\n10 EXC\n", 1, 1, 10},
        {"BR\n0 BR\n" IT("1000"), 1, 1, 0},
        {"5 " IT("1000") "4 " IT("1000") "3 EXC\n", 2, 2, 5},
        {"5 R r0 --------\n6 BR\n", 1, 2, 6}, // writes nothing: no event
    };
    for (size_t i = 0; i < ARRAY_COUNT(traces); i++) {
        struct scanned scanned;
        scan_text(&scanned, traces[i].text);
        if (scanned.result.node_count != traces[i].nodes ||
            scanned.state.node.line != traces[i].last_line ||
            scanned.state.node.time != traces[i].last_time)
            test_fail(__FILE__, __LINE__, traces[i].text);
        free_scanned(&scanned);
    }
}

static void nodes_without_an_instruction_have_pc_2(void)
{
    struct scanned scanned;
    scan_text(&scanned, "10 " IT("1000") "11 BR\n");
    CHECK(scanned.state.node.pc == NODE_WITHOUT_PC && scanned.state.previous.pc == 0x1000);
    free_scanned(&scanned);
    scan_text(&scanned, "10 BR\n10 IT 1000 46c0 T16 : x\n");
    CHECK(scanned.state.node.pc == 0x1001 && scanned.state.node.position == 0);
    CHECK(scanned.result.has_root && scanned.result.root.line == 1);
    free_scanned(&scanned);
}

static void visits_are_listed_with_their_nodes(void)
{
    struct scanned scanned;
    scan_text(&scanned,
              "1 R r0 0\n1 " IT("1000") "1 IT 1001 46c0 T16 : x\n1 EXC\n2 " IT("3000") "2 EXC\n");
    const struct visit *visits = scanned.result.visits.items;
    CHECK(scanned.result.visits.count == 4);
    CHECK(visits[0].watch == 1 && visits[0].line == 1 && visits[0].event == 0);
    CHECK(visits[1].watch == 1 && visits[1].line == 3 && visits[1].event == 1);
    CHECK(visits[2].watch == 0 && visits[2].line == 3 && visits[2].time == 1);
    CHECK(visits[3].watch == 0 && visits[3].line == 5 && visits[3].time == 2);
    free_scanned(&scanned);
}

// Scans a trace that ends in a transfer. False: it does not. Returns the last transfer.
static bool last_transfer(const char *text, struct transfer *transfer)
{
    struct scanned scanned;
    scan_text(&scanned, text);
    size_t count = scanned.result.transfers.count;
    if (count)
        *transfer = scanned.result.transfers.items[count - 1];
    bool is_last = count && transfer->node.line == scanned.state.node.line;
    free_scanned(&scanned);
    return is_last;
}

static bool is_call(const char *text)
{
    struct transfer transfer;
    return last_transfer(text, &transfer) && transfer.may_be_call;
}

// LR is fresh if it was written by the branch itself, or up to six instructions before it.
static void link_register_is_fresh_for_seven_instructions(void)
{
    for (int behind = 0; behind < 12; behind++) {
        char text[2000];
        int length = sprintf(text, "0 " IT("1000") "1 R X30 %016x\n", 0x1004 + 4 * behind);
        for (int i = 0; i < behind; i++)
            length += sprintf(text + length, "%d IT %x d503201f O : x\n", 2 + i, 0x1004 + 4 * i);
        sprintf(text + length, "90 " IT("5000"));
        CHECK(is_call(text) == (behind <= 6));
    }
}

static void link_register_is_near_the_next_address(void)
{
    static const int distances[] = {-65, -64, -63, -1, 0, 1, 63, 64, 65};
    for (size_t i = 0; i < ARRAY_COUNT(distances); i++) {
        char text[300];
        snprintf(text, sizeof text, "0 " IT("1000") "0 R X30 %016x\n1 " IT("5000"),
                 0x1004 + distances[i]);
        CHECK(is_call(text) == (distances[i] > -64 && distances[i] < 64));
    }
}

static void transfers_close_the_window(void)
{
    CHECK(is_call("0 " IT("1000") "0 R X30 0000000000001004\n1 " IT("5000")));
    CHECK(!is_call(
        "0 " IT("1000") "0 R X30 0000000000001004\n1 " IT("5000") "2 " IT("1000") "3 " IT("5000")));
}

static void link_register_is_that_of_the_state_before(void)
{
    // Written in the target's own node: not seen yet, but the window is open.
    CHECK(!is_call("0 " IT("1000") "1 R X30 0000000000001004\n1 " IT("5000")));
    // r14 is not the link register in AArch64 state, and x30 is not in AArch32 state.
    CHECK(!is_call("0 " IT("1000") "0 R r14 00001004\n1 " IT("5000")));
    CHECK(is_call("0 IT 1000 e1a00000 A : x\n0 R r14 00001004\n1 IT 5000 e1a00000 A : x\n"));
    CHECK(
        is_call("0 IT 1000 e1a00000 A : x\n0 R X14 ffffffff00001004\n1 IT 5000 e1a00000 A : x\n"));
    CHECK(
        !is_call("0 IT 1000 e1a00000 A : x\n0 R X30 0000000000001004\n1 IT 5000 e1a00000 A : x\n"));
    // A half that is unknown makes x30 unknown.
    CHECK(!is_call("0 " IT("1000") "0 R W30 00001004\n1 " IT("5000")));
}

static void thumb_addresses_have_their_bit(void)
{
    struct transfer transfer;
    CHECK(last_transfer("0 IT 1000 f000 T16 : x\n0 R r14 00001003\n1 IT 5000 46c0 T16 : x\n",
                        &transfer));
    CHECK(transfer.may_be_call && transfer.return_address == 0x1003 && transfer.node.pc == 0x5001);
    // 63 from 1003 (with the Thumb bit), but 64 from 1002.
    CHECK(is_call("0 IT 1000 f000 T16 : x\n0 R r14 00001042\n1 IT 5000 46c0 T16 : x\n"));
    CHECK(!is_call("0 IT 1000 f000 A : x\n0 R r14 00001042\n1 IT 5000 46c0 T16 : x\n"));
    // A change of state between consecutive instructions is no transfer.
    CHECK(!last_transfer("0 IT 1000 e1a00000 A : x\n1 IT 1004 46c0 T16 : x\n", &transfer));
}

static void unknown_stack_pointers_are_the_highest(void)
{
    struct transfer transfer;
    CHECK(last_transfer("0 " IT("1000") "1 " IT("5000"), &transfer) && transfer.sp == UINT64_MAX);
    CHECK(last_transfer("0 R XSP 0000000000008000\n0 " IT("1000") "1 " IT("5000"), &transfer));
    CHECK(transfer.sp == 0x8000 && transfer.previous.line == 1 && transfer.node.line == 3);
    CHECK(last_transfer("0 R r13 ffffffff\n0 IT 1000 e1a00000 A : x\n1 IT 5000 e1a00000 A : x\n",
                        &transfer));
    CHECK(transfer.sp == UINT32_MAX);
}

static void writes_to_sp_drop_what_lies_below_the_value_before(void)
{
    struct transfer transfer;
    CHECK(last_transfer(
        "0 R XSP 0000000000008000\n0 " IT("1000") "1 R XSP 0000000000009000\n"
                                                  "1 R XSP 0000000000007000\n1 " IT(
                                                      "1004") "2 R WSP 00000000\n2 " IT("5000"),
        &transfer));
    // At the first write nothing was known, at the two writes of node 2 it was 8000, at the last
    // 7000.
    CHECK(transfer.drop_below == 0x8000 && transfer.sp == 0x7000);
    struct scanned scanned;
    scan_text(&scanned, "0 R XSP 0000000000008000\n0 " IT("1000") "1 R XSP 0000000000009000\n");
    CHECK(scanned.result.transfers.count == 0 && scanned.result.drop_below_at_end == 0x8000);
    free_scanned(&scanned);
}

static void nothing_is_inferred_behind_a_line_that_was_left_out(void)
{
    struct transfer transfer;
    CHECK(last_transfer("0 " IT("1000") "1 IT zz\n2 " IT("5000"), &transfer) && transfer.is_gap);
    CHECK(!last_transfer("0 " IT("1000") "1 IT zz\n2 " IT("1004"), &transfer));
    CHECK(!last_transfer("1 IT zz\n2 " IT("5000"), &transfer));
    CHECK(last_transfer("0 " IT("1000") "1 R r0 12\n2 " IT("5000"), &transfer) && !transfer.is_gap);
    CHECK(last_transfer("0 " IT("1000") "1 IT zz\n2 " IT("5000") "3 " IT("1000"), &transfer) &&
          !transfer.is_gap);
}

static void ends_of_ranges_are_found_again(void)
{
    static const char text[] =
        "5 BR\n5 " IT("1000") "5 " IT("1004") "3 R r0 0\n9 EXC\n9 " IT("1008") "12 BR\n";
    static const struct {
        struct call_range range;
        uint64_t first_line, last_line; // 0: none
    } cases[] = {
        {{0, 9, 1, UINT64_MAX}, 3, 5},           {{6, 11, 0, UINT64_MAX}, 5, 5},
        {{10, 11, 0, UINT64_MAX}, 0, 5},         {{5, UINT64_MAX, 2, 2}, 5, 5},
        {{10, UINT64_MAX, 0, UINT64_MAX}, 7, 7}, {{0, 4, 0, UINT64_MAX}, 0, 0},
    };
    const struct lane_state start = LANE_STATE_START;
    const struct chunk_base base = {0, 0};
    struct scanned scanned;
    scan_text(&scanned, text);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct call_consumer nobody = {0};
        struct clip clip;
        clip_init(&clip, &cases[i].range, &nobody);
        scan_pass_clip(&start, &scanned.parsed.parts.items[0].marks, &base, 0, &clip);
        CHECK((clip.has_first ? clip.first.line : 0) == cases[i].first_line);
        CHECK((clip.has_last ? clip.last.line : 0) == cases[i].last_line);
    }
    free_scanned(&scanned);
}

const struct test_case scan_tests[] = {
    {"nodes_are_cut_where_section_2_says", nodes_are_cut_where_section_2_says},
    {"nodes_without_an_instruction_have_pc_2", nodes_without_an_instruction_have_pc_2},
    {"visits_are_listed_with_their_nodes", visits_are_listed_with_their_nodes},
    {"link_register_is_fresh_for_seven_instructions",
     link_register_is_fresh_for_seven_instructions},
    {"link_register_is_near_the_next_address", link_register_is_near_the_next_address},
    {"transfers_close_the_window", transfers_close_the_window},
    {"link_register_is_that_of_the_state_before", link_register_is_that_of_the_state_before},
    {"thumb_addresses_have_their_bit", thumb_addresses_have_their_bit},
    {"unknown_stack_pointers_are_the_highest", unknown_stack_pointers_are_the_highest},
    {"writes_to_sp_drop_what_lies_below_the_value_before",
     writes_to_sp_drop_what_lies_below_the_value_before},
    {"nothing_is_inferred_behind_a_line_that_was_left_out",
     nothing_is_inferred_behind_a_line_that_was_left_out},
    {"ends_of_ranges_are_found_again", ends_of_ranges_are_found_again},
    {NULL, NULL},
};
