    .text
    .global patched
    .type patched, %function
patched:
    stp     x29, x30, [sp, #-16]!
    mov     x29, sp
.Lbranch:
    bl      doubled
    add     w0, w0, #1
    ldp     x29, x30, [sp], #16
    ret
    .size patched, . - patched

// Room for one of the templates below, which are as long.
    .global copied
    .type copied, %function
copied:
    .rept   8
    ret
    .endr
    .size copied, . - copied

    .global template_add
    .type template_add, %object
template_add:
    add     w0, w0, w0, lsl #2
    add     w0, w0, #3
    ret
    .rept   5
    nop
    .endr

    .global template_call
    .type template_call, %object
template_call:
    stp     x29, x30, [sp, #-16]!
    ldr     x1, 1f
    blr     x1
    ldp     x29, x30, [sp], #16
    ret
    nop
1:  .quad   tripled

    .section .rodata
    .balign 8
    .global patched_branch
patched_branch:
    .quad   .Lbranch
