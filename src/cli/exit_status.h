// Exit statuses of trawl. The tarmac-* names use only 0 and 1, like the original tools.
#ifndef TRAWL_CLI_EXIT_STATUS_H
#define TRAWL_CLI_EXIT_STATUS_H

enum exit_status {
    EXIT_STATUS_DONE = 0,
    EXIT_STATUS_FAILED = 1,  // bad input, or a job that could not be done
    EXIT_STATUS_USAGE = 2,   // an invalid command line
    EXIT_STATUS_DAMAGED = 3, // done, but parts of the input were left out, and said so
    // Of commands that compare, as diff(1) has them (command_spec.compares).
    EXIT_STATUS_DIFFERENT = 1,
    EXIT_STATUS_TROUBLE = 2, // in place of EXIT_STATUS_FAILED
};

#endif
