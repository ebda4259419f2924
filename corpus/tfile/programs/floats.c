// Numbers of 16 bytes: long double, and on some machines the other format by its own name.
#if defined __powerpc64__ || defined __x86_64__
#define OTHER __float128
#else
#define OTHER long double
#endif
long double numbers[] = {
    0.0L,
    -0.0L,
    1.0L,
    -1.5L,
    0.1L,
    3.14159265358979323846264338327950288L,
    1e100L,
    -1e-100L,
    123456789012345678901234567890.0L,
    0.0001L,
    0.00001L,
    99999.5L,
    1e36L,
    1e35L,
    9.9999999999999999999999999999999999e34L,
    __LDBL_MAX__,
    __LDBL_MIN__,
    __LDBL_DENORM_MIN__,
    __builtin_infl(),
    -__builtin_infl(),
    4503599627370497.5L,
    1e22L,
};
OTHER others[] = {(OTHER)1 / 3, -(OTHER)2 / 3, (OTHER)1e300, (OTHER)7};
__complex__ long double wave = 1.25L + 0.1Li;
struct {
    int before;
    long double inside;
} holder = {3, 2.718281828459045235360287471352662498L};
int main(void)
{
    return holder.before;
}
