    .syntax unified
    .arch armv7-a
    .text

    .arm
    .global arm_gcd
    .type arm_gcd, %function
arm_gcd:
    cmp     r0, r1
    subgt   r0, r0, r1
    sublt   r1, r1, r0
    bne     arm_gcd
    bx      lr
    .size arm_gcd, . - arm_gcd

// Sorts three words with conditional loads and stores; calls and returns on condition.
    .global arm_sort3
    .type arm_sort3, %function
arm_sort3:
    push    {r4, lr}
    mov     r4, r0
    ldmia   r4, {r0-r2}
    cmp     r0, r1
    eorhi   r0, r0, r1
    eorhi   r1, r0, r1
    eorhi   r0, r0, r1
    stmhi   r4, {r0, r1}
    cmp     r1, r2
    blhi    arm_swap_upper
    ldmia   r4, {r0-r2}
    cmp     r0, r1
    movls   r0, #1
    popls   {r4, pc}
    strhi   r1, [r4]
    strhi   r0, [r4, #4]
    mov     r0, #2
    pop     {r4, pc}
    .size arm_sort3, . - arm_sort3

    .type arm_swap_upper, %function
arm_swap_upper:
    str     r2, [r4, #4]
    str     r1, [r4, #8]
    bx      lr
    .size arm_swap_upper, . - arm_swap_upper

    .global arm_count
    .type arm_count, %function
arm_count:
    mov     r3, #0
1:  subs    r1, r1, #1
    bmi     2f
    ldrb    r12, [r0], #1
    cmp     r12, r2
    addeq   r3, r3, #1
    cmpne   r12, #'1'
    orreq   r3, r3, #0
    b       1b
2:  mov     r0, r3
    bx      lr
    .size arm_count, . - arm_count

    .thumb
    .global thumb_clamp
    .type thumb_clamp, %function
    .thumb_func
thumb_clamp:
    cmp     r0, r1
    itt     lt
    movlt   r0, r1
    bxlt    lr
    cmp     r0, r2
    ite     gt
    movgt   r0, r2
    addle   r0, #1
    bx      lr
    .size thumb_clamp, . - thumb_clamp

// 0: other, 1: digit, 2: capital, 3: small letter
    .global thumb_classify
    .type thumb_classify, %function
    .thumb_func
thumb_classify:
    push    {r4, lr}
    mov     r4, r0
    sub     r1, r4, #'0'
    cmp     r1, #9
    itete   ls
    movls   r0, #1
    movhi   r0, #0
    strls   r1, [sp, #-4]
    subhi   r1, r4, #'A'
    it      ls
    popls   {r4, pc}
    cmp     r1, #25
    it      ls
    movls   r0, #2
    sub     r1, r4, #'a'
    cmp     r1, #25
    itt     ls
    movls   r0, #3
    addls   r1, r1, #1
    pop     {r4, pc}
    .size thumb_classify, . - thumb_classify
