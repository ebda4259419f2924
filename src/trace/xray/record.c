#include "trace/xray/record.h"

// --- Which record may follow which ---------------------------------------------------------------

enum state {
    STATE_START,
    STATE_EXTENTS,
    STATE_NEW_BUFFER,
    STATE_WALL_CLOCK,
    STATE_PID,
    STATE_BODY,
    STATE_CALL, // after a function record or its arguments
    STATE_COUNT,
};
_Static_assert(STATE_CALL == XRAY_STATE_CALL, "xray_next sets it");

#define BIT(kind) (1u << (kind))
#define FUNCTION_BITS                                                                              \
    (BIT(XRAY_ENTER) | BIT(XRAY_EXIT) | BIT(XRAY_TAIL_EXIT) | BIT(XRAY_ENTER_ARGS))
#define BODY_BITS                                                                                  \
    (FUNCTION_BITS | BIT(XRAY_CPU) | BIT(XRAY_TSC_WRAP) | BIT(XRAY_CUSTOM_EVENT) |                 \
     BIT(XRAY_TYPED_EVENT) | BIT(XRAY_END_OF_BUFFER) | BIT(XRAY_NEW_BUFFER))

static bool may_follow(const struct xray_cursor *cursor, enum xray_kind kind)
{
    static const uint32_t allowed[STATE_COUNT] = {
        [STATE_START] = BIT(XRAY_EXTENTS) | BIT(XRAY_NEW_BUFFER),
        [STATE_EXTENTS] = BIT(XRAY_NEW_BUFFER),
        [STATE_NEW_BUFFER] = BIT(XRAY_WALL_CLOCK),
        [STATE_WALL_CLOCK] = BIT(XRAY_PID) | BIT(XRAY_CPU),
        [STATE_PID] = BIT(XRAY_CPU),
        [STATE_BODY] = BODY_BITS,
        [STATE_CALL] = BODY_BITS | BIT(XRAY_ARGUMENT),
    };
    bool is_v1 = cursor->log->header.version == 1;
    if ((kind == XRAY_END_OF_BUFFER) > is_v1 || (kind == XRAY_EXTENTS && is_v1))
        return false;
    // Runtimes of version 1 wrote the CPU only in a thread's first buffer.
    if (is_v1 && cursor->state == STATE_WALL_CLOCK &&
        (BODY_BITS & ~BIT(XRAY_NEW_BUFFER)) >> kind & 1)
        return true;
    return allowed[cursor->state] >> kind & 1;
}

static enum state state_behind(enum xray_kind kind)
{
    switch (kind) {
    case XRAY_EXTENTS:
        return STATE_EXTENTS;
    case XRAY_NEW_BUFFER:
        return STATE_NEW_BUFFER;
    case XRAY_WALL_CLOCK:
        return STATE_WALL_CLOCK;
    case XRAY_PID:
        return STATE_PID;
    case XRAY_CPU:
    case XRAY_TSC_WRAP:
    case XRAY_CUSTOM_EVENT:
    case XRAY_TYPED_EVENT:
    case XRAY_END_OF_BUFFER:
        return STATE_BODY;
    default:
        return STATE_CALL;
    }
}

// --- Where the cursor stands ---------------------------------------------------------------------

static void set_state(struct xray_cursor *cursor, enum state state)
{
    const struct xray_header *header = &cursor->log->header;
    cursor->state = (uint8_t)state;
    bool has_time = cursor->is_basic || (state >= STATE_BODY && cursor->has_tsc);
    ptrdiff_t record_bytes = (ptrdiff_t)xray_function_bytes(cursor->is_basic);
    bool is_fast = has_time && !header->is_big_endian && cursor->end - cursor->at >= record_bytes;
    cursor->fast_end = is_fast ? cursor->end - (record_bytes - 1) : cursor->at;
}

static void leave_buffer(struct xray_cursor *cursor)
{
    cursor->at = cursor->end;
    set_state(cursor, STATE_START);
}

