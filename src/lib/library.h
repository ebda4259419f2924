// libtrawl2 (lib/trawl2.h): a face like the servers, for programs that it is linked into.
//
// A trace is a command that has opened its index and stays so; questions about points are asked of
// its session. A report is a command that runs in this process with a host (cli/help.h), which
// gets its table before it becomes text. So all figures are those of the command line: there is no
// second place that counts anything. A report opens the trace again, which takes milliseconds, and
// shares nothing with the trace but the index.
#ifndef TRAWL_LIB_LIBRARY_H
#define TRAWL_LIB_LIBRARY_H

#include "base/words.h"
#include "cmd/query.h"
#include "lib/export.h"
#include "lib/trawl2.h"

struct trawl_trace {
    struct export_owner owner; // first: it is closed with its last scan
    struct command command;
    struct command_spec spec;
    struct command_host host;
    struct words words; // of the command line that opened it
    char *messages;     // behind host.messages
    size_t messages_bytes;
    struct source_lines lines;
};

// Fills `failure`, which may be NULL, and returns what it is.
enum trawl_result library_fail(struct trawl_failure *failure, const struct error *err);
enum trawl_result library_refuse(struct trawl_failure *failure, const char *format, ...)
    PRINTF_LIKE(2, 3);

// The same for a result of the reader of the index.
enum trawl_result library_result(enum trawl_status status, const struct trawl_error *from,
                                 struct trawl_failure *failure);

// The same for a command that ran with a host and failed with `status`: its last error, or else the
// first line of its messages.
enum trawl_result library_host_failure(struct trawl_failure *failure,
                                       const struct command_host *host, const char *messages,
                                       enum exit_status status);

// A structure of the caller, which begins with its size, gets `ours`.
void library_give(void *theirs, const void *ours, size_t our_bytes);

// A structure of the caller (NULL: all zero).
void library_take(void *ours, size_t our_bytes, const void *theirs);

#endif
