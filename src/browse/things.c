// Registers and memory that are written and read: the subject of a pane's selection.
#include "browse/pane.h"

#include <inttypes.h>
#include <stdio.h>

void thing_text(const struct browser *browser, const struct thing *thing,
                char text[THING_TEXT_BYTES])
{
    struct trawl_index *index = browser->source->indexed->index;
    uint32_t isa = browser->source->uses_aarch64 ? 2 : 0;
    struct trawl_register found;
    if (!thing->is_register) {
        snprintf(text, THING_TEXT_BYTES, "0x%" PRIx64 ":%" PRIu64, thing->place, thing->size_bytes);
        return;
    }
    snprintf(text, THING_TEXT_BYTES, "a register");
    for (uint64_t i = 0; trawl_register(index, i, &found, NULL) == TRAWL_OK; i++) {
        bool is_it = found.offset == thing->place && found.size_bytes == thing->size_bytes;
        if (is_it && found.isas >> isa & 1) {
            snprintf(text, THING_TEXT_BYTES, "%.*s", THING_TEXT_BYTES - 1, found.name);
            return;
        }
    }
}

void browser_go_to_write(struct browser *browser, const struct thing *thing, uint64_t event,
                         enum write_wanted wanted)
{
    struct trawl_index *index = browser->source->indexed->index;
    struct trawl_error err;
    struct trawl_write write;
    uint64_t found = TRAWL_NONE, in_lane;
    uint64_t lane = timeline_lane_of(browser->timeline, event == TRAWL_START ? 0 : event, &in_lane);
    enum trawl_direction direction = wanted == WRITE_NEXT ? TRAWL_FORWARD : TRAWL_BACKWARD;
    enum trawl_status status;
    if (wanted == WRITE_BEFORE && event != TRAWL_START)
        event--; // of the first: TRAWL_START
    if (thing->is_register)
        status = trawl_register_written(index, lane, event, direction, thing->place,
                                        (size_t)thing->size_bytes, &found, &err);
    else
        status = trawl_memory_written(index, event, direction, thing->place, thing->size_bytes,
                                      &write, &err);
    if (status != TRAWL_OK) {
        browser_complain(browser, wanted == WRITE_NEXT ? "Not written after this"
                                                       : "Not written before this");
        return;
    }
    browser_go(browser, thing->is_register ? found : write.event);
}

// Writes the characters at an address, up to a zero or something that is not a character.
void pane_put_string(struct browser *browser, struct pane *pane, struct row *row, uint64_t address)
{
    enum { STRING_BYTES = 64 };
    uint8_t bytes[STRING_BYTES], known[STRING_BYTES];
    size_t length = 0;
    if (address > UINT64_MAX - STRING_BYTES)
        return;
    browse_memory(browser->source, pane_event(browser, pane), address, STRING_BYTES, bytes, known);
    while (length < STRING_BYTES && known[length] && bytes[length] >= 0x20 && bytes[length] < 0x7f)
        length++;
    bool is_whole = length < STRING_BYTES && known[length] && !bytes[length];
    if (length < 2 || (!is_whole && length < STRING_BYTES))
        return;
    row_string(row, ROLE_STATUS, " \"");
    row_text(row, ROLE_STATUS, (const char *)bytes, length);
    row_string(row, ROLE_STATUS, is_whole ? "\"" : "...");
}

// --- Keys that several panes have ----------------------------------------------------------------

// The register or memory of the selection of a pane, or of the trace. False: reported that there is
// none.
static bool subject_of(struct browser *browser, struct pane *pane, struct thing *thing)
{
    if (pane ? pane->kind->subject(browser, pane, thing) : trace_pane_subject(browser, thing))
        return true;
    if (!browser->message[0])
        browser_complain(browser, pane ? "Its address is unknown here"
                                       : "Select a line of a register or of memory first, by a");
    return false;
}

static uint64_t event_of(const struct browser *browser, const struct pane *pane)
{
    return pane ? pane_event(browser, pane) : browser->view.state;
}

void pane_find_write(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct thing thing;
    if (subject_of(browser, pane, &thing))
        browser_go_to_write(browser, &thing, event_of(browser, pane),
                            key == 'w' ? WRITE_NEXT : WRITE_BEFORE);
}

void pane_find_read(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct thing thing;
    if (subject_of(browser, pane, &thing))
        browser_find_reads(browser, &thing, key == 'u');
}

void pane_list_values(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct thing thing;
    (void)key;
    if (subject_of(browser, pane, &thing))
        browser_add_pane(browser, values_pane_new(browser, &thing, event_of(browser, pane)));
}
