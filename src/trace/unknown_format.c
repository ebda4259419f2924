#include "trace/unknown_format.h"

#include "idx/file_role.h"
#include "idx/shard_format.h"

#include "base/base.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC(text) text, sizeof(text) - 1

#define OTHER_CTF "of which trawl reads only those of GDB's 'tsave -ctf'"

// For commands that read only logs.
#define XRAY_PROFILE "is a profile by XRay's profiling mode, not a log; 'trawl profile' reads it"

// No line of a trace begins with one of these.
static const struct {
    const char *magic;
    size_t size_bytes;
    const char *kind;
} kinds[] = {
    {MAGIC("\x7f"
           "ELF"),
     "is an ELF image, not a trace; give images by --image"},
    {MAGIC(INDEX_MAGIC), "is an index of trawl; give the trace that it was made from"},
    {MAGIC(SHARD_MAGIC),
     "is a part of an index, or a survey, of trawl; give the trace that it was made from"},
    {MAGIC(TTU_INDEX_START),
     "is an index of the Tarmac Trace Utilities; give the trace that it was made from"},
    {MAGIC("\x1f\x8b"), "is compressed; decompress it first: 'gzip -dc FILE | trawl COMMAND -'"},
    {MAGIC("\x28\xb5\x2f\xfd"),
     "is compressed; decompress it first: 'zstd -dc FILE | trawl COMMAND -'"},
    {MAGIC("\xfd"
           "7zXZ"),
     "is compressed; decompress it first: 'xz -dc FILE | trawl COMMAND -'"},
    {MAGIC("BZh"), "is compressed; decompress it first: 'bzip2 -dc FILE | trawl COMMAND -'"},
    {MAGIC("\x04\x22\x4d\x18"),
     "is compressed; decompress it first: 'lz4 -dc FILE | trawl COMMAND -'"},
    {MAGIC("\xff\xfe"),
     "is UTF-16 text; convert it first: 'iconv -f UTF-16 -t UTF-8 FILE | trawl COMMAND -'"},
    {MAGIC("\xfe\xff"),
     "is UTF-16 text; convert it first: 'iconv -f UTF-16 -t UTF-8 FILE | trawl COMMAND -'"},
    {MAGIC("forpyarx"), XRAY_PROFILE},
    {MAGIC("xrayprof"), XRAY_PROFILE},
    {MAGIC("\xc1\x1f\xfc\xc1"), "is a stream in the Common Trace Format, " OTHER_CTF},
    {MAGIC("\xc1\xfc\x1f\xc1"), "is a stream in the Common Trace Format, " OTHER_CTF},
    {MAGIC("PERFILE2"), "is a recording by perf, whose samples are no trace of instructions"},
    {MAGIC("PK\x03\x04"), "is compressed; decompress it first: 'unzip -p FILE | trawl COMMAND -'"},
};

const char *unknown_format_of_directory(const char *path)
{
    struct stat about;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return NULL;
    bool is_ctf = fstatat(directory, "metadata", &about, 0) == 0 && S_ISREG(about.st_mode);
    close(directory);
    return is_ctf ? "is a trace in the Common Trace Format, " OTHER_CTF : NULL;
}

const char *unknown_format_of(const void *data, uint64_t size_bytes)
{
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
        if (size_bytes >= kinds[i].size_bytes && !memcmp(data, kinds[i].magic, kinds[i].size_bytes))
            return kinds[i].kind;
    return NULL;
}
