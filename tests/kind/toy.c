// A kind of trace that exists only here, to show that no code above the kinds depends on a
// particular one: text with one record per line.
//
//     #toy                    the first line
//     e LANE TIME PC          an event: an instruction at PC (hexadecimal) of LANE at TIME
//     r N VALUE               it wrote the 8 bytes of register N (0 to 15): t0 to t14, and top,
//     which is
//                             the stack pointer
//     m ADDRESS VALUE         and the 4 bytes at ADDRESS (all hexadecimal)
//     call                    it is the first of a function
//     ret                     and the last
//
// Lines that cannot be read are skipped and counted.
#include "kind/toy.h"
#include "arch/arches.h"
#include "base/limits.h"
#include "flow/replay.h"
#include "flow/segment_crew.h"
#include "idx/index_write.h"
#include "idx/register_layout.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct event {
    struct node_ref node;
    uint16_t lane;
    bool enters, leaves;
    size_t first_write, write_count, first_store, store_count;
};

struct write {
    uint64_t place, value; // a register's number, or an address
};

struct frame {
    struct call call;
    struct call_content content;
};

struct toy_trace {
    struct trace trace;
    VEC(, struct event) events;
    VEC(, struct write) writes;
    VEC(, struct write) stores;
    struct lane_result lanes[LIMIT_LANES]; // as far as the text shows them
    size_t lane_count;
    uint64_t lines, damaged_lines;
};

static struct toy_trace *toy_in(struct trace *trace)
{
    return (struct toy_trace *)(void *)trace;
}

// --- The text ------------------------------------------------------------------------------------

static bool is(const void *head, size_t size_bytes)
{
    return size_bytes >= 5 && memcmp(head, "#toy\n", 5) == 0;
}

static uint16_t lane_named(struct toy_trace *toy, const char *name)
{
    size_t i = 0;
    while (i < toy->lane_count && strcmp(toy->lanes[i].name, name) != 0)
        i++;
    if (i == toy->lane_count)
        snprintf(toy->lanes[toy->lane_count++].name, sizeof toy->lanes[0].name, "%s", name);
    return (uint16_t)i;
}

static bool add_event(struct toy_trace *toy, const char *line, uint64_t position)
{
    char name[32];
    struct event event = {.first_write = toy->writes.count, .first_store = toy->stores.count};
    if (sscanf(line, "e %31s %" SCNu64 " %" SCNx64, name, &event.node.time, &event.node.pc) != 3 ||
        !VEC_ROOM(&toy->events, 1))
        return false;
    event.lane = lane_named(toy, name);
    struct lane_result *lane = &toy->lanes[event.lane];
    event.node.event = lane->nodes++;
    event.node.line = toy->lines;
    event.node.position = position;
    if (!lane->has_root)
        lane->root = event.node;
    lane->has_root = true;
    lane->last = event.node;
    lane->events = lane->instructions = lane->nodes;
    toy->events.items[toy->events.count++] = event;
    return true;
}

static bool add_line(struct toy_trace *toy, const char *line, uint64_t position)
{
    struct event *event = toy->events.count ? &toy->events.items[toy->events.count - 1] : NULL;
    struct write write;
    if (line[0] == 'e')
        return add_event(toy, line, position);
    if (!event)
        return line[0] == '#';
    if (strcmp(line, "call") == 0)
        return event->enters = true;
    if (strcmp(line, "ret") == 0)
        return event->leaves = true;
    if (sscanf(line, "r %" SCNu64 " %" SCNx64, &write.place, &write.value) == 2 &&
        write.place < 16 && VEC_ROOM(&toy->writes, 1)) {
        toy->writes.items[toy->writes.count++] = write;
        return event->write_count++, true;
    }
    if (sscanf(line, "m %" SCNx64 " %" SCNx64, &write.place, &write.value) == 2 &&
        VEC_ROOM(&toy->stores, 1)) {
        toy->stores.items[toy->stores.count++] = write;
        return event->store_count++, true;
    }
    return false;
}

