// Surveys as bytes: one column with all numbers in a fixed order, and one text with all words. The
// same functions write and read them, so both use the same order.
#include "idx/index_format.h"
#include "trace/lines/survey.h"

#include <stdlib.h>

// After the parts of messages (flow/messages.h).
enum { PART_SURVEY_NUMBERS = PART_MESSAGE_TEXT + 1, PART_SURVEY_TEXT };

struct packing {
    bool reads;
    bool is_damaged, lacks_memory;
    VEC(, uint64_t) numbers;
    size_t at; // index of the next number when reading
    struct bytes text;
    const char *words; // when reading
    size_t words_bytes;
};

// --- Numbers and words ---------------------------------------------------------------------------

static uint64_t next_number(struct packing *packing)
{
    if (packing->at < packing->numbers.count)
        return packing->numbers.items[packing->at++];
    packing->is_damaged = true;
    return 0;
}

static void add_number(struct packing *packing, uint64_t number)
{
    if (!VEC_ROOM(&packing->numbers, 1))
        packing->lacks_memory = true;
    else
        packing->numbers.items[packing->numbers.count++] = number;
}

static void number(struct packing *packing, uint64_t *value)
{
    if (packing->reads)
        *value = next_number(packing);
    else
        add_number(packing, *value);
}

// A number of at most `max`.
static uint64_t small(struct packing *packing, uint64_t value, uint64_t max)
{
    if (!packing->reads) {
        add_number(packing, value);
        return value;
    }
    value = next_number(packing);
    if (value <= max)
        return value;
    packing->is_damaged = true;
    return 0;
}

static void flag(struct packing *packing, bool *value)
{
    *value = small(packing, *value, 1);
}

// A word that, with its NUL, fits into `capacity` bytes.
static void word(struct packing *packing, char *text, size_t capacity)
{
    if (!packing->reads) {
        packing->lacks_memory |= !bytes_append(&packing->text, text, strlen(text) + 1);
        return;
    }
    const char *end = packing->words_bytes ? memchr(packing->words, 0, packing->words_bytes) : NULL;
    size_t length = end ? (size_t)(end - packing->words) : 0;
    if (!end || length >= capacity) {
        packing->is_damaged = true;
        return;
    }
    memset(text, 0, capacity);
    memcpy(text, packing->words, length);
    packing->words += length + 1;
    packing->words_bytes -= length + 1;
}

// The number of items that follow, each of which has at least one number.
static size_t count(struct packing *packing, size_t items)
{
    return (size_t)small(packing, items, packing->numbers.count - packing->at);
}

static bool goes_on(const struct packing *packing)
{
    return !packing->is_damaged && !packing->lacks_memory;
}

// --- What a lane has -----------------------------------------------------------------------------

static void pack_registers(struct packing *packing, struct register_bytes *bytes)
{
    for (int i = 0; i < TRACKED_COUNT; i++) {
        number(packing, &bytes->value[i]);
        number(packing, &bytes->known[i]);
        const uint64_t forgotten = register_bytes_forgotten(bytes, (enum tracked_register)i);
        packing->is_damaged |= (forgotten & UINT64_C(0x0101010101010101)) * UINT8_MAX != forgotten;
    }
}

static void pack_node(struct packing *packing, struct node_ref *node)
{
    number(packing, &node->event);
    number(packing, &node->time);
    number(packing, &node->line);
    number(packing, &node->position);
    number(packing, &node->pc);
}

static uint8_t pack_mode(struct packing *packing, uint8_t mode)
{
    mode = (uint8_t)small(packing, mode, UINT8_MAX);
    if (mode_isa(mode) <= ISA_AARCH64 && mode_bank(mode) < SP_BANK_END)
        return mode;
    packing->is_damaged = true;
    return LANE_STATE_START.mode;
}

static void pack_carry(struct packing *packing, struct lane_carry *carry)
{
    uint64_t written = small(packing, carry->pointers.written, (UINT64_C(1) << BANKED_COUNT) - 1);
    carry->pointers.written = (uint32_t)written;
    for (unsigned at = 0; at < BANKED_COUNT; at++)
        number(packing, &carry->pointers.value[at]);
    carry->branch.kind = (enum branch_kind)small(packing, carry->branch.kind, BRANCH_LEAVES);
    flag(packing, &carry->branch.is_conditional);
    flag(packing, &carry->branch.ends_loop);
    number(packing, &carry->branch.pc);
    number(packing, &carry->branch.next);
    number(packing, &carry->branch.target);
    flag(packing, &carry->is_exception);
    number(packing, &carry->sp_at_exception);
    number(packing, &carry->resume);
    number(packing, &carry->key);
    carry->key_kind = (uint8_t)small(packing, carry->key_kind, KEY_KINDS - 1);
    number(packing, &carry->handler);
    number(packing, &carry->entered);
}

