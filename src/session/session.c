#include "session/session.h"

#include "arch/arches.h"
#include "base/limits.h"
#include "cli/values.h"
#include "query/point.h"
#include "session/images.h"
#include "session/task_key.h"
#include "trace/open.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void session_begin(struct session *session, enum reading reading, unsigned threads)
{
    *session = (struct session){
        .reading = reading,
        .threads = threads,
        .chunk_bytes = PASS_CHUNK_BYTES_DEFAULT,
        .filter = FILTER_NONE,
        .index = {.syncs = true},
        .name_options = {.reading = reading, .with_offsets = true},
    };
    simd_choose(&session->simd, NULL);
    file_writer_choose(&session->index.io, NULL);
}

enum status session_wish_as(struct session *session, const struct session *other, struct error *err)
{
    session->byte_order = other->byte_order;
    session->implicit_thumb = other->implicit_thumb;
    session->isa_bits = other->isa_bits;
    session->prefix = other->prefix;
    session->task_key_expression = other->task_key_expression;
    session->os = other->os;
    session->name_options = other->name_options;
    session->name_options.ids = NULL; // these depend on the kind
    session->forces_images = other->forces_images;
    session->ignores_image_memory = other->ignores_image_memory;
    session->keeps_open_calls = other->keeps_open_calls;
    session->index.use = other->index.use;
    session->index.in_memory = other->index.in_memory;
    session->index.segment_events = other->index.segment_events;
    if (session->images.count) // it has its own
        return STATUS_OK;
    if (!VEC_ROOM(&session->images, other->images.count))
        return error_set(err, STATUS_MEMORY, "no memory for another trace");
    for (size_t i = 0; i < other->images.count; i++)
        session->images.items[session->images.count++] = other->images.items[i];
    return STATUS_OK;
}

enum status session_be_of(struct session *session, const struct session *other, struct error *err)
{
    session->path = other->path;
    return session_files_copy(&session->files, &other->files)
               ? STATUS_OK
               : error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
}

void session_close(struct session *session)
{
    if (session->trace && session->names.index == session->trace->index)
        session->names.index = NULL;
    trace_close(session->trace);
    session->trace = NULL;
    pass_result_free(&session->result);
}

bool text_list_add(struct text_list *texts, const char *text)
{
    char *copy = VEC_ROOM(texts, 1) ? strdup(text) : NULL;
    if (copy)
        texts->items[texts->count++] = copy;
    return copy != NULL;
}

static bool copy_texts(struct text_list *copies, const struct text_list *texts)
{
    bool has_memory = true;
    for (size_t i = 0; i < texts->count && has_memory; i++)
        has_memory = text_list_add(copies, texts->items[i]);
    return has_memory;
}

bool session_files_copy(struct session_files *copy, const struct session_files *files)
{
    return copy_texts(&copy->paths, &files->paths) && copy_texts(&copy->cores, &files->cores) &&
           copy_texts(&copy->typed, &files->typed);
}

void text_list_free(struct text_list *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i]);
    free(texts->items);
}

void session_files_free(struct session_files *files)
{
    text_list_free(&files->paths);
    text_list_free(&files->cores);
    text_list_free(&files->typed);
}

void session_free(struct session *session)
{
    index_view_close(&session->view);
    free(session->view_path);
    session_close(session);
    function_map_free(&session->functions);
    image_programs_free(&session->programs);
    image_memory_free(&session->image_memory);
    names_free(&session->names);
    task_names_free(&session->tasks);
    os_table_free(&session->os_table);
    free(session->task_key);
    free(session->images.items);
    session_files_free(&session->files);
    free(session->index.shard_cuts.items);
    text_list_free(&session->index.surveys);
    hidden_names_free(&session->hidden);
    text_list_free(&session->image_doubts);
    text_list_free(&session->listed_images);
}

bool session_can(const struct session *session, unsigned abilities)
{
    return !session->trace || trace_can(session->trace, abilities);
}

// --- Opening -------------------------------------------------------------------------------------

const char **session_paths(const struct session *session, size_t *count)
{
    *count = session->files.paths.count + 1;
    const char **paths = calloc(*count, sizeof *paths);
    for (size_t i = 0; i < *count && paths; i++)
        paths[i] = i ? session->files.paths.items[i - 1] : session->path;
    return paths;
}

