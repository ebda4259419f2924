# RISC-V reset code. A program ends by the word that Spike waits for; what it writes is not shown.
    .section .text.init, "ax"
    .global _start
    .type _start, %function
_start:
    la      sp, stack_top
    call    main
    call    program_exit
1:  j       1b
    .size _start, . - _start

    .text
    .global semihost
    .type semihost, %function
semihost:
    li      t0, 0x18                # SYS_EXIT
    bne     a0, t0, 1f
    la      t1, tohost
    li      t0, 1
    sw      t0, 0(t1)
    sw      zero, 4(t1)
2:  j       2b
1:  ret
    .size semihost, . - semihost

    .section .tohost, "aw"
    .balign 64
    .global tohost
tohost:
    .dword  0
    .global fromhost
    .balign 64
fromhost:
    .dword  0
