// Files are taken in as those of flame graphs are (report/flame_assets.c).
#include "serve/web.h"

#ifdef __has_embed

#pragma clang diagnostic ignored "-Wc23-extensions"

// clang-format off
static const char index_html[] = {
#embed "web/index.html" suffix(, 0)
};
static const char style_css[] = {
#embed "web/style.css" suffix(, 0)
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
// clang-format on

#else

#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl " #symbol "\n"                                                                 \
            ".hidden " #symbol "\n" #symbol ":\n"                                                  \
            ".incbin \"serve/web/" file "\"\n"                                                     \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char symbol[]

EMBED(index_html, "index.html");
EMBED(style_css, "style.css");
EMBED(app_js, "app.js");
EMBED(api_js, "api.js");
EMBED(trace_js, "trace.js");
EMBED(panes_js, "panes.js");
EMBED(chart_js, "chart.js");

#endif

#define JAVASCRIPT "text/javascript; charset=utf-8"

static const struct web_part parts[] = {
    {"index.html", "text/html; charset=utf-8", index_html},
    {"style.css", "text/css; charset=utf-8", style_css},
    {"app.js", JAVASCRIPT, app_js},
    {"api.js", JAVASCRIPT, api_js},
    {"trace.js", JAVASCRIPT, trace_js},
    {"panes.js", JAVASCRIPT, panes_js},
    {"chart.js", JAVASCRIPT, chart_js},
};

const struct web_part *web_part_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    }
    return NULL;
}
