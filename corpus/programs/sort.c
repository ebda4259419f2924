// Sorting: quicksort and heapsort, comparing through function pointers.
#include "lib.h"

enum { COUNT = 8 };

typedef int (*compare_t)(int32_t a, int32_t b);

static int32_t numbers[COUNT];

static NOINLINE int ascending(int32_t a, int32_t b)
{
    return (a > b) - (a < b);
}

static NOINLINE int by_low_byte(int32_t a, int32_t b)
{
    int order = (a & 0xff) - (b & 0xff);
    return order != 0 ? order : ascending(a, b);
}

static NOINLINE void swap(int32_t *a, int32_t *b)
{
    int32_t t = *a;
    *a = *b;
    *b = t;
}

static NOINLINE void quick_sort(int32_t *a, int low, int high, compare_t compare)
{
    if (low >= high) {
        return;
    }
    int32_t pivot = a[(low + high) / 2];
    int i = low;
    int j = high;
    while (i <= j) {
        while (compare(a[i], pivot) < 0) {
            i++;
        }
        while (compare(a[j], pivot) > 0) {
            j--;
        }
        if (i <= j) {
            swap(&a[i++], &a[j--]);
        }
    }
    quick_sort(a, low, j, compare);
    quick_sort(a, i, high, compare);
}

static NOINLINE void sift_down(int32_t *a, int root, int count, compare_t compare)
{
    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare(a[child + 1], a[child]) > 0) {
            child++;
        }
        if (compare(a[root], a[child]) >= 0) {
            return;
        }
        swap(&a[root], &a[child]);
    }
}

static NOINLINE void heap_sort(int32_t *a, int count, compare_t compare)
{
    for (int i = count / 2 - 1; i >= 0; i--) {
        sift_down(a, i, count, compare);
    }
    for (int i = count - 1; i > 0; i--) {
        swap(&a[0], &a[i]);
        sift_down(a, 0, i, compare);
    }
}

static NOINLINE void fill(uint64_t seed)
{
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = (int32_t)((uint32_t)random_next(&seed) % 1000) - 500;
    }
}

static NOINLINE bool is_sorted(compare_t compare)
{
    for (int i = 1; i < COUNT; i++) {
        if (compare(numbers[i - 1], numbers[i]) > 0) {
            return false;
        }
    }
    return true;
}

int main(void)
{
    fill(42);
    quick_sort(numbers, 0, COUNT - 1, ascending);
    bool good = is_sorted(ascending);
    fill(43);
    heap_sort(numbers, COUNT, by_low_byte);
    good = good && is_sorted(by_low_byte);
    print(good ? "sorted\n" : "not sorted\n");
    return !good;
}
