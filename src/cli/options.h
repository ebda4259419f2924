// Parses the command line of every command: from tables of options to matches, in the order in
// which they were given.
//
// One engine, two option sets. Both take the same syntax: long options in full, a value as
// `--opt=V` or as the next argument whatever that is, short options in clusters, options and
// positionals in any order, `--` to end the options. OPTIONS_TTU gives the messages and the status
// of the Tarmac Trace Utilities byte for byte; OPTIONS_TRAWL adds `-h`, accepts a lone `-` as a
// positional (standard input) and suggests what may have been meant.
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

#include "cli/help.h"

#include <stdio.h>

// --- options.c -----------------------------------------------------------------------------------

// What options_next returns in addition to the ids of the tables, which are above 0.
enum {
    OPTION_END = 0,         // no argument is left and no positional is missing
    OPTION_POSITIONAL = -1, // match.value is a positional, number match.positional of the command
    OPTION_STOP = -2,       // nothing to run: end with parser.status
};

struct options_parser {
    const struct command_spec *command;
    char *const *argv;
    int argc;
    int next;                // the next argument
    const char *cluster;     // the rest of a cluster of short options, or NULL
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

// Reports a misuse that only the command can detect, in the words of its option set and with its
// hint to the help, and sets the status. Returns OPTION_STOP.
int options_error(struct options_parser *parser, const char *format, ...) PRINTF_LIKE(2, 3);

// The same for checks after all options. Returns false.
bool options_refuse(struct options_parser *parser, const char *why);

// Reports that there is no memory to store what was given, which is not a misuse. Returns
// OPTION_STOP.
int options_no_memory(struct options_parser *parser);

// Bytes that option_text may write, with a NUL; longer names are truncated.
#define OPTION_TEXT_BYTES 64

// The option as users write it: by its first long name ("--threads"), or its letter ("-v").
void option_text(const struct option_spec *option, char text[OPTION_TEXT_BYTES]);

// options_error for an invalid value: "'--threads': 'x': expected EXPECTED".
int options_bad_value(struct options_parser *parser, const struct option_match *match,
                      const char *expected);

// Finds the value of an option in a list of words, which ends with NULL. OPTION_END: *choice is its
// number there; OPTION_STOP: none, reported as options_bad_value does.
int options_choice(struct options_parser *parser, const struct option_match *match,
                   const char *const *words, const char *expected, unsigned *choice);

// --- Families of commands ------------------------------------------------------------------------

// A command that is a family of commands: `trawl xray account`.

// Runs the command of `family` named by the first argument, or lists them.
enum exit_status subcommands_run(const struct command_spec *family, int argc, char *const *argv);

#endif
