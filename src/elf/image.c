#include "elf/image.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    Elf *elf;
    char *path;
    uint64_t size_bytes;
    int fd;
    unsigned class_bits;
    unsigned machine;
    uint32_t flags;
    unsigned type;
    uint64_t entry;
    bool is_big_endian;
    char machine_text[24]; // of a machine without a name
};

// The first bytes of the file: either header fits.
struct header {
    unsigned char bytes[sizeof(Elf64_Ehdr)];
    size_t have_bytes;
};

#define FIELD(image, bytes, structure, field)                                                      \
    ELF_FIELD((image)->class_bits == 64, (image)->is_big_endian, bytes, structure, field)

uint64_t image_file_bytes(const struct image *image)
{
    return image->size_bytes;
}

bool image_holds(const struct image *image, uint64_t offset, uint64_t size_bytes)
{
    return offset <= image->size_bytes && size_bytes <= image->size_bytes - offset;
}

bool image_unpacked_size(const struct image *image, Elf_Scn *section, const GElf_Shdr *header,
                         uint64_t *size_bytes)
{
    GElf_Chdr packed;
    *size_bytes = header->sh_size;
    if (!image_holds(image, header->sh_offset, header->sh_size))
        return false;
    if (!(header->sh_flags & SHF_COMPRESSED))
        return true;
    if (!gelf_getchdr(section, &packed) || packed.ch_size / LIMIT_UNPACKED_FACTOR > header->sh_size)
        return false;
    *size_bytes = packed.ch_size;
    return true;
}

