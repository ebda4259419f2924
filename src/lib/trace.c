// A trace, and questions about its points.
#include "lib/library.h"

#include "base/fragile.h"
#include "base/map.h"
#include "base/version.h"
#include "cmd/trace_pass.h"
#include "names/source_lines.h"
#include "query/writes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *trawl_version(void)
{
    return TRAWL_VERSION;
}

void trawl_guard_files(void)
{
    map_guard_install();
}

_Static_assert(TRAWL_BEFORE_ALL == TRAWL_START && TRAWL_NOTHING == TRAWL_NONE &&
                   TRAWL_EVERY_LANE == TRAWL_ANY_LANE,
               "the numbers of the index");

// --- Structures and failures of the caller -------------------------------------------------------

void library_give(void *theirs, const void *ours, size_t our_bytes)
{
    uint64_t their_bytes;
    memcpy(&their_bytes, theirs, sizeof their_bytes);
    if (their_bytes <= sizeof their_bytes)
        return;
    const size_t shared = (size_t)u64_min(their_bytes, our_bytes) - sizeof their_bytes;
    memset((char *)theirs + sizeof their_bytes, 0, (size_t)their_bytes - sizeof their_bytes);
    memcpy((char *)theirs + sizeof their_bytes, (const char *)ours + sizeof their_bytes, shared);
}

void library_take(void *ours, size_t our_bytes, const void *theirs)
{
    uint64_t their_bytes = 0;
    if (theirs)
        memcpy(&their_bytes, theirs, sizeof their_bytes);
    memset(ours, 0, our_bytes);
    if (their_bytes)
        memcpy(ours, theirs, (size_t)u64_min(their_bytes, our_bytes));
}

static enum trawl_result give_failure(struct trawl_failure *failure, enum trawl_result result,
                                      const struct error *err)
{
    struct trawl_failure ours = {.result = result, .line = err->line, .offset = err->offset};
    snprintf(ours.text, sizeof ours.text, "%s", err->text);
    if (failure)
        library_give(failure, &ours, sizeof ours);
    return result;
}

enum trawl_result library_fail(struct trawl_failure *failure, const struct error *err)
{
    static const enum trawl_result results[] = {
        [STATUS_IO] = TRAWL_FAILED_IO,         [STATUS_INPUT] = TRAWL_FAILED_INPUT,
        [STATUS_LIMIT] = TRAWL_FAILED_LIMIT,   [STATUS_MEMORY] = TRAWL_FAILED_MEMORY,
        [STATUS_DAMAGED] = TRAWL_FAILED_INPUT, [STATUS_NOT_FOUND] = TRAWL_FAILED_NOT_FOUND,
        [STATUS_STOPPED] = TRAWL_FAILED_INPUT,
    };
    return give_failure(failure, results[err->status], err);
}

enum trawl_result library_refuse(struct trawl_failure *failure, const char *format, ...)
{
    struct error err;
    va_list args;
    va_start(args, format);
    error_set_list(&err, STATUS_INPUT, format, args);
    va_end(args);
    return give_failure(failure, TRAWL_FAILED_USAGE, &err);
}

enum trawl_result library_result(enum trawl_status status, const struct trawl_error *from,
                                 struct trawl_failure *failure)
{
    struct error err;
    return index_status(status, from, &err) == STATUS_OK ? TRAWL_DONE : library_fail(failure, &err);
}

enum trawl_result library_host_failure(struct trawl_failure *failure,
                                       const struct command_host *host, const char *messages,
                                       enum exit_status status)
{
    if (host->failure.status != STATUS_OK && status != EXIT_STATUS_USAGE)
        return library_fail(failure, &host->failure);
    struct error err = {.offset = ERROR_NO_OFFSET};
    if (host->failure.status != STATUS_OK) {
        err = host->failure;
    } else {
        const char *text = strncmp(messages, "trawl", 5) == 0 ? strstr(messages, ": ") : NULL;
        text = text ? text + 2 : messages;
        error_set(&err, STATUS_INPUT, "%.*s", (int)u64_min(strcspn(text, "\n"), 400), text);
    }
    return give_failure(failure, TRAWL_FAILED_USAGE, &err);
}

// The failure that the trace's command has noted.
static enum trawl_result failure_of(const struct trawl_trace *trace, struct trawl_failure *failure)
{
    return library_host_failure(failure, &trace->host, "", trace->command.status);
}

