#include "gdb/run.h"

#include "idx/index.h"
#include "idx/rows.h"
#include "query/point.h"
#include "query/writes.h"

#include <stdlib.h>

// --- Positions -----------------------------------------------------------------------------------

static bool has_failed(struct gdb_run *run, enum trawl_status status,
                       const struct trawl_error *from)
{
    if (status == TRAWL_OK || status == TRAWL_NOT_FOUND)
        return false;
    index_status(status, from, &run->error);
    return true;
}

bool gdb_run_next(struct gdb_run *run, uint64_t lane, uint64_t position, struct trawl_event *about)
{
    struct error err;
    if (run->is_of_frames && position >= run->view->info.events)
        return false;
    enum status status = run->is_of_frames
                             ? index_view_event(run->view, position, about, &err)
                             : point_next_instruction(run->view, lane, position - 1, about, &err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        run->error = err;
    return status == STATUS_OK;
}

// An address of code without code bit; those of frames have none, and may be odd.
static uint64_t code_address(const struct gdb_run *run, uint64_t pc)
{
    return run->is_of_frames ? pc : pc & ~UINT64_C(1);
}

// The last instruction of a lane before a position.
static bool find_previous(struct gdb_run *run, uint64_t lane, uint64_t position,
                          struct trawl_event *about)
{
    struct trawl_error from;
    uint64_t event;
    enum status status = point_in_lane(run->view, lane, position - 1, about, &run->error);
    if (status != STATUS_OK || about->event == TRAWL_START)
        return false;
    enum trawl_status found =
        trawl_instruction_before(run->view->index, lane, about->in_lane, &event, &from);
    if (found == TRAWL_OK)
        found = trawl_event(run->view->index, event, about, &from);
    return !has_failed(run, found, &from) && found == TRAWL_OK;
}

// The lane of an event.
static uint64_t lane_of(struct gdb_run *run, uint64_t event)
{
    struct trawl_event about;
    struct trawl_error from;
    if (run->view->info.lanes == 1)
        return 0;
    enum trawl_status status = trawl_event(run->view->index, event, &about, &from);
    return !has_failed(run, status, &from) && status == TRAWL_OK ? about.lane : run->lane;
}

void gdb_run_go_to(struct gdb_run *run, uint64_t event)
{
    run->position = event == TRAWL_START ? 0 : u64_min(event, run->view->info.events);
    if (run->position < run->view->info.events)
        run->lane = lane_of(run, run->position);
}

enum status gdb_run_begin(struct gdb_run *run, struct session *session, uint64_t position,
                          const struct gdb_patience *patience, struct error *err)
{
    struct trawl_event first;
    *run = (struct gdb_run){.session = session,
                            .view = &session->view,
                            .is_of_frames = index_view_has_snapshots(&session->view),
                            .patience = *patience};
    run->is_big_endian = (run->view->info.options & TRAWL_BIG_ENDIAN) != 0;
    if (run->is_of_frames && gdb_frames_begin(&run->frames, session, err) != STATUS_OK)
        return err->status;
    gdb_run_go_to(run, position);
    if (run->is_of_frames) {
        *err = run->error;
        return run->error.status;
    }
    uint32_t isa = gdb_run_next(run, run->lane, run->position, &first)
                       ? point_isa(run->view, &first)
                       : run->view->isa;
    run->machine = gdb_machine_of(run->view->arch->gdb, run->view->index, isa, true);
    if (run->error.status != STATUS_OK) {
        *err = run->error;
        return err->status;
    }
    if (!run->machine || !gdb_target_init(&run->target, run->view->index, run->machine))
        return error_set(err, STATUS_LIMIT,
                         "%s: GDB has no description of the registers of this trace",
                         session->path);
    return STATUS_OK;
}

void gdb_run_free(struct gdb_run *run)
{
    for (size_t i = 0; i < run->points.count; i++) {
        free(run->points.items[i].code.items);
        free(run->points.items[i].code_ends.items);
    }
    free(run->points.items);
    gdb_known_free(&run->known);
    gdb_code_free(&run->code);
}

// --- State ---------------------------------------------------------------------------------------

// The pc: of the next instruction of the lane or, behind its last one, of what would follow that.
static bool find_pc(struct gdb_run *run, uint64_t lane, uint64_t position, uint64_t *pc,
                    uint32_t *isa)
{
    struct trawl_event about;
    bool is_next = gdb_run_next(run, lane, position, &about);
    if (!is_next && !find_previous(run, lane, position, &about))
        return false;
    *isa = about.flags & TRAWL_ISA;
    *pc = (index_pc_address(run->view->index, about.pc) & ~UINT64_C(1)) +
          (is_next ? 0 : run->view->arch->isas[*isa].least_bytes);
    return true;
}

static void put_number(const struct gdb_run *run, uint64_t value, size_t size_bytes, uint8_t *bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        bytes[run->is_big_endian ? size_bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static bool register_at(struct gdb_run *run, uint64_t lane, uint64_t position, size_t number,
                        uint8_t *bytes)
{
    const struct gdb_register *which = &run->target.registers[number];
    struct trawl_error from;
    uint8_t known[GDB_REGISTER_BYTES_MAX] = {0};
    uint64_t pc = 0;
    uint32_t isa = 0;
    bool is_status = number == run->target.status;
    if ((number == run->target.pc || is_status) && !find_pc(run, lane, position, &pc, &isa))
        return false;
    if (number == run->target.pc) {
        put_number(run, pc, which->size_bytes, bytes);
        return true;
    }
    if (which->place == GDB_PLACE_LENGTH)
        put_number(run, run->target.vector_bytes / 8, which->size_bytes, bytes);
    if (which->place == GDB_PLACE_LENGTH || which->place == GDB_PLACE_NONE)
        return which->place == GDB_PLACE_LENGTH;
    enum trawl_status status = trawl_registers(run->view->index, lane, position - 1, which->place,
                                               which->size_bytes, bytes, known, &from);
    if (has_failed(run, status, &from) || status != TRAWL_OK)
        return false;
    // Of a vector that no line has shown as a whole yet: writing its lowest 128 bits clears the
    // rest.
    if (run->machine->is_scaled && which->size_bytes > 16 &&
        which->size_bytes == run->target.vector_bytes && !memchr(known, 0, 16) &&
        !memchr(known + 16, 1, which->size_bytes - 16)) {
        memset(bytes + 16, 0, which->size_bytes - 16);
        memset(known + 16, 1, which->size_bytes - 16);
    }
    bool is_known = !memchr(known, 0, which->size_bytes);
    // GDB needs the instruction set, which events show even where nothing shows the register.
    if (is_status && run->machine->state_bit) {
        uint64_t value = is_known ? point_number(bytes, which->size_bytes, false) : 0;
        value &= ~(uint64_t)run->machine->state_bit;
        value |= isa == run->machine->state_isa ? run->machine->state_bit : 0;
        put_number(run, value, which->size_bytes, bytes);
        return true;
    }
    if (is_known && run->is_big_endian) {
        for (size_t i = 0, j = which->size_bytes - 1; i < j; i++, j--) {
            uint8_t kept = bytes[i];
            bytes[i] = bytes[j];
            bytes[j] = kept;
        }
    }
    return is_known;
}

// Reads memory as far as it is known.
static size_t memory_at(struct gdb_run *run, uint64_t position, uint64_t address, size_t size_bytes,
                        uint8_t *bytes)
{
    uint8_t known[4096];
    struct trawl_error from;
    size_t done = 0;
    while (done < size_bytes) {
        size_t part = size_bytes - done < sizeof known ? size_bytes - done : sizeof known;
        const uint64_t at = address + done;
        enum trawl_status status =
            run->is_of_frames
                ? gdb_frames_memory(run->session, position, at, part, bytes + done, known, &from)
                : index_view_memory(run->view, position - 1, at, part, bytes + done, known, &from);
        if (has_failed(run, status, &from) || status != TRAWL_OK)
            return done;
        const uint8_t *unknown = memchr(known, 0, part);
        done += unknown ? (size_t)(unknown - known) : part;
        if (!unknown)
            continue;
        if (run->is_of_frames)
            return done;
        // What is not known as data may be known as code.
        uint8_t code[GDB_CODE_BYTES];
        struct error err;
        size_t count;
        if (gdb_code_at(&run->code, run->view, run->session->trace, position, address + done, code,
                        &count, &err) != STATUS_OK) {
            run->error = err;
            return done;
        }
        count = (size_t)u64_min(count, size_bytes - done);
        if (!count)
            return done;
        memcpy(bytes + done, code, count);
        done += count;
    }
    return done;
}

bool gdb_run_register(struct gdb_run *run, uint64_t lane, uint64_t position, size_t number,
                      uint8_t *bytes)
{
    return register_at(run, lane, position, number, bytes);
}

size_t gdb_run_memory(struct gdb_run *run, uint64_t address, size_t size_bytes, uint8_t *bytes)
{
    return memory_at(run, run->position, address, size_bytes, bytes);
}

// --- Breakpoints and watchpoints -----------------------------------------------------------------

void gdb_run_remove(struct gdb_run *run, enum gdb_point_kind kind, uint64_t address,
                    uint64_t size_bytes)
{
    for (size_t i = 0; i < run->points.count; i++) {
        struct gdb_point *point = &run->points.items[i];
        if (point->kind != kind || point->address != address || point->size_bytes != size_bytes)
            continue;
        free(point->code.items);
        free(point->code_ends.items);
        *point = run->points.items[--run->points.count];
        return;
    }
}

bool gdb_run_add(struct gdb_run *run, struct gdb_point *point)
{
    gdb_run_remove(run, point->kind, point->address, point->size_bytes);
    if (run->points.count >= LIMIT_GDB_POINTS || !VEC_ROOM(&run->points, 1))
        return false;
    run->points.items[run->points.count++] = *point;
    return true;
}

// A reader of the state before an event, for conditions.
struct state_reader {
    struct gdb_run *run;
    uint64_t lane, position;
};

static bool read_cell(const struct state_reader *reader, const struct gdb_cell *cell,
                      uint64_t *value)
{
    struct gdb_run *run = reader->run;
    struct trawl_error from;
    enum trawl_status status = gdb_known_value(&run->known, run->view, cell,
                                               gdb_run_point(run, reader->position), value, &from);
    return !has_failed(run, status, &from) && status == TRAWL_OK;
}

static bool read_register(void *self, uint32_t number, uint64_t *value)
{
    const struct state_reader *reader = self;
    struct gdb_run *run = reader->run;
    uint8_t bytes[GDB_REGISTER_BYTES_MAX];
    size_t own = gdb_target_number(&run->target, number);
    if (own == run->target.count || run->target.registers[own].size_bytes > 8)
        return false;
    const struct gdb_register *which = &run->target.registers[own];
    const struct gdb_cell cell = {
        .lane = reader->lane, .address = which->place, .size_bytes = which->size_bytes};
    if (own != run->target.pc && own != run->target.status && which->place < GDB_PLACE_LENGTH &&
        which->place % 8 + which->size_bytes <= 8)
        return read_cell(reader, &cell, value);
    bool is_known = register_at(run, reader->lane, reader->position, own, bytes);
    *value = is_known ? point_number(bytes, which->size_bytes, run->is_big_endian) : 0;
    return is_known;
}

static bool read_memory(void *self, uint64_t address, size_t size_bytes, uint8_t *bytes)
{
    const struct state_reader *reader = self;
    const struct gdb_cell cell = {.is_memory = true, .address = address, .size_bytes = size_bytes};
    uint64_t value;
    if (size_bytes > sizeof value || address > UINT64_MAX - size_bytes ||
        !read_cell(reader, &cell, &value))
        return false;
    for (size_t i = 0; i < size_bytes; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    return true;
}

// Whether a breakpoint stops at a visit: one of its conditions holds, or one cannot be decided,
// which GDB then does itself.
static bool stops(struct gdb_run *run, const struct gdb_point *point, uint64_t lane, uint64_t visit)
{
    struct state_reader state = {run, lane, visit};
    const struct gdb_agent_reader reader = {&state, run->is_big_endian, read_register, read_memory};
    uint32_t start = 0;
    for (size_t i = 0; i < point->code_ends.count; i++) {
        const struct gdb_agent agent = {point->code.items + start,
                                        point->code_ends.items[i] - start};
        uint64_t value;
        if (!gdb_agent_value(&agent, &reader, &value) || value)
            return true;
        start = point->code_ends.items[i];
    }
    return point->code_ends.count == 0;
}

// Whether a write changes what is watched, as far as that is known.
static bool changes(struct gdb_run *run, const struct gdb_point *point, uint64_t event)
{
    uint8_t values[2][LIMIT_GDB_WATCHED_BYTES], known[2][LIMIT_GDB_WATCHED_BYTES];
    struct trawl_error from;
    size_t size = (size_t)point->size_bytes;
    for (int i = 0; i < 2; i++) {
        enum trawl_status status = trawl_memory(run->view->index, i ? event : event - 1,
                                                point->address, size, values[i], known[i], &from);
        if (has_failed(run, status, &from) || status != TRAWL_OK)
            return true;
    }
    for (size_t i = 0; i < size; i++) {
        if (known[0][i] != known[1][i] || (known[0][i] && values[0][i] != values[1][i]))
            return true;
    }
    return memchr(known[0], 0, size) != NULL;
}

// --- Running -------------------------------------------------------------------------------------

// Whether a search has to end, after one more step of it.
static bool is_over(struct gdb_run *run)
{
    struct gdb_patience *patience = &run->patience;
    if (!patience->was_over && ++patience->steps >= GDB_STEPS_AT_ONCE) {
        patience->steps = 0;
        patience->was_over = patience->is_over(patience->self);
    }
    return patience->was_over;
}

// What was found so far, as events: GDB_STOP_WATCH for a write, GDB_STOP_STEP for a visit.
struct found {
    uint64_t end; // only before it counts (forwards), or at or after it (backwards)
    bool is_any;
    enum gdb_stop_reason reason;
    uint64_t event;
    const struct gdb_point *point;
};

static void take(struct found *found, enum gdb_stop_reason reason, uint64_t event,
                 const struct gdb_point *point, bool is_back)
{
    if (found->is_any && (is_back ? event <= found->event : event >= found->event))
        return;
    *found = (struct found){found->end, true, reason, event, point};
}

static bool is_beyond(const struct found *found, uint64_t event, bool is_back)
{
    if (is_back ? event < found->end : event >= found->end)
        return true;
    return found->is_any && (is_back ? event <= found->event : event >= found->event);
}

// The nearest visit of a breakpoint, other than that of the instruction before which the current
// lane stands. Visits come by the block, as most conditions fail.
static void search_visit(struct gdb_run *run, const struct gdb_point *point, bool is_back,
                         struct found *found)
{
    struct trawl_event here;
    struct error err;
    const bool stands = !is_back && gdb_run_next(run, run->lane, run->position, &here);
    struct visit_rows *visits = malloc(sizeof *visits);
    enum status status = visits ? STATUS_OK : error_set(&err, STATUS_MEMORY, "no memory");
    uint64_t at = run->is_of_frames && !is_back ? run->position : run->position - 1;
    bool ends = is_back && at == TRAWL_START;
    while (status == STATUS_OK && !ends) {
        status = index_visits(run->view->index, point->address & ~UINT64_C(1), at,
                              is_back ? TRAWL_BACKWARD : TRAWL_FORWARD, visits, &err);
        for (size_t i = 0; status == STATUS_OK && i < visits->count && !ends; i++) {
            const uint64_t visit = visits->events[i];
            ends = is_over(run) || is_beyond(found, visit, is_back);
            if (ends || (stands && visit == here.event) ||
                (run->is_of_frames && visits->pcs[i] != point->address) ||
                !stops(run, point, visits->lanes[i], visit))
                continue;
            take(found, GDB_STOP_STEP, visit, point, is_back);
            ends = true;
        }
        if (status == STATUS_OK && !ends) {
            at = visits->events[visits->count - 1];
            at -= is_back; // before event 0 is TRAWL_START
            ends = is_back && at == TRAWL_START;
        }
    }
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        run->error = err;
    free(visits);
}

// The nearest write that changes a watched place, or read of it, of the instruction that comes next
// or later, or of an earlier one.
static void search_access(struct gdb_run *run, const struct gdb_point *point, bool is_back,
                          struct found *found)
{
    const struct write_target target = {.lane = TRAWL_ANY_LANE,
                                        .start = point->address,
                                        .size_bytes = point->size_bytes,
                                        .wish = point->kind == GDB_READ_WATCHPOINT ? WISH_READS
                                                : point->kind == GDB_ACCESS_WATCHPOINT
                                                    ? WISH_ACCESSES
                                                    : WISH_WRITES};
    struct write_walk *walk = calloc(1, sizeof *walk);
    struct write_found write;
    struct error err;
    enum status status = walk ? STATUS_OK : error_set(&err, STATUS_MEMORY, "no memory");
    if (walk)
        writes_begin(walk, run->view, &target, run->position - 1, is_back);
    while (status == STATUS_OK && !is_over(run) &&
           (status = writes_next(walk, &write, &err)) == STATUS_OK &&
           !is_beyond(found, write.event, is_back)) {
        if (point->kind != GDB_WRITE_WATCHPOINT || changes(run, point, write.event)) {
            take(found, GDB_STOP_WATCH, write.event, point, is_back);
            break;
        }
    }
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        run->error = err;
    free(walk);
}

// The nearest stop before `end` (forwards), or at or after it (backwards).
static struct found search(struct gdb_run *run, bool is_back, bool wants_visits, uint64_t end)
{
    struct found found = {.end = end};
    run->patience.was_over = false;
    if (is_back && run->position == 0)
        return found;
    for (size_t i = 0; i < run->points.count && run->error.status == STATUS_OK; i++) {
        const struct gdb_point *point = &run->points.items[i];
        if (point->kind >= GDB_WRITE_WATCHPOINT)
            search_access(run, point, is_back, &found);
        else if (wants_visits)
            search_visit(run, point, is_back, &found);
    }
    if (run->patience.was_over)
        found.is_any = false; // a nearer one may not have been reached
    return found;
}

static struct gdb_stop stop_at(struct gdb_run *run, uint64_t position, enum gdb_stop_reason reason,
                               uint64_t lane)
{
    run->position = position;
    run->lane = lane;
    return (struct gdb_stop){.reason = reason, .lane = lane};
}

// GDB expects to stop before an access, and on the way back after it: it then steps over the write
// itself, and compares.
static struct gdb_stop stop_found(struct gdb_run *run, const struct found *found, bool is_back)
{
    struct trawl_event instruction;
    uint64_t lane = lane_of(run, found->event), position = found->event;
    if (found->reason == GDB_STOP_WATCH) {
        // A write that comes later than its instruction is stepped over from that.
        if (!is_back && find_previous(run, lane, found->event + 1, &instruction))
            position = instruction.event;
        position += is_back;
    }
    struct gdb_stop stop = stop_at(run, position, found->reason, lane);
    stop.is_at_breakpoint = found->reason == GDB_STOP_STEP;
    stop.address = found->point->address;
    stop.kind = found->point->kind;
    return stop;
}

static struct gdb_stop stop_at_bound(struct gdb_run *run, bool is_back)
{
    if (run->patience.was_over)
        return stop_at(run, run->position, GDB_STOP_INTERRUPT, run->lane);
    return is_back
               ? stop_at(run, 0, GDB_STOP_START, run->is_of_frames ? lane_of(run, 0) : run->lane)
               : stop_at(run, run->view->info.events, GDB_STOP_END, run->lane);
}

struct gdb_stop gdb_run_continue(struct gdb_run *run, bool is_back)
{
    const struct found found = search(run, is_back, true, is_back ? 0 : UINT64_MAX);
    return found.is_any ? stop_found(run, &found, is_back) : stop_at_bound(run, is_back);
}

struct gdb_stop gdb_run_step(struct gdb_run *run, uint64_t lane, bool is_back)
{
    struct trawl_event here, there;
    run->patience.was_over = false;
    if (run->is_of_frames) { // to the frame behind the current one, or to the one before it
        const uint64_t events = run->view->info.events;
        if (run->position == (is_back ? 0 : events))
            return stop_at_bound(run, is_back);
        const uint64_t to = is_back ? run->position - 1 : run->position + 1;
        return stop_at(run, to, GDB_STOP_STEP, to < events ? lane_of(run, to) : run->lane);
    }
    if (is_back) {
        if (!find_previous(run, lane, run->position, &there))
            return stop_at(run, 0, GDB_STOP_START, lane);
        const struct found found = search(run, true, false, there.event);
        if (run->patience.was_over)
            return stop_at_bound(run, true);
        return found.is_any ? stop_found(run, &found, true)
                            : stop_at(run, there.event, GDB_STOP_STEP, lane);
    }
    if (!gdb_run_next(run, lane, run->position, &here))
        return stop_at(run, run->view->info.events, GDB_STOP_END, lane);
    bool has_next = gdb_run_next(run, lane, here.event + 1, &there);
    uint64_t target = has_next ? there.event : run->view->info.events;
    const struct found found = search(run, false, false, target);
    if (found.is_any)
        return stop_found(run, &found, false);
    if (run->patience.was_over)
        return stop_at_bound(run, false);
    // Also behind the last instruction: GDB steps over a breakpoint there, and if it is told of the
    // end in the middle of that, it waits for ever when it goes back.
    return stop_at(run, target, GDB_STOP_STEP, lane);
}

// Whether a breakpoint without a condition that fails is at a position.
static bool is_at_breakpoint(struct gdb_run *run, uint64_t lane, uint64_t pc)
{
    for (size_t i = 0; i < run->points.count; i++) {
        const struct gdb_point *point = &run->points.items[i];
        if (point->kind < GDB_WRITE_WATCHPOINT && code_address(run, point->address) == pc &&
            stops(run, point, lane, run->position))
            return true;
    }
    return false;
}

struct gdb_stop gdb_run_range(struct gdb_run *run, uint64_t lane, uint64_t start, uint64_t end)
{
    for (;;) {
        struct trawl_event next;
        struct gdb_stop stop = gdb_run_step(run, lane, false);
        if (stop.reason != GDB_STOP_STEP || run->error.status != STATUS_OK ||
            !gdb_run_next(run, lane, run->position, &next))
            return stop;
        uint64_t pc = code_address(run, index_pc_address(run->view->index, next.pc));
        if (pc < start || pc >= end || is_at_breakpoint(run, lane, pc))
            return stop;
        if (is_over(run))
            return stop_at(run, run->position, GDB_STOP_INTERRUPT, lane);
    }
}
