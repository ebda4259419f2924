    .syntax unified
    .arch armv7-a
    .text
#ifdef __thumb__
    .thumb
#else
    .arm
#endif
    .global switch_stacks
    .type switch_stacks, %function
switch_stacks:
    push    {r4-r11, lr}
    str     sp, [r0]
    mov     sp, r1
    pop     {r4-r11, pc}
    .size switch_stacks, . - switch_stacks

    .global stack_prepare
    .type stack_prepare, %function
stack_prepare:
    sub     r0, r0, #36
    str     r1, [r0, #32]
    bx      lr
    .size stack_prepare, . - stack_prepare
