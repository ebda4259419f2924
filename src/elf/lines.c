// libdw trusts a file too much: it believes the unpacked size of a section, reads the abbreviations
// before a unit's own again for each unit, and joins directories and names of all files of a unit.
// So sections are checked before libdw sees them, and a budget, a small multiple of the size of the
// sections, is charged before each step whose input units may share.
#include "elf/lines.h"

#include "base/fragile.h"
#include "base/limits.h"
#include "base/vec.h"
#include "elf/address_index.h"
#include "elf/debug_file.h"
#include "elf/image.h"
#include "idx/varint.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>

// Sections that are also read here.
enum { INFO, ABBREV, LINE, LINE_STRINGS, STRINGS, ADDRESSES, RANGES, SECTION_COUNT };

static const char *const section_names[] = {".debug_info",     ".debug_abbrev", ".debug_line",
                                            ".debug_line_str", ".debug_str",    ".debug_addr",
                                            ".debug_ranges"};

// Bytes of paths for each unit of the budget.
#define PATH_BYTES_PER_UNIT_OF_BUDGET 64

struct unit {
    Dwarf_Die die;
    bool has_table, is_asked; // whether the line table may be read; is_asked: this was decided
    const char *directory;    // in which it was compiled; NULL: unknown
};

// Code of a unit.
struct unit_span {
    uint64_t start, end;
    uint64_t reach; // the highest end in the unit up to this one
    uint32_t unit;
};

struct section {
    Elf_Scn *handle; // NULL: there is none
    const uint8_t *bytes;
    uint64_t size_bytes;
};

struct lines {
    const struct image *image;  // whose DWARF it is
    struct image *debug;        // the same, if it is a separate file; otherwise NULL
    struct image *shared_image; // with the parts that dwz moved out of it; NULL: none
    Dwarf *shared;
    Dwarf *dwarf;
    struct section sections[SECTION_COUNT];
    uint64_t line_string_bytes_max; // of the longest of LINE_STRINGS
    uint64_t budget;
    bool lacked_memory;
    VEC(, struct unit) units;
    struct address_index index;    // its ids are places in units
    VEC(, struct unit_span) spans; // by unit and start
};

static bool draw(struct lines *lines, uint64_t amount)
{
    bool has_it = amount <= lines->budget;
    lines->budget = has_it ? lines->budget - amount : 0;
    return has_it;
}

// --- Sections ------------------------------------------------------------------------------------

// Checks every section that libdw may read, and adds up the budget.
static enum status check_sections(struct lines *lines, struct error *err)
{
    const struct image *image = lines->image;
    Elf_Scn *section = NULL;
    uint64_t total = 0;
    bool is_old = false;
    while ((section = elf_nextscn(image_elf(image), section))) {
        GElf_Shdr header;
        uint64_t size;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        const char *name = image_section_name(image, &header);
        if (!strstr(name, "debug_")) // with whatever prefix
            continue;
        if (!image_unpacked_size(image, section, &header, &size))
            return error_set_at(err, STATUS_INPUT, header.sh_offset,
                                "%s: %s lies beyond the end of the file, or claims to unpack to "
                                "too much",
                                image_path(image), name);
        is_old |= strncmp(name, ".zdebug_", 8) == 0;
        for (size_t i = 0; i < SECTION_COUNT; i++) {
            if (lines->sections[i].handle || strcmp(name, section_names[i]) != 0)
                continue;
            lines->sections[i].handle = section;
            total += size; // each is at most LIMIT_UNPACKED_FACTOR times the file: no overflow
        }
    }
    if (is_old) // libdw would unpack them to any size that they claim
        lines->sections[INFO].handle = NULL;
    lines->budget = LIMIT_DWARF_WORK(total);
    return STATUS_OK;
}

static bool has_end(const struct section *strings)
{
    return !strings->size_bytes || strings->bytes[strings->size_bytes - 1] == 0;
}

static enum status no_memory(const struct image *image, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory for lines", image_path(image));
}

