#include "gdb/server.h"

#include "cli/values.h"
#include "report/out.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// What GDB may send at once and ask for: half of a packet, as bytes are sent as two digits.
enum { DATA_BYTES = LIMIT_GDB_PACKET_BYTES / 2 - 64 };

// --- Texts ---------------------------------------------------------------------------------------

static void answer(struct gdb_server *server, const char *text)
{
    gdb_link_send(&server->link, text, strlen(text));
}

static __attribute__((format(printf, 2, 3))) void answer_format(struct gdb_server *server,
                                                                const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    answer(server, text);
}

// Reads a hexadecimal number and moves behind it. False: there is none, or it has over 64 bits.
static bool take_hex(const char **at, uint64_t *value)
{
    const char *start = *at;
    for (*value = 0; hex_digit(**at) >= 0; ++*at) {
        if (*value >> 60)
            return false;
        *value = *value << 4 | (uint64_t)hex_digit(**at);
    }
    return *at != start;
}

static bool take_text(const char **at, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0)
        return false;
    *at += length;
    return true;
}

static void put_hex(struct out *out, const uint8_t *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        out_hex(out, bytes[i], 2);
}

// Sends what was collected. Without memory the client gets an error, not half an answer.
static void answer_out(struct gdb_server *server, struct out *out)
{
    struct error err;
    if (out_failed(out))
        answer(server, "E.no memory");
    else
        gdb_link_send(&server->link, out_memory_text(out), (size_t)out_position(out));
    out_close(out, &err);
}

// --- Threads -------------------------------------------------------------------------------------

// The thread of an id, which is one more than its number; of "0" and "-1", and of none, the current
// one.
static bool take_thread(struct gdb_server *server, const char **at, uint64_t *thread)
{
    uint64_t id;
    *thread = server->thread;
    if (take_text(at, "-1"))
        return true;
    if (!take_hex(at, &id) || id > server->threads.count)
        return false;
    if (id)
        *thread = id - 1;
    return true;
}

static void list_threads(struct gdb_server *server, uint64_t first)
{
    struct out out;
    struct error err;
    if (out_open_memory(&out, &err) != STATUS_OK) {
        answer(server, "l");
        return;
    }
    uint64_t thread = first;
    for (; thread < server->threads.count && out_position(&out) < DATA_BYTES; thread++) {
        out_byte(&out, thread == first ? 'm' : ',');
        out_hex(&out, thread + 1, 1);
    }
    if (thread == first)
        out_byte(&out, 'l');
    answer_out(server, &out);
}

// --- Stops ---------------------------------------------------------------------------------------

static void say_stop(struct gdb_server *server, const struct gdb_stop *stop)
{
    char why[48] = "";
    if (server->run.error.status != STATUS_OK) {
        answer_format(server, "X06"); // the index is damaged: GDB ends, and this server says why
        return;
    }
    if (stop->reason == GDB_STOP_WATCH)
        snprintf(why, sizeof why, "%swatch:%" PRIx64 ";",
                 stop->kind == GDB_READ_WATCHPOINT     ? "r"
                 : stop->kind == GDB_ACCESS_WATCHPOINT ? "a"
                                                       : "",
                 stop->address);
    else if (stop->reason == GDB_STOP_START || stop->reason == GDB_STOP_END)
        snprintf(why, sizeof why, "replaylog:%s;",
                 stop->reason == GDB_STOP_START ? "begin" : "end");
    else if (server->run.is_of_frames && stop->reason == GDB_STOP_STEP && stop->is_at_breakpoint)
        snprintf(why, sizeof why, "swbreak:;"); // so that GDB does not correct the pc of an x86
    server->thread = gdb_threads_running(&server->threads, stop->lane);
    answer_format(server, "T%02x%sthread:%" PRIx64 ";", stop->reason == GDB_STOP_INTERRUPT ? 2 : 5,
                  why, server->thread + 1);
}

