// The lenient reading: the symbols that Arm's tool finds in a file, damaged or not.
//
// Only the first bytes of a file can make it unreadable there. After that, each structure is read
// separately, at the place given by the fields before it, and one that is not completely within the
// file is left out silently: - section headers lie e_shentsize bytes apart, e_shnum of them from
// e_shoff, 0 included; there
//   is no first header with the true count;
// - symbols lie sh_entsize bytes apart, so that they may overlap or leave gaps, and none is
//   special: a named symbol 0 counts; their number is cut to 32 bits;
// - a name ends at a NUL, the end of its section or the end of the file, whichever comes first;
// - offsets wrap at 64 bits.
//
// A file can use all of these to refer to the same bytes again and again, so the limits below keep
// the work in proportion to its size; a sound file is far below them.
#include "base/limits.h"
#include "elf/image.h"
#include "elf/symbols_build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES ((size_t)16 << 10)

#define READ_BYTES_PER_WORK 64
#define NAME_BYTES_PER_WORK 16

struct section {
    uint64_t type, offset, size, link, entry_bytes;
};

// The part of a string table that is within the file: names from `first` on.
struct strings {
    uint64_t at; // in the file
    uint64_t first, size_bytes;
    const char *bytes; // a copy, with a NUL after it
};

struct reader {
    struct symbols *symbols;
    const char *path;
    int fd;
    bool is_64, is_big_endian;
    uint64_t size_bytes;
    uint64_t table_at, table_count, table_stride; // the section headers
    // The bytes of the file that were read last, so that nearby bytes need no system call.
    unsigned char window[WINDOW_BYTES];
    uint64_t window_at;
    size_t window_bytes;
    struct strings strings; // those of the previous table, which the next one may share
    uint64_t string_bytes;  // of all copies
    uint64_t work;
    enum status status; // once it is not STATUS_OK, nothing more is found
    struct error *err;
};

#define FIELD(reader, bytes, structure, field)                                                     \
    ELF_FIELD((reader)->is_64, (reader)->is_big_endian, bytes, structure, field)

static void pass_limit(struct reader *reader)
{
    reader->status = error_set(reader->err, STATUS_LIMIT,
                               "%s: symbols and names overlap far too much", reader->path);
}

static void count_work(struct reader *reader, uint64_t work)
{
    reader->work += work;
    if (reader->work > LIMIT_LENIENT_WORK(reader->size_bytes) && reader->status == STATUS_OK)
        pass_limit(reader);
}

// --- Bytes ---

