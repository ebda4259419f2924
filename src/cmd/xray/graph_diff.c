// xray graph-diff: what changed between the call graphs of two logs. Functions are matched by name.
#include "cmd/xray/command.h"
#include "cmd/xray/figures.h"

#include "cli/values.h"
#include "report/colour_scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OPTION_DEDUCE = XRAY_OPTION_OWN,
    OPTION_DEDUCE_LEFT,
    OPTION_DEDUCE_RIGHT,
    OPTION_KEEP_GOING,
    OPTION_MAP_LEFT,
    OPTION_MAP_RIGHT,
    OPTION_EDGE_LABEL,
    OPTION_VERTEX_LABEL,
    OPTION_EDGE_COLOUR,
    OPTION_VERTEX_COLOUR,
    OPTION_NAME_BYTES,
};

enum { LEFT, RIGHT, SIDES };
#define NAME_BYTES_DEFAULT 40

// One function (`tail` is empty) or edge, in either log or in both. Names last as long as the diff;
// that of the root is empty.
struct change {
    const char *tail, *head;
    const struct latency *rows[SIDES]; // NULL: without calls of its own
    bool is_in[SIDES];
};

VEC(changes, struct change);

struct diff_command {
    struct xray_command common;
    const char *paths[SIDES];
    struct xray_maps maps[SIDES]; // without any, those of both logs
    bool deduces[SIDES];
    struct xray_graph_figures figures;
    uint64_t name_bytes;
    struct xray_input inputs[SIDES];
    struct xray_account accounts[SIDES];
    struct arena names;
    struct changes edges, vertices;
};

// --- Gathering -----------------------------------------------------------------------------------

static const char *keep_name(struct diff_command *command, unsigned side, uint32_t function)
{
    const char *name = function ? xray_name(&command->inputs[side].names, function) : "";
    return arena_copy_string(&command->names, name, strlen(name));
}

static bool add_change(struct changes *changes, unsigned side, const char *tail, const char *head,
                       const struct latency *row)
{
    struct change change = {.tail = tail, .head = head};
    change.rows[side] = row;
    change.is_in[side] = true;
    if (!tail || !head || !VEC_ROOM(changes, 1))
        return false;
    changes->items[changes->count++] = change;
    return true;
}

static bool add_vertex(struct diff_command *command, unsigned side, uint32_t function,
                       const char *name)
{
    return add_change(&command->vertices, side, "", name,
                      latency_find(&command->accounts[side].functions, function));
}

static bool add_side(struct diff_command *command, unsigned side)
{
    const struct latency_table *edges = &command->accounts[side].edges;
    for (size_t i = 0; i < edges->rows.count; i++) {
        const struct latency *row = &edges->rows.items[i];
        uint32_t caller = (uint32_t)(row->key >> 32), callee = (uint32_t)row->key;
        const char *tail = keep_name(command, side, caller);
        const char *head = keep_name(command, side, callee);
        if (!add_change(&command->edges, side, tail, head, row) ||
            !add_vertex(command, side, caller, tail) || !add_vertex(command, side, callee, head))
            return false;
    }
    return true;
}

static int compare_names(const void *a, const void *b)
{
    const struct change *first = a, *second = b;
    int order = strcmp(first->tail, second->tail);
    return order ? order : strcmp(first->head, second->head);
}

// Joins those with equal names; of several in one log, the first with calls counts.
static void join(struct changes *changes)
{
    size_t count = 0;
    if (changes->count)
        qsort(changes->items, changes->count, sizeof *changes->items, compare_names);
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *next = &changes->items[i];
        if (!count || compare_names(&changes->items[count - 1], next) != 0) {
            changes->items[count++] = *next;
            continue;
        }
        struct change *change = &changes->items[count - 1];
        for (unsigned side = 0; side < SIDES; side++) {
            change->is_in[side] |= next->is_in[side];
            if (!change->rows[side])
                change->rows[side] = next->rows[side];
        }
    }
    changes->count = count;
}

static bool gather(struct diff_command *command)
{
    for (unsigned side = 0; side < SIDES; side++) {
        const struct xray_account_options options = {
            .threads = command->common.threads,
            .deduce = command->deduces[side],
            .by_edge = true,
            .percentiles = xray_graph_figures_need_percentiles(&command->figures)};
        if (!xray_input_open(&command->common, &command->inputs[side], command->paths[side],
                             command->maps[side].count ? &command->maps[side]
                                                       : &command->common.maps) ||
            !xray_command_account(&command->common, &command->inputs[side], &options,
                                  &command->accounts[side]))
            return false;
        if (!add_side(command, side) || command->inputs[side].names.lacks_memory) {
            return xray_fail_with(&command->common, STATUS_MEMORY, "no memory for the graph");
        }
    }
    join(&command->edges);
    join(&command->vertices);
    return true;
}

