// The commands of `monitor`: what a trace knows and GDB has no question for.
#include "cli/values.h"
#include "dataflow/chain.h"
#include "dataflow/place.h"
#include "gdb/server.h"
#include "query/exception_text.h"
#include "query/file_place.h"
#include "query/find.h"
#include "query/memory_space.h"
#include "query/point.h"
#include "query/text_around.h"
#include "query/trace_lines.h"
#include "query/writes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { SHOWN = 10, TEXT_CONTEXT = 5 };

struct monitor_command {
    const char *name, *arguments, *summary;
    void (*run)(struct gdb_server *server, const char *argument, struct out *out);
};

static __attribute__((format(printf, 2, 3))) void say(struct out *out, const char *format, ...)
{
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out_text(out, text);
    out_byte(out, '\n');
}

// "event 12  time 34 ns  line 56  cpu0  main+0x8".
static void say_event(struct gdb_server *server, uint64_t event, const char *more, struct out *out)
{
    const struct index_view *view = server->run.view;
    char address[NAMES_ADDRESS_BYTES];
    struct trawl_event about;
    struct error err;
    bool has_pc = false;
    enum status status = index_view_event(view, event, &about, &err);
    if (status == STATUS_OK)
        status = index_view_origin(view, &about, &has_pc, &err);
    if (status != STATUS_OK) {
        say(out, "%s", err.text);
        return;
    }
    const char *place =
        has_pc ? names_or_address(&server->run.session->names, about.pc, address) : "";
    if (server->run.is_of_frames) {
        say(out, "frame %" PRIu64 "  %s  %s%s", about.event, view->lanes[about.lane].name, place,
            more);
        return;
    }
    say(out, "event %" PRIu64 "  time %" PRIu64 " %s  line %" PRIu64 "  %s%s%s%s", about.event,
        about.time, index_tick_unit(&view->info), about.line, view->lanes[about.lane].name,
        *view->lanes[about.lane].name ? "  " : "", place, more);
}

static void where(struct gdb_server *server, const char *argument, struct out *out)
{
    const struct index_view *view = server->run.view;
    struct trawl_event next;
    (void)argument;
    if (gdb_run_next(&server->run, gdb_server_lane(server), server->run.position, &next))
        say_event(server, next.event, "", out);
    else
        say(out, server->run.is_of_frames ? "behind the last frame" : "the end of the trace");
    if (server->run.is_of_frames) {
        say(out, "of %" PRIu64 " frame%s", view->info.events, plural(view->info.events));
        return;
    }
    say(out, "of %" PRIu64 " event%s, %" PRIu64 " line%s", view->info.events,
        plural(view->info.events), view->info.lines, plural(view->info.lines));
}

static void say_stale(struct out *out)
{
    say(out, "GDB does not know yet: 'maintenance flush register-cache' and "
             "'maintenance flush dcache' make it look again");
}

// Where an instruction comes next from now on.
static void move_to(struct gdb_server *server, uint64_t event)
{
    gdb_run_go_to(&server->run, event);
    server->thread = gdb_threads_running(&server->threads, server->run.lane);
}

static struct gdb_bookmark *find_bookmark(struct gdb_server *server, const char *name)
{
    for (size_t i = 0; i < server->bookmarks.count; i++) {
        if (strcmp(server->bookmarks.items[i].name, name) == 0)
            return &server->bookmarks.items[i];
    }
    return NULL;
}

static void go_to(struct gdb_server *server, const char *argument, struct out *out)
{
    struct session *session = server->run.session;
    struct point_names known = {.names = &session->names};
    const struct expression_names names = point_names(&known);
    const struct gdb_bookmark *bookmark = find_bookmark(server, argument);
    struct position position;
    struct error err;
    uint64_t event;
    if (bookmark) {
        move_to(server, bookmark->position);
        server->run.lane = bookmark->lane;
        server->thread = gdb_threads_running(&server->threads, bookmark->lane);
    } else {
        enum status status = file_position_parse(&position, argument, &names, session->trace, &err);
        if (status == STATUS_OK)
            status = point_of(server->run.view, &position, TRAWL_ANY_LANE, &event, &err);
        if (status != STATUS_OK) {
            say(out, "'%.200s': %s", argument, err.text);
            return;
        }
        move_to(server, position.kind == POSITION_END ? server->run.view->info.events : event);
    }
    where(server, "", out);
    say_stale(out);
}

