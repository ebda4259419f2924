#include "session/index_trial.h"

#include "flow/messages.h"
#include "idx/index.h"
#include "idx/rows.h"

// The number of bytes of memory that are queried.
#define ASKED_BYTES 64

// It is valid for any query to find nothing.
static bool failed(enum trawl_status status)
{
    return status != TRAWL_OK && status != TRAWL_NOT_FOUND;
}

static bool is_event_lost(struct trawl_index *index, const struct trawl_event *about,
                          struct trawl_error *err)
{
    uint64_t found;
    return failed(trawl_event_of_lane(index, about->lane, about->in_lane, &found, err)) ||
           failed(trawl_event_at_position(index, about->position, &found, err)) ||
           failed(trawl_event_at_line(index, about->line, &found, err)) ||
           failed(trawl_event_at_time(index, about->lane, about->time, &found, err));
}

static bool is_state_lost(struct trawl_index *index, const struct trawl_event *about,
                          struct trawl_error *err)
{
    uint8_t registers[TRAWL_REGISTER_BYTES], known[TRAWL_REGISTER_BYTES];
    struct trawl_write write;
    struct trawl_call call;
    uint64_t event = about->event, pc = about->pc & ~UINT64_C(1);
    return failed(trawl_registers(index, about->lane, event, 0, TRAWL_REGISTER_BYTES, registers,
                                  known, err)) ||
           failed(trawl_memory(index, event, pc, ASKED_BYTES, registers, known, err)) ||
           failed(
               trawl_memory_written(index, event, TRAWL_BACKWARD, pc, ASKED_BYTES, &write, err)) ||
           failed(trawl_call_at(index, about->lane, about->in_lane, &call, err));
}

// Queries the first event and the last, and the messages.
static bool are_answers_lost(struct trawl_index *index, struct error *err)
{
    struct trawl_error from;
    struct trawl_info info;
    struct trawl_event about;
    trawl_info(index, &info);
    for (int is_last = 0; is_last < 2; is_last++) {
        if (trawl_event(index, is_last ? info.events - 1 : 0, &about, &from) != TRAWL_OK ||
            is_event_lost(index, &about, &from) || is_state_lost(index, &about, &from))
            return index_status(from.status, &from, err) != STATUS_OK;
    }
    struct parts parts;
    struct messages messages;
    bool is_there;
    return index_find_section(index, SECTION_MESSAGES, &parts, &is_there, err) != STATUS_OK ||
           (is_there && messages_open(&messages, &parts, err) != STATUS_OK);
}

enum status index_trial_of(struct index_writer *writer, const char *path, struct error *err)
{
    struct map map;
    struct trawl_index *index;
    struct error why;
    enum status status = index_writer_read_back(writer, &map, err);
    if (status != STATUS_OK)
        return status;
    status = index_open_map(&index, path, &map, &why);
    if (status == STATUS_OK) {
        status = are_answers_lost(index, &why) ? why.status : STATUS_OK;
        trawl_close(index);
    }
    return status == STATUS_OK
               ? status
               : error_set(err, status, "the index that was made cannot be read: %s", why.text);
}
