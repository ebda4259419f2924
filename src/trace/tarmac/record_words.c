#include "trace/tarmac/record_words.h"

#include "base/characters.h"

struct word {
    const char *text;
    size_t length;
};

#define WORD(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

static bool is_one_of(const struct token *word, const struct word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (token_is_word(word, words[i].text, words[i].length))
            return true;
    }
    return false;
}

static bool is_size_digit(char c)
{
    return c == '1' || c == '2' || c == '4' || c == '8';
}

// MR4, MW16X, MNR4O___, R01: a direction and a size, after capitals that begin with M, or after
// none.
static bool names_access(const struct token *word)
{
    const char *at = word->start, *end = word->end;
    bool has_m = at < end && *at == 'M';
    if (has_m) {
        for (at++; at < end && is_capital(*at) && *at != 'R' && *at != 'W';)
            at++;
    }
    if (at == end || (*at != 'R' && *at != 'W'))
        return false;
    if (has_m)
        return at + 1 < end && at[1] >= '1' && at[1] <= '9';
    return end - at == 3 && at[1] == '0' && is_size_digit(at[2]);
}

bool tarmac_names_record(const struct token *word)
{
    static const struct word words[] = {WORD("IT"), WORD("IS"), WORD("IF"),  WORD("ES"), WORD("R"),
                                        WORD("LD"), WORD("ST"), WORD("EXC"), WORD("E")};
    return word->kind == TOKEN_WORD &&
           (is_one_of(word, words, ARRAY_COUNT(words)) || names_access(word));
}

bool tarmac_names_cycle(const struct token *word)
{
    const char *at = word->start;
    if (word->kind != TOKEN_WORD || token_length(word) < 2 || (*at != 'B' && *at != 'M') ||
        !memchr("NSIC", at[1], 4))
        return false;
    if (*at == 'B' && token_length(word) > 3 && (at[2] == 'R' || at[2] == 'W') &&
        is_size_digit(at[3]))
        return true;
    for (at += 2; at < word->end && (*at == 'O' || *at == '_');)
        at++;
    return at == word->end;
}

bool tarmac_names_bus_access(const struct token *word)
{
    const char *at = word->start;
    if (word->kind != TOKEN_WORD || token_length(word) < 4 || *at != 'B' ||
        (at[1] != 'R' && at[1] != 'W') || !is_digit(at[2]))
        return false;
    for (at += 2; at < word->end && is_digit(*at);)
        at++;
    if (at == word->end || (*at != 'I' && *at != 'D'))
        return false;
    while (at < word->end && memchr("IDLXPSN_", *at, 8))
        at++;
    return at == word->end;
}

bool tarmac_names_no_exception(const struct token *word)
{
    static const struct word words[] = {
        WORD("Run"),
        WORD("CORTEXM0_TARMAC_LOG"),
        WORD("INT_NEW_PEND"),
        WORD("INT_PREEMPT"),
        WORD("INT_MULTICYCLE"),
        WORD("INT_RETURN"),
        WORD("PC_ADVANCED"),
        WORD("PC_NOT_ADVANCED"),
        WORD("ENTER_ATOMIC"),
        WORD("LEAVE_ATOMIC"),
        WORD("JITTER_SUPPRESSION_ACTIVE"),
        WORD("HARDFAULT_REQ"),
        WORD("CODENSEQ"),
        WORD("HALTED"),
        WORD("UNHALTED"),
        WORD("SPECIAL_OP"),
        WORD("TUBE"),
    };
    return word->kind == TOKEN_WORD && is_one_of(word, words, ARRAY_COUNT(words));
}

bool tarmac_names_silent_event(const struct token *word, enum reading reading)
{
    static const struct word silent[] = {WORD("CADI"),
                                         WORD("E"),
                                         WORD("P"),
                                         WORD("CACHE"),
                                         WORD("TTW"),
                                         WORD("BR"),
                                         WORD("INFO_EXCEPTION_REASON"),
                                         WORD("SIGNAL"),
                                         WORD("EXC")};
    // Translations, branches in a trace of program flow, and the words with which ARMulator begins.
    static const struct word silent_when_right[] = {WORD("TLB"),    WORD("FD"),   WORD("FI"),
                                                    WORD("FR"),     WORD("Date"), WORD("Source"),
                                                    WORD("Options")};
    return is_one_of(word, silent, ARRAY_COUNT(silent)) ||
           (reading == READING_TRUE &&
            (is_one_of(word, silent_when_right, ARRAY_COUNT(silent_when_right)) ||
             tarmac_names_cycle(word) || tarmac_names_bus_access(word)));
}

// A path of components: cluster0.cpu0.
static bool is_path(const struct token *word)
{
    const char *point = memchr(word->start, '.', token_length(word));
    return point && point + 1 < word->end && is_letter(point[1]) && word->end[-1] != '.';
}

// Letters and underscores, followed by a number: core2, PE_0.
static bool is_numbered(const struct token *word)
{
    const char *at = word->start;
    while (at < word->end && (is_letter(*at) || *at == '_'))
        at++;
    const char *digits = at;
    while (at < word->end && is_digit(*at))
        at++;
    return digits < at && at == word->end;
}

bool tarmac_names_core(const struct token *word, const struct token *behind)
{
    bool is_event = behind->kind == TOKEN_WORD && is_capital(behind->first) &&
                    (!(behind->all_classes & CHAR_HEX) || tarmac_names_record(behind));
    if (word->kind != TOKEN_WORD || !is_letter(word->first) || !is_event)
        return false;
    if (is_path(word))
        return true;
    return is_numbered(word) && tarmac_names_record(behind) && !tarmac_names_record(word);
}