// Finds the bytes of the sections, which libdw has unpacked in place. STATUS_INPUT: the last string
// of one has no end, so libdw would read beyond it.
static enum status find_bytes(struct lines *lines, struct error *err)
{
    image_ask();
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        struct section *section = &lines->sections[i];
        Elf_Data *data = section->handle ? elf_rawdata(section->handle, NULL) : NULL;
        if (data && data->d_buf) {
            section->bytes = data->d_buf;
            section->size_bytes = data->d_size;
        }
    }
    if (image_lacks_memory())
        return no_memory(lines->image, err);
    if (!has_end(&lines->sections[LINE_STRINGS]) || !has_end(&lines->sections[STRINGS]))
        return error_set(err, STATUS_INPUT, "%s: strings of its DWARF have no end",
                         image_path(lines->image));
    return STATUS_OK;
}

// The length of the longest run of bytes without a NUL.
static uint64_t longest_string(const uint8_t *bytes, uint64_t size_bytes)
{
    uint64_t longest = 0;
    for (uint64_t at = 0; at < size_bytes;) {
        const uint8_t *end = memchr(bytes + at, 0, size_bytes - at);
        uint64_t length = (end ? (uint64_t)(end - bytes) : size_bytes) - at;
        longest = u64_max(longest, length);
        at += length + 1;
    }
    return longest;
}

// --- Units ---------------------------------------------------------------------------------------

// Reads abbreviations from *at on up to the one with the code `wanted`; *cost is the cost of that
// one.
static bool find_abbreviation(const uint8_t **at, const uint8_t *end, uint64_t wanted,
                              uint64_t *cost)
{
    uint64_t code, name, form, value;
    do {
        const uint8_t *start = *at;
        if (!varint_read(at, end, &code) || !code || !varint_read(at, end, &value) || *at == end)
            return false;
        ++*at; // whether it has children
        do {
            if (!varint_read(at, end, &name) || !varint_read(at, end, &form) ||
                (form == DW_FORM_implicit_const && !varint_read(at, end, &value)))
                return false;
        } while (name || form);
        *cost = (uint64_t)(*at - start);
    } while (code != wanted);
    return true;
}

// Charges what libdw will read to find the abbreviation of a unit's entry at `entry`.
static bool draw_abbreviation(struct lines *lines, uint64_t entry, uint64_t offset, uint64_t *cost)
{
    const struct section *info = &lines->sections[INFO], *abbrev = &lines->sections[ABBREV];
    uint64_t wanted;
    if (entry >= info->size_bytes || offset >= abbrev->size_bytes)
        return false;
    const uint8_t *code = info->bytes + entry, *start = abbrev->bytes + offset, *at = start;
    bool has_it = varint_read(&code, info->bytes + info->size_bytes, &wanted) &&
                  find_abbreviation(&at, abbrev->bytes + abbrev->size_bytes, wanted, cost);
    return draw(lines, (uint64_t)(at - start)) && has_it;
}

struct span_vec {
    struct address_span *items;
    size_t count, capacity;
};

// Adds the ranges of a unit's code. Damaged ones are left out.
static bool add_ranges(struct lines *lines, struct span_vec *spans, uint32_t id, uint64_t cost)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t next = 0;
    while (draw(lines, cost) &&
           (next = dwarf_ranges(&lines->units.items[id].die, next, &base, &start, &end)) > 0) {
        if (end <= start)
            continue;
        if (!VEC_ROOM(spans, 1))
            return false;
        spans->items[spans->count++] = (struct address_span){start, end - start, id};
    }
    return true;
}

static bool add_units(struct lines *lines, struct span_vec *spans)
{
    Dwarf_Off at = 0, next, abbreviations;
    size_t header_bytes;
    uint64_t cost;
    for (; dwarf_next_unit(lines->dwarf, at, &next, &header_bytes, NULL, &abbreviations, NULL, NULL,
                           NULL, NULL) == 0 &&
           next > at && lines->budget;
         at = next) {
        struct unit unit = {.is_asked = false};
        bool has_entry = draw_abbreviation(lines, at + header_bytes, abbreviations, &cost) &&
                         dwarf_offdie(lines->dwarf, at + header_bytes, &unit.die);
        if (image_lacks_memory()) // libdw returns such an entry, which must not be used
            return false;
        int tag = has_entry ? dwarf_tag(&unit.die) : DW_TAG_invalid;
        if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
            continue;
        if (!VEC_ROOM(&lines->units, 1))
            return false;
        lines->units.items[lines->units.count++] = unit;
        if (!add_ranges(lines, spans, (uint32_t)(lines->units.count - 1), cost))
            return false;
    }
    return true;
}