static enum status open_files(struct session *session, const char *const *paths, size_t count,
                              struct error *err)
{
    const struct session_files *others = &session->files;
    const struct open_files files = {
        .paths = paths,
        .cores = others->cores.count ? (const char *const *)(uintptr_t)others->cores.items : NULL,
        .count = count,
        .is_several = others->typed.count > 0,
        .follows = session->index.follows,
        .prefix = session->prefix,
    };
    return trace_open_files(&session->trace, &files, session->reading, err);
}

enum status session_open_trace(struct session *session, struct error *err)
{
    size_t count;
    const char **paths = session_paths(session, &count);
    enum status status =
        paths ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    if (status == STATUS_OK)
        status = open_files(session, paths, count, err);
    free(paths);
    if (status != STATUS_OK) {
        session->trace_error = *err;
        return status;
    }
    session->trace->options = (struct trace_options){
        .reading = session->reading,
        .byte_order = session->byte_order,
        .threads = session->threads,
        .prefix = session->prefix,
        .isa_bits = session->isa_bits,
    };
    source_set_threads(session->trace->source, session->threads);
    session->trace->progress = session->progress;
    session->trace->meter = session->meter;
    return STATUS_OK;
}

enum status session_report_damage(struct session *session, struct error *err)
{
    const struct trace *trace = session->trace;
    trace_fault_text *text_of = trace->kind->telling.fault_text;
    if (!text_of || session->is_damage_told)
        return STATUS_OK;
    session->is_damage_told = true;
    if (session->is_strict && trace->damage.count) {
        char text[TRACE_FAULT_TEXT_BYTES];
        text_of(&trace->damage.first[0], text);
        return error_set_at(err, STATUS_INPUT, trace->damage.first[0].offset, "%s: %s",
                            session->path, text);
    }
    if (session->listener.damage)
        session->listener.damage(session->listener.self, trace);
    return STATUS_OK;
}

void session_report_left_out(struct session *session)
{
    if (session->names_left_out.status == STATUS_OK)
        return;
    session->names_left_out.status = STATUS_OK;
    if (session->listener.ignoring)
        session->listener.ignoring(session->listener.self, session->names_left_out.text);
}

void session_compare_functions(const struct session *session, const struct trawl_index *index,
                               const char *path)
{
    struct trawl_info info;
    char text[480];
    trawl_info(index, &info);
    if (!session->listener.other_functions || !session->functions.entry_count ||
        info.functions == session->functions.hash)
        return;
    snprintf(text, sizeof text,
             "index file %.360s: its calls were found by %s (--force-index builds it "
             "again)",
             path,
             info.functions ? "the functions of other images"
                            : "encodings alone, without an image");
    session->listener.other_functions(session->listener.self, text);
}

// Whether images can share addresses: PCs are those of the machine, and read from lines.
static bool tells_programs(const struct session *session)
{
    return session->reading == READING_TRUE && session_can(session, TRACE_INFERRED | TRACE_CALLS);
}

// Reads the lines of a list of images.
static enum status read_list(struct session *session, const char *path, struct error *err)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0, count = 0;
    ssize_t length;
    enum status status = file ? STATUS_OK : error_set_errno(err, path, "cannot open");
    while (status == STATUS_OK && (length = getline(&line, &room, file)) >= 0) {
        while (length > 0 && isspace((unsigned char)line[length - 1]))
            line[--length] = '\0';
        const char *text = line + strspn(line, " \t");
        if (*text == '\0' || *text == '#')
            continue;
        if (++count > LIMIT_LISTED_IMAGES)
            status =
                error_set(err, STATUS_LIMIT, "%s: more than %d images", path, LIMIT_LISTED_IMAGES);
        else if (!text_list_add(&session->listed_images, text))
            status = error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    if (status == STATUS_OK && ferror(file))
        status = error_set_errno(err, path, "cannot read");
    free(line);
    if (file)
        fclose(file);
    return status;
}

