#include "elf/image.h"

#include "base/characters.h"
#include "base/limits.h"
#include "base/spool.h"
#include "base/vec.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text_symbol {
    uint64_t address, size;
    const char *name;
    uint32_t name_length;
    bool is_code;
};

VEC(text_symbol_vec, struct text_symbol);

// A line in words.
#define WORDS 8

struct words {
    const char *start[WORDS], *end[WORDS];
    size_t count;   // WORDS: there may be more
    size_t columns; // before the first word
};

// What earlier lines say of the next one.
struct map_state {
    bool is_data;         // of a map of GNU ld: in a section of data
    bool is_ld;           // its part with addresses
    size_t symbol_column; // of a map of LLD: where names of symbols begin; 0: it is none
};

bool symbol_text_is(const void *head, size_t size_bytes)
{
    const unsigned char *bytes = head;
    for (size_t i = 0; i < size_bytes; i++) {
        if (bytes[i] < ' ' && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t')
            return false;
    }
    return size_bytes > 0;
}

static struct words split(const char *line, const char *end)
{
    struct words words = {.count = 0};
    for (const char *at = line; at < end && words.count < WORDS;) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (at == end)
            break;
        if (!words.count)
            words.columns = (size_t)(at - line);
        words.start[words.count] = at;
        while (at < end && !isspace((unsigned char)*at))
            at++;
        words.end[words.count++] = at;
    }
    return words;
}

// A hexadecimal number of one of the words, with 0x or without as wanted, of at least `digits_min`
// digits.
static bool number(const struct words *words, size_t at, bool has_prefix, size_t digits_min,
                   uint64_t *value)
{
    const char *digit = at < words->count ? words->start[at] : NULL, *end;
    if (!digit)
        return false;
    end = words->end[at];
    if (has_prefix && (end - digit < 3 || digit[0] != '0' || digit[1] != 'x'))
        return false;
    digit += has_prefix ? 2 : 0;
    if ((size_t)(end - digit) < digits_min || end - digit > 16)
        return false;
    for (*value = 0; digit < end; digit++) {
        if (!is_hex_digit(*digit))
            return false;
        *value =
            *value << 4 | (uint64_t)(*digit <= '9' ? *digit - '0' : (*digit | 0x20) - 'a' + 10);
    }
    return true;
}

static bool is_word(const struct words *words, size_t at, const char *text)
{
    return at < words->count && (size_t)(words->end[at] - words->start[at]) == strlen(text) &&
           memcmp(words->start[at], text, strlen(text)) == 0;
}

static bool take(struct text_symbol *symbol, const struct words *words, size_t name)
{
    symbol->name = words->start[name];
    symbol->name_length = (uint32_t)(words->end[name] - words->start[name]);
    return symbol->name[0] != '$'; // where code of another kind or data begins
}

// "ffff800010080000 T _text [module]", "00008000 00000024 T main".
static bool read_nm(const struct words *words, struct text_symbol *symbol)
{
    size_t type = 1;
    if (!number(words, 0, false, 8, &symbol->address))
        return false;
    if (number(words, 1, false, 8, &symbol->size))
        type = 2;
    else
        symbol->size = 0;
    if (type + 1 >= words->count || words->end[type] - words->start[type] != 1)
        return false;
    char kind = *words->start[type];
    if (!strchr("BbDdGgiRrSsTtVvWw", kind))
        return false;
    symbol->is_code = strchr("iTtWw", kind) != NULL;
    return take(symbol, words, type + 1);
}

// "main    0x00008001   Thumb Code    36  main.o(.text)".
static bool read_armlink(const struct words *words, struct text_symbol *symbol)
{
    size_t kind = 2;
    if (!number(words, 1, true, 8, &symbol->address))
        return false;
    bool is_code =
        (is_word(words, 2, "Thumb") || is_word(words, 2, "ARM") || is_word(words, 2, "A64")) &&
        is_word(words, 3, "Code");
    if (!is_code && !is_word(words, 2, "Data"))
        return false;
    kind += is_code;
    symbol->is_code = is_code;
    symbol->size = 0;
    for (const char *at = kind + 1 < words->count ? words->start[kind + 1] : NULL;
         at && at < words->end[kind + 1]; at++)
        symbol->size = is_digit(*at) ? symbol->size * 10 + (uint64_t)(*at - '0') : 0;
    return take(symbol, words, 0);
}

