#include "image.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// The two ELF classes differ only in the sizes of fields. What the tracer needs is copied from
// either into this.
typedef struct {
    uint64_t offset, address, file_bytes, memory_bytes;
    uint32_t type, flags;
} segment_t;

static uint8_t *read_file(const char *path, size_t *size_bytes)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return NULL;
    }
    uint8_t *data = NULL;
    if (fseek(f, 0, SEEK_END) == 0 && ftell(f) > 0) {
        *size_bytes = (size_t)ftell(f);
        data = malloc(*size_bytes);
        rewind(f);
        if (data != NULL && fread(data, 1, *size_bytes, f) != *size_bytes) {
            free(data);
            data = NULL;
        }
    }
    fclose(f);
    return data;
}

static uint32_t get32(const image_t *image, uint32_t value)
{
    return image->is_big_endian ? __builtin_bswap32(value) : value;
}

static uint16_t get16(const image_t *image, uint16_t value)
{
    return image->is_big_endian ? __builtin_bswap16(value) : value;
}

static segment_t segment_get(const image_t *image, const uint8_t *elf, unsigned index)
{
    if (image->is_64bit) {
        const Elf64_Ehdr *header = (const void *)elf;
        const Elf64_Phdr *s = (const void *)(elf + header->e_phoff + index * sizeof *s);
        return (segment_t){s->p_offset, s->p_vaddr, s->p_filesz, s->p_memsz, s->p_type, s->p_flags};
    }
    const Elf32_Ehdr *header = (const void *)elf;
    const Elf32_Phdr *s =
        (const void *)(elf + get32(image, header->e_phoff) + index * sizeof(Elf32_Phdr));
    return (segment_t){
        .offset = get32(image, s->p_offset),
        .address = get32(image, s->p_vaddr),
        .file_bytes = get32(image, s->p_filesz),
        .memory_bytes = get32(image, s->p_memsz),
        .type = get32(image, s->p_type),
        .flags = get32(image, s->p_flags),
    };
}

static void widen(uint64_t *start, uint64_t *end, const segment_t *s)
{
    if (*end == 0 || s->address < *start) {
        *start = s->address;
    }
    if (s->address + s->memory_bytes > *end) {
        *end = s->address + s->memory_bytes;
    }
}

static bool load_segments(image_t *image, const uint8_t *elf, size_t elf_bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        segment_t s = segment_get(image, elf, i);
        if (s.type != PT_LOAD || s.memory_bytes == 0) {
            continue;
        }
        if (!ram_holds(s.address, s.memory_bytes) || s.offset + s.file_bytes > elf_bytes) {
            return false;
        }
        memcpy(ram_at(image, s.address), elf + s.offset, s.file_bytes);
        if (s.flags & PF_X) {
            widen(&image->text_start, &image->text_end, &s);
        }
        if (s.flags & PF_W) {
            widen(&image->data_start, &image->data_end, &s);
        }
    }
    return image->text_end != 0;
}

static void add_function(image_t *image, uint64_t value, uint64_t size_bytes, const char *name)
{
    function_t *f = &image->functions[image->function_count++];
    f->address = value;
    f->size_bytes = size_bytes;
    f->name = strdup(name);
}

static void add_object(image_t *image, uint64_t value, const char *name)
{
    function_t *o = &image->objects[image->object_count++];
    o->address = value;
    o->name = strdup(name);
}

static void read_symbols64(image_t *image, const uint8_t *elf)
{
    const Elf64_Ehdr *header = (const void *)elf;
    const Elf64_Shdr *sections = (const void *)(elf + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB) {
            continue;
        }
        const Elf64_Sym *symbols = (const void *)(elf + sections[i].sh_offset);
        const char *names = (const char *)elf + sections[sections[i].sh_link].sh_offset;
        size_t count = sections[i].sh_size / sizeof *symbols;
        image->functions = calloc(count, sizeof *image->functions);
        image->objects = calloc(count, sizeof *image->objects);
        for (size_t j = 0; j < count; j++) {
            if (ELF64_ST_TYPE(symbols[j].st_info) == STT_OBJECT) {
                add_object(image, symbols[j].st_value, names + symbols[j].st_name);
            }
            if (ELF64_ST_TYPE(symbols[j].st_info) == STT_FUNC) {
                add_function(image, symbols[j].st_value, symbols[j].st_size,
                             names + symbols[j].st_name);
            }
        }
    }
}

