#include "trace/lines/survey.h"

#include "trace/lines/parse.h"

#include <stdlib.h>

// The largest number of marks of a lane before its state is known.
#define SURVEY_MARKS_MAX ((size_t)1 << 20)

// After this many instructions, the age of LR, the node and the one before it, the mode and the
// next PC follow from them alone.
#define INSTRUCTIONS_ENOUGH (LR_AGE_MAX + 1)

// Placeholder for the return address of an exception if it is not in the shard.
#define RESUME_CARRIED (SP_CARRIED(BANKED_COUNT - 1) - 1)

const char *survey_obstacle_text(enum survey_obstacle obstacle)
{
    static const char *const texts[] = {
        [SURVEY_TWO_STACKS] = "its cores have two stack pointers",
        [SURVEY_LIMITS] = "it has more cores or registers than are kept",
        [SURVEY_STOPPED] = "a line cannot be read",
        [SURVEY_LONG_START] = "a core executes too few instructions in a piece",
        [SURVEY_NO_TIME] = "one of its times is 0xffffffffffffffff",
        [SURVEY_IN_LINE] = "a piece begins in a line that is too long",
        [SURVEY_OTHER_START] = "a piece begins with continuation lines",
        [SURVEY_TIMES] = "times do not rise where a piece begins",
        [SURVEY_VECTORS] = "it has vectors whose length no survey tells",
    };
    return texts[obstacle];
}

struct lane_carry survey_carry_start(void)
{
    struct lane_carry carry = LANE_CARRY_START;
    for (unsigned at = 0; at < BANKED_COUNT; at++) {
        carry.pointers.value[at] = SP_CARRIED(at);
        carry.pointers.written |= 1U << at;
    }
    carry.resume = RESUME_CARRIED;
    return carry;
}

void survey_free(struct survey *survey)
{
    for (size_t i = 0; i < survey->lanes.count; i++) {
        free(survey->lanes.items[i].marks.items);
        free(survey->lanes.items[i].patches.items);
    }
    free(survey->lanes.items);
    register_names_free(&survey->names);
    unknown_words_free(&survey->unknown_words);
    message_log_free(&survey->messages);
    free(survey->hashes.items);
    *survey = (struct survey){0};
}

void pass_entry_free(struct pass_entry *entry)
{
    free(entry->lanes.items);
    lane_table_free(&entry->lane_table);
    register_names_free(&entry->names);
    unknown_words_free(&entry->unknown_words);
    *entry = (struct pass_entry){0};
}

// --- Making one ----------------------------------------------------------------------------------

static bool take_mark(struct lane_survey *lane, const struct marks *marks, size_t at,
                      uint64_t counted, uint64_t lines, uint64_t bytes)
{
    struct mark mark = marks->items[at];
    if (!VEC_ROOM(&lane->marks, 1) || !VEC_ROOM(&lane->patches, 1))
        return false;
    if (mark.summary.kind == MARK_REGISTERS) {
        lane->patches.items[lane->patches.count] = marks->patches.items[mark.value];
        mark.value = lane->patches.count++;
    }
    mark.time += counted;
    mark.line += (uint32_t)lines;
    mark.position += (uint32_t)bytes;
    lane->marks.items[lane->marks.count++] = mark;
    lane->instruction_count += mark.summary.kind == MARK_INSTRUCTION;
    return true;
}

size_t survey_take_marks(struct survey *survey, struct lane_survey *lane, const struct marks *marks,
                         uint64_t counted, uint64_t lines, uint64_t bytes)
{
    size_t at = 0;
    for (; at < marks->count && !lane->is_complete; at++) {
        const struct mark *mark = &marks->items[at];
        if (lane->marks.count == SURVEY_MARKS_MAX || lines + mark->line > UINT32_MAX ||
            bytes + mark->position > UINT32_MAX) {
            survey->obstacle = SURVEY_LONG_START;
            return at;
        }
        if (!take_mark(lane, marks, at, counted, lines, bytes))
            return SIZE_MAX;
        lane->is_complete = lane->instruction_count == INSTRUCTIONS_ENOUGH;
    }
    return at;
}

// A part of the marks, for a scan.
static struct marks marks_from(const struct marks *marks, size_t from, size_t count)
{
    struct marks part = *marks;
    part.items += from;
    part.count = count;
    return part;
}

static const struct scan_options state_alone = {.drop_transfers = true, .keep_modes = true};