// Gives the position a name for `goto`, or lists the names.
static void bookmark(struct gdb_server *server, const char *argument, struct out *out)
{
    const struct gdb_bookmark here = {.position = server->run.position,
                                      .lane = gdb_server_lane(server)};
    struct gdb_bookmark *mark = find_bookmark(server, argument);
    if (!*argument) {
        for (size_t i = 0; i < server->bookmarks.count; i++) {
            mark = &server->bookmarks.items[i];
            out_text(out, mark->name);
            out_text(out, ": ");
            if (mark->position < server->run.view->info.events)
                say_event(server, mark->position, "", out);
            else
                say(out, "the end of the trace");
        }
        if (!server->bookmarks.count)
            say(out, "none; 'monitor bookmark NAME' gives this position a name for 'goto'");
        return;
    }
    if (strlen(argument) >= GDB_BOOKMARK_BYTES || strpbrk(argument, ": \t\"") ||
        strcmp(argument, "start") == 0 || strcmp(argument, "end") == 0) {
        say(out, "'%.40s' cannot be a name: at most %d characters, without colons and blanks",
            argument, GDB_BOOKMARK_BYTES - 1);
    } else if (!mark && (server->bookmarks.count >= LIMIT_GDB_BOOKMARKS ||
                         !VEC_ROOM(&server->bookmarks, 1))) {
        say(out, "no room for more than %d bookmarks", LIMIT_GDB_BOOKMARKS);
    } else {
        mark = mark ? mark : &server->bookmarks.items[server->bookmarks.count++];
        *mark = here;
        memcpy(mark->name, argument, strlen(argument) + 1);
        where(server, "", out);
    }
}

static void text(struct gdb_server *server, const char *argument, struct out *out)
{
    struct session *session = server->run.session;
    struct trawl_event next;
    struct trace_lines lines;
    struct error err;
    if (!session->trace || !trace_can(session->trace, TRACE_LINES)) {
        say(out, "it has no lines of text here");
        return;
    }
    if (!gdb_run_next(&server->run, gdb_server_lane(server), server->run.position, &next)) {
        say(out, "the end of the trace");
        return;
    }
    if (trace_lines_open(&lines, session->trace->source, &err) != STATUS_OK) {
        say(out, "%s", err.text);
        return;
    }
    uint64_t context = TEXT_CONTEXT;
    const struct line_place place = {next.line, next.position};
    if (*argument && (!parse_u64(argument, &context) || context > LIMIT_GDB_TEXT_LINES))
        say(out, "'%.40s': expected a number up to %d", argument, LIMIT_GDB_TEXT_LINES);
    else
        text_around_put(out, &lines, &place, context);
}

static void put_value(const uint8_t *values, const uint8_t *known, size_t size_bytes,
                      bool is_big_endian, char *value)
{
    char *at = value + sprintf(value, "  0x");
    for (size_t i = 0; i < size_bytes; i++) {
        size_t place = is_big_endian ? i : size_bytes - 1 - i;
        at += known[place] ? sprintf(at, "%02x", values[place]) : sprintf(at, "..");
    }
}

// Names as they are known at the point before which GDB stands.
static enum status names_here(struct gdb_server *server, struct point_names *known,
                              struct error *err)
{
    struct gdb_run *run = &server->run;
    struct trawl_event about = {.event = TRAWL_START};
    const uint64_t lane = gdb_server_lane(server), point = gdb_run_point(run, run->position);
    enum status status = point_in_lane(run->view, lane, point, &about, err);
    *known = (struct point_names){.names = &run->session->names,
                                  .index = run->view->index,
                                  .isa = point_isa(run->view, &about),
                                  .lane = lane,
                                  .event = point};
    return status;
}

// The register or memory that was typed.
static enum status find_typed(struct gdb_server *server, const char *argument,
                              struct location *location, uint64_t *address, uint32_t *isa,
                              struct error *err)
{
    struct point_names known;
    enum status status = names_here(server, &known, err);
    struct point_registers registers = {
        .view = server->run.view, .lane = known.lane, .event = known.event, .names = known.names};
    known.view = known.event == TRAWL_START ? NULL : server->run.view;
    const struct expression_names names = point_c_names(&known, false);
    *isa = known.isa;
    if (status == STATUS_OK)
        status = location_parse(location, argument, &names, err);
    if (status == STATUS_OK && location->kind == LOCATION_MEMORY)
        status = point_address(location, &registers, address, err);
    return status;
}

