// What a file is to trawl, by its first bytes: for messages about one that is given in place of
// another.
#ifndef TRAWL_IDX_FILE_ROLE_H
#define TRAWL_IDX_FILE_ROLE_H

#include "base/error.h"

// The beginning of an index of the Tarmac Trace Utilities, of any version of their format.
#define TTU_INDEX_START "TarmacIndexV"

// Enough for a description, below.
#define FILE_ROLE_TEXT_BYTES 128

enum file_role {
    ROLE_OTHER, // a file of others, a directory, nothing that can be read
    ROLE_INDEX,
    ROLE_PART,
    ROLE_SURVEY,
    ROLE_TTU_INDEX, // of the Tarmac Trace Utilities
};

// Of a file of `size_bytes`, of which the first `have_bytes` are given. Whether a part is a survey
// shows in INDEX_HEADER_BYTES.
enum file_role file_role(const void *start, size_t have_bytes, uint64_t size_bytes);

// Of the file of that name, or of an open one. Never waits, even if it is a pipe or a device.
enum file_role file_role_at(const char *path);
enum file_role file_role_of(int fd);

// "is a survey (for 'trawl index --shard K/N --after'), not an index of trawl": of one that is not
// what is wanted, which is ROLE_INDEX, ROLE_PART or ROLE_SURVEY. To go after its name.
void file_role_describe(enum file_role role, enum file_role wanted,
                        char text[FILE_ROLE_TEXT_BYTES]);

// The same as an error.
enum status file_role_refuse(const char *path, enum file_role role, enum file_role wanted,
                             struct error *err);

#endif
