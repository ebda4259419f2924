// browse: the trace on a terminal, with the state at the position (src/browse, src/tui).
#include "browse/browser.h"
#include "cmd/browsing.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/other_run.h"
#include "flow/replay.h"
#include "query/doubt_text.h"
#include "session/index_file.h"
#include "session/passes.h"
#include "tui/tui.h"

#include "base/thread.h"
#include "cmd/trace_listener.h"
#include "session/session_index.h"
#include "session/view_filter.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    OPTION_COLOUR = OPTION_OWN,
    OPTION_NO_COLOUR,
    OPTION_SOURCE,
    OPTION_SOURCE_MAP,
};

// For the message that something that is not a file cannot be browsed.
#define BROWSED "browsed"

// The trace that is shown next to the first.
struct second {
    struct session session;
    struct browse_source source;
    struct timeline timeline;
    struct browser browser;
};

struct browse {
    struct command common;
    struct second second; // if there is one
    bool has_debug;       // debug output while the index is built goes to standard output
    struct tui_options how;
    char misfit[400]; // what is wrong with an index that is used anyway, or was lost; "": nothing
    char image_misfit[800]; // likewise for an image
    struct tui *tui;        // NULL: not open yet
    struct source_search sources;
    struct browse_build *build; // of the index; NULL: it exists
    struct text_view text;
    bool has_all_text; // of the trace; otherwise only its beginning
    bool has_moved;    // the user moved in the text before there was an index
    uint64_t offset;   // to here
    struct settings settings;
    struct error settings_fault; // STATUS_OK: there is none
};

static bool has_second(const struct browse *browse)
{
    return other_run_path(&browse->common) != NULL;
}

// Goes to the place on the command line, or to the current place in the text, or to the interesting
// one, if that is known yet and no other trace begins beside it.
static void find_place(const struct browse *browse, struct browser *browser)
{
    const struct command *command = &browse->common;
    struct timeline *timeline = browser->timeline;
    if (command->lane != TRAWL_ANY_LANE)
        browser_show_lane(browser, (size_t)command->lane + 1);
    if (command->at || command->lane != TRAWL_ANY_LANE)
        browser_begin_at(browser, command->at ? command->event : timeline_next(timeline, 0));
    else if (browse->has_moved)
        browser_go_to_offset(browser, browse->offset);
    else if (!browser->is_plain && !browser->source->growth && !has_second(browse))
        browser_begin_where_it_matters(browser);
}

// --- Two traces ----------------------------------------------------------------------------------

// `self` is the browse, or its command, which is its first member.
static void on_image_misfit(void *self, const char *text)
{
    _Static_assert(offsetof(struct browse, common) == 0, "begins with its command");
    struct browse *browse = self;
    size_t length = strlen(browse->image_misfit);
    snprintf(browse->image_misfit + length, sizeof browse->image_misfit - length, "%s%s",
             length ? "; " : "", text);
}

// Shows in one line what makes the answers doubtful, of images and of the trace.
static void tell_doubts(struct browse *browse, const struct session *session,
                        struct browser *browser)
{
    char *text = browse->image_misfit;
    struct doubts doubts;
    struct error err;
    if (session->reading == READING_TTU || !session->view.index ||
        replay_doubts(session->view.index, &doubts, &err) != STATUS_OK)
        doubts = (struct doubts){0};
    for (enum doubt_kind kind = 0; kind < DOUBT_KINDS; kind++) {
        char what[DOUBT_TEXT_BYTES];
        const char *effect, *advice;
        size_t length = strlen(text);
        if (!doubts.of[kind].count)
            continue;
        doubt_describe(session->trace, kind, &doubts.of[kind], what, &effect, &advice);
        snprintf(text + length, sizeof browse->image_misfit - length, "%s%s: %s",
                 length ? "; " : "", what, effect);
    }
    if (*text)
        browser_tell(browser, text);
    *text = 0; // once
}