// A map of LLD: "   8000     8000       24     4                 main".
static bool read_lld(struct map_state *state, const struct words *words, const char *line,
                     struct text_symbol *symbol)
{
    if (is_word(words, 0, "VMA") && words->count == 7 && is_word(words, 6, "Symbol")) {
        state->symbol_column = (size_t)(words->start[6] - line);
        return false;
    }
    if (!state->symbol_column || words->count < 5 ||
        !number(words, 0, false, 1, &symbol->address) || !number(words, 2, false, 1, &symbol->size))
        return false;
    size_t column = (size_t)(words->start[4] - line);
    if (column < state->symbol_column) { // a section, of the program or of a file
        const char *name = words->start[4];
        const char *colon = memchr(name, ':', (size_t)(words->end[4] - name));
        name = colon && colon[1] == '(' ? colon + 2 : name;
        if (*name == '.')
            state->is_data = strncmp(name, ".text", 5) != 0 && strncmp(name, ".init", 5) != 0;
        return false;
    }
    symbol->is_code = !state->is_data;
    return take(symbol, words, 4);
}

static bool read_line(struct map_state *state, const char *line, const char *end,
                      struct text_symbol *symbol)
{
    const struct words words = split(line, end);
    state->is_ld |= is_word(&words, 0, "Linker") && is_word(&words, 1, "script");
    if (read_nm(&words, symbol) || read_armlink(&words, symbol) ||
        read_lld(state, &words, line, symbol))
        return true;
    // A map of GNU ld: "                0x0000000000008000                main".
    if (words.count && words.columns <= 1 && *words.start[0] == '.') {
        static const char *const data[] = {".data", ".bss", ".rodata", ".sdata", ".sbss"};
        state->is_data = false;
        for (size_t i = 0; i < sizeof data / sizeof *data; i++)
            state->is_data |= strncmp(words.start[0], data[i], strlen(data[i])) == 0;
        return false;
    }
    if (!state->is_ld || words.count != 2 || words.columns < 2 ||
        !number(&words, 0, true, 1, &symbol->address) || *words.start[1] == '.' ||
        (*words.start[1] == '0' && words.start[1][1] == 'x') || *words.start[1] == '*' ||
        *words.start[1] == '(')
        return false;
    symbol->size = 0;
    symbol->is_code = !state->is_data;
    return take(symbol, &words, 1);
}

ORDER_BY(by_address, struct text_symbol, address)

// --- The image -----------------------------------------------------------------------------------

// A stretch of symbols without a large gap becomes a section.
#define GAP_BYTES (UINT64_C(1) << 20)
#define PAGE_BYTES 4096

struct writing {
    const struct text_symbol_vec *symbols;
    Elf64_Shdr *sections; // after the first three: symbols, strings
    size_t section_count;
    Elf64_Sym *table;
    char *strings;
    uint64_t string_bytes;
};

static bool lay_out(struct writing *writing)
{
    const struct text_symbol_vec *symbols = writing->symbols;
    size_t room = 8;
    uint64_t text_bytes = 1;
    for (size_t i = 0; i < symbols->count; i++)
        text_bytes += symbols->items[i].name_length + 1;
    writing->sections = calloc(room, sizeof *writing->sections);
    writing->table = calloc(symbols->count + 1, sizeof *writing->table);
    writing->strings = calloc(1, text_bytes);
    if (!writing->sections || !writing->table || !writing->strings)
        return false;
    writing->section_count = 3;
    writing->string_bytes = 1;
    for (size_t i = 0; i < symbols->count; i++) {
        const struct text_symbol *symbol = &symbols->items[i];
        Elf64_Shdr *section = &writing->sections[writing->section_count - 1];
        uint64_t last = symbol->address + (symbol->size ? symbol->size - 1 : PAGE_BYTES - 1);
        last = last < symbol->address ? UINT64_MAX - 1 : last;
        bool is_new = writing->section_count == 3 ||
                      (symbol->address - section->sh_addr > section->sh_size &&
                       symbol->address - section->sh_addr - section->sh_size >= GAP_BYTES);
        if (is_new && writing->section_count < LIMIT_IMAGE_EXTENTS) {
            if (writing->section_count == room) {
                Elf64_Shdr *more = realloc(writing->sections, 2 * room * sizeof *more);
                if (!more)
                    return false;
                writing->sections = more;
                room *= 2;
            }
            section = &writing->sections[writing->section_count++];
            *section = (Elf64_Shdr){.sh_type = SHT_NOBITS,
                                    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                    .sh_addr = symbol->address,
                                    .sh_addralign = 1};
        }
        if (last - section->sh_addr >= section->sh_size)
            section->sh_size = last - section->sh_addr + 1;
        if (i && symbols->items[i - 1].size == 0 && !is_new) // it ends here, not after a page
            section->sh_size = last - section->sh_addr + 1;
        writing->table[i + 1] = (Elf64_Sym){
            .st_name = (uint32_t)writing->string_bytes,
            .st_info = ELF64_ST_INFO(STB_GLOBAL, symbol->is_code ? STT_FUNC : STT_OBJECT),
            .st_shndx = (uint16_t)(writing->section_count - 1),
            .st_value = symbol->address,
            .st_size = symbol->size,
        };
        memcpy(writing->strings + writing->string_bytes, symbol->name, symbol->name_length);
        writing->string_bytes += symbol->name_length + 1;
    }
    return true;
}

