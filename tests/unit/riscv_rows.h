// What LLVM says; made by tools/riscv_rows.py.
// clang-format off
static const struct riscv_row riscv_rows[] = {
    {RISCV_32, 0x73, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // ecall
    {RISCV_32, 0x100073, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // ebreak
    {RISCV_32, 0x10200073, BRANCH_LEAVES, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // sret
    {RISCV_32, 0x30200073, BRANCH_LEAVES, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // mret
    {RISCV_32, 0x7b200073, BRANCH_LEAVES, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // dret
    {RISCV_32, 0x9002, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.ebreak
    {RISCV_32, 0x8082, BRANCH_RETURN, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jr ra
    {RISCV_32, 0x8282, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jr t0
    {RISCV_32, 0x9082, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jalr ra
    {RISCV_32, 0x9282, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jalr t0
    {RISCV_32, 0x128067, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr zero, 1(t0)
    {RISCV_32, 0x80e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, 0(ra)
    {RISCV_32, 0x414c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 11}}, // c.lw a1, 4(a0)
    {RISCV_32, 0x78e5, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui a7, 1048569
    {RISCV_32, 0x7d5, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi a5, 21
    {RISCV_32, 0x8a9a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.mv s5, t1
    {RISCV_32, 0xafbd, BRANCH_JUMP, false, 0x4077e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 1918
    {RISCV_32, 0xb9d1, BRANCH_JUMP, false, 0x3fcd4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -812
    {RISCV_32, 0xc380, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 8}}, // c.sw s0, 0(a5)
    {RISCV_32, 0xed2f8983, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, true, RISCV_X, 19}}, // lb s3, -302(t6)
    {RISCV_32, 0xfe16, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 5}}, // c.fswsp ft5, 60(sp)
    {RISCV_32, 0x4be03d87, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 27}}, // fld fs11, 1214(zero)
    {RISCV_32, 0x81f2c1ef, BRANCH_JUMP, false, 0xfff6c81e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal gp, -866274
    {RISCV_32, 0xaa202287, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 5}}, // flw ft5, -1374(zero)
    {RISCV_32, 0xbb95, BRANCH_JUMP, false, 0x3fd74, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -652
    {RISCV_32, 0x4ef8, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 14}}, // c.lw a4, 92(a3)
    {RISCV_32, 0xc540, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 8}}, // c.sw s0, 12(a0)
    {RISCV_32, 0x3b6e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 22}}, // c.fldsp fs6, 248(sp)
    {RISCV_32, 0x5804f96f, BRANCH_JUMP, false, 0x8f580, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s2, 324992
    {RISCV_32, 0xf50580e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, -176(a1)
    {RISCV_32, 0x6d10c703, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_X, 14}}, // lbu a4, 1745(ra)
    {RISCV_32, 0x12007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 0}}, // flw ft0, 0(sp)
    {RISCV_32, 0x2f42, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 30}}, // c.fldsp ft10, 16(sp)
    {RISCV_32, 0x2adc, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 15}}, // c.fld fa5, 144(a3)
    {RISCV_32, 0xf3b2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 12}}, // c.fswsp fa2, 228(sp)
    {RISCV_32, 0xa5f1, BRANCH_JUMP, false, 0x406cc, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 1740
    {RISCV_32, 0x74628367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, 1862(t0)
    {RISCV_32, 0xcbd1, BRANCH_JUMP, true, 0x40094, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a5, 148
    {RISCV_32, 0x40e0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 8}}, // c.lw s0, 68(s1)
    {RISCV_32, 0x257d, BRANCH_CALL, false, 0x406ae, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal 1710
    {RISCV_32, 0x7214, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 13}}, // c.flw fa3, 32(a2)
    {RISCV_32, 0xad936da7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 27}}, // vsoxseg6ei32.v v27, (t1), v25, v0.t
    {RISCV_32, 0xcdaa, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 10}}, // c.swsp a0, 216(sp)
    {RISCV_32, 0x6d22, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 26}}, // c.flwsp fs10, 8(sp)
    {RISCV_32, 0x202d, BRANCH_CALL, false, 0x4002a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal 42
    {RISCV_32, 0xe0228003, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, true, RISCV_X, 0}}, // lb zero, -510(t0)
    {RISCV_32, 0xd3f21def, BRANCH_JUMP, false, 0xfff61d3e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s11, -910018
    {RISCV_32, 0x58d0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 12}}, // c.lw a2, 52(s1)
    {RISCV_32, 0x73b27, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 0}}, // fsd ft0, 22(a4)
    {RISCV_32, 0xeea1, BRANCH_JUMP, true, 0x40058, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez a3, 88
    {RISCV_32, 0x10b080e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, 267(ra)
    {RISCV_32, 0x99a5, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.andi a1, -23
    {RISCV_32, 0x6814, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 13}}, // c.flw fa3, 16(s0)
    {RISCV_32, 0xd418, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 14}}, // c.sw a4, 40(s0)
    {RISCV_32, 0x920a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 0}}, // fsw ft0, 1(s2)
    {RISCV_32, 0xecd2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 20}}, // c.fswsp fs4, 88(sp)
    {RISCV_32, 0x1b95, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi s7, -27
    {RISCV_32, 0xd3e01023, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_X, 30}}, // sh t5, -736(zero)
    {RISCV_32, 0x8afd2973, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrs s2, 2223, s10
    {RISCV_32, 0xa6ec, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 11}}, // c.fsd fa1, 200(a3)
    {RISCV_32, 0x2b0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn a2, sp, 328
    {RISCV_32, 0xf845, BRANCH_JUMP, true, 0x3ffb0, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez s0, -80
    {RISCV_32, 0x5c44, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 9}}, // c.lw s1, 60(s0)
    {RISCV_32, 0x16e1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi a3, -8
    {RISCV_32, 0x9b887, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 17}}, // fld fa7, 0(s3)
    {RISCV_32, 0x2fd1, BRANCH_CALL, false, 0x407d4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal 2004
    {RISCV_32, 0xe4be, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 15}}, // c.fswsp fa5, 72(sp)
    {RISCV_32, 0x6027, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_V, 0}}, // vse32.v v0, (zero), v0.t
    {RISCV_32, 0xbaa8, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 10}}, // c.fsd fa0, 112(a3)
    {RISCV_32, 0x28a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli t0, 2
    {RISCV_32, 0x7e45, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui t3, 1048561
    {RISCV_32, 0xf287, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_V, 5}}, // vle64.v v5, (ra), v0.t
    {RISCV_32, 0x4e3d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li t3, 15
    {RISCV_32, 0xd5ae, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 11}}, // c.swsp a1, 232(sp)
    {RISCV_32, 0x4b202087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 1}}, // flw ft1, 1202(zero)
    {RISCV_32, 0xac153073, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrc zero, 2753, a0
    {RISCV_32, 0x6ec1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui t4, 16
    {RISCV_32, 0xc600967, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s2, 198(zero)
    {RISCV_32, 0x72530a67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s4, 1829(t1)
    {RISCV_32, 0x74030283, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, true, RISCV_X, 5}}, // lb t0, 1856(t1)
    {RISCV_32, 0x65d5, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui a1, 21
    {RISCV_32, 0xc360, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 8}}, // c.sw s0, 68(a4)
    {RISCV_32, 0x2d0a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_V, 1}}, // vse16.v v1, (t0), v0.t
    {RISCV_32, 0x7eb082e3, BRANCH_JUMP, true, 0x40fe4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // beq ra, a1, 4068
    {RISCV_32, 0x239d85e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr a1, 569(s11)
    {RISCV_32, 0x18487, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_V, 9}}, // vle8.v v9, (gp), v0.t
    {RISCV_32, 0x99c5, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.andi a1, -15
    {RISCV_32, 0x32007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 0}}, // flw ft0, 0(t1)
    {RISCV_32, 0x943d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.srai s0, 47
    {RISCV_32, 0xf91e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 7}}, // c.fswsp ft7, 176(sp)
    {RISCV_32, 0x4039d16f, BRANCH_JUMP, false, 0xddc02, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal sp, 646146
    {RISCV_32, 0x8b9dd3a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_V, 7}}, // vssseg5e16.v v7, (s11), s9
    {RISCV_32, 0xcf81, BRANCH_JUMP, true, 0x40018, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a5, 24
    {RISCV_32, 0x1e38, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn a4, sp, 824
    {RISCV_32, 0x52de, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 5}}, // c.lwsp t0, 244(sp)
    {RISCV_32, 0xb7cd, BRANCH_JUMP, false, 0x3ffe2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -30
    {RISCV_32, 0xe6, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli ra, 25
    {RISCV_32, 0xa6142e23, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 1}}, // sw ra, -1412(s0)
    {RISCV_32, 0x7c09, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui s8, 1048546
    {RISCV_32, 0xb9e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli s7, 7
    {RISCV_32, 0xbea4, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 9}}, // c.fsd fs1, 120(a3)
    {RISCV_32, 0xe327, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_V, 6}}, // vse32.v v6, (ra), v0.t
    {RISCV_32, 0x8ec2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.mv t4, a6
    {RISCV_32, 0x6652, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 12}}, // c.flwsp fa2, 20(sp)
    {RISCV_32, 0xdde1, BRANCH_JUMP, true, 0x3ffd8, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a1, -40
    {RISCV_32, 0x90327, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_V, 6}}, // vse8.v v6, (s2), v0.t
    {RISCV_32, 0x2a66, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 20}}, // c.fldsp fs4, 88(sp)
    {RISCV_32, 0x3d91, BRANCH_CALL, false, 0x3fe54, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal -428
    {RISCV_32, 0xb7ec, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 11}}, // c.fsd fa1, 232(a5)
    {RISCV_32, 0x70287, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_V, 5}}, // vle8.v v5, (a4), v0.t
    {RISCV_32, 0x5f6, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli a1, 29
    {RISCV_32, 0x3772d363, BRANCH_JUMP, true, 0x40366, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bge t0, s7, 870
    {RISCV_32, 0x3c52b36f, BRANCH_JUMP, false, 0x6bbc4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t1, 179140
    {RISCV_32, 0xd911, BRANCH_JUMP, true, 0x3ff14, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a0, -236
    {RISCV_32, 0x8ae6, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.mv s5, s9
    {RISCV_32, 0x4111, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li sp, 4
    {RISCV_32, 0xa6f1, BRANCH_JUMP, false, 0x403cc, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 972
    {RISCV_32, 0xe7f52003, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 0}}, // lw zero, -385(a0)
    {RISCV_32, 0xbe45, BRANCH_JUMP, false, 0x3fbb0, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -1104
    {RISCV_32, 0xf8ec80e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, -114(s9)
    {RISCV_32, 0xdac4, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 9}}, // c.sw s1, 52(a3)
    {RISCV_32, 0xa8027, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_V, 0}}, // vse8.v v0, (s5), v0.t
    {RISCV_32, 0xee1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi t4, 24
    {RISCV_32, 0x502e0367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, 1282(t3)
    {RISCV_32, 0xb287, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 5}}, // fld ft5, 0(ra)
    {RISCV_32, 0xf4c35373, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrwi t1, 3916, 6
    {RISCV_32, 0xd81083ef, BRANCH_JUMP, false, 0xfff48d80, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t2, -1012352
    {RISCV_32, 0x2059, BRANCH_CALL, false, 0x40086, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal 134
    {RISCV_32, 0x45cd, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li a1, 19
    {RISCV_32, 0x8526, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.mv a0, s1
    {RISCV_32, 0x5287, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_V, 5}}, // vle16.v v5, (zero), v0.t
    {RISCV_32, 0xe9b1, BRANCH_JUMP, true, 0x40054, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez a1, 84
    {RISCV_32, 0xf842, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 16}}, // c.fswsp fa6, 48(sp)
    {RISCV_32, 0xec18, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 14}}, // c.fsw fa4, 24(s0)
    {RISCV_32, 0x2af4c083, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_X, 1}}, // lbu ra, 687(s1)
    {RISCV_32, 0xf06d, BRANCH_JUMP, true, 0x3ffe2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez s0, -30
    {RISCV_32, 0xcd382e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t0, 205(t2)
    {RISCV_32, 0xa1d0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 12}}, // c.fsd fa2, 128(a1)
    {RISCV_32, 0xa41aaf87, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 31}}, // flw ft11, -1471(s5)
    {RISCV_32, 0x384da373, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrs t1, 900, s11
    {RISCV_32, 0xacf424a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 15}}, // fsw fa5, -1335(s0)
    {RISCV_32, 0x1a1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi gp, 8
    {RISCV_32, 0xb22d, BRANCH_JUMP, false, 0x3f92a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -1750
    {RISCV_32, 0x8d2707a3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 18}}, // sb s2, -1841(a4)
    {RISCV_32, 0xbc71, BRANCH_JUMP, false, 0x3fa9c, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -1380
    {RISCV_32, 0x9402aa7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 20}}, // fsw fs4, 149(zero)
    {RISCV_32, 0x62279023, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_X, 2}}, // sh sp, 1568(a5)
    {RISCV_32, 0x7b3e0367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, 1971(t3)
    {RISCV_32, 0xab0a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 0}}, // fsd ft0, 1(s5)
    {RISCV_32, 0xae2a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_V, 5}}, // vse32.v v5, (s5), v0.t
    {RISCV_32, 0x7087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_V, 1}}, // vle64.v v1, (zero), v0.t
    {RISCV_32, 0xd5bc9f63, BRANCH_JUMP, true, 0x3f55e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bne s9, s11, -2722
    {RISCV_32, 0xdb9a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 6}}, // c.swsp t1, 244(sp)
    {RISCV_32, 0xad40, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 8}}, // c.fsd fs0, 152(a0)
    {RISCV_32, 0x33327, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 0}}, // fsd ft0, 6(t1)
    {RISCV_32, 0x1b12a087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 1}}, // flw ft1, 433(t0)
    {RISCV_32, 0x49e133ef, BRANCH_JUMP, false, 0x5349e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t2, 79006
    {RISCV_32, 0x564a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 12}}, // c.lwsp a2, 176(sp)
    {RISCV_32, 0x3f12, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 30}}, // c.fldsp ft10, 288(sp)
    {RISCV_32, 0x4529, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li a0, 10
    {RISCV_32, 0x4e4a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 28}}, // c.lwsp t3, 144(sp)
    {RISCV_32, 0x7fac, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 11}}, // c.flw fa1, 120(a5)
    {RISCV_32, 0x3ddd, BRANCH_CALL, false, 0x3fef6, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal -266
    {RISCV_32, 0xc24a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 18}}, // c.swsp s2, 4(sp)
    {RISCV_32, 0x26410383, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, true, RISCV_X, 7}}, // lb t2, 612(sp)
    {RISCV_32, 0xfd267373, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrci t1, 4050, 12
    {RISCV_32, 0xe2600a23, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 6}}, // sb t1, -460(zero)
    {RISCV_32, 0x5470, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 12}}, // c.lw a2, 108(s0)
    {RISCV_32, 0x4034, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 13}}, // c.lw a3, 64(s0)
    {RISCV_32, 0x24a06f63, BRANCH_JUMP, true, 0x4025e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bltu zero, a0, 606
    {RISCV_32, 0x3fb9, BRANCH_CALL, false, 0x3ff5e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal -162
    {RISCV_32, 0x5c9c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 15}}, // c.lw a5, 56(s1)
    {RISCV_32, 0xecfc, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 15}}, // c.fsw fa5, 92(s1)
    {RISCV_32, 0x18074063, BRANCH_JUMP, true, 0x40180, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // blt a4, zero, 384
    {RISCV_32, 0x5a346e73, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrsi t3, 1443, 8
    {RISCV_32, 0xded18ca3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 13}}, // sb a3, -519(gp)
    {RISCV_32, 0x9070a327, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 7}}, // fsw ft7, -1786(ra)
    {RISCV_32, 0x1c22, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli s8, 40
    {RISCV_32, 0xe5b0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 12}}, // c.fsw fa2, 72(a1)
    {RISCV_32, 0x8bc3d283, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_X, 5}}, // lhu t0, -1860(t2)
    {RISCV_32, 0x1a8e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli s5, 35
    {RISCV_32, 0x11a062e3, BRANCH_JUMP, true, 0x40904, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bltu zero, s10, 2308
    {RISCV_32, 0x25280023, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 18}}, // sb s2, 576(a6)
    {RISCV_32, 0x9907ae3, BRANCH_JUMP, true, 0x40894, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bgeu zero, s9, 2196
    {RISCV_32, 0x87cb2d2f, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_ATOMIC, 4, true, RISCV_X, 26}}, // amomin.w.aqrl s10, t3, (s6)
    {RISCV_32, 0xf7f67363, BRANCH_JUMP, true, 0x3f766, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bgeu a2, t6, -2202
    {RISCV_32, 0x5bd0a923, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 29}}, // sw t4, 1458(ra)
    {RISCV_32, 0xe580fa7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 31}}, // vsoxei8.v v31, (a6), v5
    {RISCV_32, 0x574a83e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t2, 1396(s5)
    {RISCV_32, 0x6218, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 14}}, // c.flw fa4, 0(a2)
    {RISCV_32, 0x2f087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_V, 1}}, // vle64.v v1, (t0), v0.t
    {RISCV_32, 0x761a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 12}}, // c.flwsp fa2, 164(sp)
    {RISCV_32, 0x6a25, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui s4, 9
    {RISCV_32, 0xa700, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 8}}, // c.fsd fs0, 8(a4)
    {RISCV_32, 0x7570, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 12}}, // c.flw fa2, 108(a0)
    {RISCV_32, 0xe841, BRANCH_JUMP, true, 0x40090, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez s0, 144
    {RISCV_32, 0x57ac, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 11}}, // c.lw a1, 104(a5)
    {RISCV_32, 0x13780e67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t3, 311(a6)
    {RISCV_32, 0x95d9, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.srai a1, 54
    {RISCV_32, 0x6d68, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 10}}, // c.flw fa0, 92(a0)
    {RISCV_32, 0xef8c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 11}}, // c.fsw fa1, 24(a5)
    {RISCV_32, 0x30b385e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr a1, 779(t2)
    {RISCV_32, 0xa4352c6f, BRANCH_JUMP, false, 0xfff92a42, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s8, -710078
    {RISCV_32, 0x7765, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui a4, 1048569
    {RISCV_32, 0x2aad, BRANCH_CALL, false, 0x4017a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal 378
    {RISCV_32, 0x72387, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 7}}, // flw ft7, 0(a4)
    {RISCV_32, 0x4268, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 10}}, // c.lw a0, 68(a2)
    {RISCV_32, 0x7a807, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 16}}, // flw fa6, 0(a5)
    {RISCV_32, 0x4095, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li ra, 5
    {RISCV_32, 0x90c1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.srli s1, 48
    {RISCV_32, 0xb751, BRANCH_JUMP, false, 0x3ff84, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -124
    {RISCV_32, 0xeba, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli t4, 14
    {RISCV_32, 0x61f1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui gp, 28
    {RISCV_32, 0x450a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_V, 1}}, // vse16.v v1, (s0), v0.t
    {RISCV_32, 0x39a28c23, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 26}}, // sb s10, 920(t0)
    {RISCV_32, 0x35700867, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr a6, 855(zero)
    {RISCV_32, 0xd266, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 25}}, // c.swsp s9, 36(sp)
    {RISCV_32, 0xa229, BRANCH_JUMP, false, 0x4010a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 266
    {RISCV_32, 0x224a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 4}}, // c.fldsp ft4, 144(sp)
    {RISCV_32, 0x940ea623, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 0}}, // sw zero, -1716(t4)
    {RISCV_32, 0xdf1a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_V, 3}}, // vse64.v v3, (s11), v0.t
    {RISCV_32, 0xebde, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 23}}, // c.fswsp fs7, 212(sp)
    {RISCV_32, 0x3ba314ef, BRANCH_JUMP, false, 0x713ba, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s1, 201658
    {RISCV_32, 0xab5046ef, BRANCH_JUMP, false, 0xfff44ab4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a3, -1029452
    {RISCV_32, 0x64d8, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 14}}, // c.flw fa4, 12(s1)
    {RISCV_32, 0x89e588ef, BRANCH_JUMP, false, 0xfff9809e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a7, -687970
    {RISCV_32, 0xaeba56f, BRANCH_JUMP, false, 0xfa0ae, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a0, 762030
    {RISCV_32, 0x30a3e16f, BRANCH_JUMP, false, 0x7e30a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal sp, 254730
    {RISCV_32, 0xfb42, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 16}}, // c.fswsp fa6, 180(sp)
    {RISCV_32, 0xaf007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_V, 0}}, // vle64.v v0, (s5), v0.t
    {RISCV_32, 0x7819, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui a6, 1048550
    {RISCV_32, 0x109a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli ra, 38
    {RISCV_32, 0x64f62ca3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 15}}, // sw a5, 1625(a2)
    {RISCV_32, 0xe8ec6b6f, BRANCH_JUMP, false, 0x668e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s6, -235890
    {RISCV_32, 0x8d2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli a7, 20
    {RISCV_32, 0x25f2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 11}}, // c.fldsp fa1, 280(sp)
    {RISCV_32, 0xb00a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_V, 1}}, // vse8.v v1, (s6), v0.t
    {RISCV_32, 0x9a1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi s3, 8
    {RISCV_32, 0xc47e12e3, BRANCH_JUMP, true, 0x3fc44, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bne t3, t2, -956
    {RISCV_32, 0x155e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli a0, 55
    {RISCV_32, 0xe784, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 9}}, // c.fsw fs1, 8(a5)
    {RISCV_32, 0xd72a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_V, 5}}, // vse64.v v5, (s10), v0.t
    {RISCV_32, 0x7afe, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 21}}, // c.flwsp fs5, 252(sp)
    {RISCV_32, 0x4d22, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 26}}, // c.lwsp s10, 8(sp)
    {RISCV_32, 0x221e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 4}}, // c.fldsp ft4, 448(sp)
    {RISCV_32, 0xcc8d, BRANCH_JUMP, true, 0x4003a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz s1, 58
    {RISCV_32, 0x75003a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 7}}, // vsuxei8.v v7, (zero), v21
    {RISCV_32, 0x869080a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 1}}, // vsuxseg5ei8.v v1, (ra), v9
    {RISCV_32, 0x30027, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_V, 0}}, // vse8.v v0, (t1), v0.t
    {RISCV_32, 0x9ea9006f, BRANCH_JUMP, false, 0xfffd01ea, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal zero, -458262
    {RISCV_32, 0x31fd, BRANCH_CALL, false, 0x3fcee, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal -786
    {RISCV_32, 0x8047c66f, BRANCH_JUMP, false, 0xfffbc004, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a2, -540668
    {RISCV_32, 0x903e07e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr a5, -1789(t3)
    {RISCV_32, 0x3c1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi t2, 16
    {RISCV_32, 0xbbc8367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, 187(s9)
    {RISCV_32, 0x3589, BRANCH_CALL, false, 0x3fe42, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal -446
    {RISCV_32, 0xdd0a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_V, 1}}, // vse16.v v1, (s11), v0.t
    {RISCV_32, 0x5b3047ef, BRANCH_JUMP, false, 0x44db2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a5, 19890
    {RISCV_32, 0x4f0d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li t5, 3
    {RISCV_32, 0xc9705cef, BRANCH_JUMP, false, 0xfff45c96, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s9, -1024874
    {RISCV_32, 0xd22cd2e3, BRANCH_JUMP, true, 0x3fd24, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bge s9, sp, -732
    {RISCV_32, 0xc16a0a67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s4, -1002(s4)
    {RISCV_32, 0x4d71a323, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 23}}, // sw s7, 1222(gp)
    {RISCV_32, 0x611d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi16sp sp, 416
    {RISCV_32, 0xb854, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 13}}, // c.fsd fa3, 176(s0)
    {RISCV_32, 0xbe6289e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s3, -1050(t0)
    {RISCV_32, 0x2bbe82e3, BRANCH_JUMP, true, 0x40aa4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // beq t4, s11, 2724
    {RISCV_32, 0x7d52a2a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 21}}, // fsw fs5, 1989(t0)
    {RISCV_32, 0xd78c8623, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 24}}, // sb s8, -660(s9)
    {RISCV_32, 0xac24, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 9}}, // c.fsd fs1, 88(s0)
    {RISCV_32, 0x10f04283, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_X, 5}}, // lbu t0, 271(zero)
    {RISCV_32, 0x3d14, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 13}}, // c.fld fa3, 56(a0)
    {RISCV_32, 0x17fa, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli a5, 62
    {RISCV_32, 0x2669, BRANCH_CALL, false, 0x4038a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal 906
    {RISCV_32, 0x4946, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 18}}, // c.lwsp s2, 80(sp)
    {RISCV_32, 0xdd4, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn a3, sp, 724
    {RISCV_32, 0xdec87, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_V, 25}}, // vle32.v v25, (s11), v0.t
    {RISCV_32, 0xdf01, BRANCH_JUMP, true, 0x3ff18, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a4, -232
    {RISCV_32, 0xb950, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 12}}, // c.fsd fa2, 176(a0)
    {RISCV_32, 0x5364, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 9}}, // c.lw s1, 100(a4)
    {RISCV_32, 0xc3b1, BRANCH_JUMP, true, 0x40044, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a5, 68
    {RISCV_32, 0xa8d8a8ef, BRANCH_JUMP, false, 0xfffcaa8c, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a7, -480628
    {RISCV_32, 0x3e973b6f, BRANCH_JUMP, false, 0xb3be8, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s6, 474088
    {RISCV_32, 0x321a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 0}}, // fsw ft0, 3(t1)
    {RISCV_32, 0x55087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_V, 1}}, // vle16.v v1, (a0), v0.t
    {RISCV_32, 0x308a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_V, 17}}, // vse8.v v17, (t1), v0.t
    {RISCV_32, 0x7ac4, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 9}}, // c.flw fs1, 52(a3)
    {RISCV_32, 0xfc32d103, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_X, 2}}, // lhu sp, -61(t0)
    {RISCV_32, 0xdba5, BRANCH_JUMP, true, 0x3ff70, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a5, -144
    {RISCV_32, 0x80e01863, BRANCH_JUMP, true, 0x3f010, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bne zero, a4, -4080
    {RISCV_32, 0xe29d, BRANCH_JUMP, true, 0x40026, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez a3, 38
    {RISCV_32, 0xf70580e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, -144(a1)
    {RISCV_32, 0x672a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 14}}, // c.flwsp fa4, 136(sp)
    {RISCV_32, 0x3b54, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 13}}, // c.fld fa3, 176(a4)
    {RISCV_32, 0x36007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_V, 0}}, // vle32.v v0, (t1), v0.t
    {RISCV_32, 0x2230, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 12}}, // c.fld fa2, 64(a2)
    {RISCV_32, 0x28407, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_V, 8}}, // vle8.v v8, (t0), v0.t
    {RISCV_32, 0xefb07, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_V, 22}}, // vle64.v v22, (t4), v0.t
    {RISCV_32, 0xd5e802e3, BRANCH_JUMP, true, 0x3fd44, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // beq a6, t5, -700
    {RISCV_32, 0x8d564e83, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_X, 29}}, // lbu t4, -1835(a2)
    {RISCV_32, 0x117d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi sp, -1
    {RISCV_32, 0xaa0e0f67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t5, -1376(t3)
    {RISCV_32, 0xe3f1, BRANCH_JUMP, true, 0x400c4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez a5, 196
    {RISCV_32, 0x39cd, BRANCH_CALL, false, 0x3fcf2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal -782
    {RISCV_32, 0xde8d, BRANCH_JUMP, true, 0x3ff3a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a3, -198
    {RISCV_32, 0x6a7d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui s4, 31
    {RISCV_32, 0x4b635507, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_V, 10}}, // vlsseg3e16.v v10, (t1), s6
    {RISCV_32, 0x5b59, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li s6, -10
    {RISCV_32, 0x91230567, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr a0, -1774(t1)
    {RISCV_32, 0xf899, BRANCH_JUMP, true, 0x3ff16, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez s1, -234
    {RISCV_32, 0x9a00c67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s8, 154(zero)
    {RISCV_32, 0x78be, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 17}}, // c.flwsp fa7, 236(sp)
    {RISCV_32, 0x86ba7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_V, 23}}, // vse32.v v23, (a6), v0.t
    {RISCV_32, 0x31fab007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 0}}, // fld ft0, 799(s5)
    {RISCV_32, 0x7a71, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui s4, 1048572
    {RISCV_32, 0xe268, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 10}}, // c.fsw fa0, 68(a2)
    {RISCV_32, 0x9d9a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.add s11, t1
    {RISCV_32, 0x730085ef, BRANCH_JUMP, false, 0x48730, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a1, 34608
    {RISCV_32, 0xd784, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 9}}, // c.sw s1, 40(a5)
    {RISCV_32, 0x3ad6, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 21}}, // c.fldsp fs5, 368(sp)
    {RISCV_32, 0xbda0faef, BRANCH_JUMP, false, 0xfff4f3da, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s5, -986150
    {RISCV_32, 0x3994, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 13}}, // c.fld fa3, 48(a1)
    {RISCV_32, 0x6cda2883, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 17}}, // lw a7, 1741(s4)
    {RISCV_32, 0x2c95, BRANCH_CALL, false, 0x40274, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal 628
    {RISCV_32, 0x721c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 15}}, // c.flw fa5, 32(a2)
    {RISCV_32, 0x50fd, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li ra, -1
    {RISCV_32, 0xcc8e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 3}}, // c.swsp gp, 88(sp)
    {RISCV_32, 0x7c0080e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, 1984(ra)
    {RISCV_32, 0x5820, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 8}}, // c.lw s0, 112(s0)
    {RISCV_32, 0x9866, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.add a6, s9
    {RISCV_32, 0x224, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn s1, sp, 264
    {RISCV_32, 0x9aad, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.andi a3, -21
    {RISCV_32, 0x9d92c56f, BRANCH_JUMP, false, 0xfff6c9d8, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a0, -865832
    {RISCV_32, 0xe8a87, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_V, 21}}, // vle8.v v21, (t4), v0.t
    {RISCV_32, 0xca76, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 29}}, // c.swsp t4, 20(sp)
    {RISCV_32, 0xf6d2b087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 1}}, // fld ft1, -147(t0)
    {RISCV_32, 0xae508727, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 14}}, // vsoxseg6ei8.v v14, (ra), v5
    {RISCV_32, 0xb575, BRANCH_JUMP, false, 0x3feac, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -340
    {RISCV_32, 0x593a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 18}}, // c.lwsp s2, 172(sp)
    {RISCV_32, 0xb8f0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 12}}, // c.fsd fa2, 240(s1)
    {RISCV_32, 0x1c3349ef, BRANCH_JUMP, false, 0x749c2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s3, 215490
    {RISCV_32, 0xa5e5, BRANCH_JUMP, false, 0x406e8, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 1768
    {RISCV_32, 0x6951, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui s2, 20
    {RISCV_32, 0x64c2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 9}}, // c.flwsp fs1, 16(sp)
    {RISCV_32, 0x95c28367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, -1700(t0)
    {RISCV_32, 0x2b07, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 22}}, // flw fs6, 0(zero)
    {RISCV_32, 0x2684, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 9}}, // c.fld fs1, 8(a3)
    {RISCV_32, 0xa34d, BRANCH_JUMP, false, 0x405a2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 1442
    {RISCV_32, 0xc00c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 11}}, // c.sw a1, 0(s0)
    {RISCV_32, 0xd91a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 6}}, // c.swsp t1, 176(sp)
    {RISCV_32, 0x7a43046f, BRANCH_JUMP, false, 0x707a4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s0, 198564
    {RISCV_32, 0xddb08067, BRANCH_RETURN, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr zero, -549(ra)
    {RISCV_32, 0x9742, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.add a4, a6
    {RISCV_32, 0x6e8e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 29}}, // c.flwsp ft9, 192(sp)
    {RISCV_32, 0x65007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_V, 0}}, // vle16.v v0, (a2), v0.t
    {RISCV_32, 0x76a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli a4, 26
    {RISCV_32, 0x7a76, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 20}}, // c.flwsp fs4, 124(sp)
    {RISCV_32, 0x44c32873, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrs a6, 1100, t1
    {RISCV_32, 0x2c7e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 24}}, // c.fldsp fs8, 472(sp)
    {RISCV_32, 0x69e08a63, BRANCH_JUMP, true, 0x40694, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // beq ra, t5, 1684
    {RISCV_32, 0x7e58, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 14}}, // c.flw fa4, 60(a2)
    {RISCV_32, 0x8abfb027, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 11}}, // fsd fa1, -1888(t6)
    {RISCV_32, 0x4885, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li a7, 1
    {RISCV_32, 0xb991, BRANCH_JUMP, false, 0x3fc54, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -940
    {RISCV_32, 0xb1029203, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, true, RISCV_X, 4}}, // lh tp, -1264(t0)
    {RISCV_32, 0x96c0436f, BRANCH_JUMP, false, 0xfff4416c, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t1, -1031828
    {RISCV_32, 0x3a59c2ef, BRANCH_CALL, false, 0xdcba4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t0, 641956
    {RISCV_32, 0xc48c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 11}}, // c.sw a1, 8(s1)
    {RISCV_32, 0xee55c363, BRANCH_JUMP, true, 0x3f6e6, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // blt a1, t0, -2330
    {RISCV_32, 0xb0864063, BRANCH_JUMP, true, 0x3f300, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // blt a2, s0, -3328
    {RISCV_32, 0x9f0a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_V, 1}}, // vse64.v v1, (s3), v0.t
    {RISCV_32, 0xd6518367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, -667(gp)
    {RISCV_32, 0xf84, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn s1, sp, 976
    {RISCV_32, 0x6e16, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 28}}, // c.flwsp ft8, 68(sp)
    {RISCV_32, 0x8fa00467, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s0, -1798(zero)
    {RISCV_32, 0xbbb592f3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrw t0, 3003, a1
    {RISCV_32, 0x6804, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 9}}, // c.flw fs1, 16(s0)
    {RISCV_32, 0x6918, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 14}}, // c.flw fa4, 16(a0)
    {RISCV_32, 0xd3e8, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 10}}, // c.sw a0, 100(a5)
    {RISCV_32, 0x5abd, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li s5, -17
    {RISCV_32, 0x787a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 16}}, // c.flwsp fa6, 188(sp)
    {RISCV_32, 0x2ac27, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 0}}, // fsw ft0, 24(t0)
    {RISCV_32, 0xc8f2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 28}}, // c.swsp t3, 80(sp)
    {RISCV_32, 0xdc6c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 11}}, // c.sw a1, 124(s0)
    {RISCV_32, 0x6611, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui a2, 4
    {RISCV_32, 0xd080, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 8}}, // c.sw s0, 32(s1)
    {RISCV_32, 0xea0c01e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr gp, -352(s8)
    {RISCV_32, 0x3606, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 12}}, // c.fldsp fa2, 96(sp)
    {RISCV_32, 0x374d, BRANCH_CALL, false, 0x3ffa2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jal -94
    {RISCV_32, 0x1cd50fe7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t6, 461(a0)
    {RISCV_32, 0x1eac, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn a1, sp, 888
    {RISCV_32, 0xb6f0fe6f, BRANCH_JUMP, false, 0xfff4fb6e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t3, -984210
    {RISCV_32, 0x31349083, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, true, RISCV_X, 1}}, // lh ra, 787(s1)
    {RISCV_32, 0x4401, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li s0, 0
    {RISCV_32, 0xdfdc, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 15}}, // c.sw a5, 60(a5)
    {RISCV_32, 0xad9, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi s5, 22
    {RISCV_32, 0x73c1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui t2, 1048560
    {RISCV_32, 0x5200, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 8}}, // c.lw s0, 32(a2)
    {RISCV_32, 0x62ae, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 5}}, // c.flwsp ft5, 200(sp)
    {RISCV_32, 0x221334f3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrc s1, 545, t1
    {RISCV_64, 0x73, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // ecall
    {RISCV_64, 0x100073, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // ebreak
    {RISCV_64, 0x10200073, BRANCH_LEAVES, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // sret
    {RISCV_64, 0x30200073, BRANCH_LEAVES, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // mret
    {RISCV_64, 0x7b200073, BRANCH_LEAVES, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // dret
    {RISCV_64, 0x9002, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.ebreak
    {RISCV_64, 0x8082, BRANCH_RETURN, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jr ra
    {RISCV_64, 0x8282, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jr t0
    {RISCV_64, 0x9082, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jalr ra
    {RISCV_64, 0x9282, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.jalr t0
    {RISCV_64, 0x128067, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr zero, 1(t0)
    {RISCV_64, 0x80e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, 0(ra)
    {RISCV_64, 0x414c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 11}}, // c.lw a1, 4(a0)
    {RISCV_64, 0x78e5, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui a7, 1048569
    {RISCV_64, 0x7d5, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi a5, 21
    {RISCV_64, 0x8a9a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.mv s5, t1
    {RISCV_64, 0xafbd, BRANCH_JUMP, false, 0x4077e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 1918
    {RISCV_64, 0xb9d1, BRANCH_JUMP, false, 0x3fcd4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -812
    {RISCV_64, 0xc380, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 8}}, // c.sw s0, 0(a5)
    {RISCV_64, 0xed2f8983, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, true, RISCV_X, 19}}, // lb s3, -302(t6)
    {RISCV_64, 0xfe16, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 5}}, // c.sdsp t0, 312(sp)
    {RISCV_64, 0x4be03d87, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 27}}, // fld fs11, 1214(zero)
    {RISCV_64, 0x81f2c1ef, BRANCH_JUMP, false, 0xfffffffffff6c81e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal gp, -866274
    {RISCV_64, 0xaa202287, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 5}}, // flw ft5, -1374(zero)
    {RISCV_64, 0xbb95, BRANCH_JUMP, false, 0x3fd74, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -652
    {RISCV_64, 0x4ef8, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 14}}, // c.lw a4, 92(a3)
    {RISCV_64, 0xc540, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 8}}, // c.sw s0, 12(a0)
    {RISCV_64, 0x3b6e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 22}}, // c.fldsp fs6, 248(sp)
    {RISCV_64, 0x5804f96f, BRANCH_JUMP, false, 0x8f580, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s2, 324992
    {RISCV_64, 0xf50580e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, -176(a1)
    {RISCV_64, 0x6d10c703, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_X, 14}}, // lbu a4, 1745(ra)
    {RISCV_64, 0x12007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 0}}, // flw ft0, 0(sp)
    {RISCV_64, 0x2f42, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 30}}, // c.fldsp ft10, 16(sp)
    {RISCV_64, 0x2adc, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 15}}, // c.fld fa5, 144(a3)
    {RISCV_64, 0xf3b2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 12}}, // c.sdsp a2, 480(sp)
    {RISCV_64, 0xa5f1, BRANCH_JUMP, false, 0x406cc, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 1740
    {RISCV_64, 0x74628367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, 1862(t0)
    {RISCV_64, 0xcbd1, BRANCH_JUMP, true, 0x40094, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a5, 148
    {RISCV_64, 0x40e0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 8}}, // c.lw s0, 68(s1)
    {RISCV_64, 0x257d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw a0, 31
    {RISCV_64, 0x7214, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 13}}, // c.ld a3, 32(a2)
    {RISCV_64, 0xad936da7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 27}}, // vsoxseg6ei32.v v27, (t1), v25, v0.t
    {RISCV_64, 0xcdaa, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 10}}, // c.swsp a0, 216(sp)
    {RISCV_64, 0x6d22, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 26}}, // c.ldsp s10, 8(sp)
    {RISCV_64, 0xe0228003, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, true, RISCV_X, 0}}, // lb zero, -510(t0)
    {RISCV_64, 0xd3f21def, BRANCH_JUMP, false, 0xfffffffffff61d3e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s11, -910018
    {RISCV_64, 0x58d0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 12}}, // c.lw a2, 52(s1)
    {RISCV_64, 0xac96, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 5}}, // c.fsdsp ft5, 88(sp)
    {RISCV_64, 0x73b27, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 0}}, // fsd ft0, 22(a4)
    {RISCV_64, 0xeea1, BRANCH_JUMP, true, 0x40058, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez a3, 88
    {RISCV_64, 0x10b080e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, 267(ra)
    {RISCV_64, 0x99a5, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.andi a1, -23
    {RISCV_64, 0x6814, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 13}}, // c.ld a3, 16(s0)
    {RISCV_64, 0xd418, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 14}}, // c.sw a4, 40(s0)
    {RISCV_64, 0x920a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 0}}, // fsw ft0, 1(s2)
    {RISCV_64, 0xecd2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 20}}, // c.sdsp s4, 88(sp)
    {RISCV_64, 0x1b95, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi s7, -27
    {RISCV_64, 0xd3e01023, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_X, 30}}, // sh t5, -736(zero)
    {RISCV_64, 0x8afd2973, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrs s2, 2223, s10
    {RISCV_64, 0xa6ec, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 11}}, // c.fsd fa1, 200(a3)
    {RISCV_64, 0x2b0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn a2, sp, 328
    {RISCV_64, 0xf845, BRANCH_JUMP, true, 0x3ffb0, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez s0, -80
    {RISCV_64, 0x5c44, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 9}}, // c.lw s1, 60(s0)
    {RISCV_64, 0x16e1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi a3, -8
    {RISCV_64, 0x9b887, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 17}}, // fld fa7, 0(s3)
    {RISCV_64, 0x2fd1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw t6, 20
    {RISCV_64, 0xe4be, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 15}}, // c.sdsp a5, 72(sp)
    {RISCV_64, 0x6027, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_V, 0}}, // vse32.v v0, (zero), v0.t
    {RISCV_64, 0xbaa8, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 10}}, // c.fsd fa0, 112(a3)
    {RISCV_64, 0x28a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli t0, 2
    {RISCV_64, 0x7e45, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui t3, 1048561
    {RISCV_64, 0xf287, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_V, 5}}, // vle64.v v5, (ra), v0.t
    {RISCV_64, 0x4e3d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li t3, 15
    {RISCV_64, 0xd5ae, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 11}}, // c.swsp a1, 232(sp)
    {RISCV_64, 0x4b202087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 1}}, // flw ft1, 1202(zero)
    {RISCV_64, 0xac153073, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrc zero, 2753, a0
    {RISCV_64, 0x6ec1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui t4, 16
    {RISCV_64, 0xc600967, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s2, 198(zero)
    {RISCV_64, 0x72530a67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s4, 1829(t1)
    {RISCV_64, 0x74030283, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, true, RISCV_X, 5}}, // lb t0, 1856(t1)
    {RISCV_64, 0x65d5, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui a1, 21
    {RISCV_64, 0xc360, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 8}}, // c.sw s0, 68(a4)
    {RISCV_64, 0x2d0a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_V, 1}}, // vse16.v v1, (t0), v0.t
    {RISCV_64, 0x7eb082e3, BRANCH_JUMP, true, 0x40fe4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // beq ra, a1, 4068
    {RISCV_64, 0x239d85e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr a1, 569(s11)
    {RISCV_64, 0x18487, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_V, 9}}, // vle8.v v9, (gp), v0.t
    {RISCV_64, 0x99c5, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.andi a1, -15
    {RISCV_64, 0x32007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 0}}, // flw ft0, 0(t1)
    {RISCV_64, 0x943d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.srai s0, 47
    {RISCV_64, 0xf91e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 7}}, // c.sdsp t2, 176(sp)
    {RISCV_64, 0x4039d16f, BRANCH_JUMP, false, 0xddc02, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal sp, 646146
    {RISCV_64, 0x8b9dd3a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_V, 7}}, // vssseg5e16.v v7, (s11), s9
    {RISCV_64, 0xcf81, BRANCH_JUMP, true, 0x40018, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a5, 24
    {RISCV_64, 0x1e38, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn a4, sp, 824
    {RISCV_64, 0xad62, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 24}}, // c.fsdsp fs8, 152(sp)
    {RISCV_64, 0x52de, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 5}}, // c.lwsp t0, 244(sp)
    {RISCV_64, 0xb7cd, BRANCH_JUMP, false, 0x3ffe2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -30
    {RISCV_64, 0xfead3ba3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 10}}, // sd a0, -9(s10)
    {RISCV_64, 0xe6, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli ra, 25
    {RISCV_64, 0xa6142e23, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 1}}, // sw ra, -1412(s0)
    {RISCV_64, 0xefe6f627, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 12}}, // vsoxseg8ei64.v v12, (a3), v30
    {RISCV_64, 0x7c09, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui s8, 1048546
    {RISCV_64, 0xb9e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli s7, 7
    {RISCV_64, 0xbea4, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 9}}, // c.fsd fs1, 120(a3)
    {RISCV_64, 0xe327, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_V, 6}}, // vse32.v v6, (ra), v0.t
    {RISCV_64, 0xa8a6, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 9}}, // c.fsdsp fs1, 80(sp)
    {RISCV_64, 0x8ec2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.mv t4, a6
    {RISCV_64, 0xbd66, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 25}}, // c.fsdsp fs9, 184(sp)
    {RISCV_64, 0x6652, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 12}}, // c.ldsp a2, 272(sp)
    {RISCV_64, 0xdde1, BRANCH_JUMP, true, 0x3ffd8, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a1, -40
    {RISCV_64, 0x90327, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_V, 6}}, // vse8.v v6, (s2), v0.t
    {RISCV_64, 0x2a66, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 20}}, // c.fldsp fs4, 88(sp)
    {RISCV_64, 0x3d91, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw s11, -28
    {RISCV_64, 0xb7ec, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 11}}, // c.fsd fa1, 232(a5)
    {RISCV_64, 0x70287, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_V, 5}}, // vle8.v v5, (a4), v0.t
    {RISCV_64, 0x5f6, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli a1, 29
    {RISCV_64, 0x3772d363, BRANCH_JUMP, true, 0x40366, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bge t0, s7, 870
    {RISCV_64, 0x3c52b36f, BRANCH_JUMP, false, 0x6bbc4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t1, 179140
    {RISCV_64, 0xd911, BRANCH_JUMP, true, 0x3ff14, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a0, -236
    {RISCV_64, 0x8ae6, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.mv s5, s9
    {RISCV_64, 0x4111, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li sp, 4
    {RISCV_64, 0xa6f1, BRANCH_JUMP, false, 0x403cc, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 972
    {RISCV_64, 0xe7f52003, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 0}}, // lw zero, -385(a0)
    {RISCV_64, 0xbe45, BRANCH_JUMP, false, 0x3fbb0, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -1104
    {RISCV_64, 0xf8ec80e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, -114(s9)
    {RISCV_64, 0xdac4, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 9}}, // c.sw s1, 52(a3)
    {RISCV_64, 0xa8027, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_V, 0}}, // vse8.v v0, (s5), v0.t
    {RISCV_64, 0xee1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi t4, 24
    {RISCV_64, 0x502e0367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, 1282(t3)
    {RISCV_64, 0xb287, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 5}}, // fld ft5, 0(ra)
    {RISCV_64, 0xf4c35373, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrwi t1, 3916, 6
    {RISCV_64, 0xd81083ef, BRANCH_JUMP, false, 0xfffffffffff48d80, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t2, -1012352
    {RISCV_64, 0xfdb337a3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 27}}, // sd s11, -49(t1)
    {RISCV_64, 0xb27b4a3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 18}}, // sd s2, 169(a5)
    {RISCV_64, 0x45cd, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li a1, 19
    {RISCV_64, 0x8526, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.mv a0, s1
    {RISCV_64, 0x5287, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_V, 5}}, // vle16.v v5, (zero), v0.t
    {RISCV_64, 0xe9b1, BRANCH_JUMP, true, 0x40054, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez a1, 84
    {RISCV_64, 0xf842, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 16}}, // c.sdsp a6, 48(sp)
    {RISCV_64, 0xec18, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 14}}, // c.sd a4, 24(s0)
    {RISCV_64, 0x2af4c083, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_X, 1}}, // lbu ra, 687(s1)
    {RISCV_64, 0xf06d, BRANCH_JUMP, true, 0x3ffe2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez s0, -30
    {RISCV_64, 0xcd382e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t0, 205(t2)
    {RISCV_64, 0xa1d0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 12}}, // c.fsd fa2, 128(a1)
    {RISCV_64, 0xa41aaf87, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 31}}, // flw ft11, -1471(s5)
    {RISCV_64, 0x384da373, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrs t1, 900, s11
    {RISCV_64, 0xacf424a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 15}}, // fsw fa5, -1335(s0)
    {RISCV_64, 0x1a1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi gp, 8
    {RISCV_64, 0xb22d, BRANCH_JUMP, false, 0x3f92a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -1750
    {RISCV_64, 0xa522, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 8}}, // c.fsdsp fs0, 136(sp)
    {RISCV_64, 0x8d2707a3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 18}}, // sb s2, -1841(a4)
    {RISCV_64, 0xbc71, BRANCH_JUMP, false, 0x3fa9c, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -1380
    {RISCV_64, 0x9402aa7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 20}}, // fsw fs4, 149(zero)
    {RISCV_64, 0x62279023, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_X, 2}}, // sh sp, 1568(a5)
    {RISCV_64, 0x7b3e0367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, 1971(t3)
    {RISCV_64, 0xab0a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 0}}, // fsd ft0, 1(s5)
    {RISCV_64, 0xae2a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_V, 5}}, // vse32.v v5, (s5), v0.t
    {RISCV_64, 0x7087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_V, 1}}, // vle64.v v1, (zero), v0.t
    {RISCV_64, 0xd5bc9f63, BRANCH_JUMP, true, 0x3f55e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bne s9, s11, -2722
    {RISCV_64, 0xdb9a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 6}}, // c.swsp t1, 244(sp)
    {RISCV_64, 0xad40, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 8}}, // c.fsd fs0, 152(a0)
    {RISCV_64, 0x33327, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 0}}, // fsd ft0, 6(t1)
    {RISCV_64, 0x1b12a087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 1}}, // flw ft1, 433(t0)
    {RISCV_64, 0x49e133ef, BRANCH_JUMP, false, 0x5349e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t2, 79006
    {RISCV_64, 0x564a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 12}}, // c.lwsp a2, 176(sp)
    {RISCV_64, 0x3f12, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 30}}, // c.fldsp ft10, 288(sp)
    {RISCV_64, 0x4529, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li a0, 10
    {RISCV_64, 0x4e4a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 28}}, // c.lwsp t3, 144(sp)
    {RISCV_64, 0x7fac, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 11}}, // c.ld a1, 120(a5)
    {RISCV_64, 0x3ddd, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw s11, -9
    {RISCV_64, 0xc24a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 18}}, // c.swsp s2, 4(sp)
    {RISCV_64, 0xb1b6, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 13}}, // c.fsdsp fa3, 224(sp)
    {RISCV_64, 0x26410383, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, true, RISCV_X, 7}}, // lb t2, 612(sp)
    {RISCV_64, 0xfd267373, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrci t1, 4050, 12
    {RISCV_64, 0xe2600a23, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 6}}, // sb t1, -460(zero)
    {RISCV_64, 0x5470, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 12}}, // c.lw a2, 108(s0)
    {RISCV_64, 0x4034, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 13}}, // c.lw a3, 64(s0)
    {RISCV_64, 0x24a06f63, BRANCH_JUMP, true, 0x4025e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bltu zero, a0, 606
    {RISCV_64, 0x3fb9, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw t6, -18
    {RISCV_64, 0x5c9c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 15}}, // c.lw a5, 56(s1)
    {RISCV_64, 0xecfc, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 15}}, // c.sd a5, 216(s1)
    {RISCV_64, 0xa36e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 27}}, // c.fsdsp fs11, 384(sp)
    {RISCV_64, 0x18074063, BRANCH_JUMP, true, 0x40180, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // blt a4, zero, 384
    {RISCV_64, 0x5a346e73, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrsi t3, 1443, 8
    {RISCV_64, 0xded18ca3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 13}}, // sb a3, -519(gp)
    {RISCV_64, 0x9070a327, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 7}}, // fsw ft7, -1786(ra)
    {RISCV_64, 0x1c22, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli s8, 40
    {RISCV_64, 0xe5b0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 12}}, // c.sd a2, 72(a1)
    {RISCV_64, 0x8bc3d283, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_X, 5}}, // lhu t0, -1860(t2)
    {RISCV_64, 0x1a8e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli s5, 35
    {RISCV_64, 0x11a062e3, BRANCH_JUMP, true, 0x40904, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bltu zero, s10, 2308
    {RISCV_64, 0x25280023, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 18}}, // sb s2, 576(a6)
    {RISCV_64, 0x9907ae3, BRANCH_JUMP, true, 0x40894, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bgeu zero, s9, 2196
    {RISCV_64, 0x87cb2d2f, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_ATOMIC, 4, true, RISCV_X, 26}}, // amomin.w.aqrl s10, t3, (s6)
    {RISCV_64, 0xf7f67363, BRANCH_JUMP, true, 0x3f766, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bgeu a2, t6, -2202
    {RISCV_64, 0x5bd0a923, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 29}}, // sw t4, 1458(ra)
    {RISCV_64, 0xe580fa7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 31}}, // vsoxei8.v v31, (a6), v5
    {RISCV_64, 0x574a83e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t2, 1396(s5)
    {RISCV_64, 0x6218, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 14}}, // c.ld a4, 0(a2)
    {RISCV_64, 0x2f087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_V, 1}}, // vle64.v v1, (t0), v0.t
    {RISCV_64, 0x761a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 12}}, // c.ldsp a2, 416(sp)
    {RISCV_64, 0x6a25, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui s4, 9
    {RISCV_64, 0xa700, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 8}}, // c.fsd fs0, 8(a4)
    {RISCV_64, 0x7570, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 12}}, // c.ld a2, 232(a0)
    {RISCV_64, 0xe841, BRANCH_JUMP, true, 0x40090, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez s0, 144
    {RISCV_64, 0x57ac, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 11}}, // c.lw a1, 104(a5)
    {RISCV_64, 0x13780e67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t3, 311(a6)
    {RISCV_64, 0x95d9, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.srai a1, 54
    {RISCV_64, 0x6d68, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 10}}, // c.ld a0, 216(a0)
    {RISCV_64, 0xef8c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 11}}, // c.sd a1, 24(a5)
    {RISCV_64, 0x30b385e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr a1, 779(t2)
    {RISCV_64, 0xa4352c6f, BRANCH_JUMP, false, 0xfffffffffff92a42, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s8, -710078
    {RISCV_64, 0x7765, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui a4, 1048569
    {RISCV_64, 0x2aad, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw s5, 11
    {RISCV_64, 0x72387, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 7}}, // flw ft7, 0(a4)
    {RISCV_64, 0x4268, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 10}}, // c.lw a0, 68(a2)
    {RISCV_64, 0x7a807, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 16}}, // flw fa6, 0(a5)
    {RISCV_64, 0x4095, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li ra, 5
    {RISCV_64, 0x90c1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.srli s1, 48
    {RISCV_64, 0x26207b87, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 0, false, RISCV_V, 23}}, // vluxseg2ei64.v v23, (zero), v2
    {RISCV_64, 0xb751, BRANCH_JUMP, false, 0x3ff84, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -124
    {RISCV_64, 0xeba, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli t4, 14
    {RISCV_64, 0x61f1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui gp, 28
    {RISCV_64, 0x450a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_V, 1}}, // vse16.v v1, (s0), v0.t
    {RISCV_64, 0x39a28c23, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 26}}, // sb s10, 920(t0)
    {RISCV_64, 0x35700867, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr a6, 855(zero)
    {RISCV_64, 0xc132b02f, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_ATOMIC, 8, true, RISCV_X, 0}}, // amominu.d zero, s3, (t0)
    {RISCV_64, 0xd266, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 25}}, // c.swsp s9, 36(sp)
    {RISCV_64, 0xa229, BRANCH_JUMP, false, 0x4010a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 266
    {RISCV_64, 0x224a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 4}}, // c.fldsp ft4, 144(sp)
    {RISCV_64, 0x940ea623, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 0}}, // sw zero, -1716(t4)
    {RISCV_64, 0xdf1a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_V, 3}}, // vse64.v v3, (s11), v0.t
    {RISCV_64, 0xebde, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 23}}, // c.sdsp s7, 464(sp)
    {RISCV_64, 0x3ba314ef, BRANCH_JUMP, false, 0x713ba, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s1, 201658
    {RISCV_64, 0xab5046ef, BRANCH_JUMP, false, 0xfffffffffff44ab4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a3, -1029452
    {RISCV_64, 0x64d8, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 14}}, // c.ld a4, 136(s1)
    {RISCV_64, 0x89e588ef, BRANCH_JUMP, false, 0xfffffffffff9809e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a7, -687970
    {RISCV_64, 0xaeba56f, BRANCH_JUMP, false, 0xfa0ae, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a0, 762030
    {RISCV_64, 0x30a3e16f, BRANCH_JUMP, false, 0x7e30a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal sp, 254730
    {RISCV_64, 0xfb42, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 16}}, // c.sdsp a6, 432(sp)
    {RISCV_64, 0xaf007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_V, 0}}, // vle64.v v0, (s5), v0.t
    {RISCV_64, 0x7819, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui a6, 1048550
    {RISCV_64, 0x109a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli ra, 38
    {RISCV_64, 0x64f62ca3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 15}}, // sw a5, 1625(a2)
    {RISCV_64, 0xe8ec6b6f, BRANCH_JUMP, false, 0x668e, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s6, -235890
    {RISCV_64, 0xd9d8b2a3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 29}}, // sd t4, -635(a7)
    {RISCV_64, 0x8d2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli a7, 20
    {RISCV_64, 0x25f2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 11}}, // c.fldsp fa1, 280(sp)
    {RISCV_64, 0xb00a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_V, 1}}, // vse8.v v1, (s6), v0.t
    {RISCV_64, 0x9a1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi s3, 8
    {RISCV_64, 0xc47e12e3, BRANCH_JUMP, true, 0x3fc44, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bne t3, t2, -956
    {RISCV_64, 0x155e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli a0, 55
    {RISCV_64, 0xe784, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 9}}, // c.sd s1, 8(a5)
    {RISCV_64, 0xd72a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_V, 5}}, // vse64.v v5, (s10), v0.t
    {RISCV_64, 0x7afe, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 21}}, // c.ldsp s5, 504(sp)
    {RISCV_64, 0x4d22, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 26}}, // c.lwsp s10, 8(sp)
    {RISCV_64, 0x221e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 4}}, // c.fldsp ft4, 448(sp)
    {RISCV_64, 0xcc8d, BRANCH_JUMP, true, 0x4003a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz s1, 58
    {RISCV_64, 0x75003a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 7}}, // vsuxei8.v v7, (zero), v21
    {RISCV_64, 0x869080a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 1}}, // vsuxseg5ei8.v v1, (ra), v9
    {RISCV_64, 0x30027, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_V, 0}}, // vse8.v v0, (t1), v0.t
    {RISCV_64, 0x9ea9006f, BRANCH_JUMP, false, 0xfffffffffffd01ea, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal zero, -458262
    {RISCV_64, 0x31fd, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw gp, -1
    {RISCV_64, 0x8047c66f, BRANCH_JUMP, false, 0xfffffffffffbc004, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a2, -540668
    {RISCV_64, 0x903e07e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr a5, -1789(t3)
    {RISCV_64, 0x3c1, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi t2, 16
    {RISCV_64, 0xbbc8367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, 187(s9)
    {RISCV_64, 0x3589, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw a1, -30
    {RISCV_64, 0xdd0a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 2, false, RISCV_V, 1}}, // vse16.v v1, (s11), v0.t
    {RISCV_64, 0x5b3047ef, BRANCH_JUMP, false, 0x44db2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a5, 19890
    {RISCV_64, 0x4f0d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li t5, 3
    {RISCV_64, 0xc9705cef, BRANCH_JUMP, false, 0xfffffffffff45c96, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s9, -1024874
    {RISCV_64, 0xd22cd2e3, BRANCH_JUMP, true, 0x3fd24, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bge s9, sp, -732
    {RISCV_64, 0xb356, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 21}}, // c.fsdsp fs5, 416(sp)
    {RISCV_64, 0xc16a0a67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s4, -1002(s4)
    {RISCV_64, 0x4d71a323, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 23}}, // sw s7, 1222(gp)
    {RISCV_64, 0x611d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi16sp sp, 416
    {RISCV_64, 0xb854, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 13}}, // c.fsd fa3, 176(s0)
    {RISCV_64, 0xbe6289e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s3, -1050(t0)
    {RISCV_64, 0x2bbe82e3, BRANCH_JUMP, true, 0x40aa4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // beq t4, s11, 2724
    {RISCV_64, 0x7d52a2a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 21}}, // fsw fs5, 1989(t0)
    {RISCV_64, 0xd78c8623, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_X, 24}}, // sb s8, -660(s9)
    {RISCV_64, 0xbf76, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 29}}, // c.fsdsp ft9, 440(sp)
    {RISCV_64, 0xac24, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 9}}, // c.fsd fs1, 88(s0)
    {RISCV_64, 0xb73e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 15}}, // c.fsdsp fa5, 424(sp)
    {RISCV_64, 0x10f04283, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_X, 5}}, // lbu t0, 271(zero)
    {RISCV_64, 0x3d14, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 13}}, // c.fld fa3, 56(a0)
    {RISCV_64, 0x17fa, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli a5, 62
    {RISCV_64, 0x2669, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw a2, 26
    {RISCV_64, 0x4946, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 18}}, // c.lwsp s2, 80(sp)
    {RISCV_64, 0xdd4, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn a3, sp, 724
    {RISCV_64, 0xdec87, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_V, 25}}, // vle32.v v25, (s11), v0.t
    {RISCV_64, 0xdf01, BRANCH_JUMP, true, 0x3ff18, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a4, -232
    {RISCV_64, 0xb950, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 12}}, // c.fsd fa2, 176(a0)
    {RISCV_64, 0x5364, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 9}}, // c.lw s1, 100(a4)
    {RISCV_64, 0xc3b1, BRANCH_JUMP, true, 0x40044, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a5, 68
    {RISCV_64, 0xa8d8a8ef, BRANCH_JUMP, false, 0xfffffffffffcaa8c, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a7, -480628
    {RISCV_64, 0x3e973b6f, BRANCH_JUMP, false, 0xb3be8, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s6, 474088
    {RISCV_64, 0x321a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_F, 0}}, // fsw ft0, 3(t1)
    {RISCV_64, 0x55087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_V, 1}}, // vle16.v v1, (a0), v0.t
    {RISCV_64, 0x308a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 1, false, RISCV_V, 17}}, // vse8.v v17, (t1), v0.t
    {RISCV_64, 0xe2e7b32f, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_ATOMIC, 8, true, RISCV_X, 6}}, // amomaxu.d.rl t1, a4, (a5)
    {RISCV_64, 0x7ac4, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 9}}, // c.ld s1, 176(a3)
    {RISCV_64, 0xfc32d103, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_X, 2}}, // lhu sp, -61(t0)
    {RISCV_64, 0xdba5, BRANCH_JUMP, true, 0x3ff70, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a5, -144
    {RISCV_64, 0x80e01863, BRANCH_JUMP, true, 0x3f010, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // bne zero, a4, -4080
    {RISCV_64, 0xe29d, BRANCH_JUMP, true, 0x40026, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez a3, 38
    {RISCV_64, 0xf70580e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, -144(a1)
    {RISCV_64, 0x672a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 14}}, // c.ldsp a4, 136(sp)
    {RISCV_64, 0x3b54, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 13}}, // c.fld fa3, 176(a4)
    {RISCV_64, 0x36007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_V, 0}}, // vle32.v v0, (t1), v0.t
    {RISCV_64, 0x2230, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 12}}, // c.fld fa2, 64(a2)
    {RISCV_64, 0x28407, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_V, 8}}, // vle8.v v8, (t0), v0.t
    {RISCV_64, 0xefb07, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_V, 22}}, // vle64.v v22, (t4), v0.t
    {RISCV_64, 0xd5e802e3, BRANCH_JUMP, true, 0x3fd44, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // beq a6, t5, -700
    {RISCV_64, 0x8d564e83, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_X, 29}}, // lbu t4, -1835(a2)
    {RISCV_64, 0x117d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi sp, -1
    {RISCV_64, 0xaa0e0f67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t5, -1376(t3)
    {RISCV_64, 0xe3f1, BRANCH_JUMP, true, 0x400c4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez a5, 196
    {RISCV_64, 0x39cd, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw s3, -13
    {RISCV_64, 0xde8d, BRANCH_JUMP, true, 0x3ff3a, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.beqz a3, -198
    {RISCV_64, 0x6a7d, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui s4, 31
    {RISCV_64, 0x4b635507, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_V, 10}}, // vlsseg3e16.v v10, (t1), s6
    {RISCV_64, 0xb812, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 4}}, // c.fsdsp ft4, 48(sp)
    {RISCV_64, 0x5b59, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li s6, -10
    {RISCV_64, 0x91230567, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr a0, -1774(t1)
    {RISCV_64, 0xf899, BRANCH_JUMP, true, 0x3ff16, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.bnez s1, -234
    {RISCV_64, 0x9a00c67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s8, 154(zero)
    {RISCV_64, 0x78be, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 17}}, // c.ldsp a7, 488(sp)
    {RISCV_64, 0x86ba7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_V, 23}}, // vse32.v v23, (a6), v0.t
    {RISCV_64, 0xb976, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 29}}, // c.fsdsp ft9, 176(sp)
    {RISCV_64, 0x31fab007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 0}}, // fld ft0, 799(s5)
    {RISCV_64, 0x7a71, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui s4, 1048572
    {RISCV_64, 0xe268, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_X, 10}}, // c.sd a0, 192(a2)
    {RISCV_64, 0x9d9a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.add s11, t1
    {RISCV_64, 0x730085ef, BRANCH_JUMP, false, 0x48730, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a1, 34608
    {RISCV_64, 0xd784, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 9}}, // c.sw s1, 40(a5)
    {RISCV_64, 0x3ad6, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 21}}, // c.fldsp fs5, 368(sp)
    {RISCV_64, 0xbda0faef, BRANCH_JUMP, false, 0xfffffffffff4f3da, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s5, -986150
    {RISCV_64, 0x3994, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 13}}, // c.fld fa3, 48(a1)
    {RISCV_64, 0x6cda2883, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 17}}, // lw a7, 1741(s4)
    {RISCV_64, 0x65e2b303, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 6}}, // ld t1, 1630(t0)
    {RISCV_64, 0x2c95, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addiw s9, 5
    {RISCV_64, 0x721c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 15}}, // c.ld a5, 32(a2)
    {RISCV_64, 0x50fd, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li ra, -1
    {RISCV_64, 0xcc8e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 3}}, // c.swsp gp, 88(sp)
    {RISCV_64, 0x7c0080e7, BRANCH_CALL, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr ra, 1984(ra)
    {RISCV_64, 0x5820, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 8}}, // c.lw s0, 112(s0)
    {RISCV_64, 0x9866, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.add a6, s9
    {RISCV_64, 0x224, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn s1, sp, 264
    {RISCV_64, 0x9aad, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.andi a3, -21
    {RISCV_64, 0x9d92c56f, BRANCH_JUMP, false, 0xfffffffffff6c9d8, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal a0, -865832
    {RISCV_64, 0xe8a87, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 1, false, RISCV_V, 21}}, // vle8.v v21, (t4), v0.t
    {RISCV_64, 0xca76, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 29}}, // c.swsp t4, 20(sp)
    {RISCV_64, 0xf6d2b087, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 1}}, // fld ft1, -147(t0)
    {RISCV_64, 0xae508727, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 0, false, RISCV_V, 14}}, // vsoxseg6ei8.v v14, (ra), v5
    {RISCV_64, 0xb575, BRANCH_JUMP, false, 0x3feac, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -340
    {RISCV_64, 0x593a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, true, RISCV_X, 18}}, // c.lwsp s2, 172(sp)
    {RISCV_64, 0xb8f0, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 12}}, // c.fsd fa2, 240(s1)
    {RISCV_64, 0x1c3349ef, BRANCH_JUMP, false, 0x749c2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s3, 215490
    {RISCV_64, 0xa5e5, BRANCH_JUMP, false, 0x406e8, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 1768
    {RISCV_64, 0x6951, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.lui s2, 20
    {RISCV_64, 0x64c2, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 9}}, // c.ldsp s1, 16(sp)
    {RISCV_64, 0x95c28367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, -1700(t0)
    {RISCV_64, 0x2b07, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 4, false, RISCV_F, 22}}, // flw fs6, 0(zero)
    {RISCV_64, 0x2684, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 9}}, // c.fld fs1, 8(a3)
    {RISCV_64, 0xa34d, BRANCH_JUMP, false, 0x405a2, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j 1442
    {RISCV_64, 0xc00c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 11}}, // c.sw a1, 0(s0)
    {RISCV_64, 0xd91a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 6}}, // c.swsp t1, 176(sp)
    {RISCV_64, 0x7a43046f, BRANCH_JUMP, false, 0x707a4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal s0, 198564
    {RISCV_64, 0xddb08067, BRANCH_RETURN, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr zero, -549(ra)
    {RISCV_64, 0x9742, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.add a4, a6
    {RISCV_64, 0x6e8e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 29}}, // c.ldsp t4, 192(sp)
    {RISCV_64, 0x65007, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, false, RISCV_V, 0}}, // vle16.v v0, (a2), v0.t
    {RISCV_64, 0x76a, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.slli a4, 26
    {RISCV_64, 0x7a76, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 20}}, // c.ldsp s4, 376(sp)
    {RISCV_64, 0x44c32873, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrs a6, 1100, t1
    {RISCV_64, 0x2c7e, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, false, RISCV_F, 24}}, // c.fldsp fs8, 472(sp)
    {RISCV_64, 0x69e08a63, BRANCH_JUMP, true, 0x40694, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // beq ra, t5, 1684
    {RISCV_64, 0x7e58, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 14}}, // c.ld a4, 184(a2)
    {RISCV_64, 0x8abfb027, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_F, 11}}, // fsd fa1, -1888(t6)
    {RISCV_64, 0x4885, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.li a7, 1
    {RISCV_64, 0xb991, BRANCH_JUMP, false, 0x3fc54, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.j -940
    {RISCV_64, 0xb1029203, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 2, true, RISCV_X, 4}}, // lh tp, -1264(t0)
    {RISCV_64, 0x96c0436f, BRANCH_JUMP, false, 0xfffffffffff4416c, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t1, -1031828
    {RISCV_64, 0x3a59c2ef, BRANCH_CALL, false, 0xdcba4, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jal t0, 641956
    {RISCV_64, 0xc48c, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 11}}, // c.sw a1, 8(s1)
    {RISCV_64, 0xee55c363, BRANCH_JUMP, true, 0x3f6e6, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // blt a1, t0, -2330
    {RISCV_64, 0xb0864063, BRANCH_JUMP, true, 0x3f300, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // blt a2, s0, -3328
    {RISCV_64, 0x638f307, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 0, false, RISCV_V, 6}}, // vluxei64.v v6, (a7), v3
    {RISCV_64, 0x9f0a7, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 8, false, RISCV_V, 1}}, // vse64.v v1, (s3), v0.t
    {RISCV_64, 0xd6518367, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr t1, -667(gp)
    {RISCV_64, 0xf84, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // c.addi4spn s1, sp, 976
    {RISCV_64, 0x6e16, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 28}}, // c.ldsp t3, 320(sp)
    {RISCV_64, 0x8fa00467, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // jalr s0, -1798(zero)
    {RISCV_64, 0xbbb592f3, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_NO_ACCESS, 0, false, RISCV_X, 0}}, // csrrw t0, 3003, a1
    {RISCV_64, 0x6804, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 9}}, // c.ld s1, 16(s0)
    {RISCV_64, 0x61643603, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 12}}, // ld a2, 1558(s0)
    {RISCV_64, 0x6918, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_LOAD, 8, true, RISCV_X, 14}}, // c.ld a4, 16(a0)
    {RISCV_64, 0xd3e8, BRANCH_NONE, false, ADDRESS_UNKNOWN, {RISCV_STORE, 4, false, RISCV_X, 10}}, // c.sw a0, 100(a5)
};
