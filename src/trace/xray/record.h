// The records of an XRay log, one after the other, with their times.
//
//     struct xray_cursor cursor;
//     struct xray_record record;
//     xray_cursor_thread(&cursor, log, thread);
//     while (xray_next(&cursor, &record)) {
//         switch (record.kind) { ... }
//     }
//
// The order of records is checked with a state machine. If a buffer is broken, a record of kind
// XRAY_FAULT describes the fault and its place, the rest of the buffer is skipped, and the next
// record is that of the next buffer. Every record is within the log; no memory is allocated.
//
// Time: a thread has a base, which XRAY_CPU and XRAY_TSC_WRAP set, and function records and (in
// version 5) events advance. Sums wrap around.
#ifndef TRAWL_TRACE_XRAY_RECORD_H
#define TRAWL_TRACE_XRAY_RECORD_H

#include "base/base.h"
#include "trace/xray/log.h"

enum xray_kind {
    // Function records: their numbers are those of the actions in the file.
    XRAY_ENTER,
    XRAY_EXIT,
    XRAY_TAIL_EXIT,  // the function leaves by calling another one, which replaces it
    XRAY_ENTER_ARGS, // arguments follow. In real logs they may also follow a plain XRAY_ENTER

    XRAY_ARGUMENT,     // of the function record before it; several may follow each other; `value`
    XRAY_CUSTOM_EVENT, // `payload`; version 4: number: CPU; before 5: value: its TSC, as written
    XRAY_TYPED_EVENT,  // `payload`, number: event type; before 5: value: its TSC, as written

    XRAY_EXTENTS,    // value: bytes that follow in the buffer, as written
    XRAY_NEW_BUFFER, // number: thread id
    XRAY_WALL_CLOCK, // value: seconds, number: microseconds
    XRAY_PID,        // number: process id
    XRAY_CPU,        // number: CPU, value: TSC
    XRAY_TSC_WRAP,   // value: TSC
    XRAY_END_OF_BUFFER,

    XRAY_FAULT, // `fault`
};

struct xray_record {
    enum xray_kind kind;
    uint32_t function; // function records and arguments: the function's id
    uint64_t tsc;      // its time
    uint64_t offset;   // in the log
    int64_t delta;     // ticks since the previous base, if the record contains them; otherwise 0
    uint64_t value;    // depends on the kind; for other kinds undefined, like all fields below
    uint32_t number;
    uint32_t payload_bytes;
    const uint8_t *payload; // within the log
    struct trace_fault fault;
};

static inline bool xray_is_enter(enum xray_kind kind)
{
    return kind == XRAY_ENTER || kind == XRAY_ENTER_ARGS;
}

static inline bool xray_is_function(enum xray_kind kind)
{
    return kind <= XRAY_ENTER_ARGS;
}

// Fields are private, except for `buffer_index` and `cpu`.
struct xray_cursor {
    const uint8_t *at, *end;   // in the current buffer
    const uint8_t *fast_end;   // function records that begin before it can be processed quickly
    const uint8_t *shared_end; // of the last record that is also in another log
    uint32_t care_bits;        // with any of them in its first word, a record is not plain
    uint64_t tsc;
    const struct xray_log *log;
    uint64_t buffer_index; // index of the current buffer in log->buffers
    uint64_t next_buffer, end_buffer;
    uint32_t thread;
    uint32_t function; // of the last function record
    uint16_t cpu;
    uint8_t state;
    bool has_tsc, is_basic;
};

// Set the cursor before the first record of a thread, of some buffers of one thread, or of one
// buffer. The latter two begin without a base, which only matters for buffers of version 1 that
// depend on that of the one before.
void xray_cursor_thread(struct xray_cursor *cursor, const struct xray_log *log, uint32_t thread);
void xray_cursor_buffers(struct xray_cursor *cursor, const struct xray_log *log, uint64_t first,
                         uint64_t end);
void xray_cursor_buffer(struct xray_cursor *cursor, const struct xray_log *log, uint64_t buffer);

// Sets it before a function record within a buffer, which is at this offset in the log. Times are
// not known from there on.
void xray_cursor_call(struct xray_cursor *cursor, const struct xray_log *log, uint64_t buffer,
                      uint64_t offset);

// Whether the next record of the current buffer may also be in another log (xray_log_share), of
// which the last equal bytes may be only a part; and whether the record that was just read is.
static inline bool xray_next_may_be_shared(const struct xray_cursor *cursor)
{
    return cursor->at < cursor->shared_end;
}

static inline bool xray_is_shared(const struct xray_cursor *cursor)
{
    const struct xray_log *log = cursor->log;
    return cursor->at <= cursor->shared_end &&
           (!log->shared.count || xray_log_shares(log, (uint64_t)(cursor->at - log->data) - 1));
}

// Private to xray_next.
bool xray_next_any(struct xray_cursor *cursor, struct xray_record *record);
#define XRAY_STATE_CALL 6

