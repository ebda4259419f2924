// What a program without system libraries (-Dbare) has in place of the files that need one: each
// answers that the library is missing, or, where nothing can be opened without it, is never called.
// All in one place, because they are built for one purpose only: machines that have no packages,
// such as emulated ones (tests/program/test_bare.py). The list of the files that these replace is
// in tools/build/sources.zig.
#include "base/unpack/codec.h"
#include "dwarf/c_names.h"
#include "dwarf/debug_info.h"
#include "dwarf/debug_values.h"
#include "elf/cfi.h"
#include "elf/cfi_expression.h"
#include "elf/debug_file.h"
#include "elf/demangle.h"
#include "elf/exidx.h"
#include "elf/frame_functions.h"
#include "elf/image.h"
#include "elf/image_extents.h"
#include "elf/image_set.h"
#include "elf/lines.h"
#include "elf/sframe_section.h"
#include "report/packer.h"
#include "serve/http.h"
#include "trace/tfile/registers.h"
#include "trace/xray/map.h"
#include "trace/xray/yaml_events.h"
#include "tui/tui.h"

#include <stdlib.h>

// --- Decompression (gzip, zstd, xz, lz4, bzip2) --------------------------------------------------

enum status codec_of(const struct packed *packed, const struct codec **codec, struct error *err)
{
    (void)packed, (void)err;
    *codec = NULL;
    return STATUS_OK;
}

// --- Compression (zlib, zstd) --------------------------------------------------------------------

bool packer_is_there(void)
{
    return false;
}

struct packer *packer_new(packer_sink *sink, void *self)
{
    (void)sink;
    (void)self;
    return NULL;
}

void packer_put(struct packer *packer, const char *bytes, size_t length)
{
    (void)packer;
    (void)bytes;
    (void)length;
}

void packer_end(struct packer *packer)
{
    (void)packer;
}

void packer_free(struct packer *packer)
{
    (void)packer;
}

bool zstd_pack_is_there(void)
{
    return false;
}

struct zstd_pack *zstd_pack_new(void)
{
    return NULL;
}

bool zstd_pack_bytes(struct zstd_pack *pack, const void *bytes, size_t length,
                     struct byte_vec *packed)
{
    (void)pack;
    (void)bytes;
    (void)length;
    (void)packed;
    return false;
}

void zstd_pack_free(struct zstd_pack *pack)
{
    (void)pack;
}

// --- ELF images (libelf, libdw, libiberty) -------------------------------------------------------

// Functions that nothing calls, because no image can be opened, are aliases of one. A function that
// frees is called for what was never made.
static void free_nothing(void) {}

static void need_an_image(void)
{
    __builtin_trap();
}

#define FREES(name) extern __typeof__(name) name __attribute__((alias("free_nothing")))
#define NEEDS(name) extern __typeof__(name) name __attribute__((alias("need_an_image")))

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

uint64_t lines_table_bytes_of(const struct image *image)
{
    (void)image;
    return 0;
}

