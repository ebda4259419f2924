// Replaces the other files of this layer in a build without libelf and libiberty: no image can be
// opened, so nothing else is ever called.
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

void image_close(struct image *image)
{
    ASSERT(!image);
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

bool image_set_member_at(const struct image_set *set, uint64_t address, size_t *member)
{
    (void)set, (void)address, (void)member;
    __builtin_trap();
}

void symbols_free(struct symbols *symbols)
{
    ASSERT(!symbols);
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

bool image_is_arm32(const struct image *image)
{
    (void)image;
    __builtin_trap();
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

// --- What is always missing ----------------------------------------------------------------------

const char *image_path(const struct image *image)
{
    (void)image;
    __builtin_trap();
}

bool image_is_big_endian(const struct image *image)
{
    (void)image;
    __builtin_trap();
}

bool image_is_for_arm(const struct image *image)
{
    (void)image;
    __builtin_trap();
}

bool image_is_movable(const struct image *image)
{
    (void)image;
    __builtin_trap();
}

unsigned image_machine(const struct image *image)
{
    (void)image;
    __builtin_trap();
}

const char *image_machine_name(const struct image *image)
{
    (void)image;
    __builtin_trap();
}

const struct symbol *symbols_all(const struct symbols *symbols, size_t *count)
{
    (void)symbols, (void)count;
    __builtin_trap();
}

const struct symbol *symbols_by_name(const struct symbols *symbols, const char *name)
{
    (void)symbols, (void)name;
    __builtin_trap();
}

const struct symbol *symbols_by_address(const struct symbols *symbols, uint64_t address)
{
    (void)symbols, (void)address;
    __builtin_trap();
}

enum status lines_open(struct lines **out, const struct image *image, struct error *err)
{
    (void)out, (void)image, (void)err;
    __builtin_trap();
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

void lines_close(struct lines *lines)
{
    ASSERT(!lines);
}

const char *demangle_symbol(struct arena *arena, const char *symbol)
{
    (void)arena, (void)symbol;
    __builtin_trap();
}

enum status sframe_section_read(struct sframe_section *section, const struct image *image,
                                const struct sframe_faults *faults, struct error *err)
{
    (void)section, (void)image, (void)faults, (void)err;
    __builtin_trap();
}

void sframe_section_free(struct sframe_section *section)
{
    ASSERT(!section->bytes);
}

uint64_t sframe_function_total(const struct sframe_section *section)
{
    (void)section;
    __builtin_trap();
}

uint64_t sframe_code_bytes(const struct sframe_section *section)
{
    (void)section;
    __builtin_trap();
}

const struct sframe_code *sframe_code_at(const struct sframe_section *section, uint64_t address)
{
    (void)section, (void)address;
    __builtin_trap();
}

bool sframe_is_code(const struct sframe_section *section, uint64_t address)
{
    (void)section, (void)address;
    __builtin_trap();
}

enum status cfi_open(struct cfi **out, const struct image *image, struct error *err)
{
    (void)out, (void)image, (void)err;
    __builtin_trap();
}

void cfi_close(struct cfi *cfi)
{
    ASSERT(!cfi);
}

uint64_t cfi_damaged_count(const struct cfi *cfi)
{
    (void)cfi;
    __builtin_trap();
}

const struct frame_row *cfi_find(struct cfi *cfi, uint64_t pc)
{
    (void)cfi, (void)pc;
    __builtin_trap();
}

bool cfi_expression_value(const struct cfi_expression *expression, const struct cfi_reader *reader,
                          const uint64_t *initial, uint64_t *value)
{
    (void)expression, (void)reader, (void)initial, (void)value;
    __builtin_trap();
}

enum status exidx_open(struct exidx **out, const struct image *image, struct error *err)
{
    (void)out, (void)image, (void)err;
    __builtin_trap();
}

void exidx_close(struct exidx *exidx)
{
    ASSERT(!exidx);
}

enum exidx_kind exidx_find(const struct exidx *exidx, uint64_t pc, struct frame_row *row)
{
    (void)exidx, (void)pc, (void)row;
    __builtin_trap();
}

enum status image_pieces_find(struct image_pieces *pieces, const struct image *image, bool is_code,
                              struct error *err)
{
    (void)pieces, (void)image, (void)is_code, (void)err;
    __builtin_trap();
}

void image_pieces_free(struct image_pieces *pieces)
{
    ASSERT(!pieces->items.items);
}

bool image_pieces_read(const struct image_pieces *pieces, uint64_t address, uint8_t *bytes,
                       size_t size_bytes)
{
    (void)pieces, (void)address, (void)bytes, (void)size_bytes;
    __builtin_trap();
}

enum status frame_functions_find(struct frame_functions *functions, const struct image *image,
                                 const struct frame_functions_faults *faults, struct error *err)
{
    (void)functions, (void)image, (void)faults, (void)err;
    __builtin_trap();
}