// The last writes or reads up to here, the last first. The reads of a segment of the index have to
// be decoded, which takes a millisecond, and a place may be read once in each: the list ends after
// some segments, and says so.
static void list_accesses(struct gdb_server *server, const char *argument, enum write_wish wish,
                          struct out *out)
{
    struct gdb_run *run = &server->run;
    const char *what = wish == WISH_READS ? "read" : "write";
    uint64_t point = gdb_run_point(run, run->position);
    struct write_target target = {.lane = gdb_server_lane(server), .wish = wish};
    struct location location;
    struct error err;
    uint32_t isa;
    enum status status = find_typed(server, argument, &location, &target.start, &isa, &err);
    if (status == STATUS_OK) {
        target.is_register = location.kind == LOCATION_REGISTER;
        target.size_bytes = location.size_bytes;
        if (target.is_register)
            target.start = location.which.offset;
        else
            target.lane = TRAWL_ANY_LANE;
        if (target.is_register && wish == WISH_READS)
            status = error_set(&err, STATUS_INPUT, "a register; reads of memory are known");
    }
    struct write_walk *walk = status == STATUS_OK ? calloc(1, sizeof *walk) : NULL;
    if (!walk) {
        say(out, "'%.200s': %s", argument, status == STATUS_OK ? "no memory" : err.text);
        return;
    }
    struct write_found found;
    uint64_t count = 0, segments = 1, segment = point / run->view->info.segment_events;
    bool is_whole = true;
    writes_begin(walk, run->view, &target, point, true);
    while (point != TRAWL_START && count < SHOWN && is_whole &&
           (status = writes_next(walk, &found, &err)) == STATUS_OK) {
        uint8_t values[8], bytes_known[8];
        char value[32] = "";
        size_t size = (size_t)u64_min(target.size_bytes, sizeof values);
        enum trawl_status read =
            target.is_register   ? trawl_registers(run->view->index, found.lane, found.event,
                                                   target.start, size, values, bytes_known, NULL)
            : wish == WISH_READS ? trawl_loaded(run->view->index, found.event, target.start, size,
                                                values, bytes_known, NULL)
                                 : trawl_memory(run->view->index, found.event, target.start, size,
                                                values, bytes_known, NULL);
        if (read == TRAWL_OK)
            put_value(values, bytes_known, size, run->is_big_endian && !target.is_register, value);
        say_event(server, found.event, value, out);
        count++;
        if (wish != WISH_READS)
            continue;
        walk->wanted = 1; // more would be looked for in other segments
        segments += segment != found.event / run->view->info.segment_events;
        segment = found.event / run->view->info.segment_events;
        is_whole = segments < LIMIT_GDB_READ_SEGMENTS;
        if (!is_whole && count < SHOWN)
            say(out, "there may be earlier ones: monitor goto event:%" PRIu64 ", and ask again",
                found.event);
    }
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        say(out, "%s", err.text);
    else if (!count)
        say(out, "no %s up to here", what);
    free(walk);
}

static void writes(struct gdb_server *server, const char *argument, struct out *out)
{
    list_accesses(server, argument, WISH_WRITES, out);
}

static void reads(struct gdb_server *server, const char *argument, struct out *out)
{
    if (server->run.view->info.options & TRAWL_TELLS_LOADS)
        list_accesses(server, argument, WISH_READS, out);
    else
        say(out, "this index does not list what was read");
}

// The calls of the trace that are open here, the innermost first: where each was entered.
static void calls(struct gdb_server *server, const char *argument, struct out *out)
{
    const struct index_view *view = server->run.view;
    const uint64_t lane = gdb_server_lane(server);
    struct names *names = &server->run.session->names;
    struct trawl_event next;
    struct trawl_call call;
    (void)argument;
    if (!gdb_run_next(&server->run, lane, gdb_threads_position(&server->threads, server->thread),
                      &next)) {
        say(out, "the end of the trace");
        return;
    }
    enum trawl_status found = trawl_call_at(view->index, lane, next.in_lane, &call, NULL);
    uint64_t count = 0;
    for (; found == TRAWL_OK && count < LIMIT_GDB_CALLS; count++) {
        struct trawl_event entry;
        struct error err;
        char address[NAMES_ADDRESS_BYTES];
        if (index_view_event_of_lane(view, lane, call.began, &entry, &err) != STATUS_OK)
            break;
        char exception[EXCEPTION_TEXT_BYTES];
        const bool is_told = exception_text(view, names, lane, &call, exception);
        say(out,
            "#%-3" PRIu64 " %s  event %" PRIu64 "  time %" PRIu64 " %s  line %" PRIu64 "%s%s%s",
            count, names_or_address(names, call.pc, address), entry.event, entry.time,
            tick_unit(view->info.ticks_per_second), entry.line,
            is_told                           ? "  ("
            : call.how & TRAWL_CALL_EXCEPTION ? "  (an exception)"
            : call.how & TRAWL_CALL_GUESSED   ? "  (a guess: lines are missing before it)"
                                              : "",
            is_told ? exception : "", is_told ? ")" : "");
        if (call.parent == TRAWL_NONE)
            return;
        found = trawl_call(view->index, lane, call.parent, &call, NULL);
    }
    if (found == TRAWL_OK)
        say(out, "and further");
    else if (!count)
        say(out, "none was entered in the trace");
}

