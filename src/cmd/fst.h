// Waveforms as FST, for GTKWave: the VCD is piped through GTKWave's own vcd2fst, because no library
// in Debian writes the format. A confined process cannot run programs, so a small child process is
// started before, which waits for the name of the file.
#ifndef TRAWL_CMD_FST_H
#define TRAWL_CMD_FST_H

#include "base/error.h"

// Whether an output of that name is to be FST.
bool fst_is_name(const char *path);

// Starts the child. The process must have one thread, and not be confined yet.
void fst_begin(void);

// Makes the child run vcd2fst. Write the VCD to *fd. STATUS_INPUT: there is no vcd2fst.
enum status fst_open(const char *path, int *fd, struct error *err);

// Waits until the file is made. If `is_whole`, it gets its name; otherwise it is removed.
enum status fst_close(bool is_whole, struct error *err);

#endif