// --- Writing -------------------------------------------------------------------------------------

static bool is_in_both(const struct change *change)
{
    return change->is_in[LEFT] && change->is_in[RIGHT];
}

// The relative increase on the right: 0.5 is half as much again. Not finite if the left is 0.
static double change_of(const struct diff_command *command, const struct change *change,
                        unsigned figure)
{
    double left = xray_figure_of(&command->inputs[LEFT].log, change->rows[LEFT], figure);
    double right = xray_figure_of(&command->inputs[RIGHT].log, change->rows[RIGHT], figure);
    return right / left - 1;
}

static void put_change(struct diff_command *command, const struct change *change, unsigned figure)
{
    char text[400];
    double value = change_of(command, change, figure);
    int length = value - value != 0 ? snprintf(text, sizeof text, value > 0 ? "INF" : "NaN")
                                    : snprintf(text, sizeof text, "%.2f%%", value * 100);
    out_bytes(&command->common.out, text, (size_t)length);
}

static void colour_of(const struct diff_command *command, const struct change *change,
                      unsigned figure, char text[COLOUR_TEXT_BYTES])
{
    if (is_in_both(change) && figure != XRAY_FIGURE_NONE)
        colour_of_change(text, change_of(command, change, figure));
    else
        snprintf(text, COLOUR_TEXT_BYTES, "%s",
                 is_in_both(change)    ? "black"
                 : change->is_in[LEFT] ? "#FF0000"
                                       : "#00FF00");
}

// Vertices are numbered in the order of their names.
static void put_vertex_number(struct diff_command *command, const char *name)
{
    const struct change key = {.tail = "", .head = name};
    const struct change *found =
        bsearch(&key, command->vertices.items, command->vertices.count, sizeof key, compare_names);
    out_byte(&command->common.out, 'F');
    out_u64(&command->common.out, (uint64_t)(found - command->vertices.items));
}

static void put_vertex(struct diff_command *command, const struct change *vertex)
{
    struct out *out = &command->common.out;
    char colour[COLOUR_TEXT_BYTES];
    bool is_record = is_in_both(vertex) && command->figures.vertex_label;
    put_vertex_number(command, vertex->head);
    if (!*vertex->head) {
        out_text(out, " [label=\"F0\"]\n");
        return;
    }
    colour_of(command, vertex, command->figures.vertex_colour, colour);
    out_text(out, is_record ? " [label=\"{" : " [label=\"");
    xray_put_label(out, vertex->head, command->name_bytes);
    if (is_record) {
        out_byte(out, '|');
        put_change(command, vertex, command->figures.vertex_label);
        out_byte(out, '}');
    }
    out_text(out, "\" color=\"");
    out_text(out, colour);
    out_text(out, "\"]\n");
}

static bool report(struct diff_command *command)
{
    struct xray_command *common = &command->common;
    common->input.path = command->paths[LEFT];
    if (!gather(command) || !xray_command_output(common))
        return false;
    out_text(&common->out, "digraph xrayDiff {\n");
    if (command->figures.vertex_label)
        out_text(&common->out, "node [shape=record]\n");
    for (size_t i = 0; i < command->edges.count && !out_failed(&common->out); i++) {
        const struct change *edge = &command->edges.items[i];
        struct out *out = &command->common.out;
        char colour[COLOUR_TEXT_BYTES], width[400];
        double change = is_in_both(edge) && command->figures.edge_colour
                            ? change_of(command, edge, command->figures.edge_colour)
                            : 0;
        colour_of(command, edge, command->figures.edge_colour, colour);
        put_vertex_number(command, edge->tail);
        out_text(out, " -> ");
        put_vertex_number(command, edge->head);
        out_text(out, " [tooltip=\"");
        xray_put_label(out, *edge->tail ? edge->tail : "F0", 0);
        out_text(out, " -> ");
        xray_put_label(out, edge->head, 0);
        out_text(out, "\" label=\"");
        if (is_in_both(edge) && command->figures.edge_label)
            put_change(command, edge, command->figures.edge_label);
        out_text(out, "\" color=\"");
        out_text(out, colour);
        out_text(out, "\" labelfontcolor=\"");
        out_text(out, colour);
        snprintf(width, sizeof width, "\" penwidth=%.2f]\n",
                 change > 1 && change - change == 0 ? change : 1.0);
        out_text(out, width);
    }
    for (size_t i = 0; i < command->vertices.count && !out_failed(&common->out); i++)
        put_vertex(command, &command->vertices.items[i]);
    out_text(&common->out, "}\n");
    for (int side = LEFT; side <= RIGHT; side++)
        xray_command_unknown_ids(common, &command->inputs[side]);
    return true;
}

