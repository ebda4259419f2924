#include "cli/progress.h"

#include <inttypes.h>
#include <unistd.h>

#define FIRST_SHOWN_AFTER_NS NS_PER_S
#define SHOWN_EVERY_NS (NS_PER_S / 5)

enum meter progress_meter_for(FILE *out, bool quiet)
{
    return !quiet && isatty(fileno(out)) ? METER_LINE : METER_OFF;
}

void progress_begin(struct progress *progress, FILE *out, enum meter meter, uint64_t total_bytes)
{
    // One by one, because another thread may read done_bytes meanwhile.
    atomic_store_explicit(&progress->done_bytes, 0, memory_order_relaxed);
    progress->out = out;
    progress->meter = meter;
    progress->total_bytes = total_bytes;
    progress->start_ns = progress->update_ns = 0;
    progress->visible = false;
    progress->percent = UINT64_MAX;
    if (meter != METER_LINE)
        return;
    progress->start_ns = monotonic_ns();
    progress->update_ns = progress->start_ns + FIRST_SHOWN_AFTER_NS;
}

void progress_add(struct progress *progress, uint64_t bytes)
{
    atomic_fetch_add_explicit(&progress->done_bytes, bytes, memory_order_relaxed);
}

// Without overflow for any sizes; a growing trace may exceed 100.
static uint64_t percent_of(uint64_t done, uint64_t total)
{
    return (uint64_t)((unsigned __int128)done * 100 / total);
}

void progress_show_at(struct progress *progress, uint64_t now_ns)
{
    if (progress->meter != METER_LINE || now_ns < progress->update_ns)
        return;
    progress->update_ns = now_ns + SHOWN_EVERY_NS;
    uint64_t done = atomic_load_explicit(&progress->done_bytes, memory_order_relaxed);
    uint64_t total = progress->total_bytes;
    double bytes_per_s = (double)done * 1e9 / (double)(now_ns - progress->start_ns);
    fputs("\rtrawl: ", progress->out);
    if (total)
        fprintf(progress->out, "%" PRIu64 " %%, ", u64_min(percent_of(done, total), 100));
    fprintf(progress->out, "%.0f MB, %.0f MB/s", (double)done / 1e6, bytes_per_s / 1e6);
    if (total > done && done) {
        const uint64_t left_s = (uint64_t)((double)(total - done) / bytes_per_s + 0.5);
        if (left_s >= 3600)
            fprintf(progress->out, ", %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " left", left_s / 3600,
                    left_s / 60 % 60, left_s % 60);
        else
            fprintf(progress->out, ", %" PRIu64 ":%02" PRIu64 " left", left_s / 60, left_s % 60);
    }
    fputs("\033[K", progress->out);
    fflush(progress->out);
    progress->visible = true;
}

void progress_show(struct progress *progress)
{
    if (progress->meter == METER_LINE)
        progress_show_at(progress, monotonic_ns());
}

// The smallest number of bytes at which the percentage changes.
static uint64_t next_change(const struct progress *progress)
{
    if (progress->percent == UINT64_MAX)
        return 0;
    unsigned __int128 hundredths =
        (unsigned __int128)(progress->percent + 1) * progress->total_bytes;
    return (uint64_t)((hundredths + 99) / 100);
}

static void show_percent(struct progress *progress, uint64_t done)
{
    progress->percent = percent_of(done, progress->total_bytes);
    fprintf(progress->out, "\rReading trace file (%" PRIu64 "%%)", progress->percent);
}

// Only searches for the line ends at which the percentage changes: about a hundred in any trace.
void progress_show_lines(struct progress *progress, uint64_t base, const char *text, size_t length)
{
    if (progress->meter != METER_TTU || !progress->total_bytes)
        return;
    uint64_t end = base + length;
    uint64_t at = base;
    while (at < end) {
        uint64_t wanted = next_change(progress); // bytes read, the newline included
        uint64_t from = u64_max(at, wanted ? wanted - 1 : 0);
        if (from >= end)
            break;
        const char *newline = memchr(text + (from - base), '\n', (size_t)(end - from));
        if (!newline)
            break;
        at = base + (uint64_t)(newline - text) + 1;
        show_percent(progress, at);
    }
    // The last line also counts its missing newline.
    bool is_open = length && end == progress->total_bytes && text[length - 1] != '\n';
    if (is_open && end + 1 >= next_change(progress))
        show_percent(progress, end + 1);
    fflush(progress->out);
}

void progress_hide(struct progress *progress)
{
    if (!progress->visible)
        return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
    progress->visible = false;
}

void progress_end(struct progress *progress)
{
    if (progress->meter == METER_TTU)
        fputs("\rReading trace file (finished)\n", progress->out);
    progress_hide(progress);
    progress->meter = METER_OFF;
}
