.section .text.init
.globl _start
.type _start, @function
_start:
    li t0, 0x6600
    csrs mstatus, t0
    la sp, stack_top
    la tp, stack_top
    call begin_frames
    call main
    la t0, tohost
    li t1, 1
    sw t1, 0(t0)
1:  j 1b
.size _start, . - _start
.section .tohost, "aw"
.balign 64
.globl tohost, fromhost
tohost: .dword 0
fromhost: .dword 0
