// Several logs, of processes that ran on one machine at the same time, as one.
//
// They become the bytes of a log (make.c) in which every process of every log has a number in place
// of its id: two logs may have the same ids, if the processes ran one after the other, or in
// containers. What their functions and times mean is made comparable: functions of a further
// program get numbers of objects of their own, and logs whose clocks cannot be the same are
// refused.
//
// When a process forks, the child has copies of all buffers so far, and its log contains them. They
// are left out of it: its calls that were open then begin in its lane where the fork was, so that
// nothing counts twice. The thread that forked goes on in the child under the ids of the parent as
// long as that copy lasts, and under its own ids afterwards: both become one lane.
#include "trace/xray/log_open.h"

#include "base/limits.h"
#include "trace/xray/build.h"
#include "trace/xray/match.h"
#include "trace/xray/objects.h"
#include "trace/xray/record.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// How far the beginnings of two clocks may seem to be apart, in seconds and as a part of the time
// between two logs: wall clocks are set, and a machine that sleeps may stop the other clock.
#define CLOCK_TOLERANCE_S 60.0
#define CLOCK_TOLERANCE 0.01

enum { NO_THREAD = -1, OBJECTS = (XRAY_MADE_FUNCTION_MAX >> XRAY_OBJECT_SHIFT) + 1 };

_Static_assert(OBJECTS == XRAY_PROGRAM_OBJECTS, "each has a place");

// One of the logs.
struct joined_file {
    const struct xray_log_file *about;
    struct xray_log log;
    size_t pids;      // number of its processes
    unsigned program; // index in log->programs
    bool has_shared;
};

// A thread of a log, while links between the threads of its log are found.
struct link {
    uint64_t first_tsc, last_tsc;
    bool is_forking; // it has records of its own after those that it shares with another log
    int64_t next;    // the same thread after a fork; NO_THREAD: it ends
    bool has_before; // it is the `next` of another
};

// An open call of a lane that shares records with another log.
struct open_entry {
    unsigned kind;
    uint16_t cpu;
    size_t first_argument, argument_count;
};

struct joiner {
    struct xray_log *log;              // the result
    const struct xray_log_file *typed; // in the order of the command line
    struct joined_file *files;         // parents first
    size_t count;
    struct xray_maker maker;
    VEC(, struct link) links; // of the threads of the current file
    struct trace_damage damage;
    uint64_t shared;

    // Of the current lane:
    const struct joined_file *file;
    struct xray_made_thread *to;
    bool tracks;             // it shares records with another log
    struct xray_match match; // then: its open calls
    VEC(, struct open_entry) entries;
    VEC(, uint64_t) arguments; // of the entries
    size_t written;            // calls of which the lane has the entry
    uint64_t shared_tsc;       // of the last record that is left out
    // The current function record, whose arguments may follow.
    struct xray_made_record pending;
    VEC(, uint64_t) pending_arguments;
    bool has_pending, is_pending_shared, lacks_objects;
};

bool xray_is_program_name(const char *name, size_t length)
{
    enum { NAME_BYTES = 12 };
    for (size_t i = 0; i < length; i++) {
        unsigned char letter = (unsigned char)name[i];
        if (!isalpha(letter) && (i == 0 || (!isdigit(letter) && letter != '-' && letter != '_')))
            return false;
    }
    return length > 0 && length <= NAME_BYTES;
}

// --- The logs ------------------------------------------------------------------------------------

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the logs");
}

static enum status open_file(struct joined_file *file, const struct xray_log_file *about,
                             struct error *err)
{
    struct error cause;
    file->about = about;
    enum status status = xray_log_open(&file->log, about->bytes, about->size_bytes, &cause);
    if (status != STATUS_OK) {
        error_set_at(err, status, cause.offset, "%s: %.400s", about->path, cause.text);
        err->line = cause.line;
        return status;
    }
    const struct xray_thread *threads = file->log.threads.items;
    for (size_t i = 0; i < file->log.threads.count; i++)
        file->pids += i == 0 || threads[i].pid != threads[i - 1].pid;
    return STATUS_OK;
}

