#include "symbols_elf.h"

#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define RANGES_MAX 64
#define STRINGS_BYTES 1024

struct image_bytes {
    Elf64_Ehdr header;
    Elf64_Shdr sections[3]; // none, .symtab, .strtab
    Elf64_Sym symbols[RANGES_MAX];
    char strings[STRINGS_BYTES];
};

static Elf64_Ehdr make_header(void)
{
    return (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_AARCH64,
        .e_version = EV_CURRENT,
        .e_shoff = offsetof(struct image_bytes, sections),
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 3,
    };
}

int symbols_elf_make(const struct named_range *ranges, size_t count,
                     char path[SYMBOLS_ELF_PATH_BYTES])
{
    static struct image_bytes image;
    size_t used = 1;
    image = (struct image_bytes){.header = make_header()};
    ASSERT(count < RANGES_MAX);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(ranges[i].name) + 1;
        ASSERT(used + length <= STRINGS_BYTES);
        memcpy(image.strings + used, ranges[i].name, length);
        image.symbols[i + 1] = (Elf64_Sym){.st_name = (Elf64_Word)used,
                                           .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                           .st_shndx = 1,
                                           .st_value = ranges[i].address,
                                           .st_size = ranges[i].size_bytes};
        used += length;
    }
    image.sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                     .sh_offset = offsetof(struct image_bytes, symbols),
                                     .sh_size = (count + 1) * sizeof(Elf64_Sym),
                                     .sh_link = 2,
                                     .sh_info = 1,
                                     .sh_entsize = sizeof(Elf64_Sym)};
    image.sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                     .sh_offset = offsetof(struct image_bytes, strings),
                                     .sh_size = STRINGS_BYTES};
    int fd = memfd_create("symbols", MFD_CLOEXEC);
    if (fd < 0 || write(fd, &image, sizeof image) != (ssize_t)sizeof image)
        return -1;
    snprintf(path, SYMBOLS_ELF_PATH_BYTES, "/proc/self/fd/%d", fd);
    return fd;
}
