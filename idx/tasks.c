// Queries of tasks.
#include "base/limits.h"
#include "idx/caller.h"
#include "idx/index.h"

#include <stdlib.h>

void task_table_free(struct task_table *table)
{
    free(table->lanes);
    *table = (struct task_table){0};
}

static enum status damaged(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "tasks", err);
}

// --- The table -----------------------------------------------------------------------------------

static enum status open_columns(struct trawl_index *index, struct column *columns,
                                struct error *err)
{
    struct parts parts;
    enum status status = index_section(index, SECTION_TASKS, &parts, err);
    for (uint32_t part = PART_TASK_COUNTS; status == STATUS_OK && part <= PART_TASKS_LAST; part++) {
        bool is_there = parts_column(&parts, part, &columns[part], NULL) == STATUS_OK;
        if (!is_there && part == PART_TASK_KEYS)
            columns[part] = (struct column){0};
        else if (!is_there)
            status = damaged(index, err);
    }
    return status;
}

// Finds where the rows of each lane are; checks that all columns have as many.
static bool place_lanes(const struct trawl_index *index, struct task_table *table)
{
    const struct column *columns = table->columns;
    uint64_t tasks = 0, switches = 0;
    if (columns[PART_TASK_COUNTS].count != index->lane_count ||
        columns[PART_SWITCH_COUNTS].count != index->lane_count)
        return false;
    for (size_t i = 0; i < index->lane_count; i++) {
        struct task_lane *lane = &table->lanes[i];
        *lane = (struct task_lane){.first_task = tasks, .first_switch = switches};
        if (!column_get(&columns[PART_TASK_COUNTS], i, &lane->task_count) ||
            !column_get(&columns[PART_SWITCH_COUNTS], i, &lane->switch_count) ||
            lane->task_count > LIMIT_TASKS ||
            lane->switch_count > index->lanes[i].figures[LANE_EVENTS] ||
            (lane->switch_count && !lane->task_count))
            return false;
        tasks += lane->task_count;
        if (__builtin_add_overflow(switches, lane->switch_count, &switches))
            return false;
    }
    return columns[PART_TASK_STACKS].count == tasks &&
           columns[PART_TASK_STACKS_LOW].count == tasks &&
           columns[PART_TASK_ENTRIES].count == tasks &&
           (!columns[PART_TASK_KEYS].count || columns[PART_TASK_KEYS].count == tasks) &&
           columns[PART_SWITCH_EVENTS].count == switches &&
           columns[PART_SWITCH_TASKS].count == switches &&
           column_may_rise(&columns[PART_SWITCH_EVENTS]);
}

// Opens the section on first use.
static enum status make_ready(struct trawl_index *index, struct error *err)
{
    struct task_table *table = &index->tasks;
    if (table->lanes || !index_has_section(index, SECTION_TASKS))
        return STATUS_OK;
    enum status status = open_columns(index, table->columns, err);
    if (status != STATUS_OK)
        return status;
    table->lanes = calloc(index->lane_count + 1, sizeof *table->lanes);
    if (!table->lanes)
        return error_set(err, STATUS_MEMORY, "%s: no memory", index->path);
    if (place_lanes(index, table))
        return STATUS_OK;
    task_table_free(table);
    return damaged(index, err);
}

// The lane's rows. None if nothing is stored about it, for example because it never switched.
static enum status find_lane(struct trawl_index *index, uint64_t lane, struct task_lane *found,
                             struct error *err)
{
    *found = (struct task_lane){0};
    if (lane >= index->lane_count)
        return error_set(err, STATUS_NOT_FOUND, "%s: no such lane", index->path);
    enum status status = make_ready(index, err);
    if (status == STATUS_OK && index->tasks.lanes)
        *found = index->tasks.lanes[lane];
    return status;
}

// --- Tasks ---------------------------------------------------------------------------------------

static bool get_address(const struct column *column, uint64_t row, uint64_t *address)
{
    bool is_there = column_get(column, row, address);
    if (is_there && *address == UINT64_MAX)
        *address = TRAWL_NONE;
    return is_there;
}

