// AArch64: tasks at EL0, the last at EL1 with SP_EL0, handlers at EL1 with SP_EL1. The context: x0 to x30, SP_EL0, ELR,
// SPSR. A handler that interrupts another keeps it on the stack, one that interrupts a task in its record.
    .text
    .macro vector target
    .balign 0x80
    b       \target
    .endm

    .balign 0x800
    .type vectors, %function
vectors:
    vector  unexpected              // EL1, SP_EL0
    vector  task_interrupted
    vector  unexpected
    vector  unexpected
    vector  unexpected              // EL1, SP_EL1
    vector  handler_interrupted
    vector  unexpected
    vector  unexpected
    vector  task_called             // from EL0, AArch64
    vector  task_interrupted
    vector  unexpected
    vector  unexpected
    .size vectors, . - vectors

    .macro save                     // x0 and x1 stand on the stack
    ldr     x0, =current_task
    ldr     x0, [x0]
    stp     x2, x3, [x0, #16]
    stp     x4, x5, [x0, #32]
    stp     x6, x7, [x0, #48]
    stp     x8, x9, [x0, #64]
    stp     x10, x11, [x0, #80]
    stp     x12, x13, [x0, #96]
    stp     x14, x15, [x0, #112]
    stp     x16, x17, [x0, #128]
    stp     x18, x19, [x0, #144]
    stp     x20, x21, [x0, #160]
    stp     x22, x23, [x0, #176]
    stp     x24, x25, [x0, #192]
    stp     x26, x27, [x0, #208]
    stp     x28, x29, [x0, #224]
    ldp     x2, x3, [sp], #16
    stp     x2, x3, [x0]
    mrs     x2, sp_el0
    stp     x30, x2, [x0, #240]
    mrs     x2, elr_el1
    mrs     x3, spsr_el1
    stp     x2, x3, [x0, #256]
    .endm

    .type task_interrupted, %function
task_interrupted:
    stp     x0, x1, [sp, #-16]!
    save
    bl      handle_interrupt
    b       task_continue
    .size task_interrupted, . - task_interrupted

    .type task_called, %function
task_called:
    stp     x0, x1, [sp, #-16]!
    save
    ldr     x0, [x0]
    bl      handle_call
    b       task_continue
    .size task_called, . - task_called

    .type task_continue, %function
task_continue:
    bl      schedule
    ldr     x0, =current_task
    ldr     x0, [x0]
    ldp     x2, x3, [x0, #256]
    msr     elr_el1, x2
    msr     spsr_el1, x3
    ldp     x30, x2, [x0, #240]
    msr     sp_el0, x2
    ldp     x28, x29, [x0, #224]
    ldp     x26, x27, [x0, #208]
    ldp     x24, x25, [x0, #192]
    ldp     x22, x23, [x0, #176]
    ldp     x20, x21, [x0, #160]
    ldp     x18, x19, [x0, #144]
    ldp     x16, x17, [x0, #128]
    ldp     x14, x15, [x0, #112]
    ldp     x12, x13, [x0, #96]
    ldp     x10, x11, [x0, #80]
    ldp     x8, x9, [x0, #64]
    ldp     x6, x7, [x0, #48]
    ldp     x4, x5, [x0, #32]
    ldp     x2, x3, [x0, #16]
    ldp     x0, x1, [x0]
    eret
    .size task_continue, . - task_continue

    .type handler_interrupted, %function
handler_interrupted:
    sub     sp, sp, #192
    stp     x0, x1, [sp]
    stp     x2, x3, [sp, #16]
    stp     x4, x5, [sp, #32]
    stp     x6, x7, [sp, #48]
    stp     x8, x9, [sp, #64]
    stp     x10, x11, [sp, #80]
    stp     x12, x13, [sp, #96]
    stp     x14, x15, [sp, #112]
    stp     x16, x17, [sp, #128]
    stp     x18, x30, [sp, #144]
    mrs     x0, elr_el1
    mrs     x1, spsr_el1
    stp     x0, x1, [sp, #160]
    bl      handle_interrupt
    ldp     x0, x1, [sp, #160]
    msr     elr_el1, x0
    msr     spsr_el1, x1
    ldp     x0, x1, [sp]
    ldp     x2, x3, [sp, #16]
    ldp     x4, x5, [sp, #32]
    ldp     x6, x7, [sp, #48]
    ldp     x8, x9, [sp, #64]
    ldp     x10, x11, [sp, #80]
    ldp     x12, x13, [sp, #96]
    ldp     x14, x15, [sp, #112]
    ldp     x16, x17, [sp, #128]
    ldp     x18, x30, [sp, #144]
    add     sp, sp, #192
    eret
    .size handler_interrupted, . - handler_interrupted

    .type unexpected, %function
unexpected:
    b       unexpected
    .size unexpected, . - unexpected

    .global task_prepare
    .type task_prepare, %function
task_prepare:
    str     x1, [x0, #248]
    str     xzr, [x0, #240]
    str     xzr, [x0, #232]
    str     x2, [x0, #256]
    and     x3, x3, #1
    lsl     x3, x3, #2              // EL0t or EL1t
    str     x3, [x0, #264]
    ret
    .size task_prepare, . - task_prepare

    .global kernel_start
    .type kernel_start, %function
kernel_start:
    adr     x0, vectors
    msr     vbar_el1, x0
    msr     daifset, #2
    b       task_first
    .size kernel_start, . - kernel_start

    .type task_first, %function
task_first:
    ldr     x0, =current_task
    ldr     x0, [x0]
    ldp     x2, x3, [x0, #256]
    msr     elr_el1, x2
    msr     spsr_el1, x3
    ldr     x2, [x0, #248]
    msr     sp_el0, x2
    mov     x29, xzr
    mov     x30, xzr
    eret
    .size task_first, . - task_first

    .global kernel_call
    .type kernel_call, %function
kernel_call:
    svc     #1
    ret
    .size kernel_call, . - kernel_call

    .global interrupts_on
    .type interrupts_on, %function
interrupts_on:
    msr     daifclr, #2
    ret
    .size interrupts_on, . - interrupts_on

    .global interrupts_off
    .type interrupts_off, %function
interrupts_off:
    msr     daifset, #2
    ret
    .size interrupts_off, . - interrupts_off