// --- Open ----------------------------------------------------------------------------------------

static const struct option_spec no_options[] = {{0}};

static const struct command_spec open_command = {
    .name = "open",
    .option_set = OPTIONS_TRAWL,
    .groups = QUERY_OPTION_GROUPS(no_options),
    .positionals = query_positional,
    .alternatives = trace_alternatives,
};

// Reads an index that fits, or builds one; again, if it proves to be damaged.
static bool open_index(struct command *command)
{
    bool is_open;
    do {
        command->is_damaged = false;
        is_open = query_open(command);
        if (command->is_damaged)
            session_forsake_view(&command->session, STATUS_DAMAGED);
    } while (command->is_damaged);
    return is_open;
}

static bool open_trace(struct trawl_trace *trace, char *const *words)
{
    struct command *command = &trace->command;
    const struct command_steps steps = {.self = trace};
    struct options_parser parser;
    command_begin(command, &trace->spec);
    command->asks_index = true;
    command->session.asks_calls = command->session.asks_loads = true;
    if (!command_options(command, &parser, (int)trace->words.items.count, words, &steps)) {
        command->status = parser.status;
        return false;
    }
    return command_open_images(command) && open_index(command);
}

static void free_trace(struct export_owner *owner)
{
    struct trawl_trace *trace = (struct trawl_trace *)owner;
    source_lines_free(&trace->lines);
    command_free(&trace->command);
    fclose(trace->host.messages);
    free(trace->messages);
    words_free(&trace->words);
    free(trace);
}

void trawl_trace_close(struct trawl_trace *trace)
{
    if (trace)
        export_owner_drop(&trace->owner);
}

// The words of the command line that opens it.
static enum trawl_result put_words(struct words *words, const char *path,
                                   const struct trawl_trace_options *how,
                                   struct trawl_failure *failure)
{
    bool has_demangling = false;
    for (uint64_t i = 0; i < how->image_count; i++)
        words_add(words, "--image=%s", how->images[i]);
    if (how->index_path)
        words_add(words, "--index=%s", how->index_path);
    if (how->is_in_memory)
        words_add(words, "--memory-index");
    if (how->threads)
        words_add(words, "--threads=%llu", (unsigned long long)how->threads);
    for (uint64_t i = 0; i < how->word_count; i++) {
        if (strncmp(how->words[i], "--", 2) != 0 || !how->words[i][2])
            return library_refuse(failure, "'%.100s': expected an option, as --NAME=VALUE",
                                  how->words[i]);
        words_add(words, "%s", how->words[i]);
        has_demangling |= strcmp(how->words[i], "--no-demangle") == 0;
    }
    if (!has_demangling)
        words_add(words, "--demangle");
    words_add(words, "--");
    words_add(words, "%s", path);
    return TRAWL_DONE;
}

// What is said from now on is said by failures: it need not be kept.
static bool end_messages(struct trawl_trace *trace)
{
    enum { ROOM_BYTES = 1024 };
    FILE *rest = fmemopen(NULL, ROOM_BYTES, "w");
    if (!rest)
        return false;
    fclose(trace->host.messages);
    trace->host.messages = trace->command.diag.out = rest;
    return true;
}

enum trawl_result trawl_trace_open(struct trawl_trace **out, const char *path,
                                   const struct trawl_trace_options *options,
                                   struct trawl_failure *failure)
{
    const struct error no_memory = {
        .status = STATUS_MEMORY, .offset = ERROR_NO_OFFSET, .text = "no memory to open a trace"};
    struct trawl_trace_options how;
    struct trawl_trace *trace = calloc(1, sizeof *trace);
    *out = NULL;
    if (!trace)
        return library_fail(failure, &no_memory);
    library_take(&how, sizeof how, options);
    trace->owner = (struct export_owner){.users = 1, .free = free_trace};
    trace->spec = open_command;
    trace->spec.host = &trace->host;
    trace->host.messages = open_memstream(&trace->messages, &trace->messages_bytes);
    enum trawl_result result = put_words(&trace->words, path, &how, failure);
    char **words = words_end(&trace->words);
    if (result == TRAWL_DONE && (!trace->host.messages || !words))
        result = library_fail(failure, &no_memory);
    if (result != TRAWL_DONE) {
        if (trace->host.messages)
            fclose(trace->host.messages);
        free(trace->messages);
        words_free(&trace->words);
        free(trace);
        return result;
    }
    const bool is_open = open_trace(trace, words);
    if (is_open)
        query_sum_up(&trace->command);
    fflush(trace->host.messages);
    if (is_open && !end_messages(trace)) {
        trawl_trace_close(trace);
        return library_fail(failure, &no_memory);
    }
    if (!is_open) {
        result =
            library_host_failure(failure, &trace->host, trace->messages, trace->command.status);
        trawl_trace_close(trace);
        return result;
    }
    *out = trace;
    return TRAWL_DONE;
}

