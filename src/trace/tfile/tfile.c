#include "trace/tfile/tfile.h"

#include "idx/index_write.h"
#include "idx/parts.h"
#include "trace/tfile/file.h"

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct tfile_trace *tfile_in(struct trace *trace)
{
    return (struct tfile_trace *)(void *)trace;
}

static const struct tfile_trace *tfile_in_const(const struct trace *trace)
{
    return (const struct tfile_trace *)(const void *)trace;
}

struct tfile_trace *tfile_of(struct trace *trace)
{
    return trace && trace->kind == &tfile_kind ? tfile_in(trace) : NULL;
}

// --- Opening -------------------------------------------------------------------------------------

static bool is(const void *head, size_t size_bytes)
{
    return tfile_is(head, size_bytes) || tfile_ctf_is(head, size_bytes);
}

static enum tfile_machine machine_of(const struct image *image)
{
    switch (image_machine(image)) {
    case EM_X86_64:
        return TFILE_X86_64;
    case EM_386:
        return TFILE_I386;
    case EM_AARCH64:
        return TFILE_AARCH64;
    case EM_ARM:
        return TFILE_ARM;
    default:
        return TFILE_OTHER;
    }
}

// What the command line and the first image specify about the target.
static struct tfile_options options_of(const struct trace *trace, const struct image_set *images)
{
    struct tfile_options options = {0};
    enum trace_byte_order told = trace->options.byte_order;
    if (told != TRACE_ORDER_UNKNOWN)
        options.byte_order = told == TRACE_BIG_ENDIAN ? TFILE_BIG_ENDIAN : TFILE_LITTLE_ENDIAN;
    if (!images->members.count)
        return options;
    const struct image *image = images->members.items[0].image;
    options.machine = machine_of(image);
    options.elf =
        (struct tfile_elf){image_machine(image), image_class_bits(image) / 8, image_flags(image)};
    if (told == TRACE_ORDER_UNKNOWN)
        options.byte_order = image_is_big_endian(image) ? TFILE_BIG_ENDIAN : TFILE_LITTLE_ENDIAN;
    return options;
}

enum { METADATA_BYTES = 65536 }; // GDB writes some 2,000

// Reads the metadata of a stream of the Common Trace Format, in the directory that was given or of
// the file that was given.
static enum status read_metadata(const struct trace *trace, struct bytes *metadata,
                                 struct error *err)
{
    const char *slash = strrchr(trace->path, '/');
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/metadata", trace->path);
    if (access(path, F_OK) != 0)
        snprintf(path, sizeof path, "%.*smetadata", (int)(slash ? slash + 1 - trace->path : 0),
                 trace->path);
    FILE *file = fopen(path, "re");
    if (!file)
        return error_set(err, STATUS_INPUT,
                         "%s: a stream of the Common Trace Format needs its metadata: give the "
                         "directory that both are in",
                         trace->path);
    bool has_room = VEC_ROOM(metadata, METADATA_BYTES + 1);
    if (has_room) {
        metadata->count = fread(metadata->items, 1, METADATA_BYTES, file);
        metadata->items[metadata->count] = 0;
    }
    fclose(file);
    return has_room ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", trace->path);
}

// Makes a trace file of a stream, in place of the bytes of the source.
static enum status convert(struct tfile_trace *tfile, const struct tfile_options *options,
                           const char **bytes, uint64_t *size_bytes, struct error *err)
{
    struct trace *trace = &tfile->trace;
    struct bytes metadata = {0};
    struct error cause = {.status = STATUS_OK};
    enum status status = read_metadata(trace, &metadata, err);
    if (status == STATUS_OK)
        status = tfile_ctf_convert(&tfile->made, (const uint8_t *)*bytes, *size_bytes,
                                   (const char *)metadata.items, options->byte_order,
                                   &trace->damage, &cause);
    if (cause.status != STATUS_OK)
        error_set(err, status, "%s: %.400s", trace->path, cause.text);
    free(metadata.items);
    *bytes = (const char *)tfile->made.items;
    *size_bytes = tfile->made.count;
    return status;
}