static enum status read_task(struct trawl_index *index, uint64_t lane, uint64_t task,
                             struct trawl_task *about, struct error *err)
{
    const struct column *columns = index->tasks.columns;
    struct task_lane rows;
    enum status status = find_lane(index, lane, &rows, err);
    if (status != STATUS_OK)
        return status;
    *about = (struct trawl_task){task, TRAWL_NONE, TRAWL_NONE, TRAWL_NONE, 0};
    if (task >= u64_max(rows.task_count, 1))
        return error_set(err, STATUS_NOT_FOUND, "%s: no such task", index->path);
    if (!rows.task_count)
        return STATUS_OK;
    uint64_t row = rows.first_task + task;
    return get_address(&columns[PART_TASK_STACKS], row, &about->stack) &&
                   get_address(&columns[PART_TASK_STACKS_LOW], row, &about->stack_low) &&
                   get_address(&columns[PART_TASK_ENTRIES], row, &about->entry) &&
                   (!columns[PART_TASK_KEYS].count ||
                    column_get(&columns[PART_TASK_KEYS], row, &about->key))
               ? STATUS_OK
               : damaged(index, err);
}

enum trawl_status trawl_task_(struct trawl_index *index, uint64_t lane, uint64_t task,
                              struct trawl_task *about, size_t about_bytes,
                              struct trawl_error *error)
{
    struct error why;
    struct trawl_task found;
    enum status status = read_task(index, lane, task, &found, &why);
    if (status == STATUS_OK)
        caller_give(about, about_bytes, &found, sizeof found);
    return errors_give(error, &why, status);
}

// --- Runs ----------------------------------------------------------------------------------------

// Run `number`, which must exist: from one switch to the next.
static enum status read_run(const struct trawl_index *index, uint64_t lane,
                            const struct task_lane *rows, uint64_t number,
                            struct trawl_task_run *run, struct error *err)
{
    const struct column *events = &index->tasks.columns[PART_SWITCH_EVENTS];
    uint64_t end = index->lanes[lane].figures[LANE_EVENTS];
    *run = (struct trawl_task_run){.run = number};
    if ((number && (!column_get(events, rows->first_switch + number - 1, &run->first) ||
                    !column_get(&index->tasks.columns[PART_SWITCH_TASKS],
                                rows->first_switch + number - 1, &run->task))) ||
        (number < rows->switch_count && !column_get(events, rows->first_switch + number, &end)) ||
        end > index->lanes[lane].figures[LANE_EVENTS] || run->first >= end ||
        (run->task && run->task >= rows->task_count))
        return damaged(index, err);
    run->last = end - 1;
    return STATUS_OK;
}

enum trawl_status trawl_task_run_(struct trawl_index *index, uint64_t lane, uint64_t number,
                                  struct trawl_task_run *about, size_t about_bytes,
                                  struct trawl_error *error)
{
    struct error why;
    struct trawl_task_run found;
    struct task_lane rows;
    enum status status = find_lane(index, lane, &rows, &why);
    if (status == STATUS_OK &&
        (number > rows.switch_count || !index->lanes[lane].figures[LANE_EVENTS]))
        status = error_set(&why, STATUS_NOT_FOUND, "%s: no such run of a task", index->path);
    if (status == STATUS_OK)
        status = read_run(index, lane, &rows, number, &found, &why);
    if (status == STATUS_OK)
        caller_give(about, about_bytes, &found, sizeof found);
    return errors_give(error, &why, status);
}

// The number of the lane's switches at or before the event.
static enum status count_switches(const struct trawl_index *index, const struct task_lane *rows,
                                  uint64_t event, uint64_t *count, struct error *err)
{
    uint64_t first = rows->first_switch, place = first;
    if (rows->switch_count && !column_search(&index->tasks.columns[PART_SWITCH_EVENTS], first,
                                             first + rows->switch_count, event, &place))
        return damaged(index, err);
    *count = place - first;
    return STATUS_OK;
}

enum trawl_status trawl_task_run_at_(struct trawl_index *index, uint64_t lane, uint64_t in_lane,
                                     struct trawl_task_run *about, size_t about_bytes,
                                     struct trawl_error *error)
{
    struct error why;
    struct trawl_task_run found;
    struct task_lane rows;
    uint64_t number = 0;
    enum status status = find_lane(index, lane, &rows, &why);
    if (status == STATUS_OK && in_lane >= index->lanes[lane].figures[LANE_EVENTS])
        status = error_set(&why, STATUS_NOT_FOUND, "%s: no such event", index->path);
    if (status == STATUS_OK)
        status = count_switches(index, &rows, in_lane, &number, &why);
    if (status == STATUS_OK)
        status = read_run(index, lane, &rows, number, &found, &why);
    if (status == STATUS_OK && (in_lane < found.first || in_lane > found.last))
        status = damaged(index, &why);
    if (status == STATUS_OK)
        caller_give(about, about_bytes, &found, sizeof found);
    return errors_give(error, &why, status);
}

const char *trawl_task_key(const struct trawl_index *index)
{
    return *index->task_key ? index->task_key : NULL;
}