// "ACTION[:THREAD]..." of vCont, or one of the packets "c", "s", "CSIGNAL" and "SSIGNAL": the first
// action of a thread decides, as all threads run together.
static void run_actions(struct gdb_server *server, const char *at)
{
    struct gdb_run *run = &server->run;
    uint64_t start = 0, end = 0, thread = server->thread;
    char action = *at;
    at += action != '\0';
    if ((action == 'C' || action == 'S') && !take_hex(&at, &start)) {
        answer(server, "E01");
        return;
    }
    if (action == 'r' && (!take_hex(&at, &start) || !take_text(&at, ",") || !take_hex(&at, &end))) {
        answer(server, "E01");
        return;
    }
    if (take_text(&at, ":") && !take_thread(server, &at, &thread)) {
        answer(server, "E01");
        return;
    }
    struct gdb_stop stop;
    const uint64_t lane = gdb_threads_lane(&server->threads, thread);
    if (action != 'c' && action != 'C' && gdb_threads_running(&server->threads, lane) != thread)
        run->position = gdb_threads_position(&server->threads, thread); // when it runs again
    if (action == 'c' || action == 'C') {
        stop = gdb_run_continue(run, false);
    } else if (action == 's' || action == 'S') {
        stop = gdb_run_step(run, lane, false);
    } else if (action == 'r') {
        stop = gdb_run_range(run, lane, start, end);
    } else {
        answer(server, "E01");
        return;
    }
    say_stop(server, &stop);
}

// --- Registers and memory ------------------------------------------------------------------------

// The registers of packet g, or number `only` of packet p.
static void send_registers(struct gdb_server *server, size_t first, size_t end)
{
    struct out out;
    struct error err;
    if (out_open_memory(&out, &err) != STATUS_OK) {
        answer(server, "E.no memory");
        return;
    }
    const uint64_t position = gdb_threads_position(&server->threads, server->thread);
    struct gdb_run *run = &server->run;
    if (run->is_of_frames &&
        gdb_frames_registers(&run->frames, run->view, position, &out, &err) != STATUS_OK)
        run->error = err;
    for (size_t i = first; i < end; i++) {
        uint8_t bytes[GDB_REGISTER_BYTES_MAX];
        size_t size_bytes = server->run.target.registers[i].size_bytes;
        if (gdb_run_register(&server->run, gdb_server_lane(server), position, i, bytes)) {
            put_hex(&out, bytes, size_bytes);
        } else {
            // Of an Arm core in AArch32, GDB has not even the innermost frame without its stack
            // pointers, and does not step; one that no line has shown yet was not used, either.
            bool is_needed = server->run.target.registers[i].is_needed;
            for (size_t j = 0; j < size_bytes; j++)
                out_text(&out, is_needed ? "00" : "xx");
        }
    }
    answer_out(server, &out);
}

// "mADDRESS,SIZE", or "xADDRESS,SIZE", whose answer has the bytes themselves.
static void send_memory(struct gdb_server *server, const char *at, bool is_binary)
{
    uint64_t address, size;
    if (!take_hex(&at, &address) || !take_text(&at, ",") || !take_hex(&at, &size)) {
        answer(server, "E01");
        return;
    }
    size = u64_min(size, DATA_BYTES);
    uint8_t *bytes = malloc((size_t)size + 1);
    struct out out;
    struct error err;
    size_t known = bytes ? gdb_run_memory(&server->run, address, (size_t)size, bytes) : 0;
    if (size && !known) {
        answer(server, bytes ? "E14" : "E.no memory"); // EFAULT: the trace does not show it
    } else if (out_open_memory(&out, &err) != STATUS_OK) {
        answer(server, "E.no memory");
    } else {
        if (is_binary) {
            out_byte(&out, 'b');
            out_bytes(&out, bytes, known);
        } else {
            put_hex(&out, bytes, known);
        }
        answer_out(server, &out);
    }
    free(bytes);
}

