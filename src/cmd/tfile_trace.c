#include "cmd/tfile_trace.h"

#include "analysis/tfile_bias.h"
#include "cli/visible.h"
#include "cmd/trace_index.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

// --- What it is ----------------------------------------------------------------------------------

// Whether the command reads trace files, and nothing is asked for that they do not have. False:
// told.
static bool takes_file(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    bool wants_index = command->index_path || command->index_use != INDEX_AS_NEEDED;
    if (command->is_indexing || (command->takes_tfile && (!wants_index || command->takes_index)))
        return true;
    if (command->takes_tfile)
        error_set(&err, STATUS_INPUT,
                  "%s: is a GDB trace file, which commands read themselves, not its index",
                  command->trace);
    else
        error_set(&err, STATUS_INPUT, "%s: is a GDB trace file, which 'trawl %s' does not read",
                  command->trace, command->spec->name);
    *status = trace_command_error(command, &err);
    return false;
}

bool tfile_trace_detect(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    uint8_t magic[TFILE_MAGIC_BYTES];
    size_t have;
    if (!command->source || command->xray || command->tfile || command->reading == READING_TTU)
        return true;
    if (source_peek(command->source, magic, sizeof magic, &have, &err) != STATUS_OK) {
        *status = trace_command_error(command, &err);
        return false;
    }
    if (!tfile_is(magic, have))
        return true;
    if (!takes_file(command, status))
        return false;
    command->tfile = calloc(1, sizeof *command->tfile);
    if (command->tfile)
        return true;
    error_set(&err, STATUS_MEMORY, "%s: no memory", command->trace);
    *status = trace_command_error(command, &err);
    return false;
}

// --- Opening -------------------------------------------------------------------------------------

// What the command line and the first image tell of the target.
static struct tfile_options options_of(const struct trace_command *command)
{
    const struct image_set *images = &command->names.images;
    struct tfile_options options = {0};
    if (command->endianness)
        options.byte_order =
            command->endianness == OPTION_BIG_ENDIAN ? TFILE_BIG_ENDIAN : TFILE_LITTLE_ENDIAN;
    if (!images->members.count)
        return options;
    const struct image *image = images->members.items[0].image;
    switch (image_machine(image)) {
    case EM_X86_64:
        options.machine = TFILE_X86_64;
        break;
    case EM_386:
        options.machine = TFILE_I386;
        break;
    case EM_AARCH64:
        options.machine = TFILE_AARCH64;
        break;
    case EM_ARM:
        options.machine = TFILE_ARM;
        break;
    default:
        options.machine = TFILE_OTHER;
    }
    if (!command->endianness)
        options.byte_order = image_is_big_endian(image) ? TFILE_BIG_ENDIAN : TFILE_LITTLE_ENDIAN;
    return options;
}

static enum status open_file(struct trace_command *command, struct error *err)
{
    struct tfile_trace *tfile = command->tfile;
    struct source *source = command->source;
    const struct tfile_options options = options_of(command);
    const char *bytes;
    uint64_t size_bytes;
    struct error cause;
    enum status status = source_read_all(source, &bytes, &size_bytes, err);
    if (status != STATUS_OK)
        return status;
    status = tfile_open(&tfile->file, bytes, size_bytes, &options, &cause);
    if (status != STATUS_OK)
        return error_set(err, status, "%s: %.400s", command->trace, cause.text);
    tfile->damage = tfile->file.damage;
    if (!tfile_check_frames(&tfile->file, command->threads, &tfile->damage))
        return error_set(err, STATUS_MEMORY, "%s: no memory", command->trace);
    return STATUS_OK;
}

// Opens the images again, each where the tracepoints show that it was.
static enum status move_images(struct trace_command *command, struct error *err)
{
    struct names *names = &command->names;
    struct image_set moved = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < names->images.members.count && status == STATUS_OK; i++) {
        const struct image_member *member = &names->images.members.items[i];
        uint64_t offset = member->offset;
        const char *path = image_path(member->image);
        // With an offset of its own the argument is longer than the path.
        bool is_given =
            command->load_offset || strcmp(path, command->image_arguments.items[i]) != 0;
        if (!is_given && tfile_bias(&command->tfile->file, member, &offset))
            command->tfile->is_moved = true;
        status = image_set_add(&moved, path, offset, err);
    }
    struct image_set *unused = &moved;
    if (status == STATUS_OK && command->tfile->is_moved) {
        struct image_set old = names->images;
        names->images = moved;
        moved = old;
    }
    image_set_free(unused);
    return status;
}

