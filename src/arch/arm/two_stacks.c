#include "arch/arm/two_stacks.h"

#include "arch/arm/arm.h"
#include "arch/arm/registers.h"
#include "flow/node.h"

#include <stdlib.h>
#include <strings.h>

enum {
    CELL_SP = REGISTER_OFFSET_X(13) / 8,
    CELL_LINK = REGISTER_OFFSET_X(14) / 8,
    CELL_STATE = REGISTER_OFFSET_PSR / 8,
    LOW_HALF = 0x0f,
    EXCEPTION_NUMBER = 0x1ff, // in PSR
    SPSEL = 1 << 1,           // in CONTROL
};

// Whether it is that name, with the suffix of a security state (MSP_NS) or without one.
static bool is_register(const char *name, const char *wanted, uint8_t *world)
{
    static const char *const endings[STACK_WORLDS] = {"", "_s", "_ns"};
    size_t length = strlen(wanted);
    if (strncasecmp(name, wanted, length) != 0)
        return false;
    for (*world = 0; *world < STACK_WORLDS; (*world)++) {
        if (strcasecmp(name + length, endings[*world]) == 0)
            return true;
    }
    return false;
}

void two_stacks_name(struct two_stacks *stacks, uint32_t number, const char *name)
{
    static const struct {
        const char *name;
        enum stack_role role;
    } known[] = {{"msp", STACK_ROLE_MAIN},        {"r13_main", STACK_ROLE_MAIN},
                 {"psp", STACK_ROLE_PROCESS},     {"r13_process", STACK_ROLE_PROCESS},
                 {"control", STACK_ROLE_CONTROL}, {"xpsr", STACK_ROLE_STATE},
                 {"ipsr", STACK_ROLE_STATE}};
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        uint8_t world;
        if (!is_register(name, known[i].name, &world))
            continue;
        stacks->roles[number] = (uint8_t)known[i].role;
        stacks->worlds[number] = world;
        atomic_store(&stacks->has_roles, true);
    }
}

// --- One event -----------------------------------------------------------------------------------

// What an event wrote, as far as stacks are concerned.
struct stack_event {
    bool stacks[STACK_WORLDS][2]; // main and process, by name
    bool names_stack;
    bool sp;
    bool makes_process; // the main stack was known, and the process stack was not
};

// The number of the name whose first word the row writes; NO_REGISTER_NAME: none.
static uint32_t name_of(const struct segment_register *row)
{
    uint32_t cell = register_cell(row->cell);
    if (cell < REGISTER_CELLS || (cell - REGISTER_CELLS) % NAMED_REGISTER_CELLS)
        return NO_REGISTER_NAME;
    return (cell - REGISTER_CELLS) / NAMED_REGISTER_CELLS;
}

static enum stack_role role_of(const struct two_stacks *stacks, const struct segment_register *row)
{
    uint32_t name = name_of(row);
    return name == NO_REGISTER_NAME ? STACK_ROLE_NONE : (enum stack_role)stacks->roles[name];
}

// Whether the row says nothing of stacks, as most do.
static bool is_plain(const struct two_stacks *stacks, const struct segment_register *row)
{
    const uint32_t cell = register_cell(row->cell);
    if (cell < REGISTER_CELLS)
        return cell != CELL_SP && cell != CELL_LINK && cell != CELL_STATE;
    return role_of(stacks, row) == STACK_ROLE_NONE;
}

static struct stack_pair *pair_in_use(struct stack_choice *core)
{
    return &core->pairs[core->world];
}

static void take_mode(struct stack_choice *core, uint64_t state)
{
    bool was_handler = core->knows_mode && core->is_handler;
    core->knows_mode = true;
    core->is_handler = (state & EXCEPTION_NUMBER) != 0;
    if (was_handler && !core->is_handler && core->link >= EXC_RETURN) {
        pair_in_use(core)->knows_choice = true;
        pair_in_use(core)->chooses_process = (core->link & EXC_RETURN_SPSEL) != 0;
    }
}

