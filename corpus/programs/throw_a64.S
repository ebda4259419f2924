// Reset code of a program that is linked as a hosted one, whose _start is not used, and the semihosting call.
    .section .text.start, "ax"
    .global host_start
    .type host_start, %function
host_start:
    ldr     x1, =stack_top
    mov     sp, x1
    mov     x1, #(3 << 20)          // no trapping of floating point
    msr     cpacr_el1, x1
    isb
    mov     x29, xzr
    mov     x30, xzr
    bl      host_main
1:  b       1b
    .size host_start, . - host_start

    .text
    .global semihost
    .type semihost, %function
semihost:
    hlt     #0xf000
    ret
    .size semihost, . - semihost
