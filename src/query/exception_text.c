#include "query/exception_text.h"

#include "query/point.h"
#include "query/register_set.h"

#include <inttypes.h>
#include <stdio.h>

// What Linux calls the table of its system calls, and what precedes the name of each of these.
#define CALL_TABLE "sys_call_table"
#define CALL_PREFIX "sys_"

static bool read_number(const struct index_view *view, uint64_t lane, uint64_t event, uint32_t isa,
                        const char *name, uint64_t *value)
{
    struct trawl_register about;
    struct register_value read;
    struct error err;
    if (trawl_register_named(view->index, isa, name, strlen(name), &about, NULL) != TRAWL_OK ||
        register_read(view, lane, event, &about, &read, &err) != STATUS_OK ||
        read.known_bytes != read.size_bytes || read.size_bytes > sizeof *value)
        return false;
    *value = point_number(read.values, read.size_bytes, false);
    return true;
}

// The level whose cause was written last, up to an event. False: no cause is known.
static bool find_cause(const struct index_view *view, uint64_t lane, uint64_t event, uint32_t isa,
                       const struct arch_causes *causes, size_t *level, uint64_t *cause)
{
    uint64_t last = 0;
    bool has_any = false;
    for (size_t i = 0; causes->registers[i]; i++) {
        struct trawl_register about;
        uint64_t value, written;
        const char *name = causes->registers[i];
        if (!read_number(view, lane, event, isa, name, &value) ||
            trawl_register_named(view->index, isa, name, strlen(name), &about, NULL) != TRAWL_OK ||
            trawl_register_written(view->index, lane, event, TRAWL_BACKWARD, about.offset,
                                   (size_t)about.size_bytes, &written, NULL) != TRAWL_OK ||
            (has_any && written < last))
            continue;
        has_any = true;
        last = written;
        *level = i;
        *cause = value;
    }
    return has_any;
}

// The name that the kernel's table has for a system call; NULL: not known.
static const char *name_of_call(const struct index_view *view, struct names *names, uint64_t event,
                                uint64_t number, uint64_t word_bytes)
{
    struct image_symbol table;
    struct trawl_error from;
    uint8_t bytes[8], known[8];
    if (!image_set_by_name(&names->images, CALL_TABLE, &table) || number > UINT16_MAX ||
        word_bytes > sizeof bytes ||
        index_view_memory(view, event, table.address + number * word_bytes, (size_t)word_bytes,
                          bytes, known, &from) != TRAWL_OK)
        return NULL;
    for (size_t i = 0; i < word_bytes; i++) {
        if (!known[i])
            return NULL;
    }
    const char *name =
        names_of(names, point_number(bytes, (size_t)word_bytes, names->is_big_endian));
    const char *start = strstr(name, CALL_PREFIX);
    return start && start[strlen(CALL_PREFIX)] ? start + strlen(CALL_PREFIX) : NULL;
}

bool exception_text(const struct index_view *view, struct names *names, uint64_t lane,
                    const struct trawl_call *exception, char text[EXCEPTION_TEXT_BYTES])
{
    const struct arch_causes *causes = view->arch ? view->arch->causes : NULL;
    struct trawl_event entry, site;
    struct error err;
    uint64_t cause, number, address;
    size_t level;
    if (!(exception->how & TRAWL_CALL_EXCEPTION))
        return false;
    if (exception->how & TRAWL_CALL_INTERRUPT) {
        snprintf(text, EXCEPTION_TEXT_BYTES, "interrupt");
        return true;
    }
    if (!causes || !exception->began ||
        index_view_event_of_lane(view, lane, exception->began, &entry, &err) != STATUS_OK ||
        index_view_event_of_lane(view, lane, exception->began - 1, &site, &err) != STATUS_OK)
        return false;
    const uint32_t isa = point_isa(view, &entry), isa_of_site = point_isa(view, &site);
    if (!find_cause(view, lane, entry.event, isa, causes, &level, &cause))
        return false;
    const struct arch_cause *found = causes->causes;
    const uint64_t which = cause >> causes->shift & causes->mask;
    while (found->what && !(which >= found->first && which <= found->last))
        found++;
    if (!found->what)
        return false;
    const char *const in = causes->numbers[isa_of_site == ARCH_ISA_64];
    const struct arch_isa *of_kernel = &view->arch->isas[isa];
    if (found->is_call && in && read_number(view, lane, site.event, isa_of_site, in, &number)) {
        const char *name = isa == isa_of_site ? name_of_call(view, names, entry.event, number,
                                                             of_kernel->word_bytes)
                                              : NULL;
        snprintf(text, EXCEPTION_TEXT_BYTES, "%s %" PRIu64 "%s%.80s%s", found->what, number,
                 name ? " (" : "", name ? name : "", name ? ")" : "");
    } else if (found->has_address &&
               read_number(view, lane, entry.event, isa, causes->addresses[level], &address)) {
        snprintf(text, EXCEPTION_TEXT_BYTES, "%s at 0x%" PRIx64, found->what, address);
    } else {
        snprintf(text, EXCEPTION_TEXT_BYTES, "%s", found->what);
    }
    return true;
}
