// Blocks that each compute 64 bytes of `out` from 64 bytes of `in` through vectors, in as many ways as there are. Which bytes of
// `out` change with a byte of `in` was found by changing it (vec-flow64.flows).
    .macro block vtype:vararg
    addi s0, s0, 64
    addi s1, s1, 64
    vsetivli t0, \vtype
    .endm
    .globl _start
_start:
    li t0, 0x6600
    csrs mstatus, t0
    la s0, in - 64
    la s1, out - 64
    addi s2, s0, 64 + 16
    block 16, e8, m1, ta, ma            // 0: copies
    vle8.v v2, (s0)
    vse8.v v2, (s1)
    block 6, e32, m2, ta, ma            // 1: two registers, the second half full
    vle32.v v2, (s0)
    vadd.vv v4, v2, v2
    vse32.v v4, (s1)
    block 8, e32, m2, tu, mu            // 2: a mask
    addi a0, s0, 2
    vlm.v v0, (a0)
    addi a0, s0, 16
    vle32.v v2, (a0)
    vxor.vi v2, v2, 5, v0.t
    vse32.v v2, (s1)
    block 8, e16, m1, ta, ma            // 3: widening
    vle16.v v2, (s0)
    addi a0, s0, 16
    vle16.v v3, (a0)
    vwadd.vv v4, v2, v3
    vwmul.vv v6, v2, v3
    vwadd.wv v6, v6, v2
    vsetivli t0, 8, e32, m2, ta, ma
    vse32.v v4, (s1)
    addi a1, s1, 32
    vse32.v v6, (a1)
    block 8, e32, m2, ta, ma            // 4: narrowing
    vle32.v v4, (s0)
    vsetivli t0, 8, e16, m1, ta, ma
    vnsrl.wi v2, v4, 3
    vse16.v v2, (s1)
    vnclip.wi v3, v4, 2
    addi a1, s1, 16
    vse16.v v3, (a1)
    block 8, e32, m2, ta, ma            // 5: reductions
    vle32.v v2, (s0)
    vmv.s.x v1, zero
    vredsum.vs v1, v2, v1
    vmv.x.s t1, v1
    sw t1, 0(s1)
    vredmaxu.vs v1, v2, v1
    vsetivli t0, 1, e32, m1, ta, ma
    addi a1, s1, 8
    vse32.v v1, (a1)
    block 16, e8, m1, ta, ma            // 6: gathers
    vle8.v v2, (s0)
    addi a0, s0, 16
    vle8.v v3, (a0)
    vand.vi v3, v3, 15
    vrgather.vv v4, v2, v3
    vse8.v v4, (s1)
    vrgather.vi v4, v2, 3
    addi a1, s1, 16
    vse8.v v4, (a1)
    block 16, e16, m2, ta, ma           // 7: slides
    vle16.v v2, (s0)
    lh t1, 32(s0)
    vslide1down.vx v4, v2, t1
    vse16.v v4, (s1)
    vmv.v.i v6, 1
    vslideup.vi v6, v2, 3
    addi a1, s1, 32
    vse16.v v6, (a1)
    block 16, e8, m1, ta, ma            // 8: comparisons, merges
    vle8.v v2, (s0)
    addi a0, s0, 16
    vle8.v v3, (a0)
    vmsltu.vv v0, v2, v3
    vmerge.vvm v4, v3, v2, v0
    vse8.v v4, (s1)
    addi a1, s1, 16
    vsm.v v0, (a1)
    block 8, e8, mf2, ta, ma            // 9: segments
    vlseg2e8.v v2, (s0)
    vse8.v v2, (s1)
    addi a1, s1, 8
    vse8.v v3, (a1)
    addi a1, s1, 16
    vsseg2e8.v v2, (a1)
    block 6, e16, m1, ta, ma            // 10: strides
    li t1, 6
    vlse16.v v2, (s0), t1
    li t1, 4
    vsse16.v v2, (s1), t1
    block 8, e16, m1, ta, ma            // 11: indexes
    vid.v v4
    vsll.vi v4, v4, 2
    vluxei16.v v2, (s0), v4
    vsuxei16.v v2, (s1), v4
    block 16, e8, m1, ta, ma            // 12: whole registers
    vl2re8.v v2, (s0)
    vmv2r.v v4, v2
    vs2r.v v4, (s1)
    block 8, e32, m2, ta, ma            // 13: floating point
    vle32.v v2, (s0)
    flw fa0, 32(s0)
    vfadd.vf v4, v2, fa0
    vfmacc.vv v4, v2, v2
    vfwcvt.f.f.v v8, v2
    vse32.v v4, (s1)
    vsetivli t0, 4, e64, m2, ta, ma
    addi a1, s1, 32
    vse64.v v8, (a1)
    block 8, e32, m2, ta, ma            // 14: extensions
    vle8.v v2, (s0)
    vzext.vf4 v4, v2
    vse32.v v4, (s1)
    addi a0, s0, 16
    vle16.v v2, (a0)
    vsext.vf2 v4, v2
    addi a1, s1, 32
    vse32.v v4, (a1)
    block 16, e8, m1, ta, ma            // 15: counts of masks
    vlm.v v0, (s0)
    vcpop.m t1, v0
    sb t1, 0(s1)
    vfirst.m t1, v0
    sb t1, 1(s1)
    viota.m v2, v0
    addi a1, s1, 16
    vse8.v v2, (a1)
    vmsif.m v3, v0
    vmxor.mm v3, v3, v0
    addi a1, s1, 32
    vsm.v v3, (a1)
    block 16, e8, m1, ta, ma            // 16: saturating, averages
    vle8.v v2, (s0)
    addi a0, s0, 16
    vle8.v v3, (a0)
    vsaddu.vv v4, v2, v3
    vse8.v v4, (s1)
    vaadd.vv v4, v2, v3
    addi a1, s1, 16
    vse8.v v4, (a1)
    vmacc.vv v4, v2, v3
    addi a1, s1, 32
    vse8.v v4, (a1)
    block 16, e8, m1, ta, ma            // 17: carries
    vle8.v v2, (s0)
    addi a0, s0, 16
    vle8.v v3, (a0)
    vmadc.vv v0, v2, v3
    vadc.vvm v4, v2, v3, v0
    vse8.v v4, (s1)
    block 16, e8, m1, ta, ma            // 18: compression
    vle8.v v2, (s0)
    addi a0, s0, 16
    vlm.v v0, (a0)
    vmv.v.i v4, 0
    vcompress.vm v4, v2, v0
    vse8.v v4, (s1)
    block 11, e8, m1, ta, ma            // 19: a load that may end early
    vle8ff.v v2, (s0)
    vmv.v.v v4, v2
    vse8.v v4, (s1)
    lbu t1, 32(s0)
    vmv.v.x v4, t1
    addi a1, s1, 16
    vse8.v v4, (a1)
    block 3, e16, mf4, tu, ma           // 20: a quarter of a register, of which the rest stays
    addi a0, s0, 16
    vl1re16.v v2, (a0)
    vle16.v v2, (s0)
    vs1r.v v2, (s1)
    block 16, e8, m1, tu, mu            // 21: masked loads and stores
    vlm.v v0, (s0)
    addi a0, s0, 16
    vl1re8.v v2, (a0)
    addi a0, s0, 32
    vle8.v v2, (a0), v0.t
    vse8.v v2, (s1), v0.t
    addi a1, s1, 16
    vse8.v v2, (a1)
    la t0, tohost
    li t1, 1
    sw t1, 0(t0)
1:  j 1b
    .data
    .balign 64
    .globl in, out
in: .rept 22 * 16
    .word (0x3f9d6000 + 0x01030507 * (. - in) + (. - in) * (. - in) * 5) & 0x3fffffff
    .endr
out: .zero 22 * 64
    .section .tohost, "aw"
    .balign 64
    .globl tohost, fromhost
tohost: .dword 0
fromhost: .dword 0
