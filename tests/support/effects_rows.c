// Reads lines of an instruction set (a64, a32, t32), the bytes of an instruction, its condition by
// an IT block (15: none) and its encoding in hex; writes its flows, a line each.
#include "tests/support/effects_text.h"

#include <string.h>

int main(void)
{
    static struct effects effects;
    static char text[16384];
    char isa[8];
    unsigned size_bytes, it_condition, encoding;
    while (scanf("%7s %u %u %x", isa, &size_bytes, &it_condition, &encoding) == 4) {
        enum isa_state state = !strcmp(isa, "a64")   ? ISA_AARCH64
                               : !strcmp(isa, "a32") ? ISA_ARM
                                                     : ISA_THUMB;
        effects_decode(encoding, size_bytes, state, it_condition, &effects);
        write_flows(text, sizeof text, &effects);
        printf("%s%s\n", text, effects.is_exception ? " !" : "");
    }
    return 0;
}
