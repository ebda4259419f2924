#include "browse/browser_state.h"

#include "base/characters.h"
#include "base/file_stamp.h"
#include "base/limits.h"
#include "report/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum status marks_set(struct marks *marks, const char *typed, uint64_t event, struct error *err)
{
    if (!is_letter(typed[0]) || (typed[1] && typed[1] != ' '))
        return error_set(err, STATUS_INPUT,
                         "Marks are letters from a to z, with a note after them");
    struct mark *mark = &marks->marks[typed[0] - 'a'];
    *mark = (struct mark){.is_set = true, .event = event};
    if (typed[1])
        snprintf(mark->note, sizeof mark->note, "%s", typed + 2);
    return STATUS_OK;
}

const struct mark *marks_find(const struct marks *marks, const char *typed)
{
    if (!is_letter(typed[0]) || typed[1] || !marks->marks[typed[0] - 'a'].is_set)
        return NULL;
    return &marks->marks[typed[0] - 'a'];
}

bool marks_path(const char *trace, char path[MARKS_PATH_BYTES])
{
    int length = snprintf(path, MARKS_PATH_BYTES, "%s.marks", trace);
    return length > 0 && length < MARKS_PATH_BYTES;
}

// --- The file ------------------------------------------------------------------------------------

enum status marks_write(const struct marks *marks, const char *path, struct error *err)
{
    struct out out;
    enum status status = out_open(&out, path, err);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < MARK_COUNT; i++) {
        const struct mark *mark = &marks->marks[i];
        if (!mark->is_set)
            continue;
        out_byte(&out, (char)('a' + i));
        out_text(&out, mark->event == UINT64_MAX ? " start" : " event:");
        if (mark->event != UINT64_MAX)
            out_u64(&out, mark->event);
        if (mark->note[0]) {
            out_byte(&out, ' ');
            out_text(&out, mark->note);
        }
        out_byte(&out, '\n');
    }
    return out_close(&out, err);
}

// Reads the event that a line names, and returns what is after it. False: it names none.
static bool read_event(const char *at, uint64_t event_count, uint64_t *event, const char **after)
{
    char *end;
    if (strncmp(at, "start", 5) == 0) {
        *event = UINT64_MAX;
        *after = at + 5;
        return true;
    }
    if (strncmp(at, "event:", 6) != 0 || at[6] < '0' || at[6] > '9')
        return false;
    errno = 0;
    *event = strtoull(at + 6, &end, 10);
    *after = end;
    return errno == 0 && *event < event_count;
}

static bool read_line(struct marks *marks, char *line, uint64_t event_count)
{
    const char *after;
    uint64_t event;
    if (!is_letter(line[0]) || line[1] != ' ' ||
        !read_event(line + 2, event_count, &event, &after) || (*after && *after != ' '))
        return false;
    struct mark *mark = &marks->marks[line[0] - 'a'];
    *mark = (struct mark){.is_set = true, .event = event};
    snprintf(mark->note, sizeof mark->note, "%s", *after ? after + 1 : "");
    return true;
}

enum status marks_read(struct marks *marks, const char *path, uint64_t event_count,
                       uint64_t *ignored, struct error *err)
{
    *ignored = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? error_set(err, STATUS_NOT_FOUND, "%s: there is none", path)
                               : error_set_errno(err, path, "open");
    char *text = malloc(LIMIT_SETTINGS_BYTES + 1);
    ssize_t size = text ? file_start_read(fd, text, LIMIT_SETTINGS_BYTES) : 0;
    enum status status = !text      ? error_set(err, STATUS_MEMORY, "no memory for marks")
                         : size < 0 ? error_set_errno(err, path, "read")
                                    : STATUS_OK;
    close(fd);
    if (status == STATUS_OK)
        text[size] = '\0';
    for (char *line = text, *end; status == STATUS_OK && line < text + size; line = end + 1) {
        end = line + strcspn(line, "\n");
        *end = '\0';
        *ignored += *line && !read_line(marks, line, event_count);
    }
    free(text);
    return status;
}