static enum status open_toy(struct trace *trace, const struct image_set *images, struct error *err)
{
    struct toy_trace *toy = toy_in(trace);
    const char *bytes;
    uint64_t size_bytes;
    (void)images;
    enum status status = source_read_all(trace->source, &bytes, &size_bytes, err);
    for (uint64_t at = 0; status == STATUS_OK && at < size_bytes;) {
        char line[128] = "";
        const char *newline = memchr(bytes + at, '\n', (size_t)(size_bytes - at));
        uint64_t length = newline ? (uint64_t)(newline - (bytes + at)) : size_bytes - at;
        memcpy(line, bytes + at, (size_t)u64_min(length, sizeof line - 1));
        toy->lines++;
        toy->damaged_lines += !add_line(toy, line, at);
        at += length + 1;
    }
    return status;
}

static void close_toy(struct trace *trace)
{
    struct toy_trace *toy = toy_in(trace);
    free(toy->events.items);
    free(toy->writes.items);
    free(toy->stores.items);
}

// --- Calls and visits ----------------------------------------------------------------------------

struct lane_walk {
    struct lane_result *lane;
    struct call_consumer consumer;
    VEC(, struct frame) frames;
    struct node_ref previous;
    bool has_previous, leaves; // whether the previous event was the last of its function
};

static struct call_content *around(struct lane_walk *walk)
{
    size_t depth = walk->frames.count;
    return depth ? &walk->frames.items[depth - 1].content : &walk->lane->calls;
}

static bool end_call(struct lane_walk *walk, const struct node_ref *exit,
                     const struct node_ref *resume, bool is_open, bool is_kept)
{
    struct frame frame = walk->frames.items[--walk->frames.count];
    frame.call.exit = *exit;
    frame.call.resume = *resume;
    frame.call.is_open = is_open;
    *(is_open ? &walk->lane->counts.unreturned : &walk->lane->counts.returned) += 1;
    return is_kept
               ? walk->consumer.fold(walk->consumer.self, around(walk), &frame.call, &frame.content)
               : walk->consumer.merge(walk->consumer.self, around(walk), &frame.content);
}

static bool take_call(struct lane_walk *walk, const struct event *event)
{
    if (walk->leaves && walk->frames.count &&
        !end_call(walk, &walk->previous, &event->node, false, true))
        return false;
    if (event->enters && walk->has_previous) {
        if (!VEC_ROOM(&walk->frames, 1))
            return false;
        walk->frames.items[walk->frames.count++] =
            (struct frame){.call = {.site = walk->previous, .entry = event->node}};
    }
    walk->previous = event->node;
    walk->has_previous = true;
    walk->leaves = event->leaves;
    return true;
}

static bool take_visits(struct lane_walk *walk, const struct event *event,
                        const struct watch_list *watch)
{
    for (uint32_t i = 0; i < watch->count; i++) {
        const struct node_ref *node = &event->node;
        const struct visit visit = {i, node->event, node->time, node->line, node->position};
        if (watch->addresses[i] == node->pc &&
            !visit_log_add(&walk->lane->visits, &visit, 1, watch->count, 0))
            return false;
    }
    return true;
}

static bool walk_lane(struct toy_trace *toy, struct lane_walk *walk, uint16_t number,
                      const struct pass_options *options)
{
    bool has_calls = walk->consumer.fold != NULL, goes_on = true;
    struct clip *clip = &walk->lane->clip;
    for (size_t i = 0; i < toy->events.count && goes_on; i++) {
        const struct event *event = &toy->events.items[i];
        if (event->lane != number)
            continue;
        if (event->node.event == options->range.first_event)
            clip->first_event_time = event->node.time;
        if (event->node.event == options->range.last_event)
            clip->last_event_time = event->node.time;
        goes_on =
            take_visits(walk, event, &options->watch) && (!has_calls || take_call(walk, event));
    }
    while (goes_on && walk->frames.count)
        goes_on = end_call(walk, &walk->lane->last, &walk->lane->last, !walk->leaves,
                           walk->leaves || options->keep_open_calls) &&
                  ((walk->leaves = false), true);
    return goes_on;
}