static void begin(struct xray_cursor *cursor, const struct xray_log *log, uint64_t first,
                  uint64_t count, uint32_t thread)
{
    bool is_basic = log->header.type == XRAY_BASIC;
    *cursor = (struct xray_cursor){
        .at = log->data,
        .end = log->data,
        .fast_end = log->data,
        .shared_end = log->data,
        .log = log,
        .next_buffer = first,
        .end_buffer = first + count,
        .thread = thread,
        .care_bits = is_basic ? XRAY_CARE_BITS_BASIC : XRAY_CARE_BITS_FDR,
        .is_basic = is_basic,
    };
}

void xray_cursor_thread(struct xray_cursor *cursor, const struct xray_log *log, uint32_t thread)
{
    const struct xray_thread *about = &log->threads.items[thread];
    begin(cursor, log, about->first_buffer, about->buffer_count, thread);
}

void xray_cursor_buffers(struct xray_cursor *cursor, const struct xray_log *log, uint64_t first,
                         uint64_t end)
{
    begin(cursor, log, first, end - first, log->buffers.items[first].thread);
}

void xray_cursor_buffer(struct xray_cursor *cursor, const struct xray_log *log, uint64_t buffer)
{
    begin(cursor, log, buffer, 1, log->buffers.items[buffer].thread);
}

void xray_cursor_call(struct xray_cursor *cursor, const struct xray_log *log, uint64_t buffer,
                      uint64_t offset)
{
    const struct xray_buffer *about = &log->buffers.items[buffer];
    xray_cursor_buffers(cursor, log, buffer, buffer);
    cursor->at = log->data + offset;
    cursor->end = log->data + about->offset + about->size_bytes;
    cursor->has_tsc = true;
    set_state(cursor, STATE_BODY);
}

// --- Basic logs ----------------------------------------------------------------------------------

// --- FDR logs ------------------------------------------------------------------------------------

// Reports a fault and skips the rest of the buffer.
static bool fault(struct xray_cursor *cursor, struct xray_record *record, enum xray_fault_kind kind,
                  uint64_t value)
{
    record->kind = XRAY_FAULT;
    record->fault = (struct trace_fault){kind, value, (uint64_t)(cursor->at - cursor->log->data),
                                         (uint64_t)(cursor->end - cursor->at)};
    leave_buffer(cursor);
    return true;
}

// The record reaches beyond the buffer. Runtimes count too few bytes if there are typed events, so
// this occurs in real logs.
static bool cut(struct xray_cursor *cursor, struct xray_record *record)
{
    bool is_log_end = cursor->end == cursor->log->data + cursor->log->size_bytes;
    return fault(cursor, record, is_log_end ? XRAY_FAULT_LOG_ENDS : XRAY_FAULT_CUT, 0);
}

static bool accept(struct xray_cursor *cursor, struct xray_record *record, uint64_t size_bytes)
{
    record->offset = (uint64_t)(cursor->at - cursor->log->data);
    record->tsc = cursor->tsc;
    cursor->at += size_bytes;
    set_state(cursor, state_behind(record->kind));
    return true;
}

static bool next_function(struct xray_cursor *cursor, struct xray_record *record)
{
    bool is_big = cursor->log->header.is_big_endian;
    uint32_t word = load_u32(cursor->at, is_big);
    unsigned action = is_big ? word >> 28 & 7 : word >> 1 & 7;
    if (action > XRAY_ENTER_ARGS)
        return fault(cursor, record, XRAY_FAULT_ACTION, action);
    record->kind = (enum xray_kind)action;
    if (!may_follow(cursor, record->kind))
        return fault(cursor, record, XRAY_FAULT_ORDER, action);
    if (!cursor->has_tsc)
        return fault(cursor, record, XRAY_FAULT_NO_TIME, 0);
    record->function = cursor->function = is_big ? word & 0x0fffffff : word >> 4;
    uint32_t delta = load_u32(cursor->at + 4, is_big);
    record->delta = delta;
    cursor->tsc += delta;
    return accept(cursor, record, XRAY_FUNCTION_BYTES);
}

