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

# FreeRTOS with its lists, queues and event groups, made in the same way (thumbv7m-none-eabi):
#
#     typedef unsigned TickType_t;
#     struct xLIST;
#     typedef struct xLIST_ITEM { TickType_t xItemValue; struct xLIST_ITEM *pxNext, *pxPrevious; void *pvOwner; struct xLIST *pxContainer; } ListItem_t;
#     typedef struct xLIST { unsigned uxNumberOfItems; ListItem_t *pxIndex; ListItem_t xListEnd; } List_t;
#     typedef struct tskTaskControlBlock {
#         volatile unsigned *pxTopOfStack;
#         ListItem_t xStateListItem, xEventListItem;
#         unsigned uxPriority;
#         unsigned *pxStack;
#         char pcTaskName[12];
#         unsigned uxMutexesHeld;
#         unsigned char ucNotifyState[1];
#     } TCB_t;
#     typedef struct QueueDefinition {
#         signed char *pcHead, *pcWriteTo;
#         union { struct { TCB_t *xMutexHolder; unsigned uxRecursiveCallCount; } xSemaphore; } u;
#         List_t xTasksWaitingToSend, xTasksWaitingToReceive;
#         volatile unsigned uxMessagesWaiting, uxLength, uxItemSize;
#     } Queue_t;
#     typedef struct EventGroupDef_t { unsigned uxEventBits; List_t xTasksWaitingForBits; } EventGroup_t;
#     TCB_t *volatile pxCurrentTCB;
#     List_t pxReadyTasksLists[4], xDelayedTaskList1, xDelayedTaskList2, xSuspendedTaskList, xPendingReadyList, xTasksWaitingTermination;
#     Queue_t *xMutex; EventGroup_t *xGroup;
#     void _start(void) {}
FREERTOS_OBJECTS = zlib.decompress(base64.b64decode("""
eNqNVktslFUUPvd/zJ3OTKdTOtBWDBm0gAuctlgBsQH6gjaZltKOEDA4/jNz2/525v8n/2OY+oivxOjGoIkxLkwwLtjAkg0hMTHBEHUhiYls3BhQt7Ay8YHn/I/pMK3Em5n/PO53zz3n3HMfb07ljj
HGIGwSPAUkMeRGkFZinlIdgQyo2JeEhNf/Y4CmvxRwKv4VbyzAbfCYjPfHFkVlpK0/KkGG/inkU0Ef/U/edcqwSYsEFMfXHjW+dhzgj7/ZyzTP/YCybrYr2aPKyVTv9mQ324K2pBGQkzM9R/oPxZ+P
S30A8rMw04MmujyibkMiJ6kTp+5hcjIe9wXe6Q0k4SCK0QEUD8fjyHZ04VQxxmh8fCeOP4DKBPXH44eR7exloZFkT5PtygJ5dLTv0/F+f8I9/Uf60dJO2Q8Iv+wifhNwPkjBAoP11L+LwgGKcasqU7
7lURoxRiuSw88b2M06I7cQO81UPojiVUJHgH+Eum+I5wq/zkK+j9dR/xXx0b38PaQvkYmOIX4P+RLxsRH+CQsw8aN8kgXTJCZBuYZKmXqi91DFFfUW8r8SUo68hiTNZP4P9myjATLwn5Hu9HiFd0gh
H+WjSHd7fILvR/0ej0+BSrZfJIEpZLpD2UvFRdX6OFP47tB3Bfg5pGcIqSh8KYxPiYJCjEKomInqeJ1RcqMXGBVqYhwtRHnsg7CHQdT0eqQ09nxBmm2qrGCmY1dCjAIqeXFRogmkQ2j5SoBzECd9x9
YVF0hxSVpXXCbFly2Im6SAFht3SHEKFTvIfi8uM5a98iQKahY/PQTriQwgIM+S/BSqbhCwCzgVgM8r/BrSs8Snop1RluJUYq94MiRJ1pGn0kGZU2K9LKawAPn20LnuFP8r9Kt7L/8QeVputmWaX5dC
PsdFUz8PyreUznP4iTCphspfghgUiuE3iuE+fu6QyXTkbWQzLM1vhKuYBn49nDGtQFdY9ez0VVL1QSOv2av2aU13dGM5L6yqbmiObhrQWBRVrbZiWgJOusIVk2JJN3S/KzezmIfGpKhoa6JMBnK67Q
xDrXTa0h2RN6Ex6zqiAbXGjFFG6jZmHFFd1F8V0DhumW4NVrMl30xhJj81i8BFRyutInBW2La2LEKPYFIUdc3IlCqasZypC8tGBzLDI9mh7P6HfT9mWuO6Y6OJBVFyEVcXE1qlMmG6hgPkH7lQcNBJ
GjWnVUVb7CaOEzjKDxeRbd2Lwiijo3mzdmLJ97ZWP3HeEBa4pTnT0ZfWUOsIGHSqtcHS4Crk9dJqfq3mmSIHpnC8a9j6siHKmdKKZkF+Ypw8aky4liUMB0Xw9K6fP2FPi0oZGvM4M7qwILTyGhmCgu
1oFlqdquOoMLYNC7IPLc+JhgMezMs7ztb0QMe8eOtySqu4ArHzlqjrpmsj603lhU+GKKlzbrUorBNLNIAQE6bhaDpFXyiMLSyMnSkszpydKuTPzE8VCpjkabQArbH6IU2blTJlDCfTTSyWtRbnsMIo
VV4Wm0ER42ldu4ZpWI8OXLSSE8ays4KMZ8Vbf8deJQj5Z5mV8YqJC/XIKsrpxqqwDmVyucnMvuHscHYIxo7iFtGEVtSB7Ud2Yl926DlQS6aFITxdfQYiMT4bhQ4pSVePkmZboVfuY/3sMWkHewKPXb
pPH2BT8GRjrycTnd71s/5KoC044t2322kzMvZnspOI/3bAH+0Pr6kS4eVepqZjTJKg5bGxfp83mwL3HqjNt4XfGwveI6TZglx38Lagq7EbtTu8CxIytUAeQkqn7uOBPI70QoucR3q5RV5GerNFXgPv
OGrKH/vuNOf7jOZrkSHrUJFmi7YN2bGF2axo6OUGZMui6C4XtGIRyzKUdGPJDHnbsSBbMqtVXHl/oOY4ll7EMrNDzJJF+zwQKliukLXXqo5WRLqCBnzOp17OBxxc/mB7PbQvN+6Jjeffxg24Sdlu3M
3/fQT7p2hwZP7fFtRQ8N6TvLem9FCN+I3TG4MeG0E93A7eme24RPBmfCd4M94O3ousDdfbVou/g/9Saq/TXW24z1HYJW/EDQf8UCB/jRPdlTbGOdqGu8TX+VbclB9rM5E/IW5sE/9eaPOvD5M0sEn+
im24UcQd3MSe0ZZ/B3E/IO0Mcq8E+ayHaxG0yQ6A9zex91Yb7nvEXdwE9y/UsRxs
"""))