static enum status open_file(struct trace *trace, const struct image_set *images, struct error *err)
{
    struct tfile_trace *tfile = tfile_in(trace);
    const struct tfile_options options = options_of(trace, images);
    const char *bytes;
    uint64_t size_bytes;
    struct error cause;
    enum status status = source_read_all(trace->source, &bytes, &size_bytes, err);
    if (status == STATUS_OK && tfile_ctf_is(bytes, size_bytes))
        status = convert(tfile, &options, &bytes, &size_bytes, err);
    if (status != STATUS_OK)
        return status;
    status = tfile_open(&tfile->file, bytes, size_bytes, &options, &cause);
    if (status != STATUS_OK)
        return error_set(err, status, "%s: %.400s", trace->path, cause.text);
    trace_damage_merge(&trace->damage, &tfile->file.damage);
    trace->is_checked = true;
    if (!tfile_check_frames(&tfile->file, trace->options.threads, &trace->damage))
        return error_set(err, STATUS_MEMORY, "%s: no memory", trace->path);
    if (!source_is_intact(trace->source))
        return error_set(err, STATUS_INPUT, "%s: was changed while it was read", trace->path);
    return STATUS_OK;
}

static bool is_of_machine(const struct image *image, enum tfile_machine machine)
{
    // Values of e_machine: EM_X86_64, EM_386, EM_AARCH64, EM_ARM.
    static const unsigned numbers[] = {
        [TFILE_X86_64] = 62, [TFILE_I386] = 3, [TFILE_AARCH64] = 183, [TFILE_ARM] = 40};
    unsigned number = image_machine(image);
    return machine >= ARRAY_COUNT(numbers) || !numbers[machine] || !number ||
           number == numbers[machine];
}

// Stores a message for the end of the report about images that belong to another program.
static void note_misfit(struct tfile_trace *tfile, const struct image_set *images)
{
    const struct tfile *file = &tfile->file;
    char *text = tfile->misfit;
    *text = 0;
    for (size_t i = 0; i < images->members.count; i++) {
        const struct image *image = images->members.items[i].image;
        if (is_of_machine(image, file->registers.machine))
            continue;
        snprintf(text, sizeof tfile->misfit, "%.120s does not fit: it is of %s, the trace of %s",
                 image_path(image), image_machine_name(image),
                 tfile_machine_name(file->registers.machine));
        return;
    }
    bool is_covered = !images->members.count || !file->locations.count;
    for (size_t i = 0; i < file->locations.count && !is_covered; i++)
        is_covered = image_set_may_cover(images, file->locations.items[i].address);
    if (!is_covered)
        snprintf(text, sizeof tfile->misfit,
                 "no tracepoint lies in %.120s%s; does it fit, or lack --load-offset?",
                 image_path(images->members.items[0].image),
                 images->members.count > 1 ? " or another image" : "");
}

// Opens the images again, each at the address that the tracepoints show.
static enum status move_images(struct trace *trace, struct image_set *images, struct error *err)
{
    const struct tfile *file = &tfile_in(trace)->file;
    struct image_set moved = {0};
    enum status status = STATUS_OK;
    bool is_moved = false;
    for (size_t i = 0; i < images->members.count && status == STATUS_OK; i++) {
        const struct image_member *member = &images->members.items[i];
        uint64_t offset = member->offset;
        is_moved |= !member->is_placed && tfile_bias(file, member, &offset);
        status = image_set_add(&moved, image_path(member->image), offset, err);
    }
    if (status == STATUS_OK && is_moved) {
        struct image_set old = *images;
        *images = moved;
        moved = old;
    }
    image_set_free(&moved);
    if (status == STATUS_OK)
        note_misfit(tfile_in(trace), images);
    return status;
}

static void close_file(struct trace *trace)
{
    struct tfile_trace *tfile = tfile_in(trace);
    tfile_pass_free(&tfile->pass);
    tfile_close(&tfile->file);
    free(tfile->made.items);
}

// --- The index -----------------------------------------------------------------------------------

static enum status run(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err)
{
    struct tfile_trace *tfile = tfile_in(trace);
    (void)observer;
    tfile_pass_free(&tfile->pass);
    tfile->pass = (struct tfile_pass){
        .file = &tfile->file,
        .threads = options->threads,
        .segments = options->segments,
        .big_endian = options->big_endian,
        .damage = &trace->damage,
    };
    return tfile_pass_run(&tfile->pass, result, err);
}

