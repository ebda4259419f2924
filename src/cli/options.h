// The command line of every command: tables of options in, matches in the order they were given
// out.
//
// One engine, two manners. Both take the same syntax: long options in full, a value as `--opt=V` or
// as the next argument whatever that is, short options in clusters, options and positionals in any
// order, `--` as the end of options. MANNER_TTU gives the messages and the status of the Tarmac
// Trace Utilities byte for byte; MANNER_TRAWL adds `-h`, takes a lone `-` as a positional (standard
// input) and suggests what may have been meant.
//
//     struct options_parser parser;
//     struct option_match match;
//     options_begin(&parser, spec, argc, argv);
//     for (;;) {
//         switch (options_next(&parser, &match)) {
//         case OPTION_END: return run(...);
//         case OPTION_STOP: return parser.status; // help was asked for, or an error was reported
//         case OPTION_POSITIONAL: trace = match.value; break;
//         case OPT_THREADS: ...
#ifndef TRAWL_CLI_OPTIONS_H
#define TRAWL_CLI_OPTIONS_H

#include "base/base.h"
#include "cli/exit_status.h"

#include <stdio.h>

enum option_manner { MANNER_TRAWL, MANNER_TTU };

// What options_next returns beside the ids of the tables, which are above 0.
enum {
    OPTION_END = 0,         // no argument is left and no positional is missing
    OPTION_POSITIONAL = -1, // match.value is a positional, number match.positional of the command
    OPTION_STOP = -2,       // nothing to run: end with parser.status
};

// Room for the description of what a command takes, with its NUL.
#define OPTION_INPUT_BYTES 200

// Sets of alternatives that a command may have.
#define OPTION_ALTERNATIVES_MAX 4

struct option_spec {
    int id;              // above 0; 0 ends a table
    char letter;         // short name, 0 for none
    const char *names;   // long names without dashes, "colour,color"; NULL for none
    const char *metavar; // what the value is called; NULL for an option without a value
    const char *help;    // NULL keeps the option out of the help and of suggestions
};

// Options that are shown together, so that commands can share a table.
struct option_group {
    const char *title;                 // heading in the help; NULL goes on under the heading above
    const struct option_spec *options; // NULL ends an array of groups
};

struct positional_spec {
    const char *metavar; // NULL ends a table
    const char *help;    // with {input} where command_spec.describe_input goes
    const char *missing; // the complaint when it is not given; NULL for the usual one
    bool optional;
    bool repeated; // only the last may be
};

struct command_spec {
    const char *name; // "profile" for `trawl profile`, "" for `trawl` itself, "tarmac-profile"
    enum option_manner manner;
    const char *summary;     // half a line for the list of commands; NULL keeps it off the list
    const char *description; // paragraphs for the help, parted by '\n'; NULL for none
    const struct option_group *groups;         // NULL for none
    const struct positional_spec *positionals; // NULL for none
    // Of a family of commands: their list, ended by NULL; their names begin with the family's and a
    // blank. NULL for a command that is none.
    const struct command_spec *const *commands;
    // Options of which one at most may be given: their ids, each set of them ended by 0, all ended
    // by another 0. NULL for none.
    const int *alternatives;
    const char *examples; // command lines, each ended by '\n'; NULL for none
    unsigned needs;       // what its input has to be able to do; the numbers are the program's
    // Says what input it takes, by `needs`: "Tarmac trace or XRay log". NULL: {input} is not used.
    void (*describe_input)(const struct command_spec *self, char text[OPTION_INPUT_BYTES]);
    bool takes_one_dash; // before long names too, and `-m=FILE`, as LLVM's tools do
    // Runs the command with the arguments that follow its name.
    enum exit_status (*run)(const struct command_spec *self, int argc, char *const *argv);
};

struct options_parser {
    const struct command_spec *command;
    char *const *argv;
    int argc;
    int next;                // the argument to look at next
    const char *cluster;     // what is left of a cluster of short options, or NULL
    size_t positional_count; // given so far
    bool options_ended;      // after `--`
    // Of each set of alternatives, the one that was given.
    const struct option_spec *chosen[OPTION_ALTERNATIVES_MAX];
    enum exit_status status; // once options_next or options_error returned OPTION_STOP
};

struct option_match {
    const struct option_spec *option; // NULL for a positional
    const char *value;                // NULL for an option without a value
    size_t positional;                // index into the command's positionals
};

// Starts over `argv`, the arguments after the command's own name.
void options_begin(struct options_parser *parser, const struct command_spec *command, int argc,
                   char *const *argv);

// The id of the next option, or one of the values above. Errors go to standard error and help to
// standard output before it returns OPTION_STOP.
int options_next(struct options_parser *parser, struct option_match *match);

// Reports a misuse that only the command can see, in its manner and with its hint to the help, and
// sets the status. Returns OPTION_STOP.
int options_error(struct options_parser *parser, const char *format, ...) PRINTF_LIKE(2, 3);

// Reports that there is no memory to keep what was given, which is no misuse. Returns OPTION_STOP.
int options_no_memory(struct options_parser *parser);

// Bytes that option_text may write, with a NUL: longer names are cut.
#define OPTION_TEXT_BYTES 64

// The option as users write it: by its first long name ("--threads"), or its letter ("-v").
void option_text(const struct option_spec *option, char text[OPTION_TEXT_BYTES]);

// options_error for a value that makes no sense: "'--threads': 'x': expected EXPECTED".
int options_bad_value(struct options_parser *parser, const struct option_match *match,
                      const char *expected);

#endif
