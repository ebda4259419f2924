 .text
 .globl _start
 .type _start,%function
_start:
 .cfi_startproc
 .cfi_undefined x30
 nop
 bl f
 .cfi_endproc
 .size _start,.-_start
 .type f,%function
f:
 .cfi_startproc
 .cfi_b_key_frame
 pacibsp
 .cfi_negate_ra_state
 stp x29,x30,[sp,-32]!
 .cfi_def_cfa_offset 32
 .cfi_offset 29,-32
 .cfi_offset 30,-24
 mov x29,sp
 .cfi_def_cfa 29,32
 ldp x29,x30,[sp],32
 .cfi_restore 29
 .cfi_restore 30
 .cfi_def_cfa 31,0
 autibsp
 .cfi_negate_ra_state
 ret
 .cfi_endproc
 .size f,.-f
 .type sig,%function
sig:
 .cfi_startproc
 .cfi_signal_frame
 nop
 .cfi_def_cfa 31,16
 .cfi_offset 30,-8
 nop
 .cfi_endproc
 .size sig,.-sig
