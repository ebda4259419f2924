// xray graph: who called whom, as a graph for Graphviz.
#include "cmd/xray/command.h"
#include "cmd/xray/figures.h"

#include "report/colour_scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    OPTION_DEDUCE = XRAY_OPTION_OWN,
    OPTION_EDGE_LABEL,
    OPTION_VERTEX_LABEL,
    OPTION_EDGE_COLOUR,
    OPTION_VERTEX_COLOUR,
};

enum { NAME_BYTES_MAX = 40 };

struct graph_command {
    struct xray_command common;
    struct xray_account_options options;
    struct xray_graph_figures figures;
};

static void put_figure(struct graph_command *command, const struct latency *row, unsigned figure)
{
    char text[32];
    double value = xray_figure_of(&command->common.input.log, row, figure);
    if (figure == XRAY_FIGURE_NONE)
        return;
    int length = snprintf(text, sizeof text, figure == XRAY_FIGURE_COUNT ? "%.0f" : "%e", value);
    out_bytes(&command->common.out, text, (size_t)length);
}

static double highest(const struct graph_command *command, const struct latency_table *table,
                      unsigned figure)
{
    double most = 0;
    for (size_t i = 0; i < table->rows.count; i++) {
        double value = xray_figure_of(&command->common.input.log, &table->rows.items[i], figure);
        most = value > most ? value : most;
    }
    return most;
}

static void put_colour(struct graph_command *command, const struct latency *row, unsigned figure,
                       double most)
{
    char text[COLOUR_TEXT_BYTES];
    double value = xray_figure_of(&command->common.input.log, row, figure);
    if (figure == XRAY_FIGURE_NONE)
        return;
    colour_of_share(text, most > 0 ? sqrt(value / most) : 0);
    out_text(&command->common.out, " color=\"");
    out_text(&command->common.out, text);
    out_byte(&command->common.out, '"');
}

static void put_edges(struct graph_command *command, const struct latency_table *edges)
{
    double most = highest(command, edges, command->figures.edge_colour);
    for (size_t i = 0; i < edges->rows.count && !out_failed(&command->common.out); i++) {
        const struct latency *edge = &edges->rows.items[i];
        char text[64];
        int length = snprintf(text, sizeof text, "F%" PRIu32 " -> F%" PRIu32 " [label=\"",
                              (uint32_t)(edge->key >> 32), (uint32_t)edge->key);
        out_bytes(&command->common.out, text, (size_t)length);
        put_figure(command, edge, command->figures.edge_label);
        out_byte(&command->common.out, '"');
        put_colour(command, edge, command->figures.edge_colour, most);
        out_text(&command->common.out, "];\n");
    }
}

static void put_vertex(struct graph_command *command, uint32_t function, const struct latency *row,
                       double most)
{
    struct out *out = &command->common.out;
    bool is_record = command->figures.vertex_label != XRAY_FIGURE_NONE;
    out_byte(out, 'F');
    out_u64(out, function);
    out_text(out, is_record ? " [label=\"{" : " [label=\"");
    xray_put_label(out, xray_name(&command->common.input.names, function), NAME_BYTES_MAX);
    if (is_record) {
        out_byte(out, '|');
        if (row || command->figures.vertex_label == XRAY_FIGURE_COUNT)
            put_figure(command, row, command->figures.vertex_label);
        else
            out_text(out, "0.000000e+00");
        out_byte(out, '}');
    }
    out_byte(out, '"');
    put_colour(command, row, command->figures.vertex_colour, most);
    out_text(out, "];\n");
}

static bool report(void *self)
{
    struct graph_command *command = self;
    struct xray_command *common = &command->common;
    struct xray_account account = {0};
    command->options.threads = common->threads;
    command->options.by_edge = true;
    command->options.percentiles = xray_graph_figures_need_percentiles(&command->figures);
    bool is_done = xray_command_open(common) &&
                   xray_command_account_all(common, &command->options, &account) &&
                   xray_command_output(common);
    if (is_done) {
        out_text(&common->out, "digraph xray {\n");
        if (command->figures.vertex_label != XRAY_FIGURE_NONE)
            out_text(&common->out, "node [shape=record];\n");
        put_edges(command, &account.edges);
        // Callers that never returned have no calls of their own, but are in the graph. False: no
        // memory.
        double most = highest(command, &account.functions, command->figures.vertex_colour);
        struct latency_table all = {0};
        bool is_whole = true;
        for (size_t i = 0; i < account.edges.rows.count && is_whole; i++) {
            uint64_t edge = account.edges.rows.items[i].key;
            is_whole = (!(edge >> 32) || latency_row(&all, edge >> 32)) &&
                       latency_row(&all, (uint32_t)edge);
        }
        is_whole = is_whole && latency_sort(&all);
        for (size_t i = 0; i < all.rows.count && is_whole; i++) {
            uint64_t function = all.rows.items[i].key;
            put_vertex(command, (uint32_t)function, latency_find(&account.functions, function),
                       most);
        }
        latency_table_free(&all);
        is_done = is_whole || xray_fail_with(common, STATUS_MEMORY, "no memory for the graph");
        out_text(&common->out, "}\n");
    }
    xray_account_free(&account);
    return is_done;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct graph_command *command = self;
    if (option != OPTION_DEDUCE)
        return xray_graph_figures_take(&command->figures, parser, option - OPTION_EDGE_LABEL,
                                       match);
    command->options.deduce = true;
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct graph_command command = {0};
    return xray_command_run(&command.common, self, argc, argv, &command, take, report);
}

static const struct option_spec own_options[] = {
    {OPTION_DEDUCE, 'd', "deduce-sibling-calls", NULL,
     "an exit of a function further down the stack ends all calls above it too"},
    {OPTION_EDGE_LABEL, 'e', "edge-label", "FIGURE",
     "label edges: none (default), count, min, med, 90p, 99p, max or sum"},
    {OPTION_VERTEX_LABEL, 'v', "vertex-label", "FIGURE",
     "label functions with one of these figures"},
    {OPTION_EDGE_COLOUR, 'c', "color-edges", "FIGURE",
     "color edges by the square root of their share of one of these figures"},
    {OPTION_VERTEX_COLOUR, 'b', "color-vertices", "FIGURE", "color functions in the same way"},
    {0},
};

const struct command_spec xray_graph_command = {
    .name = "xray graph",
    .option_set = OPTIONS_TRAWL,
    .summary = "who called whom, as a graph for Graphviz",
    .description =
        "Writes the graph of who called whom in the language of Graphviz: dot draws it. Labels "
        "and colors of times are in seconds, those of count in calls.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {NULL, xray_hide_options},
                                            {"the logs", xray_log_options},
                                            {NULL, xray_join_options},
                                            {0}},
    .positionals = xray_logs_positional,
    .examples =
        "trawl xray graph -m prog -e count -c sum xray-log.prog.123 | dot -Tsvg -o run.svg\n",
    .takes_one_dash = true,
    .run = run,
};