// --- The command ---------------------------------------------------------------------------------

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct diff_command *command = self;
    switch (option) {
    case OPTION_POSITIONAL:
        command->paths[RIGHT] = match->value;
        break;
    case OPTION_DEDUCE:
        command->deduces[LEFT] = command->deduces[RIGHT] = true;
        break;
    case OPTION_DEDUCE_LEFT:
    case OPTION_DEDUCE_RIGHT:
        command->deduces[option - OPTION_DEDUCE_LEFT] = true;
        break;
    case OPTION_MAP_LEFT:
    case OPTION_MAP_RIGHT:
        return xray_map_option(parser, match, &command->maps[option - OPTION_MAP_LEFT]);
    case OPTION_KEEP_GOING:
        break;
    case OPTION_NAME_BYTES:
        return parse_u64(match->value, &command->name_bytes)
                   ? OPTION_END
                   : options_bad_value(parser, match, "a number");
    default:
        return xray_graph_figures_take(&command->figures, parser, option - OPTION_EDGE_LABEL,
                                       match);
    }
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct diff_command command = {.name_bytes = NAME_BYTES_DEFAULT};
    struct options_parser parser;
    xray_command_begin(&command.common, self);
    bool is_taken = xray_command_options(&command.common, &parser, argc, argv, &command, take);
    command.paths[LEFT] = command.common.input.path;
    if (is_taken)
        xray_command_end(&command.common, report(&command));
    enum exit_status status = is_taken ? command.common.status : parser.status;
    for (unsigned side = 0; side < SIDES; side++) {
        xray_account_free(&command.accounts[side]);
        xray_input_free(&command.inputs[side]);
        free(command.maps[side].items);
    }
    free(command.common.maps.items);
    xray_hidden_free(&command.common.hidden);
    arena_free(&command.names);
    free(command.edges.items);
    free(command.vertices.items);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_DEDUCE, 'd', "deduce-sibling-calls", NULL,
     "an exit of a function further down the stack ends all calls above it too; in both logs"},
    {OPTION_DEDUCE_LEFT, 0, "deduce-sibling-calls-1,d1", NULL, "in the first log"},
    {OPTION_DEDUCE_RIGHT, 0, "deduce-sibling-calls-2,d2", NULL, "in the second log"},
    {OPTION_KEEP_GOING, 0, "keep-going-1,keep-going-2,k1,k2", NULL, NULL},
    {OPTION_MAP_LEFT, 0, "instr-map-1,m1", "FILE", "the program that wrote the first log"},
    {OPTION_MAP_RIGHT, 0, "instr-map-2,m2", "FILE", "the program that wrote the second log"},
    {OPTION_EDGE_LABEL, 'e', "edge-label", "FIGURE",
     "label edges with the change of: none (default), count, min, med, 90p, 99p, max or sum"},
    {OPTION_VERTEX_LABEL, 'v', "vertex-label", "FIGURE",
     "label functions with the change of one of these figures"},
    {OPTION_EDGE_COLOUR, 'c', "edge-color", "FIGURE", "color edges by the change of a figure"},
    {OPTION_VERTEX_COLOUR, 'b', "vertex-color", "FIGURE", "color functions in the same way"},
    {OPTION_NAME_BYTES, 't', "vertex-label-trun", "N",
     "cut names of functions to N bytes (default " TEXT_OF(NAME_BYTES_DEFAULT) ")"},
    {0},
};

const struct command_spec xray_graph_diff_command = {
    .name = "xray graph-diff",
    .option_set = OPTIONS_TRAWL,
    .summary = "what changed between the call graphs of two logs",
    .description =
        "Writes the graph of who called whom in the language of Graphviz, with what changed from "
        "the first log to the second: dot draws it. Labels are changes in percent of the first "
        "log's figures.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {NULL, xray_hide_options},
                                            {"the logs", xray_log_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){{"LOG", "XRay log", NULL, false, false},
                                         {"LOG2", "XRay log to compare with", NULL, false, false},
                                         {0}},
    .examples = "trawl xray graph-diff -m prog -e sum -c sum before.xray after.xray | dot -Tsvg -o "
                "diff.svg\n",
    .takes_one_dash = true,
    .run = run,
};