bool survey_scan_rest(const struct lane_state *start, const struct marks *marks, size_t taken,
                      const struct source_chunk *chunk, const struct chunk_base *base,
                      struct scan_result *result)
{
    struct lane_state state = *start;
    struct scan_result rest = {.memo = result->memo};
    const struct marks before = marks_from(marks, 0, taken);
    const struct marks after = marks_from(marks, taken, marks->count - taken);
    bool has_memory = scan_marks(&state, &before, NULL, base, &state_alone, &rest) &&
                      scan_marks(&state, &after, chunk, base, &state_alone, &rest);
    const struct branch last = result->carry.branch; // of the part's last instruction
    result->carry = rest.carry;
    result->carry.branch = last;
    result->has_instruction = rest.has_instruction;
    scan_result_free(&rest);
    return has_memory;
}

// --- Putting them together -----------------------------------------------------------------------

static struct entry_lane *find_lane(struct pass_entry *entry, const struct lane_name *name)
{
    const struct lane_items items = {entry->lanes.items, sizeof *entry->lanes.items,
                                     entry->lanes.count};
    size_t found = lane_table_find(&entry->lane_table, &items, name->text, strlen(name->text));
    if (found != SIZE_MAX)
        return &entry->lanes.items[found];
    if (!VEC_ROOM(&entry->lanes, 1))
        return NULL;
    struct entry_lane *lane = &entry->lanes.items[entry->lanes.count++];
    *lane = (struct entry_lane){.name = *name,
                                .state = LANE_STATE_START,
                                .carry = LANE_CARRY_START,
                                .last_event = NO_EVENT};
    return lane;
}

// Whether the lane's first event in the shard begins a node, independent of what was before it.
static bool begins_anew(const struct entry_lane *lane, const struct lane_survey *survey)
{
    for (size_t i = 0; i < survey->marks.count; i++) {
        if (survey->marks.items[i].summary.kind < MARK_GAP)
            return !lane->state.has_node ||
                   lane->state.counted + survey->marks.items[i].time > lane->state.time;
    }
    return true;
}

static void rebase(struct node_ref *node, const struct chunk_base *base)
{
    node->line += base->line;
}

// The state after a shard that continues after the marks of its beginning.
static void take_state(struct lane_state *state, const struct lane_survey *survey,
                       const struct chunk_base *base)
{
    struct lane_state after = survey->state;
    after.now = after.before = state->now;
    register_bytes_overlay(&after.now, &survey->state.now);
    register_bytes_overlay(&after.before, &survey->state.before);
    rebase(&after.node, base);
    rebase(&after.previous, base);
    after.time += state->counted;
    after.node.time += state->counted;
    after.previous.time += state->counted;
    *state = after;
}

// Whether one of the lane's registers with banks, before its first instruction in the shard, is not
// the one in use.
static bool misses_bank(const struct lane_survey *survey, uint8_t mode)
{
    static const unsigned cells[TRACKED_COUNT] = {
        [TRACKED_X13] = 13, [TRACKED_X14] = 14, [TRACKED_X30] = 30, [TRACKED_XSP] = 31};
    for (size_t i = 0; i < survey->marks.count; i++) {
        const struct mark *mark = &survey->marks.items[i];
        if (mark->summary.kind == MARK_INSTRUCTION)
            return false;
        if (mark->summary.kind != MARK_REGISTERS)
            continue;
        for (int which = 0; which < TRACKED_COUNT; which++) {
            if (register_bytes_touch(&survey->patches.items[mark->value],
                                     (enum tracked_register)which, UINT64_MAX) &&
                !bank_is_in_use(cells[which], mark_bank(mark), mode_bank(mode)))
                return true;
        }
    }
    return false;
}