// --- What it is ----------------------------------------------------------------------------------

void trawl_trace_info(const struct trawl_trace *trace, struct trawl_trace_info *info)
{
    const struct index_view *view = &trace->command.session.view;
    const struct trawl_info *of = &view->info;
    const struct trawl_trace_info ours = {
        .kind = of->kind,
        .tick_unit = index_tick_unit(of),
        .messages = trace->messages,
        .ticks_per_second = of->ticks_per_second,
        .events = of->events,
        .lanes = of->lanes,
        .lines = of->lines,
        .damaged_lines = of->damaged_lines,
        .address_bytes = of->address_bytes,
        .machine = of->machine,
        .registers = trawl_register_count(view->index),
        .is_big_endian = (of->options & TRAWL_BIG_ENDIAN) != 0,
        .is_snapshots = of->is_snapshots,
    };
    library_give(info, &ours, sizeof ours);
}

static enum trawl_result check_number(const char *what, uint64_t number, uint64_t count,
                                      struct trawl_failure *failure)
{
    return number < count
               ? TRAWL_DONE
               : library_refuse(failure, "%s %llu: there are %llu, numbered from 0", what,
                                (unsigned long long)number, (unsigned long long)count);
}

static enum trawl_result check_lane(const struct trawl_trace *trace, uint64_t lane,
                                    struct trawl_failure *failure)
{
    return check_number("lane", lane, trace->command.session.view.info.lanes, failure);
}

static enum trawl_result check_event(const struct trawl_trace *trace, uint64_t event,
                                     struct trawl_failure *failure)
{
    return check_number("event", event, trace->command.session.view.info.events, failure);
}

enum trawl_result trawl_trace_lane(struct trawl_trace *trace, uint64_t lane,
                                   struct trawl_trace_lane *about, struct trawl_failure *failure)
{
    enum trawl_result result = check_lane(trace, lane, failure);
    if (result != TRAWL_DONE)
        return result;
    const struct trawl_lane *of = &trace->command.session.view.lanes[lane];
    const struct trawl_trace_lane ours = {.name = of->name,
                                          .events = of->events,
                                          .instructions = of->instructions,
                                          .calls = of->calls};
    library_give(about, &ours, sizeof ours);
    return TRAWL_DONE;
}

enum trawl_result trawl_trace_register(struct trawl_trace *trace, uint64_t number,
                                       struct trawl_trace_register *about,
                                       struct trawl_failure *failure)
{
    struct trawl_index *index = trace->command.session.view.index;
    struct trawl_register found;
    struct trawl_error from;
    enum trawl_result result =
        check_number("register", number, trawl_register_count(index), failure);
    if (result == TRAWL_DONE)
        result = library_result(trawl_register(index, number, &found, &from), &from, failure);
    if (result != TRAWL_DONE)
        return result;
    const struct trawl_trace_register ours = {.name = found.name,
                                              .size_bytes = found.size_bytes,
                                              .flags = found.flags,
                                              .is_shown = found.shown != 0};
    library_give(about, &ours, sizeof ours);
    return TRAWL_DONE;
}

// --- At a point ----------------------------------------------------------------------------------

enum trawl_result trawl_trace_point(struct trawl_trace *trace, const char *position, uint64_t lane,
                                    uint64_t *event, struct trawl_failure *failure)
{
    struct command *command = &trace->command;
    enum trawl_result result =
        lane == TRAWL_ANY_LANE ? TRAWL_DONE : check_lane(trace, lane, failure);
    if (result != TRAWL_DONE)
        return result;
    command->lane = lane;
    const bool is_found = query_point(command, "", position, event);
    command->lane = TRAWL_ANY_LANE;
    return is_found ? TRAWL_DONE : failure_of(trace, failure);
}