// Replaces lists of images by their lines, which are not lists again.
static enum status expand_lists(struct session *session, struct error *err)
{
    for (size_t i = 0; i < session->images.count;) {
        const char *typed = session->images.items[i];
        if (*typed != '@' || access(typed, F_OK) == 0) {
            i++;
            continue;
        }
        size_t before = session->listed_images.count;
        enum status status = read_list(session, typed + 1, err);
        size_t count = session->listed_images.count - before;
        if (status == STATUS_OK && !VEC_ROOM(&session->images, count))
            status = error_set(err, STATUS_MEMORY, "%s: no memory", typed + 1);
        if (status != STATUS_OK)
            return status;
        const char **items = session->images.items;
        memmove(items + i + count, items + i + 1, (session->images.count - i - 1) * sizeof *items);
        memcpy(items + i, session->listed_images.items + before, count * sizeof *items);
        session->images.count += count - 1;
        i += count;
    }
    return STATUS_OK;
}

// Opens the images except those that are marked (NULL: none is).
static enum status add_images(struct session *session, const bool *left_out, struct error *err)
{
    struct name_options options = session->name_options;
    options.ids =
        session->trace && session->trace->kind->ids ? session->trace->kind->ids->functions : NULL;
    options.demangle |= options.ids && !options.keeps_mangled;
    options.arch = session->trace ? trace_arch(session->trace->kind) : arches[0];
    options.takes_any_machine = !session->trace;
    names_init(&session->names, &options);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < session->images.count && status == STATUS_OK; i++) {
        const char *argument = session->images.items[i];
        if (left_out && left_out[i])
            continue;
        status = names_add_image(&session->names, argument, err);
        if (status != STATUS_OK && status != STATUS_MEMORY && session->reading != READING_TRUE)
            status = error_set(err, status, "Cannot open ELF file \"%s\"", argument);
    }
    for (size_t i = 0; i < session->names.images.members.count && status == STATUS_OK; i++) {
        if (session->names.images.members.items[i].lane && !tells_programs(session))
            return error_set(err, STATUS_INPUT,
                             "--image %s: only images of a trace of instructions can be of one %s",
                             session->images.items[i], session->trace->kind->words.lane);
    }
    return status == STATUS_OK && tells_programs(session)
               ? image_programs_mark(&session->names.images, err)
               : status;
}

// --- Images that do not fit ----------------------------------------------------------------------

// Also kept for those who show it on a screen.
static enum status report_image(struct session *session, const char *text, struct error *err)
{
    if (session->listener.image_misfit)
        session->listener.image_misfit(session->listener.self, text);
    if (!text_list_add(&session->image_doubts, text))
        return error_set(err, STATUS_MEMORY, "no memory for what is said of images");
    return STATUS_OK;
}

// `lanes` says which part of the trace it is: "", or " on cpu1".
static enum status report_misfit(struct session *session, const char *image, const char *lanes,
                                 const struct image_fit *fit, const char *what_follows,
                                 struct error *err)
{
    char text[640];
    bool is_at_times = fit->changed > fit->different;
    const char *how = 2 * fit->different > fit->compared ? "" : " in part";
    snprintf(text, sizeof text,
             "%.120s does not fit %.120s%s%s: %zu of %zu instructions differ (first at 0x%" PRIx64
             ": trace %0*" PRIx32 ", image %0*" PRIx32 "); %s",
             image, session->path, lanes, is_at_times ? " at times" : how,
             is_at_times ? fit->changed : fit->different, fit->compared, fit->address,
             2 * (int)fit->size_bytes, fit->in_trace, 2 * (int)fit->size_bytes, fit->in_image,
             what_follows);
    return report_image(session, text, err);
}

static int compare_lanes(const void *a_item, const void *b_item)
{
    const struct trace_instruction *a = a_item, *b = b_item;
    return strcmp(a->lane, b->lane);
}

struct fitting {
    struct session *session;
    struct trace_instruction *samples, *in_order; // sorted in some way; as they are in the trace
    size_t sample_count;
    bool *left_out; // for each image as typed
};

