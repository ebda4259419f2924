#include "browse/browser.h"

#include "base/limits.h"
#include "names/source_text.h"

#include "base/file_stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool settings_path(char path[SETTINGS_PATH_BYTES])
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = -1;
    if (config && config[0] == '/') // relative paths must be ignored
        length = snprintf(path, SETTINGS_PATH_BYTES, "%s/trawl/browse.conf", config);
    else if (home && home[0])
        length = snprintf(path, SETTINGS_PATH_BYTES, "%s/.config/trawl/browse.conf", home);
    return length > 0 && length < SETTINGS_PATH_BYTES;
}

// --- Lines ---------------------------------------------------------------------------------------

static bool is_one_of(const char *value, const char *first, const char *second, bool *is_second)
{
    *is_second = strcmp(value, second) == 0;
    return *is_second || strcmp(value, first) == 0;
}

static enum status take_line(struct settings *settings, char *line)
{
    static const char blanks[] = " \t\r";
    char *keyword = line + strspn(line, blanks), *value = keyword + strcspn(keyword, blanks);
    if (*keyword == '#' || !*keyword)
        return STATUS_OK;
    if (*value)
        *value++ = '\0';
    value += strspn(value, blanks);
    for (size_t length = strlen(value); length && strchr(blanks, value[length - 1]); length--)
        value[length - 1] = '\0';
    // Applies a keyword and its value. STATUS_INPUT: invalid.
    bool is_known = false;
    if (strcmp(keyword, "theme") == 0) {
        is_known = is_one_of(value, "dark", "light", &settings->is_light);
    } else if (strcmp(keyword, "colour") == 0 || strcmp(keyword, "color") == 0) {
        is_known = is_one_of(value, "yes", "no", &settings->has_no_colour);
    } else if (strcmp(keyword, "indentation") == 0) {
        is_known = is_one_of(value, "yes", "no", &settings->has_no_indentation);
    } else if (strcmp(keyword, "keys") == 0) {
        is_known = strlen(value) < SETTINGS_KEYS_BYTES;
        snprintf(settings->keys, sizeof settings->keys, "%s", value);
    } else if (strcmp(keyword, "source") == 0 && value[0]) {
        if (!VEC_ROOM(&settings->sources, 1))
            return STATUS_MEMORY;
        settings->sources.items[settings->sources.count++] = value;
        is_known = true;
    } else if (strcmp(keyword, "source-map") == 0 && source_map_is_sound(value)) {
        if (!VEC_ROOM(&settings->source_maps, 1))
            return STATUS_MEMORY;
        settings->source_maps.items[settings->source_maps.count++] = value;
        is_known = true;
    }
    return is_known ? STATUS_OK : STATUS_INPUT;
}

enum status settings_read(struct settings *settings, const char *path, struct error *err)
{
    uint64_t number = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *settings = (struct settings){0};
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? STATUS_OK : error_set_errno(err, path, "open");
    settings->text = malloc(LIMIT_SETTINGS_BYTES + 1);
    ssize_t size = settings->text ? file_start_read(fd, settings->text, LIMIT_SETTINGS_BYTES) : 0;
    enum status status = !settings->text ? error_set(err, STATUS_MEMORY, "no memory for settings")
                         : size < 0      ? error_set_errno(err, path, "read")
                                         : STATUS_OK;
    close(fd);
    if (status == STATUS_OK)
        settings->text[size] = '\0';
    for (char *line = settings->text, *end; status == STATUS_OK && line < settings->text + size;
         line = end + 1) {
        end = line + strcspn(line, "\n");
        *end = '\0';
        number++;
        status = take_line(settings, line);
        if (status == STATUS_INPUT)
            error_set(err, status, "%s: line %" PRIu64 " is no setting", path, number);
        else if (status != STATUS_OK)
            error_set(err, status, "no memory for settings");
    }
    return status;
}

void settings_free(struct settings *settings)
{
    free(settings->sources.items);
    free(settings->source_maps.items);
    free(settings->text);
    *settings = (struct settings){0};
}