// The time of an event before version 5 is absolute, but runtimes of version 1 to 3 stored it in
// the wrong place. So it is used only if it can follow the base.
static uint64_t absolute_time(const struct xray_cursor *cursor, uint64_t tsc)
{
    bool is_sure = cursor->log->header.version >= 4 || !cursor->has_tsc;
    return is_sure || tsc - cursor->tsc <= UINT32_MAX ? tsc : cursor->tsc;
}

static bool next_event(struct xray_cursor *cursor, struct xray_record *record)
{
    const uint8_t *at = cursor->at;
    bool is_big = cursor->log->header.is_big_endian;
    bool is_v5 = cursor->log->header.version >= 5, is_typed = record->kind == XRAY_TYPED_EVENT;
    uint32_t size = load_u32(at + 1, is_big);
    if (size > INT32_MAX)
        return fault(cursor, record, XRAY_FAULT_EVENT_SIZE, size);
    if (size > (uint64_t)(cursor->end - at) - XRAY_METADATA_BYTES)
        return cut(cursor, record);
    if (is_v5 && !cursor->has_tsc)
        return fault(cursor, record, XRAY_FAULT_NO_TIME, 0);
    record->payload = at + XRAY_METADATA_BYTES;
    record->payload_bytes = size;
    record->number = load_u16(at + (is_v5 ? 9 : 13), is_big);
    if (is_v5) {
        record->delta = (int32_t)load_u32(at + 5, is_big);
        cursor->tsc += (uint64_t)record->delta;
        record->value = cursor->tsc;
    } else {
        record->value = load_u64(at + 5, is_big);
    }
    if (!is_typed && cursor->log->header.version != 4)
        record->number = cursor->cpu;
    accept(cursor, record, (uint64_t)XRAY_METADATA_BYTES + size);
    if (!is_v5)
        record->tsc = absolute_time(cursor, record->value);
    return true;
}

static void take_time(struct xray_cursor *cursor, uint64_t tsc)
{
    cursor->tsc = tsc;
    cursor->has_tsc = true;
}

// Reads a metadata record other than an event.
static bool next_plain(struct xray_cursor *cursor, struct xray_record *record)
{
    const uint8_t *at = cursor->at;
    bool is_big = cursor->log->header.is_big_endian;
    switch (record->kind) {
    case XRAY_NEW_BUFFER:
        record->number = load_u32(at + 1, is_big);
        // Inside another buffer. If it belongs to the same thread, reading continues.
        if (cursor->log->threads.items[cursor->thread].tid != record->number)
            return fault(cursor, record, XRAY_FAULT_THREAD, record->number);
        break;
    case XRAY_CPU:
        record->number = cursor->cpu = load_u16(at + 1, is_big);
        record->value = load_u64(at + 3, is_big);
        take_time(cursor, record->value);
        break;
    case XRAY_TSC_WRAP:
        record->value = load_u64(at + 1, is_big);
        take_time(cursor, record->value);
        break;
    case XRAY_WALL_CLOCK:
        record->value = load_u64(at + 1, is_big);
        record->number = load_u32(at + 9, is_big);
        break;
    case XRAY_PID:
        record->number = load_u32(at + 1, is_big);
        break;
    case XRAY_ARGUMENT:
        record->function = cursor->function;
        record->value = load_u64(at + 1, is_big);
        break;
    case XRAY_EXTENTS:
        record->value = load_u64(at + 1, is_big);
        break;
    default:
        break;
    }
    accept(cursor, record, XRAY_METADATA_BYTES);
    if (record->kind == XRAY_END_OF_BUFFER) // the bytes after it are undefined
        leave_buffer(cursor);
    return true;
}

