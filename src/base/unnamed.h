// A temporary file without a name: however the program ends, nothing is left of it.
#ifndef TRAWL_BASE_UNNAMED_H
#define TRAWL_BASE_UNNAMED_H

// The directory for temporary files: $TMPDIR, else /tmp.
const char *unnamed_directory(void);

// Opens a new one in `directory` for reading and writing, which nobody else can open. -1, with the
// reason in errno, if that fails.
int unnamed_open(const char *directory);

#endif
