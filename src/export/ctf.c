#include "export/call_writers.h"

#include "base/interrupt.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "base/version.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT32_C(0xc1fc1fc1)
#define PACKET_BYTES ((size_t)1 << 20) // of events in a packet
#define HEAD_BYTES (4 + 4 + 4 * 8)     // of a packet, before the name of the lane
#define NANOS_PER_S UINT64_C(1000000000)

enum { EVENT_ENTER, EVENT_LEAVE, EVENT_MARK, EVENT_ARGUMENT, EVENT_OTHER, EVENT_STATE };

void ctf_init(struct ctf *ctf, const char *directory, struct names *names)
{
    *ctf = (struct ctf){.directory = directory, .names = names};
}

static bool no_memory(struct ctf *ctf)
{
    ctf->lacks_memory = true;
    return false;
}

static bool has_failed(const struct ctf *ctf)
{
    return ctf->lacks_memory || ctf->failure.status != STATUS_OK;
}

// --- Bytes ---------------------------------------------------------------------------------------

static void put_bytes(struct ctf *ctf, const void *bytes, size_t length)
{
    if (!VEC_ROOM(&ctf->packet, length)) {
        no_memory(ctf);
        return;
    }
    memcpy(ctf->packet.items + ctf->packet.count, bytes, length);
    ctf->packet.count += length;
}

static void set_number(uint8_t *at, uint64_t value, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_number(struct ctf *ctf, uint64_t value, size_t size_bytes)
{
    uint8_t bytes[8];
    set_number(bytes, value, size_bytes);
    put_bytes(ctf, bytes, size_bytes);
}

// Writes text up to a NUL, and a terminating NUL.
static void put_text(struct ctf *ctf, const char *text, size_t length)
{
    size_t start = ctf->packet.count;
    put_bytes(ctf, text, strnlen(text, length));
    if (!ctf->lacks_memory)
        utf8_make_inert((char *)ctf->packet.items + start, ctf->packet.count - start);
    put_number(ctf, 0, 1);
}

// --- Packets -------------------------------------------------------------------------------------

// The head of a packet is filled in when the packet is written.
static void begin_packet(struct ctf *ctf)
{
    static const uint8_t zeros[HEAD_BYTES];
    ctf->packet.count = 0;
    ctf->enter = 0;
    put_bytes(ctf, zeros, sizeof zeros);
    put_text(ctf, ctf->lane, SIZE_MAX);
    ctf->head_bytes = ctf->packet.count;
    ctf->first = ctf->last;
}

// Sizes are in bits.
static bool end_packet(struct ctf *ctf)
{
    uint8_t *head = ctf->packet.items;
    if (ctf->is_caught && interrupt_is_asked())
        error_set(&ctf->failure, STATUS_INPUT, "%s: interrupted", ctf->directory);
    if (has_failed(ctf))
        return false;
    set_number(head, MAGIC, 4);
    set_number(head + 4, 0, 4); // stream id: there is one kind of stream
    set_number(head + 8, ctf->first, 8);
    set_number(head + 16, ctf->last, 8);
    set_number(head + 24, (uint64_t)ctf->packet.count * 8, 8);
    set_number(head + 32, (uint64_t)ctf->packet.count * 8, 8);
    out_bytes(&ctf->out, head, ctf->packet.count);
    return !out_failed(&ctf->out);
}

// Ends the lane's file.
static bool end_lane(struct ctf *ctf)
{
    bool was_open = ctf->is_open;
    ctf->is_open = false;
    if (!was_open)
        return true;
    if (!end_packet(ctf) && !out_failed(&ctf->out)) {
        out_abandon(&ctf->out);
        return false;
    }
    return out_close(&ctf->out, &ctf->failure) == STATUS_OK;
}

// --- Events --------------------------------------------------------------------------------------

static bool begin_event(struct ctf *ctf, uint8_t kind, uint64_t time)
{
    uint64_t at = time > ctf->start ? time - ctf->start : 0;
    if (ctf->packet.count >= PACKET_BYTES) {
        if (!end_packet(ctf))
            return false;
        begin_packet(ctf);
    }
    if (ctf->packet.count == ctf->head_bytes)
        ctf->first = u64_max(at, ctf->last);
    ctf->last = u64_max(at, ctf->last); // times must not decrease
    ctf->enter = 0;
    put_number(ctf, kind, 1);
    put_number(ctf, ctf->last, 8);
    return !ctf->lacks_memory;
}

static bool on_begin(void *self, uint64_t start, uint64_t hz)
{
    struct ctf *ctf = self;
    ctf->start = start;
    ctf->hz = hz;
    return true;
}

static void path_of(const struct ctf *ctf, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", ctf->directory, name);
}

static void lane_file(uint64_t number, char name[32])
{
    snprintf(name, 32, "lane_%" PRIu64, number);
}

// From now on there is something that must not stay if the export is not completed.
static bool make_directory(struct ctf *ctf)
{
    if (!interrupt_is_asked() && !interrupt_is_caught())
        ctf->is_caught = interrupt_catch(INTERRUPT_BY_BOTH);
    ctf->is_made = mkdir(ctf->directory, 0777) == 0;
    if (!ctf->is_made && errno != EEXIST)
        error_set_errno(&ctf->failure, ctf->directory, "make the directory");
    return !has_failed(ctf);
}

static bool on_lane(void *self, const struct call_lane *lane)
{
    struct ctf *ctf = self;
    char path[PATH_MAX], name[32];
    if (!end_lane(ctf) || (!ctf->lane_count && !make_directory(ctf)))
        return false;
    free(ctf->lane);
    ctf->lane = strdup(lane->name);
    if (!ctf->lane)
        return no_memory(ctf);
    lane_file(ctf->lane_count, name);
    path_of(ctf, name, path);
    if (out_open(&ctf->out, path, &ctf->failure) != STATUS_OK)
        return false;
    ctf->is_open = true;
    ctf->lane_count++;
    ctf->open.count = 0;
    ctf->last = 0;
    begin_packet(ctf);
    return !ctf->lacks_memory;
}

// --- Calls ---------------------------------------------------------------------------------------

static bool has_addresses(const struct ctf *ctf)
{
    return !ctf->names->options.ids;
}

static bool on_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct ctf *ctf = self;
    uint32_t function;
    (void)how;
    if (!begin_event(ctf, EVENT_ENTER, time))
        return false;
    if (!name_ids_of(&ctf->ids, pc, &function) || !VEC_ROOM(&ctf->open, 1))
        return no_memory(ctf);
    ctf->open.items[ctf->open.count++] = function;
    put_number(ctf, function, 4);
    if (has_addresses(ctf)) {
        put_number(ctf, pc & ~UINT64_C(1), 8);
        put_number(ctf, 0, 8);
        ctf->enter = ctf->packet.count;
    }
    return !ctf->lacks_memory;
}

