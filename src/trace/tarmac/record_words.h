// The words with which records of a trace begin: distinguishes events from the name of the core
// before them, and events that are deliberately ignored from unknown ones.
#ifndef TRAWL_TRACE_TARMAC_RECORD_WORDS_H
#define TRAWL_TRACE_TARMAC_RECORD_WORDS_H

#include "flow/reading.h"
#include "trace/lines/lexer.h"

// Whether the word begins a record that is read: IT, R, MR4, LD, EXC and so on.
bool tarmac_names_record(const struct token *word);

// Whether the word begins a known record of which only the time matters: TTW, BR. READING_TRUE
// knows more of them than the reference tools do.
bool tarmac_names_silent_event(const struct token *word, enum reading reading);

// Whether the word begins a record of a bus cycle, or of an idle cycle of the memory interface:
// BNR4O___, BI, MI.
bool tarmac_names_cycle(const struct token *word);

// Whether the word begins a record of a transaction on the memory bus of a Fast Model: BR8D__PN.
bool tarmac_names_bus_access(const struct token *word);

// Whether "E WORD" is about something other than an exception that was taken: RTL of Cortex-M0 and
// M4 writes INT_NEW_PEND and LEAVE_ATOMIC in the same way as RESET and INT_TAKEN.
bool tarmac_names_no_exception(const struct token *word);

// Whether the word is the name of a core, judged by its form. The name between the time of a line
// and its record can be anything (cluster0.cpu0, core2). `behind` is the word after it.
bool tarmac_names_core(const struct token *word, const struct token *behind);

#endif
