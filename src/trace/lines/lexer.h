// The lexer of lines: words, one-character punctuation, end of line.
//
// It is lazy, like current tools: a character after the last token that a rule needs is never read,
// and so is never an error. Rules therefore request tokens one by one, and no more than necessary.
//
// A token has the AND and the OR of the classes of its characters, computed while its end is
// searched, so that "is this word hexadecimal" takes one test and no second pass.
#ifndef TRAWL_TRACE_LINES_LEXER_H
#define TRAWL_TRACE_LINES_LEXER_H

#include "base/base.h"

enum char_class {
    CHAR_WORD = 1 << 0,    // letters, digits, _ - . #
    CHAR_DECIMAL = 1 << 1, // 0-9
    CHAR_HEX = 1 << 2,     // 0-9 a-f A-F
    CHAR_FLOAT = 1 << 3,   // 0-9 .
    CHAR_FILLER = 1 << 4,  // _ x X: skipped inside register values
    CHAR_REGVAL = 1 << 5,  // hex digits, fillers, -
    CHAR_SPACE = 1 << 6,
    CHAR_PUNCT = 1 << 7, // : ( ) [ ] , < >
};

extern const uint8_t line_char_classes[256];

enum token_kind {
    TOKEN_END,   // end of line, or a NUL byte
    TOKEN_WORD,  // a maximal run of CHAR_WORD
    TOKEN_PUNCT, // one character of CHAR_PUNCT
    TOKEN_BAD,   // a character that cannot begin a token: fatal when it is reached
};

struct token {
    enum token_kind kind;
    uint8_t all_classes; // classes that every character of a word has
    uint8_t any_classes; // classes that some character of a word has
    char first;          // the first character; 0 at the end
    const char *start;
    const char *end;
};

struct lexer {
    const char *at;
    const char *end; // line end, without CR and LF
};

static ALWAYS_INLINE size_t token_length(const struct token *token)
{
    return (size_t)(token->end - token->start);
}

static ALWAYS_INLINE bool token_is_punct(const struct token *token, char which)
{
    return token->kind == TOKEN_PUNCT && token->first == which;
}

static ALWAYS_INLINE bool token_is_word(const struct token *token, const char *text, size_t length)
{
    return token->kind == TOKEN_WORD && token_length(token) == length &&
           memcmp(token->start, text, length) == 0;
}

#define TOKEN_IS(token, literal) token_is_word((token), "" literal, sizeof(literal) - 1)

static ALWAYS_INLINE bool token_has_class(const struct token *token, enum char_class wanted)
{
    return token->kind == TOKEN_WORD && (token->all_classes & wanted);
}

// Handles the end of the line, and characters that begin no token. Not inlined, to keep callers
// small.
struct token line_lex_rare(struct lexer *lexer);

static ALWAYS_INLINE struct token line_lex(struct lexer *lexer)
{
    const uint8_t *classes = line_char_classes;
    const char *at = lexer->at, *end = lexer->end;
    while (at < end && (classes[(uint8_t)*at] & CHAR_SPACE))
        at++;
    lexer->at = at;
    if (UNLIKELY(at == end))
        return line_lex_rare(lexer);
    uint8_t all = 0xff, any = 0, class = classes[(uint8_t)*at];
    if (class & CHAR_PUNCT) {
        lexer->at = at + 1;
        return (struct token){TOKEN_PUNCT, 0, 0, *at, at, at + 1};
    }
    if (UNLIKELY(!(class & CHAR_WORD)))
        return line_lex_rare(lexer);
    const char *start = at;
    while (at < end && ((class = classes[(uint8_t)*at]) & CHAR_WORD)) {
        all &= class;
        any |= class;
        at++;
    }
    lexer->at = at;
    return (struct token){TOKEN_WORD, all, any, *start, start, at};
}

#endif
