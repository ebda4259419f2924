// Instructions that Capstone 5.0 does not know, or takes for others, as llvm-mc 22.1 disassembles
// them: random encodings.
// clang-format off
static const struct control_row control_rows_newer[] = {
    {ISA_AARCH64, 4, 0x7513270e, BRANCH_JUMP, true, 0x3fce0}, // cbgt w14, #38, #-800
    {ISA_AARCH64, 4, 0x744a2cbc, BRANCH_JUMP, true, 0x3fd94}, // cbhi w28, w10, #-620
    {ISA_AARCH64, 4, 0xd71f0be0, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braa xzr, x0
    {ISA_AARCH64, 4, 0x7403e430, BRANCH_JUMP, true, 0x3fc84}, // cbhgt w16, w3, #-892
    {ISA_AARCH64, 4, 0xf40902c7, BRANCH_JUMP, true, 0x40058}, // cbgt x7, x9, #88
    {ISA_AARCH64, 4, 0x752caf82, BRANCH_JUMP, true, 0x3fdf0}, // cblt w2, #25, #-528
    {ISA_AARCH64, 4, 0x75dc9f50, BRANCH_JUMP, true, 0x403e8}, // cbeq w16, #57, #1000
    {ISA_AARCH64, 4, 0x74e50cad, BRANCH_JUMP, true, 0x40194}, // cbne w13, w5, #404
    {ISA_AARCH64, 4, 0x7450914a, BRANCH_JUMP, true, 0x40228}, // cbbhi w10, w16, #552
    {ISA_AARCH64, 4, 0x74f20724, BRANCH_JUMP, true, 0x400e4}, // cbne w4, w18, #228
    {ISA_AARCH64, 4, 0xf4de2c08, BRANCH_JUMP, true, 0x3fd80}, // cbeq x8, x30, #-640
    {ISA_AARCH64, 4, 0x74572976, BRANCH_JUMP, true, 0x3fd2c}, // cbhi w22, w23, #-724
    {ISA_AARCH64, 4, 0xf4e72789, BRANCH_JUMP, true, 0x3fcf0}, // cbne x9, x7, #-784
    {ISA_AARCH64, 4, 0x754a09cd, BRANCH_JUMP, true, 0x40138}, // cbhi w13, #20, #312
    {ISA_AARCH64, 4, 0xd71f0bfc, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braa xzr, x28
    {ISA_AARCH64, 4, 0xf52e2339, BRANCH_JUMP, true, 0x3fc64}, // cblt x25, #28, #-924
    {ISA_AARCH64, 4, 0xf532bf2d, BRANCH_JUMP, true, 0x3ffe4}, // cblt x13, #37, #-28
    {ISA_AARCH64, 4, 0x7471fde4, BRANCH_JUMP, true, 0x3ffbc}, // cbhhs w4, w17, #-68
    {ISA_AARCH64, 4, 0x74e193c2, BRANCH_JUMP, true, 0x40278}, // cbbne w2, w1, #632
    {ISA_AARCH64, 4, 0x742a8063, BRANCH_JUMP, true, 0x4000c}, // cbbge w3, w10, #12
    {ISA_AARCH64, 4, 0xf4290531, BRANCH_JUMP, true, 0x400a4}, // cbge x17, x9, #164
    {ISA_AARCH64, 4, 0xd69f0fff, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // eretab
    {ISA_AARCH64, 4, 0xf5c60aa3, BRANCH_JUMP, true, 0x40154}, // cbeq x3, #12, #340
    {ISA_AARCH64, 4, 0xf42325a9, BRANCH_JUMP, true, 0x3fcb4}, // cbge x9, x3, #-844
    {ISA_AARCH64, 4, 0x746a0deb, BRANCH_JUMP, true, 0x401bc}, // cbhs w11, w10, #444
    {ISA_AARCH64, 4, 0x74fa9412, BRANCH_JUMP, true, 0x40280}, // cbbne w18, w26, #640
    {ISA_AARCH64, 4, 0x7473b6c9, BRANCH_JUMP, true, 0x3fed8}, // cbbhs w9, w19, #-296
    {ISA_AARCH64, 4, 0x756b987a, BRANCH_JUMP, true, 0x4030c}, // cblo w26, #23, #780
    {ISA_AARCH64, 4, 0x743ab9e2, BRANCH_JUMP, true, 0x3ff3c}, // cbbge w2, w26, #-196
    {ISA_AARCH64, 4, 0xf5058667, BRANCH_JUMP, true, 0x400cc}, // cbgt x7, #11, #204
    {ISA_AARCH64, 4, 0x7577bb54, BRANCH_JUMP, true, 0x3ff68}, // cblo w20, #47, #-152
    {ISA_AARCH64, 4, 0xd65f0bff, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // retaa
    {ISA_AARCH64, 4, 0x54be31b0, BRANCH_JUMP, true, 0xfffffffffffbc634}, // bc.eq #-539084
    {ISA_AARCH64, 4, 0xd71f0bff, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // braa xzr, sp
    {ISA_AARCH64, 4, 0x7406f458, BRANCH_JUMP, true, 0x3fe88}, // cbhgt w24, w6, #-376
    {ISA_AARCH64, 4, 0x7437e034, BRANCH_JUMP, true, 0x3fc04}, // cbhge w20, w23, #-1020
    {ISA_AARCH64, 4, 0x740397a0, BRANCH_JUMP, true, 0x402f4}, // cbbgt w0, w3, #756
    {ISA_AARCH64, 4, 0x7429a094, BRANCH_JUMP, true, 0x3fc10}, // cbbge w20, w9, #-1008
    {ISA_AARCH64, 4, 0x746d3d18, BRANCH_JUMP, true, 0x3ffa0}, // cbhs w24, w13, #-96
    {ISA_AARCH64, 4, 0x553ff3df, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // retabsppc #-261752
    {ISA_AARCH64, 4, 0x746fba96, BRANCH_JUMP, true, 0x3ff50}, // cbbhs w22, w15, #-176
    {ISA_AARCH64, 4, 0x75662a32, BRANCH_JUMP, true, 0x3fd44}, // cblo w18, #12, #-700
    {ISA_AARCH64, 4, 0x74efd764, BRANCH_JUMP, true, 0x402ec}, // cbhne w4, w15, #748
    {ISA_AARCH64, 4, 0x7457abc6, BRANCH_JUMP, true, 0x3fd78}, // cbbhi w6, w23, #-648
    {ISA_AARCH64, 4, 0x741ac78f, BRANCH_JUMP, true, 0x400f0}, // cbhgt w15, w26, #240
    {ISA_AARCH64, 4, 0x5401bd9b, BRANCH_JUMP, true, 0x437b0}, // bc.lt #14256
    {ISA_AARCH64, 4, 0x540b0f70, BRANCH_JUMP, true, 0x561ec}, // bc.eq #90604
    {ISA_AARCH64, 4, 0x74eabc3a, BRANCH_JUMP, true, 0x3ff84}, // cbbne w26, w10, #-124
    {ISA_AARCH64, 4, 0x746de4eb, BRANCH_JUMP, true, 0x3fc9c}, // cbhhs w11, w13, #-868
    {ISA_AARCH64, 4, 0x7428f618, BRANCH_JUMP, true, 0x3fec0}, // cbhge w24, w8, #-320
    {ISA_AARCH64, 4, 0xf47b3e87, BRANCH_JUMP, true, 0x3ffd0}, // cbhs x7, x27, #-48
    {ISA_AARCH64, 4, 0xd69f0bff, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // eretaa
    {ISA_AARCH64, 4, 0x742332d8, BRANCH_JUMP, true, 0x3fe58}, // cbge w24, w3, #-424
    {ISA_AARCH64, 4, 0x743dc994, BRANCH_JUMP, true, 0x40130}, // cbhge w20, w29, #304
    {ISA_AARCH64, 4, 0x74429bc9, BRANCH_JUMP, true, 0x40378}, // cbbhi w9, w2, #888
    {ISA_AARCH64, 4, 0x54ce4a50, BRANCH_JUMP, true, 0xfffffffffffdc948}, // bc.eq #-407224
    {ISA_AARCH64, 4, 0xd61f0ebf, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brabz x21
    {ISA_AARCH64, 4, 0x548bd49b, BRANCH_JUMP, true, 0xfffffffffff57a90}, // bc.lt #-951664
    {ISA_AARCH64, 4, 0x54d49c9b, BRANCH_JUMP, true, 0xfffffffffffe9390}, // bc.lt #-355440
    {ISA_AARCH64, 4, 0x7409a07a, BRANCH_JUMP, true, 0x3fc0c}, // cbbgt w26, w9, #-1012
    {ISA_AARCH64, 4, 0x7451db8c, BRANCH_JUMP, true, 0x40370}, // cbhhi w12, w17, #880
    {ISA_AARCH64, 4, 0xd61f0fdf, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // brabz x30
    {ISA_AARCH64, 4, 0x747e9011, BRANCH_JUMP, true, 0x40200}, // cbbhs w17, w30, #512
    {ISA_AARCH64, 4, 0x745bf021, BRANCH_JUMP, true, 0x3fe04}, // cbhhi w1, w27, #-508
    {ISA_AARCH64, 4, 0x7475d2ee, BRANCH_JUMP, true, 0x4025c}, // cbhhs w14, w21, #604
    {ISA_AARCH64, 4, 0xd61f0c9f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // brabz x4
    {ISA_AARCH64, 4, 0x74d488cc, BRANCH_JUMP, true, 0x40118}, // cbbeq w12, w20, #280
    {ISA_AARCH64, 4, 0x74c9c964, BRANCH_JUMP, true, 0x4012c}, // cbheq w4, w9, #300
    {ISA_AARCH64, 4, 0x74d7b7e3, BRANCH_JUMP, true, 0x3fefc}, // cbbeq w3, w23, #-260
    {ISA_AARCH64, 4, 0x745edf75, BRANCH_JUMP, true, 0x403ec}, // cbhhi w21, w30, #1004
    {ISA_AARCH64, 4, 0x74ca93db, BRANCH_JUMP, true, 0x40278}, // cbbeq w27, w10, #632
    {ISA_AARCH64, 4, 0x5500607f, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // retaasppc #-3084
    {ISA_AARCH64, 4, 0x740aa4e2, BRANCH_JUMP, true, 0x3fc9c}, // cbbgt w2, w10, #-868
    {ISA_AARCH64, 4, 0x74ddf816, BRANCH_JUMP, true, 0x3ff00}, // cbheq w22, w29, #-256
    {ISA_AARCH64, 4, 0x74f4ec2d, BRANCH_JUMP, true, 0x3fd84}, // cbhne w13, w20, #-636
    {ISA_AARCH64, 4, 0x74c5cb4e, BRANCH_JUMP, true, 0x40168}, // cbheq w14, w5, #360
    {ISA_AARCH64, 4, 0x74eddce9, BRANCH_JUMP, true, 0x4039c}, // cbhne w9, w13, #924
    {ISA_AARCH64, 4, 0x553ab47f, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // retabsppc #-218764
    {ISA_AARCH64, 4, 0x5535fd3f, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // retabsppc #-180132
    {ISA_AARCH64, 4, 0x55123f7f, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // retaasppc #-149484
    {ISA_AARCH64, 4, 0x55007d3f, BRANCH_RETURN, false, ADDRESS_UNKNOWN}, // retaasppc #-4004
    {ISA_THUMB, 4, 0xf1e7cef5, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfl #6, #-98838
    {ISA_THUMB, 4, 0xf00fe001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // lctp
    {ISA_THUMB, 4, 0xf673c721, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfl #24, #-49600
    {ISA_THUMB, 4, 0xf1a5ca7b, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfl #6, #152822
    {ISA_THUMB, 4, 0xf03ae001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dlstp.64 lr, r10
    {ISA_THUMB, 4, 0xf742edcb, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bf #28, #11158
    {ISA_THUMB, 4, 0xf10cc759, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfl #4, #52912
    {ISA_THUMB, 4, 0xf04ec001, BRANCH_JUMP, true, 0x40005}, // wls lr, lr, #0
    {ISA_THUMB, 4, 0xf0cbc97d, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfl #2, #-216326
    {ISA_THUMB, 4, 0xf607e79d, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfcsel #24, #-200, #28, ne
    {ISA_THUMB, 4, 0xf04dc001, BRANCH_JUMP, true, 0x40005}, // wls lr, sp, #0
    {ISA_THUMB, 4, 0xf040c001, BRANCH_JUMP, true, 0x40005}, // wls lr, r0, #0
    {ISA_THUMB, 4, 0xf00bc001, BRANCH_JUMP, true, 0x40005}, // wlstp.8 lr, r11, #0
    {ISA_THUMB, 4, 0xf037e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dlstp.64 lr, r7
    {ISA_THUMB, 4, 0xf021c001, BRANCH_JUMP, true, 0x40005}, // wlstp.32 lr, r1, #0
    {ISA_THUMB, 4, 0xf0a6ec17, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfcsel #2, #2094, #6, ls
    {ISA_THUMB, 4, 0xe97fe97f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // sg
    {ISA_THUMB, 4, 0xf048ce2b, BRANCH_JUMP, true, 0x40c5b}, // wls lr, r8, #3158
    {ISA_THUMB, 4, 0xf041cd2d, BRANCH_JUMP, true, 0x40a5f}, // wls lr, r1, #2650
    {ISA_THUMB, 4, 0xf019c001, BRANCH_JUMP, true, 0x40005}, // wlstp.16 lr, r9, #0
    {ISA_THUMB, 4, 0xf013ce21, BRANCH_JUMP, true, 0x40c47}, // wlstp.16 lr, r3, #3138
    {ISA_THUMB, 4, 0xf002c001, BRANCH_JUMP, true, 0x40005}, // wlstp.8 lr, r2, #0
    {ISA_THUMB, 4, 0xf2a6e85d, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfcsel #10, #186, #14, ls
    {ISA_THUMB, 4, 0xf3a2e161, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfcsel #14, #704, #18, hi
    {ISA_THUMB, 4, 0xf008e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dlstp.8 lr, r8
    {ISA_THUMB, 4, 0xf033c755, BRANCH_JUMP, true, 0x40ead}, // wlstp.64 lr, r3, #3752
    {ISA_THUMB, 4, 0xf005c2c7, BRANCH_JUMP, true, 0x40591}, // wlstp.8 lr, r5, #1420
    {ISA_THUMB, 4, 0xf024c01f, BRANCH_JUMP, true, 0x40041}, // wlstp.32 lr, r4, #60
    {ISA_THUMB, 4, 0xf001e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dlstp.8 lr, r1
    {ISA_THUMB, 4, 0xf75de769, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bf #28, #-8496
    {ISA_THUMB, 4, 0xf01fc74f, BRANCH_JUMP, true, 0x3f169}, // letp lr, #-3740
    {ISA_THUMB, 4, 0xf01ccafb, BRANCH_JUMP, true, 0x405fb}, // wlstp.16 lr, r12, #1526
    {ISA_THUMB, 4, 0xfb500f19, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxaut r0, r0, r9
    {ISA_THUMB, 4, 0xf036ce2d, BRANCH_JUMP, true, 0x40c5f}, // wlstp.64 lr, r6, #3162
    {ISA_THUMB, 4, 0xf182e327, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfcsel #6, #1612, #10, eq
    {ISA_THUMB, 4, 0xf03ee001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dlstp.64 lr, lr
    {ISA_THUMB, 4, 0xf039c315, BRANCH_JUMP, true, 0x4062d}, // wlstp.64 lr, r9, #1576
    {ISA_THUMB, 4, 0xf01acc09, BRANCH_JUMP, true, 0x40817}, // wlstp.16 lr, r10, #2066
    {ISA_THUMB, 4, 0xfb500f10, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxaut r0, r0, r0
    {ISA_THUMB, 4, 0xf02eccc1, BRANCH_JUMP, true, 0x40987}, // wlstp.32 lr, lr, #2434
    {ISA_THUMB, 4, 0xf02bc553, BRANCH_JUMP, true, 0x40aa9}, // wlstp.32 lr, r11, #2724
    {ISA_THUMB, 4, 0xf047e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dls lr, r7
    {ISA_THUMB, 4, 0xf01fc08f, BRANCH_JUMP, true, 0x3fee9}, // letp lr, #-284
    {ISA_THUMB, 4, 0xf02ec001, BRANCH_JUMP, true, 0x40005}, // wlstp.32 lr, lr, #0
    {ISA_THUMB, 4, 0xf03bc001, BRANCH_JUMP, true, 0x40005}, // wlstp.64 lr, r11, #0
    {ISA_THUMB, 4, 0xf04ce001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dls lr, r12
    {ISA_THUMB, 4, 0xf3cfeadf, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bf #14, #62910
    {ISA_THUMB, 4, 0xfb500f12, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxaut r0, r0, r2
    {ISA_THUMB, 4, 0xf04ae001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dls lr, r10
    {ISA_THUMB, 4, 0xf000e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dlstp.8 lr, r0
    {ISA_THUMB, 4, 0xf0d9e9ab, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bf #2, #-27818
    {ISA_THUMB, 4, 0xf014c001, BRANCH_JUMP, true, 0x40005}, // wlstp.16 lr, r4, #0
    {ISA_THUMB, 4, 0xf7cfed85, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bf #30, #64266
    {ISA_THUMB, 4, 0xf00dc001, BRANCH_JUMP, true, 0x40005}, // wlstp.8 lr, sp, #0
    {ISA_THUMB, 4, 0xf049e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dls lr, r9
    {ISA_THUMB, 4, 0xf044e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dls lr, r4
    {ISA_THUMB, 4, 0xf02fc001, BRANCH_JUMP, true, 0x40005}, // le #0
    {ISA_THUMB, 4, 0xf006e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dlstp.8 lr, r6
    {ISA_THUMB, 4, 0xf037ca35, BRANCH_JUMP, true, 0x4046f}, // wlstp.64 lr, r7, #1130
    {ISA_THUMB, 4, 0xf002c843, BRANCH_JUMP, true, 0x4008b}, // wlstp.8 lr, r2, #134
    {ISA_THUMB, 4, 0xf004e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dlstp.8 lr, r4
    {ISA_THUMB, 4, 0xfb500f13, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxaut r0, r0, r3
    {ISA_THUMB, 4, 0xf00fc001, BRANCH_JUMP, true, 0x40005}, // le lr, #0
    {ISA_THUMB, 4, 0xe89f094b, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // clrm {r0, r1, r3, r6, r8, r11}
    {ISA_THUMB, 4, 0xfb500f15, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxaut r0, r0, r5
    {ISA_THUMB, 4, 0xf032e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dlstp.64 lr, r2
    {ISA_THUMB, 4, 0xf02fc771, BRANCH_JUMP, true, 0x3f125}, // le #-3808
    {ISA_THUMB, 4, 0xf00fc407, BRANCH_JUMP, true, 0x3f7f9}, // le lr, #-2060
    {ISA_THUMB, 4, 0xf01fce3b, BRANCH_JUMP, true, 0x3f38f}, // letp lr, #-3190
    {ISA_THUMB, 4, 0xf03de001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // dlstp.64 lr, sp
    {ISA_THUMB, 4, 0xf02fcb35, BRANCH_JUMP, true, 0x3f99b}, // le #-1642
    {ISA_THUMB, 4, 0xf01fc267, BRANCH_JUMP, true, 0x3fb39}, // letp lr, #-1228
    {ISA_THUMB, 4, 0xf01fc001, BRANCH_JUMP, true, 0x40005}, // letp lr, #0
    {ISA_THUMB, 4, 0xe89f07f3, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // clrm {r0, r1, r4, r5, r6, r7, r8, r9, r10}
    {ISA_THUMB, 4, 0xe89f0c46, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // clrm {r1, r2, r6, r10, r11}
    {ISA_THUMB, 4, 0xe89f0c8f, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // clrm {r0, r1, r2, r3, r7, r10, r11}
    {ISA_THUMB, 4, 0xe89f003e, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // clrm {r1, r2, r3, r4, r5}
    {ISA_THUMB, 4, 0xf766e001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bfx #28, r6
    {ISA_THUMB, 4, 0xf1ffe001, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // bflx #6, pc
    {ISA_THUMB, 2, 0x4700, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx r0
    {ISA_THUMB, 2, 0x4704, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxns r0
    {ISA_THUMB, 2, 0x4708, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx r1
    {ISA_THUMB, 2, 0x470c, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxns r1
    {ISA_THUMB, 2, 0x4710, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bx r2
    {ISA_THUMB, 2, 0x4714, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxns r2
    {ISA_THUMB, 2, 0x4780, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r0
    {ISA_THUMB, 2, 0x4784, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blxns r0
    {ISA_THUMB, 2, 0x4788, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r1
    {ISA_THUMB, 2, 0x478c, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blxns r1
    {ISA_THUMB, 2, 0x4790, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blx r2
    {ISA_THUMB, 2, 0x4794, BRANCH_CALL, false, ADDRESS_UNKNOWN}, // blxns r2
    {ISA_THUMB, 4, 0xf7f08000, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #0
    {ISA_THUMB, 4, 0xe810c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfedb r0
    {ISA_THUMB, 4, 0xe990c000, BRANCH_LEAVES, false, ADDRESS_UNKNOWN}, // rfeia r0
    {ISA_THUMB, 4, 0xf7eb8f35, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc.w #48949
    {ISA_THUMB, 4, 0xf85ffab5, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [pc, #-2741]
    {ISA_THUMB, 4, 0xf850f002, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r0, r2]
    {ISA_THUMB, 4, 0xf7e08000, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc.w #0
    {ISA_THUMB, 4, 0xf850f000, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // ldr.w pc, [r0, r0]
    {ISA_THUMB, 4, 0xf7e08007, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc.w #7
    {ISA_THUMB, 4, 0xf3c08f00, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxj r0
    {ISA_THUMB, 4, 0xf3c58f00, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxj r5
    {ISA_ARM, 4, 0xe6bf46c6, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrt r4, [pc], r6, asr #13
    {ISA_ARM, 4, 0xe570dc19, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrb sp, [r0, #-3097]!
    {ISA_ARM, 4, 0xe453bf49, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrb r11, [r3], #-3913
    {ISA_ARM, 4, 0xe430b91e, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrt r11, [r0], #-2334
    {ISA_ARM, 4, 0xe4540f42, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrb r0, [r4], #-3906
    {ISA_ARM, 4, 0xe43cfead, BRANCH_NONE, false, ADDRESS_UNKNOWN}, // ldrt pc, [r12], #-3757
    {ISA_ARM, 4, 0xe143d47d, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #15693
    {ISA_ARM, 4, 0xe14ae074, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #44548
    {ISA_ARM, 4, 0xe1449472, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // hvc #18754
    {ISA_ARM, 4, 0xe12fff2f, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxj pc
    {ISA_ARM, 4, 0xe12fff2a, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxj r10
    {ISA_ARM, 4, 0xe12fff2d, BRANCH_INDIRECT, false, ADDRESS_UNKNOWN}, // bxj sp
    {ISA_ARM, 4, 0xe160007e, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #14
    {ISA_ARM, 4, 0xe1600078, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #8
    {ISA_ARM, 4, 0xe160007d, BRANCH_EXCEPTION, false, ADDRESS_UNKNOWN}, // smc #13
};
