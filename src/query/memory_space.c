#include "query/memory_space.h"

#include "idx/caller.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// The number of the space with this in its name.
static enum status find_space(struct trawl_index *index, const char *wanted, uint64_t *space,
                              struct error *err)
{
    struct trawl_space about;
    struct trawl_error from;
    enum trawl_status status;
    uint64_t count = 0;
    for (uint64_t i = 0; (status = trawl_space(index, i, &about, &from)) == TRAWL_OK; i++) {
        if (!strcasestr(about.name, wanted))
            continue;
        *space = i;
        if (strcasecmp(about.name, wanted) == 0)
            return STATUS_OK;
        count++;
    }
    if (status != TRAWL_NOT_FOUND)
        return index_status(status, &from, err);
    if (count == 1)
        return STATUS_OK;
    if (!trawl_has_places(index))
        return error_set(err, STATUS_NOT_FOUND,
                         "space '%.100s': the trace shows no physical addresses other than the "
                         "virtual ones, so there is one space",
                         wanted);
    return error_set(
        err, STATUS_NOT_FOUND, "space '%.100s': %s ('trawl doctor' lists them)", wanted,
        count ? "several address spaces have this in their names" : "no such address space");
}

enum status memory_space_set(struct trawl_index *index, const char *name, uint64_t lane,
                             struct error *err)
{
    struct trawl_memory_view view = {.lane = lane, .event = TRAWL_NONE, .space = TRAWL_NONE};
    struct trawl_error from;
    view.is_physical = name && strcasecmp(name, "physical") == 0;
    enum status status = STATUS_OK;
    if (name && *name && !view.is_physical)
        status = find_space(index, name, &view.space, err);
    return status == STATUS_OK ? index_status(trawl_see_memory(index, &view, &from), &from, err)
                               : status;
}

const char *memory_space_doubt(struct trawl_index *index, uint64_t event, uint64_t address,
                               uint64_t size_bytes)
{
    struct trawl_place place;
    if (!trawl_has_places(index))
        return NULL;
    for (uint64_t done = 0; done < size_bytes; done += place.size_bytes) {
        if (trawl_place(index, event, address + done, &place, NULL) != TRAWL_OK ||
            !place.size_bytes)
            return NULL;
        if (place.kind == TRAWL_PLACE_GUESSED)
            return "the address space at this point shows no access to this page, and others have "
                   "it at several physical addresses: it is shown where another space has it";
    }
    return NULL;
}

void memory_space_text(struct trawl_index *index, char text[MEMORY_SPACE_TEXT_BYTES])
{
    struct trawl_memory_view seen;
    struct trawl_space about;
    trawl_seen_memory(index, &seen);
    text[0] = '\0';
    if (seen.is_physical)
        snprintf(text, MEMORY_SPACE_TEXT_BYTES, "physical addresses");
    else if (seen.space != TRAWL_NONE && trawl_space(index, seen.space, &about, NULL) == TRAWL_OK)
        snprintf(text, MEMORY_SPACE_TEXT_BYTES, "in %s", about.name);
}