// Bits in the first word of a function record that make it not plain. Flight data recorder mode:
// bit 0 is metadata, bits 1 to 3 are the action; actions from 4 on do not exist. Basic mode: 16
// bits of type, the processor, and the action with the same limit.
#define XRAY_CARE_BITS_FDR UINT32_C(0x00000009)
#define XRAY_CARE_BITS_BASIC UINT32_C(0xfc00ffff)

// A plain function record.
struct xray_step {
    uint64_t tsc;
    uint32_t function;
    unsigned kind;    // enum xray_kind
    uint64_t is_exit; // 0 or 1
};

static ALWAYS_INLINE size_t xray_function_bytes(bool is_basic)
{
    return is_basic ? XRAY_BASIC_BYTES : XRAY_FUNCTION_BYTES;
}

// Reads the record at `at`, after one at time `tsc`. False: it is not plain. Callers should pass a
// constant for `is_basic`, because the function is compiled for each.
static ALWAYS_INLINE bool xray_step_read(const uint8_t *at, uint64_t tsc, bool is_basic,
                                         struct xray_step *step)
{
    uint64_t word = load_u64(at, false);
    unsigned action = (unsigned)(word >> (is_basic ? 24 : 1));
    *step = (struct xray_step){.tsc = is_basic ? load_u64(at + 8, false) : tsc + (word >> 32),
                               .function =
                                   (uint32_t)(is_basic ? word >> 32 : word) >> (is_basic ? 0 : 4),
                               .kind = action & 3,
                               .is_exit = (action ^ action >> 1) & 1};
    return !(word & (is_basic ? XRAY_CARE_BITS_BASIC : XRAY_CARE_BITS_FDR));
}

// Whether the next record can be processed quickly, so that it is a function record, and not an
// argument of the one before it.
static ALWAYS_INLINE bool xray_is_plain_next(const struct xray_cursor *cursor)
{
    return cursor->at < cursor->fast_end && !(load_u32(cursor->at, false) & cursor->care_bits);
}

static ALWAYS_INLINE void xray_plain_next(struct xray_cursor *cursor, struct xray_record *record,
                                          bool is_basic)
{
    struct xray_step step;
    xray_step_read(cursor->at, cursor->tsc, is_basic, &step);
    record->kind = (enum xray_kind)step.kind;
    record->function = step.function;
    record->tsc = step.tsc;
    record->offset = (uint64_t)(cursor->at - cursor->log->data);
    record->delta = is_basic ? 0 : (int64_t)(step.tsc - cursor->tsc);
    cursor->tsc = step.tsc;
    cursor->function = step.function;
    if (is_basic)
        cursor->cpu = cursor->at[2];
    else
        cursor->state = XRAY_STATE_CALL;
    cursor->at += xray_function_bytes(is_basic);
}

// Reads the next record. False: there is none. Nearly all records of real logs are processed
// quickly.
static ALWAYS_INLINE bool xray_next(struct xray_cursor *cursor, struct xray_record *record)
{
    if (UNLIKELY(!xray_is_plain_next(cursor)))
        return xray_next_any(cursor, record);
    if (cursor->is_basic)
        xray_plain_next(cursor, record, true);
    else
        xray_plain_next(cursor, record, false);
    return true;
}

// Bytes of plain function records that a pass may read itself, one after the other with
// xray_step_read, and the time before them.
struct xray_span {
    const uint8_t *at, *end;
    uint64_t tsc;
};

// The span that can be processed quickly: up to `count` records, none if the next one cannot.
static ALWAYS_INLINE struct xray_span xray_span(const struct xray_cursor *cursor, size_t count)
{
    const uint8_t *at = cursor->at, *end = cursor->fast_end;
    size_t record_bytes = xray_function_bytes(cursor->is_basic);
    size_t records = end > at ? ((size_t)(end - at) + record_bytes - 1) / record_bytes : 0;
    return (struct xray_span){at, at + u64_min(records, count) * record_bytes, cursor->tsc};
}

// Advances after the record that `step` was read from.
static ALWAYS_INLINE void xray_span_take(struct xray_span *span, bool is_basic,
                                         const struct xray_step *step)
{
    span->at += xray_function_bytes(is_basic);
    span->tsc = step->tsc;
}

// Advances the cursor after the records up to span->at, the last of which is at time span->tsc.
static ALWAYS_INLINE void xray_span_taken(struct xray_cursor *cursor, const struct xray_span *span)
{
    if (span->at == cursor->at)
        return;
    cursor->at = span->at;
    cursor->tsc = span->tsc;
    const uint8_t *last = span->at - xray_function_bytes(cursor->is_basic);
    if (cursor->is_basic) {
        cursor->cpu = last[2];
        return;
    }
    cursor->state = XRAY_STATE_CALL;
    cursor->function = load_u32(last, false) >> 4;
}

#endif