uint64_t lines_table_bytes(const struct lines *lines)
{
    (void)lines;
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

unsigned image_class_bits(const struct image *image)
{
    (void)image;
    return 64;
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

FREES(image_close);
FREES(symbols_free);
FREES(lines_close);
FREES(sframe_section_free);
FREES(cfi_close);
FREES(exidx_close);
FREES(image_extents_free);
NEEDS(image_set_member_at);
NEEDS(image_set_move);
NEEDS(image_is_arm32);
NEEDS(image_path);
NEEDS(image_is_big_endian);
NEEDS(image_is_movable);
NEEDS(image_entry);
NEEDS(image_flags);
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
NEEDS(cfi_function_at);
NEEDS(cfi_function_count);
NEEDS(cfi_function_rows);
NEEDS(cfi_function_section);
NEEDS(cfi_expression_value);
NEEDS(exidx_open);
NEEDS(exidx_find);
NEEDS(image_extents_find);
NEEDS(image_extents_read);
NEEDS(frame_functions_find);

// --- DWARF (libdw) -------------------------------------------------------------------------------

FREES(debug_info_close);
NEEDS(debug_info_open);
NEEDS(debug_info_over);
NEEDS(debug_values_list);
NEEDS(debug_values_expression);
NEEDS(debug_signature);
NEEDS(debug_call_arguments);
NEEDS(debug_call_result);
NEEDS(debug_inlines);
FREES(c_names_end);
NEEDS(c_names_find);
NEEDS(c_type_target);
NEEDS(c_type_pointer);
NEEDS(c_type_member);
NEEDS(c_local_read);
NEEDS(c_local_register);

struct c_names {
    bool lacks_memory;
};

// Casts need types, of which none is known.
struct c_names *c_names_begin(struct image_lines *lines, unsigned address_bytes)
{
    static struct c_names nothing;
    (void)lines, (void)address_bytes;
    return &nothing;
}

bool c_names_type(struct c_names *names, const char *name, size_t length, unsigned pointers,
                  struct c_type *type)
{
    (void)names, (void)name, (void)length, (void)pointers, (void)type;
    return false;
}

bool c_names_lack_memory(const struct c_names *names)
{
    return names->lacks_memory;
}

// --- Descriptions of targets (expat) -------------------------------------------------------------

struct tfile_xml {
    int nothing;
};

struct tfile_xml *tfile_xml_begin(struct tfile_registers *registers, struct arena *arena)
{
    (void)registers, (void)arena;
    return calloc(1, sizeof(struct tfile_xml));
}

void tfile_xml_line(struct tfile_xml *description, const char *text, size_t length)
{
    (void)description, (void)text, (void)length;
}

bool tfile_xml_end(struct tfile_xml *description)
{
    free(description);
    return true;
}

// --- Maps of instrumented programs (libelf) ------------------------------------------------------

enum status xray_map_read(struct xray_map *map, const struct image *image, struct error *err)
{
    (void)map, (void)image, (void)err;
    __builtin_trap();
}

// --- YAML (libyaml) ------------------------------------------------------------------------------

struct yaml {
    int nothing;
};

struct yaml *yaml_open(const void *text, uint64_t size_bytes)
{
    (void)text, (void)size_bytes;
    return calloc(1, sizeof(struct yaml));
}

void yaml_close(struct yaml *yaml)
{
    free(yaml);
}

enum status yaml_next(struct yaml *yaml, struct yaml_part *part, struct error *err)
{
    (void)yaml, (void)part;
    return error_set(err, STATUS_LIMIT, "this build of trawl reads no YAML");
}

uint64_t yaml_line(const struct yaml *yaml)
{
    (void)yaml;
    return 0;
}

// --- HTTP (libmicrohttpd) ------------------------------------------------------------------------

enum status http_listen(struct http **out, const char *address, uint16_t *port, struct error *err)
{
    (void)address, (void)port;
    *out = NULL;
    return error_set(err, STATUS_INPUT,
                     "this trawl was built without libmicrohttpd, which serving needs");
}

enum status http_begin(struct http *http, const struct http_handler *handler, struct error *err)
{
    (void)http, (void)handler;
    return error_set(err, STATUS_INPUT, "nothing listens");
}

void http_close(struct http *http)
{
    (void)http;
}

// --- The terminal (ncurses) ----------------------------------------------------------------------

enum status tui_open(struct tui **out, const struct tui_options *options, struct error *err)
{
    (void)options;
    *out = NULL;
    return error_set(err, STATUS_INPUT,
                     "this trawl was built without ncurses, which browsing needs");
}

void tui_close(struct tui *tui)
{
    (void)tui;
}

enum status tui_browse(struct tui *tui, struct pair *pair, struct error *err)
{
    (void)tui, (void)pair;
    return error_set(err, STATUS_INPUT, "no terminal");
}

enum status tui_show_text(struct tui *tui, struct text_view *view, bool (*is_over)(void *self),
                          void *self, struct error *err)
{
    (void)tui, (void)view, (void)is_over, (void)self;
    return error_set(err, STATUS_INPUT, "no terminal");
}
