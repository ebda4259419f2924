// start_a64.S for AArch64 programs with SFrame: the same code, with what an assembler needs to
// describe it.
    .section .text.start, "ax"
    .global _start
    .type _start, %function
_start:
    .cfi_startproc
    .cfi_undefined x30
    ldr     x1, =stack_top
    sub     x1, x1, x0, lsl #21
    mov     sp, x1
    mov     x1, #(3 << 20)
    msr     cpacr_el1, x1
    isb
    mov     x29, xzr
    mov     x30, xzr
    bl      main
    bl      program_exit
1:  b       1b
    .cfi_endproc
    .size _start, . - _start

    .text
    .global semihost
    .type semihost, %function
semihost:
    .cfi_startproc
    hlt     #0xf000
    ret
    .cfi_endproc
    .size semihost, . - semihost
