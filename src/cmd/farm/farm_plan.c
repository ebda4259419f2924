#include "cmd/farm/commands.h"

#include "base/characters.h"
#include "base/limits.h"
#include "report/out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "trawl farm plan 1"

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the plan");
}

bool farm_plan_add_trace(struct farm_plan *plan, const char *path, const char *index,
                         uint32_t shards)
{
    struct farm_trace trace = {strdup(path), strdup(index), shards};
    if (trace.path && trace.index && VEC_ROOM(&plan->traces, 1)) {
        plan->traces.items[plan->traces.count++] = trace;
        return true;
    }
    free(trace.path);
    free(trace.index);
    return false;
}

bool farm_plan_add_option(struct farm_plan *plan, const char *name, const char *value)
{
    char *option = NULL;
    if (asprintf(&option, value ? "%s=%s" : "%s", name, value) < 0)
        return false;
    if (!VEC_ROOM(&plan->options, 1)) {
        free(option);
        return false;
    }
    plan->options.items[plan->options.count++] = option;
    return true;
}

static uint32_t tasks_of(const struct farm_trace *trace)
{
    return trace->shards ? trace->shards : 1;
}

uint64_t farm_plan_task_count(const struct farm_plan *plan)
{
    uint64_t count = 0;
    for (size_t i = 0; i < plan->traces.count; i++)
        count += tasks_of(&plan->traces.items[i]);
    return count;
}

struct farm_task farm_plan_task(const struct farm_plan *plan, uint64_t number)
{
    uint64_t before = 0;
    size_t i = 0;
    while (number - before > tasks_of(&plan->traces.items[i]))
        before += tasks_of(&plan->traces.items[i++]);
    const struct farm_trace *trace = &plan->traces.items[i];
    return (struct farm_task){trace, i + 1, trace->shards ? (uint32_t)(number - before) : 0};
}

static char *path_of(const struct farm_plan *plan, const char *folder, size_t trace_number,
                     uint32_t shard)
{
    char *path = NULL;
    int length =
        asprintf(&path, "%s/%s/%zu.%" PRIu32, plan->directory, folder, trace_number, shard);
    return length < 0 ? NULL : path;
}

char *farm_plan_part(const struct farm_plan *plan, size_t trace_number, uint32_t shard)
{
    return path_of(plan, "parts", trace_number, shard);
}

char *farm_plan_survey(const struct farm_plan *plan, size_t trace_number, uint32_t shard)
{
    return path_of(plan, "surveys", trace_number, shard);
}

// Escapes characters of patterns with a backslash.
static char *quoted(const char *text)
{
    char *quoted = malloc(2 * strlen(text) + 1), *to = quoted;
    for (; quoted && *text; text++) {
        if (strchr("*?[\\", *text))
            *to++ = '\\';
        *to++ = *text;
    }
    if (quoted)
        *to = '\0';
    return quoted;
}

char *farm_plan_surveys(const struct farm_plan *plan, size_t trace_number)
{
    char *path = NULL, *directory = quoted(plan->directory);
    bool has_memory =
        directory && asprintf(&path, "%s/surveys/%zu.*", directory, trace_number) >= 0;
    free(directory);
    return has_memory ? path : NULL;
}

char *farm_plan_file(const struct farm_plan *plan, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", plan->directory, name) < 0 ? NULL : path;
}

void farm_plan_free(struct farm_plan *plan)
{
    for (size_t i = 0; i < plan->traces.count; i++) {
        free(plan->traces.items[i].path);
        free(plan->traces.items[i].index);
    }
    for (size_t i = 0; i < plan->options.count; i++)
        free(plan->options.items[i]);
    free(plan->traces.items);
    free(plan->options.items);
    free(plan->directory);
    *plan = (struct farm_plan){0};
}

// --- Writing -------------------------------------------------------------------------------------

static void put_path(struct out *out, const char *path)
{
    for (; *path; path++) {
        if (*path == '\n' || *path == '\\')
            out_byte(out, '\\');
        out_byte(out, *path == '\n' ? 'n' : *path);
    }
    out_byte(out, '\n');
}