// A child has threads of its parent and its own: parents come first.
ORDER_BY_2(compare_files, struct joined_file, pids, about)

// The first buffer with a wall clock. NULL: there is none.
static const struct xray_buffer *timed_buffer(const struct xray_log *log)
{
    bool has_clock = log->header.type == XRAY_FDR && !log->made;
    for (size_t i = 0; i < log->buffers.count && has_clock; i++) {
        if (log->buffers.items[i].wall_seconds && log->buffers.items[i].first_tsc)
            return &log->buffers.items[i];
    }
    return NULL;
}

// Ticks of one processor count for all logs if they were written after the same boot.
static enum status check_clocks(const struct joined_file *a, const struct joined_file *b,
                                struct error *err)
{
    uint64_t hz = a->log.header.frequency_hz, other_hz = b->log.header.frequency_hz;
    if (hz != other_hz)
        return error_set(err, STATUS_INPUT,
                         "%s: has %" PRIu64 " ticks a second, '%s' %" PRIu64
                         ": they are not of one clock",
                         b->about->path, other_hz, a->about->path, hz);
    const struct xray_buffer *first = timed_buffer(&a->log), *second = timed_buffer(&b->log);
    if (!first || !second)
        return STATUS_OK;
    double wall_s = (double)second->wall_seconds - (double)first->wall_seconds;
    double ticks = (double)second->first_tsc - (double)first->first_tsc;
    double apart_s = wall_s < 0 ? -wall_s : wall_s;
    bool is_backwards = apart_s > 1 && (wall_s > 0) != (ticks > 0);
    double off_s = hz ? wall_s - ticks / (double)hz : 0;
    bool is_off = (off_s < 0 ? -off_s : off_s) > CLOCK_TOLERANCE_S + CLOCK_TOLERANCE * apart_s;
    if (is_backwards || is_off)
        return error_set(err, STATUS_INPUT,
                         "%s: the processor's clock was started anew between it and '%s', as when "
                         "a machine boots: their times cannot be compared",
                         b->about->path, a->about->path);
    return STATUS_OK;
}

// Finds the program of each log, by the name that was typed.
static bool find_programs(struct joiner *joiner)
{
    struct xray_log *log = joiner->log;
    if (!VEC_ROOM(&log->programs, joiner->count + 1))
        return false;
    log->programs.items[log->programs.count++] = (struct xray_program){.name = ""};
    for (size_t i = 0; i < joiner->count; i++) {
        struct joined_file *file = &joiner->files[i];
        const char *name = file->about->program;
        size_t number = 0;
        while (number < log->programs.count && strcmp(log->programs.items[number].name, name) != 0)
            number++;
        if (number == log->programs.count)
            log->programs.items[log->programs.count++] = (struct xray_program){.name = name};
        file->program = (unsigned)number;
    }
    return true;
}

// The number of an object of a program in the result: that of the nameless program keep theirs, the
// others count down. OBJECTS: there are too many.
static uint32_t object_in_result(struct joiner *joiner, uint32_t object)
{
    struct xray_log *log = joiner->log;
    const unsigned program = joiner->file->program;
    if (object >= OBJECTS)
        return OBJECTS;
    if (program == 0) {
        log->plain_objects |= 1u << object;
        return log->named_objects >> object & 1 ? OBJECTS : object;
    }
    struct xray_program *about = &log->programs.items[program];
    if (about->objects[object])
        return about->objects[object];
    for (uint32_t number = OBJECTS - 1; number > 0; number--) {
        if ((log->plain_objects | log->named_objects) >> number & 1)
            continue;
        log->named_objects |= 1u << number;
        return about->objects[object] = (uint8_t)number;
    }
    return OBJECTS;
}

// --- Processes -----------------------------------------------------------------------------------

