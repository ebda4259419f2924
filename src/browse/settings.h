// What a user wants of `trawl browse` always: a text file in XDG's place, a keyword and its value
// on each line, and comments after #.
//
//     theme light|dark    colours for such a background (default: dark)
//     colour no           as --no-colour
//     indentation no      lines are not indented by calls
//     source DIRECTORY    as --source
//     keys KEYS           that are pressed at the start: "cd" opens two panes
#ifndef TRAWL_BROWSE_SETTINGS_H
#define TRAWL_BROWSE_SETTINGS_H

#include "base/error.h"
#include "base/vec.h"

enum { SETTINGS_PATH_BYTES = 4096, SETTINGS_KEYS_BYTES = 64 };

// All zero is what nobody said anything about. Freed by settings_free.
struct settings {
    char *text; // of the file, which the rest points into
    bool is_light, has_no_colour, has_no_indentation;
    VEC(, const char *) sources;
    char keys[SETTINGS_KEYS_BYTES];
};

// Where the file is: $XDG_CONFIG_HOME/trawl/browse.conf, or that in ~/.config. False: nowhere.
bool settings_path(char path[SETTINGS_PATH_BYTES]);

// Reads the file. One that is not there says nothing. STATUS_INPUT: a line is none of the above,
// `err` says which; what is before it counts.
enum status settings_read(struct settings *settings, const char *path, struct error *err);
void settings_free(struct settings *settings);

#endif
