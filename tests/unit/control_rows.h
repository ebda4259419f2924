// What Capstone 5.0 says; made by tools/control_rows.py.
// clang-format off
static const struct control_row control_rows[] = {
    {ISA_AARCH64, 4, 0x1665b1f5, BRANCH_JUMP, false, 0xfffffffff99ac7d4}, // b #0xfffffffff99ac7d4
    {ISA_AARCH64, 4, 0x54b7584a, BRANCH_JUMP, true, 0xfffffffffffaeb08}, // b.ge #0xfffffffffffaeb08
    {ISA_AARCH64, 4, 0xb4f16adf, BRANCH_JUMP, true, 0x22d58}, // cbz xzr, #0x22d58
    {ISA_AARCH64, 4, 0xb7613e30, BRANCH_JUMP, true, 0x427c4}, // tbnz x16, #0x2c, #0x427c4
    {ISA_AARCH64, 4, 0xd61f03c0, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // br x30
    {ISA_AARCH64, 4, 0xd63f00c0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x6
    {ISA_AARCH64, 4, 0xd65f0020, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x1
    {ISA_AARCH64, 4, 0xd69f03e0, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // eret 
    {ISA_AARCH64, 4, 0xd71f0d7b, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x11, x27
    {ISA_AARCH64, 4, 0xd61f0f5f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brabz x26
    {ISA_AARCH64, 4, 0xd73f08a3, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x5, x3
    {ISA_AARCH64, 4, 0xd65f0bff, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // retaa 
    {ISA_AARCH64, 4, 0xd40ecc03, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0x7660
    {ISA_AARCH64, 4, 0xd503269f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x34
    {ISA_AARCH64, 4, 0x15bf992d, BRANCH_JUMP, false, 0x70264b4}, // b #0x70264b4
    {ISA_AARCH64, 4, 0x54072e8c, BRANCH_JUMP, true, 0x4e5d0}, // b.gt #0x4e5d0
    {ISA_AARCH64, 4, 0x34e42c82, BRANCH_JUMP, true, 0x8590}, // cbz w2, #0x8590
    {ISA_AARCH64, 4, 0x3741c7a8, BRANCH_JUMP, true, 0x438f4}, // tbnz w8, #8, #0x438f4
    {ISA_AARCH64, 4, 0xd61f00e0, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x7
    {ISA_AARCH64, 4, 0xd63f03a0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x29
    {ISA_AARCH64, 4, 0xd65f0280, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x20
    {ISA_AARCH64, 4, 0xd71f0e76, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x19, x22
    {ISA_AARCH64, 4, 0xd61f099f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braaz x12
    {ISA_AARCH64, 4, 0xd73f0959, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x10, x25
    {ISA_AARCH64, 4, 0xd65f0fff, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // retab 
    {ISA_AARCH64, 4, 0xd4021a41, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x10d2
    {ISA_AARCH64, 4, 0xd503253f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x29
    {ISA_AARCH64, 4, 0x94b6d8fe, BRANCH_CALL, false, 0x2df63f8}, // bl #0x2df63f8
    {ISA_AARCH64, 4, 0x54447e25, BRANCH_JUMP, true, 0xc8fc4}, // b.pl #0xc8fc4
    {ISA_AARCH64, 4, 0x34902931, BRANCH_JUMP, true, 0xfffffffffff60524}, // cbz w17, #0xfffffffffff60524
    {ISA_AARCH64, 4, 0xb755d4c1, BRANCH_JUMP, true, 0x3ba98}, // tbnz x1, #0x2a, #0x3ba98
    {ISA_AARCH64, 4, 0xd61f02a0, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x21
    {ISA_AARCH64, 4, 0xd63f0300, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x24
    {ISA_AARCH64, 4, 0xd65f0320, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x25
    {ISA_AARCH64, 4, 0xd71f0edc, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x22, x28
    {ISA_AARCH64, 4, 0xd61f0eff, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brabz x23
    {ISA_AARCH64, 4, 0xd73f0eb9, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blrab x21, x25
    {ISA_AARCH64, 4, 0xd41a0203, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0xd010
    {ISA_AARCH64, 4, 0xd503213f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #9
    {ISA_AARCH64, 4, 0xf06c144a, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // adrp x10, #0xd82cb000
    {ISA_AARCH64, 4, 0x95988ad9, BRANCH_CALL, false, 0x6662b64}, // bl #0x6662b64
    {ISA_AARCH64, 4, 0x549699cf, BRANCH_JUMP, true, 0xfffffffffff6d338}, // b.nv #0xfffffffffff6d338
    {ISA_AARCH64, 4, 0xb5bd67f9, BRANCH_JUMP, true, 0xfffffffffffbacfc}, // cbnz x25, #0xfffffffffffbacfc
    {ISA_AARCH64, 4, 0x37730edf, BRANCH_JUMP, true, 0x461d8}, // tbnz wzr, #0xe, #0x461d8
    {ISA_AARCH64, 4, 0xd61f0040, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x2
    {ISA_AARCH64, 4, 0xd63f00e0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x7
    {ISA_AARCH64, 4, 0xd65f01e0, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x15
    {ISA_AARCH64, 4, 0xd71f08bc, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braa x5, x28
    {ISA_AARCH64, 4, 0xd61f08ff, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braaz x7
    {ISA_AARCH64, 4, 0xd73f088f, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x4, x15
    {ISA_AARCH64, 4, 0xd40d3fe3, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0x69ff
    {ISA_AARCH64, 4, 0xd5032d1f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x68
    {ISA_AARCH64, 4, 0x17ab6c39, BRANCH_JUMP, false, 0xfffffffffeb1b0e4}, // b #0xfffffffffeb1b0e4
    {ISA_AARCH64, 4, 0x547fd280, BRANCH_JUMP, true, 0x13fa50}, // b.eq #0x13fa50
    {ISA_AARCH64, 4, 0x351a11df, BRANCH_JUMP, true, 0x74238}, // cbnz wzr, #0x74238
    {ISA_AARCH64, 4, 0xb745f23d, BRANCH_JUMP, true, 0x3be44}, // tbnz x29, #0x28, #0x3be44
    {ISA_AARCH64, 4, 0xd61f00a0, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x5
    {ISA_AARCH64, 4, 0xd63f0080, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x4
    {ISA_AARCH64, 4, 0xd71f08aa, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braa x5, x10
    {ISA_AARCH64, 4, 0xd61f09df, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braaz x14
    {ISA_AARCH64, 4, 0xd73f0975, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x11, x21
    {ISA_AARCH64, 4, 0xd40b8283, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0x5c14
    {ISA_AARCH64, 4, 0xd50328ff, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x47
    {ISA_AARCH64, 4, 0x94148cb4, BRANCH_CALL, false, 0x5632d0}, // bl #0x5632d0
    {ISA_AARCH64, 4, 0x546d6743, BRANCH_JUMP, true, 0x11ace8}, // b.lo #0x11ace8
    {ISA_AARCH64, 4, 0x35999e3f, BRANCH_JUMP, true, 0xfffffffffff733c4}, // cbnz wzr, #0xfffffffffff733c4
    {ISA_AARCH64, 4, 0x37978d87, BRANCH_JUMP, true, 0x3f1b0}, // tbnz w7, #0x12, #0x3f1b0
    {ISA_AARCH64, 4, 0xd61f0180, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x12
    {ISA_AARCH64, 4, 0xd63f0320, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x25
    {ISA_AARCH64, 4, 0xd65f03e0, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret xzr
    {ISA_AARCH64, 4, 0xd71f0db0, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x13, x16
    {ISA_AARCH64, 4, 0xd61f0cff, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brabz x7
    {ISA_AARCH64, 4, 0xd73f0c0a, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blrab x0, x10
    {ISA_AARCH64, 4, 0xd4046dc1, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x236e
    {ISA_AARCH64, 4, 0xd50323bf, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // autiasp 
    {ISA_AARCH64, 4, 0xf9270f4e, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // str x14, [x26, #0x4e18]
    {ISA_AARCH64, 4, 0x9610a9f7, BRANCH_CALL, false, 0xfffffffff846a7dc}, // bl #0xfffffffff846a7dc
    {ISA_AARCH64, 4, 0x543468a6, BRANCH_JUMP, true, 0xa8d14}, // b.vs #0xa8d14
    {ISA_AARCH64, 4, 0xb5ba91fc, BRANCH_JUMP, true, 0xfffffffffffb523c}, // cbnz x28, #0xfffffffffffb523c
    {ISA_AARCH64, 4, 0xb79b17ae, BRANCH_JUMP, true, 0x462f4}, // tbnz x14, #0x33, #0x462f4
    {ISA_AARCH64, 4, 0xd63f01e0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x15
    {ISA_AARCH64, 4, 0xd65f0000, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x0
    {ISA_AARCH64, 4, 0xd71f0d4a, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x10, x10
    {ISA_AARCH64, 4, 0xd61f0dff, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brabz x15
    {ISA_AARCH64, 4, 0xd73f0f1d, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blrab x24, x29
    {ISA_AARCH64, 4, 0xd40baea1, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x5d75
    {ISA_AARCH64, 4, 0xd5032c7f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x63
    {ISA_AARCH64, 4, 0xe1ea24c4, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // st1q {za4h.q[w13, 0]}, p1, [x6, x10, lsl #4]
    {ISA_AARCH64, 4, 0x17d63116, BRANCH_JUMP, false, 0xffffffffff5cc458}, // b #0xffffffffff5cc458
    {ISA_AARCH64, 4, 0x54a064cf, BRANCH_JUMP, true, 0xfffffffffff80c98}, // b.nv #0xfffffffffff80c98
    {ISA_AARCH64, 4, 0xb4dfb4a5, BRANCH_JUMP, true, 0xfffffffffffff694}, // cbz x5, #0xfffffffffffff694
    {ISA_AARCH64, 4, 0xb75a47c5, BRANCH_JUMP, true, 0x448f8}, // tbnz x5, #0x2b, #0x448f8
    {ISA_AARCH64, 4, 0xd63f0200, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x16
    {ISA_AARCH64, 4, 0xd65f0040, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x2
    {ISA_AARCH64, 4, 0xd71f0fbc, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x29, x28
    {ISA_AARCH64, 4, 0xd73f09cc, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x14, x12
    {ISA_AARCH64, 4, 0xd41f6ca1, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0xfb65
    {ISA_AARCH64, 4, 0xd5032b7f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x5b
    {ISA_AARCH64, 4, 0xaa2ca1af, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // orn x15, x13, x12, lsl #40
    {ISA_AARCH64, 4, 0x144a3698, BRANCH_JUMP, false, 0x12cda60}, // b #0x12cda60
    {ISA_AARCH64, 4, 0x54fbd3c1, BRANCH_JUMP, true, 0x37a78}, // b.ne #0x37a78
    {ISA_AARCH64, 4, 0xb47e134f, BRANCH_JUMP, true, 0x13c268}, // cbz x15, #0x13c268
    {ISA_AARCH64, 4, 0xb7fab9d7, BRANCH_JUMP, true, 0x45738}, // tbnz x23, #0x3f, #0x45738
    {ISA_AARCH64, 4, 0xd63f03c0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x30
    {ISA_AARCH64, 4, 0xd65f0260, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x19
    {ISA_AARCH64, 4, 0xd71f098f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braa x12, x15
    {ISA_AARCH64, 4, 0xd61f0d7f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brabz x11
    {ISA_AARCH64, 4, 0xd73f0a16, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x16, x22
    {ISA_AARCH64, 4, 0xd4083d01, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x41e8
    {ISA_AARCH64, 4, 0xd503221f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // esb 
    {ISA_AARCH64, 4, 0x15e821a4, BRANCH_JUMP, false, 0x7a48690}, // b #0x7a48690
    {ISA_AARCH64, 4, 0x545c3844, BRANCH_JUMP, true, 0xf8708}, // b.mi #0xf8708
    {ISA_AARCH64, 4, 0xb507107e, BRANCH_JUMP, true, 0x4e20c}, // cbnz x30, #0x4e20c
    {ISA_AARCH64, 4, 0x36ac5db9, BRANCH_JUMP, true, 0x38bb4}, // tbz w25, #0x15, #0x38bb4
    {ISA_AARCH64, 4, 0xd61f02c0, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x22
    {ISA_AARCH64, 4, 0xd65f0240, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x18
    {ISA_AARCH64, 4, 0xd71f0d68, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x11, x8
    {ISA_AARCH64, 4, 0xd61f0bbf, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braaz x29
    {ISA_AARCH64, 4, 0xd73f08d6, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x6, x22
    {ISA_AARCH64, 4, 0xd40a4aa3, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0x5255
    {ISA_AARCH64, 4, 0xd50320bf, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // sevl 
    {ISA_AARCH64, 4, 0x97dae38d, BRANCH_CALL, false, 0xffffffffff6f8e34}, // bl #0xffffffffff6f8e34
    {ISA_AARCH64, 4, 0x5403560d, BRANCH_JUMP, true, 0x46ac0}, // b.le #0x46ac0
    {ISA_AARCH64, 4, 0x34c2f2e3, BRANCH_JUMP, true, 0xfffffffffffc5e5c}, // cbz w3, #0xfffffffffffc5e5c
    {ISA_AARCH64, 4, 0xb7ac06d8, BRANCH_JUMP, true, 0x380d8}, // tbnz x24, #0x35, #0x380d8
    {ISA_AARCH64, 4, 0xd61f0140, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x10
    {ISA_AARCH64, 4, 0xd63f02e0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x23
    {ISA_AARCH64, 4, 0xd65f00c0, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x6
    {ISA_AARCH64, 4, 0xd71f0ffb, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab xzr, x27
    {ISA_AARCH64, 4, 0xd61f0a5f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braaz x18
    {ISA_AARCH64, 4, 0xd73f093d, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x9, x29
    {ISA_AARCH64, 4, 0xd4045e63, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0x22f3
    {ISA_AARCH64, 4, 0xd50328df, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x46
    {ISA_AARCH64, 4, 0x945fe8f8, BRANCH_CALL, false, 0x183a3e0}, // bl #0x183a3e0
    {ISA_AARCH64, 4, 0x546fe507, BRANCH_JUMP, true, 0x11fca0}, // b.vc #0x11fca0
    {ISA_AARCH64, 4, 0x358a5aa3, BRANCH_JUMP, true, 0xfffffffffff54b54}, // cbnz w3, #0xfffffffffff54b54
    {ISA_AARCH64, 4, 0xb7868a29, BRANCH_JUMP, true, 0x3d144}, // tbnz x9, #0x30, #0x3d144
    {ISA_AARCH64, 4, 0xd61f0120, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x9
    {ISA_AARCH64, 4, 0xd71f0cfa, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x7, x26
    {ISA_AARCH64, 4, 0xd61f083f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braaz x1
    {ISA_AARCH64, 4, 0xd73f0c61, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blrab x3, x1
    {ISA_AARCH64, 4, 0xd4024d43, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0x126a
    {ISA_AARCH64, 4, 0x95059285, BRANCH_CALL, false, 0x41a4a14}, // bl #0x41a4a14
    {ISA_AARCH64, 4, 0x54b9f86f, BRANCH_JUMP, true, 0xfffffffffffb3f0c}, // b.nv #0xfffffffffffb3f0c
    {ISA_AARCH64, 4, 0x35762741, BRANCH_JUMP, true, 0x12c4e8}, // cbnz w1, #0x12c4e8
    {ISA_AARCH64, 4, 0x36397bc7, BRANCH_JUMP, true, 0x42f78}, // tbz w7, #7, #0x42f78
    {ISA_AARCH64, 4, 0xd61f0100, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x8
    {ISA_AARCH64, 4, 0xd65f0140, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x10
    {ISA_AARCH64, 4, 0xd71f0a37, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braa x17, x23
    {ISA_AARCH64, 4, 0xd61f0cbf, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brabz x5
    {ISA_AARCH64, 4, 0xd73f09b7, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x13, x23
    {ISA_AARCH64, 4, 0xd403cae1, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x1e57
    {ISA_AARCH64, 4, 0xd5032d9f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x6c
    {ISA_AARCH64, 4, 0x84c81999, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ld1sh {z25.s}, p6/z, [x12, z8.s, sxtw]
    {ISA_AARCH64, 4, 0x97038069, BRANCH_CALL, false, 0xfffffffffc1201a4}, // bl #0xfffffffffc1201a4
    {ISA_AARCH64, 4, 0x54b5262c, BRANCH_JUMP, true, 0xfffffffffffaa4c4}, // b.gt #0xfffffffffffaa4c4
    {ISA_AARCH64, 4, 0x349aae90, BRANCH_JUMP, true, 0xfffffffffff755d0}, // cbz w16, #0xfffffffffff755d0
    {ISA_AARCH64, 4, 0x3714475b, BRANCH_JUMP, true, 0x388e8}, // tbnz w27, #2, #0x388e8
    {ISA_AARCH64, 4, 0xd63f00a0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x5
    {ISA_AARCH64, 4, 0xd65f0100, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x8
    {ISA_AARCH64, 4, 0xd71f0f6c, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x27, x12
    {ISA_AARCH64, 4, 0xd61f09ff, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braaz x15
    {ISA_AARCH64, 4, 0xd73f0c96, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blrab x4, x22
    {ISA_AARCH64, 4, 0xd40642e1, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x3217
    {ISA_AARCH64, 4, 0xd5032c5f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x62
    {ISA_AARCH64, 4, 0x69d495dd, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldpsw x29, x5, [x14, #0xa4]!
    {ISA_AARCH64, 4, 0x14240d49, BRANCH_JUMP, false, 0x943524}, // b #0x943524
    {ISA_AARCH64, 4, 0x5437cdef, BRANCH_JUMP, true, 0xaf9bc}, // b.nv #0xaf9bc
    {ISA_AARCH64, 4, 0x35569643, BRANCH_JUMP, true, 0xed2c8}, // cbnz w3, #0xed2c8
    {ISA_AARCH64, 4, 0x3617b9af, BRANCH_JUMP, true, 0x3f734}, // tbz w15, #2, #0x3f734
    {ISA_AARCH64, 4, 0xd61f0000, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x0
    {ISA_AARCH64, 4, 0xd65f0300, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x24
    {ISA_AARCH64, 4, 0xd71f0929, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braa x9, x9
    {ISA_AARCH64, 4, 0xd61f0b5f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braaz x26
    {ISA_AARCH64, 4, 0xd73f0f4e, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blrab x26, x14
    {ISA_AARCH64, 4, 0xd4091bc3, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0x48de
    {ISA_AARCH64, 4, 0xd5032c1f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x60
    {ISA_AARCH64, 4, 0x95f84404, BRANCH_CALL, false, 0x7e51010}, // bl #0x7e51010
    {ISA_AARCH64, 4, 0x54c7652c, BRANCH_JUMP, true, 0xfffffffffffceca4}, // b.gt #0xfffffffffffceca4
    {ISA_AARCH64, 4, 0xb4a7ae1f, BRANCH_JUMP, true, 0xfffffffffff8f5c0}, // cbz xzr, #0xfffffffffff8f5c0
    {ISA_AARCH64, 4, 0x375db79b, BRANCH_JUMP, true, 0x3b6f0}, // tbnz w27, #0xb, #0x3b6f0
    {ISA_AARCH64, 4, 0xd61f00c0, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x6
    {ISA_AARCH64, 4, 0xd63f0240, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x18
    {ISA_AARCH64, 4, 0xd71f088c, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braa x4, x12
    {ISA_AARCH64, 4, 0xd61f0e9f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brabz x20
    {ISA_AARCH64, 4, 0xd73f0ed3, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blrab x22, x19
    {ISA_AARCH64, 4, 0xd40d17e3, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0x68bf
    {ISA_AARCH64, 4, 0xd5032a1f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x50
    {ISA_AARCH64, 4, 0x155af341, BRANCH_JUMP, false, 0x56fcd04}, // b #0x56fcd04
    {ISA_AARCH64, 4, 0x544f3dc6, BRANCH_JUMP, true, 0xde7b8}, // b.vs #0xde7b8
    {ISA_AARCH64, 4, 0xb57c96c0, BRANCH_JUMP, true, 0x1392d8}, // cbnz x0, #0x1392d8
    {ISA_AARCH64, 4, 0xb78dd1ee, BRANCH_JUMP, true, 0x3ba3c}, // tbnz x14, #0x31, #0x3ba3c
    {ISA_AARCH64, 4, 0xd61f0300, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x24
    {ISA_AARCH64, 4, 0xd63f0120, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blr x9
    {ISA_AARCH64, 4, 0xd71f0e56, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x18, x22
    {ISA_AARCH64, 4, 0xd61f0a9f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braaz x20
    {ISA_AARCH64, 4, 0xd73f0bdb, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x30, x27
    {ISA_AARCH64, 4, 0xd40e2281, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x7114
    {ISA_AARCH64, 4, 0xd503217f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0xb
    {ISA_AARCH64, 4, 0x14c5b476, BRANCH_JUMP, false, 0x31ad1d8}, // b #0x31ad1d8
    {ISA_AARCH64, 4, 0x5407724e, BRANCH_JUMP, true, 0x4ee48}, // b.al #0x4ee48
    {ISA_AARCH64, 4, 0xb41b0c3e, BRANCH_JUMP, true, 0x76184}, // cbz x30, #0x76184
    {ISA_AARCH64, 4, 0xb7f3078f, BRANCH_JUMP, true, 0x460f0}, // tbnz x15, #0x3e, #0x460f0
    {ISA_AARCH64, 4, 0xd65f02c0, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x22
    {ISA_AARCH64, 4, 0xd71f0d9a, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x12, x26
    {ISA_AARCH64, 4, 0xd61f0fff, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brabz xzr
    {ISA_AARCH64, 4, 0xd73f0fef, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blrab xzr, x15
    {ISA_AARCH64, 4, 0xd4137f23, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0x9bf9
    {ISA_AARCH64, 4, 0xa81aa40a, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // stnp x10, x9, [x0, #0x1a8]
    {ISA_AARCH64, 4, 0x15ddb87d, BRANCH_JUMP, false, 0x77ae1f4}, // b #0x77ae1f4
    {ISA_AARCH64, 4, 0x54f09e63, BRANCH_JUMP, true, 0x213cc}, // b.lo #0x213cc
    {ISA_AARCH64, 4, 0xb42ac1fe, BRANCH_JUMP, true, 0x9583c}, // cbz x30, #0x9583c
    {ISA_AARCH64, 4, 0x3763e0ef, BRANCH_JUMP, true, 0x47c1c}, // tbnz w15, #0xc, #0x47c1c
    {ISA_AARCH64, 4, 0xd61f0360, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // br x27
    {ISA_AARCH64, 4, 0xd65f0120, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ret x9
    {ISA_AARCH64, 4, 0xd71f0eab, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brab x21, x11
    {ISA_AARCH64, 4, 0xd61f093f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braaz x9
    {ISA_AARCH64, 4, 0xd73f0a63, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blraa x19, x3
    {ISA_AARCH64, 4, 0xd4156801, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0xab40
    {ISA_AARCH64, 4, 0xd5032adf, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // hint #0x56
    {ISA_ARM, 4, 0x1aa6b94c, BRANCH_JUMP, true, 0xfe9ee538}, // bne #0xfe9ee538
    {ISA_ARM, 4, 0x512fff1b, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bxpl fp
    {ISA_ARM, 4, 0xe838d834, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmda r8!, {r2, r4, r5, fp, ip, lr, pc}
    {ISA_ARM, 4, 0x49b69e1e, BRANCH_RETURN, true, ADDRESS_UNKNOWN}, // ldmibmi r6!, {r1, r2, r3, r4, sb, sl, fp, ip, pc}
    {ISA_ARM, 4, 0x7b0faa0, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // ldreq pc, [r0, r0, lsr #21]!
    {ISA_ARM, 4, 0x71a0fab5, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // strhvc pc, [r0, r5]!
    {ISA_ARM, 4, 0x11c2ff85, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bicne pc, r2, r5, lsl #31
    {ISA_ARM, 4, 0xfb9d0a00, BRANCH_CALL, false, 0xfe78280b}, // blx #0xfe78280a
    {ISA_ARM, 4, 0xfab77f0c, BRANCH_CALL, false, 0xfee1fc39}, // blx #0xfee1fc38
    {ISA_ARM, 4, 0x7faea53c, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svcvc #0xaea53c
    {ISA_ARM, 4, 0xc14ccedc, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // ldrdgt ip, sp, [ip, #-0xec]
    {ISA_ARM, 4, 0x7a4acf6e, BRANCH_JUMP, true, 0x12f3dc0}, // bvc #0x12f3dc0
    {ISA_ARM, 4, 0x312fff3c, BRANCH_CALL, true, ADDRESS_UNKNOWN}, // blxlo ip
    {ISA_ARM, 4, 0xab18de55, BRANCH_CALL, true, 0x67795c}, // blge #0x67795c
    {ISA_ARM, 4, 0xa1a0ff83, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // lslge pc, r3, #0x1f
    {ISA_ARM, 4, 0xe32afb4d, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // msr cpsr_fx, #0x13400
    {ISA_ARM, 4, 0xfa9d0a00, BRANCH_CALL, false, 0xfe782809}, // blx #0xfe782808
    {ISA_ARM, 4, 0xfac9ac93, BRANCH_CALL, false, 0xff2ab255}, // blx #0xff2ab254
    {ISA_ARM, 4, 0x2f26bf83, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svchs #0x26bf83
    {ISA_ARM, 4, 0xd1c48b81, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // bicle r8, r4, r1, lsl #23
    {ISA_ARM, 4, 0xabe39482, BRANCH_CALL, true, 0xff925210}, // blge #0xff925210
    {ISA_ARM, 4, 0x112fff17, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bxne r7
    {ISA_ARM, 4, 0xebd3ccfc, BRANCH_CALL, false, 0xff5333f8}, // bl #0xff5333f8
    {ISA_ARM, 4, 0x989cb492, BRANCH_RETURN, true, ADDRESS_UNKNOWN}, // ldmls ip, {r1, r4, r7, sl, ip, sp, pc}
    {ISA_ARM, 4, 0xd49cf94b, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // ldrle pc, [ip], #0x94b
    {ISA_ARM, 4, 0x51a0fb58, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // asrpl pc, r8, fp
    {ISA_ARM, 4, 0x21ccf17f, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bichs pc, ip, pc, ror r1
    {ISA_ARM, 4, 0xfb300a00, BRANCH_CALL, false, 0xc4280b}, // blx #0xc4280a
    {ISA_ARM, 4, 0xfb223ff8, BRANCH_CALL, false, 0x8cffeb}, // blx #0x8cffea
    {ISA_ARM, 4, 0xcf0877d1, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svcgt #0x877d1
    {ISA_ARM, 4, 0xb9825206, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // stmiblt r2, {r1, r2, sb, ip, lr}
    {ISA_ARM, 4, 0xaf92a63, BRANCH_JUMP, true, 0xffe8a994}, // beq #0xffe8a994
    {ISA_ARM, 4, 0x312fff1d, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bxlo sp
    {ISA_ARM, 4, 0x7bbed849, BRANCH_CALL, true, 0xfeff612c}, // blvc #0xfeff612c
    {ISA_ARM, 4, 0x2691fc60, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // ldrhs pc, [r1], r0, ror #24
    {ISA_ARM, 4, 0x81a0f5ec, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // rorhi pc, ip, #0xb
    {ISA_ARM, 4, 0xa0a4fd58, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // adcge pc, r4, r8, asr sp
    {ISA_ARM, 4, 0xfb150a00, BRANCH_CALL, false, 0x58280b}, // blx #0x58280a
    {ISA_ARM, 4, 0xfbeeb506, BRANCH_CALL, false, 0xffbed423}, // blx #0xffbed422
    {ISA_ARM, 4, 0xdf7d0688, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svcle #0x7d0688
    {ISA_ARM, 4, 0xdd29abb, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // vldreq s19, [r2, #0x2ec]
    {ISA_ARM, 4, 0x3bba3f7d, BRANCH_CALL, true, 0xfeecfdfc}, // bllo #0xfeecfdfc
    {ISA_ARM, 4, 0x12fff1a, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bxeq sl
    {ISA_ARM, 4, 0xef91aea4, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x91aea4
    {ISA_ARM, 4, 0x9bf8ae87, BRANCH_CALL, true, 0xffe6ba24}, // blls #0xffe6ba24
    {ISA_ARM, 4, 0x1a0fdcc, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // asreq pc, ip, #0x1b
    {ISA_ARM, 4, 0xfbb30a00, BRANCH_CALL, false, 0xfed0280b}, // blx #0xfed0280a
    {ISA_ARM, 4, 0xfbb07fad, BRANCH_CALL, false, 0xfec5febf}, // blx #0xfec5febe
    {ISA_ARM, 4, 0xef8e11b9, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x8e11b9
    {ISA_ARM, 4, 0x5adb8289, BRANCH_JUMP, true, 0xff720a2c}, // bpl #0xff720a2c
    {ISA_ARM, 4, 0x9a5e9fb4, BRANCH_JUMP, true, 0x17e7ed8}, // bls #0x17e7ed8
    {ISA_ARM, 4, 0xd12fff3f, BRANCH_CALL, true, ADDRESS_UNKNOWN}, // blxle pc
    {ISA_ARM, 4, 0xed168efe, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldc p14, c8, [r6, #-0x3f8]
    {ISA_ARM, 4, 0xdb12d06b, BRANCH_CALL, true, 0x4f41b4}, // blle #0x4f41b4
    {ISA_ARM, 4, 0xe49ff7c6, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr pc, [pc], #0x7c6
    {ISA_ARM, 4, 0xb1a0fe50, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // asrlt pc, r0, lr
    {ISA_ARM, 4, 0xf89c0a00, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia ip
    {ISA_ARM, 4, 0xfba4256a, BRANCH_CALL, false, 0xfe9495b3}, // blx #0xfe9495b2
    {ISA_ARM, 4, 0x3f7df8b7, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svclo #0x7df8b7
    {ISA_ARM, 4, 0xe14cbc7f, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #0xcbcf
    {ISA_ARM, 4, 0xca15828f, BRANCH_JUMP, true, 0x5a0a44}, // bgt #0x5a0a44
    {ISA_ARM, 4, 0x6a1fcd65, BRANCH_JUMP, true, 0x83359c}, // bvs #0x83359c
    {ISA_ARM, 4, 0x12fff13, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bxeq r3
    {ISA_ARM, 4, 0xeb5ce62a, BRANCH_CALL, false, 0x17798b0}, // bl #0x17798b0
    {ISA_ARM, 4, 0x28768559, BRANCH_LEAVES, true, ADDRESS_UNKNOWN}, // ldmdahs r6!, {r0, r3, r4, r6, r8, sl, pc} ^
    {ISA_ARM, 4, 0x8411f491, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // ldrhi pc, [r1], #-0x491
    {ISA_ARM, 4, 0xe1a0fb67, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ror pc, r7, #0x16
    {ISA_ARM, 4, 0xf99b0a00, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeib fp
    {ISA_ARM, 4, 0xfa7b864a, BRANCH_CALL, false, 0x1f21931}, // blx #0x1f21930
    {ISA_ARM, 4, 0xdffa6087, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svcle #0xfa6087
    {ISA_ARM, 4, 0x926ef14d, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // rsbls pc, lr, #0x40000013
    {ISA_ARM, 4, 0x1bde6f8d, BRANCH_CALL, true, 0xff7dbe3c}, // blne #0xff7dbe3c
    {ISA_ARM, 4, 0x512fff3e, BRANCH_CALL, true, ADDRESS_UNKNOWN}, // blxpl lr
    {ISA_ARM, 4, 0x29b7bc37, BRANCH_RETURN, true, ADDRESS_UNKNOWN}, // ldmibhs r7!, {r0, r1, r2, r4, r5, sl, fp, ip, sp, pc}
    {ISA_ARM, 4, 0xc1a0f0cc, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // asrgt pc, ip, #1
    {ISA_ARM, 4, 0x8203ff98, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // andhi pc, r3, #152, #30
    {ISA_ARM, 4, 0xfb3b0a00, BRANCH_CALL, false, 0xf0280b}, // blx #0xf0280a
    {ISA_ARM, 4, 0xfb128089, BRANCH_CALL, false, 0x4e022f}, // blx #0x4e022e
    {ISA_ARM, 4, 0x8f395787, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svchi #0x395787
    {ISA_ARM, 4, 0xe147067c, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #0x706c
    {ISA_ARM, 4, 0xdb9ecea6, BRANCH_CALL, true, 0xfe7f3aa0}, // blle #0xfe7f3aa0
    {ISA_ARM, 4, 0xeabeec17, BRANCH_JUMP, false, 0xfeffb064}, // b #0xfeffb064
    {ISA_ARM, 4, 0x912fff11, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bxls r1
    {ISA_ARM, 4, 0xed558bc9, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // vldr d24, [r5, #-0x324]
    {ISA_ARM, 4, 0xab708173, BRANCH_CALL, true, 0x1c605d4}, // blge #0x1c605d4
    {ISA_ARM, 4, 0x4530fdce, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // ldrmi pc, [r0, #-0xdce]!
    {ISA_ARM, 4, 0xd1a0ff3b, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // lsrle pc, fp, pc
    {ISA_ARM, 4, 0x2120fde1, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // smulwths r0, r1, sp
    {ISA_ARM, 4, 0xf8320a00, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeda r2!
    {ISA_ARM, 4, 0xfb891f61, BRANCH_CALL, false, 0xfe287d8f}, // blx #0xfe287d8e
    {ISA_ARM, 4, 0x5a34f2ea, BRANCH_JUMP, true, 0xd7cbb0}, // bpl #0xd7cbb0
    {ISA_ARM, 4, 0xe12fff36, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r6
    {ISA_ARM, 4, 0xe9bbabca, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmib fp!, {r1, r3, r6, r7, r8, sb, fp, sp, pc}
    {ISA_ARM, 4, 0x6a1ce1e1, BRANCH_JUMP, true, 0x77878c}, // bvs #0x77878c
    {ISA_ARM, 4, 0x51a0fb5b, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // asrpl pc, fp, fp
    {ISA_ARM, 4, 0x9386fc1f, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // orrls pc, r6, #0x1f00
    {ISA_ARM, 4, 0xfb9f0a00, BRANCH_CALL, false, 0xfe80280b}, // blx #0xfe80280a
    {ISA_ARM, 4, 0xfb33539a, BRANCH_CALL, false, 0xd14e73}, // blx #0xd14e72
    {ISA_ARM, 4, 0x3fece7ed, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svclo #0xece7ed
    {ISA_ARM, 4, 0xda673871, BRANCH_JUMP, true, 0x1a0e1cc}, // ble #0x1a0e1cc
    {ISA_ARM, 4, 0xea7489f8, BRANCH_JUMP, false, 0x1d627e8}, // b #0x1d627e8
    {ISA_ARM, 4, 0xa87ca03c, BRANCH_LEAVES, true, ADDRESS_UNKNOWN}, // ldmdage ip!, {r2, r3, r4, r5, sp, pc} ^
    {ISA_ARM, 4, 0xb5b2f593, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // ldrlt pc, [r2, #0x593]!
    {ISA_ARM, 4, 0xa711ffe0, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // ldrge pc, [r1, -r0, ror #31]
    {ISA_ARM, 4, 0x72e0f931, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // rscvc pc, r0, #0xc4000
    {ISA_ARM, 4, 0xfa140a00, BRANCH_CALL, false, 0x542809}, // blx #0x542808
    {ISA_ARM, 4, 0xfb539139, BRANCH_CALL, false, 0x15244ef}, // blx #0x15244ee
    {ISA_ARM, 4, 0x6f2fcd80, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svcvs #0x2fcd80
    {ISA_ARM, 4, 0x70ff678b, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // rscsvc r6, pc, fp, lsl #15
    {ISA_ARM, 4, 0x6b845376, BRANCH_CALL, true, 0xfe154de0}, // blvs #0xfe154de0
    {ISA_ARM, 4, 0x493aefe2, BRANCH_RETURN, true, ADDRESS_UNKNOWN}, // ldmdbmi sl!, {r1, r5, r6, r7, r8, sb, sl, fp, sp, lr, pc}
    {ISA_ARM, 4, 0xc1a0f467, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // rorgt pc, r7, #8
    {ISA_ARM, 4, 0x8381fdb7, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // orrhi pc, r1, #0x2dc0
    {ISA_ARM, 4, 0xf8350a00, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeda r5!
    {ISA_ARM, 4, 0xfa52fe20, BRANCH_CALL, false, 0x14ff889}, // blx #0x14ff888
    {ISA_ARM, 4, 0xffb927a, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svceq #0xfb927a
    {ISA_ARM, 4, 0xe1480373, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #0x8033
    {ISA_ARM, 4, 0x6028615b, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // eorvs r6, r8, fp, asr r1
    {ISA_ARM, 4, 0x1b4bd0bc, BRANCH_CALL, true, 0x13342f8}, // blne #0x13342f8
    {ISA_ARM, 4, 0x312fff12, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bxlo r2
    {ISA_ARM, 4, 0xe9378ece, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r7!, {r1, r2, r3, r6, r7, sb, sl, fp, pc}
    {ISA_ARM, 4, 0x2b77fd4d, BRANCH_CALL, true, 0x1e3f53c}, // blhs #0x1e3f53c
    {ISA_ARM, 4, 0x91a0f8b9, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // strhls pc, [r0, sb]!
    {ISA_ARM, 4, 0x9f437, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // andeq pc, sb, r7, lsr r4
    {ISA_ARM, 4, 0xf8b10a00, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r1!
    {ISA_ARM, 4, 0xfbf9a9d2, BRANCH_CALL, false, 0xffeaa753}, // blx #0xffeaa752
    {ISA_ARM, 4, 0xcfde4e92, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svcgt #0xde4e92
    {ISA_ARM, 4, 0xcbb12e85, BRANCH_CALL, true, 0xfec8ba1c}, // blgt #0xfec8ba1c
    {ISA_ARM, 4, 0xc12fff1a, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bxgt sl
    {ISA_ARM, 4, 0xaa75fa0d, BRANCH_JUMP, true, 0x1dbe83c}, // bge #0x1dbe83c
    {ISA_ARM, 4, 0xe1a0f100, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // lsl pc, r0, #2
    {ISA_ARM, 4, 0xd066fa74, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // rsble pc, r6, r4, ror sl
    {ISA_ARM, 4, 0xfb320a00, BRANCH_CALL, false, 0xcc280b}, // blx #0xcc280a
    {ISA_ARM, 4, 0xfae87834, BRANCH_CALL, false, 0xffa5e0d9}, // blx #0xffa5e0d8
    {ISA_ARM, 4, 0x3fb6e116, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svclo #0xb6e116
    {ISA_ARM, 4, 0xe1464c7c, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #0x64cc
    {ISA_ARM, 4, 0xabb8a447, BRANCH_CALL, true, 0xfee69124}, // blge #0xfee69124
    {ISA_ARM, 4, 0x212fff10, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bxhs r0
    {ISA_ARM, 4, 0x6a71d425, BRANCH_JUMP, true, 0x1cb509c}, // bvs #0x1cb509c
    {ISA_ARM, 4, 0x82f6bd, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // strheq pc, [r2], sp
    {ISA_ARM, 4, 0xfb9a0a00, BRANCH_CALL, false, 0xfe6c280b}, // blx #0xfe6c280a
    {ISA_ARM, 4, 0xfa3f4bd4, BRANCH_CALL, false, 0x1012f59}, // blx #0x1012f58
    {ISA_ARM, 4, 0x8f398f64, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svchi #0x398f64
    {ISA_ARM, 4, 0xe14e6c7d, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #0xe6cd
    {ISA_ARM, 4, 0x8ab4e8c9, BRANCH_JUMP, true, 0xfed7a32c}, // bhi #0xfed7a32c
    {ISA_ARM, 4, 0x312fff1b, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // bxlo fp
    {ISA_ARM, 4, 0x79b494dd, BRANCH_RETURN, true, ADDRESS_UNKNOWN}, // ldmibvc r4!, {r0, r2, r3, r4, r6, r7, sl, ip, pc}
    {ISA_ARM, 4, 0x21a0f4e3, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // rorhs pc, r3, #9
    {ISA_ARM, 4, 0xf83a0a00, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeda sl!
    {ISA_ARM, 4, 0xfbd8f527, BRANCH_CALL, false, 0xff67d4a7}, // blx #0xff67d4a6
    {ISA_ARM, 4, 0xe1497c7e, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #0x97ce
    {ISA_ARM, 4, 0xfae263ac, BRANCH_CALL, false, 0xff8d8eb9}, // blx #0xff8d8eb8
    {ISA_ARM, 4, 0x312fff3e, BRANCH_CALL, true, ADDRESS_UNKNOWN}, // blxlo lr
    {ISA_ARM, 4, 0xea31a255, BRANCH_JUMP, false, 0xca895c}, // b #0xca895c
    {ISA_ARM, 4, 0xbb56a41f, BRANCH_CALL, true, 0x15e9084}, // bllt #0x15e9084
    {ISA_ARM, 4, 0xf796f060, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pldw [r6, r0, rrx]
    {ISA_ARM, 4, 0x2041f768, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // subhs pc, r1, r8, ror #14
    {ISA_ARM, 4, 0xfa910a00, BRANCH_CALL, false, 0xfe482809}, // blx #0xfe482808
    {ISA_ARM, 4, 0xfb49847d, BRANCH_CALL, false, 0x12a11ff}, // blx #0x12a11fe
    {ISA_ARM, 4, 0xbf87ad63, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svclt #0x87ad63
    {ISA_ARM, 4, 0xe1451b73, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #0x51b3
    {ISA_ARM, 4, 0x7b2db6d5, BRANCH_CALL, true, 0xbadb5c}, // blvc #0xbadb5c
    {ISA_ARM, 4, 0xef3dc298, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x3dc298
    {ISA_ARM, 4, 0x31a0f55d, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // asrlo pc, sp, r5
    {ISA_ARM, 4, 0x1160f2ae, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // smultbne r0, lr, r2
    {ISA_ARM, 4, 0xfb910a00, BRANCH_CALL, false, 0xfe48280b}, // blx #0xfe48280a
    {ISA_ARM, 4, 0xfbe2ffe1, BRANCH_CALL, false, 0xff8fff8f}, // blx #0xff8fff8e
    {ISA_ARM, 4, 0x10dc441b, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // sbcsne r4, ip, fp, lsl r4
    {ISA_ARM, 4, 0xab76d604, BRANCH_CALL, true, 0x1df5818}, // blge #0x1df5818
    {ISA_ARM, 4, 0x12fff3e, BRANCH_CALL, true, ADDRESS_UNKNOWN}, // blxeq lr
    {ISA_ARM, 4, 0x9fd8ff6, BRANCH_LEAVES, true, ADDRESS_UNKNOWN}, // ldmibeq sp!, {r1, r2, r4, r5, r6, r7, r8, sb, sl, fp, pc} ^
    {ISA_ARM, 4, 0x11a0f6a1, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // lsrne pc, r1, #0xd
    {ISA_ARM, 4, 0x9068f442, BRANCH_INDIRECT, true, ADDRESS_UNKNOWN}, // rsbls pc, r8, r2, asr #8
    {ISA_ARM, 4, 0xfa956521, BRANCH_CALL, false, 0xfe59948d}, // blx #0xfe59948c
    {ISA_ARM, 4, 0xbf9ce725, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svclt #0x9ce725
    {ISA_ARM, 4, 0xef95e274, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // svc #0x95e274
    {ISA_ARM, 4, 0x8bbd19c2, BRANCH_CALL, true, 0xfef86710}, // blhi #0xfef86710
    {ISA_ARM, 4, 0xc12fff36, BRANCH_CALL, true, ADDRESS_UNKNOWN}, // blxgt r6
    {ISA_ARM, 4, 0xe8f0e93c, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // ldm r0!, {r2, r3, r4, r5, r8, fp, sp, lr, pc} ^
    {ISA_ARM, 4, 0x78f5c93b, BRANCH_LEAVES, true, ADDRESS_UNKNOWN}, // ldmvc r5!, {r0, r1, r3, r4, r5, r8, fp, lr, pc} ^
    {ISA_ARM, 4, 0x91a0f3bb, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // strhls pc, [r0, fp]!
    {ISA_ARM, 4, 0xfb6d45c0, BRANCH_CALL, false, 0x1b9170b}, // blx #0x1b9170a
    {ISA_ARM, 4, 0x4fe819cf, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svcmi #0xe819cf
    {ISA_ARM, 4, 0x8a1041c, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // stmeq r1!, {r2, r3, r4, sl}
    {ISA_ARM, 4, 0xca96f74b, BRANCH_JUMP, true, 0xfe5fdd34}, // bgt #0xfe5fdd34
    {ISA_ARM, 4, 0xa12fff33, BRANCH_CALL, true, ADDRESS_UNKNOWN}, // blxge r3
    {ISA_ARM, 4, 0xea1f822c, BRANCH_JUMP, false, 0x8208b8}, // b #0x8208b8
    {ISA_ARM, 4, 0x4b139c81, BRANCH_CALL, true, 0x52720c}, // blmi #0x52720c
    {ISA_ARM, 4, 0xb00dfdb2, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // strhlt pc, [sp], -r2
    {ISA_ARM, 4, 0xfb930a00, BRANCH_CALL, false, 0xfe50280b}, // blx #0xfe50280a
    {ISA_ARM, 4, 0xfb367bb0, BRANCH_CALL, false, 0xddeecb}, // blx #0xddeeca
    {ISA_ARM, 4, 0x4f1131d5, BRANCH_EXCEPTION, true, ADDRESS_UNKNOWN}, // svcmi #0x1131d5
    {ISA_ARM, 4, 0xe14d8b75, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #0xd8b5
    {ISA_ARM, 4, 0x92d15e45, BRANCH_NONE, true, ADDRESS_UNKNOWN}, // sbcsls r5, r1, #0x450
    {ISA_ARM, 4, 0xbad76a19, BRANCH_JUMP, true, 0xff61a86c}, // blt #0xff61a86c
    {ISA_THUMB, 2, 0xdb98, BRANCH_JUMP, true, 0x3ff35}, // blt #0x3ff34
    {ISA_THUMB, 2, 0xe07e, BRANCH_JUMP, false, 0x40101}, // b #0x40100
    {ISA_THUMB, 2, 0xb31c, BRANCH_JUMP, true, 0x4004b}, // cbz r4, #0x4004a
    {ISA_THUMB, 2, 0x47e0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx ip
    {ISA_THUMB, 2, 0xbc6e, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r1, r2, r3, r5, r6}
    {ISA_THUMB, 2, 0x4697, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, r2
    {ISA_THUMB, 2, 0x4497, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, r2
    {ISA_THUMB, 2, 0x7365, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // strb r5, [r4, #0xd]
    {ISA_THUMB, 2, 0xd7c3, BRANCH_JUMP, true, 0x3ff8b}, // bvc #0x3ff8a
    {ISA_THUMB, 2, 0xe5cd, BRANCH_JUMP, false, 0x3fb9f}, // b #0x3fb9e
    {ISA_THUMB, 2, 0xb367, BRANCH_JUMP, true, 0x4005d}, // cbz r7, #0x4005c
    {ISA_THUMB, 2, 0x4780, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r0
    {ISA_THUMB, 2, 0xbc4a, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r1, r3, r6}
    {ISA_THUMB, 2, 0x46c7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, r8
    {ISA_THUMB, 2, 0x44a7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, r4
    {ISA_THUMB, 2, 0x2242, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // movs r2, #0x42
    {ISA_THUMB, 2, 0xd234, BRANCH_JUMP, true, 0x4006d}, // bhs #0x4006c
    {ISA_THUMB, 2, 0xe4f3, BRANCH_JUMP, false, 0x3f9eb}, // b #0x3f9ea
    {ISA_THUMB, 2, 0xbbe8, BRANCH_JUMP, true, 0x4007f}, // cbnz r0, #0x4007e
    {ISA_THUMB, 2, 0x4760, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx ip
    {ISA_THUMB, 2, 0x46e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, ip
    {ISA_THUMB, 2, 0x44ff, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, pc
    {ISA_THUMB, 2, 0xdd48, BRANCH_JUMP, true, 0x40095}, // ble #0x40094
    {ISA_THUMB, 2, 0xe3d6, BRANCH_JUMP, false, 0x407b1}, // b #0x407b0
    {ISA_THUMB, 2, 0xbbcf, BRANCH_JUMP, true, 0x40077}, // cbnz r7, #0x40076
    {ISA_THUMB, 2, 0x4728, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx r5
    {ISA_THUMB, 2, 0xbcfd, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r0, r2, r3, r4, r5, r6, r7}
    {ISA_THUMB, 2, 0x46af, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, r5
    {ISA_THUMB, 2, 0xd154, BRANCH_JUMP, true, 0x400ad}, // bne #0x400ac
    {ISA_THUMB, 2, 0xdcc0, BRANCH_JUMP, true, 0x3ff85}, // bgt #0x3ff84
    {ISA_THUMB, 2, 0xe048, BRANCH_JUMP, false, 0x40095}, // b #0x40094
    {ISA_THUMB, 2, 0xb154, BRANCH_JUMP, true, 0x40019}, // cbz r4, #0x40018
    {ISA_THUMB, 2, 0x4790, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r2
    {ISA_THUMB, 2, 0xbd24, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r2, r5, pc}
    {ISA_THUMB, 2, 0x468f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, r1
    {ISA_THUMB, 2, 0x4487, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, r0
    {ISA_THUMB, 2, 0xa383, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // adr r3, #0x20c
    {ISA_THUMB, 2, 0xdac3, BRANCH_JUMP, true, 0x3ff8b}, // bge #0x3ff8a
    {ISA_THUMB, 2, 0xe060, BRANCH_JUMP, false, 0x400c5}, // b #0x400c4
    {ISA_THUMB, 2, 0xbb47, BRANCH_JUMP, true, 0x40055}, // cbnz r7, #0x40054
    {ISA_THUMB, 2, 0x4768, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx sp
    {ISA_THUMB, 2, 0xbde7, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r0, r1, r2, r5, r6, r7, pc}
    {ISA_THUMB, 2, 0x44d7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, sl
    {ISA_THUMB, 2, 0x97ae, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // str r7, [sp, #0x2b8]
    {ISA_THUMB, 2, 0xd94d, BRANCH_JUMP, true, 0x4009f}, // bls #0x4009e
    {ISA_THUMB, 2, 0xe3fc, BRANCH_JUMP, false, 0x407fd}, // b #0x407fc
    {ISA_THUMB, 2, 0xbb37, BRANCH_JUMP, true, 0x40051}, // cbnz r7, #0x40050
    {ISA_THUMB, 2, 0xbc8e, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r1, r2, r3, r7}
    {ISA_THUMB, 2, 0x46b7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, r6
    {ISA_THUMB, 2, 0x448f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, r1
    {ISA_THUMB, 2, 0x34fc, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // adds r4, #0xfc
    {ISA_THUMB, 2, 0xd1d9, BRANCH_JUMP, true, 0x3ffb7}, // bne #0x3ffb6
    {ISA_THUMB, 2, 0xe3aa, BRANCH_JUMP, false, 0x40759}, // b #0x40758
    {ISA_THUMB, 2, 0xb9e9, BRANCH_JUMP, true, 0x4003f}, // cbnz r1, #0x4003e
    {ISA_THUMB, 2, 0x4700, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx r0
    {ISA_THUMB, 2, 0xbd88, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r3, r7, pc}
    {ISA_THUMB, 2, 0x46a7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, r4
    {ISA_THUMB, 2, 0x44b7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, r6
    {ISA_THUMB, 2, 0x7846, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrb r6, [r0, #1]
    {ISA_THUMB, 2, 0xd2e1, BRANCH_JUMP, true, 0x3ffc7}, // bhs #0x3ffc6
    {ISA_THUMB, 2, 0xe763, BRANCH_JUMP, false, 0x3fecb}, // b #0x3feca
    {ISA_THUMB, 2, 0xb3f2, BRANCH_JUMP, true, 0x40081}, // cbz r2, #0x40080
    {ISA_THUMB, 2, 0x4770, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // bx lr
    {ISA_THUMB, 2, 0xbdba, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r1, r3, r4, r5, r7, pc}
    {ISA_THUMB, 2, 0x46bf, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, r7
    {ISA_THUMB, 2, 0x81ab, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // strh r3, [r5, #0xc]
    {ISA_THUMB, 2, 0xd58c, BRANCH_JUMP, true, 0x3ff1d}, // bpl #0x3ff1c
    {ISA_THUMB, 2, 0xe70d, BRANCH_JUMP, false, 0x3fe1f}, // b #0x3fe1e
    {ISA_THUMB, 2, 0xbb71, BRANCH_JUMP, true, 0x40061}, // cbnz r1, #0x40060
    {ISA_THUMB, 2, 0x4718, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx r3
    {ISA_THUMB, 2, 0xbc4c, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r2, r3, r6}
    {ISA_THUMB, 2, 0x469f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, r3
    {ISA_THUMB, 2, 0x44ef, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, sp, pc
    {ISA_THUMB, 2, 0xe0f6, BRANCH_JUMP, false, 0x401f1}, // b #0x401f0
    {ISA_THUMB, 2, 0xd75b, BRANCH_JUMP, true, 0x400bb}, // bvc #0x400ba
    {ISA_THUMB, 2, 0xe491, BRANCH_JUMP, false, 0x3f927}, // b #0x3f926
    {ISA_THUMB, 2, 0xb92a, BRANCH_JUMP, true, 0x4000f}, // cbnz r2, #0x4000e
    {ISA_THUMB, 2, 0x47f0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx lr
    {ISA_THUMB, 2, 0xbd61, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r0, r5, r6, pc}
    {ISA_THUMB, 2, 0x46f7, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // mov pc, lr
    {ISA_THUMB, 2, 0xd2ea, BRANCH_JUMP, true, 0x3ffd9}, // bhs #0x3ffd8
    {ISA_THUMB, 2, 0xe67e, BRANCH_JUMP, false, 0x3fd01}, // b #0x3fd00
    {ISA_THUMB, 2, 0xb1f9, BRANCH_JUMP, true, 0x40043}, // cbz r1, #0x40042
    {ISA_THUMB, 2, 0xbc88, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r3, r7}
    {ISA_THUMB, 2, 0x103d, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // asrs r5, r7, #0x20
    {ISA_THUMB, 2, 0xd88a, BRANCH_JUMP, true, 0x3ff19}, // bhi #0x3ff18
    {ISA_THUMB, 2, 0xb9ac, BRANCH_JUMP, true, 0x4002f}, // cbnz r4, #0x4002e
    {ISA_THUMB, 2, 0x4778, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx pc
    {ISA_THUMB, 2, 0xbd9d, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r0, r2, r3, r4, r7, pc}
    {ISA_THUMB, 2, 0x294a, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // cmp r1, #0x4a
    {ISA_THUMB, 2, 0xdce5, BRANCH_JUMP, true, 0x3ffcf}, // bgt #0x3ffce
    {ISA_THUMB, 2, 0xe557, BRANCH_JUMP, false, 0x3fab3}, // b #0x3fab2
    {ISA_THUMB, 2, 0xb3a8, BRANCH_JUMP, true, 0x4006f}, // cbz r0, #0x4006e
    {ISA_THUMB, 2, 0x4740, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx r8
    {ISA_THUMB, 2, 0xbc67, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r0, r1, r2, r5, r6}
    {ISA_THUMB, 2, 0x46cf, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, sb
    {ISA_THUMB, 2, 0xcd26, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldm r5, {r1, r2, r5}
    {ISA_THUMB, 2, 0xd28a, BRANCH_JUMP, true, 0x3ff19}, // bhs #0x3ff18
    {ISA_THUMB, 2, 0xe517, BRANCH_JUMP, false, 0x3fa33}, // b #0x3fa32
    {ISA_THUMB, 2, 0xb3aa, BRANCH_JUMP, true, 0x4006f}, // cbz r2, #0x4006e
    {ISA_THUMB, 2, 0x4738, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx r7
    {ISA_THUMB, 2, 0xbc46, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r1, r2, r6}
    {ISA_THUMB, 2, 0x46df, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, fp
    {ISA_THUMB, 2, 0x44af, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, r5
    {ISA_THUMB, 2, 0xb2eb, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // uxtb r3, r5
    {ISA_THUMB, 2, 0xd8fa, BRANCH_JUMP, true, 0x3fff9}, // bhi #0x3fff8
    {ISA_THUMB, 2, 0xe283, BRANCH_JUMP, false, 0x4050b}, // b #0x4050a
    {ISA_THUMB, 2, 0xb3b9, BRANCH_JUMP, true, 0x40073}, // cbz r1, #0x40072
    {ISA_THUMB, 2, 0x47c0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r8
    {ISA_THUMB, 2, 0xbcbb, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r0, r1, r3, r4, r5, r7}
    {ISA_THUMB, 2, 0x7498, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // strb r0, [r3, #0x12]
    {ISA_THUMB, 2, 0xd2f4, BRANCH_JUMP, true, 0x3ffed}, // bhs #0x3ffec
    {ISA_THUMB, 2, 0xe2e0, BRANCH_JUMP, false, 0x405c5}, // b #0x405c4
    {ISA_THUMB, 2, 0xb36b, BRANCH_JUMP, true, 0x4005f}, // cbz r3, #0x4005e
    {ISA_THUMB, 2, 0x47a8, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r5
    {ISA_THUMB, 2, 0xbd31, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r0, r4, r5, pc}
    {ISA_THUMB, 2, 0x6b75, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldr r5, [r6, #0x34]
    {ISA_THUMB, 2, 0xd95e, BRANCH_JUMP, true, 0x400c1}, // bls #0x400c0
    {ISA_THUMB, 2, 0xe0df, BRANCH_JUMP, false, 0x401c3}, // b #0x401c2
    {ISA_THUMB, 2, 0xbb97, BRANCH_JUMP, true, 0x40069}, // cbnz r7, #0x40068
    {ISA_THUMB, 2, 0x4788, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r1
    {ISA_THUMB, 2, 0xbca2, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r1, r5, r7}
    {ISA_THUMB, 2, 0x449f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, r3
    {ISA_THUMB, 2, 0x13e3, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // asrs r3, r4, #0xf
    {ISA_THUMB, 2, 0xdd19, BRANCH_JUMP, true, 0x40037}, // ble #0x40036
    {ISA_THUMB, 2, 0xe6e7, BRANCH_JUMP, false, 0x3fdd3}, // b #0x3fdd2
    {ISA_THUMB, 2, 0xb90e, BRANCH_JUMP, true, 0x40007}, // cbnz r6, #0x40006
    {ISA_THUMB, 2, 0xbc92, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r1, r4, r7}
    {ISA_THUMB, 2, 0x7241, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // strb r1, [r0, #9]
    {ISA_THUMB, 2, 0xdcb7, BRANCH_JUMP, true, 0x3ff73}, // bgt #0x3ff72
    {ISA_THUMB, 2, 0xe275, BRANCH_JUMP, false, 0x404ef}, // b #0x404ee
    {ISA_THUMB, 2, 0xb30b, BRANCH_JUMP, true, 0x40047}, // cbz r3, #0x40046
    {ISA_THUMB, 2, 0x47d0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx sl
    {ISA_THUMB, 2, 0xbdf0, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r4, r5, r6, r7, pc}
    {ISA_THUMB, 2, 0x5f62, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrsh r2, [r4, r5]
    {ISA_THUMB, 2, 0xd6b8, BRANCH_JUMP, true, 0x3ff75}, // bvs #0x3ff74
    {ISA_THUMB, 2, 0xe642, BRANCH_JUMP, false, 0x3fc89}, // b #0x3fc88
    {ISA_THUMB, 2, 0xbbd6, BRANCH_JUMP, true, 0x40079}, // cbnz r6, #0x40078
    {ISA_THUMB, 2, 0xbd53, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r0, r1, r4, r6, pc}
    {ISA_THUMB, 2, 0x4687, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, r0
    {ISA_THUMB, 2, 0x44f7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, lr
    {ISA_THUMB, 2, 0x4e9c, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldr r6, [pc, #0x270]
    {ISA_THUMB, 2, 0xd61f, BRANCH_JUMP, true, 0x40043}, // bvs #0x40042
    {ISA_THUMB, 2, 0xe342, BRANCH_JUMP, false, 0x40689}, // b #0x40688
    {ISA_THUMB, 2, 0xbbce, BRANCH_JUMP, true, 0x40077}, // cbnz r6, #0x40076
    {ISA_THUMB, 2, 0x47b0, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r6
    {ISA_THUMB, 2, 0xbd8f, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r0, r1, r2, r3, r7, pc}
    {ISA_THUMB, 2, 0x46ff, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // mov pc, pc
    {ISA_THUMB, 2, 0x44e7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, ip
    {ISA_THUMB, 2, 0x8fe3, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrh r3, [r4, #0x3e]
    {ISA_THUMB, 2, 0xd623, BRANCH_JUMP, true, 0x4004b}, // bvs #0x4004a
    {ISA_THUMB, 2, 0xe0af, BRANCH_JUMP, false, 0x40163}, // b #0x40162
    {ISA_THUMB, 2, 0xbdc5, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r0, r2, r6, r7, pc}
    {ISA_THUMB, 2, 0x44bf, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, r7
    {ISA_THUMB, 2, 0xd4be, BRANCH_JUMP, true, 0x3ff81}, // bmi #0x3ff80
    {ISA_THUMB, 2, 0xdbff, BRANCH_JUMP, true, 0x40003}, // blt #0x40002
    {ISA_THUMB, 2, 0xe6ce, BRANCH_JUMP, false, 0x3fda1}, // b #0x3fda0
    {ISA_THUMB, 2, 0xb9b1, BRANCH_JUMP, true, 0x40031}, // cbnz r1, #0x40030
    {ISA_THUMB, 2, 0x47b8, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r7
    {ISA_THUMB, 2, 0xbddc, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r2, r3, r4, r6, r7, pc}
    {ISA_THUMB, 2, 0x69bf, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldr r7, [r7, #0x18]
    {ISA_THUMB, 2, 0xd16a, BRANCH_JUMP, true, 0x400d9}, // bne #0x400d8
    {ISA_THUMB, 2, 0xe496, BRANCH_JUMP, false, 0x3f931}, // b #0x3f930
    {ISA_THUMB, 2, 0xb14b, BRANCH_JUMP, true, 0x40017}, // cbz r3, #0x40016
    {ISA_THUMB, 2, 0xbd3a, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r1, r3, r4, r5, pc}
    {ISA_THUMB, 2, 0xd4af, BRANCH_JUMP, true, 0x3ff63}, // bmi #0x3ff62
    {ISA_THUMB, 2, 0xe708, BRANCH_JUMP, false, 0x3fe15}, // b #0x3fe14
    {ISA_THUMB, 2, 0xbb52, BRANCH_JUMP, true, 0x40059}, // cbnz r2, #0x40058
    {ISA_THUMB, 2, 0x47f8, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx pc
    {ISA_THUMB, 2, 0xbdd1, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r0, r4, r6, r7, pc}
    {ISA_THUMB, 2, 0xa46b, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // adr r4, #0x1ac
    {ISA_THUMB, 2, 0xd4ac, BRANCH_JUMP, true, 0x3ff5d}, // bmi #0x3ff5c
    {ISA_THUMB, 2, 0xe103, BRANCH_JUMP, false, 0x4020b}, // b #0x4020a
    {ISA_THUMB, 2, 0xbbab, BRANCH_JUMP, true, 0x4006f}, // cbnz r3, #0x4006e
    {ISA_THUMB, 2, 0xbc5e, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r1, r2, r3, r4, r6}
    {ISA_THUMB, 2, 0xd6f5, BRANCH_JUMP, true, 0x3ffef}, // bvs #0x3ffee
    {ISA_THUMB, 2, 0xe4af, BRANCH_JUMP, false, 0x3f963}, // b #0x3f962
    {ISA_THUMB, 2, 0xb947, BRANCH_JUMP, true, 0x40015}, // cbnz r7, #0x40014
    {ISA_THUMB, 2, 0xbd12, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r1, r4, pc}
    {ISA_THUMB, 2, 0x44c7, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, r8
    {ISA_THUMB, 2, 0x8c61, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrh r1, [r4, #0x22]
    {ISA_THUMB, 2, 0xdaa3, BRANCH_JUMP, true, 0x3ff4b}, // bge #0x3ff4a
    {ISA_THUMB, 2, 0xe0d5, BRANCH_JUMP, false, 0x401af}, // b #0x401ae
    {ISA_THUMB, 2, 0xb12d, BRANCH_JUMP, true, 0x4000f}, // cbz r5, #0x4000e
    {ISA_THUMB, 2, 0xbd40, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r6, pc}
    {ISA_THUMB, 2, 0x50c4, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // str r4, [r0, r3]
    {ISA_THUMB, 2, 0xda5a, BRANCH_JUMP, true, 0x400b9}, // bge #0x400b8
    {ISA_THUMB, 2, 0xe6d1, BRANCH_JUMP, false, 0x3fda7}, // b #0x3fda6
    {ISA_THUMB, 2, 0xb3f1, BRANCH_JUMP, true, 0x40081}, // cbz r1, #0x40080
    {ISA_THUMB, 2, 0x4720, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx r4
    {ISA_THUMB, 2, 0xbc73, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r0, r1, r4, r5, r6}
    {ISA_THUMB, 2, 0xa373, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // adr r3, #0x1cc
    {ISA_THUMB, 2, 0xd6f4, BRANCH_JUMP, true, 0x3ffed}, // bvs #0x3ffec
    {ISA_THUMB, 2, 0xe23a, BRANCH_JUMP, false, 0x40479}, // b #0x40478
    {ISA_THUMB, 2, 0xb9b8, BRANCH_JUMP, true, 0x40033}, // cbnz r0, #0x40032
    {ISA_THUMB, 2, 0x8586, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // strh r6, [r0, #0x2c]
    {ISA_THUMB, 2, 0xd446, BRANCH_JUMP, true, 0x40091}, // bmi #0x40090
    {ISA_THUMB, 2, 0xe38d, BRANCH_JUMP, false, 0x4071f}, // b #0x4071e
    {ISA_THUMB, 2, 0xbbf5, BRANCH_JUMP, true, 0x40081}, // cbnz r5, #0x40080
    {ISA_THUMB, 2, 0x4748, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx sb
    {ISA_THUMB, 2, 0xbd07, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r0, r1, r2, pc}
    {ISA_THUMB, 2, 0x44cf, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // add pc, sb
    {ISA_THUMB, 2, 0xd9b7, BRANCH_JUMP, true, 0x3ff73}, // bls #0x3ff72
    {ISA_THUMB, 2, 0xe596, BRANCH_JUMP, false, 0x3fb31}, // b #0x3fb30
    {ISA_THUMB, 2, 0xb935, BRANCH_JUMP, true, 0x40011}, // cbnz r5, #0x40010
    {ISA_THUMB, 2, 0xbd18, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r3, r4, pc}
    {ISA_THUMB, 2, 0x8b3e, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrh r6, [r7, #0x18]
    {ISA_THUMB, 2, 0xd3be, BRANCH_JUMP, true, 0x3ff81}, // blo #0x3ff80
    {ISA_THUMB, 2, 0xe17c, BRANCH_JUMP, false, 0x402fd}, // b #0x402fc
    {ISA_THUMB, 2, 0xb924, BRANCH_JUMP, true, 0x4000d}, // cbnz r4, #0x4000c
    {ISA_THUMB, 2, 0x47c8, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx sb
    {ISA_THUMB, 2, 0xbca3, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r0, r1, r5, r7}
    {ISA_THUMB, 2, 0xbf2, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // lsrs r2, r6, #0xf
    {ISA_THUMB, 2, 0xd015, BRANCH_JUMP, true, 0x4002f}, // beq #0x4002e
    {ISA_THUMB, 2, 0xe6f1, BRANCH_JUMP, false, 0x3fde7}, // b #0x3fde6
    {ISA_THUMB, 2, 0xb306, BRANCH_JUMP, true, 0x40045}, // cbz r6, #0x40044
    {ISA_THUMB, 2, 0xbcf1, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // pop {r0, r4, r5, r6, r7}
    {ISA_THUMB, 2, 0xbd01, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop {r0, pc}
    {ISA_THUMB, 2, 0xd8cf, BRANCH_JUMP, true, 0x3ffa3}, // bhi #0x3ffa2
    {ISA_THUMB, 2, 0xe799, BRANCH_JUMP, false, 0x3ff37}, // b #0x3ff36
    {ISA_THUMB, 4, 0xf3b6e7e0, BRANCH_CALL, false, 0x7f6fc4}, // blx #0x7f6fc4
    {ISA_THUMB, 4, 0xe896d96e, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r6, {r1, r2, r3, r5, r6, r8, fp, ip, lr, pc}
    {ISA_THUMB, 4, 0xe914d545, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r4, {r0, r2, r6, r8, sl, ip, lr, pc}
    {ISA_THUMB, 4, 0xe8ddf00c, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [sp, ip]
    {ISA_THUMB, 4, 0xe83bc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb fp!
    {ISA_THUMB, 4, 0xe9b0c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r0!
    {ISA_THUMB, 4, 0xf3de8faa, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xaa
    {ISA_THUMB, 4, 0xf3888430, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // msr lr_abt, r8
    {ISA_THUMB, 4, 0xe8b69ec0, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r6!, {r6, r7, sb, sl, fp, ip, pc}
    {ISA_THUMB, 4, 0xe91e9111, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb lr, {r0, r4, r8, ip, pc}
    {ISA_THUMB, 4, 0xf8d3f643, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r3, #0x643]
    {ISA_THUMB, 4, 0xe8daf019, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [sl, sb, lsl #1]
    {ISA_THUMB, 4, 0xe812c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb r2
    {ISA_THUMB, 4, 0xe991c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r1
    {ISA_THUMB, 4, 0xf3de8fb1, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xb1
    {ISA_THUMB, 4, 0xf48af152, BRANCH_CALL, false, 0xff8ca2a9}, // bl #0xff8ca2a8
    {ISA_THUMB, 4, 0xe891dda4, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r1, {r2, r5, r7, r8, sl, fp, ip, lr, pc}
    {ISA_THUMB, 4, 0xe932962c, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r2!, {r2, r3, r5, sb, sl, ip, pc}
    {ISA_THUMB, 4, 0xe8d2f00a, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [r2, sl]
    {ISA_THUMB, 4, 0xe810c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb r0
    {ISA_THUMB, 4, 0xf3de8fa3, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xa3
    {ISA_THUMB, 4, 0xe8959093, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r5, {r0, r1, r4, r7, ip, pc}
    {ISA_THUMB, 4, 0xe93b8637, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb fp!, {r0, r1, r2, r4, r5, sb, sl, pc}
    {ISA_THUMB, 4, 0xe8d3f001, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [r3, r1]
    {ISA_THUMB, 4, 0xe83ac000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb sl!
    {ISA_THUMB, 4, 0xe9bac000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia sl!
    {ISA_THUMB, 4, 0xf3de8f34, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x34
    {ISA_THUMB, 4, 0xf2e39837, BRANCH_JUMP, false, 0xb23073}, // b.w #0xb23072
    {ISA_THUMB, 4, 0xe8ba9aa5, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w sl!, {r0, r2, r5, r7, sb, fp, ip, pc}
    {ISA_THUMB, 4, 0xe918d6d5, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r8, {r0, r2, r4, r6, r7, sb, sl, ip, lr, pc}
    {ISA_THUMB, 4, 0xf858fd72, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr pc, [r8, #-0x72]!
    {ISA_THUMB, 4, 0xe8d5f00f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [r5, pc]
    {ISA_THUMB, 4, 0xe81bc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb fp
    {ISA_THUMB, 4, 0xe9bbc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia fp!
    {ISA_THUMB, 4, 0xf3de8f00, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // eret 
    {ISA_THUMB, 4, 0xe890841f, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r0, {r0, r1, r2, r3, r4, sl, pc}
    {ISA_THUMB, 4, 0xe9319e18, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r1!, {r3, r4, sb, sl, fp, ip, pc}
    {ISA_THUMB, 4, 0xf8d3f0de, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r3, #0xde]
    {ISA_THUMB, 4, 0xe8daf007, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [sl, r7]
    {ISA_THUMB, 4, 0xe837c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb r7!
    {ISA_THUMB, 4, 0xf3de8f5d, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x5d
    {ISA_THUMB, 4, 0xf751ed6c, BRANCH_CALL, false, 0xfff91adc}, // blx #0xfff91adc
    {ISA_THUMB, 4, 0xe8becedc, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w lr!, {r2, r3, r4, r6, r7, sb, sl, fp, lr, pc}
    {ISA_THUMB, 4, 0xe914d6dd, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r4, {r0, r2, r3, r4, r6, r7, sb, sl, ip, lr, pc}
    {ISA_THUMB, 4, 0xf8dcf0e3, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [ip, #0xe3]
    {ISA_THUMB, 4, 0xe8d1f01c, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [r1, ip, lsl #1]
    {ISA_THUMB, 4, 0xe83dc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb sp!
    {ISA_THUMB, 4, 0xe994c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r4
    {ISA_THUMB, 4, 0xf3de8f71, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x71
    {ISA_THUMB, 4, 0xe9e7bbbe, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // strd fp, fp, [r7, #0x2f8]!
    {ISA_THUMB, 4, 0xf031d582, BRANCH_CALL, false, 0xc71b09}, // bl #0xc71b08
    {ISA_THUMB, 4, 0xe8b2d1e2, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r2!, {r1, r5, r6, r7, r8, ip, lr, pc}
    {ISA_THUMB, 4, 0xe9379015, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r7!, {r0, r2, r4, ip, pc}
    {ISA_THUMB, 4, 0xf8d4f22c, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r4, #0x22c]
    {ISA_THUMB, 4, 0xe8dff012, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [pc, r2, lsl #1]
    {ISA_THUMB, 4, 0xe834c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb r4!
    {ISA_THUMB, 4, 0xe99bc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia fp
    {ISA_THUMB, 4, 0xf3de8fa0, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xa0
    {ISA_THUMB, 4, 0xf1999452, BRANCH_JUMP, false, 0xdd98a9}, // b.w #0xdd98a8
    {ISA_THUMB, 4, 0xe89bd44d, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w fp, {r0, r2, r3, r6, sl, ip, lr, pc}
    {ISA_THUMB, 4, 0xe919d4b7, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb sb, {r0, r1, r2, r4, r5, r7, sl, ip, lr, pc}
    {ISA_THUMB, 4, 0xe8d2f009, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [r2, sb]
    {ISA_THUMB, 4, 0xe839c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb sb!
    {ISA_THUMB, 4, 0xe998c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r8
    {ISA_THUMB, 4, 0xf3de8fac, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xac
    {ISA_THUMB, 4, 0xf9e087b2, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // vld4.16 {d24[2], d26[2], d28[2], d30[2]}, [r0:0x40], r2
    {ISA_THUMB, 4, 0xe911c800, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r1, {fp, lr, pc}
    {ISA_THUMB, 4, 0xe8dcf007, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [ip, r7]
    {ISA_THUMB, 4, 0xe813c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb r3
    {ISA_THUMB, 4, 0xe992c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r2
    {ISA_THUMB, 4, 0xf3de8f12, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x12
    {ISA_THUMB, 4, 0xf4abd6dd, BRANCH_CALL, false, 0xff0ebdbf}, // bl #0xff0ebdbe
    {ISA_THUMB, 4, 0xe8b2cfad, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r2!, {r0, r2, r3, r5, r7, r8, sb, sl, fp, lr, pc}
    {ISA_THUMB, 4, 0xe91789b7, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r7, {r0, r1, r2, r4, r5, r7, r8, fp, pc}
    {ISA_THUMB, 4, 0xf8d6f708, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r6, #0x708]
    {ISA_THUMB, 4, 0xe8d2f019, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [r2, sb, lsl #1]
    {ISA_THUMB, 4, 0xe81fc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb pc
    {ISA_THUMB, 4, 0xf3de8fd6, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xd6
    {ISA_THUMB, 4, 0xf8c4ccea, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // str.w ip, [r4, #0xcea]
    {ISA_THUMB, 4, 0xf196f252, BRANCH_CALL, false, 0x5d64a9}, // bl #0x5d64a8
    {ISA_THUMB, 4, 0xe898c11b, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r8, {r0, r1, r3, r4, r8, lr, pc}
    {ISA_THUMB, 4, 0xe918d0b3, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r8, {r0, r1, r4, r5, r7, ip, lr, pc}
    {ISA_THUMB, 4, 0xf8d1f2a4, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r1, #0x2a4]
    {ISA_THUMB, 4, 0xe8d1f000, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [r1, r0]
    {ISA_THUMB, 4, 0xf3de8f68, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x68
    {ISA_THUMB, 4, 0xf19fdf13, BRANCH_CALL, false, 0x9dfe2b}, // bl #0x9dfe2a
    {ISA_THUMB, 4, 0xe8bacdf9, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w sl!, {r0, r3, r4, r5, r6, r7, r8, sl, fp, lr, pc}
    {ISA_THUMB, 4, 0xe93b8ddc, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb fp!, {r2, r3, r4, r6, r7, r8, sl, fp, pc}
    {ISA_THUMB, 4, 0xf8d4fecc, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r4, #0xecc]
    {ISA_THUMB, 4, 0xe8dcf00e, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [ip, lr]
    {ISA_THUMB, 4, 0xe81ec000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb lr
    {ISA_THUMB, 4, 0xe9bcc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia ip!
    {ISA_THUMB, 4, 0xf3de8f38, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x38
    {ISA_THUMB, 4, 0xea7e3794, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // orns r7, lr, r4, lsr #14
    {ISA_THUMB, 4, 0xe8bd9259, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop.w {r0, r3, r4, r6, sb, ip, pc}
    {ISA_THUMB, 4, 0xe9309a62, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r0!, {r1, r5, r6, sb, fp, ip, pc}
    {ISA_THUMB, 4, 0xf8ddf01e, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldr.w pc, [sp, #0x1e]
    {ISA_THUMB, 4, 0xe8d7f014, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [r7, r4, lsl #1]
    {ISA_THUMB, 4, 0xe818c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb r8
    {ISA_THUMB, 4, 0xe9b2c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r2!
    {ISA_THUMB, 4, 0xf3de8f2b, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x2b
    {ISA_THUMB, 4, 0xf2638bf4, BRANCH_JUMP, true, 0xe37ed}, // bls.w #0xe37ec
    {ISA_THUMB, 4, 0xe895dabb, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r5, {r0, r1, r3, r4, r5, r7, sb, fp, ip, lr, pc}
    {ISA_THUMB, 4, 0xe91ddbbf, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb sp, {r0, r1, r2, r3, r4, r5, r7, r8, sb, fp, ip, lr, pc}
    {ISA_THUMB, 4, 0xf8ddf780, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldr.w pc, [sp, #0x780]
    {ISA_THUMB, 4, 0xe8dff013, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [pc, r3, lsl #1]
    {ISA_THUMB, 4, 0xf3de8fc6, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xc6
    {ISA_THUMB, 4, 0xeb758b56, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // sbcs.w fp, r5, r6, lsr #1
    {ISA_THUMB, 4, 0xf1d1902c, BRANCH_JUMP, false, 0xe1105d}, // b.w #0xe1105c
    {ISA_THUMB, 4, 0xe89b8e08, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w fp, {r3, sb, sl, fp, pc}
    {ISA_THUMB, 4, 0xe91ed05e, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb lr, {r1, r2, r3, r4, r6, ip, lr, pc}
    {ISA_THUMB, 4, 0xe8d1f005, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [r1, r5]
    {ISA_THUMB, 4, 0xe9bdc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia sp!
    {ISA_THUMB, 4, 0xf3de8f90, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x90
    {ISA_THUMB, 4, 0xeb74e22d, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // sbcs.w r2, r4, sp, asr #24
    {ISA_THUMB, 4, 0xf6929cd2, BRANCH_JUMP, false, 0xff6d29a9}, // b.w #0xff6d29a8
    {ISA_THUMB, 4, 0xe8948744, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r4, {r2, r6, r8, sb, sl, pc}
    {ISA_THUMB, 4, 0xe8ddf01e, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [sp, lr, lsl #1]
    {ISA_THUMB, 4, 0xe99cc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia ip
    {ISA_THUMB, 4, 0xf3de8fa2, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xa2
    {ISA_THUMB, 4, 0xf75fbd0e, BRANCH_JUMP, false, 0xfff9fa21}, // b.w #0xfff9fa20
    {ISA_THUMB, 4, 0xe8bdcaae, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // pop.w {r1, r2, r3, r5, r7, sb, fp, lr, pc}
    {ISA_THUMB, 4, 0xe919c917, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb sb, {r0, r1, r2, r4, r8, fp, lr, pc}
    {ISA_THUMB, 4, 0xf8d2f824, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r2, #0x824]
    {ISA_THUMB, 4, 0xe8d9f00c, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [sb, ip]
    {ISA_THUMB, 4, 0xe81dc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb sp
    {ISA_THUMB, 4, 0xe9b7c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r7!
    {ISA_THUMB, 4, 0xf3f1b4b8, BRANCH_JUMP, false, 0x831975}, // b.w #0x831974
    {ISA_THUMB, 4, 0xe89793eb, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r7, {r0, r1, r3, r5, r6, r7, r8, sb, ip, pc}
    {ISA_THUMB, 4, 0xe93698ac, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r6!, {r2, r3, r5, r7, fp, ip, pc}
    {ISA_THUMB, 4, 0xf8d8f3de, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r8, #0x3de]
    {ISA_THUMB, 4, 0xe8dff016, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [pc, r6, lsl #1]
    {ISA_THUMB, 4, 0xf3de8fe9, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xe9
    {ISA_THUMB, 4, 0xf106ceae, BRANCH_CALL, false, 0x946d60}, // blx #0x946d60
    {ISA_THUMB, 4, 0xe8bb96e4, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w fp!, {r2, r5, r6, r7, sb, sl, ip, pc}
    {ISA_THUMB, 4, 0xe931c410, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r1!, {r4, sl, lr, pc}
    {ISA_THUMB, 4, 0xf8dcfd4f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [ip, #0xd4f]
    {ISA_THUMB, 4, 0xe8d4f007, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [r4, r7]
    {ISA_THUMB, 4, 0xe83fc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb pc!
    {ISA_THUMB, 4, 0xf3de8ff0, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xf0
    {ISA_THUMB, 4, 0xf231f45c, BRANCH_CALL, false, 0x6718bd}, // bl #0x6718bc
    {ISA_THUMB, 4, 0xe8b0935a, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r0!, {r1, r3, r4, r6, r8, sb, ip, pc}
    {ISA_THUMB, 4, 0xe930ca7e, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r0!, {r1, r2, r3, r4, r5, r6, sb, fp, lr, pc}
    {ISA_THUMB, 4, 0xf8d6f7a1, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r6, #0x7a1]
    {ISA_THUMB, 4, 0xe8def010, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [lr, r0, lsl #1]
    {ISA_THUMB, 4, 0xe993c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r3
    {ISA_THUMB, 4, 0xf3de8fea, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xea
    {ISA_THUMB, 4, 0xe8be9c39, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w lr!, {r0, r3, r4, r5, sl, fp, ip, pc}
    {ISA_THUMB, 4, 0xe9138d87, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r3, {r0, r1, r2, r7, r8, sl, fp, pc}
    {ISA_THUMB, 4, 0xf8dbf114, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [fp, #0x114]
    {ISA_THUMB, 4, 0xe8d6f014, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [r6, r4, lsl #1]
    {ISA_THUMB, 4, 0xe83ec000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb lr!
    {ISA_THUMB, 4, 0xe9b9c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia sb!
    {ISA_THUMB, 4, 0xf3de8f6a, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x6a
    {ISA_THUMB, 4, 0xf7f2cc94, BRANCH_CALL, false, 0xff83292c}, // blx #0xff83292c
    {ISA_THUMB, 4, 0xe8ba8cfb, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w sl!, {r0, r1, r3, r4, r5, r6, r7, sl, fp, pc}
    {ISA_THUMB, 4, 0xe9349b80, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r4!, {r7, r8, sb, fp, ip, pc}
    {ISA_THUMB, 4, 0xf8dffcbf, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [pc, #0xcbf]
    {ISA_THUMB, 4, 0xe8d3f013, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [r3, r3, lsl #1]
    {ISA_THUMB, 4, 0xe9b6c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r6!
    {ISA_THUMB, 4, 0xf3de8f19, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x19
    {ISA_THUMB, 4, 0xf1d69819, BRANCH_JUMP, false, 0xa16037}, // b.w #0xa16036
    {ISA_THUMB, 4, 0xe897d79f, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r7, {r0, r1, r2, r3, r4, r7, r8, sb, sl, ip, lr, pc}
    {ISA_THUMB, 4, 0xe9338bf0, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r3!, {r4, r5, r6, r7, r8, sb, fp, pc}
    {ISA_THUMB, 4, 0xe8d4f010, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [r4, r0, lsl #1]
    {ISA_THUMB, 4, 0xe819c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb sb
    {ISA_THUMB, 4, 0xf3de8f26, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x26
    {ISA_THUMB, 4, 0xf317da18, BRANCH_CALL, false, 0xb57435}, // bl #0xb57434
    {ISA_THUMB, 4, 0xe8b4c9ae, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r4!, {r1, r2, r3, r5, r7, r8, fp, lr, pc}
    {ISA_THUMB, 4, 0xe935deaf, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r5!, {r0, r1, r2, r3, r5, r7, sb, sl, fp, ip, lr, pc}
    {ISA_THUMB, 4, 0xf8d7fccf, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r7, #0xccf]
    {ISA_THUMB, 4, 0xe8d2f015, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [r2, r5, lsl #1]
    {ISA_THUMB, 4, 0xe999c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia sb
    {ISA_THUMB, 4, 0xf3de8f52, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x52
    {ISA_THUMB, 4, 0xf3189771, BRANCH_JUMP, false, 0xf58ee7}, // b.w #0xf58ee6
    {ISA_THUMB, 4, 0xe890de98, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r0, {r3, r4, r7, sb, sl, fp, ip, lr, pc}
    {ISA_THUMB, 4, 0xe91e9b74, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb lr, {r2, r4, r5, r6, r8, sb, fp, ip, pc}
    {ISA_THUMB, 4, 0xe8daf002, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [sl, r2]
    {ISA_THUMB, 4, 0xf3de8fb5, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xb5
    {ISA_THUMB, 4, 0xe898c5ee, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r8, {r1, r2, r3, r5, r6, r7, r8, sl, lr, pc}
    {ISA_THUMB, 4, 0xe93e894b, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb lr!, {r0, r1, r3, r6, r8, fp, pc}
    {ISA_THUMB, 4, 0xf850fc1e, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr pc, [r0, #-0x1e]
    {ISA_THUMB, 4, 0xe8d8f00e, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [r8, lr]
    {ISA_THUMB, 4, 0xe83cc000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb ip!
    {ISA_THUMB, 4, 0xf3de8fe6, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xe6
    {ISA_THUMB, 4, 0xf8dcab9d, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldr.w sl, [ip, #0xb9d]
    {ISA_THUMB, 4, 0xf54af018, BRANCH_CALL, false, 0xff98a035}, // bl #0xff98a034
    {ISA_THUMB, 4, 0xe8b8dc46, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r8!, {r1, r2, r6, sl, fp, ip, lr, pc}
    {ISA_THUMB, 4, 0xe9369993, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r6!, {r0, r1, r4, r7, r8, fp, ip, pc}
    {ISA_THUMB, 4, 0xf85ff107, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [pc, #-0x107]
    {ISA_THUMB, 4, 0xe8d1f014, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [r1, r4, lsl #1]
    {ISA_THUMB, 4, 0xf3de8f80, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x80
    {ISA_THUMB, 4, 0xf88c207b, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // strb.w r2, [ip, #0x7b]
    {ISA_THUMB, 4, 0xf247b0b9, BRANCH_JUMP, false, 0x687177}, // b.w #0x687176
    {ISA_THUMB, 4, 0xe8ba9e41, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w sl!, {r0, r6, sb, sl, fp, ip, pc}
    {ISA_THUMB, 4, 0xe91e8c70, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb lr, {r4, r5, r6, sl, fp, pc}
    {ISA_THUMB, 4, 0xf8d7f191, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r7, #0x191]
    {ISA_THUMB, 4, 0xe8d9f01e, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbh [sb, lr, lsl #1]
    {ISA_THUMB, 4, 0xe811c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb r1
    {ISA_THUMB, 4, 0xf3de8f46, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0x46
    {ISA_THUMB, 4, 0xf2ebc2e4, BRANCH_CALL, false, 0xf2b5cc}, // blx #0xf2b5cc
    {ISA_THUMB, 4, 0xe8b7cb8f, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r7!, {r0, r1, r2, r3, r7, r8, sb, fp, lr, pc}
    {ISA_THUMB, 4, 0xe933c9da, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r3!, {r1, r3, r4, r6, r7, r8, fp, lr, pc}
    {ISA_THUMB, 4, 0xf8ddfd5b, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldr.w pc, [sp, #0xd5b]
    {ISA_THUMB, 4, 0xe8ddf003, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [sp, r3]
    {ISA_THUMB, 4, 0xe9b8c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r8!
    {ISA_THUMB, 4, 0xf73b9dae, BRANCH_JUMP, false, 0xff77bb61}, // b.w #0xff77bb60
    {ISA_THUMB, 4, 0xe89b9650, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w fp, {r4, r6, sb, sl, ip, pc}
    {ISA_THUMB, 4, 0xe9379229, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb r7!, {r0, r3, r5, sb, ip, pc}
    {ISA_THUMB, 4, 0xf858fb66, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr pc, [r8], #0x66
    {ISA_THUMB, 4, 0xe8d9f001, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [sb, r1]
    {ISA_THUMB, 4, 0xf3de8fda, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // subs pc, lr, #0xda
    {ISA_THUMB, 4, 0xe9261fc0, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // stmdb r6!, {r6, r7, r8, sb, sl, fp, ip}
    {ISA_THUMB, 4, 0xf54cf458, BRANCH_CALL, false, 0xff98c8b5}, // bl #0xff98c8b4
    {ISA_THUMB, 4, 0xe897854b, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldm.w r7, {r0, r1, r3, r6, r8, sl, pc}
    {ISA_THUMB, 4, 0xe939c229, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // ldmdb sb!, {r0, r3, r5, sb, lr, pc}
    {ISA_THUMB, 4, 0xf8d7f8ee, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r7, #0x8ee]
    {ISA_THUMB, 4, 0xe8dcf006, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // tbb [ip, r6]
};
