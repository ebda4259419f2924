#include "read_line.h"
#include "test.h"
#include "trace/lines/lexer.h"

static struct token next(struct lexer *lexer)
{
    return line_lex(lexer);
}

static struct lexer lexer_of(const char *text, size_t length)
{
    return (struct lexer){text, text + length};
}

static void words_punctuation_and_blanks(void)
{
    static const char text[] = " \t\v\f\r\n10 A-b_c.d#9:x";
    static const char *const words[] = {"10", "A-b_c.d#9", ":", "x", ""};
    struct lexer lexer = lexer_of(text, sizeof text - 1);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        struct token token = next(&lexer);
        CHECK(token_text_is(&token, words[i]));
    }
    CHECK(next(&lexer).kind == TOKEN_END);
    CHECK(next(&lexer).kind == TOKEN_END);
}

static void every_byte_is_of_one_kind(void)
{
    static const char punctuation[] = ":()[],<>";
    for (int c = 1; c < 256; c++) {
        const char text[] = {'a', (char)c, 'b', 0};
        struct lexer lexer = lexer_of(text, 3);
        bool is_alnum = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z' && c < 128);
        struct token first = next(&lexer), second = next(&lexer);
        if (is_alnum || strchr("_-.#", c))
            CHECK(token_length(&first) == 3 && second.kind == TOKEN_END);
        else if (strchr(punctuation, c))
            CHECK(second.kind == TOKEN_PUNCT && second.first == (char)c);
        else if (c == ' ' || (c >= '\t' && c <= '\r'))
            CHECK(token_text_is(&second, "b"));
        else
            CHECK(second.kind == TOKEN_BAD && token_length(&second) == 1);
    }
}

static void nul_ends_nothing_for_good(void)
{
    static const char text[] = "a\0b";
    struct lexer lexer = lexer_of(text, 3);
    CHECK(next(&lexer).kind == TOKEN_WORD);
    struct token nul = next(&lexer);
    CHECK(nul.kind == TOKEN_END && nul.start == text + 1 && token_length(&nul) == 0);
    struct token behind = next(&lexer);
    CHECK(token_text_is(&behind, "b"));
    CHECK(next(&lexer).kind == TOKEN_END);
}

static void words_know_the_classes_of_their_characters(void)
{
    static const struct {
        const char *text;
        int classes;
    } words[] = {
        {"0189", CHAR_WORD | CHAR_DECIMAL | CHAR_HEX | CHAR_FLOAT | CHAR_REGVAL},
        {"01af", CHAR_WORD | CHAR_HEX | CHAR_REGVAL},
        {"1.5", CHAR_WORD | CHAR_FLOAT},
        {"0x12", CHAR_WORD | CHAR_REGVAL},
        {"12_34", CHAR_WORD | CHAR_REGVAL},
        {"_xX", CHAR_WORD | CHAR_REGVAL | CHAR_FILLER},
        {"--12", CHAR_WORD | CHAR_REGVAL},
        {"12g", CHAR_WORD},
        {"#.", CHAR_WORD},
    };
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        struct lexer lexer = lexer_of(words[i].text, strlen(words[i].text));
        CHECK(next(&lexer).all_classes == words[i].classes);
    }
    struct lexer lexer = lexer_of("12_34", 5);
    CHECK(next(&lexer).any_classes & CHAR_FILLER);
}

static void nothing_is_read_beyond_the_end(void)
{
    struct lexer lexer = lexer_of("abcdef:", 3);
    struct token word = next(&lexer);
    CHECK(token_text_is(&word, "abc"));
    CHECK(next(&lexer).kind == TOKEN_END);
}

static void line_ends_are_trimmed(void)
{
    static const struct {
        const char *text;
        size_t length;
    } lines[] = {{"abc", 3}, {"abc\r", 3}, {"abc\r\r\n", 3}, {"a\rb\r", 3},
                 {"", 0},    {"\r", 1},    {"\r\r", 2}};
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        const char *text = lines[i].text;
        CHECK(line_trim(text, text + strlen(text)) == text + lines[i].length);
    }
}

const struct test_case lexer_tests[] = {
    {"words_punctuation_and_blanks", words_punctuation_and_blanks},
    {"every_byte_is_of_one_kind", every_byte_is_of_one_kind},
    {"nul_ends_nothing_for_good", nul_ends_nothing_for_good},
    {"words_know_the_classes_of_their_characters", words_know_the_classes_of_their_characters},
    {"nothing_is_read_beyond_the_end", nothing_is_read_beyond_the_end},
    {"line_ends_are_trimmed", line_ends_are_trimmed},
    {NULL, NULL},
};
