 .text
 .globl _start
 .type _start,@function
_start:
 .cfi_startproc
 .cfi_undefined 14
 nop
 .cfi_endproc
 .size _start,.-_start
 .type f,@function
f:
 .cfi_startproc
 nop
 .cfi_register 14,17
 nop
 .cfi_register 11,16
 nop
 .cfi_def_cfa_offset 4256
 nop
 .cfi_def_cfa 11,4256
 nop
 .cfi_endproc
 .size f,.-f
 .type f1,@function
f1:
 .cfi_startproc
 nop
 .cfi_offset 11,-72
 nop
 .cfi_offset 14,-48
 .cfi_def_cfa_offset 320
 nop
 .cfi_def_cfa 1,320
 nop
 .cfi_endproc
 .size f1,.-f1
