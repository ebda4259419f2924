# set_jump and long_jump for RISC-V, without registers of floating point.
#if __riscv_xlen == 64
#define STORE(register, number) sd register, 8 * number(a0)
#define LOAD(register, number) ld register, 8 * number(a0)
#else
#define STORE(register, number) sw register, 4 * number(a0)
#define LOAD(register, number) lw register, 4 * number(a0)
#endif
#define ALL(DO)                                                                                    \
    DO(ra, 0); DO(sp, 1); DO(s0, 2); DO(s1, 3); DO(s2, 4); DO(s3, 5); DO(s4, 6); DO(s5, 7);       \
    DO(s6, 8); DO(s7, 9); DO(s8, 10); DO(s9, 11); DO(s10, 12); DO(s11, 13)

    .text
    .global set_jump
    .type set_jump, %function
set_jump:
    ALL(STORE)
    li      a0, 0
    ret
    .size set_jump, . - set_jump

    .global long_jump
    .type long_jump, %function
long_jump:
    ALL(LOAD)
    mv      a0, a1
    ret
    .size long_jump, . - long_jump