static uint64_t identity(const struct trace *trace, const struct pass_options *options,
                         bool is_for_queries, uint64_t *mask)
{
    (void)options, (void)is_for_queries;
    // trawl 1.1 and earlier reversed the memory of big-endian targets.
    *mask = TRAWL_BIG_ENDIAN | TRAWL_KEEPS_ORDER;
    return tfile_in_const(trace)->file.is_big_endian ? TRAWL_BIG_ENDIAN | TRAWL_KEEPS_ORDER : 0;
}

static uint32_t segment_events(const struct trace *trace)
{
    return tfile_pass_segment_events(&tfile_in_const(trace)->file);
}

static bool write_sections(struct trace *trace, struct index_writer *writer,
                           const struct register_names *names)
{
    struct parts_writer parts = {0};
    (void)names;
    const struct tfile_pass *pass = &tfile_in(trace)->pass;
    bool is_done = tfile_section_write(pass, &parts) &&
                   index_writer_add_section(writer, SECTION_TFILE, &parts);
    parts_writer_reset(&parts);
    is_done = is_done && tfile_layout_write(pass, &parts) &&
              index_writer_add_section(writer, SECTION_LAYOUT, &parts);
    parts_writer_free(&parts);
    return is_done;
}

// --- What is said --------------------------------------------------------------------------------

enum { LINE_BYTES = 480 };

static void say_missing(const struct tfile *file, const struct trace_reporter *reporter)
{
    char line[LINE_BYTES];
    size_t count = 0;
    for (size_t i = 0; i < file->frames.count && file->status.stop == TFILE_STOP_FULL; i++)
        count += tfile_frame_is_whole(file, &file->frames.items[i]) &&
                 tfile_frame_is_short(file, &file->frames.items[i]);
    size_t short_frames = count;
    if (file->status.frames != TFILE_UNKNOWN && file->status.frames > file->frames.count) {
        snprintf(line, sizeof line,
                 "the target reported %" PRIu64 " frame%s, the file has %zu of them",
                 file->status.frames, plural(file->status.frames), file->frames.count);
        reporter->lost(reporter->self, line);
    }
    if (file->recovered_frames) {
        snprintf(line, sizeof line,
                 "frames recovered after damage, which may be outdated: %" PRIu64,
                 file->recovered_frames);
        reporter->warn(reporter->self, line);
    }
    if (short_frames) {
        snprintf(line, sizeof line,
                 "frames without some of what their tracepoints collect, as the buffer was full: "
                 "%zu",
                 short_frames);
        reporter->lost(reporter->self, line);
    }
}

static void sum_up(const struct trace *trace, const struct pass_result *result,
                   const struct trace_reporter *reporter)
{
    const struct tfile *file = &tfile_in_const(trace)->file;
    char line[LINE_BYTES];
    (void)result;
    say_missing(file, reporter);
    if (file->register_bytes && !file->registers.items.count) {
        snprintf(
            line, sizeof line,
            "registers have no names and count as unknown: the file has no target description, "
            "and their layout in %" PRIu32 " bytes is not known%s",
            file->register_bytes,
            file->registers.machine == TFILE_MACHINE_UNKNOWN
                ? "; an image (--image) may tell the machine"
                : "");
        reporter->warn(reporter->self, line);
    }
    if (*tfile_in_const(trace)->misfit)
        reporter->warn(reporter->self, tfile_in_const(trace)->misfit);
    if (!reporter->detail)
        return;
    snprintf(line, sizeof line, "%" PRIu64 " byte%s, %zu frame%s, %s, %s-endian", file->size_bytes,
             plural(file->size_bytes), file->frames.count, plural(file->frames.count),
             tfile_machine_name(file->registers.machine), file->is_big_endian ? "big" : "little");
    reporter->detail(reporter->self, line);
}

// The lines "tdesc TEXT" of the header, of which the first may be empty.
static bool describe_target(const struct trace *trace,
                            void (*put)(void *self, const char *line, size_t length), void *self)
{
    static const char word[] = "tdesc ";
    const size_t word_bytes = sizeof word - 1;
    const struct tfile *file = &tfile_in_const(trace)->file;
    const char *at = (const char *)file->data, *const end = at + file->frames_offset;
    bool has_any = false;
    if (!file->registers.is_described)
        return false;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *const line_end = newline ? newline : end;
        const size_t length = (size_t)(line_end - at);
        const bool is_description = length >= word_bytes && memcmp(at, word, word_bytes) == 0;
        if (is_description && (has_any || length > word_bytes)) {
            put(self, at + word_bytes, length - word_bytes);
            has_any = true;
        }
        at = newline ? newline + 1 : end;
    }
    return has_any;
}