static enum status make_directory(const char *path, struct error *err)
{
    struct stat info;
    if (mkdir(path, 0777) == 0 || (stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return STATUS_OK;
    return error_set(err, STATUS_IO, "%s: %s", path, strerror(errno));
}

static enum status make_directories(struct farm_plan *plan, struct error *err)
{
    char real[PATH_MAX];
    enum status status = make_directory(plan->directory, err);
    if (status != STATUS_OK)
        return status;
    char *absolute = realpath(plan->directory, real) ? strdup(real) : NULL;
    if (!absolute)
        return no_memory(err);
    free(plan->directory);
    plan->directory = absolute;
    static const char *const names[] = {"surveys", "parts", "logs"};
    for (size_t i = 0; i < ARRAY_COUNT(names) && status == STATUS_OK; i++) {
        char *path = farm_plan_file(plan, names[i]);
        status = path ? make_directory(path, err) : no_memory(err);
        free(path);
    }
    return status;
}

// Whether it is the name of a part or a survey: NUMBER.NUMBER.
static bool is_part(const char *name)
{
    size_t first = strspn(name, "0123456789");
    size_t second = name[first] == '.' ? strspn(name + first + 1, "0123456789") : 0;
    return first && second && !name[first + 1 + second];
}

static enum status remove_parts(const struct farm_plan *plan, const char *name, struct error *err)
{
    char *path = farm_plan_file(plan, name);
    DIR *directory = path ? opendir(path) : NULL;
    const struct dirent *entry;
    enum status status = STATUS_OK;
    if (!path)
        return no_memory(err);
    if (!directory)
        status = error_set(err, STATUS_IO, "%s: %s", path, strerror(errno));
    while (directory && (entry = readdir(directory))) {
        if (is_part(entry->d_name))
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    if (directory)
        closedir(directory);
    free(path);
    return status;
}

static bool are_equal(const struct farm_plan *a, const struct farm_plan *b)
{
    if (a->traces.count != b->traces.count || a->options.count != b->options.count)
        return false;
    for (size_t i = 0; i < a->options.count; i++) {
        if (strcmp(a->options.items[i], b->options.items[i]) != 0)
            return false;
    }
    for (size_t i = 0; i < a->traces.count; i++) {
        const struct farm_trace *first = &a->traces.items[i], *second = &b->traces.items[i];
        if (first->shards != second->shards || strcmp(first->path, second->path) != 0 ||
            strcmp(first->index, second->index) != 0)
            return false;
    }
    return true;
}

static int by_index(const void *a_item, const void *b_item)
{
    const struct farm_trace *a = *(struct farm_trace *const *)a_item;
    const struct farm_trace *b = *(struct farm_trace *const *)b_item;
    return strcmp(a->index, b->index);
}

// Each merge replaces its index, so two traces cannot have the same one.
static enum status check_indexes(const struct farm_plan *plan, struct error *err)
{
    size_t count = plan->traces.count;
    const struct farm_trace **sorted = calloc(count + 1, sizeof(struct farm_trace *));
    enum status status = sorted ? STATUS_OK : no_memory(err);
    for (size_t i = 0; i < count && sorted; i++)
        sorted[i] = &plan->traces.items[i];
    if (sorted && count)
        qsort(sorted, count, sizeof *sorted, by_index);
    for (size_t i = 1; i < count && status == STATUS_OK; i++) {
        if (by_index(&sorted[i - 1], &sorted[i]) == 0)
            status = error_set(err, STATUS_INPUT, "%s and %s would have the same index, %s",
                               sorted[i - 1]->path, sorted[i]->path, sorted[i]->index);
    }
    free(sorted);
    return status;
}

enum status farm_plan_write(struct farm_plan *plan, struct error *err)
{
    struct farm_plan old;
    struct out out;
    enum status status = check_indexes(plan, err);
    if (status == STATUS_OK)
        status = make_directories(plan, err);
    if (status != STATUS_OK)
        return status;
    bool is_same =
        farm_plan_read(&old, plan->directory, NULL) == STATUS_OK && are_equal(plan, &old);
    farm_plan_free(&old);
    char *path = farm_plan_file(plan, "plan");
    struct stat about;
    if (!path)
        return no_memory(err);
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) // writing to a FIFO would wait
        status = error_set(err, STATUS_INPUT, "%s: is not a regular file", path);
    if (!is_same && status == STATUS_OK)
        status = remove_parts(plan, "parts", err);
    if (!is_same && status == STATUS_OK)
        status = remove_parts(plan, "surveys", err);
    if (status == STATUS_OK && (status = out_open(&out, path, err)) == STATUS_OK) {
        out_text(&out, FIRST_LINE "\n");
        for (size_t i = 0; i < plan->options.count; i++) {
            out_text(&out, "option ");
            put_path(&out, plan->options.items[i]);
        }
        for (size_t i = 0; i < plan->traces.count; i++) {
            const struct farm_trace *trace = &plan->traces.items[i];
            out_text(&out, "trace ");
            out_u64(&out, trace->shards);
            out_byte(&out, ' ');
            put_path(&out, trace->path);
            out_text(&out, "index ");
            put_path(&out, trace->index);
        }
        status = out_close(&out, err);
    }
    free(path);
    return status;
}

// --- Reading -------------------------------------------------------------------------------------

// Undoes put_path, in place. False: it was not written by put_path.
static bool unescape(char *text)
{
    char *to = text;
    while (*text) {
        char byte = *text++;
        if (byte == '\\') {
            byte = *text++;
            if (byte != 'n' && byte != '\\')
                return false;
            byte = byte == 'n' ? '\n' : '\\';
        }
        *to++ = byte;
    }
    *to = '\0';
    return true;
}

static bool take_index(struct farm_plan *plan, char *path)
{
    struct farm_trace *last =
        plan->traces.count ? &plan->traces.items[plan->traces.count - 1] : NULL;
    if (!last || *last->index || *path != '/' || !unescape(path))
        return false;
    free(last->index);
    return (last->index = strdup(path)) != NULL;
}

static bool take_line(struct farm_plan *plan, char *line)
{
    char *space = strchr(line, ' ');
    if (!space)
        return false;
    *space = '\0';
    if (strcmp(line, "option") == 0)
        return unescape(space + 1) && farm_plan_add_option(plan, space + 1, NULL);
    if (strcmp(line, "trace") == 0) {
        char *rest = space + 1;
        char *path;
        unsigned long shards = strtoul(rest, &path, 10);
        return is_digit(*rest) && *path == ' ' && path[1] == '/' && shards <= LIMIT_SHARDS &&
               plan->traces.count < LIMIT_FARM_TRACES && unescape(path + 1) &&
               farm_plan_add_trace(plan, path + 1, "", (uint32_t)shards);
    }
    return strcmp(line, "index") == 0 && take_index(plan, space + 1);
}

static enum status read_lines(struct farm_plan *plan, FILE *file, const char *path,
                              struct error *err)
{
    char line[2 * PATH_MAX];
    uint64_t number = 0;
    while (fgets(line, sizeof line, file)) {
        size_t length = strlen(line);
        bool is_whole = length && line[length - 1] == '\n';
        number++;
        if (is_whole)
            line[length - 1] = '\0';
        if (number == 1 && strcmp(line, FIRST_LINE) != 0)
            return error_set(err, STATUS_INPUT, "%s: is not a plan of this version of trawl", path);
        if (!is_whole || (number > 1 && !take_line(plan, line)))
            return error_set(err, STATUS_INPUT, "%s:%" PRIu64 ": not a line of a plan", path,
                             number);
    }
    bool is_complete =
        plan->traces.count && *plan->traces.items[plan->traces.count - 1].index && !ferror(file);
    return is_complete ? STATUS_OK
                       : error_set(err, STATUS_INPUT, "%s: the plan was truncated", path);
}

enum status farm_plan_read(struct farm_plan *plan, const char *directory, struct error *err)
{
    char real[PATH_MAX];
    *plan = (struct farm_plan){0};
    plan->directory = strdup(realpath(directory, real) ? real : directory);
    char *path = plan->directory ? farm_plan_file(plan, "plan") : NULL;
    if (!path)
        return no_memory(err);
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // does not wait at a FIFO
    bool is_file = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = is_file ? fdopen(fd, "r") : NULL;
    enum status status = STATUS_OK;
    if (file)
        status = read_lines(plan, file, path, err);
    else if (fd >= 0 && !is_file)
        status = error_set(err, STATUS_INPUT, "%s: is not a regular file", path);
    else if (errno == ENOENT || errno == ENOTDIR)
        status =
            error_set(err, STATUS_INPUT,
                      "%s: is not the directory of a plan; 'trawl farm plan' makes one", directory);
    else
        status = error_set(err, STATUS_INPUT, "%s: %s", path, strerror(errno));
    if (file)
        fclose(file);
    else if (fd >= 0)
        close(fd);
    if (status == STATUS_OK)
        status = check_indexes(plan, err);
    free(path);
    return status;
}