// Reports a member that does not fit some cores, or not all instructions, or not at all times. The
// most exact of these is said. On other cores and at other times another program has its addresses:
// it names only what has its encodings.
static enum status look_for_doubts(const struct fitting *fitting, size_t member,
                                   const struct image_fit *whole, struct error *err)
{
    struct session *session = fitting->session;
    const struct image_set *images = &session->names.images;
    const char *path = image_path(images->members.items[member].image);
    struct trace_instruction *samples = fitting->samples;
    struct image_fit fit, first = {0};
    size_t count = fitting->sample_count, misfits = 0, lane_count = 0;
    char lanes[LIMIT_LANE_NAME_BYTES + 40];
    enum status status = STATUS_OK;
    if (whole->compared == 0 || !(whole->changed || whole->different)) // it fits everywhere
        return STATUS_OK;
    qsort(samples, count, sizeof *samples, compare_lanes);
    if (strcmp(samples[0].lane, samples[count - 1].lane) != 0) {
        for (size_t i = 0, end; status == STATUS_OK && i < count; i = end) {
            for (end = i + 1; end < count && strcmp(samples[end].lane, samples[i].lane) == 0;)
                end++;
            status = image_fit_compare(&fit, images, member, samples + i, end - i, err);
            bool is_misfit = image_fit_is_other(&fit) || image_fit_is_doubtful(&fit) ||
                             image_fit_is_other_core(&fit);
            lane_count++;
            if (status != STATUS_OK || !is_misfit || misfits++)
                continue;
            first = fit;
            snprintf(lanes, sizeof lanes, " on %s",
                     samples[i].lane[0] ? samples[i].lane : "the core without a name");
        }
    }
    if (status != STATUS_OK)
        return status;
    if (misfits > 1)
        snprintf(lanes + strlen(lanes), sizeof lanes - strlen(lanes), " (and %zu other core%s)",
                 misfits - 1, plural(misfits - 1));
    if ((misfits && misfits < lane_count) || image_fit_is_doubtful(whole) ||
        image_fit_is_changing(whole))
        session->names.images.members.items[member].is_doubtful = true;
    if ((misfits && misfits < lane_count) ||
        (!image_fit_is_doubtful(whole) && image_fit_is_changing(whole)))
        session->names.images.members.items[member].is_by_encodings = true;
    if (misfits && misfits < lane_count)
        return report_misfit(session, path, lanes, &first, "its names are not used there", err);
    bool runs = false;
    if (image_fit_is_doubtful(whole))
        status = image_fit_places(&runs, true, images, member, samples, count, err);
    if (status != STATUS_OK)
        return status;
    session->names.images.members.items[member].is_by_encodings |= runs;
    if (runs)
        return report_misfit(session, path, "", whole,
                             "its names are used where the instructions are its own", err);
    if (image_fit_is_doubtful(whole))
        return report_misfit(session, path, "", whole, "some of its names may be wrong", err);
    if (image_fit_is_changing(whole))
        return report_misfit(session, path, "", whole, "its names are not used there", err);
    return STATUS_OK;
}

// Whether the image is of a user program and the trace has a kernel's code, too, in the upper half
// of the addresses: then there may be several programs at its addresses, of which the others have
// no image here. Without a kernel, code that fits is what another program has in common with it.
static bool is_under_kernel(const struct fitting *fitting, size_t member)
{
    const struct image_set *images = &fitting->session->names.images;
    const uint64_t upper = UINT64_C(1) << 63;
    bool is_user = false, has_kernel = false;
    for (size_t i = 0; i < images->ranges.count; i++)
        is_user |=
            images->ranges.items[i].member == member && images->ranges.items[i].first < upper;
    for (size_t i = 0; i < fitting->sample_count; i++)
        has_kernel |= fitting->samples[i].address >= upper;
    return is_user && has_kernel;
}

// So many instructions that the trace and an image have in common are no chance.
enum { FITTING_INSTRUCTIONS = 8 };

