// Directories named KEY=NAME, as in Hive, which all readers of tables in many files understand.
#ifndef TRAWL_REPORT_PARTITION_H
#define TRAWL_REPORT_PARTITION_H

#include "base/error.h"

#define PARTITION_NAME_BYTES 256 // including the NUL

// Writes KEY=NAME so that it is a valid name of one file for any NAME, and different for each:
// letters, digits and - + , @ . _ stay; other ASCII characters become %XX, which readers decode. A
// name that is not clean text, or too long, is cleaned or cut, and ends in ~ and a hash. Without a
// name (NULL or "") the result is KEY=-. `key` must be short and need no escapes.
void partition_name(char text[PARTITION_NAME_BYTES], const char *key, const char *name);

// A partition that is being written: a directory of files "KEY=NAME/part-0.parquet", which replaces
// an older one when it is complete. Several can be written in one directory at the same time, by
// processes on any machine.
struct partition {
    const char *directory; // that contains the partition
    char name[PARTITION_NAME_BYTES];
    const char *table, *owner; // that all of its files must belong to; owner "": any
    int around, inside;        // open directories; -1: none
    void *listing;             // of `inside`, so that removing it needs no memory
    bool made_around;          // the directory around it was made by us
    char temporary[40];        // the name until it is complete
};

// The keys of Parquet metadata at the end of files by which partition_open finds out what an
// existing file belongs to.
#define PARTITION_TABLE_KEY "trawl.table"
#define PARTITION_OWNER_KEY "trawl.trace"

// Makes `directory` if it does not exist, and in it a partition that will be named `name` (from
// partition_name). STATUS_INPUT: what has that name was not written by trawl, or belongs to another
// table, or to another owner (unless one of the two has no owner). The texts belong to the caller,
// and must stay valid.
enum status partition_open(struct partition *partition, const char *directory, const char *name,
                           const char *table, const char *owner, struct error *err);

// Appends to the file of a part, in the directory of that name, which is made if `is_new`. No file
// stays open.
enum status partition_append(struct partition *partition, const char *part, bool is_new,
                             const void *bytes, size_t length, struct error *err);

// Gives the file of a part its name: nothing more will be written to it.
enum status partition_finish(struct partition *partition, const char *part, struct error *err);

// Gives the partition its name in one step, and removes an older one. If the file system cannot
// exchange two directories, neither has the name for a moment. Frees the partition in any case.
enum status partition_publish(struct partition *partition, struct error *err);

// Removes the partition, and the directory around it if partition_open made that and it is empty.
// Does nothing after partition_publish.
void partition_abandon(struct partition *partition);

#endif
