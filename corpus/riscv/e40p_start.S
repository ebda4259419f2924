# At the reset address of Ibex's simple system; a write to 0x20008 ends the simulation there.
    .option arch, +zicsr
    .section .text.start, "ax"
    .globl _start
_start:
    la sp, stack_top
    li t0, 0x2000
    csrs mstatus, t0
    csrw fcsr, x0
    la t0, handler
    csrw mtvec, t0
    call main
    lui t0, 0x20
    addi t0, t0, 8
    li t1, 1
    sw t1, 0(t0)
1:  j 1b
    .section .text.handler, "ax"
    .balign 256
handler:
    addi sp, sp, -16
    sw t0, 0(sp)
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    lw t0, 0(sp)
    addi sp, sp, 16
    mret
