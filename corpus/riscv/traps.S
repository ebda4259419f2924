// Traps that a log of commits does not show, after each kind of instruction: which of them comes first, when no handler is known yet,
// is FIRST. And coroutines: swaps of ra and t0 on one stack, and of whole stacks.
    .macro function name
    .globl \name
    .type \name, @function
\name:
    .endm
    .macro end name
    .size \name, . - \name
    .endm
    .section .text.init
    function _start
    li t0, 0x6600
    csrs mstatus, t0
    la sp, stack_top
    la t0, trap
    csrw mtvec, t0
    call main
    la t0, tohost
    li t1, 1
    sw t1, 0(t0)
1:  j 1b
    end _start
    .text
    .balign 4
    function trap
    addi sp, sp, -32
    sd ra, 0(sp)
    sd t0, 8(sp)
    sd a0, 16(sp)
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    call handle
    ld ra, 0(sp)
    ld t0, 8(sp)
    ld a0, 16(sp)
    addi sp, sp, 32
    mret
    end trap
    .balign 4
    function handle
    addi a0, a0, 1
    ret
    end handle
    function main
    addi sp, sp, -32
    sd ra, 0(sp)
    sd s0, 8(sp)
    sd s1, 16(sp)
    li s0, FIRST
    li s1, 10
1:  la t0, kinds
    slli t1, s0, 3
    add t0, t0, t1
    ld t0, 0(t0)
    jalr t0
    addi s0, s0, 1
    li t0, 7
    blt s0, t0, 2f
    li s0, 0
2:  addi s1, s1, -1
    bnez s1, 1b
    call coroutines
    ld ra, 0(sp)
    ld s0, 8(sp)
    ld s1, 16(sp)
    addi sp, sp, 32
    ret
    end main
    .balign 4
    function leaf
    addi a0, a0, 1
    ret
    end leaf
    // 0: a switch, whose case traps at once
    .balign 4
    function by_switch
    addi sp, sp, -16
    sd ra, 0(sp)
    la t1, cases
    ld t1, 8(t1)
    jr t1
    .balign 4
first:
    addi a0, a0, 2
    j 1f
    .balign 4
second:
    ecall
    call leaf
1:  ld ra, 0(sp)
    addi sp, sp, 16
    ret
    end by_switch
    // 1: a tail call by a pointer, to a function that traps at once
    .balign 4
    function by_tail
    la a5, victim
    jr a5
    end by_tail
    // 2: a call by a pointer to one
    .balign 4
    function by_pointer
    addi sp, sp, -16
    sd ra, 0(sp)
    la a5, victim
    jalr a5
    call leaf
    ld ra, 0(sp)
    addi sp, sp, 16
    ret
    end by_pointer
    // 3: a return to where a trap comes
    .balign 4
    function by_return
    addi sp, sp, -16
    sd ra, 0(sp)
    .balign 4
    call leaf
    ecall
    call leaf
    ld ra, 0(sp)
    addi sp, sp, 16
    ret
    end by_return
    // 4: a direct call
    .balign 4
    function by_call
    addi sp, sp, -16
    sd ra, 0(sp)
    call victim
    ld ra, 0(sp)
    addi sp, sp, 16
    ret
    end by_call
    // 5: a branch
    .balign 4
    function by_branch
    beqz x0, 1f
    nop
    .balign 4
1:  ecall
    ret
    end by_branch
    // 6: nothing
    .balign 4
    function by_nothing
    addi a0, a0, 1
    .balign 4
    ecall
    addi a0, a0, 1
    ret
    end by_nothing
    .balign 4
    function victim
    ecall
    addi sp, sp, -16
    sd ra, 0(sp)
    call leaf
    ld ra, 0(sp)
    addi sp, sp, 16
    ret
    end victim

    .balign 4
    function coroutines
    addi sp, sp, -32
    sd ra, 0(sp)
    sd s2, 8(sp)
    sd s3, 16(sp)
    li s2, 4
    call generator
1:  call leaf
    mv ra, t0
    mv t0, ra
    .word 0x000280e7        // jalr ra, 0(t0): goes on in the generator
    addi s2, s2, -1
    bnez s2, 1b
    li s2, 5
    la a0, other_stack
    la t0, worker
    sd t0, 0(a0)
    la t0, other_top
    sd t0, 8(a0)
2:  la a0, own_stack
    la a1, other_stack
    call swap
    call leaf
    addi s2, s2, -1
    bnez s2, 2b
    ld ra, 0(sp)
    ld s2, 8(sp)
    ld s3, 16(sp)
    addi sp, sp, 32
    ret
    end coroutines
    // Returns to its caller with t0 as the place where it goes on.
    .balign 4
    function generator
1:  addi a0, a0, 3
    .word 0x000082e7        // jalr t0, 0(ra)
    addi a0, a0, 5
    .word 0x000082e7
    j 1b
    end generator
    // Another stack: it saves ra and sp, and takes those of the other.
    .balign 4
    function swap
    sd ra, 0(a0)
    sd sp, 8(a0)
    ld ra, 0(a1)
    ld sp, 8(a1)
    ret
    end swap
    .balign 4
    function worker
    addi sp, sp, -16
1:  call inner
    la a0, other_stack
    la a1, own_stack
    call swap
    j 1b
    end worker
    .balign 4
    function inner
    addi sp, sp, -16
    sd ra, 0(sp)
    la a0, other_stack
    la a1, own_stack
    call swap
    call leaf
    ld ra, 0(sp)
    addi sp, sp, 16
    ret
    end inner
    .data
    .balign 8
cases: .dword first, second
kinds: .dword by_switch, by_tail, by_pointer, by_return, by_call, by_branch, by_nothing
own_stack: .zero 16
other_stack: .zero 16
    .zero 1024
other_top: .zero 64
    .section .tohost, "aw"
    .balign 64
    .globl tohost, fromhost
tohost: .dword 0
fromhost: .dword 0