static bool write_at(int fd, const void *bytes, uint64_t size_bytes, uint64_t offset)
{
    const char *at = bytes;
    while (size_bytes) {
        ssize_t put = pwrite(fd, at, (size_t)size_bytes, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        offset += (uint64_t)put;
        size_bytes -= (uint64_t)put;
    }
    return true;
}

static bool write_image(struct writing *writing, int fd)
{
    uint64_t table_bytes = (writing->symbols->count + 1) * sizeof(Elf64_Sym);
    uint64_t table_at = sizeof(Elf64_Ehdr), strings_at = table_at + table_bytes;
    uint64_t sections_at = (strings_at + writing->string_bytes + 7) & ~UINT64_C(7);
    writing->sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                        .sh_offset = table_at,
                                        .sh_size = table_bytes,
                                        .sh_link = 2,
                                        .sh_info = 1,
                                        .sh_addralign = 8,
                                        .sh_entsize = sizeof(Elf64_Sym)};
    writing->sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                        .sh_offset = strings_at,
                                        .sh_size = writing->string_bytes,
                                        .sh_addralign = 1};
    Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_NONE,
        .e_version = EV_CURRENT,
        .e_shoff = sections_at,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)writing->section_count,
        .e_shstrndx = 2,
    };
    return write_at(fd, &header, sizeof header, 0) &&
           write_at(fd, writing->table, table_bytes, table_at) &&
           write_at(fd, writing->strings, writing->string_bytes, strings_at) &&
           write_at(fd, writing->sections, writing->section_count * sizeof *writing->sections,
                    sections_at);
}

// --- All of it -----------------------------------------------------------------------------------

static enum status no_memory(const char *path, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory for its symbols", path);
}

static enum status read_text(int fd, char *text, uint64_t size_bytes, const char *path,
                             struct error *err)
{
    for (uint64_t done = 0; done < size_bytes;) {
        ssize_t got = pread(fd, text + done, (size_t)(size_bytes - done), (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(err, path, "cannot read");
        if (got == 0)
            return error_set(err, STATUS_IO, "%s: became shorter while it was read", path);
        done += (uint64_t)got;
    }
    return STATUS_OK;
}

// Whether all addresses are 0, as in /proc/kallsyms for those who may not see them.
static enum status find_symbols(struct text_symbol_vec *symbols, const char *text,
                                uint64_t size_bytes, const char *path, struct error *err)
{
    struct map_state state = {0};
    struct text_symbol symbol;
    bool has_address = false;
    for (const char *line = text, *end = text + size_bytes, *next; line < end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *line_end = newline ? newline : end;
        next = newline ? newline + 1 : end;
        if (!read_line(&state, line, line_end, &symbol))
            continue;
        if (symbol.is_code && symbol.address & 1) // Thumb code
            symbol.address--;
        has_address |= symbol.address != 0;
        if (!VEC_ROOM(symbols, 1))
            return no_memory(path, err);
        symbols->items[symbols->count++] = symbol;
    }
    if (!symbols->count)
        return error_set(err, STATUS_INPUT, "%s: not an ELF file", path);
    if (!has_address)
        return error_set(err, STATUS_INPUT,
                         "%s: all addresses are 0: kallsyms shows them only to the administrator",
                         path);
    qsort(symbols->items, symbols->count, sizeof *symbols->items, by_address);
    return STATUS_OK;
}

enum status symbol_text_convert(int fd, uint64_t size_bytes, const char *path, int *image_fd,
                                struct error *err)
{
    struct text_symbol_vec symbols = {0};
    struct writing writing = {.symbols = &symbols};
    *image_fd = -1;
    if (size_bytes > LIMIT_SYMBOL_TEXT_BYTES)
        return error_set(err, STATUS_LIMIT, "%s: text of symbols with more than %d MB", path,
                         (int)(LIMIT_SYMBOL_TEXT_BYTES >> 20));
    char *text = malloc((size_t)size_bytes + 1);
    if (!text)
        return no_memory(path, err);
    enum status status = read_text(fd, text, size_bytes, path, err);
    if (status == STATUS_OK)
        status = find_symbols(&symbols, text, size_bytes, path, err);
    if (status == STATUS_OK && !lay_out(&writing))
        status = no_memory(path, err);
    if (status == STATUS_OK) {
        *image_fd = unnamed_open(unnamed_directory());
        if (*image_fd < 0 || !write_image(&writing, *image_fd))
            status = error_set_errno(err, path, "cannot keep its symbols");
    }
    if (status != STATUS_OK && *image_fd >= 0) {
        close(*image_fd);
        *image_fd = -1;
    }
    free(writing.sections);
    free(writing.table);
    free(writing.strings);
    free(symbols.items);
    free(text);
    return status;
}
