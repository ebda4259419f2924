// Instructions that fail their condition, in A32 and T32, and calls between the two states; the
// functions are in conditional_arm.S.
#include "lib.h"

uint32_t arm_gcd(uint32_t a, uint32_t b);
uint32_t arm_sort3(uint32_t *three);
uint32_t arm_count(const uint8_t *bytes, uint32_t size, uint32_t wanted);
uint32_t thumb_clamp(int32_t value, int32_t low, int32_t high);
uint32_t thumb_classify(uint32_t c);

static const uint8_t text[] = "Conditions: 12 of 34 fail.";

int main(void)
{
    uint32_t three[3] = {30, 10, 20};
    uint32_t classes[4] = {0};
    print_number("gcd ", arm_gcd(252, 105));
    print_number("sorted ", arm_sort3(three));
    print_number("count ", arm_count(text, sizeof text, 'i'));
    uint32_t sum = 0;
    for (int32_t i = -20; i <= 20; i += 5) {
        sum += thumb_clamp(i, -8, 12);
    }
    print_number("clamped ", sum);
    for (unsigned i = 0; i < sizeof text; i++) {
        classes[thumb_classify(text[i]) & 3]++;
    }
    print_number("digits ", classes[1]);
    return 0;
}
