// An index of any bytes: every question has an answer or is refused, in bounded time. In fuzzing
// builds, the checksums of columns and tables always fit, so that changed bytes pass them; this
// target corrects the size and version in the header.
//
// Input: the bytes of an index.
#include "idx/index_format.h"
#include "questions.h"

enum { SIZE_BYTES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct trawl_index *index;
    if (size_bytes < INDEX_HEADER_BYTES || size_bytes > SIZE_BYTES_MAX)
        return 0;
    char *bytes = fuzz_copy(data, size_bytes);
    memcpy(bytes, INDEX_MAGIC, 8);
    bytes[8] = INDEX_MAJOR;
    bytes[9] = 0;
    for (unsigned i = 0; i < 8; i++)
        bytes[16 + i] = (char)((uint64_t)size_bytes >> 8 * i);
    if (trawl_open_bytes(&index, "fuzz", bytes, size_bytes, NULL) == TRAWL_OK) {
        ask_all(index);
        trawl_close(index);
    }
    free(bytes);
    return 0;
}