// Sets *number to that of a process of the current file; gives it a name that no other has.
static enum status find_process(struct joiner *joiner, uint32_t pid, uint32_t *number,
                                struct error *err)
{
    struct xray_log *log = joiner->log;
    const char *program = joiner->file->about->program;
    uint32_t file = (uint32_t)(joiner->file - joiner->files), same = 1;
    struct xray_process process = {.pid = pid, .file = file};
    for (size_t i = 0; i < log->processes.count; i++) {
        const struct xray_process *other = &log->processes.items[i];
        if (other->file == file && other->pid == pid)
            return *number = (uint32_t)i, STATUS_OK;
        same +=
            other->pid == pid && strcmp(program, joiner->files[other->file].about->program) == 0;
    }
    if (log->processes.count == LIMIT_XRAY_PROCESSES)
        return error_set(err, STATUS_LIMIT, "%s: the logs have more than %d processes",
                         joiner->file->about->path, LIMIT_XRAY_PROCESSES);
    if (!VEC_ROOM(&log->processes, 1))
        return no_memory(err);
    uint32_t shown = pid ? pid : (uint32_t)(joiner->file->about - joiner->typed) + 1;
    int length = snprintf(process.name, sizeof process.name, "%s%s%s%" PRIu32, program,
                          *program ? "." : "", pid ? "pid" : "log", shown);
    if (same > 1 && pid)
        snprintf(process.name + length, sizeof process.name - (size_t)length, "-%" PRIu32, same);
    *number = (uint32_t)log->processes.count;
    log->processes.items[log->processes.count++] = process;
    return STATUS_OK;
}

// --- Forks ---------------------------------------------------------------------------------------

// Reads where a thread begins and ends, and whether it forked.
static void look_at_thread(const struct xray_log *log, uint32_t thread, struct link *link)
{
    struct xray_cursor cursor;
    struct xray_record record;
    bool has_shared = false;
    *link = (struct link){.next = NO_THREAD};
    xray_cursor_thread(&cursor, log, thread);
    while (xray_next(&cursor, &record)) {
        if (!xray_is_function(record.kind))
            continue;
        bool is_shared = xray_is_shared(&cursor);
        link->first_tsc = link->last_tsc ? link->first_tsc : record.tsc;
        link->last_tsc = u64_max(link->last_tsc, record.tsc);
        has_shared |= is_shared;
        link->is_forking = has_shared && !is_shared;
    }
}

// Finds the thread of another process whose copy goes on as thread `number`: if it forked, or its
// process has no other thread.
static void find_before(struct joiner *joiner, size_t number)
{
    const struct xray_thread *threads = joiner->file->log.threads.items;
    struct link *links = joiner->links.items;
    size_t found = number;
    for (size_t i = 0; i < joiner->links.count; i++) {
        bool is_only = (i == 0 || threads[i - 1].pid != threads[i].pid) &&
                       (i + 1 == joiner->links.count || threads[i + 1].pid != threads[i].pid);
        if (threads[i].pid != threads[number].pid && links[i].next == NO_THREAD &&
            (links[i].is_forking || is_only) && links[i].last_tsc <= links[number].first_tsc &&
            (found == number || links[i].last_tsc > links[found].last_tsc))
            found = i;
    }
    if (found == number)
        return;
    links[found].next = (int64_t)number;
    links[number].has_before = true;
}

// Finds which threads of the current file go on as others. In basic mode, a child writes into its
// parent's file, or begins one of its own. False: no memory.
static bool find_links(struct joiner *joiner)
{
    const struct joined_file *file = joiner->file;
    const struct xray_log *log = &file->log;
    joiner->links.count = 0;
    if (!VEC_ROOM(&joiner->links, log->threads.count + 1))
        return false;
    joiner->links.count = log->threads.count;
    bool may_fork = file->has_shared && file->pids > 1 && file->pids <= LIMIT_XRAY_FORKS &&
                    log->header.type == XRAY_FDR;
    for (uint32_t i = 0; i < log->threads.count; i++) {
        joiner->links.items[i] = (struct link){.next = NO_THREAD};
        if (may_fork)
            look_at_thread(log, i, &joiner->links.items[i]);
    }
    for (size_t i = 0; i < log->threads.count && may_fork; i++) {
        if (log->threads.items[i].pid == log->threads.items[i].tid)
            find_before(joiner, i);
    }
    return true;
}

