// The traces that a command sets beside its first one, as they are typed: B of `diff`, OTHER of
// --diff, of `browse` and of `serve`. Each may be in several files, as the first may.
#ifndef TRAWL_CMD_OTHER_RUN_H
#define TRAWL_CMD_OTHER_RUN_H

#include "cmd/trace_command.h"

// Options of a command that has such a trace, after files_options.
extern const struct option_spec other_files_options[];

// Takes the name of the next one; of the only one, where it is the value of an option, of which the
// last counts. OPTION_END, or OPTION_STOP with the misuse reported.
int other_run_take(struct trace_command *command, struct options_parser *parser,
                   const struct option_match *match);

// Takes a value of --other-then or --other-with, for the trace that was named last, or for the
// first where none is yet. Likewise.
int other_run_take_file(struct trace_command *command, struct options_parser *parser, int option,
                        const struct option_match *match);

// Once all is typed: finds out which files each has. False: a misuse, reported.
bool other_run_settle(struct trace_command *command, struct options_parser *parser);

// The name of the first; NULL: there is none.
const char *other_run_path(const struct trace_command *command);

// Begins the command of the first of them, as a copy of what both share, with its own files. Ended
// by trace_command_end_one, before `common` is freed.
void other_run_begin(struct trace_command *other, const struct trace_command *common);

// Has a session be of one of them.
enum status other_run_open(struct session *session, const struct other_run *run, struct error *err);

#endif