static int compare_spans(const void *a_item, const void *b_item)
{
    const struct unit_span *a = a_item, *b = b_item;
    return a->unit != b->unit ? (a->unit > b->unit) - (a->unit < b->unit)
                              : (a->start > b->start) - (a->start < b->start);
}

// Stores the ranges of each unit's code.
static bool keep_spans(struct lines *lines, const struct span_vec *spans)
{
    if (!VEC_ROOM(&lines->spans, spans->count))
        return false;
    for (size_t i = 0; i < spans->count; i++) {
        const struct address_span *span = &spans->items[i];
        lines->spans.items[lines->spans.count++] =
            (struct unit_span){span->start, span->start + span->size, 0, span->id};
    }
    if (spans->count)
        qsort(lines->spans.items, spans->count, sizeof *lines->spans.items, compare_spans);
    for (size_t i = 0; i < spans->count; i++) {
        struct unit_span *span = &lines->spans.items[i];
        bool goes_on = i && span->unit == span[-1].unit;
        span->reach = goes_on ? u64_max(span->end, span[-1].reach) : span->end;
    }
    return true;
}

static bool unit_has(const struct lines *lines, uint32_t unit, uint64_t address)
{
    const struct unit_span wanted = {.start = address, .unit = unit};
    size_t low;
    PARTITION_POINT(low, lines->spans.count,
                    compare_spans(&lines->spans.items[middle], &wanted) <= 0);
    const struct unit_span *last = low ? &lines->spans.items[low - 1] : NULL;
    return last && last->unit == unit && address < last->reach;
}

// Reads the file of dwz, which is checked like the DWARF itself.
static enum status read_shared(struct lines *lines, struct error *err)
{
    struct lines shared = {.image = lines->shared_image};
    enum status status = check_sections(&shared, err);
    if (status != STATUS_OK || !shared.sections[INFO].handle || !shared.sections[ABBREV].handle)
        return status;
    image_ask();
    lines->shared = dwarf_begin_elf(image_elf(shared.image), DWARF_C_READ, NULL);
    if (image_lacks_memory())
        return no_memory(shared.image, err);
    if (!lines->shared)
        return STATUS_OK;
    dwarf_setalt(lines->shared, lines->shared);
    status = find_bytes(&shared, err);
    if (status != STATUS_OK)
        return status;
    lines->budget += shared.budget; // each is a small multiple of the size of a file: no overflow
    dwarf_setalt(lines->dwarf, lines->shared);
    return STATUS_OK;
}

static enum status read_dwarf(struct lines *lines, struct error *err)
{
    const char *path = image_path(lines->image);
    image_ask();
    lines->dwarf = dwarf_begin_elf(image_elf(lines->image), DWARF_C_READ, NULL);
    if (image_lacks_memory())
        return no_memory(lines->image, err);
    if (!lines->dwarf)
        return error_set(err, STATUS_INPUT, "%s: DWARF: %s", path, dwarf_errmsg(-1));
    dwarf_setalt(lines->dwarf, lines->dwarf); // otherwise libdw opens the file in .gnu_debugaltlink
    enum status status = find_bytes(lines, err);
    // A missing or wrong file of shared parts is not an error: the names in it are missing.
    if (status == STATUS_OK)
        status = debug_file_open_shared(&lines->shared_image, lines->image, err);
    if (status == STATUS_OK && lines->shared_image)
        status = read_shared(lines, err);
    if (status != STATUS_OK)
        return status;
    struct span_vec spans = {0};
    const struct section *strings = &lines->sections[LINE_STRINGS];
    lines->line_string_bytes_max = longest_string(strings->bytes, strings->size_bytes);
    image_ask(); // for all of them
    bool is_whole =
        add_units(lines, &spans) && !image_lacks_memory() && keep_spans(lines, &spans) &&
        address_index_build(&lines->index, spans.items, spans.count, ADDRESS_GAPS_TO_NEAREST);
    free(spans.items);
    if (!is_whole)
        return no_memory(lines->image, err);
    if (!lines->budget)
        return error_set(err, STATUS_LIMIT,
                         "%s: reading its DWARF would take too long: its units share too much",
                         image_path(lines->image));
    return STATUS_OK;
}

