#include "trace/lines/lexer.h"

#define WORD_ONLY CHAR_WORD
#define DIGIT (CHAR_WORD | CHAR_DECIMAL | CHAR_HEX | CHAR_FLOAT | CHAR_REGVAL)
#define HEX_LETTER (CHAR_WORD | CHAR_HEX | CHAR_REGVAL)
#define FILLER (CHAR_WORD | CHAR_FILLER | CHAR_REGVAL)

const uint8_t line_char_classes[256] = {
    ['\t'] = CHAR_SPACE,
    ['\n'] = CHAR_SPACE,
    ['\v'] = CHAR_SPACE,
    ['\f'] = CHAR_SPACE,
    ['\r'] = CHAR_SPACE,
    [' '] = CHAR_SPACE,
    [':'] = CHAR_PUNCT,
    ['('] = CHAR_PUNCT,
    [')'] = CHAR_PUNCT,
    ['['] = CHAR_PUNCT,
    [']'] = CHAR_PUNCT,
    [','] = CHAR_PUNCT,
    ['<'] = CHAR_PUNCT,
    ['>'] = CHAR_PUNCT,
    ['#'] = WORD_ONLY,
    ['-'] = CHAR_WORD | CHAR_REGVAL,
    ['.'] = CHAR_WORD | CHAR_FLOAT,
    ['_'] = FILLER,
    ['0' ... '9'] = DIGIT,
    ['A' ... 'F'] = HEX_LETTER,
    ['a' ... 'f'] = HEX_LETTER,
    ['G' ... 'W'] = WORD_ONLY,
    ['g' ... 'w'] = WORD_ONLY,
    ['X'] = FILLER,
    ['x'] = FILLER,
    ['Y' ... 'Z'] = WORD_ONLY,
    ['y' ... 'z'] = WORD_ONLY,
};

struct token line_lex_rare(struct lexer *lexer)
{
    const char *at = lexer->at;
    if (at == lexer->end)
        return (struct token){TOKEN_END, 0, 0, 0, at, at};
    lexer->at = at + 1; // a NUL does not end the line: lexing continues after it
    if (*at == 0)
        return (struct token){TOKEN_END, 0, 0, 0, at, at};
    return (struct token){TOKEN_BAD, 0, 0, *at, at, at + 1};
}
