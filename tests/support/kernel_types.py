"""Images with the types of kernels, as far as names of tasks need them.

Made from the source below with clang 14 (-ffreestanding -O1 -gdwarf-4, for aarch64-none-elf and thumbv7m-none-eabi) and ld.lld --nmagic, with
.text at 0xffff800000010000 and 0x20000, and .bss at 0x20000100.

    #ifdef __aarch64__
    struct task_struct {
        long state;
        void *stack;
        int on_cpu, prio;
        char comm[16];
    };
    struct task_struct init_task = {.comm = "swapper"};
    #else
    typedef struct tskTaskControlBlock {
        volatile unsigned *pxTopOfStack;
        unsigned uxPriority;
        unsigned *pxStack;
        char pcTaskName[12];
    } TCB_t;
    TCB_t *volatile pxCurrentTCB;
    #endif
    void _start(void)
    {
    }
"""

import base64
import zlib

LINUX = zlib.decompress(base64.b64decode("""
eNqtVktrE1EUPnceeU07fSRiQqGNWGk3DkmtbW3py7bSQEGtXVhRhkkybccmkzCZ1gqigt3pQnDhRnDn2p1LBf+DP0AQuqxrF/HcmTvJdJI0CB6Y8/ju/eaee+aey7xY27jFEQKecPAF
3Aj1y3p9ieF7YmMKLMEM8Kh7IObMpUMnjVGX51mBoUFLeSF8TlkcYfM9O87w8ca4K3d/2cUQ/Lt849Uf543XnmjVqm41dzFArshxkZf7Lw7JA2QQ1+QmgZdz8cXUrDQncUkAPk54WZJo
iBvrdUZpMIOhOIrhgiShG+rD94UJycVxG5cgF59GMErHJWkB3ZgCdIGl5PubKV6mLxhLLaaQ87VRrwgZQd3TyG7OV2k6g7uAapFCsSjvlZBfofUjgjCP9pgOiiAU0b6mfigiyGjfUD/c
L9xu+AnhOdp31I8kQYzSDxwJiVvUCuGPNJtPqPpBvO9kFn1MTTjmz4dUHlGdgH3dMvWSUoBSxdyFiqkWqgdgmIat2lptH1b1vKGZ6UJJM3fTh7pVMypmOjupZJQpUKBma7YOdKJas62D
gg1Vy6gg3YbCnmYBoppl02mFfVDV5c3N5W31Xu7Bmrq1fWdNVaFQKZfh3EU2DBNTnE1vbKymJ7JKVsmwCifwqdfpbrCcz4Z7Rnw4BKpPZd75VmmKE/JH7qWGuLNIswqORDmPzCeISGJx
TgBfB7YX4rz/dz2IxxqjXt+50se6ORLA3fz5lvenznRnU4YdLcJIAL/s6NZOdPs13IJfPdPFTZnAZ9CXv5fBDXwGfPl79wAotn5kg1LUbA21nj/YVbV83tIPvcgwdyqej8cGFHoKdNP2
sB1LK+teUDJM9GtPy7aWR7uHBNdzbfPLjR7h0RgtKlmqJqi6RtUkVdepmqJq2juTzSP+n4T47kz/+TsJ3KvQIQ4zPh+4b08D9ywE7ltPehk/KEkGHrfJ1y9DHfgfGPi9C3+MYZkArnKu
fdWBT3znrB3/J+NnuvDnOu2fb88P1m+9A3+d8Ze77H/L6eZWecv4aUaQ2J3grZ9k9mHbrgf4zA6K2WX9nQ78YfZfsNKF/xfxNdOv
"""))
FREERTOS = zlib.decompress(base64.b64decode("""
eNqNVEtv1EgQrvYjnoxnnMcEkgFpd9gNjwsmgfAKLDAJWRRpAiEEIbgYe+IEKzP2yO6JBgkJhEAgLitxAAn2DLf9DSvtSvsH9pA/gLQ3xIULaKHK7kkmloUoubu+erW7qrr7/lztV8YY
dEmCQ0ASQzSF/E8lVqpTUAEVbQYUYvu/wpuGJJCKQ4ljATYhBpV4CH1fyq6gjcYg4kFho3H1HV+BDOoTHONb34pvXQL4/D+7Tf/5KDgbYvuNkiobg6N7jSE2jGtJUyAb86Xz5Wn9jC6N
AcjHYb6ESwzETN2NTDbIiL8uMdnQ9UTQinEgCadQzI2jeE7XEfYzRqH5fRh6EmWdTLp+DmHBBPrthbGXM+Vk1YPl82Xc2V9i15TPEM6FrXwPixrH9V3A6SQlMqzKVFT5LEVUqew1nC7F
OfY9RzbGCto08sekKoL2BPlvhA1F60f+gvBATjuC/DXhwQIozxDI5JVbxUlTFML9b3HK/xFvKneLjEyPiGmF7r7YDYvmEVh3Q99tmHVoda5xu74OF13Hs/1KvWH7a5UNN4y8wK9MTpkT
5gkwoVVftqP1y3bTxYDloHVlNYlanp2xOKpm22Ho+hxFqN+xQ7Aibocc2n7krfnuSsXzOVhWdWmpetO6Nn9rzlq+uThnWdDuLIZeEHr8LvBonf4xG/g8DBozjQCX/+auap6PWUxXarWL
laOT5qQ5AdULmJ3t2o4H7ATC2aPmxGlQ60HI3c7h5jHoy2sLOeiXDOquMsJ2wag8xspsj/QD+wkOMDqXX5AU7DG7ZxSKOzqc1PB0fALomuBN/GQUiSV3EL+tusakShQkjzCV5UuSBD03
d5t6dQp8+JLfuquJdUDcb9IMI9ot7iqdwiHSmpgcB9OJIjCrSwum2/FWOmCuuE57zbIdJ3Q3upLnrwZdHPEQzHrQbGLjkkCb89Bz2tyNuj6rIbVcCA3PRxzdbXLbQX4HF0hQwrdzH+fY
C3EEdpyN7yZRT/GGSPH7Je2oU0IaHW+6C6Immz22Xr+CeIceindoU7xBLOU3murHfzheZfRqf8rvIQr/ZPhNCjwh5HlM4k1GnmdTfu+lbdzrN5fk2urqf0ShmvHf66n93Ua/8Yy6OCm/
R+j3S8Z6fqr+f6PfIvKiqL0i6rnR7YWgETQ8zVjvQcrvd/T7OcPvK5U9zzw=
"""))
COMM_OFFSET, TASK_NAME_OFFSET = 24, 12
