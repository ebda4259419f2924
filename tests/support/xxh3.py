"""XXH3-64 with seed 0, in simple Python, according to the specification of xxHash 0.8."""

import struct

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
PRIME32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
PRIME64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
MASK = 2**64 - 1
STRIPE, BLOCK = 64, 1024


def word(data, at):
    return int.from_bytes(data[at : at + 8], "little")


def half(data, at):
    return int.from_bytes(data[at : at + 4], "little")


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & MASK


def rotate(a, bits):
    return (a << bits | a >> 64 - bits) & MASK


def avalanche(a):
    a ^= a >> 37
    a = a * 0x165667919E3779F9 & MASK
    return a ^ a >> 32


def avalanche_xxh64(a):
    a ^= a >> 33
    a = a * PRIME64[1] & MASK
    a ^= a >> 29
    a = a * PRIME64[2] & MASK
    return a ^ a >> 32


def mix16(data, at, secret):
    return fold(word(data, at) ^ word(SECRET, secret), word(data, at + 8) ^ word(SECRET, secret + 8))


def hash_to_16(data, n):
    if n > 8:
        low = word(data, 0) ^ word(SECRET, 24) ^ word(SECRET, 32)
        high = word(data, n - 8) ^ word(SECRET, 40) ^ word(SECRET, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return avalanche(n + swapped + high + fold(low, high) & MASK)
    if n >= 4:
        a = (half(data, n - 4) + (half(data, 0) << 32)) ^ word(SECRET, 8) ^ word(SECRET, 16)
        a ^= rotate(a, 49) ^ rotate(a, 24)
        a = a * 0x9FB21C651E98DF25 & MASK
        a ^= (a >> 35) + n
        a = a * 0x9FB21C651E98DF25 & MASK
        return a ^ a >> 28
    if n:
        a = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return avalanche_xxh64(a ^ half(SECRET, 0) ^ half(SECRET, 4))
    return avalanche_xxh64(word(SECRET, 56) ^ word(SECRET, 64))


def hash_to_240(data, n):
    total = n * PRIME64[0]
    if n <= 128:
        for i in range((n - 1) // 32 + 1):
            total += mix16(data, 16 * i, 32 * i) + mix16(data, n - 16 * (i + 1), 32 * i + 16)
        return avalanche(total & MASK)
    for i in range(8):
        total += mix16(data, 16 * i, 16 * i)
    total = avalanche(total & MASK)
    for i in range(8, n // 16):
        total += mix16(data, 16 * i, 16 * (i - 8) + 3)
    return avalanche(total + mix16(data, n - 16, 136 - 17) & MASK)


def accumulate(sums, data, at, secret):
    keys = struct.unpack_from("<8Q", SECRET, secret)
    for i, value in enumerate(struct.unpack_from("<8Q", data, at)):
        keyed = value ^ keys[i]
        sums[i ^ 1] += value
        sums[i] += (keyed & 0xFFFFFFFF) * (keyed >> 32)
    for i in range(8):
        sums[i] &= MASK


def hash_long(data, n):
    sums = [PRIME32[2], *PRIME64[:4], PRIME32[1], PRIME64[4], PRIME32[0]]
    last_block = (n - 1) // BLOCK * BLOCK
    for stripe in range(0, (n - 1) // STRIPE):
        accumulate(sums, data, STRIPE * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15 and STRIPE * stripe < last_block:
            keys = struct.unpack_from("<8Q", SECRET, len(SECRET) - STRIPE)
            sums = [(a ^ a >> 47 ^ key) * PRIME32[0] & MASK for a, key in zip(sums, keys)]
    accumulate(sums, data, n - STRIPE, len(SECRET) - STRIPE - 7)
    total = n * PRIME64[0]
    for i in range(0, 8, 2):
        total += fold(sums[i] ^ word(SECRET, 11 + 8 * i), sums[i + 1] ^ word(SECRET, 19 + 8 * i))
    return avalanche(total & MASK)


def hash64(data):
    n = len(data)
    return hash_to_16(data, n) if n <= 16 else hash_to_240(data, n) if n <= 240 else hash_long(data, n)
