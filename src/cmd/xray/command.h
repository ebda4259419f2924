// Shared by the commands of `trawl xray`: options, the log, names, the output, damage.
#ifndef TRAWL_CMD_XRAY_COMMAND_H
#define TRAWL_CMD_XRAY_COMMAND_H

#include "base/arena.h"
#include "base/source.h"
#include "cli/diag.h"
#include "cli/options.h"
#include "cmd/xray/sums.h"
#include "elf/lines.h"
#include "names/names.h"
#include "report/out.h"
#include "trace/xray/log.h"
#include "trace/xray/objects.h"
#include "trace/xray/xray.h"

#include <pthread.h>

// --- names.c -------------------------------------------------------------------------------------

// Names for the function ids of an XRay log, from the instrumentation map and the symbols of the
// image that wrote it, or from a map in YAML alone.

// Cached answers about one object.
struct xray_object_names {
    const char **kept;   // of its map's functions; NULL: not requested yet
    struct lines *lines; // NULL: none, or not requested
};

// All zero: no names. Use from one thread only.
struct xray_names {
    struct image_set images;
    struct xray_objects objects;
    struct xray_object_names *about; // one for each object
    struct arena arena;
    bool keeps_mangled;
    bool lacks_memory; // the reason why a name was not found: reports with names must not be shown
    char number[32];   // the name last made from a number
    uint32_t unknown_id; // the first requested id that no map has, if there are maps; 0: none
};

// Adds an image, a map in YAML, or NUMBER=FILE (xray_objects_add).
enum status xray_names_add(struct xray_names *names, const char *argument, struct error *err);

// Determines the numbers of objects, after all were added and before names are requested. For names
// of functions of several logs, call xray_objects_note_log for each log before, and pass NULL for
// `log`.
enum status xray_names_settle(struct xray_names *names, const struct xray_log *log,
                              struct error *err);

// The name of a function, demangled unless keeps_mangled; "@(ADDRESS)" for a function without a
// name; "#ID" for an id that is in no map; "" if there is no memory (lacks_memory). Valid until the
// next call.
const char *xray_name(struct xray_names *names, uint32_t id);

// Whether a map has this id.
bool xray_names_knows(const struct xray_names *names, uint32_t id);

// Opens the source lines of the images, if any. Fails like lines_open.
enum status xray_names_open_lines(struct xray_names *names, struct error *err);

// Where a function begins. False: unknown.
bool xray_function_location(struct xray_names *names, uint32_t id, struct source_location *place);

void xray_names_free(struct xray_names *names);

// --- command.c -----------------------------------------------------------------------------------

// All zero except for the lock hides nothing. It must not move.
struct xray_hidden {
    struct hidden_names names;
    struct xray_names *functions;
    pthread_mutex_t lock; // of `functions`
    struct xray_hider hider;
};

void xray_hidden_init(struct xray_hidden *hidden);
void xray_hidden_free(struct xray_hidden *hidden);

// Decides what is hidden by these names, which must be settled; NULL: nothing is hidden.
const struct xray_hider *xray_hidden_hider(struct xray_hidden *hidden, struct xray_names *names);

// Ids of the shared options; a command's own begin at XRAY_OPTION_OWN.
enum {
    XRAY_OPTION_MAP = 1,
    XRAY_OPTION_KEEP_GOING,
    XRAY_OPTION_OUTPUT,
    XRAY_OPTION_THREADS,
    XRAY_OPTION_MAX_MEMORY,
    XRAY_OPTION_HIDE,
    XRAY_OPTION_JOIN,
    XRAY_OPTION_OWN,
};

// -m, -k, -o, --threads and --max-memory.
extern const struct option_spec xray_log_options[];

// --hide, for commands that report on calls.
extern const struct option_spec xray_hide_options[];

// --join, for commands that take several logs.
extern const struct option_spec xray_join_options[];

// One log as positional; and any number of logs.
extern const struct positional_spec xray_log_positional[];
extern const struct positional_spec xray_logs_positional[];

// Images and maps as typed.
VEC(xray_maps, const char *);

// A log in use.
struct xray_input {
    const char *path;
    struct source *source;
    struct xray_log log;
    struct xray_names names;
};