static void take_core_register(struct stack_choice *core, const struct segment_register *row,
                               struct stack_event *event)
{
    if ((row->mask & LOW_HALF) != LOW_HALF)
        return;
    if (row->cell == CELL_LINK)
        core->link = (uint32_t)row->value;
    if (row->cell == CELL_STATE)
        take_mode(core, row->value);
    if (row->cell == CELL_SP)
        event->sp = true;
}

// The mode of an instruction, as the segment has it.
static void take_instruction(struct stack_choice *core, const struct segment_mode *mode)
{
    const unsigned world = mode->mode % STACK_WORLDS;
    core->is_settled = false;
    if (world) {
        core->knows_world = true;
        core->world = (uint8_t)world;
    }
    take_mode(core, mode->mode >= STACK_WORLDS);
}

static void take_row(struct two_stacks *stacks, struct stack_choice *core,
                     const struct segment_register *row, struct stack_event *event)
{
    enum stack_role role = role_of(stacks, row);
    uint8_t world = role == STACK_ROLE_NONE ? 0 : stacks->worlds[name_of(row)];
    if (!world && core->knows_world)
        world = core->world; // a name without a security state is that of the current one
    struct stack_pair *pair = &core->pairs[world];
    switch (role) {
    case STACK_ROLE_MAIN:
    case STACK_ROLE_PROCESS: {
        unsigned which = role == STACK_ROLE_PROCESS;
        event->makes_process |= which && pair->has[0] && !pair->has[1];
        core->has_stacks = pair->has[which] = event->stacks[world][which] = true;
        event->names_stack = true;
        stacks->has_stacks = true;
        if (!core->knows_world)
            core->world = world;
        pair->value[which] = (uint32_t)row->value;
        break;
    }
    case STACK_ROLE_CONTROL:
        pair->knows_choice = true;
        pair->chooses_process = row->value & SPSEL;
        break;
    case STACK_ROLE_STATE:
        take_mode(core, row->value);
        break;
    case STACK_ROLE_NONE:
        take_core_register(core, row, event);
        break;
    }
}

// A core that never had a process stack uses the main stack, also while it sets up the process
// stack. If nothing more is known, the one written last is used.
static enum stack_role stack_in_use(const struct stack_choice *core,
                                    const struct stack_event *event)
{
    const struct stack_pair *pair = &core->pairs[core->world];
    if (!pair->has[1] || (core->knows_mode && core->is_handler))
        return STACK_ROLE_MAIN;
    if (core->knows_mode && pair->knows_choice)
        return pair->chooses_process ? STACK_ROLE_PROCESS : STACK_ROLE_MAIN;
    if (event->makes_process)
        return STACK_ROLE_MAIN;
    const bool *stacks = event->stacks[core->world];
    if (stacks[0] != stacks[1])
        return stacks[1] ? STACK_ROLE_PROCESS : STACK_ROLE_MAIN;
    return (enum stack_role)core->in_use;
}

