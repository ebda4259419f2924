// Makes a line of a trace fit for a bug report: keeps its form and hides its contents.
#ifndef TRAWL_TRACE_ANONYMIZE_H
#define TRAWL_TRACE_ANONYMIZE_H

// Replaces each digit of a number, decimal or hexadecimal, by 0, and each letter of words with
// unknown meaning by x. Words that show how the line is written are kept: units, cores, the record,
// names of registers and modes, short words in capitals. Everything after the mnemonic of an
// instruction is removed. Otherwise the length of the text does not change.
void anonymize_line(char *text);

#endif