// --- Records -------------------------------------------------------------------------------------

// Writes the entries of all open calls that were left out with what both logs have. False: no
// memory.
static bool write_open(struct joiner *joiner)
{
    for (; joiner->written < joiner->entries.count; joiner->written++) {
        const struct open_entry *entry = &joiner->entries.items[joiner->written];
        const struct xray_call *call = &joiner->match.calls.items[joiner->written + 1];
        const struct xray_made_record made = {
            .kind = entry->kind,
            .function = xray_function(call->who),
            .tsc = joiner->shared_tsc,
            .cpu = entry->cpu,
            .arguments =
                entry->argument_count ? joiner->arguments.items + entry->first_argument : NULL,
            .argument_count = entry->argument_count,
        };
        if (!xray_make_record(joiner->to, &made))
            return false;
    }
    return true;
}

static bool open_call(struct joiner *joiner, const struct xray_made_record *record)
{
    const struct xray_call call = {.who = xray_who_of(record->function, 0)};
    if (!VEC_ROOM(&joiner->entries, 1) || !VEC_ROOM(&joiner->arguments, record->argument_count) ||
        !xray_match_enter(&joiner->match, &call))
        return false;
    joiner->entries.items[joiner->entries.count++] = (struct open_entry){
        record->kind, record->cpu, joiner->arguments.count, record->argument_count};
    for (size_t i = 0; i < record->argument_count; i++)
        joiner->arguments.items[joiner->arguments.count++] = record->arguments[i];
    return true;
}

// Takes a function record of a lane that shares records: what both logs have is matched, and left
// out unless it ends a call that only this log has.
static bool take_tracked(struct joiner *joiner, const struct xray_made_record *record,
                         bool is_shared)
{
    struct xray_exits exits = {0};
    if (is_shared)
        joiner->shared_tsc = record->tsc;
    else if (!write_open(joiner))
        return false;
    if (xray_is_enter((enum xray_kind)record->kind)) {
        if (!open_call(joiner, record))
            return false;
        joiner->written += !is_shared;
        return is_shared || xray_make_record(joiner->to, record);
    }
    uint64_t left = xray_match_exit(&joiner->match, record->function, true, &exits);
    if (left == UINT64_MAX)
        return !joiner->match.open.lacks_memory &&
               (is_shared || xray_make_record(joiner->to, record));
    bool is_kept = left < joiner->written;
    while (xray_match_depth(&joiner->match) > left)
        xray_match_leave(&joiner->match);
    joiner->arguments.count = joiner->entries.items[left].first_argument;
    joiner->entries.count = left;
    joiner->written = u64_min(joiner->written, left);
    return !is_kept || xray_make_record(joiner->to, record);
}

// Takes the function record that was read before, whose arguments are complete.
static bool take_pending(struct joiner *joiner)
{
    if (!joiner->has_pending)
        return true;
    joiner->has_pending = false;
    joiner->pending.arguments = joiner->pending_arguments.items;
    joiner->pending.argument_count = joiner->pending_arguments.count;
    return joiner->tracks ? take_tracked(joiner, &joiner->pending, joiner->is_pending_shared)
                          : xray_make_record(joiner->to, &joiner->pending);
}

