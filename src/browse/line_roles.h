// The role that a part of a line of a trace is drawn in.
#ifndef TRAWL_BROWSE_LINE_ROLES_H
#define TRAWL_BROWSE_LINE_ROLES_H

#include "browse/screen.h"
#include "trace/line_look.h"

static inline enum role line_role(enum text_class text_class)
{
    static const uint8_t roles[] = {
        [TEXT_PLAIN] = ROLE_TEXT,
        [TEXT_TIME] = ROLE_TIME,
        [TEXT_EVENT] = ROLE_EVENT,
        [TEXT_ADDRESS] = ROLE_ADDRESS,
        [TEXT_ENCODING] = ROLE_ENCODING,
        [TEXT_ISA] = ROLE_ISA,
        [TEXT_MODE] = ROLE_MODE,
        [TEXT_FAILED] = ROLE_FAILED,
        [TEXT_DISASSEMBLY] = ROLE_DISASSEMBLY,
        [TEXT_PUNCTUATION] = ROLE_PUNCTUATION,
        [TEXT_BAD] = ROLE_BAD,
    };
    return (enum role)roles[text_class];
}

#endif
