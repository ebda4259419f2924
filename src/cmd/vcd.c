// vcd: the trace as a Value Change Dump, for waveform viewers.
#include "base/limits.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/fst.h"
#include "cmd/option_rows.h"

#include "cli/values.h"
#include "export/vcd_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OPTION_DATE = OPTION_OWN,
    OPTION_NO_DATE,
    OPTION_TRACE_TIMES,
    OPTION_REGISTERS,
};

struct vcd {
    struct command common;
    struct call_list list;
    struct call_range range; // what is shown; calls are matched over the whole trace
    bool with_date, by_trace_times, with_named;
    struct register_names named; // that the trace names, if they are shown
    char *own_output;            // the reference's TRACE.vcd; NULL if not needed
};

static int take_own(void *self, struct options_parser *parser, int option,
                    const struct option_match *match)
{
    struct vcd *vcd = self;
    switch (option) {
    case OPTION_REGISTERS:
        vcd->with_named = strcmp(match->value, "all") == 0;
        return vcd->with_named || strcmp(match->value, "core") == 0
                   ? OPTION_END
                   : options_bad_value(parser, match, "core or all");
    case OPTION_TRACE_TIMES:
        vcd->by_trace_times = true;
        return OPTION_END;
    default:
        vcd->with_date = option == OPTION_DATE;
        return OPTION_END;
    }
}

static bool add_lanes(struct vcd *vcd, struct vcd_writer *writer)
{
    struct command *command = &vcd->common;
    for (size_t i = 0; i < command->session.result.lane_count; i++) {
        const struct lane_result *lane = &command->session.result.lanes[i];
        struct call root;
        bool is_shown = session_root(&command->session, lane, &root);
        if (!vcd_writer_add_lane(writer, lane, is_shown ? &root.entry : NULL, &vcd->list))
            return false;
    }
    return true;
}

// The registers that the trace names must be known before the file begins.
static bool find_named(struct vcd *vcd)
{
    const struct segment_consumer consumer = {.segment_events = VCD_SEGMENT_EVENTS,
                                              .names = &vcd->named};
    struct error err;
    if (!vcd->with_named)
        return true;
    if (command_pass_again(&vcd->common, &consumer, &err) != STATUS_OK)
        return command_fail(&vcd->common, &err);
    if (vcd->named.refused_writes)
        diag_warning(
            &vcd->common.diag, "%s: more than %d registers are named; %" PRIu64 " line%s left out",
            vcd->common.session.path, LIMIT_NAMED_REGISTERS, vcd->named.refused_writes,
            vcd->named.refused_writes == 1 ? " that writes others is" : "s that write others are");
    return true;
}

static bool write_file(struct vcd *vcd, struct vcd_writer *writer)
{
    struct command *command = &vcd->common;
    struct error err;
    vcd_writer_begin(writer);
    const struct segment_consumer consumer = vcd_writer_consumer(writer);
    if (command_pass_again(command, &consumer, &err) != STATUS_OK) {
        // The output has the reason of a failed write.
        if (err.status == STATUS_IO && out_failed(&command->out)) {
            command->has_output = false;
            out_close(&command->out, &err);
        }
        return command_fail(command, &err);
    }
    command->session.filter.range = vcd->range;
    if (!command_require_shown(command, vcd_writer_has_shown(writer)))
        return false;
    vcd_writer_end(writer);
    return command_end(command);
}

static void warn_of_time(uint64_t time)
{
    fprintf(stderr,
            "Warning: time is not increasing strictly monotonically between instructions at time "
            "%" PRIu64 ". You should consider *not* using option --use-tarmac-timestamps.\n",
            time);
}

static bool write_vcd(struct vcd *vcd)
{
    struct command *command = &vcd->common;
    const struct index_policy *index = &command->session.index;
    const uint64_t most = index->segment_events_max ? index->segment_events_max : UINT64_MAX;
    const struct vcd_options options = {
        .how = {.reading = command->session.reading,
                .implicit_state = command->session.implicit_thumb,
                .prefix = command->session.prefix},
        .by_trace_times = vcd->by_trace_times,
        .with_date = vcd->with_date,
        .range = vcd->range,
        .registers = command->session.trace->kind->registers,
        .named = vcd->with_named ? &vcd->named : NULL,
        .segment_events = (uint32_t)(index->segment_events
                                         ? u64_min(index->segment_events, LIMIT_VCD_SEGMENT_EVENTS)
                                         : u64_min(VCD_SEGMENT_EVENTS, most)),
        .source = command->session.trace->source,
        .time_stands_still = warn_of_time,
    };
    if (!command_output(command))
        return false;
    struct vcd_writer *writer = vcd_writer_new(&options, &command->session.names, &command->out);
    bool is_done =
        writer && add_lanes(vcd, writer) ? write_file(vcd, writer) : command_no_memory(command);
    vcd_writer_free(writer);
    if (!is_done)
        command_abandon(command);
    return is_done;
}