static enum status open_second(void *self, struct error *err)
{
    struct browse *browse = self;
    const struct command *command = &browse->common;
    struct session *session = &browse->second.session;
    if (session->view.index)
        return STATUS_OK;
    if (!session->path && other_run_open(session, command->others.items, err) != STATUS_OK)
        return err->status;
    session->listener = (struct session_listener){.self = browse, .image_misfit = on_image_misfit};
    return browsing_open_other(session, &command->session, BROWSED, err);
}

static enum status begin_second(struct browse *browse, const struct browser *first,
                                struct error *err)
{
    struct second *second = &browse->second;
    browse_source_open(&second->source, &second->session);
    enum status status = timeline_open(&second->timeline, &second->session.view, err);
    if (status == STATUS_OK)
        status = browser_open(&second->browser, &second->source, &second->timeline, false, err);
    second->browser.threads = first->threads;
    second->browser.source_search = first->source_search;
    second->browser.has_indentation = !browse->settings.has_no_indentation;
    return status;
}

// --- Text where there is no index ----------------------------------------------------------------

// Quitting before the index is complete leaves none.
static _Noreturn void quit(struct browse *browse)
{
    tui_close(browse->tui);
    _exit(EXIT_STATUS_DONE); // the thread that builds cannot be waited for
}

// Whether there is more to show than the text.
static bool is_known(void *self)
{
    struct browse *browse = self;
    struct error err;
    if (!browse->has_all_text) // failures are reported with the index
        browse_build_text(browse->build, &browse->text.lines, &browse->has_all_text, &err);
    return browse_build_is_over(browse->build) ||
           text_view_bottom(&browse->text) <= browse_build_known_bytes(browse->build);
}

// Shows the text until an index covers what is on the screen.
static enum status show_text(struct browse *browse, struct error *err)
{
    struct browse_build *build = browse->build;
    enum status status = tui_show_text(browse->tui, &browse->text, is_known, browse, err);
    if (browse->text.is_done && !browse_build_is_over(build))
        quit(browse);
    browse->has_moved = browse->text.has_moved;
    browse->offset = browse->text.top;
    return status;
}

// Shows the text after the end of the current index, until an index covers what is on the screen.
static enum status go_on_in_text(struct browse *browse, struct pair *pair, struct error *err)
{
    struct growth *growth = &browse->build->growth;
    struct browser *browser = pair->sides[0];
    growth->wants_text = false;
    if (growth->goes_to_end)
        text_view_go_to_end(&browse->text);
    else
        text_view_go_on(&browse->text, growth->text_bytes);
    enum status status = show_text(browse, err);
    pair_tick(pair); // uses the new index
    if (status == STATUS_OK)
        browser_go_to_offset(browser, browse->offset);
    return status;
}

static enum status show(struct browse *browse, struct browser *browser, struct error *err)
{
    struct pair pair;
    pair_open(&pair, browser, has_second(browse) ? &browse->second.browser : NULL);
    enum status status = tui_browse(browse->tui, &pair, err);
    while (status == STATUS_OK && pair_wants_text(&pair)) {
        status = go_on_in_text(browse, &pair, err);
        if (status == STATUS_OK)
            status = tui_browse(browse->tui, &pair, err);
    }
    pair_close(&pair);
    return status;
}

static enum status browse_with(struct browse *browse, struct session *session,
                               struct timeline *timeline, struct growth *growth, struct error *err)
{
    struct browse_source source;
    struct browser browser;
    browse_source_open(&source, session);
    source.growth = growth;
    enum status status = browser_open(&browser, &source, timeline, browse->how.is_plain, err);
    browser.threads = session->threads;
    browser.source_search = &browse->sources;
    if (status == STATUS_OK && has_second(browse))
        status = begin_second(browse, &browser, err);
    if (status == STATUS_OK && !browse->tui)
        status = tui_open(&browse->tui, &browse->how, err);
    if (status == STATUS_OK) {
        find_place(browse, &browser);
        if (!browse->how.is_plain) {
            // Applies the settings, and reads stored marks.
            const struct settings *settings = &browse->settings;
            browser.has_indentation = !settings->has_no_indentation;
            for (const char *key = settings->keys; *key; key++)
                browser_key(&browser, (uint8_t)*key);
            browser_read_marks(&browser);
            if (browse->settings_fault.status != STATUS_OK)
                browser_tell(&browser, browse->settings_fault.text);
        }
        tell_doubts(browse, session, &browser);
        if (browse->misfit[0])
            browser_tell(&browser, browse->misfit);
        status = show(browse, &browser, err);
    }
    if (has_second(browse)) {
        browser_close(&browse->second.browser);
        timeline_close(&browse->second.timeline);
    }
    browser_close(&browser);
    return status;
}

