#include "serve/server.h"

#include "base/embed.h"

#ifdef __has_embed

// clang-format off
static const char index_html[] = {
#embed "web/index.html" suffix(, 0)
};
static const char style_css[] = {
#embed "web/style.css" suffix(, 0)
};
static const char first_js[] = {
#embed "web/first.js" suffix(, 0)
};
static const char address_js[] = {
#embed "web/address.js" suffix(, 0)
};
static const char lanes_js[] = {
#embed "web/lanes.js" suffix(, 0)
};
static const char app_js[] = {
#embed "web/app.js" suffix(, 0)
};
static const char api_js[] = {
#embed "web/api.js" suffix(, 0)
};
static const char trace_js[] = {
#embed "web/trace.js" suffix(, 0)
};
static const char panes_js[] = {
#embed "web/panes.js" suffix(, 0)
};
static const char chart_js[] = {
#embed "web/chart.js" suffix(, 0)
};
static const char selection_js[] = {
#embed "web/selection.js" suffix(, 0)
};
static const char flame_js[] = {
#embed "web/flame.js" suffix(, 0)
};
static const char tree_js[] = {
#embed "web/tree.js" suffix(, 0)
};
static const char memory_js[] = {
#embed "web/memory.js" suffix(, 0)
};
static const char writes_js[] = {
#embed "web/writes.js" suffix(, 0)
};
static const char hover_js[] = {
#embed "web/hover.js" suffix(, 0)
};
static const char notes_js[] = {
#embed "web/notes.js" suffix(, 0)
};
static const char origin_js[] = {
#embed "web/origin.js" suffix(, 0)
};
static const char beside_js[] = {
#embed "web/beside.js" suffix(, 0)
};
// clang-format on

#else

EMBED(index_html, "serve/web/index.html");
EMBED(style_css, "serve/web/style.css");
EMBED(first_js, "serve/web/first.js");
EMBED(address_js, "serve/web/address.js");
EMBED(lanes_js, "serve/web/lanes.js");
EMBED(app_js, "serve/web/app.js");
EMBED(api_js, "serve/web/api.js");
EMBED(trace_js, "serve/web/trace.js");
EMBED(panes_js, "serve/web/panes.js");
EMBED(chart_js, "serve/web/chart.js");
EMBED(beside_js, "serve/web/beside.js");
EMBED(notes_js, "serve/web/notes.js");
EMBED(origin_js, "serve/web/origin.js");
EMBED(hover_js, "serve/web/hover.js");
EMBED(writes_js, "serve/web/writes.js");
EMBED(memory_js, "serve/web/memory.js");
EMBED(tree_js, "serve/web/tree.js");
EMBED(flame_js, "serve/web/flame.js");
EMBED(selection_js, "serve/web/selection.js");

#endif

#define JAVASCRIPT "text/javascript; charset=utf-8"

static const struct web_part parts[] = {
    {"index.html", "text/html; charset=utf-8", index_html},
    {"style.css", "text/css; charset=utf-8", style_css},
    {"first.js", JAVASCRIPT, first_js},
    {"address.js", JAVASCRIPT, address_js},
    {"lanes.js", JAVASCRIPT, lanes_js},
    {"app.js", JAVASCRIPT, app_js},
    {"api.js", JAVASCRIPT, api_js},
    {"trace.js", JAVASCRIPT, trace_js},
    {"panes.js", JAVASCRIPT, panes_js},
    {"chart.js", JAVASCRIPT, chart_js},
    {"beside.js", JAVASCRIPT, beside_js},
    {"notes.js", JAVASCRIPT, notes_js},
    {"origin.js", JAVASCRIPT, origin_js},
    {"hover.js", JAVASCRIPT, hover_js},
    {"writes.js", JAVASCRIPT, writes_js},
    {"memory.js", JAVASCRIPT, memory_js},
    {"tree.js", JAVASCRIPT, tree_js},
    {"flame.js", JAVASCRIPT, flame_js},
    {"selection.js", JAVASCRIPT, selection_js},
};

const struct web_part *web_part_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    }
    return NULL;
}
