// set_jump and long_jump for A32 and T32.
    .syntax unified
    .arch armv7-a
    .fpu neon
#ifdef __thumb__
    .thumb
#else
    .arm
#endif
    .text
    .global set_jump
    .type set_jump, %function
set_jump:
    mov     r12, sp
    stmia   r0!, {r4-r12, lr}
    vstmia  r0, {d8-d15}
    mov     r0, #0
    bx      lr
    .size set_jump, . - set_jump

    .global long_jump
    .type long_jump, %function
long_jump:
    ldmia   r0!, {r4-r12, lr}
    vldmia  r0, {d8-d15}
    mov     sp, r12
    mov     r0, r1
    bx      lr
    .size long_jump, . - long_jump
