#if __riscv_xlen == 64
#define ST sd
#define LD ld
#define W 8
#else
#define ST sw
#define LD lw
#define W 4
#endif
.section .text.init
.globl _start
.type _start, @function
_start:
    li t0, 0x6600
    csrs mstatus, t0
    csrr a0, mhartid
    la sp, stack_top
    slli t1, a0, 13
    sub sp, sp, t1
    la t0, begin
    jr t0
.size _start, . - _start
.text
.globl begin
.type begin, @function
begin:
    call main
    li t0, 1
    la t1, tohost
    sw t0, 0(t1)
1:  j 1b
.size begin, . - begin
.globl set_jump
.type set_jump, @function
set_jump:
    .cfi_startproc
    ST ra, 0(a0); ST sp, W(a0)
    ST s0, 2*W(a0); ST s1, 3*W(a0); ST s2, 4*W(a0); ST s3, 5*W(a0); ST s4, 6*W(a0); ST s5, 7*W(a0)
    li a0, 0
    ret
    .cfi_endproc
.size set_jump, . - set_jump
.globl long_jump
.type long_jump, @function
long_jump:
    .cfi_startproc
    LD s0, 2*W(a0); LD s1, 3*W(a0); LD s2, 4*W(a0); LD s3, 5*W(a0); LD s4, 6*W(a0); LD s5, 7*W(a0)
    LD ra, 0(a0); LD sp, W(a0)
    mv a0, a1
    ret
    .cfi_endproc
.size long_jump, . - long_jump
# called with t0 as the link register
.type helper_t0, @function
helper_t0:
    .cfi_startproc
    .cfi_register ra, t0
    addi a0, a0, 3
    jr t0
    .cfi_endproc
.size helper_t0, . - helper_t0
.globl by_t0
.type by_t0, @function
by_t0:
    .cfi_startproc
    jal t0, helper_t0
    jal t0, helper_t0
    la t1, leaf
    li a1, 3
    jr t1               # far tail call
    .cfi_endproc
.size by_t0, . - by_t0
# a coroutine: two routines that continue each other by jalr t0, t0
.globl swaps
.type swaps, @function
swaps:
    .cfi_startproc
    addi sp, sp, -16
    .cfi_def_cfa_offset 16
    ST ra, 8(sp)
    .cfi_offset ra, -8
    call leaf
    la t0, leaf
    jalr ra, 0(t0)      # a call by a pointer in t0
    LD ra, 8(sp)
    .cfi_restore ra
    addi sp, sp, 16
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
.size swaps, . - swaps
