// An ELF file, opened and checked: 32 or 64 bits, either byte order, any machine and type. The file
// is read, never mapped, so that shrinking it while it is open causes an error message and not a
// signal; only the requested parts are read.
#ifndef TRAWL_ELF_IMAGE_H
#define TRAWL_ELF_IMAGE_H

#include "base/base.h"
#include "base/error.h"
#include "base/limits.h"

#include <elf.h>

struct Elf; // libelf's own handle
struct image;

// Opens `path` and checks its ELF header and the place of its section table. It need not have a
// section table. STATUS_IO: it cannot be opened or read, or is not a regular file; STATUS_INPUT: it
// is not an ELF file, or damaged. On success the caller owns *out; on failure *out is NULL.
enum status image_open(struct image **out, const char *path, struct error *err);

// The same; text with symbols (elf/symbols.h) is an image without code.
enum status image_open_or_text(struct image **out, const char *path, struct error *err);

// The same for an open file, with a name for messages. The descriptor then belongs to the image, or
// is closed on failure.
enum status image_open_descriptor(struct image **out, int fd, const char *name, struct error *err);

// NULL is allowed.
void image_close(struct image *image);

// The name under which it was opened, for messages.
const char *image_path(const struct image *image);

// The bytes of the file when it was opened, by which what is made of it is limited.
uint64_t image_file_bytes(const struct image *image);

// The byte order of the ELF file is the default one of the trace.
bool image_is_big_endian(const struct image *image);

// 32 or 64.
unsigned image_class_bits(const struct image *image);

// True for 32-bit Arm, where bit 0 of a function's address says that it is Thumb code.
bool image_is_arm32(const struct image *image);

// Where it begins to run, as the file has it, with the code bit; 0: nowhere.
uint64_t image_entry(const struct image *image);

// Whether a program loader may load it anywhere: a position-independent program or a shared object.
bool image_is_movable(const struct image *image);

// The number of its machine (e_machine).
unsigned image_machine(const struct image *image);

// What it says about its machine (e_flags).
uint32_t image_flags(const struct image *image);

// For messages only: "AArch64", "Arm", ..., or "machine N" for one without a name here. The text
// lives as long as the image.
const char *image_machine_name(const struct image *image);

// A line of text that identifies an image.
#define IMAGE_IDENTITY_BYTES 512

// "prog.elf, build-id 1a2b3c, moved by 0x1000"; without a build-id, the size and time of the file.
// A long name is truncated. Returns the length.
int image_identity(const struct image *image, uint64_t offset, char text[IMAGE_IDENTITY_BYTES]);

// The build-id as hexadecimal digits. False: it has none.
bool image_build_id(const struct image *image, char digits[2 * LIMIT_BUILD_ID_BYTES + 1]);

// For the other files of this layer: libelf's handle, and whether `size_bytes` bytes at `offset`
// are within the file. libelf must not be asked for a section before this is checked, because it
// allocates what the section header claims.
struct Elf *image_elf(const struct image *image);
bool image_holds(const struct image *image, uint64_t offset, uint64_t size_bytes);

// The unpacked size of a section (libelf's, with its GElf_Shdr). False: it must not be read,
// because it is beyond the end of the file or claims to unpack to too much.
struct Elf_Scn;
bool image_unpacked_size(const struct image *image, struct Elf_Scn *section,
                         const Elf64_Shdr *header, uint64_t *size_bytes);

// Reads bytes of the file as they are now.
enum status image_read(const struct image *image, uint64_t offset, unsigned char *bytes,
                       size_t size_bytes, struct error *err);

// Likewise: libelf has no documented way to distinguish lack of memory from damage, but errno shows
// it, if it is cleared (image_ask) before a call that may allocate. Headers and names of sections
// take no memory: image_open has made libelf read them.
void image_ask(void);
bool image_lacks_memory(void);

// After such a call has failed: STATUS_MEMORY or STATUS_INPUT, "PATH: WHAT: libelf's message".
enum status image_fault(const struct image *image, const char *what, struct error *err);

// Likewise: the name of the section with this header (libelf's GElf_Shdr), "" if the names are
// outside of the file. Lives as long as the image.
const char *image_section_name(const struct image *image, const Elf64_Shdr *header);

// --- kernel_module.c -----------------------------------------------------------------------------

// Modules of the Linux kernel are relocatable files: none of their sections has an address. The
// kernel puts the code of a module (but for what runs only once, as it is inserted) into one
// region, section after section. The module is turned into an image in memory that is laid out so
// from address 0, position-independent, with its own branches and debug information relocated;
// where it was loaded is then found, or given by --image FILE@ADDRESS, as for any such image. (Data
// is in regions of its own, whose places nothing shows; it has no names.) On A64, the debug
// information is relocated; that of other machines is left out.

// Lays out a module. *image_fd: a file without name; -1: it is no module.
enum status kernel_module_lay_out(const struct image *image, int *image_fd, struct error *err);

// --- symbol_text.c -------------------------------------------------------------------------------

// Symbols that were written as text: System.map and /proc/kallsyms of Linux, nm (also nm -S), and
// the maps of GNU ld, LLD and armlink.
//
// The text is turned into an ELF image in memory that has these symbols and no code, and is opened
// as any other image: what uses symbols need not know that there are two sources of them. A map of
// 10 MB takes 60 ms once. Such text often lacks sizes; there, a symbol reaches up to the next one,
// and the last one before a gap of a megabyte or more for a page at most.

// Whether the file may be such text: its first bytes are.
bool symbol_text_is(const void *head, size_t size_bytes);

// Makes the image of the symbols in an open file, in a file without name. STATUS_INPUT: there are
// none. `path` is for messages.
enum status symbol_text_convert(int fd, uint64_t size_bytes, const char *path, int *image_fd,
                                struct error *err);

// Fields of ELF structures in a file, for either class and byte order.

// A field of a structure that exists in both classes; `bytes` is the start of that structure.
#define ELF_FIELD(is_64, is_big_endian, bytes, structure, field)                                   \
    ((is_64) ? load_uint((bytes) + offsetof(Elf64_##structure, field),                             \
                         sizeof((Elf64_##structure){0}.field), (is_big_endian))                    \
             : load_uint((bytes) + offsetof(Elf32_##structure, field),                             \
                         sizeof((Elf32_##structure){0}.field), (is_big_endian)))

#define ELF_SIZE(is_64, structure) ((is_64) ? sizeof(Elf64_##structure) : sizeof(Elf32_##structure))

#endif