// Compares the images that are not left out yet. Leaves out images of other programs and reports
// them; or, with `is_of_doubts`, only reports doubtful ones.
static enum status look_at_images(const struct fitting *fitting, bool is_of_doubts, size_t *count,
                                  struct error *err)
{
    struct session *session = fitting->session;
    const struct image_set *images = &session->names.images;
    enum status status = STATUS_OK;
    for (size_t i = 0, member = 0; status == STATUS_OK && member < images->members.count; i++) {
        struct image_fit fit;
        if (fitting->left_out[i])
            continue;
        const char *path = image_path(images->members.items[member].image);
        status =
            image_fit_compare(&fit, images, member, fitting->samples, fitting->sample_count, err);
        bool is_shared = images->members.items[member].shares_code;
        bool runs = false;
        const bool is_other = is_shared ? image_fit_is_other_build(&fit) : image_fit_is_other(&fit);
        if (status == STATUS_OK && !is_of_doubts && is_other &&
            (is_shared || is_under_kernel(fitting, member)))
            status = image_fit_places(&runs, !is_shared, images, member, fitting->samples,
                                      fitting->sample_count, err);
        session->has_fitting_image |= status == STATUS_OK && is_of_doubts && !is_other &&
                                      fit.compared >= FITTING_INSTRUCTIONS;
        if (status == STATUS_OK && is_of_doubts && !is_shared)
            status = look_for_doubts(fitting, member, &fit, err);
        else if (status == STATUS_OK && !is_of_doubts && is_other && !runs) {
            status = report_misfit(session, path, "", &fit,
                                   "its names are not used (--force-image uses them)", err);
            fitting->left_out[i] = true;
            ++*count;
        }
        member++;
    }
    return status;
}

// Whether images that do not fit are left out: not under READING_TTU, and not if they are forced.
static bool can_leave_out(const struct session *session)
{
    return session->reading == READING_TRUE && !session->forces_images &&
           session->names.images.members.count &&
           session->names.images.members.count == session->images.count;
}

// Moves position-independent images without an offset to where the trace shows that they were.
static enum status place_images(const struct fitting *fitting, struct error *err)
{
    struct session *session = fitting->session;
    struct image_set *images = &session->names.images;
    bool is_any = false;
    for (size_t i = 0; i < images->members.count; i++) {
        uint64_t offset;
        bool is_found;
        enum status status = image_place_find(images, i, fitting->in_order, fitting->sample_count,
                                              &offset, &is_found, err);
        if (status == STATUS_OK && is_found)
            status = image_set_move(images, i, offset, err);
        if (status != STATUS_OK)
            return status;
        is_any |= is_found;
    }
    return is_any ? image_programs_mark(images, err) : STATUS_OK;
}

// If an image is left out, another one may cover its addresses.
static enum status fit_images(const struct fitting *fitting, struct error *err)
{
    struct session *session = fitting->session;
    enum status status;
    for (;;) {
        size_t count = 0;
        status = look_at_images(fitting, false, &count, err);
        if (status != STATUS_OK || count == 0)
            break;
        names_free(&session->names);
        status = add_images(session, fitting->left_out, err);
        if (status == STATUS_OK)
            status = place_images(fitting, err);
        if (status != STATUS_OK)
            return status;
    }
    size_t unused = 0;
    return status == STATUS_OK ? look_at_images(fitting, true, &unused, err) : status;
}

static enum status leave_out_misfits(struct session *session, struct error *err)
{
    size_t most = LIMIT_FIT_SAMPLES; // programs that share addresses may run for short times only
    for (size_t i = 0; i < session->names.images.members.count; i++)
        most = session->names.images.members.items[i].shares_code ? LIMIT_SHARED_FIT_SAMPLES : most;
    struct fitting fitting = {.session = session,
                              .samples = calloc(most, sizeof *fitting.samples),
                              .in_order = calloc(most, sizeof *fitting.samples),
                              .left_out = calloc(session->images.count, sizeof *fitting.left_out)};
    enum status status = STATUS_MEMORY;
    if (fitting.samples && fitting.in_order && fitting.left_out) {
        fitting.sample_count =
            session->trace->kind->placing.sample(session->trace, fitting.samples, most);
        session->lacks_encodings = fitting.sample_count == 0;
        memcpy(fitting.in_order, fitting.samples, fitting.sample_count * sizeof *fitting.samples);
        status = place_images(&fitting, err);
        if (status == STATUS_OK)
            status = fit_images(&fitting, err);
    } else {
        error_set(err, status, "no memory for the images");
    }
    free(fitting.samples);
    free(fitting.in_order);
    free(fitting.left_out);
    return status;
}

static void on_frame_fault(void *self, const struct error *err)
{
    const struct session *session = self;
    if (session->listener.ignoring)
        session->listener.ignoring(session->listener.self, err->text);
}

