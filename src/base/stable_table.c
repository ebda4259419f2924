#include "base/stable_table.h"

#include <sys/mman.h>
#include <unistd.h>

// `bytes` rounded up to whole pages. 0: overflow.
static size_t whole_pages(size_t bytes)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), rounded;
    return __builtin_add_overflow(bytes, page_bytes - 1, &rounded) ? 0 : rounded & -page_bytes;
}

bool stable_table_begin(struct stable_table *table, size_t item_bytes, size_t count_max)
{
    size_t bytes;
    *table = (struct stable_table){0};
    if (__builtin_mul_overflow(item_bytes, count_max, &bytes) || !(bytes = whole_pages(bytes)))
        return false;
    void *start = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return false;
    *table = (struct stable_table){
        .items = start,
        .item_bytes = item_bytes,
        .count_max = count_max,
        .reserved_bytes = bytes,
    };
    return true;
}

bool stable_table_room(struct stable_table *table, size_t count)
{
    size_t wanted = count * table->item_bytes; // cannot overflow, because count_max items do not
    if (count > table->count_max)
        return false;
    if (LIKELY(wanted <= table->usable_bytes))
        return true;
    // Half as much again, so that many items need few calls.
    size_t bytes = whole_pages(wanted + wanted / 2);
    if (!bytes || bytes > table->reserved_bytes)
        bytes = table->reserved_bytes;
    if (mprotect((char *)table->items + table->usable_bytes, bytes - table->usable_bytes,
                 PROT_READ | PROT_WRITE) != 0)
        return false;
    table->usable_bytes = bytes;
    return true;
}

void stable_table_free(struct stable_table *table)
{
    if (table->items)
        munmap(table->items, table->reserved_bytes);
    *table = (struct stable_table){0};
}
