// Replaces the other files of this layer in a build without libelf and libiberty: no image can be
// opened, so nothing else is ever called.
#include "elf/bare.h"
#include "elf/cfi.h"
#include "elf/cfi_expression.h"
#include "elf/debug_server.h"
#include "elf/demangle.h"
#include "elf/exidx.h"
#include "elf/frame_functions.h"
#include "elf/image.h"
#include "elf/image_pieces.h"
#include "elf/image_set.h"
#include "elf/lines.h"
#include "elf/sframe_section.h"

static enum status refuse(const char *path, struct error *err)
{
    return error_set(err, STATUS_LIMIT, "%s: this build of trawl reads no ELF images", path);
}

enum status image_set_add_argument(struct image_set *set, const char *argument,
                                   uint64_t default_offset, struct error *err)
{
    (void)set, (void)default_offset;
    return refuse(argument, err);
}

enum status image_set_add(struct image_set *set, const char *path, uint64_t offset,
                          struct error *err)
{
    (void)set, (void)offset;
    return refuse(path, err);
}

enum status image_set_check_names(const struct image_set *set, struct error *err)
{
    (void)set, (void)err;
    return STATUS_OK;
}

uint64_t image_file_bytes(const struct image *image)
{
    (void)image;
    return 0;
}

uint64_t lines_file_bytes(const struct lines *lines)
{
    (void)lines;
    return 0;
}

void debug_server_begin(bool is_silent)
{
    (void)is_silent;
}

enum status image_open(struct image **out, const char *path, struct error *err)
{
    *out = NULL;
    return refuse(path, err);
}

int image_identity(const struct image *image, uint64_t offset, char text[IMAGE_IDENTITY_BYTES])
{
    (void)image, (void)offset;
    text[0] = '\0';
    return 0;
}

bool image_build_id(const struct image *image, char digits[2 * LIMIT_BUILD_ID_BYTES + 1])
{
    (void)image;
    digits[0] = '\0';
    return false;
}

enum status symbols_load_as_ttu(struct symbols **out, const char *path, bool *is_big_endian,
                                struct error *err)
{
    *out = NULL;
    *is_big_endian = false;
    return refuse(path, err);
}

enum status symbols_load(struct symbols **out, const struct image *image,
                         enum symbols_reading reading, struct error *err)
{
    (void)image, (void)reading;
    *out = NULL;
    return refuse("an image", err);
}

void image_set_free(struct image_set *set)
{
    *set = (struct image_set){0};
}

bool image_set_by_address(const struct image_set *set, uint64_t address, struct image_symbol *out)
{
    (void)set, (void)address, (void)out;
    return false;
}

bool image_set_data_section(const struct image_set *set, uint64_t address, const char **name,
                            uint64_t *start)
{
    (void)set, (void)address, (void)name, (void)start;
    return false;
}

bool image_set_may_cover(const struct image_set *set, uint64_t address)
{
    (void)set, (void)address;
    return true;
}

bool image_set_by_name(const struct image_set *set, const char *name, struct image_symbol *out)
{
    (void)set, (void)name, (void)out;
    return false;
}

bool lines_find(struct lines *lines, uint64_t address, struct source_location *out)
{
    (void)address, (void)out;
    ASSERT(!lines);
    return false;
}

enum status lines_add_bounds(struct lines *lines, struct address_vec *bounds, struct error *err)
{
    (void)bounds, (void)err;
    ASSERT(!lines);
    return STATUS_OK;
}

bool lines_lacked_memory(const struct lines *lines)
{
    (void)lines;
    return false;
}

// --- What there is only with an image ------------------------------------------------------------

FREES(image_close);
FREES(symbols_free);
FREES(lines_close);
FREES(sframe_section_free);
FREES(cfi_close);
FREES(exidx_close);
FREES(image_pieces_free);
NEEDS(image_set_member_at);
NEEDS(image_is_arm32);
NEEDS(image_path);
NEEDS(image_is_big_endian);
NEEDS(image_is_for_arm);
NEEDS(image_is_movable);
NEEDS(image_machine);
NEEDS(image_machine_name);
NEEDS(symbols_all);
NEEDS(symbols_by_name);
NEEDS(symbols_by_address);
NEEDS(lines_open);
NEEDS(demangle_symbol);
NEEDS(sframe_section_read);
NEEDS(sframe_function_total);
NEEDS(sframe_code_bytes);
NEEDS(sframe_code_at);
NEEDS(sframe_is_code);
NEEDS(cfi_open);
NEEDS(cfi_damaged_count);
NEEDS(cfi_find);
NEEDS(cfi_expression_value);
NEEDS(exidx_open);
NEEDS(exidx_find);
NEEDS(image_pieces_find);
NEEDS(image_pieces_read);
NEEDS(frame_functions_find);
