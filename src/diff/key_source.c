#include "diff/lane_diff.h"

enum { STEP = 16, BACK = 64 };

enum status key_sources_same(const struct key_source sources[2], const uint64_t at[2],
                             uint64_t most, uint64_t *same, struct error *err)
{
    const uint64_t *a, *b;
    size_t a_count, b_count;
    for (*same = 0; *same < most;) {
        enum status status = sources[0].read(sources[0].self, at[0] + *same, &a, &a_count, err);
        if (status == STATUS_OK)
            status = sources[1].read(sources[1].self, at[1] + *same, &b, &b_count, err);
        if (status != STATUS_OK)
            return status;
        size_t count = (size_t)u64_min(u64_min(a_count, b_count), most - *same);
        // Whole steps first, of a few vectors each.
        size_t here = 0;
        for (; here + STEP <= count; here += STEP) {
            uint64_t differs = 0;
            for (size_t k = 0; k < STEP; k++)
                differs |= a[here + k] ^ b[here + k];
            if (differs)
                break;
        }
        while (here < count && a[here] == b[here])
            here++;
        *same += here;
        if (here < count || !count)
            break;
    }
    return STATUS_OK;
}

enum status key_sources_same_before(const struct key_source sources[2], const uint64_t at[2],
                                    uint64_t most, uint64_t *same, struct error *err)
{
    uint64_t a[BACK], b[BACK];
    for (*same = 0; *same < most;) {
        size_t count = (size_t)u64_min(most - *same, BACK), copied, i = count;
        enum status status =
            key_source_copy(&sources[0], at[0] - *same - count, a, count, &copied, err);
        if (status == STATUS_OK)
            status = key_source_copy(&sources[1], at[1] - *same - count, b, count, &copied, err);
        if (status != STATUS_OK)
            return status;
        while (i > 0 && a[i - 1] == b[i - 1])
            i--;
        *same += count - i;
        if (i)
            break;
    }
    return STATUS_OK;
}

enum status key_source_copy(const struct key_source *source, uint64_t at, uint64_t *keys,
                            size_t count, size_t *copied, struct error *err)
{
    const uint64_t *from;
    size_t here;
    for (*copied = 0; *copied < count; *copied += here) {
        enum status status = source->read(source->self, at + *copied, &from, &here, err);
        if (status != STATUS_OK)
            return status;
        if (!here)
            break;
        here = here < count - *copied ? here : count - *copied;
        memcpy(keys + *copied, from, here * sizeof *keys);
    }
    return STATUS_OK;
}

enum status key_source_count(const struct key_source *source, uint64_t from, uint64_t *count,
                             struct error *err)
{
    const uint64_t *keys;
    size_t here = 1;
    enum status status = STATUS_OK;
    for (*count = from; here && status == STATUS_OK; *count += here)
        status = source->read(source->self, *count, &keys, &here, err);
    return status;
}
