// The manual page of a command in mdoc(7), from the table that its help is made from.
#ifndef TRAWL_CLI_MANUAL_H
#define TRAWL_CLI_MANUAL_H

#include "cli/command_spec.h"

#include <stdio.h>

// The details of a page that are not in the table.
struct manual_edition {
    const char *version; // as "1.1.0"
    const char *date;    // as in "November 22, 2026"
};

// Room for the name of a page, with its NUL.
#define MANUAL_NAME_BYTES 64

// The name of a command's page: "trawl-xray-account", "tarmac-profile"; of `trawl` itself, which is
// NULL, "trawl".
void manual_name(const struct command_spec *command, char name[MANUAL_NAME_BYTES]);

// Prints the page of a command.
void manual_print(FILE *out, const struct command_spec *command,
                  const struct manual_edition *edition);

// Prints the page of a family of commands, by its list; NULL: of trawl itself.
void manual_print_family(FILE *out, const struct command_spec *family,
                         const struct command_spec *const *commands,
                         const struct manual_edition *edition);

#endif