static bool has_dwarf(const struct lines *lines)
{
    return lines->sections[INFO].handle && lines->sections[ABBREV].handle &&
           lines->sections[LINE].handle;
}

// Continues with the debug file of an image without DWARF, if there is one.
static enum status take_debug_file(struct lines *lines, struct error *err)
{
    enum status status = debug_file_open(&lines->debug, lines->image, err);
    if (status != STATUS_OK || !lines->debug)
        return status;
    lines->image = lines->debug;
    memset(lines->sections, 0, sizeof lines->sections);
    return check_sections(lines, err);
}

enum status lines_open(struct lines **out, const struct image *image, struct error *err)
{
    FRAGILE_BLOCK;
    *out = NULL;
    struct lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return no_memory(image, err);
    lines->image = image;
    enum status status = check_sections(lines, err);
    if (status == STATUS_OK && !has_dwarf(lines))
        status = take_debug_file(lines, err);
    bool has_lines = status == STATUS_OK && has_dwarf(lines);
    if (has_lines)
        status = read_dwarf(lines, err);
    if (has_lines && status == STATUS_OK)
        *out = lines;
    else
        lines_close(lines);
    return status;
}

void lines_close(struct lines *lines)
{
    FRAGILE_BLOCK;
    if (!lines)
        return;
    address_index_free(&lines->index);
    free(lines->units.items);
    free(lines->spans.items);
    dwarf_end(lines->dwarf);
    dwarf_end(lines->shared);
    image_close(lines->shared_image);
    image_close(lines->debug);
    free(lines);
}

// --- Line tables ---------------------------------------------------------------------------------

// The parts of a table's header that determine how much libdw will allocate.
struct table {
    const uint8_t *at, *end; // the unread rest
    uint64_t size_bytes;
    uint64_t version;
    unsigned offset_bytes; // 4 or 8
};

static bool take(const struct lines *lines, struct table *table, size_t size_bytes, uint64_t *value)
{
    if ((uint64_t)(table->end - table->at) < size_bytes)
        return false;
    *value = load_uint(table->at, size_bytes, image_is_big_endian(lines->image));
    table->at += size_bytes;
    return true;
}

// Up to its directories.
static bool read_head(const struct lines *lines, uint64_t offset, struct table *table)
{
    const struct section *section = &lines->sections[LINE];
    uint64_t value, header_bytes, opcodes;
    if (offset >= section->size_bytes)
        return false;
    *table = (struct table){.at = section->bytes + offset, .offset_bytes = 4};
    table->end = section->bytes + section->size_bytes;
    if (!take(lines, table, 4, &value))
        return false;
    if (value == UINT32_MAX) {
        table->offset_bytes = 8;
        if (!take(lines, table, 8, &value))
            return false;
    }
    if (value > (uint64_t)(table->end - table->at))
        return false;
    table->size_bytes = value;
    table->end = table->at + value;
    if (!take(lines, table, 2, &table->version) ||
        (table->version >= 5 && !take(lines, table, 2, &value)) ||
        !take(lines, table, table->offset_bytes, &header_bytes) ||
        header_bytes > (uint64_t)(table->end - table->at))
        return false;
    table->end = table->at + header_bytes;
    return take(lines, table, table->version >= 4 ? 5 : 4, &value) &&
           take(lines, table, 1, &opcodes) && opcodes > 0 &&
           opcodes - 1 <= (uint64_t)(table->end - table->at) && (table->at += opcodes - 1);
}