static bool next_metadata(struct xray_cursor *cursor, struct xray_record *record)
{
    static const uint8_t kinds[META_COUNT] = {
        [META_NEW_BUFFER] = XRAY_NEW_BUFFER,
        [META_END_OF_BUFFER] = XRAY_END_OF_BUFFER,
        [META_CPU] = XRAY_CPU,
        [META_TSC_WRAP] = XRAY_TSC_WRAP,
        [META_WALL_CLOCK] = XRAY_WALL_CLOCK,
        [META_CUSTOM_EVENT] = XRAY_CUSTOM_EVENT,
        [META_ARGUMENT] = XRAY_ARGUMENT,
        [META_EXTENTS] = XRAY_EXTENTS,
        [META_TYPED_EVENT] = XRAY_TYPED_EVENT,
        [META_PID] = XRAY_PID,
    };
    unsigned kind = cursor->log->header.is_big_endian ? *cursor->at & 0x7f : *cursor->at >> 1;
    if (kind >= META_COUNT)
        return fault(cursor, record, XRAY_FAULT_KIND, kind);
    record->kind = (enum xray_kind)kinds[kind];
    if (!may_follow(cursor, record->kind))
        return fault(cursor, record, XRAY_FAULT_ORDER, kind);
    if (cursor->end - cursor->at < XRAY_METADATA_BYTES)
        return cut(cursor, record);
    bool is_event = record->kind == XRAY_CUSTOM_EVENT || record->kind == XRAY_TYPED_EVENT;
    return is_event ? next_event(cursor, record) : next_plain(cursor, record);
}

bool xray_next_any(struct xray_cursor *cursor, struct xray_record *record)
{
    record->delta = 0;
    if (cursor->at == cursor->end) {
        // A buffer can end anywhere but between its extents and the process id, which version 1
        // does not have.
        if (cursor->state >= STATE_EXTENTS && cursor->state <= STATE_PID &&
            !(cursor->state == STATE_WALL_CLOCK && cursor->log->header.version == 1))
            return fault(cursor, record, XRAY_FAULT_PREAMBLE, 0);
        if (cursor->next_buffer == cursor->end_buffer)
            return false;
        cursor->buffer_index = cursor->next_buffer++;
        const struct xray_buffer *buffer = &cursor->log->buffers.items[cursor->buffer_index];
        cursor->at = cursor->log->data + buffer->offset;
        cursor->end = cursor->at + buffer->size_bytes;
        cursor->shared_end = cursor->at + buffer->shared_bytes;
        set_state(cursor, STATE_START);
        const struct xray_log_watcher *watcher = cursor->log->watcher;
        if (watcher)
            watcher->on_buffer(watcher->self, buffer->size_bytes);
    }
    if (cursor->is_basic) {
        // Runs contain only valid records (basic.c), unless the log was changed since then.
        const uint8_t *at = cursor->at;
        bool is_big = cursor->log->header.is_big_endian;
        record->offset = (uint64_t)(at - cursor->log->data);
        record->function = load_u32(at + 4, is_big);
        if (load_u16(at, is_big) == 0) {
            cursor->cpu = at[2];
            cursor->tsc = load_u64(at + 8, is_big);
            record->kind = (enum xray_kind)(at[3] & XRAY_ENTER_ARGS);
        } else {
            record->kind = XRAY_ARGUMENT;
            record->value = load_u64(at + 16, is_big);
        }
        record->tsc = cursor->tsc;
        cursor->at += XRAY_BASIC_BYTES;
        return true;
    }
    uint8_t first = *cursor->at;
    bool is_metadata = cursor->log->header.is_big_endian ? first >> 7 : first & 1;
    if (is_metadata)
        return next_metadata(cursor, record);
    if (cursor->end - cursor->at < XRAY_FUNCTION_BYTES)
        return cut(cursor, record);
    return next_function(cursor, record);
}
