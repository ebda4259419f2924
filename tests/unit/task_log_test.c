// When tasks ran is compared with simple arrays of the task at each time.
#include "flow/task_log.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

enum { TASKS = 5, TIMES = 60, LOGS = 400 };

// The task at each time. There is an event for each time, so that both are the same number.
struct model {
    struct prng prng;
    struct task_log log;
    uint64_t running[TIMES];
};

static void add(struct model *model, uint64_t time, uint64_t task)
{
    CHECK(task_log_add(&model->log, &(struct task_switch){time, time, task}));
    for (uint64_t at = time; at < TIMES; at++)
        model->running[at] = task;
}

// Switches at ascending times, some at the same time, some to the current task.
static void make(struct model *model)
{
    uint64_t time = 0;
    memset(model->running, 0, sizeof model->running);
    while ((time += prng_below(&model->prng, 9)) < TIMES)
        add(model, time, prng_below(&model->prng, TASKS));
}

static void check_ticks(struct model *model)
{
    uint64_t first = prng_below(&model->prng, TIMES);
    uint64_t last = first + prng_below(&model->prng, (uint32_t)(TIMES - first));
    uint64_t ticks[TASKS] = {0}, wanted[TASKS] = {0};
    for (uint64_t at = first; at < last; at++)
        wanted[model->running[at]]++;
    task_log_add_ticks(&model->log, first, last, ticks);
    CHECK(memcmp(ticks, wanted, sizeof ticks) == 0);
    task_log_add_ticks(&model->log, first, last, ticks); // adds
    for (int i = 0; i < TASKS; i++)
        CHECK(ticks[i] == 2 * wanted[i]);
}

// Removes the times of a run from the model.
static void take_run(struct model *model, const struct task_run *run)
{
    CHECK(run->end_time == run->end_event);
    for (uint64_t at = run->first_time; at < u64_min(run->end_time, TIMES); at++) {
        CHECK(model->running[at] == run->task);
        model->running[at] = TASKS;
    }
}

// Every time is in one run of the group of its task, and the runs of a group are in order.
static void check_runs(struct model *model)
{
    size_t group_of[TASKS];
    uint64_t first_runs[TASKS];
    struct task_runs runs = {0};
    for (int i = 0; i < TASKS; i++) {
        group_of[i] = prng_below(&model->prng, TASKS);
        first_runs[i] = TASK_RUN_NONE;
    }
    CHECK(task_runs_make(&runs, &model->log, group_of, first_runs));
    for (size_t group = 0; group < TASKS; group++) {
        uint64_t least = 0;
        for (uint64_t at = first_runs[group]; at != TASK_RUN_NONE; at = task_runs_next(&runs, at)) {
            const struct task_run run = task_log_run(&model->log, at);
            CHECK(group_of[run.task] == group);
            CHECK(at >= least);
            least = at + 1;
            take_run(model, &run);
        }
    }
    for (int at = 0; at < TIMES; at++)
        CHECK(model->running[at] == TASKS);
    task_runs_free(&runs);
}

static void test_random_logs(void)
{
    struct model model = {.prng = {7}};
    for (int i = 0; i < LOGS; i++) {
        make(&model);
        check_ticks(&model);
        check_runs(&model);
        task_log_free(&model.log);
        CHECK(!model.log.switch_count && !model.log.switches.base);
    }
}

static void test_empty_log(void)
{
    const struct task_log log = {0};
    const struct task_run run = task_log_run(&log, 0);
    uint64_t ticks[1] = {1}, first_run = TASK_RUN_NONE;
    struct task_runs runs = {0};
    CHECK(run.task == 0 && run.first_time == 0);
    CHECK(run.end_time == UINT64_MAX && run.end_event == UINT64_MAX);
    task_log_add_ticks(&log, 3, 10, ticks);
    CHECK(ticks[0] == 8);
    CHECK(task_runs_make(&runs, &log, (const size_t[]){0}, &first_run));
    CHECK(first_run == 0 && task_runs_next(&runs, 0) == TASK_RUN_NONE);
    task_runs_free(&runs);
}

static void test_switches_at_once(void)
{
    struct task_log log = {0};
    CHECK(task_log_add(&log, &(struct task_switch){5, 50, 1}));
    CHECK(task_log_add(&log, &(struct task_switch){5, 50, 2}));
    CHECK(log.switch_count == 1 && task_log_switches(&log)[0].number == 2);
    CHECK(task_log_add(&log, &(struct task_switch){6, 50, 1})); // another event at that time
    CHECK(log.switch_count == 2 && task_log_switches(&log)[1].number == 1);
    task_log_free(&log);
}

// Times outside of the switches, times that decrease, or end before they begin.
static void test_odd_times(void)
{
    struct task_log log = {0};
    uint64_t ticks[2] = {0};
    CHECK(task_log_add(&log, &(struct task_switch){5, 50, 1}));
    CHECK(task_log_add(&log, &(struct task_switch){6, 40, 0}));
    task_log_add_ticks(&log, 60, 70, ticks);
    CHECK(ticks[0] == 10 && ticks[1] == 0);
    task_log_add_ticks(&log, 10, 30, ticks);
    CHECK(ticks[0] == 30 && ticks[1] == 0);
    task_log_add_ticks(&log, 45, 60, ticks);
    CHECK(ticks[0] == 45 && ticks[1] == 0);
    task_log_add_ticks(&log, 30, 20, ticks);
    CHECK(ticks[0] == 45 && ticks[1] == 0);
    task_log_free(&log);
}

const struct test_case task_log_tests[] = {
    {"tasks: random logs of switches", test_random_logs},
    {"tasks: a log without switches", test_empty_log},
    {"tasks: two switches at one event", test_switches_at_once},
    {"tasks: times that no log should have", test_odd_times},
    {0},
};
