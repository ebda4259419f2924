// Exit statuses of trawl. The tarmac-* names use only 0 and 1, like the original tools.
#ifndef TRAWL_CLI_EXIT_STATUS_H
#define TRAWL_CLI_EXIT_STATUS_H

enum exit_status {
    EXIT_STATUS_DONE = 0,
    EXIT_STATUS_FAILED = 1,  // bad input, or a task that could not be done
    EXIT_STATUS_USAGE = 2,   // an invalid command line
    EXIT_STATUS_DAMAGED = 3, // done, but parts of the input were left out, as reported
    // Of commands whose answer is a status, as of diff(1) and grep(1) (command_spec.answers).
    EXIT_STATUS_DIFFERENT = 1,
    EXIT_STATUS_NO_MATCH = 1,
    EXIT_STATUS_TROUBLE = 2, // instead of EXIT_STATUS_FAILED
};

#endif
