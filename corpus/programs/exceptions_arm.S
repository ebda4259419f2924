// A32 vectors (also for a program in T32), and the way to user mode. Each mode has its own stack.
    .syntax unified
    .arch armv7-a
    .text
    .arm
    .balign 32
    .type vectors, %function
vectors:
    b       unexpected
    b       unexpected
    b       svc_vector
    b       unexpected
    b       unexpected
    b       unexpected
    b       irq_vector
    b       unexpected
    .size vectors, . - vectors

    .type irq_vector, %function
irq_vector:
    push    {r0-r3, r12, lr}
    blx     handle_interrupt
    pop     {r0-r3, r12, lr}
    subs    pc, lr, #4
    .size irq_vector, . - irq_vector

    .type svc_vector, %function
svc_vector:
    push    {r2, r3, r12, lr}
    blx     handle_call
    ldm     sp!, {r2, r3, r12, pc}^
    .size svc_vector, . - svc_vector

    .type unexpected, %function
unexpected:
    b       unexpected
    .size unexpected, . - unexpected

// Called in supervisor mode, goes back in system mode, with a stack of its own for that.
    .global exceptions_open
    .type exceptions_open, %function
exceptions_open:
    adr     r0, vectors
    mcr     p15, 0, r0, c12, c0, 0  // VBAR
    mov     r1, sp
    mov     r2, lr
    cps     #0x12
    sub     sp, r1, #0x40000
    cps     #0x1f
    mov     sp, r1
    cps     #0x13
    sub     sp, r1, #0x80000
    cpsie   i, #0x1f
    bx      r2
    .size exceptions_open, . - exceptions_open

    .global call_supervisor
    .type call_supervisor, %function
call_supervisor:
    push    {r4, lr}
    svc     #1
    pop     {r4, pc}
    .size call_supervisor, . - call_supervisor

    .global run_unprivileged
    .type run_unprivileged, %function
run_unprivileged:
    cps     #0x10
    bx      r0
    .size run_unprivileged, . - run_unprivileged
