// AArch64: vectors of EL1, and the way to EL0. The stack of EL0 lies below that of EL1, so a
// handler that interrupts EL0 works at higher addresses than the code it interrupts.
    .text
    .macro vector target
    .balign 0x80
    b       \target
    .endm

    .balign 0x800
    .type vectors, %function
vectors:
    vector  unexpected              // current level, SP_EL0
    vector  unexpected
    vector  unexpected
    vector  unexpected
    vector  sync_vector             // current level, SP_EL1
    vector  irq_vector
    vector  unexpected
    vector  unexpected
    vector  sync_vector             // from EL0, AArch64
    vector  irq_vector
    vector  unexpected
    vector  unexpected
    .size vectors, . - vectors

    .type irq_vector, %function
irq_vector:
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
    bl      handle_interrupt
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
    .size irq_vector, . - irq_vector

// Interrupts are let in again while the call is served, so ELR and SPSR are saved.
    .type sync_vector, %function
sync_vector:
    stp     x29, x30, [sp, #-48]!
    mov     x29, sp
    mrs     x2, elr_el1
    mrs     x3, spsr_el1
    stp     x2, x3, [sp, #16]
    msr     daifclr, #2
    bl      handle_call
    msr     daifset, #2
    ldp     x2, x3, [sp, #16]
    msr     elr_el1, x2
    msr     spsr_el1, x3
    ldp     x29, x30, [sp], #48
    eret
    .size sync_vector, . - sync_vector

    .type unexpected, %function
unexpected:
    b       unexpected
    .size unexpected, . - unexpected

    .global exceptions_open
    .type exceptions_open, %function
exceptions_open:
    adr     x0, vectors
    msr     vbar_el1, x0
    // A register without a name of its own, as reset code has them (here: of Cortex-A72, to
    // join the coherent domain).
    mov     x0, #0x40
    msr     S3_1_C15_C2_1, x0
    isb
    msr     daifclr, #2
    ret
    .size exceptions_open, . - exceptions_open

    .global call_supervisor
    .type call_supervisor, %function
call_supervisor:
    svc     #1
    ret
    .size call_supervisor, . - call_supervisor

    .global run_unprivileged
    .type run_unprivileged, %function
run_unprivileged:
    msr     daifset, #2             // an interrupt here would change ELR and SPSR
    mov     x1, sp
    sub     x1, x1, #0x100000
    msr     sp_el0, x1
    msr     elr_el1, x0
    msr     spsr_el1, xzr           // EL0t, nothing masked
    mov     x30, xzr
    eret
    .size run_unprivileged, . - run_unprivileged
