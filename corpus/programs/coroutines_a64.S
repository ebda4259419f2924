    .text
    .global switch_stacks
    .type switch_stacks, %function
switch_stacks:
    stp     x29, x30, [sp, #-96]!
    stp     x19, x20, [sp, #16]
    stp     x21, x22, [sp, #32]
    stp     x23, x24, [sp, #48]
    stp     x25, x26, [sp, #64]
    stp     x27, x28, [sp, #80]
    mov     x2, sp
    str     x2, [x0]
    mov     sp, x1
    ldp     x19, x20, [sp, #16]
    ldp     x21, x22, [sp, #32]
    ldp     x23, x24, [sp, #48]
    ldp     x25, x26, [sp, #64]
    ldp     x27, x28, [sp, #80]
    ldp     x29, x30, [sp], #96
    ret
    .size switch_stacks, . - switch_stacks

    .global stack_prepare
    .type stack_prepare, %function
stack_prepare:
    sub     x0, x0, #96
    stp     xzr, x1, [x0]
    ret
    .size stack_prepare, . - stack_prepare
