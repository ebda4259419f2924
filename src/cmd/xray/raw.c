// A basic log of version 3: entries with their arguments, and exits. It has no place for events.
#include "cmd/xray/convert.h"
#include "trace/bytes.h"

enum { VERSION = 3, CONSTANT_TSC = 1, NONSTOP_TSC = 2, ARGUMENT_RECORD = 1 };

static void put_header(const struct xray_header *header, struct out *out)
{
    uint8_t bytes[XRAY_HEADER_BYTES] = {VERSION};
    store_little(
        bytes + 4,
        (header->constant_tsc ? CONSTANT_TSC : 0) | (header->nonstop_tsc ? NONSTOP_TSC : 0), 4);
    store_little(bytes + 8, header->frequency_hz, 8);
    out_bytes(out, bytes, sizeof bytes);
}

static void put_call(const struct xray_thread *thread, const struct xray_item *item,
                     struct out *out)
{
    uint8_t bytes[XRAY_BASIC_BYTES] = {0};
    bytes[2] = (uint8_t)item->cpu;
    bytes[3] = (uint8_t)item->record.kind;
    store_little(bytes + 4, item->record.function, 4);
    store_little(bytes + 8, item->record.tsc, 8);
    store_little(bytes + 16, thread->tid, 4);
    store_little(bytes + 20, thread->pid, 4);
    out_bytes(out, bytes, sizeof bytes);
}

static void put_argument(const struct xray_thread *thread, const struct xray_item *item,
                         uint64_t value, struct out *out)
{
    uint8_t bytes[XRAY_BASIC_BYTES] = {ARGUMENT_RECORD};
    store_little(bytes + 4, item->record.function, 4);
    store_little(bytes + 8, thread->tid, 4);
    store_little(bytes + 12, thread->pid, 4);
    store_little(bytes + 16, value, 8);
    out_bytes(out, bytes, sizeof bytes);
}

bool xray_write_raw(struct xray_input *input, struct xray_merge *merge, struct out *out)
{
    const struct xray_item *item;
    put_header(&input->log.header, out);
    while (!out_failed(out) && (item = xray_merge_next(merge))) {
        const struct xray_thread *thread = &input->log.threads.items[item->thread];
        if (!xray_is_function(item->record.kind))
            continue;
        put_call(thread, item, out);
        for (size_t i = 0; i < item->argument_count; i++)
            put_argument(thread, item, item->arguments[i], out);
    }
    return true;
}
