// A32: tasks in user mode, the last in system mode; interrupts come in interrupt mode, with its own stack, and handlers run
// in supervisor mode, as the kernel's calls do. The context: r0 to r12, sp, lr, pc, cpsr.
    .syntax unified
    .arch armv7-a
    .text
    .arm
    .balign 32
    .type vectors, %function
vectors:
    b       unexpected
    b       unexpected
    b       task_called
    b       unexpected
    b       unexpected
    b       unexpected
    b       interrupted
    b       unexpected
    .size vectors, . - vectors

// Where to go back to, and cpsr, are carried over to the stack of supervisor mode.
    .type interrupted, %function
interrupted:
    sub     lr, lr, #4
    push    {r0, r1}
    mov     r0, lr
    mrs     r1, spsr
    cps     #0x13
    push    {r0, r1}
    cps     #0x12
    pop     {r0, r1}
    cps     #0x13
    push    {r0-r3, r12, lr}
    bl      handle_interrupt
    cmp     r0, #0
    bne     task_save
    pop     {r0-r3, r12, lr}
    rfeia   sp!
    .size interrupted, . - interrupted

    .type task_called, %function
task_called:
    push    {r0, r1}
    mrs     r1, spsr
    mov     r0, lr
    ldr     lr, [sp]
    str     r0, [sp]
    mov     r0, lr
    ldr     lr, [sp, #4]
    str     r1, [sp, #4]
    mov     r1, lr
    push    {r0-r3, r12, lr}
    bl      handle_call
    cmp     r0, #2
    beq     task_restore
    b       task_save
    .size task_called, . - task_called

    .type task_save, %function
task_save:
    ldr     r0, =current_task
    ldr     r0, [r0]
    add     r1, r0, #16
    stm     r1, {r4-r11}
    pop     {r4-r9}
    stm     r0, {r4-r7}
    str     r8, [r0, #48]
    pop     {r4, r5}
    str     r4, [r0, #60]
    str     r5, [r0, #64]
    cps     #0x1f
    str     sp, [r0, #52]
    str     lr, [r0, #56]
    cps     #0x13
    b       task_restore
    .size task_save, . - task_save

    .type task_restore, %function
task_restore:
    ldr     sp, =stack_top - 0x80000
    bl      schedule
    ldr     r0, =current_task
    ldr     r0, [r0]
    cps     #0x1f
    ldr     sp, [r0, #52]
    ldr     lr, [r0, #56]
    cps     #0x13
    ldr     r4, [r0, #60]
    ldr     r5, [r0, #64]
    push    {r4, r5}
    ldr     r12, [r0, #48]
    add     r1, r0, #16
    ldm     r1, {r4-r11}
    ldm     r0, {r0-r3}
    rfeia   sp!
    .size task_restore, . - task_restore

    .type unexpected, %function
unexpected:
    b       unexpected
    .size unexpected, . - unexpected

    .global task_prepare
    .type task_prepare, %function
task_prepare:
    str     r1, [r0, #52]
    str     r2, [r0, #60]
    tst     r3, #1
    mov     r3, #0
    str     r3, [r0, #56]
    moveq   r3, #0x10
    movne   r3, #0x1f
    str     r3, [r0, #64]
    bx      lr
    .size task_prepare, . - task_prepare

    .global kernel_start
    .type kernel_start, %function
kernel_start:
    cpsid   i
    adr     r0, vectors
    mcr     p15, 0, r0, c12, c0, 0  // VBAR
    cps     #0x12
    ldr     sp, =stack_top - 0x40000
    cps     #0x13
    b       task_restore
    .size kernel_start, . - kernel_start

    .global kernel_call
    .type kernel_call, %function
kernel_call:
    svc     #1
    bx      lr
    .size kernel_call, . - kernel_call

    .global interrupts_on
    .type interrupts_on, %function
interrupts_on:
    cpsie   i
    bx      lr
    .size interrupts_on, . - interrupts_on

    .global interrupts_off
    .type interrupts_off, %function
interrupts_off:
    cpsid   i
    bx      lr
    .size interrupts_off, . - interrupts_off