// `growth`: of the index; NULL: it covers the whole trace.
static enum status browse_session(struct browse *browse, struct session *session,
                                  struct growth *growth, struct error *err)
{
    struct timeline timeline;
    enum status status = browsing_check_trace(session, BROWSED, err);
    if (status != STATUS_OK)
        return status;
    status = timeline_open(&timeline, &session->view, err);
    if (status == STATUS_OK)
        status = browse_with(browse, session, &timeline, growth, err);
    timeline_close(&timeline);
    tui_close(browse->tui);
    browse->tui = NULL;
    return status;
}

// Whether the known part of the trace includes the place where to begin.
static bool find_known_place(struct browse *browse, uint64_t known_events)
{
    struct command *command = &browse->common;
    struct session *known = &browse->build->known;
    struct point_names symbols = {.names = &known->names, .index = NULL, .isa = 0};
    const struct expression_names names = point_names(&symbols);
    struct position position;
    struct error err;
    known->filter.lane = command->session.filter.lane;
    if (session_find_lane(known, &command->lane, &err) != STATUS_OK)
        return false;
    return !command->at ||
           (file_position_parse(&position, command->at, &names, known->trace, &err) == STATUS_OK &&
            point_of(&known->view, &position, command->lane, &command->event, &err) == STATUS_OK &&
            (command->event == TRAWL_START || command->event < known_events));
}

// Browses the known part of the trace while the rest is being read. False: nothing can be shown
// yet, or not the place where to begin.
static bool browse_known(struct browse *browse, enum status *status, struct error *err)
{
    struct browse_build *build = browse->build;
    struct growth *growth = &build->growth;
    struct index_view fresh;
    enum index_turn turn = growth->look(growth->self, false, &fresh);
    *status = STATUS_OK;
    if (turn == INDEX_STAYS)
        build->cannot_know = true;
    if (turn != INDEX_HAS_GROWN && turn != INDEX_IS_WHOLE)
        return turn == INDEX_FAILED;
    session_take_view(&build->known, &fresh);
    if ((browse->common.at || browse->common.session.filter.lane) &&
        (turn == INDEX_IS_WHOLE || !find_known_place(browse, growth->known_events))) {
        build->too_few_bytes = growth->text_bytes;
        return false;
    }
    *status = browse_session(browse, &build->known, turn == INDEX_HAS_GROWN ? growth : NULL, err);
    if (*status == STATUS_OK && !browse_build_is_over(build))
        quit(browse);
    return true;
}

// Before the screen is drawn, or at the end.
static enum status close_debug(struct browse *browse, struct error *err)
{
    if (!browse->has_debug)
        return STATUS_OK;
    browse->has_debug = false;
    return out_close(&browse->common.debug, err);
}

static bool answer(void *self)
{
    struct browse *browse = self;
    struct error err;
    return (close_debug(browse, &err) == STATUS_OK &&
            browse_session(browse, &browse->common.session, NULL, &err) == STATUS_OK) ||
           command_fail(&browse->common, &err);
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct browse *browse = self;
    if (option == OPTION_POSITIONAL)
        return other_run_take(&browse->common, parser, match);
    if (option != OPTION_SOURCE && option != OPTION_SOURCE_MAP) {
        browse->how.has_colour = option == OPTION_COLOUR;
        return OPTION_END;
    }
    return browsing_take_source(&browse->sources, parser, match, option == OPTION_SOURCE_MAP);
}

