#include "session/memory_plan.h"

#include "session/indexing.h"

// These are the lowest limits under which traces of 13 and 100 MB could be indexed with 1 to 4
// threads, plus half.
#define BASE_BYTES (UINT64_C(32) << 20)   // the program, directories, spools
#define THREAD_BYTES (UINT64_C(16) << 20) // its stack, and what it has in hand
#define CHUNK_FACTOR 7                    // a thread's chunks, and the data read from them
#define EVENT_BYTES UINT64_C(256)         // of a segment: its columns, including packed ones
#define SEGMENTS_BEYOND_THREADS 2         // that are in progress

// From the default to the smallest sensible size.
static const struct shape {
    uint64_t chunk_bytes;
    uint32_t segment_events;
} shapes[] = {
    {PASS_CHUNK_BYTES_DEFAULT, SEGMENT_EVENTS_DEFAULT},
    {UINT64_C(512) << 10, 16384},
    {UINT64_C(128) << 10, 4096},
};

static void take(struct session *session, unsigned threads, const struct shape *shape)
{
    session->threads = threads;
    session->chunk_bytes = u64_min(session->chunk_bytes, shape->chunk_bytes);
    session->index.segment_events_max = shape->segment_events;
}

void memory_plan_fit(struct session *session, uint64_t memory_bytes)
{
    for (unsigned threads = session->threads; threads; threads /= 2) {
        for (size_t i = 0; i < ARRAY_COUNT(shapes); i++) {
            const uint64_t needed_bytes =
                BASE_BYTES + threads * (THREAD_BYTES + CHUNK_FACTOR * shapes[i].chunk_bytes) +
                (threads + SEGMENTS_BEYOND_THREADS) * shapes[i].segment_events * EVENT_BYTES;
            if (needed_bytes <= memory_bytes) {
                take(session, threads, &shapes[i]);
                return;
            }
        }
    }
    take(session, 1, &shapes[ARRAY_COUNT(shapes) - 1]);
}

unsigned memory_plan_threads(unsigned threads, uint64_t memory_bytes)
{
    uint64_t left_bytes = memory_bytes - u64_min(memory_bytes, BASE_BYTES);
    return (unsigned)u64_max(1, u64_min(threads, left_bytes / THREAD_BYTES));
}