// With --strict the first damage ends the run.
static bool tell_damage(struct trace_command *command)
{
    return trace_command_tell_damage(command, &command->tfile->damage, tfile_fault_text);
}

bool tfile_trace_open(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    enum status result = open_file(command, &err);
    if (result == STATUS_OK)
        result = move_images(command, &err);
    if (result == STATUS_OK && !source_is_intact(command->source))
        result = error_set(&err, STATUS_INPUT, "%s: was changed while it was read", command->trace);
    *status = EXIT_STATUS_FAILED;
    if (result == STATUS_OK)
        return tell_damage(command);
    *status = trace_command_error(command, &err);
    return false;
}

// --- The index -----------------------------------------------------------------------------------

bool tfile_trace_index(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    const struct pipeline_options options = trace_command_pass_options(command, NULL, NULL);
    *status = EXIT_STATUS_FAILED;
    if (open_file(command, &err) != STATUS_OK) {
        *status = trace_command_error(command, &err);
        return false;
    }
    return tell_damage(command) &&
           trace_index_use(command, command->source, &options, status) != TRACE_INDEX_ENDS;
}

struct tfile_pass *tfile_trace_begin_pass(struct trace_command *command)
{
    struct tfile_trace *tfile = command->tfile;
    if (!tfile)
        return NULL;
    tfile_pass_free(&tfile->pass);
    tfile->pass = (struct tfile_pass){
        .file = &tfile->file, .threads = command->threads, .damage = &tfile->damage};
    return &tfile->pass;
}

bool tfile_trace_build_index(struct trace_command *command, const struct indexing_options *how,
                             enum exit_status *status)
{
    struct error err;
    const struct pipeline_options options = trace_command_pass_options(command, NULL, NULL);
    const struct pipeline_observer silent = {0};
    enum status result =
        indexing_run(command->source, &options, &silent, how, &command->result, &err);
    return trace_command_judge(command, result, &err, status);
}

void tfile_trace_free(struct trace_command *command)
{
    if (!command->tfile)
        return;
    tfile_pass_free(&command->tfile->pass);
    tfile_close(&command->tfile->file);
    free(command->tfile);
    command->tfile = NULL;
}

// --- What is said --------------------------------------------------------------------------------

static size_t count_short(const struct tfile *file)
{
    size_t count = 0;
    for (size_t i = 0; i < file->frames.count && file->status.stop == TFILE_STOP_FULL; i++)
        count += tfile_frame_is_whole(file, &file->frames.items[i]) &&
                 tfile_frame_is_short(file, &file->frames.items[i]);
    return count;
}

void tfile_trace_sum_up(struct trace_command *command)
{
    const struct tfile_trace *tfile = command->tfile;
    const struct tfile *file = &tfile->file;
    const struct image_set *images = &command->names.images;
    if (file->status.frames != TFILE_UNKNOWN && file->status.frames > file->frames.count)
        diag_warning(&command->diag,
                     "%s: the target told of %" PRIu64 " frames, the file has %zu of them",
                     command->trace, file->status.frames, file->frames.count);
    if (file->recovered_frames)
        diag_warning(&command->diag,
                     "%s: frames found behind breaks of the file, which may be old ones: %" PRIu64,
                     command->trace, file->recovered_frames);
    size_t short_frames = count_short(file);
    if (short_frames)
        diag_warning(&command->diag,
                     "%s: frames without some of what their tracepoints collect, as the buffer was "
                     "full: %zu",
                     command->trace, short_frames);
    if (!command->verbose)
        return;
    fprintf(command->diag.out, "trawl: %" PRIu64 " bytes, %zu frames, %s, %s-endian\n",
            file->size_bytes, file->frames.count, tfile_machine_name(file->registers.machine),
            file->is_big_endian ? "big" : "little");
    for (size_t i = 0; i < images->members.count; i++)
        visible_line(command->diag.out, "trawl: %s: moved by 0x%" PRIx64,
                     image_path(images->members.items[i].image), images->members.items[i].offset);
}

const char *tfile_trace_function(struct trace_command *command, uint64_t pc)
{
    const char *name = names_of(&command->names, pc);
    return *name ? name : NULL;
}

void tfile_trace_lane(const struct tfile_frame *frame, char name[TFILE_LANE_NAME_BYTES])
{
    snprintf(name, TFILE_LANE_NAME_BYTES, "tp%u", frame->number);
}

const char *tfile_trace_marks(const struct tfile *file, const struct tfile_frame *frame)
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