static bool take_event(struct joiner *joiner, const struct xray_record *record, uint16_t cpu,
                       bool is_shared)
{
    bool is_typed = record->kind == XRAY_TYPED_EVENT;
    const struct xray_made_record made = {
        .kind = is_typed ? XRAY_MADE_TYPED : XRAY_MADE_CUSTOM,
        .tsc = record->tsc,
        .cpu = cpu,
        .type = is_typed ? (uint16_t)record->number : 0,
        .payload = record->payload,
        .payload_bytes = record->payload_bytes,
    };
    return is_shared ||
           ((!joiner->tracks || write_open(joiner)) && xray_make_record(joiner->to, &made));
}

static bool take_record(struct joiner *joiner, const struct xray_cursor *cursor,
                        const struct xray_record *record)
{
    struct trace_fault fault;
    if (record->kind == XRAY_ARGUMENT) {
        if (!joiner->has_pending || !VEC_ROOM(&joiner->pending_arguments, 1))
            return !joiner->has_pending;
        joiner->pending_arguments.items[joiner->pending_arguments.count++] = record->value;
        return true;
    }
    bool is_shared = joiner->tracks && xray_is_shared(cursor);
    if (xray_is_function(record->kind)) {
        if (!take_pending(joiner))
            return false;
        uint32_t object = object_in_result(joiner, record->function >> XRAY_OBJECT_SHIFT);
        joiner->lacks_objects |= object == OBJECTS;
        joiner->pending = (struct xray_made_record){
            .kind = record->kind,
            .function = (object << XRAY_OBJECT_SHIFT |
                         (record->function & ((1u << XRAY_OBJECT_SHIFT) - 1))) &
                        XRAY_MADE_FUNCTION_MAX,
            .tsc = record->tsc,
            .cpu = cursor->cpu,
        };
        joiner->pending_arguments.count = 0;
        joiner->has_pending = true;
        joiner->is_pending_shared = is_shared;
        return true;
    }
    switch (record->kind) {
    case XRAY_CUSTOM_EVENT:
    case XRAY_TYPED_EVENT:
        return take_pending(joiner) && take_event(joiner, record, cursor->cpu, is_shared);
    case XRAY_FAULT:
        fault = record->fault;
        fault.offset += joiner->file->about->first_byte;
        trace_damage_add(&joiner->damage, &fault);
        return true;
    default:
        return true;
    }
}

// --- Lanes ---------------------------------------------------------------------------------------

// Writes a thread and those that it goes on as into one lane, which has the ids of the last.
static enum status write_lane(struct joiner *joiner, size_t first, struct error *err)
{
    const struct xray_log *log = &joiner->file->log;
    const struct link *links = joiner->links.items;
    size_t last = first;
    joiner->tracks = joiner->file->has_shared;
    while (links[last].next != NO_THREAD)
        last = (size_t)links[last].next;
    uint32_t process;
    enum status status = find_process(joiner, log->threads.items[last].pid, &process, err);
    if (status == STATUS_OK)
        status = xray_make_thread(&joiner->maker, process, log->threads.items[last].tid,
                                  &joiner->to, err);
    if (status != STATUS_OK)
        return status;
    joiner->entries.count = joiner->arguments.count = joiner->written = 0;
    joiner->shared_tsc = 0;
    bool has_memory = xray_match_begin(&joiner->match, 0, 0);
    for (int64_t thread = (int64_t)first; thread != NO_THREAD && has_memory;
         thread = links[thread].next) {
        struct xray_cursor cursor;
        struct xray_record record;
        xray_cursor_thread(&cursor, log, (uint32_t)thread);
        while (has_memory && xray_next(&cursor, &record))
            has_memory = take_record(joiner, &cursor, &record);
        has_memory = has_memory && take_pending(joiner);
    }
    if (joiner->lacks_objects)
        return error_set(err, STATUS_LIMIT, "%s: the programs have more than %d objects with XRay",
                         joiner->file->about->path, OBJECTS);
    return has_memory ? STATUS_OK : no_memory(err);
}

