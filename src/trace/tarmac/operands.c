#include "trace/tarmac/tarmac.h"

#include "base/characters.h"

#include <string.h>

// How the operands of an instruction are used. All are read, except for the first ones, which are
// written: one by default.
struct reading_rule {
    const char *mnemonic; // * stands for any ending
    uint8_t written;      // number of operands
    bool reads_written;   // they are also read
};

static const struct reading_rule rules[] = {
    // Only memory, flags, system registers or the PC are written.
    {"str*", 0, false},
    {"stx*", 1, false}, // the status: whether it was stored
    {"stlx*", 1, false},
    {"st*", 0, false},
    {"vst*", 0, false},
    {"push*", 0, false},
    {"vpush*", 0, false},
    {"cmp*", 0, false},
    {"cmn*", 0, false},
    {"cm*", 1, false}, // vector compares: cmeq and so on
    {"tst*", 0, false},
    {"teq*", 0, false},
    {"ccmp*", 0, false},
    {"ccmn*", 0, false},
    {"fcmp*", 0, false},
    {"fccmp*", 0, false},
    {"vcmp*", 0, false},
    {"cbz", 0, false},
    {"cbnz", 0, false},
    {"tbz", 0, false},
    {"tbnz", 0, false},
    {"msr", 0, false},
    {"vmsr", 0, false},
    {"mcr*", 0, false},
    {"svc", 0, false},
    {"hlt", 0, false},
    {"prfm*", 0, false},
    {"pld*", 0, false},
    {"dc", 0, false},
    {"ic", 0, false},
    {"at", 0, false},
    {"tlbi", 0, false},
    // Two operands are written.
    {"ldp*", 2, false},
    {"ldnp*", 2, false},
    {"ldxp*", 2, false},
    {"ldaxp*", 2, false},
    {"ldrd*", 2, false},
    {"ldrexd*", 2, false},
    {"mrrc*", 2, false},
    // The written operand is only modified.
    {"movk*", 1, true},
    {"movt*", 1, true},
    {"bfi*", 1, true},
    {"bfc*", 1, true},
    {"bfxil*", 1, true},
    {"bfm*", 1, true},
    {"ins*", 1, true},
    {"fmla*", 1, true},
    {"fmls*", 1, true},
    {"vmla*", 1, true},
    {"vmls*", 1, true},
    {"usra*", 1, true},
    {"ssra*", 1, true},
    {"vsra*", 1, true},
    {"tbx*", 1, true},
    {"sli*", 1, true},
    {"sri*", 1, true},
    {"aese*", 1, true},
    {"aesd*", 1, true},
    {"sha*", 1, true},
};

// A32 and T32: two results if there are four operands.
static const char *const long_results[] = {"umull", "smull", "umlal", "smlal", "umaal"};
// If these have only two operands, the first is also read: adds r0, #1.
static const char *const short_forms[] = {"add", "sub", "rsb", "and", "orr", "eor", "adc",
                                          "sbc", "bic", "mul", "lsl", "lsr", "asr", "ror"};

static const char link_name[] = "x30"; // RET reads this if it has no operand

enum { OPERANDS_MAX = 16, MNEMONIC_BYTES = 16 };

struct operands {
    char mnemonic[MNEMONIC_BYTES]; // in lower case
    struct text_span items[OPERANDS_MAX];
    size_t count;
};

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// --- Operands ------------------------------------------------------------------------------------

static const char *take_mnemonic(const char *at, const char *end, struct operands *operands)
{
    size_t length = 0;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    for (; at < end && *at != ' ' && *at != '\t'; at++) {
        if (length + 1 < MNEMONIC_BYTES && *at != '.')
            operands->mnemonic[length++] = (char)(is_letter(*at) ? *at | 0x20 : *at);
        else if (*at == '.')
            break; // a condition or a size follows
    }
    operands->mnemonic[length] = '\0';
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    return at;
}

