// The further traces of a command, as typed: B of `diff`, OTHER of --diff, of `browse` and of
// `serve`. Like the first, each may be in several files.
#ifndef TRAWL_CMD_OTHER_RUN_H
#define TRAWL_CMD_OTHER_RUN_H

#include "cmd/command.h"

// Options of a command that has such a trace, after files_options.
extern const struct option_spec other_files_options[];

// Takes the name of the next one; if it is the value of an option, there is only one, and the last
// value counts. OPTION_END, or OPTION_STOP with the misuse reported.
int other_run_take(struct command *command, struct options_parser *parser,
                   const struct option_match *match);

// Takes a value of --other-then or --other-with, for the last named trace, or for the first if none
// was named yet. Likewise.
int other_run_take_file(struct command *command, struct options_parser *parser, int option,
                        const struct option_match *match);

// After all options: finds the files of each. False: a misuse, reported.
bool other_run_settle(struct command *command, struct options_parser *parser);

// The name of the first; NULL: none.
const char *other_run_path(const struct command *command);

// Begins the command of the first of them, as a copy of the common one, with its own files. If it
// has failed, other_run_end makes `common` end as it would; call it before `common` is freed.
void other_run_begin(struct command *other, const struct command *common);
void other_run_end(struct command *other, struct command *common);

// Makes a session use one of them.
enum status other_run_open(struct session *session, const struct other_run *run, struct error *err);

// --- Reports that compare a trace with another (--diff) ------------------------------------------

// Whether the options are valid for two traces. False: reported.
bool two_runs_are_meant(const struct command *command, struct options_parser *parser);

// Whether the functions of two open traces can be compared: both have addresses, or both have ids.
bool two_runs_have_functions(struct command *a, const struct command *b);

// Ends the report, which belongs to A, with the messages about both. False: failed.
bool two_runs_end(struct command *a, struct command *b);

#endif