// --- Text before there is an index ---------------------------------------------------------------

// Nothing is printed over the screen: damage is reported from the index, at the end.
static void on_advanced(void *self, const struct source_chunk *chunk)
{
    progress_add(self, chunk->size_bytes);
}

static void on_misfit(void *self, const struct index_file *file)
{
    struct browse *browse = self;
    index_file_describe(file, browse->common.session.path, browse->misfit, sizeof browse->misfit);
}

// The index may have had the only names.
static void on_index(void *self, const struct index_file *file, const char *what_follows)
{
    (void)what_follows;
    if (index_fit_is_lost(file->fit))
        on_misfit(self, file);
}

static void on_other_functions(void *self, const char *text)
{
    struct browse *browse = self;
    if (!browse->misfit[0])
        snprintf(browse->misfit, sizeof browse->misfit, "%s", text);
}

static void on_text(void *self)
{
    struct browse *browse = self;
    if (browse->build)
        browse->build->has_text = true;
}

// Shows the text from the beginning.
static enum status begin_with_text(struct browse *browse, struct error *err)
{
    struct browse_build *build = browse->build;
    struct text_view *text = &browse->text;
    enum status status = tui_open(&browse->tui, &browse->how, err);
    if (status != STATUS_OK)
        return status;
    struct trace_lines lines;
    status = browse_build_text(build, &lines, &browse->has_all_text, err);
    if (status != STATUS_OK)
        return status;
    text_view_open(text, build->session->path, build->session->trace, &lines, &build->growth);
    return show_text(browse, err);
}

// Opens the index in the background, and meanwhile shows what is known. False: the user has quit,
// for which command->status is EXIT_STATUS_DONE, or it failed.
static bool open_view(struct browse *browse)
{
    struct command *command = &browse->common;
    struct session *session = &command->session;
    struct browse_build build;
    struct error err;
    enum status shown = STATUS_OK;
    bool is_shown = false;
    browse_build_begin(&build, session, &command->progress, !has_second(browse));
    build.self = browse;
    build.then = has_second(browse) ? open_second : NULL;
    browse->second.session.pauses = &build.pauses;
    browse->build = &build;
    browse_build_start(&build);
    const bool is_seen = isatty(STDOUT_FILENO); // otherwise nobody could see the text
    // An index that fits is open before anything else could be shown; and a compressed trace is
    // only decompressed if none does.
    enum { WAIT_MS = 60, LOOK_MS = 2, ENOUGH_BYTES = 1 << 16 };
    const struct timespec pause = {0, LOOK_MS * 1000000};
    bool has_text = false;
    for (int i = 0; is_seen && (i < WAIT_MS / LOOK_MS || !has_text) && !build.has_ended; i++) {
        has_text =
            build.has_text || source_view_so_far(session->trace->source).size_bytes >= ENOUGH_BYTES;
        nanosleep(&pause, NULL);
    }
    if (is_seen && !build.has_ended) {
        shown = begin_with_text(browse, &err);
        while (shown == STATUS_OK && !browse_build_is_over(&build) && !is_shown) {
            is_shown = browse_known(browse, &shown, &err);
            if (!is_shown)
                shown = show_text(browse, &err);
        }
    }
    browse_build_join(&build);
    bool is_good = shown == STATUS_OK && build.status == STATUS_OK;
    if (!is_good) {
        tui_close(browse->tui);
        browse->tui = NULL;
    }
    struct error why = build.err;
    enum status built = build.status;
    browse->build = NULL;
    browse->second.session.pauses = NULL;
    browse_build_end(&build);
    command->asks_index = is_shown; // whose index can be built again
    if (shown != STATUS_OK)
        return command_fail(command, &err);
    browse->common.is_damaged = built == STATUS_DAMAGED && session->is_rebuildable;
    if (browse->common.is_damaged || !command_passed(command, built, &why))
        return false;
    command->status = EXIT_STATUS_DONE;
    return !is_shown;
}

