.section .text.init
.globl _start
_start:
    li t0, 0x6000
    csrs mstatus, t0
    la sp, stack_top
    call main
1:  j 1b