// Without the trace, it is unknown whether images belong to its program: an index has no encodings.
static enum status report_unchecked_images(struct session *session, struct error *err)
{
    char text[480];
    if (session->trace || !can_leave_out(session))
        return STATUS_OK;
    snprintf(text, sizeof text,
             "%.120s: cannot be checked against the trace, because %.120s cannot be read",
             image_path(session->names.images.members.items[0].image), session->path);
    return report_image(session, text, err);
}

// Where two images claim the same addresses, one of them names the other's functions. The same
// image twice gives the same names; and where only headers or padding overlap, none is wrong.
static enum status report_overlaps(struct session *session, struct error *err)
{
    const struct image_set *images = &session->names.images;
    const struct image_member *first = NULL, *other = NULL;
    uint64_t lowest = 0;
    size_t count = 0;
    char text[480], more[48] = "";
    for (size_t i = 0; i < images->members.count; i++) {
        const struct image_member *member = &images->members.items[i], *found = NULL;
        uint64_t at = UINT64_MAX;
        size_t symbol_count;
        const struct symbol *symbols = symbols_all(member->symbols, &symbol_count);
        for (size_t n = 0; member->overlaps && n < symbol_count; n++) {
            uint64_t address = (symbols[n].address + member->offset) & member->address_mask;
            size_t owner_number = i;
            if (!symbols[n].is_function || (found && address >= at))
                continue;
            if (!image_set_member_at(images, address, &owner_number) || owner_number == i)
                continue;
            const struct image_member *owner = &images->members.items[owner_number];
            if ((member->offset == owner->offset &&
                 strcmp(image_path(member->image), image_path(owner->image)) == 0) ||
                image_members_alternate(member, owner))
                continue;
            found = owner;
            at = address;
        }
        if (!found || count++)
            continue;
        first = found;
        other = member;
        lowest = at;
    }
    if (!count)
        return STATUS_OK;
    if (count > 1)
        snprintf(more, sizeof more, ", and so do%s %zu other image%s", count == 2 ? "es" : "",
                 count - 1, plural(count - 1));
    snprintf(text, sizeof text,
             "%.120s and %.120s claim the same addresses (functions from 0x%" PRIx64
             " on%s); names there are those of the image given first",
             image_path(first->image), image_path(other->image), lowest, more);
    return report_image(session, text, err);
}

// Moves images apart that share addresses, once. What decides between them are encodings, unless
// the user did; so where there are none, or two images have the same code, one has the other's
// names.
static enum status tell_programs_apart(struct session *session, struct error *err)
{
    const struct image_set *images = &session->names.images;
    size_t first, other;
    char text[480];
    if (!tells_programs(session) || session->programs.hash)
        return STATUS_OK;
    enum status status = STATUS_OK;
    if (session->trace && (session->forces_images || session->lacks_encodings))
        status = report_overlaps(session, err);
    if (status == STATUS_OK)
        status = image_programs_find(&session->programs, &session->names.images,
                                     session->forces_images, err);
    session->names.has_programs = session->programs.hash != 0;
    if (status != STATUS_OK || session->forces_images || session->lacks_encodings ||
        !image_programs_alike(&session->programs, images, &first, &other))
        return status;
    snprintf(text, sizeof text,
             "%.120s and %.120s have the same code at the same addresses; names there are those of "
             "the image given first",
             image_path(images->members.items[first].image),
             image_path(images->members.items[other].image));
    return report_image(session, text, err);
}

