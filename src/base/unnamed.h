// A temporary file that has no name: whatever ends the program, nothing is left of it.
#ifndef TRAWL_BASE_UNNAMED_H
#define TRAWL_BASE_UNNAMED_H

// The directory for temporary files: $TMPDIR, else /tmp.
const char *unnamed_directory(void);

// Opens a new one in `directory` for reading and writing, which nobody else can open. -1, with the
// reason in errno, if there is no place for it.
int unnamed_open(const char *directory);

#endif