// --- Breakpoints ---------------------------------------------------------------------------------

// ";X LENGTH,HEX..." after a breakpoint: its conditions. False: they are ill-formed or too long.
static bool take_conditions(struct gdb_point *point, const char *at)
{
    while (take_text(&at, ";")) {
        uint64_t length;
        while (*at == ' ')
            at++;
        if (take_text(&at, "cmds:")) // GDB offers only what it was told of
            return false;
        while (take_text(&at, "X")) {
            if (!take_hex(&at, &length) || !take_text(&at, ",") || length > LIMIT_GDB_AGENT_BYTES ||
                strlen(at) < 2 * length || point->code.count + length > LIMIT_GDB_AGENT_BYTES ||
                !VEC_ROOM(&point->code, (size_t)length) || !VEC_ROOM(&point->code_ends, 1))
                return false;
            for (uint64_t i = 0; i < length; i++, at += 2) {
                const char digits[] = {at[0], at[1], '\0'};
                const char *digit = digits;
                uint64_t byte;
                if (!take_hex(&digit, &byte) || *digit)
                    return false;
                point->code.items[point->code.count++] = (uint8_t)byte;
            }
            point->code_ends.items[point->code_ends.count++] = (uint32_t)point->code.count;
        }
    }
    return *at == '\0';
}

// "ZKIND,ADDRESS,SIZE[;CONDITIONS]" and "zKIND,ADDRESS,SIZE".
static void change_point(struct gdb_server *server, const char *at, bool is_added)
{
    struct gdb_point point = {0};
    uint64_t kind;
    if (!take_hex(&at, &kind) || !take_text(&at, ",") || !take_hex(&at, &point.address) ||
        !take_text(&at, ",") || !take_hex(&at, &point.size_bytes)) {
        answer(server, "E01");
        return;
    }
    const bool needs_loads = kind > GDB_WRITE_WATCHPOINT;
    if (kind >= GDB_POINT_KINDS || (server->run.is_of_frames && kind >= GDB_WRITE_WATCHPOINT) ||
        (needs_loads && !(server->run.view->info.options & TRAWL_TELLS_LOADS))) {
        answer(server, "");
        return;
    }
    point.kind = (enum gdb_point_kind)kind;
    if (!is_added) {
        gdb_run_remove(&server->run, point.kind, point.address, point.size_bytes);
        answer(server, "OK");
        return;
    }
    bool is_watch = point.kind >= GDB_WRITE_WATCHPOINT;
    if (is_watch && (!point.size_bytes || point.size_bytes > LIMIT_GDB_WATCHED_BYTES)) {
        answer(server, "E.a watchpoint of so many bytes is not possible");
    } else if (!take_conditions(&point, at) || !gdb_run_add(&server->run, &point)) {
        free(point.code.items);
        free(point.code_ends.items);
        answer(server, "E.no memory, or too many or too long breakpoints");
    } else {
        answer(server, "OK");
    }
}

// --- Queries -------------------------------------------------------------------------------------

// Sends "OFFSET,SIZE" of a document.
static void send_part(struct gdb_server *server, struct out *document, const char *at)
{
    uint64_t offset, size;
    if (!take_hex(&at, &offset) || !take_text(&at, ",") || !take_hex(&at, &size)) {
        answer(server, "E01");
        return;
    }
    struct out part;
    struct error err;
    if (out_failed(document) || out_open_memory(&part, &err) != STATUS_OK) {
        answer(server, "E.no memory");
        return;
    }
    uint64_t length = out_position(document);
    offset = u64_min(offset, length);
    size = u64_min(size, u64_min(length - offset, DATA_BYTES));
    out_byte(&part, offset + size < length ? 'm' : 'l');
    out_bytes(&part, out_memory_text(document) + offset, (size_t)size);
    answer_out(server, &part);
}

static void put_line(void *self, const char *line)
{
    struct out *out = self;
    out_text(out, line);
    out_byte(out, '\n');
}

