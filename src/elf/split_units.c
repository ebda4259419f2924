#include "elf/split_units.h"

#include "base/limits.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct member {
    struct split_file *file; // its own; NULL: in the package, or not found
    struct split_unit *unit; // NULL: not found
    bool is_tried;
};

struct split_units {
    const struct lines *lines;
    const struct image *image;
    struct split_file *package;
    bool has_tried_package, lacked_memory;
    uint64_t work;            // left for units of the package
    char directory[PATH_MAX]; // of the image, with a slash; "": unknown
    struct member members[];
};

static void find_directory(struct split_units *units)
{
    char *whole = realpath(image_path(units->image), NULL);
    char *slash = whole ? strrchr(whole, '/') : NULL;
    size_t length = slash ? (size_t)(slash - whole) + 1 : 0;
    if (length < sizeof units->directory)
        memcpy(units->directory, whole ? whole : "", length);
    free(whole);
}

struct split_units *split_units_new(const struct lines *lines, const struct image *image)
{
    size_t count = lines_unit_count(lines);
    struct split_units *units = calloc(1, sizeof *units + count * sizeof units->members[0]);
    if (!units)
        return NULL;
    units->lines = lines;
    units->image = image;
    find_directory(units);
    return units;
}

void split_units_free(struct split_units *units)
{
    if (!units)
        return;
    for (size_t i = 0; i < lines_unit_count(units->lines); i++) {
        split_unit_close(units->members[i].unit);
        split_file_close(units->members[i].file);
    }
    split_file_close(units->package);
    free(units);
}

bool split_units_lacked_memory(const struct split_units *units)
{
    return units->lacked_memory;
}

static struct split_file *open_file(struct split_units *units, const char *path, int length)
{
    struct split_file *file = NULL;
    struct error err;
    if (length > 0 && length < PATH_MAX)
        units->lacked_memory |= split_file_open(&file, path, units->image, &err) == STATUS_MEMORY;
    return file;
}

// --- Skeletons -----------------------------------------------------------------------------------

static bool number_of(Dwarf_Die *die, unsigned which, unsigned older, uint64_t *number)
{
    Dwarf_Attribute found;
    Dwarf_Word value = 0;
    bool has_it = dwarf_formudata(dwarf_attr(die, which, &found), &value) == 0 ||
                  dwarf_formudata(dwarf_attr(die, older, &found), &value) == 0;
    *number = value;
    return has_it;
}

static const char *text_of(Dwarf_Die *die, unsigned which)
{
    Dwarf_Attribute found;
    return dwarf_formstring(dwarf_attr(die, which, &found));
}

// False: it is not a skeleton.
static bool read_skeleton(Dwarf_Die *die, struct split_skeleton *skeleton, const char **name)
{
    Dwarf_Addr base = 0;
    uint8_t type = 0;
    *skeleton = (struct split_skeleton){0};
    *name = text_of(die, DW_AT_dwo_name);
    if (!*name)
        *name = text_of(die, DW_AT_GNU_dwo_name);
    if (!*name || !die->cu ||
        dwarf_cu_info(die->cu, NULL, &type, NULL, NULL, &skeleton->id, NULL, NULL) != 0 ||
        type != DW_UT_skeleton)
        return false;
    number_of(die, DW_AT_addr_base, DW_AT_GNU_addr_base, &skeleton->address_base);
    number_of(die, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base, &skeleton->ranges_base);
    if (dwarf_lowpc(die, &base) == 0)
        skeleton->base = base;
    return true;
}

// --- Where units are looked for ------------------------------------------------------------------

static struct split_unit *open_unit(struct split_units *units, const struct split_file *file,
                                    const struct split_skeleton *skeleton, uint64_t *work)
{
    struct split_pieces pieces;
    struct split_unit *unit = NULL;
    struct error err;
    if (file && split_file_find(file, skeleton->id, &pieces))
        units->lacked_memory |= split_unit_open(&unit, &pieces, skeleton, units->image,
                                                units->lines, work, &err) == STATUS_MEMORY;
    return unit;
}

// Opens the package of an image, or of its debug file.
static void open_package(struct split_units *units)
{
    char path[PATH_MAX];
    const char *debug = lines_debug_path(units->lines);
    units->has_tried_package = true;
    int length = snprintf(path, sizeof path, "%s.dwp", image_path(units->image));
    units->package = open_file(units, path, length);
    if (!units->package && debug) {
        length = snprintf(path, sizeof path, "%s.dwp", debug);
        units->package = open_file(units, path, length);
    }
    if (units->package)
        units->work = LIMIT_DWARF_WORK(split_file_bytes(units->package));
}

static bool try_file(struct split_units *units, struct member *member,
                     const struct split_skeleton *skeleton, const char *directory, const char *name)
{
    char path[PATH_MAX];
    size_t end = strlen(directory);
    const char *slash = end && directory[end - 1] != '/' ? "/" : "";
    int length = snprintf(path, sizeof path, "%s%s%s", directory, slash, name);
    struct split_file *file = open_file(units, path, length);
    uint64_t work = file ? LIMIT_DWARF_WORK(split_file_bytes(file)) : 0;
    member->unit = open_unit(units, file, skeleton, &work);
    if (member->unit)
        member->file = file;
    else
        split_file_close(file);
    return member->unit != NULL;
}

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void find_unit(struct split_units *units, size_t number)
{
    struct member *member = &units->members[number];
    struct split_skeleton skeleton;
    const char *name;
    Dwarf_Die die;
    if (!dwarf_offdie(lines_dwarf(units->lines), lines_unit_offset(units->lines, number), &die) ||
        !read_skeleton(&die, &skeleton, &name))
        return;
    if (!units->has_tried_package)
        open_package(units);
    member->unit = open_unit(units, units->package, &skeleton, &units->work);
    const char *directory = text_of(&die, DW_AT_comp_dir);
    if (member->unit || (name[0] == '/' && try_file(units, member, &skeleton, "", name)) ||
        (name[0] != '/' && directory && try_file(units, member, &skeleton, directory, name)) ||
        !units->directory[0])
        return;
    if (name[0] == '/' || !try_file(units, member, &skeleton, units->directory, name))
        try_file(units, member, &skeleton, units->directory, last_of(name));
}

const struct split_unit *split_units_at(struct split_units *units, size_t number)
{
    struct member *member = &units->members[number];
    if (!member->is_tried)
        find_unit(units, number);
    member->is_tried = true;
    return member->unit;
}
