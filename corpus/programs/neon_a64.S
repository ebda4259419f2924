// AArch64 vector loads and stores that C seldom makes: structures of two to four registers, pairs
// of 16-byte registers, accesses across rows of 16 bytes, single lanes.
    .text
    .global neon_shuffle
    .type neon_shuffle, %function
// x0: 64 bytes in, x1: 128 bytes out
neon_shuffle:
    ld4     {v0.16b-v3.16b}, [x0]
    st4     {v0.8h-v3.8h}, [x1], #64
    ld2     {v4.4s, v5.4s}, [x0]
    ldp     q6, q7, [x0, #32]
    stp     q4, q6, [x1]
    str     q5, [x1, #40]           // across two rows
    ldr     q16, [x0, #8]
    ld1r    {v17.4s}, [x0]
    ld1     {v17.s}[1], [x0]
    add     v18.2d, v16.2d, v17.2d
    ext     v19.16b, v18.16b, v16.16b, #3
    tbl     v20.16b, {v18.16b, v19.16b}, v0.16b
    umov    w2, v20.b[5]
    ins     v20.d[1], x2
    st1     {v20.s}[2], [x1]
    stur    d20, [x1, #12]          // across two rows, 8 bytes
    addv    b21, v20.16b
    fmov    w0, s21
    ret
    .size neon_shuffle, . - neon_shuffle
