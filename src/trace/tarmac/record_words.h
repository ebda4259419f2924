// The words that records of a trace begin with: what tells an event from the name of the core in
// front of it, and one that says nothing to us on purpose from one that we do not know.
#ifndef TRAWL_TRACE_TARMAC_RECORD_WORDS_H
#define TRAWL_TRACE_TARMAC_RECORD_WORDS_H

#include "flow/reading.h"
#include "trace/tarmac/lexer.h"

// Whether the word begins a record that is read: IT, R, MR4, LD, EXC and so on.
bool tarmac_names_record(const struct token *word);

// Whether the word begins a record that we know and that only its time matters of: TTW, BR.
// READING_RIGHT knows more of them than the reference tools do.
bool tarmac_names_silent_event(const struct token *word, enum reading reading);

// Whether the word begins a record of a cycle of the bus, or an idle one of the memory interface:
// BNR4O___, BI, MI.
bool tarmac_names_cycle(const struct token *word);

// Whether the word begins a record of a transaction on the memory bus of a Fast Model: BR8D__PN.
bool tarmac_names_bus_access(const struct token *word);

// Whether "E WORD" tells of something else than an exception that was taken: RTL of Cortex-M0 and
// M4 writes INT_NEW_PEND and LEAVE_ATOMIC as it does RESET and INT_TAKEN.
bool tarmac_names_no_exception(const struct token *word);

// Whether the word is the name of a core, by how it is written: what is between the time of a
// line and its record may have any name (cluster0.cpu0, core2). `after` is the word after it.
bool tarmac_names_core(const struct token *word, const struct token *behind);

#endif