// --- Segments ------------------------------------------------------------------------------------

struct cutter {
    const struct toy_trace *toy;
    const struct pass_options *options;
    size_t next;
};

static bool add_writes(struct segment *segment, const struct toy_trace *toy,
                       const struct event *event)
{
    if (!VEC_ROOM(&segment->registers, event->write_count) ||
        !VEC_ROOM(&segment->accesses, event->store_count))
        return false;
    for (size_t i = 0; i < event->write_count; i++) {
        const struct write *write = &toy->writes.items[event->first_write + i];
        segment->registers.items[segment->registers.count++] = (struct segment_register){
            .value = write->value,
            .event = segment->event_count,
            .cell = (uint16_t)write->place,
            .mask = 0xff,
            .lane = event->lane,
        };
    }
    for (size_t i = 0; i < event->store_count; i++) {
        const struct write *write = &toy->stores.items[event->first_store + i];
        segment->accesses.items[segment->accesses.count++] = (struct segment_access){
            .address = write->place,
            .value = write->value,
            .event = segment->event_count,
            .size_bytes = 4,
            .is_known = true,
            .lane = event->lane,
        };
    }
    return true;
}

static bool take_events(void *self, unsigned worker, struct segment *segment)
{
    struct cutter *cutter = self;
    const struct toy_trace *toy = cutter->toy;
    (void)worker;
    while (segment->event_count < cutter->options->segments.segment_events &&
           cutter->next < toy->events.count) {
        const struct event *event = &toy->events.items[cutter->next++];
        uint32_t row = segment->event_count;
        segment->events.time[row] = event->node.time;
        segment->events.line[row] = event->node.line;
        segment->events.position[row] = event->node.position;
        segment->events.pc[row] = event->node.pc;
        segment->events.flags[row] = EVENT_HAS_INSTRUCTION | EVENT_EXECUTED | EVENT_ISA_A64;
        segment->events.lane[row] = event->lane;
        if (!add_writes(segment, toy, event))
            return false;
        segment->event_count++;
    }
    return true;
}

// --- The pass ------------------------------------------------------------------------------------

static enum status run(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err)
{
    struct toy_trace *toy = toy_in(trace);
    struct cutter cutter = {toy, options, 0};
    const struct segment_crew crew = {&options->segments, options->threads, &cutter, take_events,
                                      NULL};
    if (trace->index)
        return replay_run(trace->index, options, observer, result, err);
    *result = (struct pass_result){
        .bytes = source_size_bytes(trace->source),
        .lines = toy->lines,
        .damaged_lines = toy->damaged_lines,
        .lanes = calloc(LIMIT_LANES, sizeof *result->lanes),
        .lane_count = toy->lane_count,
    };
    *err = (struct error){.status = STATUS_OK};
    bool goes_on = result->lanes != NULL;
    for (size_t i = 0; i < toy->lane_count && goes_on; i++) {
        struct lane_walk walk = {.lane = &result->lanes[i]};
        result->lanes[i] = toy->lanes[i];
        clip_init(&walk.lane->clip, &options->range, &options->consumer);
        walk.consumer = clip_consumer(&walk.lane->clip);
        goes_on = walk_lane(toy, &walk, (uint8_t)i, options);
        free(walk.frames.items);
    }
    for (size_t i = 0; i < toy->lane_count && goes_on && options->segments.found_lane; i++)
        options->segments.found_lane(options->segments.self, i, toy->lanes[i].name);
    if (goes_on && options->segments.write)
        segment_crew_run(&crew, err);
    return goes_on ? err->status : error_set(err, STATUS_MEMORY, "no memory");
}