static void on_place(void *self, uint64_t line, uint64_t pc)
{
    struct ctf *ctf = self;
    (void)pc;
    if (ctf->enter)
        set_number(ctf->packet.items + ctf->enter - 8, line, 8);
}

static bool on_leave(void *self, uint64_t time)
{
    struct ctf *ctf = self;
    ASSERT(ctf->open.count);
    if (!begin_event(ctf, EVENT_LEAVE, time))
        return false;
    put_number(ctf, ctf->open.items[--ctf->open.count], 4);
    return !ctf->lacks_memory;
}

static bool on_instant(void *self, const struct call_instant *instant)
{
    struct ctf *ctf = self;
    if (!begin_event(ctf, EVENT_OTHER, instant->time))
        return false;
    put_text(ctf, instant->name, SIZE_MAX);
    put_text(ctf, instant->has_function ? names_of(ctf->names, instant->pc) : "", SIZE_MAX);
    put_text(ctf, instant->payload ? instant->payload : "", instant->payload_bytes);
    put_number(ctf, instant->has_type ? instant->type : 0, 8);
    return !ctf->lacks_memory;
}

static void on_mark(void *self, const char *what)
{
    struct ctf *ctf = self;
    if (begin_event(ctf, EVENT_MARK, 0))
        put_text(ctf, what, SIZE_MAX);
}

static void on_argument(void *self, uint64_t value)
{
    struct ctf *ctf = self;
    if (begin_event(ctf, EVENT_ARGUMENT, 0))
        put_number(ctf, value, 8);
}

bool ctf_span(struct ctf *ctf, uint64_t from, uint64_t until, const char *name)
{
    if (!begin_event(ctf, EVENT_STATE, from))
        return false;
    put_text(ctf, name, SIZE_MAX);
    put_number(ctf, until - from, 8);
    return !ctf->lacks_memory;
}

struct call_sink ctf_sink(struct ctf *ctf)
{
    return (struct call_sink){ctf,        on_begin, on_lane,     on_enter, on_leave,
                              on_instant, on_mark,  on_argument, on_place};
}

// --- The description -----------------------------------------------------------------------------

static const char types[] =
    "/* CTF 1.8 */\n\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; base = 16; } := address_t;\n\n"
    "trace {\n    major = 1;\n    minor = 8;\n    byte_order = le;\n"
    "    packet.header := struct { uint32_t magic; uint32_t stream_id; };\n};\n\n";