// Reads bytes that the file had when it was opened.
static bool read_bytes(struct reader *reader, uint64_t offset, void *bytes, size_t size_bytes)
{
    count_work(reader, 1 + size_bytes / READ_BYTES_PER_WORK);
    for (size_t done = 0; done < size_bytes && reader->status == STATUS_OK;) {
        ssize_t got =
            pread(reader->fd, (char *)bytes + done, size_bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            reader->status = error_set_errno(reader->err, reader->path, "cannot read");
        else if (got == 0)
            reader->status = error_set(reader->err, STATUS_IO,
                                       "%s: became shorter while it was read", reader->path);
        else
            done += (size_t)got;
    }
    return reader->status == STATUS_OK;
}

// `size_bytes` bytes (at most the window) at `offset`, valid until the next call; NULL: the file
// does not have them all.
static const unsigned char *peek(struct reader *reader, uint64_t offset, size_t size_bytes)
{
    if (reader->status != STATUS_OK || offset > reader->size_bytes ||
        size_bytes > reader->size_bytes - offset)
        return NULL;
    bool is_in_window = offset >= reader->window_at &&
                        offset - reader->window_at <= reader->window_bytes &&
                        size_bytes <= reader->window_bytes - (offset - reader->window_at);
    if (!is_in_window) {
        reader->window_at = offset;
        reader->window_bytes = u64_min(sizeof reader->window, reader->size_bytes - offset);
        if (!read_bytes(reader, offset, reader->window, reader->window_bytes))
            return NULL;
    }
    return reader->window + (offset - reader->window_at);
}

// --- Names ---

// Where a string table is in the file. One that begins near the end of the 64-bit space continues
// at the start of the file.
static struct strings place_strings(const struct reader *reader, const struct section *section)
{
    struct strings strings = {.at = section->offset, .size_bytes = section->size};
    if (section->offset >= reader->size_bytes) {
        strings.at = 0;
        strings.first = -section->offset;
        strings.size_bytes = section->size - u64_min(section->size, strings.first);
    }
    strings.size_bytes = u64_min(strings.size_bytes, reader->size_bytes - strings.at);
    return strings;
}

static bool load_strings(struct reader *reader, const struct section *section)
{
    struct strings strings = place_strings(reader, section), *last = &reader->strings;
    if (last->bytes && last->at == strings.at && last->first == strings.first &&
        last->size_bytes == strings.size_bytes)
        return true;
    reader->string_bytes += strings.size_bytes;
    if (reader->string_bytes > LIMIT_LENIENT_STRING_BYTES(reader->size_bytes)) {
        pass_limit(reader);
        return false;
    }
    char *bytes = arena_alloc(&reader->symbols->arena, strings.size_bytes + 1);
    if (!bytes) {
        reader->status = symbols_no_memory(reader->err);
        return false;
    }
    strings.bytes = bytes;
    *last = strings;
    return read_bytes(reader, strings.at, bytes, strings.size_bytes);
}

// --- Symbols ---

static bool is_wanted(unsigned info)
{
    unsigned binding = ELF64_ST_BIND(info), type = ELF64_ST_TYPE(info);
    return (binding == STB_LOCAL || binding == STB_GLOBAL || binding == STB_WEAK) &&
           (type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC);
}

// Reads symbols from number `first` on, as long as they are within the table and the file.
static void read_run(struct reader *reader, const struct section *table, uint64_t first)
{
    uint64_t count = (uint32_t)(table->size / table->entry_bytes);
    for (uint64_t i = first; i < count; i++) {
        const unsigned char *entry =
            peek(reader, table->offset + i * table->entry_bytes, ELF_SIZE(reader->is_64, Sym));
        if (!entry)
            return;
        count_work(reader, 1);
        unsigned info = (unsigned)FIELD(reader, entry, Sym, st_info);
        const struct strings *strings = &reader->strings;
        uint64_t offset = FIELD(reader, entry, Sym, st_name);
        bool has_name = offset >= strings->first && offset - strings->first < strings->size_bytes;
        const char *name = has_name ? strings->bytes + (offset - strings->first) : "";
        if (is_wanted(info) && symbols_want_name(name)) {
            count_work(reader, strlen(name) / NAME_BYTES_PER_WORK);
            uint64_t value = FIELD(reader, entry, Sym, st_value);
            struct symbol symbol = {
                .name = name,
                .value = value,
                .address = value,
                .size = FIELD(reader, entry, Sym, st_size),
                .is_function = ELF64_ST_TYPE(info) == STT_FUNC,
            };
            uint64_t count_max = u64_min(LIMIT_LENIENT_SYMBOLS(reader->size_bytes), LIMIT_SYMBOLS);
            if (reader->symbols->table.count >= count_max)
                pass_limit(reader);
            else if (!symbols_add(reader->symbols, &symbol))
                reader->status = symbols_no_memory(reader->err);
        }
    }
}

// --- Sections ---

static bool read_section(struct reader *reader, uint64_t number, struct section *section)
{
    if (number >= reader->table_count)
        return false;
    const unsigned char *header = peek(reader, reader->table_at + number * reader->table_stride,
                                       ELF_SIZE(reader->is_64, Shdr));
    if (!header)
        return false;
    *section = (struct section){
        .type = FIELD(reader, header, Shdr, sh_type),
        .offset = FIELD(reader, header, Shdr, sh_offset),
        .size = FIELD(reader, header, Shdr, sh_size),
        .link = FIELD(reader, header, Shdr, sh_link),
        .entry_bytes = FIELD(reader, header, Shdr, sh_entsize),
    };
    return true;
}

// --- The file ---

static enum status not_elf(struct reader *reader)
{
    return error_set(reader->err, STATUS_INPUT, "%s: not an ELF file", reader->path);
}

static enum status open_file(struct reader *reader)
{
    // Without O_NONBLOCK a FIFO without a writer would block here for ever.
    reader->fd = open(reader->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (reader->fd < 0)
        return error_set_errno(reader->err, reader->path, "cannot open");
    struct stat stat;
    if (fstat(reader->fd, &stat) != 0)
        return error_set_errno(reader->err, reader->path, "cannot stat");
    if (!S_ISREG(stat.st_mode))
        return error_set(reader->err, STATUS_IO, "%s: is not a regular file", reader->path);
    reader->size_bytes = (uint64_t)stat.st_size;
    return STATUS_OK;
}

static enum status read_header(struct reader *reader)
{
    const unsigned char *header = peek(reader, 0, EI_NIDENT);
    if (!header || memcmp(header, ELFMAG, SELFMAG) != 0 ||
        (header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64) ||
        (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB))
        return reader->status != STATUS_OK ? reader->status : not_elf(reader);
    reader->is_64 = header[EI_CLASS] == ELFCLASS64;
    reader->is_big_endian = header[EI_DATA] == ELFDATA2MSB;
    header = peek(reader, 0, ELF_SIZE(reader->is_64, Ehdr));
    if (!header)
        return reader->status != STATUS_OK ? reader->status : not_elf(reader);
    reader->table_at = FIELD(reader, header, Ehdr, e_shoff);
    reader->table_count = FIELD(reader, header, Ehdr, e_shnum);
    reader->table_stride = FIELD(reader, header, Ehdr, e_shentsize);
    return STATUS_OK;
}

static enum status read_file(struct reader *reader)
{
    enum status status = open_file(reader);
    if (status == STATUS_OK)
        status = read_header(reader);
    if (status == STATUS_OK) {
        for (uint64_t i = 0; i < reader->table_count && reader->status == STATUS_OK; i++) {
            struct section table, strings;
            if (!read_section(reader, i, &table) || table.type != SHT_SYMTAB)
                continue;
            // A table with entries of size 0 crashes Arm's tool; here it has no symbols.
            if (table.entry_bytes == 0 || !read_section(reader, table.link, &strings) ||
                strings.type != SHT_STRTAB)
                continue;
            if (!load_strings(reader, &strings))
                continue;
            // Two runs of a table's symbols can be within the file: from its start on, and from
            // where its offsets wrap. Symbols beyond the end of the file need not be tried.
            read_run(reader, &table, 0);
            if (table.offset != 0)
                read_run(reader, &table,
                         -table.offset / table.entry_bytes +
                             (-table.offset % table.entry_bytes != 0));
        }
        status = reader->status;
    }
    if (reader->fd >= 0)
        close(reader->fd);
    return status;
}

enum status symbols_load_as_ttu(struct symbols **out, const char *path, bool *is_big_endian,
                                struct error *err)
{
    *out = NULL;
    struct symbols *symbols = symbols_create(SYMBOLS_AS_TTU);
    struct reader *reader = calloc(1, sizeof *reader);
    if (!symbols || !reader) {
        free(reader);
        symbols_free(symbols);
        return symbols_no_memory(err);
    }
    reader->symbols = symbols;
    reader->path = path;
    reader->err = err;
    enum status status = read_file(reader);
    *is_big_endian = reader->is_big_endian;
    free(reader);
    return symbols_finish(out, symbols, status, err);
}
