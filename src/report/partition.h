// Directories KEY=NAME, as Hive has them and all who read tables of many files know them.
#ifndef TRAWL_REPORT_PARTITION_H
#define TRAWL_REPORT_PARTITION_H

#include "base/error.h"

#define PARTITION_NAME_BYTES 256 // with a NUL

// Writes KEY=NAME so that it is one name of a file whatever NAME is, and another one for each:
// letters, digits and - + , @ . _ stay, other ASCII becomes %XX, which readers turn back. A name
// that is no clean text, or too long, is made so and ends in ~ and a hash. Without a name (NULL or
// "") it is KEY=-. `key` is short and needs none of that.
void partition_name(char text[PARTITION_NAME_BYTES], const char *key, const char *name);

// A partition in making: a directory of files, "KEY=NAME/part-0.parquet" each, that takes the place
// of an older one when it is whole. Several may be made in one directory at a time, by processes on
// any machine.
struct partition {
    const char *directory; // around it
    char name[PARTITION_NAME_BYTES];
    const char *table, *owner; // what all of its files must be of; owner "": no matter
    int around, inside;        // open directories; -1: none
    void *listing;             // of `inside`: to take it away needs no memory
    bool made_around;          // which was not there before
    char temporary[40];        // its name until then
};

// What files end with that say what they are of, for partition_open to find it again: these keys
// and values of Parquet's.
#define PARTITION_TABLE_KEY "trawl.table"
#define PARTITION_OWNER_KEY "trawl.trace"

// Makes `directory` where it is not there, and in it a partition that is to become `name` (of
// partition_name). STATUS_INPUT: what has that name already is none of ours, of another table, or
// of another owner, unless either has none. The texts are the caller's and stay.
enum status partition_open(struct partition *partition, const char *directory, const char *name,
                           const char *table, const char *owner, struct error *err);

// Appends to the file of a part, by the name of its directory, which is made if `is_new`. No file
// stays open.
enum status partition_append(struct partition *partition, const char *part, bool is_new,
                             const void *bytes, size_t length, struct error *err);

// Gives a part's file its name: nothing more is written to it.
enum status partition_finish(struct partition *partition, const char *part, struct error *err);

// Gives the partition its name, at once, and takes an older one away. Where a file system cannot
// exchange two directories there is none for a moment. Frees it, done or not.
enum status partition_publish(struct partition *partition, struct error *err);

// Leaves nothing of it, nor of the directory around it if that was made and is empty. Does nothing
// after partition_publish.
void partition_abandon(struct partition *partition);

#endif