static void pack_lane(struct packing *packing, struct lane_survey *lane)
{
    word(packing, lane->name.text, sizeof lane->name.text);
    size_t patches = count(packing, lane->patches.count);
    size_t marks = count(packing, lane->marks.count);
    if (packing->reads &&
        (!VEC_EXTEND(&lane->patches, patches) || !VEC_EXTEND(&lane->marks, marks)))
        packing->lacks_memory = true;
    for (size_t i = 0; i < patches && goes_on(packing); i++)
        pack_registers(packing, &lane->patches.items[i]);
    for (size_t i = 0; i < marks && goes_on(packing); i++) {
        struct mark *mark = &lane->marks.items[i];
        number(packing, &mark->time);
        number(packing, &mark->value);
        mark->line = (uint32_t)small(packing, mark->line, UINT32_MAX);
        mark->position = (uint32_t)small(packing, mark->position, UINT32_MAX);
        mark->summary.kind = (uint8_t)small(packing, mark->summary.kind, MARK_KEY);
        mark->summary.mode = pack_mode(packing, mark->summary.mode);
        mark->summary.flags = (uint8_t)small(packing, mark->summary.flags, UINT8_MAX);
        mark->summary.size = (uint8_t)small(packing, mark->summary.size, UINT8_MAX);
        if ((mark->summary.kind == MARK_REGISTERS && mark->value >= patches) ||
            (mark->summary.kind == MARK_KEY && mark->summary.size >= KEY_KINDS))
            packing->is_damaged = true;
    }
    lane->instruction_count = (uint32_t)small(packing, lane->instruction_count, marks);
    flag(packing, &lane->is_complete);
    flag(packing, &lane->has_aarch64_doubt);
    flag(packing, &lane->has_instruction);
    flag(packing, &lane->has_aarch64);
    number(packing, &lane->state.time);
    flag(packing, &lane->state.has_node);
    flag(packing, &lane->state.has_instruction);
    flag(packing, &lane->state.has_root);
    flag(packing, &lane->state.has_flow);
    lane->state.mode = pack_mode(packing, lane->state.mode);
    lane->state.lr_age = (uint8_t)small(packing, lane->state.lr_age, LR_AGE_MAX);
    number(packing, &lane->state.next_pc);
    number(packing, &lane->state.counted);
    pack_node(packing, &lane->state.node);
    pack_node(packing, &lane->state.previous);
    pack_registers(packing, &lane->state.now);
    pack_registers(packing, &lane->state.before);
    pack_carry(packing, &lane->carry);
    lane->vector_bytes = (uint32_t)small(packing, lane->vector_bytes, REGISTER_BYTES_Z);
    number(packing, &lane->node_count);
    number(packing, &lane->last_event);
    number(packing, &lane->event_count);
    number(packing, &lane->instructions_in_all);
}

// --- The rest ------------------------------------------------------------------------------------

static void pack_reader(struct packing *packing, struct reader_state *reader)
{
    number(packing, &reader->context.time);
    reader->context.address_column =
        (uint32_t)small(packing, reader->context.address_column, UINT32_MAX);
    reader->context.wraps = (uint16_t)small(packing, reader->context.wraps, UINT16_MAX);
    flag(packing, &reader->context.address_is_read);
    word(packing, reader->lane.text, sizeof reader->lane.text);
}

static void pack_names(struct packing *packing, struct register_names *names)
{
    size_t have = count(packing, names->items.count);
    for (size_t i = 0; i < have && goes_on(packing); i++) {
        struct named_register read, *item = &read;
        uint32_t at = (uint32_t)i;
        if (!packing->reads)
            read = names->items.items[i];
        word(packing, read.name, sizeof read.name);
        size_t length = goes_on(packing) ? strlen(read.name) : 0;
        packing->is_damaged |= !register_name_fits(length) || i >= LIMIT_NAMED_REGISTERS;
        if (packing->reads && goes_on(packing)) {
            at = register_names_add(names, read.name, length);
            packing->lacks_memory |= at == NO_REGISTER_NAME;
            packing->is_damaged |= at != i;
        }
        if (!goes_on(packing))
            return;
        item = &names->items.items[at];
        item->size_bytes = (uint32_t)small(packing, item->size_bytes, UINT32_MAX);
        number(packing, &item->write_count);
    }
}