static const char streams[] =
    "typealias integer { size = 64; align = 8; signed = false; map = clock.trace.value; } := "
    "time_t;\n\n"
    "stream {\n    id = 0;\n"
    "    packet.context := struct {\n        time_t timestamp_begin;\n"
    "        time_t timestamp_end;\n        uint64_t content_size;\n"
    "        uint64_t packet_size;\n        string lane;\n    };\n"
    "    event.header := struct { uint8_t id; time_t timestamp; };\n};\n\n";

// A string of TSDL, in quotes.
static void put_string(struct out *out, const char *text)
{
    out_byte(out, '"');
    for (const char *end = text + strlen(text); text < end;) {
        unsigned bytes = utf8_printable(text, (size_t)(end - text));
        if (*text == '"' || *text == '\\')
            out_byte(out, '\\');
        out_bytes(out, bytes ? text : "?", bytes ? bytes : 1);
        text += bytes ? bytes : 1;
    }
    out_byte(out, '"');
}

static void put_setting(struct out *out, const char *name, uint64_t value)
{
    out_text(out, name);
    out_u64(out, value);
    out_text(out, ";\n");
}

static void put_event(struct out *out, const char *name, int id, const char *fields)
{
    out_text(out, "event {\n    name = \"");
    out_text(out, name);
    put_setting(out, "\";\n    id = ", (uint64_t)id);
    out_text(out, "    stream_id = 0;\n    fields := struct { ");
    out_text(out, fields);
    out_text(out, " };\n};\n\n");
}

static void describe(struct ctf *ctf, struct out *out)
{
    out_text(out, types);
    out_text(out, "env {\n    tracer_name = \"trawl\";\n    tracer_version = ");
    put_string(out, TRAWL_VERSION);
    out_text(out, ";\n");
    put_setting(out, "    ticks_known = ", ctf->hz != 0);
    out_text(out, "};\n\nclock {\n    name = trace;\n");
    put_setting(out, "    freq = ", ctf->hz ? ctf->hz : NANOS_PER_S);
    out_text(out, "    description = \"from the first time of the trace\";\n};\n\n");
    // Names by numbers. Several functions may have one name.
    out_text(out, "typealias enum : uint32_t {\n");
    for (size_t i = 0; i < ctf->ids.pcs.count; i++) {
        char address[NAMES_ADDRESS_BYTES];
        out_text(out, "    ");
        put_string(out, names_or_address(ctf->names, ctf->ids.pcs.items[i], address));
        out_text(out, " = ");
        out_u64(out, i);
        out_text(out, ",\n");
    }
    if (!ctf->ids.pcs.count)
        out_text(out, "    \"\" = 0,\n");
    out_text(out, "} := function_t;\n\n");
    out_text(out, streams);
    put_event(out, "enter", EVENT_ENTER,
              has_addresses(ctf) ? "function_t function; address_t pc; uint64_t line;"
                                 : "function_t function;");
    put_event(out, "leave", EVENT_LEAVE, "function_t function;");
    put_event(out, "mark", EVENT_MARK, "string what;");
    put_event(out, "argument", EVENT_ARGUMENT, "uint64_t value;");
    put_event(out, "event", EVENT_OTHER,
              "string what; string function; string data; uint64_t type;");
    put_event(out, "state", EVENT_STATE, "string what; uint64_t ticks;");
}

static bool write_description(struct ctf *ctf)
{
    char path[PATH_MAX];
    struct out out;
    path_of(ctf, "metadata", path);
    if (out_open(&out, path, &ctf->failure) != STATUS_OK)
        return false;
    out_depend(&out, &ctf->names->lacks_memory);
    describe(ctf, &out);
    return out_close(&out, &ctf->failure) == STATUS_OK;
}

// --- The end -------------------------------------------------------------------------------------

bool ctf_end(struct ctf *ctf, bool is_whole)
{
    bool is_done = is_whole && !has_failed(ctf) && end_lane(ctf) &&
                   (ctf->lane_count || make_directory(ctf)) && write_description(ctf);
    if (ctf->is_open)
        out_abandon(&ctf->out);
    if (!is_done) {
        char path[PATH_MAX], name[32];
        for (uint64_t i = 0; i < ctf->lane_count; i++) {
            lane_file(i, name);
            path_of(ctf, name, path);
            unlink(path);
        }
    }
    if (!is_done && ctf->is_made)
        rmdir(ctf->directory);
    if (ctf->is_caught)
        interrupt_let_go();
    free(ctf->lane);
    free(ctf->open.items);
    free(ctf->packet.items);
    name_ids_free(&ctf->ids);
    return is_done;
}
