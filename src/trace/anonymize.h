// A line of a trace for bug reports: its form, without its contents.
#ifndef TRAWL_TRACE_ANONYMIZE_H
#define TRAWL_TRACE_ANONYMIZE_H

// Makes 0 of each digit of a number, decimal or hexadecimal, and x of each letter of words that may
// be anything. What stays are the words that say how the line is written: units, cores, the record,
// names of registers and modes, short words in capitals. Of an instruction nothing after its
// mnemonic stays. The text keeps its length otherwise.
void anonymize_line(char *text);

#endif
