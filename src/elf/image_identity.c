#include "elf/image_identity.h"

#include "base/limits.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <sys/stat.h>

// Finds the note in a section; its bytes as hexadecimal digits. False: not found.
static bool find_in_section(const struct image *image, Elf_Scn *section,
                            char digits[2 * LIMIT_BUILD_ID_BYTES + 1])
{
    GElf_Shdr header;
    GElf_Nhdr note;
    size_t at = 0, name, content;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
        !image_holds(image, header.sh_offset, header.sh_size))
        return false;
    Elf_Data *data = elf_getdata(section, NULL);
    while (data && (at = gelf_getnote(data, at, &note, &name, &content)) > 0) {
        const uint8_t *bytes = (const uint8_t *)data->d_buf + content;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" ||
            memcmp((const char *)data->d_buf + name, "GNU", sizeof "GNU") != 0 ||
            note.n_descsz > LIMIT_BUILD_ID_BYTES)
            continue;
        for (size_t i = 0; i < note.n_descsz; i++)
            sprintf(digits + 2 * i, "%02x", bytes[i]);
        return note.n_descsz > 0;
    }
    return false;
}

bool image_build_id(const struct image *image, char digits[2 * LIMIT_BUILD_ID_BYTES + 1])
{
    Elf_Scn *section = NULL;
    bool is_found = false;
    while (!is_found && (section = elf_nextscn(image_elf(image), section)))
        is_found = find_in_section(image, section, digits);
    return is_found;
}

int image_identity(const struct image *image, uint64_t offset, char text[IMAGE_IDENTITY_BYTES])
{
    const char *path = image_path(image), *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char digits[2 * LIMIT_BUILD_ID_BYTES + 1];
    struct stat about = {0};
    if (image_build_id(image, digits))
        return snprintf(text, IMAGE_IDENTITY_BYTES, "%.*s, build-id %s, moved by 0x%" PRIx64,
                        LIMIT_IMAGE_NAME_BYTES, name, digits, offset);
    stat(path, &about);
    return snprintf(text, IMAGE_IDENTITY_BYTES,
                    "%.*s, %lld bytes of %lld.%09ld, moved by 0x%" PRIx64, LIMIT_IMAGE_NAME_BYTES,
                    name, (long long)about.st_size, (long long)about.st_mtim.tv_sec,
                    about.st_mtim.tv_nsec, offset);
}
