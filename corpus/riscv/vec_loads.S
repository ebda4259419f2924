    .globl _start
_start:
    li t0, 0x6600
    csrs mstatus, t0
    la s0, data
    la s1, out
    li s2, 4
again:
    li a2, 23
    vsetvli t0, a2, e16, m2, ta, ma
    vle16.v v2, (s0)            # unit stride, two registers
    vse16.v v2, (s1)
    li a3, 6
    li a4, 12
    vlse16.v v4, (s0), a3       # strided
    vsetivli t0, 7, e32, m2, tu, mu
    vid.v v8
    vsll.vi v8, v8, 3
    vluxei32.v v10, (s0), v8    # indexed
    vloxei32.v v10, (s0), v8
    vsetivli t0, 5, e8, m1, ta, ma
    vlseg3e8.v v12, (s0)        # segments
    vsetivli t0, 6, e32, m2, ta, ma
    vlseg2e32.v v16, (s0)       # segments of two registers
    vlsseg2e32.v v16, (s0), a4
    vlseg2e8.v v20, (s0)        # elements smaller than the type's
    vle64.v v24, (s0)           # larger
    vsetivli t0, 8, e16, m1, ta, mu
    vid.v v0
    vand.vi v0, v0, 1
    vmseq.vi v0, v0, 1
    vle16.v v5, (s0), v0.t      # masked
    vlse16.v v6, (s0), a3, v0.t
    vlseg2e16.v v6, (s0), v0.t
    vse16.v v5, (s1), v0.t
    vl1re32.v v7, (s0)          # whole registers
    vl2re8.v v8, (s1)
    vlm.v v0, (s0)
    csrwi vstart, 3
    vle16.v v5, (s0)            # resumed
    csrwi vstart, 0
    vle16ff.v v5, (s0)
    vsetivli t0, 0, e16, m1, ta, ma
    vle16.v v5, (s0)
    vsetivli t0, 8, e32, m2, ta, ma
    vsse32.v v2, (s1), a4
    vmv.v.i v10, 8
    vsuxei32.v v2, (s1), v10
    vsseg2e16.v v4, (s1)
    addi s0, s0, 3*8
    addi s2, s2, -1
    bnez s2, again
    la t0, tohost
    li t1, 1
    sw t1, 0(t0)
1:  j 1b
    .data
    .align 6
    .globl tohost
tohost: .dword 0
    .globl fromhost
fromhost: .dword 0
data:
    .set i, 1
    .rept 400
    .byte (i * 37 + 11) & 255
    .set i, i + 1
    .endr
    .align 6
out: .space 1024