// Ends an event of a core, whose rows begin at `first`: sets sp to the value of the stack in use.
// There is room for two more rows.
static void end_event(struct two_stacks *stacks, struct stack_choice *core,
                      const struct stack_event *event, size_t first, uint32_t number, uint16_t lane)
{
    enum stack_role in_use = stack_in_use(core, event);
    if (!core->has_stacks || in_use == STACK_ROLE_NONE)
        return;
    struct stack_pair *pair = pair_in_use(core);
    unsigned which = in_use == STACK_ROLE_PROCESS;
    bool is_first = core->in_use == STACK_ROLE_NONE;
    bool is_other = in_use != core->in_use || core->world != core->world_in_use;
    core->in_use = (uint8_t)in_use;
    core->world_in_use = core->world;
    if (event->sp && !event->names_stack) { // under its own name
        for (size_t i = first; i < stacks->rows.count; i++) {
            if (stacks->rows.items[i].cell == CELL_SP)
                pair->value[which] = (uint32_t)stacks->rows.items[i].value;
        }
        pair->has[which] = true;
        return;
    }
    if (event->names_stack) {
        // Removes writes to sp from the rows from `first` on.
        size_t kept = first;
        for (size_t i = first; i < stacks->rows.count; i++) {
            if (stacks->rows.items[i].cell != CELL_SP)
                stacks->rows.items[kept++] = stacks->rows.items[i];
        }
        stacks->rows.count = kept;
    }
    bool is_known = pair->has[which];
    if (!(is_other || event->stacks[core->world][which]) || (!is_known && is_first))
        return;
    bool is_change = !event->stacks[core->world][which];
    const uint8_t masks[] = {is_change ? BANK_LOW_MASK : LOW_HALF, LOW_HALF & ~BANK_LOW_MASK};
    for (int i = 0; i <= is_change; i++)
        stacks->rows.items[stacks->rows.count++] = (struct segment_register){
            .value = is_known ? pair->value[which] & bytes_of_mask(masks[i]) : 0,
            .event = number,
            .cell = (uint16_t)(CELL_SP | (is_known ? 0 : REGISTER_VALUE_UNKNOWN)),
            .mask = masks[i],
            .lane = lane,
        };
}

// --- A segment -----------------------------------------------------------------------------------

static bool concerns(const struct two_stacks *stacks, const struct segment *segment)
{
    if (stacks->has_stacks)
        return true;
    for (size_t i = 0; i < segment->registers.count; i++) {
        if (role_of(stacks, &segment->registers.items[i]) != STACK_ROLE_NONE)
            return true;
    }
    return false;
}

// Makes `starts` the places of the rows of each event, of which it has the counts.
static void add_up(struct two_stacks *stacks, size_t events)
{
    for (size_t i = 0; i < events; i++)
        stacks->starts.items[i + 1] += stacks->starts.items[i];
}

// Sorts modes by event; those of an event stay in order.
static void sort_modes(struct two_stacks *stacks, const struct segment *segment)
{
    const size_t modes = segment->modes.count, events = segment->event_count;
    uint32_t *starts = stacks->starts.items;
    memset(starts, 0, (events + 1) * sizeof *starts);
    for (size_t i = 0; i < modes; i++)
        starts[segment->modes.items[i].event + 1]++;
    add_up(stacks, events);
    for (size_t i = 0; i < modes; i++)
        stacks->modes.items[starts[segment->modes.items[i].event]++] = segment->modes.items[i];
}

