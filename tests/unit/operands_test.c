// Which operands instructions read, according to the manuals of the architecture.
#include "test.h"
#include "trace/tarmac/tarmac.h"

#include <stdio.h>

static void operands_that_are_read(void)
{
    static const struct {
        const char *disassembly, *reads;
    } known[] = {
        {"MOV      x29,sp", "sp"},
        {"MOVZ     w0,#0x3", ""},
        {"MOVK     x8,#0x1,lsl #16", "x8 lsl"},
        {"ADD      x8,x25,w26,sxtw #2", "x25 w26 sxtw"},
        {"ADD x1, x1, #1", "x1"},
        {"SUBS     w21,w21,#1", "w21"},
        {"CMP      w0,w1", "w0 w1"},
        {"LDR      w9,[x8,#0x18]", "x8"},
        {"LDR      w0,[x23,#4]!", "x23"},
        {"LDR      x0,[x1],#8", "x1"},
        {"LDR      x0,[x1,w2,uxtw #3]", "x1 w2 uxtw"},
        {"LDP      x29,x30,[sp],#0x20", "sp"},
        {"STP      x29,x30,[sp,#-0x30]!", "x29 x30 sp"},
        {"STR      w9,[x0]", "w9 x0"},
        {"STUR     x9,[x29,#-8]", "x9 x29"},
        {"STXR     w8,x9,[x10]", "x9 x10"},
        {"STLR     w8,[x10]", "w8 x10"},
        {"LDAXR    w8,[x10]", "x10"},
        {"CBZ      w0,{pc}+8 ; 0x8000", "w0 pc"},
        {"TBNZ     x3,#4,#0x8010", "x3"},
        {"RET", "x30"},
        {"RET x5", "x5"},
        {"BR       x17", "x17"},
        {"BLR      x8", "x8"},
        {"BIC      w0,w1,w2", "w1 w2"},
        {"BFI      w0,w1,#3,#4", "w0 w1"},
        {"CSEL     x0,x1,x2,ne", "x1 x2 ne"},
        {"MADD     x0,x1,x2,x3", "x1 x2 x3"},
        {"FMLA     v0.4s,v1.4s,v2.4s", "v0 v1 v2"},
        {"CMEQ     v0.4s,v1.4s,#0", "v1"},
        {"MSR      vbar_el1,x0", "vbar_el1 x0"},
        {"MRS      x0,vbar_el1", "vbar_el1"},
        {"PUSH     {r4,r5,lr}", "r4 r5 lr"},
        {"POP      {r4,pc}", ""},
        {"LDM      r0!,{r1,r2}", "r0"},
        {"STM      r0!,{r1,r2}", "r0 r1 r2"},
        {"ADDS     r0,#1", "r0"},
        {"ADDS     r0,r1,#1", "r1"},
        {"MULS r0, r1", "r0 r1"},
        {"UMULL    r0,r1,r2,r3", "r2 r3"},
        {"UMLAL    r0,r1,r2,r3", "r0 r1 r2 r3"},
        {"LDRD     r0,r1,[r2]", "r2"},
        {"BX       lr", "lr"},
        {"MVN.W r1, r2", "r2"},
        {"NOP", ""},
        {"", ""},
        {"   ", ""},
        {"ADD", ""},
        {"ADD ,,,[[[{{{", ""},
    };
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        struct text_span spans[16];
        char text[200] = "";
        const char *end = known[i].disassembly + strlen(known[i].disassembly);
        size_t count = tarmac_read_operands(known[i].disassembly, end, spans, 16);
        for (size_t n = 0, at = 0; n < count; n++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s", n ? " " : "",
                                   (int)(spans[n].end - spans[n].start), spans[n].start);
        if (strcmp(text, known[i].reads) != 0)
            test_fail(__FILE__, __LINE__, known[i].disassembly),
                test_fail(__FILE__, __LINE__, text);
    }
    CHECK(tarmac_read_operands(
              "ADD x0,x1,x2", &"ADD x0,x1,x2" [12], &(struct text_span) { 0 }, 1) == 1);
}

const struct test_case operands_tests[] = {
    {"operands that instructions read", operands_that_are_read},
    {NULL, NULL},
};