enum trawl_result trawl_trace_event(struct trawl_trace *trace, uint64_t event,
                                    struct trawl_trace_event *about, struct trawl_failure *failure)
{
    struct trawl_event found;
    struct error err;
    enum trawl_result result = check_event(trace, event, failure);
    if (result != TRAWL_DONE)
        return result;
    if (index_view_event(&trace->command.session.view, event, &found, &err) != STATUS_OK)
        return library_fail(failure, &err);
    const bool has_pc = found.flags & TRAWL_HAS_INSTRUCTION;
    const struct trawl_trace_event ours = {
        .event = found.event,
        .lane = found.lane,
        .lane_event = found.in_lane,
        .time = found.time,
        .line = found.line,
        .position = found.position,
        .pc = has_pc ? found.pc & ~UINT64_C(1) : TRAWL_NOTHING,
        .flags = found.flags,
    };
    library_give(about, &ours, sizeof ours);
    return TRAWL_DONE;
}

enum trawl_result trawl_trace_event_of_lane(struct trawl_trace *trace, uint64_t lane,
                                            uint64_t lane_event, uint64_t *event,
                                            struct trawl_failure *failure)
{
    const struct index_view *view = &trace->command.session.view;
    struct trawl_error from;
    enum trawl_result result = check_lane(trace, lane, failure);
    if (result == TRAWL_DONE)
        result = check_number("lane event", lane_event, view->lanes[lane].events, failure);
    if (result == TRAWL_DONE)
        result = library_result(trawl_event_of_lane(view->index, lane, lane_event, event, &from),
                                &from, failure);
    return result;
}

// The last event of a lane at a point, where names of registers have their meaning.
static enum trawl_result find_place(struct trawl_trace *trace, uint64_t lane, uint64_t event,
                                    struct trawl_event *about, struct trawl_failure *failure)
{
    struct error err;
    enum trawl_result result = check_lane(trace, lane, failure);
    if (result == TRAWL_DONE && event != TRAWL_START)
        result = check_event(trace, event, failure);
    if (result != TRAWL_DONE)
        return result;
    enum status status = point_in_lane(&trace->command.session.view, lane, event, about, &err);
    return status == STATUS_OK ? TRAWL_DONE : library_fail(failure, &err);
}

enum trawl_result trawl_trace_value(struct trawl_trace *trace, uint64_t lane, uint64_t event,
                                    const char *expression, uint64_t *value,
                                    struct trawl_failure *failure)
{
    struct command *command = &trace->command;
    struct trawl_event about;
    enum trawl_result result = find_place(trace, lane, event, &about, failure);
    if (result != TRAWL_DONE)
        return result;
    return query_value(command, expression, &about, lane, event, value)
               ? TRAWL_DONE
               : failure_of(trace, failure);
}

// What a user means by `what` at a point, and its address if it is memory.
static enum trawl_result find_location(struct trawl_trace *trace, uint64_t lane, uint64_t event,
                                       const char *what, struct location *location,
                                       uint64_t *address, struct trawl_failure *failure)
{
    struct command *command = &trace->command;
    struct trawl_event about;
    enum trawl_result result = find_place(trace, lane, event, &about, failure);
    *address = 0;
    if (result != TRAWL_DONE)
        return result;
    return query_location(command, what, &about, location) &&
                   (location->kind == LOCATION_REGISTER ||
                    query_address(command, what, location, lane, event, address))
               ? TRAWL_DONE
               : failure_of(trace, failure);
}

enum trawl_result trawl_trace_bytes(struct trawl_trace *trace, uint64_t lane, uint64_t event,
                                    const char *what, uint8_t *values, uint8_t *known,
                                    uint64_t capacity, uint64_t *size_bytes,
                                    struct trawl_failure *failure)
{
    struct trawl_index *index = trace->command.session.view.index;
    struct location location;
    struct trawl_error from;
    uint64_t address;
    *size_bytes = 0;
    enum trawl_result result =
        find_location(trace, lane, event, what, &location, &address, failure);
    if (result != TRAWL_DONE)
        return result;
    if (location.kind == LOCATION_MEMORY) {
        *size_bytes = location.size_bytes;
        return trawl_trace_memory(trace, event, address, u64_min(capacity, location.size_bytes),
                                  values, known, failure);
    }
    *size_bytes = location.which.size_bytes;
    return library_result(trawl_registers(index, lane, event, location.which.offset,
                                          (size_t)u64_min(capacity, location.which.size_bytes),
                                          values, known, &from),
                          &from, failure);
}