static void put_description(void *self, const char *line, size_t length)
{
    out_bytes(self, line, length);
    out_byte(self, '\n');
}

static void put_threads(const struct gdb_server *server, struct out *out)
{
    out_text(out, "<?xml version=\"1.0\"?>\n<threads>\n");
    for (uint64_t thread = 0; thread < server->threads.count; thread++) {
        out_text(out, "<thread id=\"");
        out_hex(out, thread + 1, 1);
        out_text(out, "\" name=\"");
        for (const char *at = gdb_threads_name(&server->threads, thread); *at; at++) {
            if (*at == '"')
                out_text(out, "&quot;");
            else
                out_markup(out, *at);
        }
        out_text(out, "\"/>\n");
    }
    out_text(out, "</threads>\n");
}

// Of memory, [start, end); sorted by its start.
struct region {
    uint64_t start, end;
};

static void put_region(struct out *out, const char *type, uint64_t start, uint64_t end)
{
    char line[128];
    snprintf(line, sizeof line,
             "<memory type=\"%s\" start=\"0x%" PRIx64 "\" length=\"0x%" PRIx64 "\"/>", type, start,
             end - start);
    if (end > start)
        put_line(out, line);
}

// What the program cannot write is ROM, so that GDB may keep it; everything else may be memory.
static void put_memory_map(const struct gdb_server *server, struct out *out)
{
    const struct image_memory *memory = &server->run.session->image_memory;
    VEC(, struct region) regions = {0};
    uint64_t at = 0;
    for (size_t i = 0; i < memory->parts.count; i++) {
        const struct image_memory_part *part = &memory->parts.items[i];
        for (size_t j = 0; j < part->extents.items.count; j++) {
            const struct image_extent *extent = &part->extents.items.items[j];
            uint64_t start = (extent->first + part->offset) & part->address_mask;
            if (extent->file_bytes && start + extent->file_bytes > start && VEC_ROOM(&regions, 1))
                regions.items[regions.count++] = (struct region){start, start + extent->file_bytes};
        }
    }
    if (regions.count)
        qsort(regions.items, regions.count, sizeof *regions.items, u64_compare);
    out_text(out, "<?xml version=\"1.0\"?>\n<memory-map>\n");
    for (size_t i = 0; i < regions.count; i++) {
        put_region(out, "ram", at, regions.items[i].start);
        put_region(out, "rom", u64_max(at, regions.items[i].start), regions.items[i].end);
        at = u64_max(at, regions.items[i].end);
    }
    put_region(out, "ram", at, UINT64_MAX);
    out_text(out, "</memory-map>\n");
    free(regions.items);
}

