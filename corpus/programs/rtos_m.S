// M profile: tasks on PSP, handlers on MSP. SysTick and a device that interrupts it make PendSV pending, which switches; so do
// calls. The context: the address of r4 to r11 on the task's own stack, where the rest of it was put by the machine.
    .syntax unified
    .arch armv7-m
    .thumb
    .text
    .type systick, %function
systick:
    push    {r4, lr}
    bl      handle_interrupt
    ldr     r0, =0xe000ed04
    mov     r1, #1 << 28
    str     r1, [r0]
    pop     {r4, pc}
    .size systick, . - systick

    .type device, %function
device:
    push    {r4, lr}
    bl      handle_interrupt
    pop     {r4, lr}
    bx      lr
    .size device, . - device

// The first call goes to the first task.
    .type svcall, %function
svcall:
    mrs     r1, psp
    cbz     r1, 1f
    ldr     r0, [r1]
    push    {r4, lr}
    bl      handle_call
    cmp     r0, #2
    beq     2f
    ldr     r0, =0xe000ed04
    mov     r1, #1 << 28
    str     r1, [r0]
    pop     {r4, pc}
1:  push    {r4, lr}
    ldr     r0, =0xe000e000
    mov     r1, #1
    str     r1, [r0, #0x100]
    mov     r1, #3
    str     r1, [r0, #0x010]
2:  bl      schedule
    pop     {r4, lr}
    orr     lr, lr, #4
    b       task_restore
    .size svcall, . - svcall

    .type pendsv, %function
pendsv:
    mrs     r0, psp
    ldr     r1, =current_task
    ldr     r1, [r1]
    stmdb   r0!, {r4-r11}
    str     r0, [r1]
    push    {r4, lr}
    bl      schedule
    pop     {r4, lr}
    b       task_restore
    .size pendsv, . - pendsv

    .type task_restore, %function
task_restore:
    ldr     r1, =current_task
    ldr     r1, [r1]
    ldr     r0, [r1]
    ldmia   r0!, {r4-r11}
    msr     psp, r0
    bx      lr
    .size task_restore, . - task_restore

    .global task_prepare
    .type task_prepare, %function
task_prepare:
    sub     r1, r1, #32             // xPSR, pc, lr, r12, r3 to r0
    mov     r3, #0x01000000
    str     r3, [r1, #28]
    bic     r2, r2, #1
    str     r2, [r1, #24]
    mov     r3, #0
    str     r3, [r1, #20]
    sub     r1, r1, #32
    str     r1, [r0]
    bx      lr
    .size task_prepare, . - task_prepare

    .global kernel_start
    .type kernel_start, %function
kernel_start:
    ldr     r0, =0xe000e000
    ldr     r1, =0x40f00000         // SysTick, PendSV: PendSV is the lowest
    str     r1, [r0, #0xd20]
    mov     r1, #0x80000000         // SVCall
    str     r1, [r0, #0xd1c]
    mov     r1, #0x20
    str     r1, [r0, #0x400]        // the device
    svc     #0
    bx      lr
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
    bx      lr
    .size interrupts_off, . - interrupts_off

    .section .text.start, "a"
    .word   stack_top
    .word   _start
    .word   unexpected
    .word   unexpected
    .word   0, 0, 0, 0, 0, 0, 0
    .word   svcall
    .word   0, 0
    .word   pendsv
    .word   systick
    .word   device

    .text
    .type unexpected, %function
unexpected:
    b       unexpected
    .size unexpected, . - unexpected

    .global _start
    .type _start, %function
_start:
    mov     r11, #0
    bl      main
    bl      program_exit
1:  b       1b
    .size _start, . - _start

    .global semihost
    .type semihost, %function
semihost:
    bkpt    #0xab
    bx      lr
    .size semihost, . - semihost