enum trawl_result trawl_trace_memory(struct trawl_trace *trace, uint64_t event, uint64_t address,
                                     uint64_t size_bytes, uint8_t *values, uint8_t *known,
                                     struct trawl_failure *failure)
{
    struct trawl_error from;
    enum trawl_result result =
        event == TRAWL_START ? TRAWL_DONE : check_event(trace, event, failure);
    if (result == TRAWL_DONE)
        result = library_result(index_view_memory(&trace->command.session.view, event, address,
                                                  (size_t)size_bytes, values, known, &from),
                                &from, failure);
    for (uint64_t i = 0; result == TRAWL_DONE && i < size_bytes; i++)
        known[i] = known[i] != 0; // also what an image has
    return result;
}

enum trawl_result trawl_trace_accesses(struct trawl_trace *trace, uint64_t lane, uint64_t event,
                                       const char *what, enum trawl_access access,
                                       enum trawl_way way, uint64_t *events, uint64_t capacity,
                                       uint64_t *count, struct trawl_failure *failure)
{
    static const enum write_wish wishes[] = {WISH_WRITES, WISH_READS, WISH_ACCESSES};
    struct location location;
    struct write_found found;
    struct error err;
    uint64_t address;
    *count = 0;
    enum trawl_result result =
        find_location(trace, lane, event, what, &location, &address, failure);
    if (result != TRAWL_DONE)
        return result;
    const bool is_register = location.kind == LOCATION_REGISTER;
    if ((unsigned)access >= ARRAY_COUNT(wishes) || (is_register && access != TRAWL_WRITES))
        return library_refuse(failure, "'%.100s': only writes of a register are known", what);
    struct write_walk *walk = malloc(sizeof *walk);
    if (!walk) {
        error_set(&err, STATUS_MEMORY, "no memory for accesses");
        return library_fail(failure, &err);
    }
    const struct write_target target = {.is_register = is_register,
                                        .lane = is_register ? lane : TRAWL_ANY_LANE,
                                        .start = is_register ? location.which.offset : address,
                                        .size_bytes = is_register ? location.which.size_bytes
                                                                  : location.size_bytes,
                                        .wish = wishes[access]};
    writes_begin(walk, &trace->command.session.view, &target, event, way == TRAWL_BACK);
    enum status status = STATUS_OK;
    while (*count < capacity && (status = writes_next(walk, &found, &err)) == STATUS_OK)
        events[(*count)++] = found.event;
    free(walk);
    return status == STATUS_OK || status == STATUS_NOT_FOUND ? TRAWL_DONE
                                                             : library_fail(failure, &err);
}

// --- Names ---------------------------------------------------------------------------------------

const char *trawl_trace_name(struct trawl_trace *trace, uint64_t address)
{
    return query_name(&trace->command, address);
}

enum trawl_result trawl_trace_symbol(struct trawl_trace *trace, const char *name, uint64_t *address,
                                     uint64_t *size_bytes, struct trawl_failure *failure)
{
    struct error err;
    if (names_find_symbol(&trace->command.session.names, name, address, size_bytes))
        return TRAWL_DONE;
    error_set(&err, STATUS_NOT_FOUND, "'%.200s': no such symbol", name);
    return library_fail(failure, &err);
}

enum trawl_result trawl_trace_line(struct trawl_trace *trace, uint64_t address,
                                   struct trawl_trace_line *about, struct trawl_failure *failure)
{
    struct source_location found;
    struct error err;
    if (!source_lines_find(&trace->lines, &trace->command.session.names, address, &found)) {
        error_set(&err, STATUS_NOT_FOUND, "0x%llx: its source line is not known",
                  (unsigned long long)address);
        return library_fail(failure, &err);
    }
    const struct trawl_trace_line ours = {.file = found.path,
                                          .directory = found.directory,
                                          .line = found.line,
                                          .column = found.column};
    library_give(about, &ours, sizeof ours);
    return TRAWL_DONE;
}