// The copies of a value back to where it was made.
static void origin(struct gdb_server *server, const char *argument, struct out *out)
{
    static const char *const kinds[] = {"moved", "loaded", "stored", "computed", ""};
    struct gdb_run *run = &server->run;
    struct dataflow flow = {0};
    struct chain chain = {.flow = &flow, .limit = LIMIT_GDB_ORIGIN_STEPS};
    struct location location;
    struct error err;
    uint64_t address = 0;
    uint32_t isa;
    if (run->is_of_frames) {
        say(out, "frames do not tell what was computed between them");
        return;
    }
    struct data_target *target = malloc(sizeof *target);
    enum status status = target ? STATUS_OK : error_set(&err, STATUS_MEMORY, "no memory");
    if (status == STATUS_OK)
        status = find_typed(server, argument, &location, &address, &isa, &err);
    if (status == STATUS_OK)
        status = dataflow_open(&flow, run->view, run->session->trace, &err);
    if (status == STATUS_OK)
        status = data_target_of(target, &flow, argument, &location, gdb_server_lane(server),
                                gdb_run_point(run, run->position), address, &err);
    if (status == STATUS_OK)
        status = chain_find(&chain, gdb_run_point(run, run->position), target->cells, target->count,
                            &err);
    for (size_t i = 0; status == STATUS_OK && i < chain.steps.count; i++) {
        const struct chain_step *step = &chain.steps.items[i];
        char place[DATA_PLACE_BYTES], text[DATA_PLACE_BYTES + 96];
        data_place_text(
            run->view,
            &(struct data_place){step->space, step->lane, step->offset, step->size_bytes, 0}, isa,
            place);
        snprintf(text, sizeof text, "  %s %s", place,
                 step->kind == CHAIN_END ? data_end_texts[step->end] : kinds[step->kind]);
        if (step->event == TRAWL_NONE)
            say(out, "%s", text + 2);
        else
            say_event(server, step->event, text, out);
    }
    if (status != STATUS_OK)
        say(out, "'%.200s': %s", argument, err.text);
    else if (chain.is_cut)
        say(out, "and further");
    chain_free(&chain);
    dataflow_close(&flow);
    free(target);
}

// Sets or shows how addresses of memory are understood.
static void space(struct gdb_server *server, const char *argument, struct out *out)
{
    struct trawl_index *index = server->run.view->index;
    const bool is_core = strcmp(argument, "core") == 0;
    char now[MEMORY_SPACE_TEXT_BYTES];
    struct trawl_space about;
    struct trawl_place_doubts doubts;
    struct error err;
    if (*argument &&
        memory_space_set(index, is_core ? NULL : argument, TRAWL_ANY_LANE, &err) != STATUS_OK) {
        say(out, "%s", err.text);
        return;
    }
    gdb_known_forget_memory(&server->run.known);
    memory_space_text(index, now);
    say(out, "addresses of memory: %s", *now ? now : "in the space of the core");
    if (*argument) {
        say(out, "GDB does not know yet: 'maintenance flush dcache' makes it look again");
        return;
    }
    for (uint64_t i = 0; trawl_space(index, i, &about, NULL) == TRAWL_OK; i++)
        say(out, "  %s", about.name);
    trawl_place_doubts(index, &doubts);
    if (doubts.guessed)
        say(out,
            "%" PRIu64 " answer%s so far from a page whose place had to be guessed, the last at "
            "0x%" PRIx64,
            doubts.guessed, plural(doubts.guessed), doubts.address);
}

static void visits(struct gdb_server *server, const char *argument, struct out *out)
{
    struct gdb_run *run = &server->run;
    struct error err;
    struct expression expression;
    struct point_names known;
    uint64_t address, event = gdb_run_point(run, run->position), count = 0;
    enum status status = names_here(server, &known, &err);
    const struct expression_names names = point_names(&known);
    struct point_registers registers = {.view = run->view, .lane = known.lane, .event = event};
    if (status == STATUS_OK)
        status = expression_parse(&expression, argument, strlen(argument), &names, &err);
    if (status == STATUS_OK)
        status = point_value(&expression, &registers, &address, &err);
    if (status != STATUS_OK) {
        say(out, "'%.200s': %s", argument, err.text);
        return;
    }
    for (; count < SHOWN && event != TRAWL_START; count++, event--) {
        if (trawl_visit(run->view->index, TRAWL_ANY_LANE, address & ~UINT64_C(1), event,
                        TRAWL_BACKWARD, &event, NULL) != TRAWL_OK)
            break;
        say_event(server, event, "", out);
    }
    if (!count)
        say(out, "not reached up to here");
}