static uint64_t identity(const struct trace *trace, const struct pass_options *options,
                         bool by_memory, uint64_t *mask)
{
    (void)trace, (void)options, (void)by_memory;
    *mask = 0;
    return 0;
}

static const struct register_run runs[] = {
    {"t", 15, 0, 8, 1, 8, TRAWL_REGISTER_GENERAL, 7, 7, 0},
    {"top", 0, 120, 8, 1, 0, TRAWL_REGISTER_GENERAL | TRAWL_REGISTER_SP, 7, 7, 15},
    {"here", 0, 0, 0, 1, 0, TRAWL_REGISTER_PC, 7, 0, 16},
};

enum { TOY_MACHINE = 0xf01 };

static const struct register_table registers = {
    runs, ARRAY_COUNT(runs), {.address_bytes = 8, .machine = TOY_MACHINE}};

static bool write_sections(struct trace *trace, struct index_writer *writer,
                           const struct register_names *names)
{
    struct parts_writer parts = {0};
    (void)trace, (void)names;
    bool is_done = register_layout_write(&parts, runs, ARRAY_COUNT(runs), &registers.figures) &&
                   index_writer_add_section(writer, SECTION_LAYOUT, &parts);
    parts_writer_free(&parts);
    return is_done;
}

// --- The architecture ----------------------------------------------------------------------------

// t13 is the frame pointer, t14 has the return address on entry.
static const struct arch_frames frames = {
    .machine = TOY_MACHINE,
    .word_bytes = 8,
    .chain = CHAIN_RECORD,
    .sp = 15,
    .fp = 13,
    .ra = 14,
    .code_bit_fp = 13,
    .kept = FRAME_BITS(10, 13),
};

static const struct gdb_names core[] = {
    {"t", 15, 64, 0, "", "t"},
    {"top", 0, 64, 0, " type=\"data_ptr\"", "top"},
    {"here", 0, 64, 0, " type=\"code_ptr\"", "here"},
};

static const char *const no_types[] = {NULL};
static const struct gdb_feature features[] = {{GDB_FEATURE("org.toy.core", no_types, core)}};
static const char *const programs[] = {"toy-gdb", NULL};
static const struct gdb_machine machine = {
    .architecture = "toy",
    .features = features,
    .feature_count = ARRAY_COUNT(features),
    .isas = 1 << ARCH_ISA_64,
    .isa = ARCH_ISA_64,
    .programs = programs,
};
static const struct gdb_machine *const machines[] = {&machine, NULL};

static const char *const arguments[] = {"t0", "t1", NULL};

static const struct arch_group groups[ARCH_GROUPS] = {
    [ARCH_GROUP_CORE] = {.what = "toy",
                         .status = "Toy regs at line: ",
                         .registers = {{{"t", 15, 0}}, {{"t", 15, 0}, {"top", 0, 0}}}},
};

static const struct arch toy = {
    .core = "a toy core",
    .machines = {TOY_MACHINE},
    .isas = {[ARCH_ISA_64] = {.name = "T64",
                              .word_bytes = 8,
                              .least_bytes = 4,
                              .arguments = arguments,
                              .result = "t0",
                              .frames = &frames}},
    .groups = groups,
    .gdb = machines,
};

const struct arch *const arches[] = {&toy, NULL};

const struct trace_kind toy_kind = {
    .name = "toy",
    .words = {"a toy trace", "engine", "Engine", "lines"},
    .abilities = TRACE_CALLS | TRACE_CONTEXTS | TRACE_EVENTS | TRACE_REGISTERS | TRACE_MEMORY |
                 TRACE_INSTRUCTIONS | TRACE_TIMES | TRACE_LINES | TRACE_ADDRESSES | TRACE_REPLAYS,
    .size_bytes = sizeof(struct toy_trace),
    .is = is,
    .open = open_toy,
    .close = close_toy,
    .run = run,
    .indexing = {.identity = identity, .write_sections = write_sections},
    .registers = &registers,
    .arch = &toy,
};
