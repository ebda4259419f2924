// A32 or T32 reset code and the semihosting call, in the state that the program is compiled for.
    .syntax unified
    .arch armv7-a
    .fpu neon
#ifdef __thumb__
    .thumb
#else
    .arm
#endif
    .section .text.start, "ax"
    .global _start
    .type _start, %function
_start:
#ifdef __ARMEB__
    setend  be
#endif
    ldr     r1, =stack_top
    sub     r1, r1, r0, lsl #21
    mov     sp, r1
    mrc     p15, 0, r1, c1, c0, 2   // CPACR: floating point and NEON
    orr     r1, r1, #0x00f00000
    mcr     p15, 0, r1, c1, c0, 2
    isb
    mov     r1, #0x40000000
    vmsr    fpexc, r1
    mov     r11, #0
    bl      main
    bl      program_exit
1:  b       1b
    .ltorg
    .size _start, . - _start

    .text
    .global semihost
    .type semihost, %function
semihost:
#ifdef __thumb__
    bkpt    #0xab
#else
    svc     #0x123456
#endif
    bx      lr
    .size semihost, . - semihost
