#include "elf/sframe_rule.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    // s390x stores a CFA offset as a multiple of 8, counted from what every caller provides.
    S390X_CFA_FACTOR = 8,
    S390X_CFA_BIAS = 160,

    // Control words of flexible functions.
    FLEX_REGISTER = 1,
    FLEX_MEMORY = 2,
    FLEX_NUMBER_SHIFT = 3,
    FLEX_WORDS_MAX = 6,
};

const struct sframe_registers *sframe_registers(unsigned abi)
{
    static const struct sframe_registers aarch64 = {31, 29, 30, 30, 96, 0};
    static const struct sframe_registers amd64 = {7, 6, 16, 16, 130, 0};
    static const struct sframe_registers s390x = {15, 11, 14, 14, 84, -S390X_CFA_BIAS};
    return abi == SFRAME_AMD64 ? &amd64 : abi == SFRAME_S390X ? &s390x : &aarch64;
}

static struct sframe_location at_cfa(int64_t offset)
{
    return (struct sframe_location){offset, SFRAME_CFA, SFRAME_MEMORY};
}

// Where RA or FP is if the row does not say.
static struct sframe_location default_place(int8_t fixed_offset)
{
    return fixed_offset ? at_cfa(fixed_offset) : (struct sframe_location){0};
}

struct sframe_rule sframe_rule_without_rows(const struct sframe_function *function)
{
    return (struct sframe_rule){.kind =
                                    function->is_signal ? SFRAME_NO_ROWS_SIGNAL : SFRAME_NO_ROWS};
}

static int64_t cfa_offset(const struct sframe_table *table, int64_t word)
{
    return table->abi == SFRAME_S390X ? word * S390X_CFA_FACTOR + S390X_CFA_BIAS : word;
}

// A word that says where RA or FP was saved. In version 2 for s390x it may be a register.
static struct sframe_location saved_place(const struct sframe_table *table, int64_t word)
{
    if (table->abi == SFRAME_S390X && table->version < 3 && word & 1)
        return (struct sframe_location){0, (uint32_t)word >> 1, SFRAME_VALUE};
    return at_cfa(word);
}

// Takes a control word and, unless it is padding, the offset after it.
static bool take_pair(const struct sframe_table *table, const struct sframe_row *row,
                      unsigned *next, struct sframe_location *place)
{
    uint32_t control = sframe_word_unsigned(table, row, (*next)++);
    if (control == 0)
        return true;
    if (*next == row->word_count)
        return false;
    place->offset = sframe_word(table, row, (*next)++);
    place->base = control & FLEX_REGISTER ? control >> FLEX_NUMBER_SHIFT : SFRAME_CFA;
    place->kind = control & FLEX_MEMORY ? SFRAME_MEMORY : SFRAME_VALUE;
    return true;
}

static bool resolve_flexible(const struct sframe_table *table, const struct sframe_row *row,
                             struct sframe_rule *rule)
{
    unsigned next = 0;
    if (row->word_count > FLEX_WORDS_MAX || !take_pair(table, row, &next, &rule->cfa) ||
        rule->cfa.kind == SFRAME_SAME || rule->cfa.base == SFRAME_CFA)
        return false;
    rule->cfa.offset = cfa_offset(table, rule->cfa.offset);
    return (next == row->word_count || take_pair(table, row, &next, &rule->ra)) &&
           (next == row->word_count || take_pair(table, row, &next, &rule->fp)) &&
           next == row->word_count;
}

enum status sframe_rule_resolve(const struct sframe_table *table,
                                const struct sframe_function *function,
                                const struct sframe_row *row, struct sframe_rule *rule,
                                struct error *err)
{
    *rule = (struct sframe_rule){.kind = SFRAME_OUTERMOST};
    if (row->word_count == 0)
        return STATUS_OK;
    rule->kind = SFRAME_ROW;
    rule->ra = default_place(table->fixed_ra);
    rule->fp = default_place(table->fixed_fp);
    rule->marks = (function->is_signal ? SFRAME_MARK_SIGNAL : 0) |
                  (sframe_is_mangled(row->info) ? SFRAME_MARK_MANGLED : 0) |
                  (function->has_key_b ? SFRAME_MARK_KEY_B : 0);
    if (!function->is_flexible) {
        const struct sframe_registers *registers = sframe_registers(table->abi);
        unsigned next = 1;
        rule->cfa = (struct sframe_location){
            .offset = cfa_offset(table, sframe_word(table, row, 0)),
            .base = sframe_is_sp_based(row->info) ? registers->sp : registers->fp,
            .kind = SFRAME_VALUE,
        };
        if (table->fixed_ra == 0 && next < row->word_count) {
            int64_t word = sframe_word(table, row, next++);
            if (word != 0) // 0 stands for "not saved"
                rule->ra = saved_place(table, word);
        }
        if (table->fixed_fp == 0 && next < row->word_count)
            rule->fp = saved_place(table, sframe_word(table, row, next));
    } else if (!resolve_flexible(table, row, rule))
        return error_set_at(err, STATUS_INPUT, row->words,
                            "%u words that make no rule of a flexible function", row->word_count);
    return STATUS_OK;
}

// --- As text -------------------------------------------------------------------------------------

const char *sframe_rule_kind_name(unsigned kind)
{
    static const char *const names[] = {"miss",   "row",           "outermost",
                                        "norows", "norows-signal", "pattern"};
    return kind < ARRAY_COUNT(names) ? names[kind] : "?";
}

static void register_name(char text[SFRAME_TEXT_MAX], unsigned abi, uint32_t number)
{
    static const struct {
        uint32_t number;
        const char *aarch64, *amd64, *s390x;
    } named[] = {{6, 0, "rbp", 0},  {7, 0, "rsp", 0},  {11, 0, 0, "r11"}, {14, 0, 0, "r14"},
                 {15, 0, 0, "r15"}, {29, "x29", 0, 0}, {30, "x30", 0, 0}, {31, "sp", 0, 0}};
    if (number == SFRAME_CFA) {
        strcpy(text, "cfa");
        return;
    }
    for (size_t i = 0; i < ARRAY_COUNT(named); i++) {
        const char *name = abi == SFRAME_AMD64   ? named[i].amd64
                           : abi == SFRAME_S390X ? named[i].s390x
                                                 : named[i].aarch64;
        if (named[i].number == number && name) {
            strcpy(text, name);
            return;
        }
    }
    snprintf(text, SFRAME_TEXT_MAX, "dw%" PRIu32, number);
}

void sframe_location_text(char text[SFRAME_TEXT_MAX], unsigned abi,
                          const struct sframe_location *place, bool is_cfa)
{
    char base[SFRAME_TEXT_MAX];
    if (place->kind == SFRAME_SAME) {
        strcpy(text, "same");
        return;
    }
    register_name(base, abi, place->base);
    if (place->kind == SFRAME_VALUE && place->offset == 0 && !is_cfa)
        strcpy(text, base);
    else
        snprintf(text, SFRAME_TEXT_MAX,
                 place->kind == SFRAME_MEMORY ? "[%.20s%+" PRId64 "]" : "%.20s%+" PRId64, base,
                 place->offset);
}

void sframe_marks_text(char text[SFRAME_TEXT_MAX], unsigned marks)
{
    static const char *const names[] = {"signal", "mangled-ra", "bkey"};
    text[0] = '\0';
    for (unsigned i = 0; i < ARRAY_COUNT(names); i++) {
        if (!(marks & 1u << i))
            continue;
        if (text[0])
            strcat(text, " ");
        strcat(text, names[i]);
    }
}