static void pack_unknown(struct packing *packing, struct unknown_words *words)
{
    size_t have = count(packing, words->items.count);
    for (size_t i = 0; i < have && goes_on(packing); i++) {
        struct unknown_word item = {0};
        if (!packing->reads)
            item = words->items.items[i];
        word(packing, item.text, sizeof item.text);
        number(packing, &item.line_count);
        if (packing->reads && goes_on(packing))
            packing->lacks_memory |=
                !unknown_words_add(words, item.text, strlen(item.text), item.line_count);
    }
    number(packing, &words->line_count);
    flag(packing, &words->is_cut);
}

static void pack(struct packing *packing, struct survey *survey)
{
    survey->obstacle = (enum survey_obstacle)small(packing, survey->obstacle, SURVEY_VECTORS);
    number(packing, &survey->position);
    number(packing, &survey->size_bytes);
    number(packing, &survey->line_count);
    number(packing, &survey->event_count);
    number(packing, &survey->first_event_line);
    number(packing, &survey->damaged_lines);
    number(packing, &survey->damaged_bytes);
    number(packing, &survey->unknown_events);
    for (size_t kind = 0; kind < DOUBT_KINDS; kind++) {
        number(packing, &survey->doubts.of[kind].count);
        number(packing, &survey->doubts.of[kind].line);
    }
    flag(packing, &survey->readings_differ);
    pack_reader(packing, &survey->guess);
    pack_reader(packing, &survey->end);
    size_t lanes = count(packing, survey->lanes.count);
    if (packing->reads && !VEC_EXTEND(&survey->lanes, lanes))
        packing->lacks_memory = true;
    for (size_t i = 0; i < lanes && goes_on(packing); i++)
        pack_lane(packing, &survey->lanes.items[i]);
    pack_names(packing, &survey->names);
    pack_unknown(packing, &survey->unknown_words);
    size_t have = count(packing, survey->hashes.count);
    number(packing, &survey->first_hash);
    if (packing->reads && !VEC_EXTEND(&survey->hashes, have))
        packing->lacks_memory = true;
    for (size_t i = 0; i < have && goes_on(packing); i++)
        number(packing, &survey->hashes.items[i]);
}

// --- As parts ------------------------------------------------------------------------------------

bool survey_pack(const struct survey *survey, struct bytes *out)
{
    struct packing packing = {.reads = false};
    struct parts_writer parts = {0};
    struct survey read = *survey; // it is not changed
    pack(&packing, &read);
    bool is_done =
        goes_on(&packing) && message_log_write(&survey->messages, &parts) &&
        parts_add_column(&parts, PART_SURVEY_NUMBERS, packing.numbers.items,
                         packing.numbers.count) &&
        parts_add_text(&parts, PART_SURVEY_TEXT, packing.text.items, packing.text.count) &&
        parts_finish(&parts, out);
    parts_writer_free(&parts);
    free(packing.numbers.items);
    free(packing.text.items);
    return is_done;
}

// This many numbers are accepted whatever their size, as most numbers of a short shard are 0.
// Beyond them, each takes at least one bit, because cores differ.
#define FREE_NUMBERS 65536

// False: no memory, or damage.
static bool read_numbers(struct packing *packing, const struct parts *parts)
{
    struct column column;
    packing->is_damaged = parts_column(parts, PART_SURVEY_NUMBERS, &column, NULL) != STATUS_OK ||
                          column.count / 8 > column.size_bytes + FREE_NUMBERS / 8 ||
                          parts_text(parts, PART_SURVEY_TEXT, &packing->words,
                                     &packing->words_bytes, NULL) != STATUS_OK;
    if (packing->is_damaged)
        return false;
    packing->lacks_memory = !VEC_ROOM(&packing->numbers, (size_t)column.count + 1);
    if (packing->lacks_memory)
        return false;
    packing->numbers.count = (size_t)column.count;
    packing->is_damaged = !column_read(&column, 0, packing->numbers.count, packing->numbers.items);
    return !packing->is_damaged;
}

enum status survey_unpack(struct survey *survey, const uint8_t *bytes, uint64_t size_bytes)
{
    struct packing packing = {.reads = true};
    struct parts parts;
    *survey = (struct survey){0};
    if (parts_open(&parts, SIMD_SCALAR, bytes, size_bytes, NULL) != STATUS_OK ||
        messages_open(&survey->said, &parts, NULL) != STATUS_OK)
        return STATUS_DAMAGED;
    if (read_numbers(&packing, &parts))
        pack(&packing, survey);
    free(packing.numbers.items);
    return packing.lacks_memory ? STATUS_MEMORY : packing.is_damaged ? STATUS_DAMAGED : STATUS_OK;
}
