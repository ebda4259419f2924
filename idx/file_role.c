#include "idx/file_role.h"

#include "base/file_stamp.h"
#include "idx/index_header.h"
#include "idx/shard_format.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEGINS_WITH(start, have_bytes, text)                                                       \
    ((have_bytes) >= sizeof(text) - 1 && memcmp(start, text, sizeof(text) - 1) == 0)

static bool is_survey(const void *start, size_t have_bytes, uint64_t size_bytes)
{
    struct index_section_entry sections[INDEX_HEADER_SECTIONS];
    size_t count = 0;
    if (have_bytes < INDEX_HEADER_BYTES ||
        index_header_read(start, size_bytes, SHARD_MAGIC, sections, &count) != HEADER_SOUND)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (sections[i].number == (uint32_t)SECTION_SURVEY)
            return true;
    }
    return false;
}

enum file_role file_role(const void *start, size_t have_bytes, uint64_t size_bytes)
{
    if (BEGINS_WITH(start, have_bytes, INDEX_MAGIC))
        return ROLE_INDEX;
    if (BEGINS_WITH(start, have_bytes, TTU_INDEX_START))
        return ROLE_TTU_INDEX;
    if (!BEGINS_WITH(start, have_bytes, SHARD_MAGIC))
        return ROLE_OTHER;
    return is_survey(start, have_bytes, size_bytes) ? ROLE_SURVEY : ROLE_PART;
}

enum file_role file_role_of(int fd)
{
    uint8_t start[INDEX_HEADER_BYTES];
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return ROLE_OTHER;
    ssize_t have = file_start_read(fd, start, sizeof start);
    return have < 0 ? ROLE_OTHER : file_role(start, (size_t)have, (uint64_t)info.st_size);
}

enum file_role file_role_at(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return ROLE_OTHER;
    enum file_role role = file_role_of(fd);
    close(fd);
    return role;
}

void file_role_describe(enum file_role role, enum file_role wanted, char text[FILE_ROLE_TEXT_BYTES])
{
    static const char *const names[] = {
        [ROLE_INDEX] = "an index of trawl",
        [ROLE_PART] = "a part of an index",
        [ROLE_SURVEY] = "a survey",
        [ROLE_TTU_INDEX] = "an index of the Tarmac Trace Utilities",
    };
    static const char *const uses[] = {
        [ROLE_INDEX] = "",
        [ROLE_PART] = " (for 'trawl merge')",
        [ROLE_SURVEY] = " (for 'trawl index --shard K/N --after')",
        [ROLE_TTU_INDEX] = "",
    };
    if (role == ROLE_PART && wanted == ROLE_INDEX)
        snprintf(text, FILE_ROLE_TEXT_BYTES,
                 "is only a part of an index ('trawl merge' joins the parts)");
    else if (role == ROLE_OTHER)
        snprintf(text, FILE_ROLE_TEXT_BYTES, "is not %s", names[wanted]);
    else
        snprintf(text, FILE_ROLE_TEXT_BYTES, "is %s%s, not %s", names[role], uses[role],
                 names[wanted]);
}

enum status file_role_refuse(const char *path, enum file_role role, enum file_role wanted,
                             struct error *err)
{
    char text[FILE_ROLE_TEXT_BYTES];
    file_role_describe(role, wanted, text);
    return error_set(err, STATUS_INPUT, "%s: %s", path, text);
}
