#include "elf/debug_file.h"

#include "base/limits.h"
#include "elf/image.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSTEM_DIRECTORY "/usr/lib/debug"

struct search {
    const struct image *image;
    char directory[PATH_MAX]; // of the image
    char build_id[2 * LIMIT_BUILD_ID_BYTES + 1];
    bool has_build_id;
    char name[NAME_MAX + 1]; // in .gnu_debuglink; "": none
    char shared[PATH_MAX];   // in .gnu_debugaltlink; "": none
    uint32_t checksum;
    struct image *found;
    bool lacks_memory;
};

// --- What an image says --------------------------------------------------------------------------

// Reads a name without a directory, a NUL, padding to four bytes, and a checksum.
static bool read_link(struct search *search, const uint8_t *bytes, uint64_t size)
{
    const uint8_t *end = memchr(bytes, '\0', size);
    size_t length = end ? (size_t)(end - bytes) : 0;
    uint64_t at = (length + 4) & ~UINT64_C(3);
    if (!length || length > NAME_MAX || memchr(bytes, '/', length) || at + 4 > size)
        return false;
    memcpy(search->name, bytes, length + 1);
    search->checksum = (uint32_t)load_uint(bytes + at, 4, image_is_big_endian(search->image));
    return true;
}

// Reads a name, and the build-id of the named file.
static bool read_shared(struct search *search, const uint8_t *bytes, uint64_t size)
{
    const uint8_t *end = memchr(bytes, '\0', size);
    size_t length = end ? (size_t)(end - bytes) : 0;
    uint64_t id_bytes = end ? size - length - 1 : 0;
    if (!length || length >= sizeof search->shared || !id_bytes || id_bytes > LIMIT_BUILD_ID_BYTES)
        return false;
    memcpy(search->shared, bytes, length + 1);
    for (uint64_t i = 0; i < id_bytes; i++)
        snprintf(search->build_id + 2 * i, 3, "%02x", end[1 + i]);
    return true;
}

// Reads the section of that name, if it is intact.
static void read_section(struct search *search, const char *name,
                         bool (*read)(struct search *search, const uint8_t *bytes, uint64_t size))
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(image_elf(search->image), section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
            (header.sh_flags & SHF_COMPRESSED) ||
            strcmp(image_section_name(search->image, &header), name) != 0 ||
            !image_holds(search->image, header.sh_offset, header.sh_size))
            continue;
        image_ask();
        Elf_Data *data = elf_rawdata(section, NULL);
        search->lacks_memory |= image_lacks_memory();
        if (data && data->d_buf && read(search, data->d_buf, data->d_size))
            return;
    }
}

static bool find_directory(struct search *search)
{
    char *whole = realpath(image_path(search->image), NULL);
    char *slash = whole ? strrchr(whole, '/') : NULL;
    size_t length = slash ? (size_t)(slash - whole) : 0;
    if (slash && length < sizeof search->directory) {
        memcpy(search->directory, whole, length);
        search->directory[length] = '\0';
    }
    free(whole);
    return slash && length < sizeof search->directory;
}

// --- Whether a file is the one -------------------------------------------------------------------

// Opens a regular file, without blocking if it is no longer one.
static FILE *open_checked(const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_fit = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
                  (uint64_t)about.st_size <= LIMIT_DEBUG_LINK_BYTES;
    FILE *file = is_fit ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

// Compares the CRC-32 (as in zlib) of the whole file.
static bool has_checksum(const char *path, uint32_t wanted)
{
    uint32_t table[256], crc = UINT32_MAX;
    unsigned char block[1 << 14];
    size_t got;
    FILE *file = open_checked(path);
    if (!file)
        return false;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xedb88320) : 0);
    }
    while ((got = fread(block, 1, sizeof block, file))) {
        for (size_t i = 0; i < got; i++)
            crc = table[(crc ^ block[i]) & 0xff] ^ crc >> 8;
    }
    bool is_read = !ferror(file);
    fclose(file);
    return is_read && ~crc == wanted;
}

