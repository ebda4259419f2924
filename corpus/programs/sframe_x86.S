 .text
 .globl _start
 .type _start,@function
_start:
 .cfi_startproc
 .cfi_undefined rip
 nop
 call g
 .cfi_endproc
 .size _start,.-_start
g: .type g,@function
 .cfi_startproc
 lea 8(%rsp),%r10
 .cfi_def_cfa 10,0
 nop
 push %rbp
 .cfi_escape 0x10,0x6,0x2,0x76,0
 .cfi_escape 0xf,0x3,0x76,0x78,0x6
 nop
 nop
 .cfi_def_cfa 7,8
 .cfi_restore 6
 ret
 .cfi_endproc
 .size g,.-g
h: .type h,@function
 .cfi_startproc
 mov %rbp,%r15
 .cfi_register 6,15
 nop
 .cfi_restore 6
 .cfi_register 16,12
 nop
 ret
 .cfi_endproc
 .size h,.-h
k: .type k,@function
 .cfi_startproc
 .cfi_signal_frame
 nop
 .cfi_def_cfa 7,160
 .cfi_offset 16,-40
 .cfi_offset 6,-304
 nop
 .cfi_endproc
 .size k,.-k
l: .type l,@function
 .cfi_startproc
 .cfi_signal_frame
 .cfi_escape 0xf,0x4,0x77,0xa0,0x1,0x6
 nop
 .cfi_endproc
 .size l,.-l