static void read_symbols32(image_t *image, const uint8_t *elf)
{
    const Elf32_Ehdr *header = (const void *)elf;
    const Elf32_Shdr *sections = (const void *)(elf + get32(image, header->e_shoff));
    for (unsigned i = 0; i < get16(image, header->e_shnum); i++) {
        if (get32(image, sections[i].sh_type) != SHT_SYMTAB) {
            continue;
        }
        const Elf32_Sym *symbols = (const void *)(elf + get32(image, sections[i].sh_offset));
        const Elf32_Shdr *strings = &sections[get32(image, sections[i].sh_link)];
        const char *names = (const char *)elf + get32(image, strings->sh_offset);
        size_t count = get32(image, sections[i].sh_size) / sizeof *symbols;
        image->functions = calloc(count, sizeof *image->functions);
        image->objects = calloc(count, sizeof *image->objects);
        for (size_t j = 0; j < count; j++) {
            if (ELF32_ST_TYPE(symbols[j].st_info) == STT_OBJECT) {
                add_object(image, get32(image, symbols[j].st_value),
                           names + get32(image, symbols[j].st_name));
            }
            if (ELF32_ST_TYPE(symbols[j].st_info) == STT_FUNC) {
                add_function(image, get32(image, symbols[j].st_value) & ~1u,
                             get32(image, symbols[j].st_size),
                             names + get32(image, symbols[j].st_name));
            }
        }
    }
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const function_t *)a)->address;
    uint64_t y = ((const function_t *)b)->address;
    return (x > y) - (x < y);
}

bool image_load(image_t *image, const char *path)
{
    memset(image, 0, sizeof *image);
    size_t elf_bytes = 0;
    uint8_t *elf = read_file(path, &elf_bytes);
    // Only the magic number is checked, because the files come from our own linker.
    if (elf == NULL || elf_bytes < sizeof(Elf64_Ehdr) || memcmp(elf, ELFMAG, SELFMAG) != 0) {
        free(elf);
        return false;
    }
    image->is_64bit = elf[EI_CLASS] == ELFCLASS64;
    image->is_big_endian = elf[EI_DATA] == ELFDATA2MSB;
    image->ram = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const Elf64_Ehdr *header64 = (const void *)elf;
    const Elf32_Ehdr *header32 = (const void *)elf;
    image->entry = image->is_64bit ? header64->e_entry : get32(image, header32->e_entry);
    unsigned segment_count = image->is_64bit ? header64->e_phnum : get16(image, header32->e_phnum);
    bool good = image->ram != MAP_FAILED && load_segments(image, elf, elf_bytes, segment_count);
    if (good && image->is_64bit) {
        read_symbols64(image, elf);
    } else if (good) {
        read_symbols32(image, elf);
    }
    if (image->function_count == 0) {
        fprintf(stderr, "tracer: %s has no symbols: tail calls will not be seen\n", path);
        free(elf);
        return good;
    }
    qsort(image->functions, image->function_count, sizeof *image->functions, by_address);
    free(elf);
    return good;
}

uint64_t image_symbol(const image_t *image, const char *name)
{
    for (size_t i = 0; i < image->function_count; i++) {
        if (strcmp(image->functions[i].name, name) == 0) {
            return image->functions[i].address;
        }
    }
    return 0;
}

uint64_t image_object(const image_t *image, const char *name)
{
    for (size_t i = 0; i < image->object_count; i++) {
        if (strcmp(image->objects[i].name, name) == 0) {
            return image->objects[i].address;
        }
    }
    return 0;
}

const function_t *image_function(const image_t *image, uint64_t address)
{
    size_t low = 0;
    size_t high = image->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (image->functions[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? NULL : &image->functions[low - 1];
}