static enum status move_lane(struct pass_entry *entry, const struct lane_survey *survey,
                             const struct chunk_base *base, enum survey_obstacle *obstacle)
{
    struct entry_lane *lane = find_lane(entry, &survey->name);
    if (!lane)
        return STATUS_MEMORY;
    if (!begins_anew(lane, survey)) {
        *obstacle = SURVEY_TIMES;
        return STATUS_NOT_FOUND;
    }
    entry->readings_differ |= (survey->has_aarch64_doubt && lane_state_is_aarch64(&lane->state)) ||
                              misses_bank(survey, lane->state.mode);
    const struct marks marks = {.items = survey->marks.items,
                                .count = survey->marks.count,
                                .patches = {survey->patches.items, survey->patches.count, 0}};
    struct lane_state before = lane->state;
    struct scan_result result = {0};
    if (!scan_marks(&lane->state, &marks, NULL, base, &state_alone, &result))
        return STATUS_MEMORY;
    if (result.has_root && !lane->has_root) {
        lane->has_root = true;
        lane->root_event = lane->node_count + result.root.event;
    }
    entry->readings_differ |= scan_changes_bank(&result, &lane->carry);
    scan_carry(&result, &lane->carry);
    scan_result_free(&result);
    // Advances the data that the lane carries over what follows the marks of its beginning.
    const struct lane_carry *rest = &survey->carry;
    struct lane_carry left = *rest;
    sp_complete(&left.sp_at_exception, &lane->carry.pointers);
    lane_carry_exception(&lane->carry, &left, survey->has_instruction);
    lane_carry_key(&lane->carry, &left);
    if (rest->resume != RESUME_CARRIED)
        lane->carry.resume = rest->resume;
    if (survey->instruction_count)
        lane->carry.branch = rest->branch;
    for (unsigned at = 0; at < BANKED_COUNT; at++) {
        if (sp_is_carried(rest->pointers.value[at]))
            continue;
        lane->carry.pointers.value[at] = rest->pointers.value[at];
        lane->carry.pointers.written |= 1U << at;
    }
    if (survey->is_complete) {
        lane->state = before;
        take_state(&lane->state, survey, base);
    }
    lane->state.counted = before.counted + survey->state.counted;
    lane->vector_bytes = (uint32_t)u64_max(lane->vector_bytes, survey->vector_bytes);
    lane->node_count += survey->node_count;
    if (survey->last_event != NO_EVENT)
        lane->last_event = entry->events + survey->last_event;
    lane->event_count += survey->event_count;
    lane->instruction_count += survey->instructions_in_all;
    lane->has_aarch64 |= survey->has_aarch64;
    return STATUS_OK;
}

static enum status move_names(struct pass_entry *entry, const struct register_names *names,
                              enum survey_obstacle *obstacle)
{
    for (size_t i = 0; i < names->items.count; i++) {
        const struct named_register *item = &names->items.items[i];
        size_t length = strlen(item->name);
        uint32_t number = register_names_find(&entry->names, item->name, length);
        if (number == NO_REGISTER_NAME && entry->names.items.count == LIMIT_NAMED_REGISTERS) {
            *obstacle = SURVEY_LIMITS;
            return STATUS_NOT_FOUND;
        }
        number = register_names_add(&entry->names, item->name, length);
        if (number == NO_REGISTER_NAME)
            return STATUS_MEMORY;
        struct named_register *known = &entry->names.items.items[number];
        known->size_bytes = (uint32_t)u64_max(known->size_bytes, item->size_bytes);
        known->write_count += item->write_count;
    }
    return STATUS_OK;
}

enum status pass_entry_move(struct pass_entry *entry, const struct survey *survey,
                            enum survey_obstacle *obstacle)
{
    const struct chunk_base base = {entry->base.line, survey->position};
    *obstacle = SURVEY_SERVES;
    bool is_next = survey->position == entry->base.position;
    if (is_next && !survey->size_bytes) // then everything else is also empty
        return STATUS_OK;
    *obstacle = survey->obstacle;
    if (*obstacle == SURVEY_SERVES &&
        (!is_next || !reader_state_equal(&survey->guess, &entry->reader)))
        *obstacle = SURVEY_OTHER_START;
    if (*obstacle != SURVEY_SERVES)
        return STATUS_NOT_FOUND;
    for (size_t i = 0; i < survey->lanes.count; i++) {
        enum status status = move_lane(entry, &survey->lanes.items[i], &base, obstacle);
        if (status != STATUS_OK)
            return status;
    }
    if (entry->lanes.count > LIMIT_LANES)
        *obstacle = SURVEY_LIMITS;
    if (!entry->first_event_line && survey->first_event_line)
        entry->first_event_line = entry->base.line + survey->first_event_line;
    entry->readings_differ |= survey->readings_differ || entry->lanes.count > 1;
    entry->damaged_lines += survey->damaged_lines;
    entry->damaged_bytes += survey->damaged_bytes;
    entry->unknown_events += survey->unknown_events;
    doubts_join(&entry->doubts, &survey->doubts, entry->base.line);
    entry->events += survey->event_count;
    entry->base.line += survey->line_count;
    entry->base.position += survey->size_bytes;
    entry->reader = survey->end;
    if (*obstacle != SURVEY_SERVES)
        return STATUS_NOT_FOUND;
    if (!unknown_words_join(&entry->unknown_words, &survey->unknown_words))
        return STATUS_MEMORY;
    return move_names(entry, &survey->names, obstacle);
}