// Cuts at commas outside of brackets and braces, up to a comment.
static void cut(const char *at, const char *end, struct operands *operands)
{
    const char *start = at;
    unsigned depth = 0;
    for (; at <= end && operands->count < OPERANDS_MAX; at++) {
        bool is_end = at == end || *at == ';' || (*at == ',' && !depth);
        if (!is_end) {
            depth += *at == '[' || *at == '{';
            depth -= depth && (*at == ']' || *at == '}');
            continue;
        }
        operands->items[operands->count++] = (struct text_span){start, at};
        start = at + 1;
        if (at == end || *at == ';')
            return;
    }
}

static bool matches(const char *mnemonic, const char *pattern)
{
    size_t length = strlen(pattern);
    if (pattern[length - 1] == '*')
        return strncmp(mnemonic, pattern, length - 1) == 0;
    return strcmp(mnemonic, pattern) == 0;
}

static bool is_one_of(const char *mnemonic, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (begins_with(mnemonic, names[i]))
            return true;
    }
    return false;
}

// Whether it is a branch, which writes no operand: b, bl, bx, br, blr, ret, b.ne, beq; but not bic
// or bfi.
static bool is_branch(const char *mnemonic)
{
    static const char *const no_branches[] = {"bic", "bif", "bit", "bsl",
                                              "bfi", "bfc", "bfx", "bfm"};
    return begins_with(mnemonic, "ret") || begins_with(mnemonic, "eret") ||
           (mnemonic[0] == 'b' && !is_one_of(mnemonic, no_branches, ARRAY_COUNT(no_branches)));
}

static struct reading_rule rule_of(const struct operands *operands)
{
    const char *mnemonic = operands->mnemonic;
    struct reading_rule rule = {.written = 1};
    if (is_branch(mnemonic)) {
        rule.written = 0;
        return rule;
    }
    for (size_t i = 0; i < ARRAY_COUNT(rules); i++) {
        if (matches(mnemonic, rules[i].mnemonic))
            return rules[i];
    }
    if (operands->count == 4 && is_one_of(mnemonic, long_results, ARRAY_COUNT(long_results))) {
        rule.written = 2;
        rule.reads_written = strstr(mnemonic, "al") != NULL;
    } else if (operands->count == 2) {
        rule.reads_written = is_one_of(mnemonic, short_forms, ARRAY_COUNT(short_forms));
    }
    return rule;
}

// --- Names ---------------------------------------------------------------------------------------

struct reads {
    struct text_span *items;
    size_t count, capacity;
};

// Adds the words of a span that may be names: they begin with a letter, and are not preceded by #.
static void add_names(struct reads *reads, const char *at, const char *end)
{
    while (at < end) {
        const char *start = at;
        bool is_number = *at == '#' || is_digit(*at);
        at++;
        if (is_number || is_letter(*start)) {
            while (at < end && (is_letter(*at) || is_digit(*at) || *at == '_'))
                at++;
        }
        if (is_letter(*start) && reads->count < reads->capacity)
            reads->items[reads->count++] = (struct text_span){start, at};
    }
}

size_t tarmac_read_operands(const char *start, const char *end, struct text_span *spans,
                            size_t capacity)
{
    struct operands operands = {.count = 0};
    struct reads reads = {spans, 0, capacity};
    const char *at = take_mnemonic(start, end, &operands);
    cut(at, end, &operands);
    bool has_operands = operands.count > 1 || operands.items[0].start < operands.items[0].end;
    if (strcmp(operands.mnemonic, "ret") == 0 && !has_operands)
        add_names(&reads, link_name, link_name + strlen(link_name));
    struct reading_rule rule = rule_of(&operands);
    const char *mnemonic = operands.mnemonic;

    bool is_load = begins_with(mnemonic, "ldm") || begins_with(mnemonic, "vldm") ||
                   begins_with(mnemonic, "pop") || begins_with(mnemonic, "vpop");
    for (size_t i = 0; i < operands.count; i++) {
        const struct text_span *operand = &operands.items[i];
        const char *brace = memchr(operand->start, '{', (size_t)(operand->end - operand->start));
        bool is_written = is_load ? brace != NULL : i < rule.written && !rule.reads_written;
        if (is_written) {
            // In a written operand, the registers in brackets are read.
            const char *open = memchr(operand->start, '[', (size_t)(operand->end - operand->start));
            if (open)
                add_names(&reads, open, operand->end);
        } else
            add_names(&reads, operand->start, operand->end);
    }
    return reads.count;
}