// "qXfer:OBJECT:read:ANNEX:OFFSET,SIZE".
static void transfer(struct gdb_server *server, const char *at)
{
    struct out document;
    struct error err;
    if (out_open_memory(&document, &err) != STATUS_OK) {
        answer(server, "E.no memory");
        return;
    }
    bool is_known = true;
    if (server->run.is_of_frames && take_text(&at, "features:read:target.xml:")) {
        const struct trace *trace = server->run.session->trace;
        is_known = trace && trace->kind->telling.describe_target &&
                   trace->kind->telling.describe_target(trace, put_description, &document);
    } else if (take_text(&at, "features:read:target.xml:")) {
        put_line(&document, "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">");
        gdb_target_describe(server->run.machine, &server->run.target, put_line, &document);
    } else if (take_text(&at, "threads:read::")) {
        put_threads(server, &document);
    } else if (take_text(&at, "memory-map:read::")) {
        put_memory_map(server, &document);
    } else if (server->run.session->names.images.members.count &&
               take_text(&at, "exec-file:read:") && (at = strchr(at, ':')) != NULL) {
        at++;
        char *path =
            realpath(image_path(server->run.session->names.images.members.items[0].image), NULL);
        if (path)
            out_text(&document, path);
        free(path);
    } else {
        is_known = false;
    }
    if (is_known)
        send_part(server, &document, at);
    else
        answer(server, at ? "E00" : "E01");
    out_close(&document, &err);
}

// "qRcmd,HEX": a command of `monitor`.
static void run_monitor(struct gdb_server *server, const char *at)
{
    char line[LIMIT_GDB_AGENT_BYTES];
    size_t length = 0;
    uint64_t byte;
    for (; at[0] && at[1] && length < sizeof line - 1; at += 2) {
        const char digits[] = {at[0], at[1], '\0'};
        const char *digit = digits;
        if (!take_hex(&digit, &byte))
            break;
        line[length++] = (char)byte;
    }
    line[length] = '\0';
    struct out out, hex;
    struct error err;
    if (*at || out_open_memory(&out, &err) != STATUS_OK) {
        answer(server, "E01");
        return;
    }
    if (!gdb_monitor(server, line, &out))
        out_text(&out, "no such command; 'monitor help' lists them\n");
    const uint8_t *text = (const uint8_t *)out_memory_text(&out);
    size_t size = (size_t)u64_min(out_position(&out), DATA_BYTES);
    if (size == 0) {
        answer(server, "OK");
    } else if (out_open_memory(&hex, &err) == STATUS_OK) {
        put_hex(&hex, text, size);
        answer_out(server, &hex);
    } else {
        answer(server, "E.no memory");
    }
    out_close(&out, &err);
}

static void describe_thread(struct gdb_server *server, const char *at)
{
    uint64_t thread;
    struct out out;
    struct error err;
    if (!take_thread(server, &at, &thread) || out_open_memory(&out, &err) != STATUS_OK) {
        answer(server, "E01");
        return;
    }
    const char *name = gdb_threads_name(&server->threads, thread);
    put_hex(&out, (const uint8_t *)name, strlen(name));
    answer_out(server, &out);
}

static void answer_query(struct gdb_server *server, const char *at)
{
    if (take_text(&at, "Supported")) {
        answer_format(server,
                      "PacketSize=%zx;QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;"
                      "qXfer:memory-map:read+;qXfer:exec-file:read+;ReverseStep+;"
                      "ReverseContinue+;ConditionalBreakpoints+;vContSupported+;hwbreak-;swbreak%c",
                      LIMIT_GDB_PACKET_BYTES, server->run.is_of_frames ? '+' : '-');
    } else if (take_text(&at, "Xfer:")) {
        transfer(server, at);
    } else if (take_text(&at, "Rcmd,")) {
        run_monitor(server, at);
    } else if (take_text(&at, "fThreadInfo")) {
        list_threads(server, 0);
    } else if (take_text(&at, "sThreadInfo")) {
        answer(server, "l"); // 64 KiB hold more threads than GDB shows
    } else if (take_text(&at, "ThreadExtraInfo,")) {
        describe_thread(server, at);
    } else if (take_text(&at, "Attached")) {
        answer(server, "1"); // so that GDB detaches when it ends
    } else if (take_text(&at, "Symbol")) {
        answer(server, "OK");
    } else if (strcmp(at, "C") == 0) {
        answer_format(server, "QC%" PRIx64, server->thread + 1);
    } else {
        answer(server, "");
    }
}

// --- Packets -------------------------------------------------------------------------------------

static void answer_threads(struct gdb_server *server, const char *at)
{
    uint64_t thread;
    char operation = *at;
    at += operation != '\0';
    if (!take_thread(server, &at, &thread)) {
        answer(server, "E01");
        return;
    }
    if (operation == 'g')
        server->thread = thread;
    answer(server, "OK");
}

static void answer_v(struct gdb_server *server, const char *at)
{
    if (strcmp(at, "Cont?") == 0)
        answer(server, "vCont;c;C;s;S;r");
    else if (take_text(&at, "Cont;"))
        run_actions(server, at);
    else if (take_text(&at, "Kill"))
        answer(server, "OK");
    else
        answer(server, "");
}

static void run_back(struct gdb_server *server, const char *at)
{
    struct gdb_stop stop;
    if (strcmp(at, "c") == 0)
        stop = gdb_run_continue(&server->run, true);
    else if (strcmp(at, "s") == 0)
        stop = gdb_run_step(&server->run, gdb_server_lane(server), true);
    else {
        answer(server, "");
        return;
    }
    say_stop(server, &stop);
}

static void send_one_register(struct gdb_server *server, const char *at)
{
    uint64_t number;
    // GDB's numbers leave room for registers of old FPUs before cpsr, which is 25.
    if (!take_hex(&at, &number)) {
        answer(server, "E01");
        return;
    }
    size_t own = gdb_target_number(&server->run.target, number);
    if (server->run.is_of_frames)
        answer(server, ""); // GDB then asks for the block
    else if (own == server->run.target.count)
        answer(server, "E01");
    else
        send_registers(server, own, own + 1);
}

// Answers a packet. False: it was the last.
static bool answer_packet(struct gdb_server *server)
{
    const char *at = server->link.packet;
    uint64_t thread;
    const struct gdb_stop here = {.reason = GDB_STOP_STEP, .lane = server->run.lane};
    switch (*at++) {
    case '?':
        say_stop(server, &here);
        return true;
    case 'g':
        send_registers(server, 0, server->run.target.count);
        return true;
    case 'p':
        send_one_register(server, at);
        return true;
    case 'm':
    case 'x':
        send_memory(server, at, at[-1] == 'x');
        return true;
    case 'G':
    case 'P':
    case 'M':
    case 'X':
        answer(server, "E.the past does not change: this is a trace");
        return true;
    case 'H':
        answer_threads(server, at);
        return true;
    case 'T':
        answer(server, take_thread(server, &at, &thread) ? "OK" : "E01");
        return true;
    case 'Z':
    case 'z':
        change_point(server, at, at[-1] == 'Z');
        return true;
    case 'v':
        answer_v(server, at);
        return strncmp(at, "Kill", 4) != 0;
    case 'b':
        run_back(server, at);
        return true;
    case 'c':
    case 'C':
    case 's':
    case 'S':
        run_actions(server, at - 1);
        return true;
    case 'q':
        answer_query(server, at);
        return true;
    case 'Q':
        if (strcmp(at, "StartNoAckMode") == 0) {
            answer(server, "OK");
            server->link.acks = false;
        } else {
            answer(server, "");
        }
        return true;
    case 'D':
        answer(server, "OK");
        return false;
    case 'k':
        return false;
    default:
        answer(server, "");
        return true;
    }
}

static bool is_over(void *self)
{
    return gdb_link_wants_end(self);
}

enum status gdb_serve(struct session *session, int in, int out, int rivals, uint64_t position,
                      struct error *err)
{
    struct gdb_server *server = calloc(1, sizeof *server);
    if (!server)
        return error_set(err, STATUS_MEMORY, "no memory");
    const struct gdb_patience patience = {.self = &server->link, .is_over = is_over};
    gdb_link_begin(&server->link, in, out);
    server->link.rivals = rivals;
    enum status status = gdb_run_begin(&server->run, session, position, &patience, err);
    if (status == STATUS_OK)
        status = gdb_threads_begin(&server->threads, &server->run, session->splits_by_task, err);
    if (status == STATUS_OK)
        server->thread = gdb_threads_running(&server->threads, server->run.lane);
    while (status == STATUS_OK && gdb_link_receive(&server->link) && answer_packet(server) &&
           server->run.error.status == STATUS_OK)
        ;
    if (status == STATUS_OK && server->run.error.status != STATUS_OK) {
        *err = server->run.error;
        status = err->status;
    }
    gdb_threads_free(&server->threads);
    gdb_run_free(&server->run);
    free(server->bookmarks.items);
    free(server);
    return status;
}