enum status session_tell_idle_images(struct session *session, struct error *err)
{
    const struct image_set *images = &session->names.images;
    const struct index_view *view = &session->view;
    const bool is_of_index = view->index != NULL;
    struct lane_names names = {.kind = session->trace ? session->trace->kind->words.lane : "core"};
    enum status status = STATUS_OK;
    if (session->are_image_lanes_told || !session->programs.hash)
        return STATUS_OK;
    session->are_image_lanes_told = true;
    for (uint64_t i = 0; i < (is_of_index ? view->info.lanes : session->result.lane_count); i++)
        lane_names_add(&names, is_of_index ? view->lanes[i].name : session->result.lanes[i].name);
    for (size_t i = 0; i < session->programs.programs.count && status == STATUS_OK; i++) {
        const struct image_member *member =
            &images->members.items[session->programs.programs.items[i].member];
        const struct filter asked = {.lane = member->lane};
        bool is_idle = member->lane && !names.has_more;
        for (size_t k = 0; k < names.count; k++)
            is_idle &= !member->lane || strcmp(names.names[k], member->lane) != 0;
        // An index does not say which spaces there were.
        const bool is_homeless = member->space && !is_of_index && !session->is_replayed &&
                                 !(session->result.programs_at_home[i / 64] >> i % 64 & 1);
        struct error why;
        if (is_idle)
            filter_no_lane(&asked, image_path(member->image), &names, &why);
        else if (is_homeless)
            error_set(&why, STATUS_NOT_FOUND,
                      "%.120s: nothing of it runs in an address space called '%.120s'; 'trawl "
                      "doctor' lists their names",
                      image_path(member->image), member->space);
        if (is_idle || is_homeless)
            status = report_image(session, why.text, err);
    }
    return status;
}

// The meaning of times with a point, which depends on the trace.
static enum status find_typed_times(struct session *session, struct error *err)
{
    struct trace *trace = session->trace;
    struct call_range *range = &session->filter.range;
    const char *typed = session->typed_times;
    uint64_t first, hz = trace_frequency_hz(trace);
    struct value_range times;
    enum time_points points = trace_time_points(trace);
    if (points == TIME_POINTS_NONE)
        return error_set(err, STATUS_INPUT,
                         "--time '%.80s': times of this trace are whole %s, without a point, a "
                         "plus or a unit",
                         typed, trace_tick_unit(trace));
    bool is_valid = points == TIME_POINTS_SECONDS ? parse_seconds_range(typed, &times)
                                                  : parse_time_range(typed, &times);
    if (!is_valid)
        return error_set(err, STATUS_INPUT,
                         "--time '%.80s': expected times with up to %s digits after the point",
                         typed, points == TIME_POINTS_SECONDS ? "nine" : "six");
    if (points == TIME_POINTS_MILLIONTHS) {
        range->first_time = times.first;
        range->last_time = times.last;
        return STATUS_OK;
    }
    enum status status = trace_first_time(trace, &first, err);
    if (status != STATUS_OK)
        return status;
    if (__builtin_add_overflow(first, ticks_from_ns(times.first, hz), &range->first_time))
        range->first_time = UINT64_MAX;
    if (times.last == UINT64_MAX ||
        __builtin_add_overflow(first, ticks_to_ns(times.last, hz), &range->last_time))
        range->last_time = UINT64_MAX;
    return STATUS_OK;
}

enum status session_make_ready(struct session *session, struct error *err)
{
    struct trace *trace = session->trace;
    if (!trace || session->is_ready || !trace->kind->open)
        return STATUS_OK;
    session->is_ready = true;
    enum status status = trace->kind->open(trace, &session->names.images, err);
    if (status == STATUS_OK && session->typed_times)
        status = find_typed_times(session, err);
    if (status == STATUS_OK && trace->kind->placing.sample && can_leave_out(session))
        status = leave_out_misfits(session, err);
    if (status == STATUS_OK)
        status = tell_programs_apart(session, err);
    // The calls of the reference do not depend on images, and other kinds of traces record calls.
    // Images that are forced only supply names.
    bool wants_functions = session->reading == READING_TRUE && !session->forces_images &&
                           session->names.images.members.count &&
                           trace_can(trace, TRACE_INFERRED | TRACE_CALLS) &&
                           !session->functions.entry_count;
    const struct frame_functions_faults faults = {session, on_frame_fault};
    if (status == STATUS_OK && wants_functions)
        status = image_functions_find(&session->functions, &session->names.images, &faults, err);
    if (status == STATUS_OK && session->functions.hash)
        session->functions.hash ^= session->programs.hash;
    return status == STATUS_OK && trace->is_checked ? session_report_damage(session, err) : status;
}

