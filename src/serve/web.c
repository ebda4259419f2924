#include "serve/server.h"

#include "base/embed.h"
#include "report/look.h"

#ifdef __has_embed

// clang-format off
static const char index_html[] = {
#embed "web/index.html" suffix(, 0)
};
static const char style_css[] = {
#embed "web/style.css" suffix(, 0)
};
static const char enter_html[] = {
#embed "web/enter.html" suffix(, 0)
};
static const char enter_js[] = {
#embed "web/enter.js" suffix(, 0)
};
static const char first_js[] = {
#embed "web/first.js" suffix(, 0)
};
static const char address_js[] = {
#embed "web/address.js" suffix(, 0)
};
static const char api_js[] = {
#embed "web/api.js" suffix(, 0)
};
static const char trace_js[] = {
#embed "web/trace.js" suffix(, 0)
};
static const char app_js[] = {
#embed "web/app.js" suffix(, 0)
};
static const char axis_js[] = {
#embed "web/axis.js" suffix(, 0)
};
static const char beside_js[] = {
#embed "web/beside.js" suffix(, 0)
};
static const char colors_js[] = {
#embed "web/colors.js" suffix(, 0)
};
static const char copy_js[] = {
#embed "web/copy.js" suffix(, 0)
};
static const char flame_js[] = {
#embed "web/flame.js" suffix(, 0)
};
static const char goto_js[] = {
#embed "web/goto.js" suffix(, 0)
};
static const char hover_js[] = {
#embed "web/hover.js" suffix(, 0)
};
static const char layout_js[] = {
#embed "web/layout.js" suffix(, 0)
};
static const char memory_js[] = {
#embed "web/memory.js" suffix(, 0)
};
static const char notes_js[] = {
#embed "web/notes.js" suffix(, 0)
};
static const char panes_js[] = {
#embed "web/panes.js" suffix(, 0)
};
static const char search_js[] = {
#embed "web/search.js" suffix(, 0)
};
static const char selection_js[] = {
#embed "web/selection.js" suffix(, 0)
};
static const char source_js[] = {
#embed "web/source.js" suffix(, 0)
};
static const char states_js[] = {
#embed "web/states.js" suffix(, 0)
};
static const char timeline_js[] = {
#embed "web/timeline.js" suffix(, 0)
};
static const char tracks_js[] = {
#embed "web/tracks.js" suffix(, 0)
};
static const char tree_js[] = {
#embed "web/tree.js" suffix(, 0)
};
static const char value_js[] = {
#embed "web/value.js" suffix(, 0)
};
// clang-format on

#else

EMBED(index_html, "serve/web/index.html");
EMBED(style_css, "serve/web/style.css");
EMBED(enter_html, "serve/web/enter.html");
EMBED(enter_js, "serve/web/enter.js");
EMBED(first_js, "serve/web/first.js");
EMBED(address_js, "serve/web/address.js");
EMBED(api_js, "serve/web/api.js");
EMBED(trace_js, "serve/web/trace.js");
EMBED(app_js, "serve/web/app.js");
EMBED(axis_js, "serve/web/axis.js");
EMBED(beside_js, "serve/web/beside.js");
EMBED(colors_js, "serve/web/colors.js");
EMBED(copy_js, "serve/web/copy.js");
EMBED(flame_js, "serve/web/flame.js");
EMBED(goto_js, "serve/web/goto.js");
EMBED(hover_js, "serve/web/hover.js");
EMBED(layout_js, "serve/web/layout.js");
EMBED(memory_js, "serve/web/memory.js");
EMBED(notes_js, "serve/web/notes.js");
EMBED(panes_js, "serve/web/panes.js");
EMBED(search_js, "serve/web/search.js");
EMBED(selection_js, "serve/web/selection.js");
EMBED(source_js, "serve/web/source.js");
EMBED(states_js, "serve/web/states.js");
EMBED(timeline_js, "serve/web/timeline.js");
EMBED(tracks_js, "serve/web/tracks.js");
EMBED(tree_js, "serve/web/tree.js");
EMBED(value_js, "serve/web/value.js");

#endif

#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define JAVASCRIPT "text/javascript; charset=utf-8"

static const struct web_part parts[] = {
    {"index.html", HTML, index_html, false},
    {"enter.html", HTML, enter_html, true},
    {"enter.js", JAVASCRIPT, enter_js, true},
    {"look.css", CSS, LOOK_PAGE_CSS, true},
    {"style.css", CSS, style_css, true},
    {"first.js", JAVASCRIPT, first_js, false},
    {"address.js", JAVASCRIPT, address_js, false},
    {"api.js", JAVASCRIPT, api_js, false},
    {"trace.js", JAVASCRIPT, trace_js, false},
    {"app.js", JAVASCRIPT, app_js, false},
    {"axis.js", JAVASCRIPT, axis_js, false},
    {"beside.js", JAVASCRIPT, beside_js, false},
    {"colors.js", JAVASCRIPT, colors_js, false},
    {"copy.js", JAVASCRIPT, copy_js, false},
    {"flame.js", JAVASCRIPT, flame_js, false},
    {"goto.js", JAVASCRIPT, goto_js, false},
    {"hover.js", JAVASCRIPT, hover_js, false},
    {"layout.js", JAVASCRIPT, layout_js, false},
    {"memory.js", JAVASCRIPT, memory_js, false},
    {"notes.js", JAVASCRIPT, notes_js, false},
    {"panes.js", JAVASCRIPT, panes_js, false},
    {"search.js", JAVASCRIPT, search_js, false},
    {"selection.js", JAVASCRIPT, selection_js, false},
    {"source.js", JAVASCRIPT, source_js, false},
    {"states.js", JAVASCRIPT, states_js, false},
    {"timeline.js", JAVASCRIPT, timeline_js, false},
    {"tracks.js", JAVASCRIPT, tracks_js, false},
    {"tree.js", JAVASCRIPT, tree_js, false},
    {"value.js", JAVASCRIPT, value_js, false},
};

const struct web_part *web_part_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    }
    return NULL;
}