// Shows what is known of the trace while its index is built.
static bool browse_at_once(struct browse *browse)
{
    struct command *command = &browse->common;
    struct session *session = &command->session;
    struct error err;
    if (!command_detect(command))
        return false;
    session->listener.image_misfit = on_image_misfit; // it is shown on the screen
    if (!command_open_images(command))
        return false;
    if (browsing_check_trace(session, BROWSED, &err) != STATUS_OK)
        return command_fail(command, &err);
    command->session.listener = (struct session_listener){
        .self = browse,
        .pass = {.self = &command->progress, .advanced = on_advanced},
        .about_index = on_index,
        .misfit = on_misfit,
        .image_misfit = on_image_misfit,
        .other_functions = on_other_functions,
        .text_is_at_hand = on_text,
    };
    command->session.meter = METER_OFF;
    for (;;) {
        bool is_done = false;
        command->uses_memory = true;
        command->is_damaged = false;
        if (open_view(browse)) {
            command->asks_index = true;
            if (session_find_lane(session, &command->lane, &err) != STATUS_OK)
                command_fail(command, &err);
            else
                is_done =
                    (!command->at || query_point(command, "--at", command->at, &command->event)) &&
                    answer(browse);
        } else if (!command->is_damaged && command->status == EXIT_STATUS_DONE) {
            is_done = true;
        }
        command->asks_index = true;
        if (!command->is_damaged)
            return is_done && command_end(command);
        session_forsake_view(session, STATUS_DAMAGED);
    }
}

static bool open_and_run(struct browse *browse)
{
    struct error err;
    struct command *command = &browse->common;
    if (!browse->how.is_plain && command->session.index.use != INDEX_ONLY)
        return browse_at_once(browse);
    if (browsing_open_as_reference(command, &err) != STATUS_OK)
        return command_fail(command, &err);
    if (command->debug_calls &&
        out_open_fd(&command->debug, STDOUT_FILENO, "standard output", &err) != STATUS_OK)
        return command_fail(command, &err);
    browse->has_debug = command->debug_calls;
    command->asks_index = true;
    if (command_open_images(command))
        command_report(command, answer, browse);
    return close_debug(browse, &err) == STATUS_OK || command_fail(command, &err);
}

// Their directories come after those of the command line.
static bool add_sources(struct browse *browse)
{
    const struct settings *settings = &browse->settings;
    struct source_search *search = &browse->sources;
    if (!VEC_ROOM(&search->directories, settings->sources.count) ||
        !VEC_ROOM(&search->maps, settings->source_maps.count))
        return false;
    for (size_t i = 0; i < settings->sources.count; i++)
        search->directories.items[search->directories.count++] = settings->sources.items[i];
    for (size_t i = 0; i < settings->source_maps.count; i++)
        search->maps.items[search->maps.count++] = settings->source_maps.items[i];
    return true;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    const char *refused = getenv("NO_COLOR");
    struct browse browse = {
        .how = {.has_colour = !refused || !*refused, .is_plain = self->option_set == OPTIONS_TTU}};
    struct command *command = &browse.common;
    struct options_parser parser;
    // Settings are only for `trawl browse`; the command line takes precedence.
    char path[SETTINGS_PATH_BYTES];
    if (!browse.how.is_plain && settings_path(path)) {
        settings_read(&browse.settings, path, &browse.settings_fault);
        browse.how.has_colour &= !browse.settings.has_no_colour;
        browse.how.is_light = browse.settings.is_light;
    }
    command_begin(command, self);
    command->session.asks_calls = true;
    command->session.asks_loads = true;
    command->session.shows_text = true;
    command->needs = self->option_set == OPTIONS_TTU ? TRACE_REGISTERS : TRACE_EVENTS;
    session_begin(&browse.second.session, READING_TRUE, 1);
    if (!command_options(command, &parser, argc, argv,
                         &(struct command_steps){.self = &browse, .take = take}))
        command->status = parser.status;
    else if (has_second(&browse) && command->session.index.use == INDEX_ONLY)
        command_fail_with(command, STATUS_INPUT, "--only-index takes one trace");
    else if (!add_sources(&browse))
        command_fail_with(command, STATUS_MEMORY, "no memory for directories");
    else
        open_and_run(&browse);
    enum exit_status status = command->status;
    source_search_free(&browse.sources);
    session_free(&browse.second.session);
    settings_free(&browse.settings);
    command_free(&browse.common);
    return status;
}

