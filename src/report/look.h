// The look of all that people see in a browser: flame graphs, plots, annotated source, and the page
// of the server. The only place that decides its colors and types; each user adds what it alone
// has.
//
// Each color has a value in light and one in dark. Text on `back` and `bar` has a contrast of at
// least 4.5 in both (WCAG AA), and what differs by color differs for the color-blind, too: blue and
// orange red, never green and red.
#ifndef TRAWL_REPORT_LOOK_H
#define TRAWL_REPORT_LOOK_H

#define LOOK_COLORS(X)                                                                             \
    X("back", "#ffffff", "#14171c")   /* the page */                                               \
    X("front", "#1b1f26", "#dfe3ea")  /* text */                                                   \
    X("weak", "#586070", "#9aa3b2")   /* text that matters less */                                 \
    X("line", "#d3d8e0", "#353b47")   /* between parts */                                          \
    X("bar", "#f5f7fa", "#1b1f26")    /* behind controls, axes and plots */                        \
    X("accent", "#1a5fc4", "#7db1ff") /* what is measured or chosen */                             \
    X("blue", "#174ea6", "#8fb8ff")   /* text that leads somewhere */                              \
    X("hot", "#b3261e", "#ff9a8f")    /* text about what is wrong */                               \
    X("heat", "#e8590c", "#ff8a4c")   /* the more, the stronger */                                 \
    X("more", "#ec735b", "#ec735b")   /* of two runs: what takes more, */                          \
    X("less", "#70a0e3", "#70a0e3")   /* and less */

#define LOOK_SANS "system-ui, -apple-system, \"Segoe UI\", \"DejaVu Sans\", sans-serif"
#define LOOK_MONO "ui-monospace, SFMono-Regular, \"DejaVu Sans Mono\", Menlo, Consolas, monospace"

#define LOOK_TYPES "--sans: " LOOK_SANS "; --mono: " LOOK_MONO ";"

// A file of its own: light or dark as the reader's system is.
#define LOOK_LIGHT_(name, light, dark) "--" name ": " light "; "
#define LOOK_DARK_(name, light, dark) "--" name ": " dark "; "
#define LOOK_CSS                                                                                   \
    ":root { color-scheme: light dark; background: var(--back); color: var(--front);\n"            \
    "  " LOOK_COLORS(LOOK_LIGHT_) LOOK_TYPES                                                       \
        " }\n"                                                                                     \
        "@media (prefers-color-scheme: dark) { :root { " LOOK_COLORS(LOOK_DARK_) "} }\n"

// A page on which people choose: light or dark as its color-scheme is.
#define LOOK_BOTH_(name, light, dark) "--" name ": light-dark(" light ", " dark "); "
#define LOOK_PAGE_CSS ":root { " LOOK_COLORS(LOOK_BOTH_) LOOK_TYPES " }\n"

#endif
