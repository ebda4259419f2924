// AArch64 reset code and the semihosting call. A core starts with its number in x0; each has
// 2 MB of stack.
    .section .text.start, "ax"
    .global _start
    .type _start, %function
_start:
    ldr     x1, =stack_top
    sub     x1, x1, x0, lsl #21
    mov     sp, x1
    mov     x1, #(3 << 20)          // no trapping of floating point
    msr     cpacr_el1, x1
    isb
    mov     x29, xzr
    mov     x30, xzr
    bl      main
    bl      program_exit
1:  b       1b
    .size _start, . - _start

    .text
    .global semihost
    .type semihost, %function
semihost:
    hlt     #0xf000
    ret
    .size semihost, . - semihost