static const struct option_spec colour_options[] = {
    {OPTION_COLOUR, 0, "colour,color", NULL, "use colour in the terminal"},
    {OPTION_NO_COLOUR, 0, "no-colour,no-color", NULL, "don't use colour in the terminal"},
    {0},
};

const struct command_spec tarmac_browser_command = {
    .name = "tarmac-browser",
    .option_set = OPTIONS_TTU,
    .groups = (const struct option_group[]){{"options", ttu_browser_options},
                                            {NULL, colour_options},
                                            {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};

static const struct option_spec browse_options[] = {
    {OPTION_AT, 0, "at", "POS",
     "begin at line:N, time:N, event:N, byte:N, pc:ADDR[#K] (the K-th visit) or end (default: at "
     "the first event)"},
    {ROW_LANE},
    {OPTION_SOURCE, 0, ROW_SOURCE},
    {OPTION_SOURCE_MAP, 0, ROW_SOURCE_MAP},
    {ROW_OS},
    {OPTION_COLOUR, 0, "colour,color", NULL, "use colors (default, unless NO_COLOR is set)"},
    {OPTION_NO_COLOUR, 0, "no-colour,no-color", NULL, "use none"},
    {0},
};

static const struct option_spec browse_run_options[] = {
    {ROW_HIDDEN_ONLY_INDEX},
    {ROW_THREADS},
    {0},
};

const struct command_spec browse_command = {
    .name = "browse",
    .option_set = OPTIONS_TRAWL,
    .summary = "browse the trace in the terminal, with the state at each point",
    .description =
        "Shows the text of the trace and, below it, registers, memory and calls at the position: "
        "the end of the underlined line. Calls fold and unfold; jumps go to times, "
        "lines, visits of an address, exceptions, writes and matches of a search. F1 lists the "
        "keys.\n"
        "For an XRay log, a row is an entry or an exit, with its time and how long the call took; "
        "for a GDB trace file it is a frame. In both, / finds functions by name.\n"
        "A fold is summarized at the line before it. A search takes an extended "
        "regular expression, runs in the background and also finds what is folded away; only the "
        "first 64 KiB of a line are searched.\n"
        "If no index fits, one is built in the background: the text appears at once, and the state "
        "of what has been read of a Tarmac trace so far is shown as it becomes known. F9 (c in the "
        "text) cancels the index, and starts it again.\n"
        "Settings are read from $XDG_CONFIG_HOME/trawl/browse.conf, or that in ~/.config: theme "
        "light, colour no, indentation no, source DIRECTORY, keys KEYS (pressed at the start).",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", browse_options},
                                            {"names", query_trace_options},
                                            {"traces in several files", files_options},
                                            {NULL, other_files_options},
                                            {"how to run", query_index_options},
                                            {NULL, browse_run_options},
                                            {0}},
    .needs = TRACE_EVENTS,
    .describe_input = trace_inputs_describe,
    .positionals = (const struct positional_spec[]){{"TRACE", "{input}", NULL, false, false},
                                                    {"OTHER", "another trace, shown next to it",
                                                     NULL, true, false},
                                                    {0}},
    .examples = "trawl browse run.tarmac\n"
                "trawl browse good.tarmac bad.tarmac\n"
                "trawl browse --image prog.elf run.tarmac --at pc:main\n",
    .alternatives = trace_alternatives,
    .run = run,
};
