// The browser: any keys and sizes, with any bytes as a trace. After each key, all cells of the
// screen are drawn, and the position is an event of the trace or before the first one.
//
// Input: a byte that selects the plain browser or not, the number of keys, a byte for each key,
// then the trace. Keys that could write files are not used.
#include "fuzz.h"

#include "browse/browser.h"
#include "session/session_index.h"

enum { KEYS_MAX = 60, TRACE_BYTES_MAX = 1 << 13 };

// Bytes from 0x80 on are special keys, sizes, and clicks.
static void press(struct browser *browser, uint8_t byte)
{
    if (byte < 0x80)
        browser_key(browser, byte == '\n' ? KEY_RETURN : byte);
    else if (byte < 0xb0)
        browser_key(browser, KEY_UP_ARROW + (byte - 0x80u) % (KEY_FUNCTION - KEY_UP_ARROW + 12));
    else if (byte < 0xd0)
        browser_resize(browser, 1 + (byte & 3u) * 33, 1 + (byte >> 2 & 7u) * 5);
    else if (byte < 0xf0)
        browser_click(browser, (byte & 7u) * 11, byte >> 3 & 3u);
    else
        browser_wheel(browser, (int)(byte & 15) - 8);
}

static void browse(struct session *session, bool is_plain, const uint8_t *keys, size_t count)
{
    struct timeline timeline;
    struct browse_source source;
    struct browser browser;
    struct screen screen = {0};
    struct error err;
    if (timeline_open(&timeline, &session->view, &err) == STATUS_OK) {
        browse_source_open(&source, session);
        if (browser_open(&browser, &source, &timeline, is_plain, &err) == STATUS_OK) {
            browser.threads = 1;
            browser_resize(&browser, 80, 24);
            for (size_t i = 0; i < count; i++) {
                press(&browser, keys[i]);
                browser_tick(&browser);
                CLAIM(browser_draw(&browser, &screen) || browser_failed(&browser, &err));
                CLAIM(browser.view.state == TRAWL_START ||
                      browser.view.state < session->view.info.events);
            }
        }
        browser_close(&browser);
    }
    free(screen.cells);
    timeline_close(&timeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct session session;
    struct error err;
    if (size_bytes < 2 || size_bytes > TRACE_BYTES_MAX)
        return 0;
    size_t count = data[1] % (KEYS_MAX + 1);
    if (size_bytes < 2 + count)
        return 0;
    session_begin(&session, READING_TRUE, 1);
    session.path = fuzz_file(data + 2 + count, size_bytes - 2 - count);
    session.index.in_memory = true;
    session.index.segment_events = 16;
    if (session_open_trace(&session, &err) == STATUS_OK &&
        session_open_images(&session, &err) == STATUS_OK &&
        session_index(&session, INDEX_FOR_ANSWERS, &err) == STATUS_OK)
        browse(&session, data[0] & 1, data + 2, count);
    session_free(&session);
    return 0;
}
