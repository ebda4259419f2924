// The part of `trawl find` for logs of calls, which have neither registers nor memory.
#ifndef TRAWL_CMD_FIND_H
#define TRAWL_CMD_FIND_H

#include "cmd/query.h"

// Parses a condition about calls. False: reported.
bool find_calls_condition(struct command *command, const char *text, struct expression *condition);

// Receives a call at which it holds, with what the condition reads there as text. Returns whether
// to go on.
typedef bool find_call_found(void *self, const char *lane, uint64_t time, uint64_t pc,
                             const char *values);

// Gives all of them, in the order of entries of each lane, or of exits if the condition asks for
// `elapsed`. False: reported.
bool find_in_calls(struct command *command, const struct expression *condition,
                   find_call_found *found, void *self);

#endif