// The same for rows, if they are not in order already, as nearly always.
static void sort_rows(struct two_stacks *stacks, struct segment *segment)
{
    const size_t count = segment->registers.count, events = segment->event_count;
    struct segment_register *rows = segment->registers.items;
    uint32_t *starts = stacks->starts.items;
    size_t ordered = 1;
    while (ordered < count && rows[ordered].event >= rows[ordered - 1].event)
        ordered++;
    if (ordered >= count)
        return;
    memset(starts, 0, (events + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++)
        starts[rows[i].event + 1]++;
    add_up(stacks, events);
    for (size_t i = 0; i < count; i++)
        stacks->rows.items[starts[rows[i].event]++] = rows[i];
    memcpy(rows, stacks->rows.items, count * sizeof *rows);
}

// Processes the rows and the modes of one event; nearly always all belong to one core.
static void take_event(struct two_stacks *stacks, uint32_t event,
                       const struct segment_register *rows, size_t count,
                       const struct segment_mode *modes, size_t mode_count)
{
    for (size_t i = 0, end; i < count || mode_count; i = end) {
        const uint16_t lane = i < count ? rows[i].lane : modes->lane;
        struct stack_choice *core = &stacks->cores.items[lane];
        struct stack_event written = {0};
        size_t first = stacks->rows.count;
        for (; mode_count && modes->lane == lane; modes++, mode_count--)
            take_instruction(core, modes);
        for (end = i; end < count && rows[end].lane == lane; end++) {
            take_row(stacks, core, &rows[end], &written);
            stacks->rows.items[stacks->rows.count++] = rows[end];
        }
        end_event(stacks, core, &written, first, event, lane);
        core->is_settled = true;
    }
}

// Adds the cores of the segment to the known ones. False: no memory.
static bool add_cores(struct two_stacks *stacks, const struct segment *segment)
{
    size_t count = stacks->cores.count;
    for (size_t i = 0; i < segment->registers.count; i++)
        count = (size_t)u64_max(count, segment->registers.items[i].lane + UINT64_C(1));
    for (size_t i = 0; i < segment->modes.count; i++)
        count = (size_t)u64_max(count, segment->modes.items[i].lane + UINT64_C(1));
    return VEC_EXTEND(&stacks->cores, count);
}

// Notes the modes of a segment in which no stack is named.
static bool take_modes_alone(struct two_stacks *stacks, const struct segment *segment)
{
    if (!segment->modes.count)
        return true;
    if (!add_cores(stacks, segment))
        return false;
    for (size_t i = 0; i < segment->modes.count; i++) {
        const struct segment_mode *mode = &segment->modes.items[i];
        take_instruction(&stacks->cores.items[mode->lane], mode);
    }
    return true;
}

bool two_stacks_carry(struct two_stacks *stacks, struct segment *segment)
{
    const size_t count = segment->registers.count, mode_count = segment->modes.count;
    if (!atomic_load(&stacks->has_roles) || !concerns(stacks, segment))
        return take_modes_alone(stacks, segment);
    // Two more rows for each group and each mode.
    stacks->rows.count = stacks->starts.count = stacks->modes.count = 0;
    if (!add_cores(stacks, segment) || !VEC_ROOM(&stacks->rows, 3 * count + 2 * mode_count) ||
        !VEC_ROOM(&stacks->modes, mode_count) ||
        !VEC_ROOM(&stacks->starts, segment->event_count + 1))
        return false;
    sort_modes(stacks, segment);
    sort_rows(stacks, segment);
    const struct segment_register *rows = segment->registers.items;
    const struct segment_mode *modes = stacks->modes.items;
    for (size_t i = 0, mode = 0, end, mode_end; i < count || mode < mode_count;
         i = end, mode = mode_end) {
        const uint32_t next_mode = mode < mode_count ? modes[mode].event : UINT32_MAX;
        for (; i < count && rows[i].event < next_mode && is_plain(stacks, &rows[i]) &&
               stacks->cores.items[rows[i].lane].is_settled;
             i++)
            stacks->rows.items[stacks->rows.count++] = rows[i];
        end = i;
        mode_end = mode;
        if (i == count && mode == mode_count)
            break;
        uint32_t event = UINT32_MAX;
        if (i < count)
            event = rows[i].event;
        if (mode < mode_count && modes[mode].event < event)
            event = modes[mode].event;
        for (end = i; end < count && rows[end].event == event; end++) {
        }
        for (mode_end = mode; mode_end < mode_count && modes[mode_end].event == event; mode_end++) {
        }
        take_event(stacks, event, rows + i, end - i, modes + mode, mode_end - mode);
    }
    size_t made = stacks->rows.count;
    segment->registers.count = 0;
    if (!VEC_ROOM(&segment->registers, made))
        return false;
    if (made)
        memcpy(segment->registers.items, stacks->rows.items, made * sizeof *stacks->rows.items);
    segment->registers.count = made;
    return true;
}

void two_stacks_free(struct two_stacks *stacks)
{
    free(stacks->cores.items);
    free(stacks->rows.items);
    free(stacks->starts.items);
    free(stacks->modes.items);
}
