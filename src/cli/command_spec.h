// The name, texts and arguments of a command: the one table from which its options are read and its
// help is made.
#ifndef TRAWL_CLI_COMMAND_SPEC_H
#define TRAWL_CLI_COMMAND_SPEC_H

#include "base/base.h"
#include "cli/diag.h"

enum option_manner { MANNER_TRAWL, MANNER_TTU };

// Room for the description of what a command takes, with its NUL.
#define OPTION_INPUT_BYTES 200

// Sets of alternatives that a command may have.
#define OPTION_ALTERNATIVES_MAX 5

struct option_spec {
    int id;              // above 0; 0 ends a table
    char letter;         // short name, 0 for none
    const char *names;   // long names without dashes, "colour,color"; NULL for none
    const char *metavar; // name of the value in the help; NULL for an option without a value
    const char *help;    // NULL keeps the option out of the help and of suggestions
};

// Options that are shown together, so that commands can share a table.
struct option_group {
    const char *title; // heading in the help; NULL continues under the heading above
    const struct option_spec *options; // NULL ends an array of groups
};

struct positional_spec {
    const char *metavar; // NULL ends a table
    const char *help;    // with {input} where command_spec.describe_input goes
    const char *missing; // the message if it is not given; NULL for the usual one
    bool optional;
    bool repeated; // only the last may be
};

struct command_spec {
    const char *name; // "profile" for `trawl profile`, "" for `trawl` itself, "tarmac-profile"
    enum option_manner manner;
    const char *summary;     // half a line for the list of commands; NULL keeps it off the list
    const char *description; // paragraphs for the help, separated by '\n'; NULL for none
    const struct option_group *groups;         // NULL for none
    const struct positional_spec *positionals; // NULL for none
    // For a family of commands: their list, ended by NULL; their names begin with the family's and
    // a space. NULL for a single command.
    const struct command_spec *const *commands;
    // Options of which at most one may be given: sets of ids, each set ended by 0, all ended by
    // another 0. NULL for none.
    const int *alternatives;
    const char *examples; // command lines, each ended by '\n'; NULL for none
    unsigned needs;       // abilities that its input must have; defined by the program
    // Describes the input that it takes, from `needs`: "Tarmac trace or XRay log". NULL: {input} is
    // not used.
    void (*describe_input)(const struct command_spec *self, char text[OPTION_INPUT_BYTES]);
    const char *answers[2]; // what the statuses 0 and 1 mean: a sentence each; it ends with 2 if it
                            // failed. NULL: 0 done, 1 failed
    bool takes_one_dash;    // one dash before long names is accepted, and `-m=FILE`, as in LLVM's
                            // tools
    // Runs the command with the arguments that follow its name.
    enum exit_status (*run)(const struct command_spec *self, int argc, char *const *argv);
};

#endif