// Whether paths of an entry format of version 5 are offsets into .debug_line_str, as with all
// producers; *only: entries have nothing else.
static bool paths_are_line_strings(struct table *table, bool *only)
{
    uint64_t content, form;
    if (table->at == table->end)
        return false;
    unsigned count = *table->at++;
    *only = count == 1;
    for (bool is_path_seen = false;; is_path_seen |= content == DW_LNCT_path) {
        if (count-- == 0)
            return is_path_seen;
        if (!varint_read(&table->at, table->end, &content) ||
            !varint_read(&table->at, table->end, &form) ||
            (content == DW_LNCT_path && form != DW_FORM_line_strp))
            return false;
    }
}

static bool has_known_paths(struct table *table)
{
    bool only;
    uint64_t directories;
    if (!paths_are_line_strings(table, &only) || !only ||
        !varint_read(&table->at, table->end, &directories) ||
        directories > (uint64_t)(table->end - table->at) / table->offset_bytes)
        return false;
    table->at += directories * table->offset_bytes;
    return paths_are_line_strings(table, &only);
}

// Whether the line table of a unit may be read; charges for it, and for the paths of its files, of
// which there may be one in every eight bytes.
static bool draw_table(struct lines *lines, struct unit *unit)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    struct table table;
    if (dwarf_formudata(dwarf_attr(&unit->die, DW_AT_stmt_list, &attribute), &offset) != 0 ||
        !read_head(lines, offset, &table))
        return false;
    uint64_t path_bytes_max = lines->line_string_bytes_max;
    const char *directory = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute));
    unit->directory = directory;
    if (table.version < 5) {
        path_bytes_max = longest_string(table.at, (uint64_t)(table.end - table.at)) +
                         (directory ? strlen(directory) : 0);
    } else if (!has_known_paths(&table)) {
        return false;
    }
    uint64_t path_cost;
    return !__builtin_mul_overflow(table.size_bytes / PATH_BYTES_PER_UNIT_OF_BUDGET, path_bytes_max,
                                   &path_cost) &&
           draw(lines, table.size_bytes) && draw(lines, path_cost);
}

// libdw's name for a file that is not in the table.
static const char no_file[] = "???";

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool may_read_table(struct lines *lines, struct unit *unit)
{
    if (!unit->is_asked) {
        unit->is_asked = true;
        unit->has_table = draw_table(lines, unit);
    }
    return unit->has_table;
}

static bool find(struct lines *lines, uint64_t address, struct source_location *out)
{
    uint32_t id;
    int line, column;
    if (!address_index_find(&lines->index, address, &id))
        return false;
    struct unit *unit = &lines->units.items[id];
    if (!unit_has(lines, id, address) || !may_read_table(lines, unit))
        return false;
    Dwarf_Line *found = dwarf_getsrc_die(&unit->die, address);
    const char *path = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
    if (!path || strcmp(path, no_file) == 0 || dwarf_lineno(found, &line) != 0 ||
        dwarf_linecol(found, &column) != 0)
        return false;
    *out = (struct source_location){base_name(path), path, (uint32_t)line, (uint32_t)column,
                                    unit->directory};
    return true;
}

bool lines_find(struct lines *lines, uint64_t address, struct source_location *out)
{
    FRAGILE_BLOCK;
    if (!lines)
        return false;
    image_ask();
    bool is_found = find(lines, address, out);
    lines->lacked_memory |= image_lacks_memory();
    return is_found;
}

uint64_t lines_table_bytes_of(const struct image *image)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(image_elf(image), section))) {
        GElf_Shdr header;
        uint64_t size;
        if (gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS &&
            strcmp(image_section_name(image, &header), section_names[LINE]) == 0)
            return image_unpacked_size(image, section, &header, &size) ? size : 0;
    }
    return 0;
}

uint64_t lines_table_bytes(const struct lines *lines)
{
    return lines ? lines->sections[LINE].size_bytes : 0;
}

uint64_t lines_file_bytes(const struct lines *lines)
{
    return lines ? image_file_bytes(lines->image) : 0;
}

// --- Units, for others ---------------------------------------------------------------------------