void tfile_lane_name(const struct tfile_frame *frame, char name[TFILE_LANE_NAME_BYTES])
{
    snprintf(name, TFILE_LANE_NAME_BYTES, "tp%u", frame->number);
}

const char *tfile_frame_marks(const struct tfile *file, const struct tfile_frame *frame)
{
    static const char *const names[][2] = {
        {NULL, "recovered"},
        {"short", "recovered, short"},
        {"damaged", "recovered, damaged"},
        {"cut", "recovered, cut"},
    };
    enum { SOUND, SHORT, DAMAGED, CUT } state = SOUND;
    if (frame->marks & TFILE_CUT)
        state = CUT;
    else if (!tfile_frame_is_whole(file, frame))
        state = DAMAGED;
    else if (tfile_frame_is_short(file, frame))
        state = SHORT;
    return names[state][(frame->marks & TFILE_RECOVERED) != 0];
}

const struct trace_kind tfile_kind = {
    .name = "tfile",
    .words = {"a GDB trace file", "tracepoint", "Tracepoint", "places"},
    .abilities = TRACE_EVENTS | TRACE_REGISTERS | TRACE_MEMORY | TRACE_ADDRESSES | TRACE_SNAPSHOTS,
    .size_bytes = sizeof(struct tfile_trace),
    .is = is,
    .open = open_file,
    .close = close_file,
    .run = run,
    .indexing = {.identity = identity,
                 .write_sections = write_sections,
                 .segment_events = segment_events},
    .placing = {.move = move_images},
    .telling = {.description = &tfile_description,
                .fault_text = tfile_fault_text,
                .sum_up = sum_up,
                .describe_target = describe_target},
};

// --- Where a program was loaded ------------------------------------------------------------------

#define PAGE_BYTES UINT64_C(4096)

// Where programs on Linux are loaded without address randomization, which gdbserver turns off.
#define X86_64_BASE UINT64_C(0x555555554000)

// The load address of the image according to one tracepoint.
static bool vote(const struct tfile_location *location, const struct image_member *member,
                 uint64_t *bias)
{
    // As the user typed it: [FILE:]FUNCTION, or a line or an address.
    const char *colon = location->at ? strrchr(location->at, ':') : NULL;
    const char *name = colon ? colon + 1 : location->at;
    bool is_function = name && *name && !strchr("*-+0123456789", *name);
    const struct symbol *symbol = is_function ? symbols_by_name(member->symbols, name) : NULL;
    if (!symbol || !symbol->is_function)
        return false;
    *bias = (location->address - symbol->address) & ~(PAGE_BYTES - 1) & member->address_mask;
    uint64_t behind = (location->address - *bias - symbol->address) & member->address_mask;
    return behind < PAGE_BYTES && (!symbol->size || behind < symbol->size);
}

bool tfile_bias(const struct tfile *file, const struct image_member *member, uint64_t *bias)
{
    uint64_t candidate = 0, voted;
    size_t balance = 0, agreeing = 0, voters = 0;
    if (!image_is_movable(member->image))
        return false;
    // Majority vote: each vote cancels one for a different address, so the majority is left over.
    for (size_t i = 0; i < file->locations.count; i++) {
        if (!vote(&file->locations.items[i], member, &voted))
            continue;
        voters++;
        candidate = balance ? candidate : voted;
        balance += voted == candidate ? 1 : (size_t)-1;
    }
    for (size_t i = 0; i < file->locations.count; i++)
        agreeing += vote(&file->locations.items[i], member, &voted) && voted == candidate;
    if (2 * agreeing > voters) {
        *bias = candidate;
        return true;
    }
    *bias = X86_64_BASE;
    if (voters)
        return false;
    if (file->registers.machine != TFILE_X86_64)
        return false;
    for (size_t i = 0; i < file->locations.count; i++) {
        const struct symbol *symbol =
            symbols_by_address(member->symbols, file->locations.items[i].address - X86_64_BASE);
        if (symbol && symbol->is_function)
            return true;
    }
    return false;
}