// When a search ends without a result: GDB cannot interrupt a command of `monitor` (it offers to
// give up the connection), so that this ends itself, and is typed again.
struct find_patience {
    struct gdb_link *link;
    uint64_t until_ns;
};

static bool find_is_over(void *self)
{
    const struct find_patience *patience = self;
    return gdb_link_wants_end(patience->link) || monotonic_ns() >= patience->until_ns;
}

// Goes to where a condition on this core begins to hold next, as a watchpoint would, for which GDB
// sends no condition.
static void find(struct gdb_server *server, const char *argument, struct out *out)
{
    struct gdb_run *run = &server->run;
    struct expression condition;
    struct finder *finder = NULL;
    struct found_point found;
    struct find_patience patience = {&server->link,
                                     monotonic_ns() + LIMIT_GDB_FIND_MS * UINT64_C(1000000)};
    struct point_names known;
    struct error err;
    enum status status = names_here(server, &known, &err);
    struct expression_names names = point_c_names(&known, true);
    const struct find_request request = {.condition = &condition,
                                         .lane = run->is_of_frames ? TRAWL_ANY_LANE : known.lane,
                                         .first = run->position + run->is_of_frames,
                                         .last = UINT64_MAX,
                                         .names = known.names,
                                         .is_over = find_is_over,
                                         .self = &patience};
    names.takes_events = true;
    if (status == STATUS_OK)
        status = expression_parse(&condition, argument, strlen(argument), &names, &err);
    if (status == STATUS_OK)
        status = find_begin(&finder, run->view, &request, &err);
    if (status == STATUS_OK)
        status = find_next(finder, &found, &err);
    find_end(finder);
    if (status == STATUS_NOT_FOUND && err.offset == ERROR_NO_OFFSET) {
        say(out, "'%.200s': does not begin to hold from here on", argument);
    } else if (status == STATUS_STOPPED) {
        move_to(server, found.event);
        say(out, "not up to event %" PRIu64 " of %" PRIu64 "; the same again goes on from there",
            found.event, run->view->info.events);
        say_stale(out);
    } else if (status != STATUS_OK) {
        say(out, "'%.200s': %s", argument, err.text);
    } else {
        // Behind it, where the condition holds.
        move_to(server, found.event + !run->is_of_frames);
        say_event(server, found.event, "", out);
        say_stale(out);
    }
}

static void help(struct gdb_server *server, const char *argument, struct out *out);

static const struct monitor_command commands[] = {
    {"where", "", "event, time and line of the instruction that comes next", where},
    {"goto", "POS", "go to event:N, line:N, time:N, pc:ADDR, pc:ADDR#K, start or end", go_to},
    {"text", "[N]", "the lines of the trace around here", text},
    {"bookmark", "[NAME]", "give this position a name for goto; without NAME: which there are",
     bookmark},
    {"writes", "WHAT", "the last writes to a register, or ADDR:SIZE", writes},
    {"reads", "WHAT", "the last reads of ADDR:SIZE", reads},
    {"origin", "WHAT", "where its value comes from", origin},
    {"find", "CONDITION", "go to where it begins to hold next: first->ticks == 3", find},
    {"space", "[NAME]", "addresses of another space, physical, or core; without NAME: which",
     space},
    {"visits", "ADDR", "when an address was last executed", visits},
    {"calls", "", "the calls of the trace that are open here, and where each began", calls},
    {"help", "", "this list", help},
};

static void help(struct gdb_server *server, const char *argument, struct out *out)
{
    (void)server, (void)argument;
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
        char usage[32];
        snprintf(usage, sizeof usage, "%s %s", commands[i].name, commands[i].arguments);
        say(out, "%-14s %s", usage, commands[i].summary);
    }
}

bool gdb_monitor(struct gdb_server *server, const char *line, struct out *answer)
{
    size_t length = strcspn(line, " \t");
    const char *argument = line + length + strspn(line + length, " \t");
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
        if (strlen(commands[i].name) != length || strncmp(commands[i].name, line, length) != 0)
            continue;
        if (*commands[i].arguments && commands[i].arguments[0] != '[' && !*argument)
            say(answer, "usage: monitor %s %s", commands[i].name, commands[i].arguments);
        else
            commands[i].run(server, argument, answer);
        return true;
    }
    return false;
}