struct Dwarf *lines_dwarf(const struct lines *lines)
{
    return lines->dwarf;
}

size_t lines_unit_count(const struct lines *lines)
{
    return lines->units.count;
}

uint64_t lines_unit_offset(const struct lines *lines, size_t unit)
{
    Dwarf_Die die = lines->units.items[unit].die;
    return dwarf_dieoffset(&die);
}

static const uint8_t *section_bytes(const struct section *section, uint64_t *size_bytes)
{
    *size_bytes = section->size_bytes;
    return section->bytes;
}

const uint8_t *lines_addresses(const struct lines *lines, uint64_t *size_bytes)
{
    return section_bytes(&lines->sections[ADDRESSES], size_bytes);
}

const uint8_t *lines_ranges(const struct lines *lines, uint64_t *size_bytes)
{
    return section_bytes(&lines->sections[RANGES], size_bytes);
}

const char *lines_debug_path(const struct lines *lines)
{
    return lines->debug ? image_path(lines->debug) : NULL;
}

bool lines_unit_at(const struct lines *lines, uint64_t address, size_t *unit)
{
    FRAGILE_BLOCK;
    uint32_t id;
    if (!address_index_find(&lines->index, address, &id) || !unit_has(lines, id, address))
        return false;
    *unit = id;
    return true;
}

bool lines_unit_file(struct lines *lines, size_t unit, uint64_t number, struct source_location *out)
{
    FRAGILE_BLOCK;
    struct unit *of = &lines->units.items[unit];
    Dwarf_Files *files;
    size_t count;
    image_ask();
    const char *path = NULL;
    if (may_read_table(lines, of) && dwarf_getsrcfiles(&of->die, &files, &count) == 0 &&
        number < count)
        path = dwarf_filesrc(files, (size_t)number, NULL, NULL);
    lines->lacked_memory |= image_lacks_memory();
    if (!path || strcmp(path, no_file) == 0)
        return false;
    *out = (struct source_location){base_name(path), path, 0, 0, of->directory};
    return true;
}

// --- All of them ---------------------------------------------------------------------------------

static bool add_bound(struct address_vec *bounds, uint64_t address)
{
    if (bounds->count >= LIMIT_SOURCE_PLACES || !VEC_ROOM(bounds, 1))
        return false;
    bounds->items[bounds->count++] = address;
    return true;
}

// Adds where the rows of a unit's line table begin.
static bool add_rows(struct lines *lines, struct unit *unit, struct address_vec *bounds)
{
    Dwarf_Lines *rows;
    size_t count;
    Dwarf_Addr address;
    bool has_room = true;
    if (!may_read_table(lines, unit) || dwarf_getsrclines(&unit->die, &rows, &count) != 0)
        return true;
    for (size_t i = 0; i < count && has_room; i++) {
        if (dwarf_lineaddr(dwarf_onesrcline(rows, i), &address) == 0)
            has_room = add_bound(bounds, address);
    }
    return has_room;
}

enum status lines_add_bounds(struct lines *lines, struct address_vec *bounds, struct error *err)
{
    FRAGILE_BLOCK;
    bool has_room = true;
    image_ask(); // for all of them
    for (size_t i = 0; lines && i < lines->units.count && has_room; i++)
        has_room = add_rows(lines, &lines->units.items[i], bounds);
    for (size_t i = 0; lines && i < lines->spans.count && has_room; i++)
        has_room = add_bound(bounds, lines->spans.items[i].start) &&
                   add_bound(bounds, lines->spans.items[i].end);
    if (has_room && !image_lacks_memory())
        return STATUS_OK;
    if (bounds->count < LIMIT_SOURCE_PLACES)
        return no_memory(lines->image, err);
    return error_set(err, STATUS_LIMIT, "%s: more than %" PRIu64 " places in source files",
                     image_path(lines->image), LIMIT_SOURCE_PLACES);
}

void lines_lack_memory(struct lines *lines)
{
    lines->lacked_memory = true;
}

bool lines_lacked_memory(const struct lines *lines)
{
    return lines && lines->lacked_memory;
}
