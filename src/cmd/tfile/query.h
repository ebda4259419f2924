// What single questions about GDB trace files share: the frame that POS names, and what was asked
// for. A frame is an event; its tracepoint is its lane.
#ifndef TRAWL_CMD_TFILE_QUERY_H
#define TRAWL_CMD_TFILE_QUERY_H

#include "cmd/query.h"
#include "cmd/tfile/commands.h"
#include "cmd/tfile/names.h"

// The frame of a position as it was typed for `option`, NULL for the last one: event:N, byte:N,
// pc:ADDR#K, end. False: told, *status is what to end with.
bool query_tfile_frame(struct query *query, const char *option, const char *text, uint64_t *number,
                       enum exit_status *status);

// Memory as it was typed, ADDR or ADDR:SIZE, with the registers of a frame; *size_bytes is at most
// QUERY_MEMORY_BYTES_MAX. Of a register only its place is filled, with *is_register. False:
// likewise.
bool query_tfile_location(struct query *query, const char *option, const char *text,
                          uint64_t number, struct location *location, uint64_t *address,
                          enum exit_status *status);

#endif
