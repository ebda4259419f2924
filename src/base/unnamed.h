// A temporary file without a name: nothing is left of it when the program ends, for any reason.
#ifndef TRAWL_BASE_UNNAMED_H
#define TRAWL_BASE_UNNAMED_H

// The directory for temporary files: $TMPDIR, or else /tmp.
const char *unnamed_directory(void);

// Opens a new file in `directory` for reading and writing, which no other process can open. -1: not
// possible, for the reason in errno.
int unnamed_open(const char *directory);

#endif
