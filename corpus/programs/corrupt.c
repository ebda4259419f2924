// A list that is broken long before anybody notices: a name is copied without a bound and runs over
// into the pointer behind it. The walk that finds out is another function, and later.
#include "lib.h"

enum { JOBS = 6, NAME_BYTES = 8, VALID = 0x6a6f62 };

struct job {
    uint32_t valid;
    uint32_t ticks;
    char name[NAME_BYTES];
    struct job *next;
};

static struct job jobs[JOBS];
static struct job *first;

static _Noreturn NOINLINE void panic(const char *text)
{
    print("panic: ");
    print(text);
    print("\n");
    program_exit(0);
}

static NOINLINE void name_job(struct job *job, const char *name)
{
    char *to = job->name;
    while ((*to++ = *name++)) { // one byte too few for the longest
    }
}

static NOINLINE struct job *add_job(uint32_t number, uint32_t ticks, const char *name)
{
    struct job *job = &jobs[number];
    job->valid = VALID;
    job->ticks = ticks;
    job->next = first;
    name_job(job, name);
    return first = job;
}

static NOINLINE void rename_job(uint32_t number, const char *name)
{
    name_job(&jobs[number], name);
}

static NOINLINE uint32_t work(const struct job *job)
{
    uint32_t sum = job->ticks;
    for (uint32_t i = 0; i < job->ticks; i++) {
        sum = sum * 31 + (uint8_t)job->name[i % NAME_BYTES];
    }
    return sum;
}

static NOINLINE uint32_t run_jobs(void)
{
    uint32_t sum = 0;
    for (const struct job *job = first; job; job = job->next) {
        if (job->valid != VALID) {
            panic("a job is broken");
        }
        sum += work(job);
    }
    return sum;
}

int main(void)
{
    add_job(0, 20, "boot");
    add_job(1, 31, "sensors");
    add_job(2, 12, "radio");
    add_job(3, 25, "display");
    add_job(4, 9, "idle");
    add_job(5, 17, "update");
    print_number("sum ", run_jobs());
    rename_job(3, "displays");
    print_number("sum ", run_jobs());
    return 0;
}