struct xray_command {
    const struct command_spec *spec;
    struct xray_maps maps;
    const char *output; // NULL: standard output
    unsigned threads;
    struct diag diag;
    struct progress progress;
    struct xray_meter meter;
    struct xray_hidden hidden;
    enum exit_status status;         // to end with; EXIT_STATUS_FAILED until it is known
    struct out out;                  // of the report
    bool has_output;                 // it is open
    struct xray_input input;         // the first log, and names for all
    VEC(, struct xray_input) others; // further logs
    bool joins;                      // make one log of all (--join); then there are no others
    uint64_t shared_buffers;         // that are in two of the logs
};

void xray_command_begin(struct xray_command *command, const struct command_spec *spec);
void xray_command_free(struct xray_command *command);

// Takes a shared option or the log. OPTION_END: taken; OPTION_STOP: the misuse was reported.
int xray_command_option(struct xray_command *command, struct options_parser *parser, int option,
                        const struct option_match *match);

// Takes a further log; a command that reads all logs in the same way also takes the first one here.
// OPTION_END; OPTION_STOP: no memory.
int xray_command_add_log(struct xray_command *command, struct options_parser *parser,
                         const char *path);

// Takes an image of a log. OPTION_END; OPTION_STOP: no memory.
int xray_map_option(struct options_parser *parser, const struct option_match *match,
                    struct xray_maps *maps);

// Takes the whole command line; options from XRAY_OPTION_OWN on, and positionals after the first,
// go to `take`. False: nothing to run, end with parser->status.
bool xray_command_options(struct xray_command *command, struct options_parser *parser, int argc,
                          char *const *argv, void *self,
                          int (*take)(void *self, struct options_parser *parser, int option,
                                      const struct option_match *match));

// The way through a command, as of cmd/driver.h: takes the command line, has `report` write to
// command->out, and sums up. `report` returns false if it has failed, which is reported.
enum exit_status xray_command_run(struct xray_command *command, const struct command_spec *spec,
                                  int argc, char *const *argv, void *self,
                                  int (*take)(void *self, struct options_parser *parser, int option,
                                              const struct option_match *match),
                                  bool (*report)(void *self));

// Report an error, and note the status to end with. Return false.
bool xray_fail(struct xray_command *command, const struct error *err);
bool xray_fail_with(struct xray_command *command, enum status status, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Opens a log and, if `maps` is not NULL, its names. False: reported.
bool xray_input_open(struct xray_command *command, struct xray_input *input, const char *path,
                     const struct xray_maps *maps);
void xray_input_free(struct xray_input *input);

// Adds the objects of `maps` to names, which xray_names_settle makes ready.
enum status xray_maps_add(const struct xray_maps *maps, struct xray_names *names,
                          struct error *err);

// Opens the logs and names of the command line. False: likewise.
bool xray_command_open(struct xray_command *command);

// Shows the progress of reading the log, which is read `times` times, on a terminal. If the report
// is written meanwhile (`writes`), only if that goes elsewhere. Ended by the report of damage.
void xray_command_watch(struct xray_command *command, struct xray_input *input, unsigned passes,
                        bool writes);

// Measures the calls of a log, and reports exits without entries. False: likewise.
bool xray_command_account(struct xray_command *command, struct xray_input *input,
                          const struct xray_account_options *options, struct xray_account *account);

// The same for all logs of the command line.
bool xray_command_account_all(struct xray_command *command,
                              const struct xray_account_options *options,
                              struct xray_account *account);

// Reports how many exits had no entry, how many calls had no exit and ended with an outer one, and
// how many were left out because such calls did not end (only with the option -d), if any.
void xray_command_unmatched(struct xray_command *command, const struct xray_input *input,
                            const struct xray_exits *exits);

// Reports the damage of a log, around its buffers and inside them, and ends the meter. Call it once
// per log, after reading it.
void xray_command_damage(struct xray_command *command, const struct xray_input *input,
                         const struct trace_damage *inside);

// Reports a function of the log that was shown and is in no map, if there are maps.
void xray_command_unknown_ids(struct xray_command *command, const struct xray_input *input);

// Opens command->out, which xray_command_run closes. False: likewise.
bool xray_command_output(struct xray_command *command);

// Closes the output and sums up, or, if the report has failed, discards it.
void xray_command_end(struct xray_command *command, bool is_done);

// The commands of `trawl xray`, each in its own file.

extern const struct command_spec xray_account_command, xray_stack_command, xray_convert_command;
extern const struct command_spec xray_extract_command, xray_dump_command;
extern const struct command_spec xray_graph_command, xray_graph_diff_command, xray_waits_command;

#endif
