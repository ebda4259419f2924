#include "report/flame_change.h"

enum { STEPS = 6 };

void flame_change_class(char text[FLAME_CHANGE_BYTES], uint64_t before, uint64_t after,
                        uint64_t most)
{
    uint64_t change = after > before ? after - before : before - after;
    memcpy(text, "n", 2);
    if (!change || !most)
        return;
    unsigned step = (unsigned)(((unsigned __int128)change * STEPS + most - 1) / most);
    text[0] = after > before ? 'r' : 'b';
    text[1] = (char)('0' + (step > STEPS ? STEPS : step));
    text[2] = '\0';
}

// The text on each has a contrast of 5:1 and more.
const char *const flame_change_css =
    ".n { fill: #e9ebed; }\n"
    ".r1 { fill: #fbe4de; } .r2 { fill: #f9cec3; } .r3 { fill: #f7b7a8; }\n"
    ".r4 { fill: #f4a08d; } .r5 { fill: #f08a74; } .r6 { fill: #ec735b; }\n"
    ".b1 { fill: #e1ebf9; } .b2 { fill: #cbdcf5; } .b3 { fill: #b4cdf1; }\n"
    ".b4 { fill: #9dbeec; } .b5 { fill: #86afe8; } .b6 { fill: #70a0e3; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".n { fill: #3a3f45; }\n"
    ".r1 { fill: #4b3632; } .r2 { fill: #5c3a33; } .r3 { fill: #6d3e34; }\n"
    ".r4 { fill: #7e4135; } .r5 { fill: #8f4436; } .r6 { fill: #a04637; }\n"
    ".b1 { fill: #323c4a; } .b2 { fill: #334460; } .b3 { fill: #344c75; }\n"
    ".b4 { fill: #35548b; } .b5 { fill: #355ca0; } .b6 { fill: #3564b4; }\n"
    "}\n";
