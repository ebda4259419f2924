    .globl _start
_start:
    li t0, 0x6600
    csrs mstatus, t0
    la sp, stack_top
    call work
    la t0, tohost
    li t1, 1
    sw t1, 0(t0)
1:  j 1b
work:
    addi sp, sp, -32
    sd ra, 24(sp)
    la a0, data
    la a1, out
    li a2, 20
loop:
    vsetvli t0, a2, e32, m2, ta, ma
    vle32.v v2, (a0)
    vadd.vv v4, v2, v2
    vse32.v v4, (a1)
    slli t1, t0, 2
    add a0, a0, t1
    add a1, a1, t1
    sub a2, a2, t0
    bnez a2, loop
    vsetivli t0, 4, e8, mf4, ta, ma
    vle8.v v1, (a1)
    la a0, data
    vsetivli t0, 4, e32, m1, ta, ma
    vid.v v8
    vsll.vi v8, v8, 2
    vluxei32.v v9, (a0), v8
    vsuxei32.v v9, (a1), v8
    lb t1, 3(a0)
    lbu t2, 3(a0)
    lh t3, 2(a0)
    lhu t4, 2(a0)
    lw t5, 0(a0)
    lwu t6, 4(a0)
    sb t1, 0(a1)
    sh t3, 2(a1)
    sw t5, 4(a1)
    sd t5, 8(a1)
    lw x0, 0(a0)
    amoadd.w t1, t5, (a1)
    amoswap.d t2, t6, (a1)
    lr.w t1, (a1)
    sc.w t2, t1, (a1)
    sc.w t2, t1, (a1)
    fcvt.d.l f1, t5
    fsd f1, 16(a1)
    fld f2, 16(a1)
    flw f3, 0(a0)
    fsw f3, 4(a1)
    fdiv.d f4, f1, f2
    ld ra, 24(sp)
    addi sp, sp, 32
    ret
    .data
    .align 6
    .globl tohost
tohost: .dword 0
    .globl fromhost
fromhost: .dword 0
data: .word 0x11223384, 0x88776655, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21
    .align 6
out: .space 512
    .align 6
stack: .space 1024
stack_top:
