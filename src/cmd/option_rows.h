// Options of several commands, as rows of their tables (cli/options.h), so that each is worded
// only once.
#ifndef TRAWL_CMD_OPTION_ROWS_H
#define TRAWL_CMD_OPTION_ROWS_H

#include "cli/options.h"
#include "cmd/command.h"

#define ROW_AT                                                                                     \
    OPTION_AT, 0, "at", "POS",                                                                     \
        "line:N, time:N, event:N, byte:N, pc:ADDR[#K], start or end (default); where registers "   \
        "of an ADDR are read, too"
#define ROW_BIG_ENDIAN OPTION_BIG_ENDIAN, 0, "bi", NULL, "the trace comes from a big-endian core"
// Taken for older scripts, and not listed: the default, or only of use to who compares with the
// programs under whose names the help has them (docs/version-2.md).
#define ROW_DEDUCE OPTION_DEDUCE, 0, "deduce-sibling-calls", NULL, NULL
#define ROW_DEMANGLE                                                                               \
    OPTION_DEMANGLE, 0, "demangle", NULL,                                                          \
        "show C++, Rust and D names as in the source (default for XRay logs)"
// Events of the trace, as in event:N, have another name than those of a lane; ROW_OLD_EVENTS is the
// name that these had before (docs/version-2.md).
#define LANE_EVENTS_HELP "only from event A to event B of each core or thread, counted from 0"
#define ROW_LANE_EVENTS OPTION_EVENTS, 0, "lane-events", "A..B", LANE_EVENTS_HELP
#define ROW_OLD_EVENTS OPTION_OLD_EVENTS, 0, "events", "A..B", NULL
#define ROW_FORCE_IMAGE                                                                            \
    OPTION_FORCE_IMAGE, 0, "force-image", NULL,                                                    \
        "use names even from images whose instructions differ from those in the trace"
#define ROW_FORMAT OPTION_FORMAT, 0, "format", "FORMAT", "table (default), csv or json"
#define ROW_FORMAT_WITHOUT_CSV OPTION_FORMAT, 0, "format", "FORMAT", "table (default) or json"
#define ROW_HIDDEN_CHUNK_SIZE OPTION_CHUNK_SIZE, 0, "chunk-size", "SIZE", NULL
#define ROW_HIDDEN_ONLY_INDEX OPTION_ONLY_INDEX, 0, "only-index", NULL, NULL
#define ROW_HIDDEN_SEGMENT_EVENTS OPTION_SEGMENT_EVENTS, 0, "segment-events", "N", NULL
#define ROW_HIDDEN_THREADS OPTION_THREADS, 0, "threads", "N", NULL
#define ROW_HIDE                                                                                   \
    OPTION_HIDE, 0, "hide", "FUNCTION",                                                            \
        "leave out calls of this function, everything that they call, and their time: its name, "  \
        "a pattern (*), or its address; may be given several times. Handlers that interrupt it "   \
        "are "                                                                                     \
        "kept"
#define ROW_IMAGE                                                                                  \
    OPTION_IMAGE, 0, "image", "[CORE=|SPACE=]FILE[@OFFSET]",                                       \
        "ELF file with the symbols of the program, or symbols as text (nm, System.map, a "         \
        "linker's map), moved by OFFSET, run only by CORE, or in the address space with SPACE in " \
        "its name; may be given several times"
#define ROW_IMPLICIT_THUMB                                                                         \
    OPTION_IMPLICIT_THUMB, 0, "implicit-thumb", NULL,                                              \
        "instruction lines may lack the instruction-set state: it is Thumb"
#define ROW_ISA                                                                                    \
    OPTION_ISA, 0, "isa", "rv32|rv64",                                                             \
        "the width of RISC-V harts, where neither the log nor an image shows it"
#define ROW_NO_IMAGE_MEMORY                                                                        \
    OPTION_NO_IMAGE_MEMORY, 0, "no-image-memory", NULL,                                            \
        "memory is only what the trace shows, not also what read-only sections of images have"
#define ROW_PHYSICAL OPTION_PHYSICAL, 0, "physical", NULL, "addresses of memory are physical ones"
#define ROW_SPACE                                                                                  \
    OPTION_SPACE, 0, "space", "NAME",                                                              \
        "addresses of memory are those of this address space, by a part of its name in 'trawl "    \
        "doctor' (ttbr0_el1=0x81000000), not of the one that the core has at the point"
#define ROW_TASK_KEY                                                                               \
    OPTION_TASK_KEY, 0, "task-key", "EXPR",                                                        \
        "what says which task runs, where the trace does not show it by "                          \
        "itself: a variable of the kernel (pxCurrentTCB, u32(0x20000100)) or a system register "   \
        "(TTBR0_EL1, CONTEXTIDR_EL1, TPIDR_EL1); kept in the index"
#define ROW_OS                                                                                     \
    OPTION_OS, 0, "os", "SYSTEM|FILE",                                                             \
        "whose tasks these are: freertos, threadx, zephyr, linux, one of a file, or none "         \
        "(default: the one whose types an image has; docs/os.md)"
#define ROW_LANE OPTION_LANE, 0, "lane", "NAME", "only this core, by its name in the trace (cpu0)"
#define ROW_LITTLE_ENDIAN OPTION_LITTLE_ENDIAN, 0, "li", NULL, NULL
#define ROW_LOAD_OFFSET                                                                            \
    OPTION_LOAD_OFFSET, 0, "load-offset", "OFFSET", "OFFSET for images that are given without one"
#define ROW_INLINES                                                                                \
    OPTION_INLINES, 0, "inlines", NULL, "show functions that were inlined as frames of their own"
#define ROW_LINES                                                                                  \
    OPTION_LINES, 0, "lines", NULL, "tell frames apart by source line: 'main main.c:12'"
#define ROW_NO_DEMANGLE                                                                            \
    OPTION_NO_DEMANGLE, 0, "no-demangle", NULL, "show names as the images have them"
#define ROW_NO_OFFSETS OPTION_NO_OFFSETS, 0, "no-offsets", NULL, NULL
#define ROW_OPEN_FRAMES OPTION_OPEN_FRAMES, 0, "open-frames", NULL, NULL
#define ROW_OUTPUT OPTION_OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output"
#define ROW_QUIET OPTION_QUIET, 'q', "quiet", NULL, "no progress meter"
#define ROW_RETURNED_ONLY                                                                          \
    OPTION_RETURNED_ONLY, 0, "returned-only", NULL,                                                \
        "leave out calls that have not returned when the trace ends"
#define ROW_STRICT OPTION_STRICT, 0, "strict", NULL, "stop at the first line that cannot be read"
#define ROW_STRIP_PREFIX                                                                           \
    OPTION_STRIP_PREFIX, 0, "strip-prefix", "REGEX",                                               \
        "lines begin with text that a simulator or a logger put there (\"# \"): read them after "  \
        "the longest beginning that this extended regular expression matches; 'trawl doctor' "     \
        "finds one"
#define ROW_THREADS                                                                                \
    OPTION_THREADS, 0, "threads", "N", "worker threads (default: one for each processor)"
#define ROW_WIDE                                                                                   \
    OPTION_WIDE, 0, "wide", NULL, "do not cut names in tables to fit the terminal, or $COLUMNS"
#define ROW_TIME OPTION_TIME, 0, "time", "A..B", "only from time A to time B"

// Those of the Tarmac Trace Utilities, in their words.
#define TTU_BIG_ENDIAN                                                                             \
    OPTION_BIG_ENDIAN, 0, "bi", NULL, "assume trace is from a big-endian platform"
#define TTU_DEBUG                                                                                  \
    OPTION_DEBUG, 0, "debug", "TYPE",                                                              \
        "enable diagnostics of type TYPE (use --debug=list for a list)"
#define TTU_IMAGE OPTION_IMAGE, 0, "image", "IMAGEFILE", "image file name"
#define TTU_IMPLICIT_THUMB                                                                         \
    OPTION_IMPLICIT_THUMB, 0, "implicit-thumb", NULL,                                              \
        "assume trace is from a Thumb-only platform and might omit the instruction set state "     \
        "from trace records"
#define TTU_INDEX OPTION_INDEX, 0, "index", "INDEXFILE", "index file name"
#define TTU_LITTLE_ENDIAN                                                                          \
    OPTION_LITTLE_ENDIAN, 0, "li", NULL, "assume trace is from a little-endian platform"
#define TTU_LOAD_OFFSET                                                                            \
    OPTION_LOAD_OFFSET, 0, "load-offset", "OFFSET",                                                \
        "offset from addresses in the image file to addresses in the trace"
#define TTU_QUIET OPTION_QUIET, 'q', "quiet", NULL, "make tool quiet"
#define TTU_SHOW_PROGRESS                                                                          \
    OPTION_SHOW_PROGRESS, 0, "show-progress-meter", NULL, "force display of the progress meter"
#define TTU_VERBOSE OPTION_VERBOSE, 'v', "verbose", NULL, "make tool more verbose"

// For command_spec.describe_input, with `needs` of enum trace_ability: lists all kinds of traces
// with these abilities, so that the help cannot be wrong.
void trace_inputs_describe(const struct command_spec *spec, char text[OPTION_INPUT_BYTES]);

// --- Which options apply to which traces, by the capabilities of a trace -------------------------

// A row of a command's own table, which takes precedence over that for all commands; 0 ends it.
struct option_need {
    int option;
    unsigned needs;   // abilities that a trace must have (enum trace_ability)
    unsigned without; // and must not have
};

// For a trace whose kind is known. False: a given option does not apply to it, which is reported.
bool option_needs_check(struct command *command);

#endif
