# Loads of vectors with masks: of all elements, with the first and the last, and without one of them.
    .globl _start
_start:
    li t0, 0x6600
    csrs mstatus, t0
    la s0, data
    la s2, masks
    li s3, 6
again:
    vsetivli t0, 1, e16, m1, ta, ma
    vle16.v v0, (s2)
    li a3, 6
    vsetivli t0, 11, e16, m2, ta, mu
    vmv.v.i v2, -1
    vle16.v v2, (s0), v0.t
    vlse16.v v4, (s0), a3, v0.t
    vid.v v6
    vsll.vi v6, v6, 2
    vluxei16.v v8, (s0), v6, v0.t
    vle16ff.v v10, (s0), v0.t
    vsetivli t0, 11, e8, m1, ta, ma
    vlseg2e8.v v12, (s0), v0.t
    vlseg3e8.v v14, (s0), v0.t
    vsetivli t0, 11, e32, m4, ta, mu
    vle32.v v20, (s0), v0.t
    csrwi vstart, 2
    vle32.v v20, (s0), v0.t
    csrwi vstart, 0
    addi s0, s0, 8
    addi s2, s2, 2
    addi s3, s3, -1
    bnez s3, again
    la t0, tohost
    li t1, 1
    sw t1, 0(t0)
1:  j 1b
    .data
    .align 6
    .globl tohost
tohost: .dword 0
    .align 6
    .globl fromhost
fromhost: .dword 0
masks: .half 0x7ff, 0x401, 0x5a5, 0x7fe, 0x3ff, 0x020
    .align 4
data:
    .set value, 0x1234567890abcdef
    .rept 32
    .dword value
    .set value, value * 0x5851f42d4c957f2d + 0x14057b7ef767814f
    .endr