static enum status write_file(struct joiner *joiner, struct error *err)
{
    const struct joined_file *file = joiner->file;
    struct trace_damage damage = file->log.damage;
    for (size_t i = 0; i < u64_min(damage.count, LIMIT_DAMAGE_KEPT); i++)
        damage.first[i].offset += file->about->first_byte;
    trace_damage_merge(&joiner->damage, &damage);
    joiner->log->duplicate_buffers += file->log.duplicate_buffers;
    joiner->log->unused_buffers += file->log.unused_buffers;
    joiner->log->file_bytes += file->log.file_bytes;
    if (!find_links(joiner))
        return no_memory(err);
    for (size_t i = 0; i < file->log.threads.count; i++) {
        enum status status =
            joiner->links.items[i].has_before ? STATUS_OK : write_lane(joiner, i, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

// --- The whole -----------------------------------------------------------------------------------

static enum status join(struct joiner *joiner, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 1; i < joiner->count && status == STATUS_OK; i++)
        status = check_clocks(&joiner->files[0], &joiner->files[i], err);
    if (status != STATUS_OK)
        return status;
    qsort(joiner->files, joiner->count, sizeof *joiner->files, compare_files);
    if (!find_programs(joiner))
        return no_memory(err);
    for (size_t i = 0; i < joiner->count && status == STATUS_OK; i++) {
        struct joined_file *file = &joiner->files[i];
        uint64_t shared = 0;
        for (size_t k = 0; k < i; k++) {
            if (joiner->files[k].program == file->program &&
                !xray_log_share(&file->log, &joiner->files[k].log, &shared))
                return no_memory(err);
        }
        file->has_shared = shared > 0;
        joiner->shared += shared;
        joiner->file = file;
        status = write_file(joiner, err);
    }
    return status;
}

// Opens what was made, and gives its threads the ids of their processes.
static enum status open_made(struct joiner *joiner, uint8_t *bytes, uint64_t size_bytes,
                             struct error *err)
{
    struct xray_log made, *log = joiner->log;
    enum status status = xray_log_open(&made, bytes, size_bytes, err);
    made.made = bytes;
    made.told = log->told;
    made.file_bytes = log->file_bytes;
    made.duplicate_buffers = log->duplicate_buffers;
    made.unused_buffers = log->unused_buffers;
    made.shared_buffers = joiner->shared;
    made.damage = joiner->damage;
    made.processes.items = log->processes.items;
    made.processes.count = log->processes.count;
    made.programs.items = log->programs.items;
    made.programs.count = log->programs.count;
    made.plain_objects = log->plain_objects;
    made.named_objects = log->named_objects;
    for (size_t i = 0; i < made.threads.count; i++) {
        struct xray_thread *thread = &made.threads.items[i];
        thread->process = thread->pid;
        thread->pid = made.processes.items[thread->process].pid;
    }
    *log = made;
    return status;
}

enum status xray_log_join(struct xray_log *log, const struct xray_log_file *files, size_t count,
                          struct error *err)
{
    struct joiner joiner = {
        .log = log, .typed = files, .files = calloc(count + 1, sizeof *joiner.files)};
    uint8_t *bytes = NULL;
    uint64_t size_bytes = 0;
    enum status status = joiner.files ? STATUS_OK : no_memory(err);
    *log = (struct xray_log){0};
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = open_file(&joiner.files[i], &files[i], err);
        joiner.count++;
    }
    if (status == STATUS_OK) {
        log->told = joiner.files[0].log.told;
        status = join(&joiner, err);
    }
    if (status == STATUS_OK)
        status = xray_make_log(&joiner.maker, &log->told, &bytes, &size_bytes, err);
    if (status == STATUS_OK)
        status = open_made(&joiner, bytes, size_bytes, err);
    for (size_t i = 0; i < joiner.count; i++)
        xray_log_close(&joiner.files[i].log);
    free(joiner.files);
    free(joiner.links.items);
    free(joiner.entries.items);
    free(joiner.arguments.items);
    free(joiner.pending_arguments.items);
    xray_match_free(&joiner.match);
    xray_make_free(&joiner.maker);
    return status;
}
