// Waveforms as FST, for GTKWave: what is written as a VCD goes through GTKWave's own vcd2fst, as no
// library that Debian has writes the format. A confined process may run no program, so a small
// child is made before, which waits for the name of the file.
#ifndef TRAWL_CMD_FST_H
#define TRAWL_CMD_FST_H

#include "base/error.h"

// Whether an output of that name is to be FST.
bool fst_is_name(const char *path);

// Makes the child. The process has one thread, and is not confined yet.
void fst_begin(void);

// Has the child run vcd2fst. *fd is where the VCD is written to. STATUS_INPUT: there is no
// vcd2fst.
enum status fst_open(const char *path, int *fd, struct error *err);

// Waits until the file is made. It gets its name, where it `is_whole`; else nothing is left of it.
enum status fst_close(bool is_whole, struct error *err);

#endif