static bool fits(const struct search *search, const struct image *other, bool by_link)
{
    char build_id[2 * LIMIT_BUILD_ID_BYTES + 1];
    bool has_build_id = image_build_id(other, build_id);
    if (image_machine(other) != image_machine(search->image) ||
        image_class_bits(other) != image_class_bits(search->image) ||
        image_is_big_endian(other) != image_is_big_endian(search->image))
        return false;
    if (search->has_build_id && has_build_id)
        return strcmp(search->build_id, build_id) == 0;
    return by_link && has_checksum(image_path(other), search->checksum);
}

// Accepts an image that could be opened, if it is the right one.
static bool take(struct search *search, bool by_link, struct image *other)
{
    if (fits(search, other, by_link))
        search->found = other;
    else
        image_close(other);
    return search->found != NULL;
}

// Tries the file at a path, which is truncated if it is too long to exist. A file that cannot be
// read counts as missing.
static bool try_file(struct search *search, bool by_link, const char *path, int length)
{
    struct stat about;
    struct error reason;
    struct image *other;
    if (length < 0 || length >= PATH_MAX || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    enum status status = image_open(&other, path, &reason);
    search->lacks_memory |= status == STATUS_MEMORY;
    return status == STATUS_OK && take(search, by_link, other);
}

// --- Where it is looked for ----------------------------------------------------------------------

static bool try_build_id(struct search *search, const char *directory)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", directory,
                          search->build_id, search->build_id + 2);
    return try_file(search, false, path, length);
}

static bool try_link(struct search *search, const char *before, const char *after)
{
    char path[PATH_MAX];
    int length =
        snprintf(path, sizeof path, "%s%s%s/%s", before, search->directory, after, search->name);
    return try_file(search, true, path, length);
}

static bool ask_server(struct search *search)
{
    struct error reason;
    struct image *other;
    int fd = debug_server_open(search->build_id);
    if (fd < 0)
        return false;
    enum status status = image_open_descriptor(&other, fd, search->build_id, &reason);
    search->lacks_memory |= status == STATUS_MEMORY;
    if (status == STATUS_OK && take(search, false, other))
        return true;
    if (status == STATUS_OK)
        debug_server_refuse("the server sent the file of another program");
    else if (status != STATUS_MEMORY)
        debug_server_refuse("the server sent something that is no ELF file, or cut");
    return false;
}

enum status debug_file_open(struct image **out, const struct image *image, struct error *err)
{
    struct search search = {.image = image};
    *out = NULL;
    image_ask();
    search.has_build_id = image_build_id(image, search.build_id);
    search.lacks_memory = image_lacks_memory();
    read_section(&search, ".gnu_debuglink", read_link);
    if (find_directory(&search)) {
        bool has_build_id = search.has_build_id && search.build_id[0] && search.build_id[1];
        if (!has_build_id ||
            !(try_build_id(&search, search.directory) || try_build_id(&search, SYSTEM_DIRECTORY))) {
            if (search.name[0] && !try_link(&search, "", "") && !try_link(&search, "", "/.debug"))
                try_link(&search, SYSTEM_DIRECTORY, "");
            if (has_build_id && !search.found)
                ask_server(&search);
        }
    }
    *out = search.found;
    if (search.found || !search.lacks_memory)
        return STATUS_OK;
    return error_set(err, STATUS_MEMORY, "%s: no memory to find its debug file", image_path(image));
}

enum status debug_file_open_shared(struct image **out, const struct image *image, struct error *err)
{
    struct search search = {.image = image, .has_build_id = true};
    *out = NULL;
    read_section(&search, ".gnu_debugaltlink", read_shared);
    if (search.shared[0] && find_directory(&search)) {
        char path[PATH_MAX];
        bool is_absolute = search.shared[0] == '/';
        int length = snprintf(path, sizeof path, "%s%s%s", is_absolute ? "" : search.directory,
                              is_absolute ? "" : "/", search.shared);
        if (!try_file(&search, false, path, length) && search.build_id[1] &&
            !try_build_id(&search, search.directory) && !try_build_id(&search, SYSTEM_DIRECTORY))
            ask_server(&search);
    }
    *out = search.found;
    if (search.found || !search.lacks_memory)
        return STATUS_OK;
    return error_set(err, STATUS_MEMORY, "%s: no memory to find its debug file", image_path(image));
}