enum status image_read(const struct image *image, uint64_t offset, unsigned char *bytes,
                       size_t size_bytes, struct error *err)
{
    for (size_t done = 0; done < size_bytes;) {
        ssize_t got = pread(image->fd, bytes + done, size_bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(err, image->path, "cannot read");
        if (got == 0)
            return error_set(err, STATUS_IO, "%s: became shorter while it was read", image->path);
        done += (size_t)got;
    }
    return STATUS_OK;
}

static enum status open_file(struct image *image, struct error *err)
{
    // Without O_NONBLOCK a FIFO without a writer would block here for ever.
    if (image->fd < 0)
        image->fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (image->fd < 0)
        return error_set_errno(err, image->path, "cannot open");
    struct stat stat;
    if (fstat(image->fd, &stat) != 0)
        return error_set_errno(err, image->path, "cannot stat");
    if (S_ISDIR(stat.st_mode))
        return error_set(err, STATUS_IO, "%s: is a directory", image->path);
    if (!S_ISREG(stat.st_mode))
        return error_set(err, STATUS_IO, "%s: is not a regular file", image->path);
    image->size_bytes = (uint64_t)stat.st_size;
    return STATUS_OK;
}

// If the file is text with symbols, replaces it by an image that has them.
static enum status take_text(struct image *image, struct error *err)
{
    unsigned char head[256];
    size_t size = (size_t)u64_min(sizeof head, image->size_bytes);
    int fd;
    enum status status = image_read(image, 0, head, size, err);
    if (status != STATUS_OK || !symbol_text_is(head, size))
        return status;
    status = symbol_text_convert(image->fd, image->size_bytes, image->path, &fd, err);
    if (status != STATUS_OK)
        return status;
    close(image->fd);
    image->fd = fd;
    return open_file(image, err);
}

// Checks that a file is an ELF file of a supported kind.
static enum status check_ident(struct image *image, const struct header *header, struct error *err)
{
    const unsigned char *ident = header->bytes;
    if (header->have_bytes == 0)
        return error_set(err, STATUS_INPUT, "%s: is empty", image->path);
    if (header->have_bytes < SELFMAG || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return error_set(err, STATUS_INPUT, "%s: not an ELF file", image->path);
    if (header->have_bytes < EI_NIDENT)
        return error_set(err, STATUS_INPUT, "%s: ends within its ELF header", image->path);
    if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64)
        return error_set_at(err, STATUS_INPUT, EI_CLASS, "%s: unknown ELF class %u", image->path,
                            ident[EI_CLASS]);
    if (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB)
        return error_set_at(err, STATUS_INPUT, EI_DATA, "%s: unknown ELF byte order %u",
                            image->path, ident[EI_DATA]);
    if (ident[EI_VERSION] != EV_CURRENT)
        return error_set_at(err, STATUS_INPUT, EI_VERSION, "%s: unknown ELF version %u",
                            image->path, ident[EI_VERSION]);
    image->class_bits = ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
    image->is_big_endian = ident[EI_DATA] == ELFDATA2MSB;
    size_t wanted = image->class_bits == 64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    if (header->have_bytes < wanted)
        return error_set(err, STATUS_INPUT, "%s: ends within its ELF header", image->path);
    return STATUS_OK;
}

// libelf allocates (and fills) as many sections as the file claims, so the number is checked first.
// A count that does not fit in e_shnum is in the first section header.
static enum status check_section_table(struct image *image, const struct header *header,
                                       struct error *err)
{
    uint64_t offset = FIELD(image, header->bytes, Ehdr, e_shoff);
    uint64_t count = FIELD(image, header->bytes, Ehdr, e_shnum);
    uint64_t entry_bytes = FIELD(image, header->bytes, Ehdr, e_shentsize);
    size_t wanted = image->class_bits == 64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    if (offset == 0)
        return STATUS_OK;
    if (count == 0 && image_holds(image, offset, wanted)) {
        unsigned char first[sizeof(Elf64_Shdr)];
        enum status status = image_read(image, offset, first, wanted, err);
        if (status != STATUS_OK)
            return status;
        count = FIELD(image, first, Shdr, sh_size);
    }
    if (count > 0 && entry_bytes != wanted)
        return error_set(err, STATUS_INPUT,
                         "%s: section headers of %" PRIu64 " bytes where %zu are due", image->path,
                         entry_bytes, wanted);
    if (offset > image->size_bytes || count > (image->size_bytes - offset) / wanted)
        return error_set_at(err, STATUS_INPUT, offset,
                            "%s: section table (%" PRIu64 " sections at byte %" PRIu64
                            ") lies beyond the end of the file",
                            image->path, count, offset);
    return STATUS_OK;
}

static enum status check_header(struct image *image, struct error *err)
{
    struct header header = {.have_bytes = u64_min(sizeof header.bytes, image->size_bytes)};
    enum status status = image_read(image, 0, header.bytes, header.have_bytes, err);
    if (status == STATUS_OK)
        status = check_ident(image, &header, err);
    if (status == STATUS_OK)
        status = check_section_table(image, &header, err);
    if (status != STATUS_OK)
        return status;
    image->machine = (unsigned)FIELD(image, header.bytes, Ehdr, e_machine);
    image->flags = (uint32_t)FIELD(image, header.bytes, Ehdr, e_flags);
    image->type = (unsigned)FIELD(image, header.bytes, Ehdr, e_type);
    image->entry = (uint64_t)FIELD(image, header.bytes, Ehdr, e_entry);
    return STATUS_OK;
}

// If the file is a module of a kernel, replaces it by an image that is laid out.
static enum status take_module(struct image *image, struct error *err)
{
    int fd;
    enum status status = kernel_module_lay_out(image, &fd, err);
    if (status != STATUS_OK || fd < 0)
        return status;
    close(image->fd);
    image->fd = fd;
    status = open_file(image, err);
    return status == STATUS_OK ? check_header(image, err) : status;
}

void image_ask(void)
{
    errno = 0;
}

bool image_lacks_memory(void)
{
    return errno == ENOMEM;
}

static enum status no_memory(const struct image *image, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory", image->path);
}

enum status image_fault(const struct image *image, const char *what, struct error *err)
{
    return image_lacks_memory()
               ? no_memory(image, err)
               : error_set(err, STATUS_INPUT, "%s: %s: %s", image->path, what, elf_errmsg(-1));
}

static enum status open_elf(struct image *image, struct error *err)
{
    elf_version(EV_CURRENT);
    image_ask();
    image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
    if (!image->elf && image_lacks_memory())
        return no_memory(image, err);
    if (!image->elf || elf_kind(image->elf) != ELF_K_ELF)
        return error_set(err, STATUS_INPUT, "%s: %s", image->path,
                         image->elf ? "not an ELF file" : elf_errmsg(-1));
    // Makes libelf read and keep headers and names. Damage shows when they are used.
    GElf_Shdr section;
    GElf_Phdr segment;
    size_t segments = 0;
    const Elf64_Shdr first = {0};
    image_ask();
    for (Elf_Scn *at = NULL; (at = elf_nextscn(image->elf, at));) {
        if (!gelf_getshdr(at, &section))
            break;
    }
    if (!image_lacks_memory() && elf_getphdrnum(image->elf, &segments) == 0 && segments)
        gelf_getphdr(image->elf, 0, &segment);
    if (!image_lacks_memory())
        image_section_name(image, &first);
    return image_lacks_memory() ? no_memory(image, err) : STATUS_OK;
}

static enum status open_image(struct image **out, int fd, const char *path, bool may_be_text,
                              struct error *err)
{
    *out = NULL;
    struct image *image = calloc(1, sizeof *image);
    char *path_copy = strdup(path);
    if (!image || !path_copy) {
        free(image);
        free(path_copy);
        if (fd >= 0)
            close(fd);
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    image->path = path_copy;
    image->fd = fd;
    enum status status = open_file(image, err);
    if (status == STATUS_OK && may_be_text)
        status = take_text(image, err);
    if (status == STATUS_OK)
        status = check_header(image, err);
    if (status == STATUS_OK && may_be_text && image->type == ET_REL)
        status = take_module(image, err);
    if (status == STATUS_OK)
        status = open_elf(image, err);
    if (status != STATUS_OK) {
        image_close(image);
        return status;
    }
    snprintf(image->machine_text, sizeof image->machine_text, "machine %u", image->machine);
    *out = image;
    return STATUS_OK;
}

enum status image_open_descriptor(struct image **out, int fd, const char *path, struct error *err)
{
    return open_image(out, fd, path, false, err);
}

enum status image_open(struct image **out, const char *path, struct error *err)
{
    return open_image(out, -1, path, false, err);
}

enum status image_open_or_text(struct image **out, const char *path, struct error *err)
{
    return open_image(out, -1, path, true, err);
}

void image_close(struct image *image)
{
    if (!image)
        return;
    elf_end(image->elf);
    if (image->fd >= 0)
        close(image->fd);
    free(image->path);
    free(image);
}

const char *image_path(const struct image *image)
{
    return image->path;
}

bool image_is_big_endian(const struct image *image)
{
    return image->is_big_endian;
}

unsigned image_class_bits(const struct image *image)
{
    return image->class_bits;
}

bool image_is_arm32(const struct image *image)
{
    return image->machine == EM_ARM;
}

uint64_t image_entry(const struct image *image)
{
    return image->entry;
}

bool image_is_movable(const struct image *image)
{
    return image->type == ET_DYN;
}

unsigned image_machine(const struct image *image)
{
    return image->machine;
}

uint32_t image_flags(const struct image *image)
{
    return image->flags;
}

const char *image_machine_name(const struct image *image)
{
    switch (image->machine) {
    case EM_ARM:
        return "Arm";
    case EM_AARCH64:
        return "AArch64";
    case EM_386:
        return "x86";
    case EM_X86_64:
        return "x86-64";
    case EM_RISCV:
        return "RISC-V";
    case EM_S390:
        return "s390x";
    case EM_PPC:
        return "PowerPC";
    case EM_PPC64:
        return "PowerPC64";
    case EM_MIPS:
        return "MIPS";
    case EM_NONE:
        return "no machine";
    default:
        return image->machine_text;
    }
}

struct Elf *image_elf(const struct image *image)
{
    return image->elf;
}

const char *image_section_name(const struct image *image, const Elf64_Shdr *header)
{
    size_t strings;
    GElf_Shdr about;
    Elf_Scn *section;
    if (elf_getshdrstrndx(image->elf, &strings) != 0 ||
        !(section = elf_getscn(image->elf, strings)) || !gelf_getshdr(section, &about) ||
        !image_holds(image, about.sh_offset, about.sh_size))
        return "";
    const char *name = elf_strptr(image->elf, strings, header->sh_name);
    return name ? name : "";
}

// --- Identity ------------------------------------------------------------------------------------

// Finds the note in a section; its bytes as hexadecimal digits. False: not found.
static bool find_in_section(const struct image *image, Elf_Scn *section,
                            char digits[2 * LIMIT_BUILD_ID_BYTES + 1])
{
    GElf_Shdr header;
    GElf_Nhdr note;
    size_t at = 0, name, content;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
        !image_holds(image, header.sh_offset, header.sh_size))
        return false;
    Elf_Data *data = elf_getdata(section, NULL);
    while (data && (at = gelf_getnote(data, at, &note, &name, &content)) > 0) {
        const uint8_t *bytes = (const uint8_t *)data->d_buf + content;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" ||
            memcmp((const char *)data->d_buf + name, "GNU", sizeof "GNU") != 0 ||
            note.n_descsz > LIMIT_BUILD_ID_BYTES)
            continue;
        for (size_t i = 0; i < note.n_descsz; i++)
            sprintf(digits + 2 * i, "%02x", bytes[i]);
        return note.n_descsz > 0;
    }
    return false;
}

bool image_build_id(const struct image *image, char digits[2 * LIMIT_BUILD_ID_BYTES + 1])
{
    Elf_Scn *section = NULL;
    bool is_found = false;
    while (!is_found && (section = elf_nextscn(image_elf(image), section)))
        is_found = find_in_section(image, section, digits);
    return is_found;
}

int image_identity(const struct image *image, uint64_t offset, char text[IMAGE_IDENTITY_BYTES])
{
    const char *path = image_path(image), *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char digits[2 * LIMIT_BUILD_ID_BYTES + 1];
    struct stat about = {0};
    if (image_build_id(image, digits))
        return snprintf(text, IMAGE_IDENTITY_BYTES, "%.*s, build-id %s, moved by 0x%" PRIx64,
                        LIMIT_IMAGE_NAME_BYTES, name, digits, offset);
    stat(path, &about);
    return snprintf(text, IMAGE_IDENTITY_BYTES,
                    "%.*s, %lld bytes of %lld.%09ld, moved by 0x%" PRIx64, LIMIT_IMAGE_NAME_BYTES,
                    name, (long long)about.st_size, (long long)about.st_mtim.tv_sec,
                    about.st_mtim.tv_nsec, offset);
}