// Parses the key that tells tasks apart, when the addresses of symbols are known.
static enum status find_task_key(struct session *session, struct error *err)
{
    if (session->task_key || !session_can(session, TRACE_TASKS))
        return STATUS_OK;
    if (session->os && !session->task_key_expression) { // the key of a system that was named
        const struct os_system *system;
        size_t at = 0;
        enum status status =
            os_find(&session->os_table, &session->names, session->os, &system, err);
        if (status != STATUS_OK)
            return status;
        const struct os_line *line =
            system ? os_next(&session->os_table, system, OS_TASK_KEY, NULL, &at) : NULL;
        session->task_key_expression = line ? line->expression : NULL;
    }
    if (!session->task_key_expression)
        return STATUS_OK;
    session->task_key = malloc(sizeof *session->task_key);
    if (!session->task_key)
        return error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    return session_task_key_parse(session->task_key, session->task_key_expression, &session->names,
                                  err);
}

enum status session_open_images(struct session *session, struct error *err)
{
    struct trace *trace = session->trace;
    enum status status = session->reading == READING_TRUE ? expand_lists(session, err) : STATUS_OK;
    if (status == STATUS_OK)
        status = add_images(session, NULL, err);
    if (status == STATUS_OK)
        status = report_unchecked_images(session, err);
    if (status == STATUS_OK)
        status = session_make_ready(session, err);
    if (status == STATUS_OK && !trace)
        status = tell_programs_apart(session, err);
    if (status == STATUS_OK && trace && trace->kind->placing.move)
        status = trace->kind->placing.move(trace, &session->names.images, err);
    if (status == STATUS_OK && session->reading == READING_TRUE &&
        session_can(session, TRACE_ADDRESSES))
        status = report_overlaps(session, err);
    if (status == STATUS_OK && trace && trace->kind->ids)
        status = trace->kind->ids->number_objects(trace, session->names.id_names, err);
    if (status == STATUS_OK && trace)
        status = find_task_key(session, err);
    image_memory_free(&session->image_memory);
    // Without the trace, or if images are forced, it is not known that they fit.
    if (status == STATUS_OK && session->reading == READING_TRUE && trace &&
        !session->forces_images && !session->ignores_image_memory)
        status = image_memory_find(&session->image_memory, &session->names.images, err);
    return status;
}

void session_use_image_memory(struct session *session)
{
    session->view.images = session->image_memory.parts.count ? &session->image_memory : NULL;
}

// --- The filter ----------------------------------------------------------------------------------

bool session_root(const struct session *session, const struct lane_result *lane, struct call *root)
{
    bool is_idle = !lane->has_root && session->result.lane_count > 1;
    if (is_idle || !lane->nodes || !filter_takes_lane(&session->filter, lane->name))
        return false;
    *root = (struct call){.entry = lane->root, .exit = lane->last};
    // Without any instruction, the reference shows node zero without contents.
    if (!lane->has_root)
        root->entry = root->exit = (struct node_ref){.line = session->result.header_lines};
    if (session->reading == READING_TTU) // it has no ranges, and may have decreasing times
        return true;
    return clip_nodes(&lane->clip, &root->entry, &root->exit, &root->is_clipped);
}

bool session_takes_event(const struct session *session, const struct trawl_event *about)
{
    bool is_snapshot = index_view_has_snapshots(&session->view);
    return call_range_has(&session->filter.range, about->time,
                          is_snapshot ? about->event : about->in_lane);
}

bool session_knows_address(struct session *session, const char *text, struct typed_address *address)
{
    struct point_names known = {.names = &session->names};
    const struct expression_names names = point_names(&known);
    const struct expression_registers nothing = {.self = NULL};
    struct expression expression;
    struct error err;
    if (!address->is_looked_up)
        address->is_known =
            session_can(session, TRACE_ADDRESSES) &&
            expression_parse(&expression, text, strlen(text), &names, &err) == STATUS_OK &&
            expression_evaluate(&expression, &nothing, &address->value, &err) == STATUS_OK;
    address->is_looked_up = true;
    return address->is_known;
}

bool session_takes_function(struct session *session, uint64_t pc)
{
    const char *wanted = session->filter.function;
    struct typed_address *address = &session->filter.function_address;
    return !wanted || names_is_called(&session->names, pc, wanted) ||
           (session_knows_address(session, wanted, address) &&
            (((pc ^ address->value) & ~UINT64_C(1)) == 0 ||
             (session->names.has_programs && !pc_has_program(address->value) &&
              !pcs_differ(pc, address->value))));
}
