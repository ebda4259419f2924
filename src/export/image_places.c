#include "export/image_places.h"

#include "base/fingerprint.h"
#include "elf/image.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// False: no memory.
static bool name_file(struct image_name *name, const char *path)
{
    struct fingerprint fingerprint;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    enum status status = fingerprint_take(&fingerprint, fd, path, NULL);
    if (status == STATUS_OK)
        snprintf(name->text, sizeof name->text, "file-%" PRIx64 "-%016" PRIx64 "%016" PRIx64,
                 fingerprint.size_bytes, fingerprint.sample.high, fingerprint.sample.low);
    close(fd);
    return status != STATUS_MEMORY;
}

bool image_places_init(struct image_places *places, const struct image_set *images)
{
    size_t count = images->members.count;
    *places = (struct image_places){images, calloc(count + 1, sizeof *places->names)};
    bool has_memory = places->names;
    for (size_t i = 0; has_memory && i < count; i++) {
        const struct image *image = images->members.items[i].image;
        if (!image_build_id(image, places->names[i].text))
            has_memory = name_file(&places->names[i], image_path(image));
    }
    return has_memory;
}

void image_places_free(struct image_places *places)
{
    free(places->names);
    *places = (struct image_places){0};
}

struct image_place image_places_find(const struct image_places *places, uint64_t address)
{
    size_t number;
    if (!places->images->members.count || !image_set_member_at(places->images, address, &number) ||
        !*places->names[number].text)
        return (struct image_place){NULL, 0};
    const struct image_member *member = &places->images->members.items[number];
    return (struct image_place){places->names[number].text,
                                (address - member->offset) & member->address_mask};
}
