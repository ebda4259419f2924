// The further traces of a command, as typed: B of `diff`, OTHER of --diff, of `browse` and of
// `serve`. Like the first, each may be in several files.
#ifndef TRAWL_CMD_OTHER_RUN_H
#define TRAWL_CMD_OTHER_RUN_H

#include "cmd/command.h"

// Options of a command that has such a trace, after files_options.
extern const struct option_spec other_files_options[];

// Takes the name of the next one. OPTION_END, or OPTION_STOP with the misuse reported.
int other_run_take_next(struct command *command, struct options_parser *parser,
                        const struct option_match *match);

// The same where an option names only one, of which the last value counts.
int other_run_take(struct command *command, struct options_parser *parser,
                   const struct option_match *match);

// Takes a value of --other-then, --other-with or --other-image, for the last named trace, or for
// the first if none was named yet. Likewise.
int other_run_take_file(struct command *command, struct options_parser *parser, int option,
                        const struct option_match *match);

// After all options: finds the files of each. False: a misuse, reported.
bool other_run_settle(struct command *command, struct options_parser *parser);

// The name of the first; NULL: none.
const char *other_run_path(const struct command *command);

// Whether one of them has images of its own (--other-image): then its addresses are not those of
// the first, and functions are matched as those of two builds (diff/build_functions.h).
bool other_runs_are_builds(const struct command *command);

// Begins the command of one of them, as a copy of the common one, with its own files and images. If
// it has failed, other_run_end makes `common` end as it would; call it before `common` is freed.
void other_run_begin(struct command *other, const struct command *common, size_t number);
void other_run_end(struct command *other, struct command *common, size_t number);

// Makes a session use one of them.
enum status other_run_open(struct session *session, const struct other_run *run, struct error *err);

// --- Reports that compare a trace with others (--diff) -------------------------------------------

// Whether the options are valid for several traces. False: reported.
bool runs_are_meant(const struct command *command, struct options_parser *parser);

// Whether the functions of two open traces can be compared: both have addresses, or both have ids.
bool runs_have_functions(struct command *a, const struct command *b);

// Ends the report, which belongs to the first, with the messages about all. False: failed.
bool runs_end(struct command *first, struct command *others, size_t count);

#endif
