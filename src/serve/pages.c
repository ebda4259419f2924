#include "serve/pages.h"

#define SECOND_NS UINT64_C(1000000000)

// Browsers let hidden pages send something once a minute.
#define BEAT_MAX_NS (150 * SECOND_NS)
#define SLEEP_MAX_NS (24 * 3600 * SECOND_NS)
#define GRACE_NS (3 * SECOND_NS)

static void forget(struct pages *pages, size_t i, uint64_t now_ns)
{
    pages->open[i] = pages->open[--pages->count];
    pages->left_ns = now_ns;
}

void pages_tell(struct pages *pages, uint64_t id, enum page_event event, uint64_t now_ns)
{
    size_t i = 0;
    while (i < pages->count && pages->open[i].id != id)
        i++;
    bool is_known = i < pages->count;
    if (event == PAGE_CLOSES) {
        if (is_known)
            forget(pages, i, now_ns);
        return;
    }
    if (!is_known && pages->count == LIMIT_SERVE_PAGES)
        return;
    pages->count += !is_known;
    pages->had_any = true;
    pages->open[i].id = id;
    pages->open[i].until_ns = now_ns + (event == PAGE_SLEEPS ? SLEEP_MAX_NS : BEAT_MAX_NS);
}

bool pages_are_left(struct pages *pages, uint64_t now_ns)
{
    for (size_t i = pages->count; i-- > 0;) {
        if (pages->open[i].until_ns < now_ns)
            forget(pages, i, pages->open[i].until_ns);
    }
    return pages->had_any && !pages->count && now_ns - pages->left_ns > GRACE_NS;
}
