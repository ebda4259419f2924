// The user's settings for `trawl browse`: a text file in XDG's place, with a keyword and its value
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

// All zero: nothing is set. Freed by settings_free.
struct settings {
    char *text; // of the file; the other fields point into it
    bool is_light, has_no_colour, has_no_indentation;
    VEC(, const char *) sources;
    VEC(, const char *) source_maps; // FROM=TO
    char keys[SETTINGS_KEYS_BYTES];
};

// Where the file is: $XDG_CONFIG_HOME/trawl/browse.conf, or that in ~/.config. False: nowhere.
bool settings_path(char path[SETTINGS_PATH_BYTES]);

// Reads the file; a missing one sets nothing. STATUS_INPUT: a line is none of the above, and `err`
// says which; the lines before it count.
enum status settings_read(struct settings *settings, const char *path, struct error *err);
void settings_free(struct settings *settings);

#endif
