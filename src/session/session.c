#include "session/session.h"

#include "cli/values.h"
#include "trace/open.h"

#include <stdlib.h>

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

void session_close(struct session *session)
{
    if (session->trace && session->names.index == session->trace->index)
        session->names.index = NULL;
    trace_close(session->trace);
    session->trace = NULL;
    pass_result_free(&session->result);
}

void session_free(struct session *session)
{
    index_view_close(&session->view);
    free(session->view_path);
    session_close(session);
    names_free(&session->names);
    free(session->images.items);
}

bool session_can(const struct session *session, unsigned abilities)
{
    return !session->trace || trace_can(session->trace, abilities);
}

// --- Opening -------------------------------------------------------------------------------------

enum status session_open_trace(struct session *session, struct error *err)
{
    enum status status = trace_open(&session->trace, session->path, session->reading, err);
    if (status != STATUS_OK) {
        session->trace_error = *err;
        return status;
    }
    session->trace->options = (struct trace_options){
        .reading = session->reading,
        .byte_order = session->byte_order,
        .threads = session->threads,
    };
    session->trace->progress = session->progress;
    session->trace->meter = session->meter;
    return STATUS_OK;
}

enum status session_report_damage(struct session *session, struct error *err)
{
    const struct trace *trace = session->trace;
    trace_fault_text *text_of = trace->kind->fault_text;
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

enum status session_make_ready(struct session *session, struct error *err)
{
    struct trace *trace = session->trace;
    if (!trace || session->is_ready || !trace->kind->open)
        return STATUS_OK;
    session->is_ready = true;
    enum status status = trace->kind->open(trace, &session->names.images, err);
    return status == STATUS_OK && trace->is_checked ? session_report_damage(session, err) : status;
}

static enum status add_image(struct session *session, const char *argument, struct error *err)
{
    enum status status = names_add_image(&session->names, argument, err);
    if (status == STATUS_OK || status == STATUS_MEMORY || session->reading == READING_RIGHT)
        return status;
    return error_set(err, status, "Cannot open ELF file \"%s\"", argument);
}

enum status session_open_images(struct session *session, struct error *err)
{
    struct trace *trace = session->trace;
    struct name_options options = session->name_options;
    options.ids = trace ? trace->kind->ids : NULL;
    options.demangle |= options.ids && !options.keeps_mangled;
    options.is_arm = session_can(session, TRACE_ARM);
    names_init(&session->names, &options);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < session->images.count && status == STATUS_OK; i++)
        status = add_image(session, session->images.items[i], err);
    if (status == STATUS_OK)
        status = session_make_ready(session, err);
    if (status == STATUS_OK && trace && trace->kind->move_images)
        status = trace->kind->move_images(trace, &session->names.images, err);
    if (status == STATUS_OK && trace && trace->kind->number_objects)
        status = trace->kind->number_objects(trace, session->names.id_names, err);
    return status;
}

// --- The filter ----------------------------------------------------------------------------------

bool session_root(const struct session *session, const struct lane_result *lane, struct call *root)
{
    bool is_idle = !lane->has_root && session->result.lane_count > 1;
    if (is_idle || !lane->nodes || !filter_takes_lane(&session->filter, lane->name))
        return false;
    *root = (struct call){.entry = lane->root, .exit = lane->last};
    // Without any instruction the reference shows node zero of nothing.
    if (!lane->has_root)
        root->entry = root->exit = (struct node_ref){.line = session->result.header_lines};
    if (session->reading == READING_TTU) // which has no ranges, and may have times that fall
        return true;
    return clip_nodes(&lane->clip, &root->entry, &root->exit, &root->is_clipped);
}

bool session_takes_event(const struct session *session, const struct trawl_event *about)
{
    bool is_snapshot = index_view_has_snapshots(&session->view);
    return call_range_has(&session->filter.range, about->time,
                          is_snapshot ? about->event : about->in_lane);
}

bool session_takes_function(struct session *session, uint64_t pc)
{
    const char *wanted = session->filter.function;
    uint64_t address;
    if (!wanted)
        return true;
    if (session_can(session, TRACE_ADDRESSES) && strncmp(wanted, "0x", 2) == 0 &&
        parse_u64(wanted, &address))
        return ((pc ^ address) & ~UINT64_C(1)) == 0;
    return names_is_called(&session->names, pc, wanted);
}