static bool report(void *self)
{
    struct vcd *vcd = self;
    struct command *command = &vcd->common;
    const struct session *session = &command->session;
    const struct call_consumer consumer = call_list_consumer(&vcd->list);
    struct error err;
    vcd->range = session->filter.range;
    command->session.filter.range = CALL_RANGE_ALL;
    if (!command_pass(command, &consumer, NULL) || !find_named(vcd))
        return false;
    if (session->result.lane_count > LIMIT_VCD_LANES)
        return command_fail_with(
            command, STATUS_LIMIT,
            "%s: has %zu cores; waveforms hold at most %d. 'trawl export --table registers "
            "--lane NAME' has those of one",
            session->path, session->result.lane_count, LIMIT_VCD_LANES);
    // Writes through another program if the name of the output requests it.
    bool is_fst =
        session->reading == READING_TRUE && command->output && fst_is_name(command->output);
    if (is_fst && fst_open(command->output, &command->output_fd, &err) != STATUS_OK)
        return command_fail(command, &err);
    bool is_whole = write_vcd(vcd);
    if (is_fst && fst_close(is_whole, &err) != STATUS_OK)
        return command_fail(command, &err);
    return is_whole;
}

// Finds the file to which the reference writes, or reports an error.
static bool check(void *self, struct options_parser *parser)
{
    struct vcd *vcd = self;
    struct command *command = &vcd->common;
    if (command->session.reading == READING_TRUE || command->output)
        return true;
    if (asprintf(&vcd->own_output, "%s.vcd", command->session.path) < 0) {
        vcd->own_output = NULL;
        command_no_memory(command);
        parser->status = command->status;
        return false;
    }
    command->output = vcd->own_output;
    return true;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct vcd vcd = {.with_date = self->option_set == OPTIONS_TTU};
    command_begin(&vcd.common, self);
    vcd.common.session.needs_trace = true;
    vcd.common.session.keeps_open_calls = self->option_set == OPTIONS_TRAWL;
    enum exit_status status = command_run(&vcd.common, argc, argv,
                                          &(struct command_steps){&vcd, take_own, check, report});
    free(vcd.own_output);
    call_list_free(&vcd.list);
    register_names_free(&vcd.named);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_REGISTERS, 0, "registers", "SET",
     "core (default), or all, which adds the system and banked registers that the trace names and "
     "takes one more pass over the trace"},
    {OPTION_TRACE_TIMES, 0, "use-tarmac-timestamps", NULL,
     "use the times of the trace; by default events are counted, so that events at the same time "
     "can be distinguished"},
    {OPTION_DATE, 0, "date", NULL, NULL},
    {ROW_HIDDEN_SEGMENT_EVENTS}, // for our tests: must not show
    {0},
};

static const struct option_spec ttu_own_options[] = {
    {OPTION_OUTPUT, 'o', "output", "VCDFILE", "VCD file name (default: tarmac_filename.vcd)"},
    {OPTION_NO_DATE, 0, "no-date", NULL, "Do not emit the date field in the vcd file"},
    {OPTION_TRACE_TIMES, 0, "use-tarmac-timestamps", NULL,
     "Use the instructions' timestamps from the tarmac trace."},
    {0},
};

const struct command_spec vcd_command = {
    .name = "vcd",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_INSTRUCTIONS,
    .describe_input = trace_inputs_describe,
    .summary = "registers, instructions and memory as waveforms",
    .description =
        "Writes waveforms for viewers such as GTKWave. Each core has a scope with its registers, "
        "the function and the instruction that it executes, and its memory accesses. The trace is "
        "read twice, so it must be a file. If the FILE of -o ends in .fst, GTKWave's vcd2fst, "
        "which must be installed, makes a file that is a tenth as large and opens at once.\n"
        "Event N is at time 1000 * N; accesses of one event follow within its 1000 steps.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", filter_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, reading_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){{"TRACE", "{input}, a file", NULL, false, false}, {0}},
    .examples = "trawl vcd --image prog.elf -o run.vcd run.tarmac\n"
                "trawl vcd --image prog.elf -o run.fst run.tarmac\n"
                "trawl vcd --lane cpu0 --time 5000..6000 -o part.vcd run.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};

const struct command_spec tarmac_vcd_command = {
    .name = "tarmac-vcd",
    .option_set = OPTIONS_TTU,
    .groups =
        (const struct option_group[]){
            {"options", ttu_options}, {NULL, ttu_no_offsets_options}, {NULL, ttu_own_options}, {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};
