// The server for GDB as a whole: any packets, to any bytes as a trace. It ends when the packets do,
// and every packet is answered from an index that may be of nonsense.
//
// Input: lines, each the text of a packet, then an empty line, then the trace.
#include "fuzz.h"

#include "base/limits.h"
#include "gdb/server.h"
#include "session/session_index.h"

#include <fcntl.h>

enum { INPUT_BYTES_MAX = 1 << 13 };

// The packets with their checksums, as a client sends them that wants no acknowledgements.
static int pipe_of(const uint8_t *data, size_t size_bytes)
{
    static const char first[] = "$QStartNoAckMode#b0+";
    static const char digits[] = "0123456789abcdef";
    char *packets = malloc(sizeof first + 5 * size_bytes + 8), *end = packets;
    int ends[2];
    CLAIM(packets && pipe(ends) == 0);
    memcpy(end, first, sizeof first - 1);
    end += sizeof first - 1;
    for (size_t at = 0; at < size_bytes; at++) {
        const uint8_t *line = data + at;
        uint8_t sum = 0;
        *end++ = '$';
        for (; at < size_bytes && data[at] != '\n'; at++) {
            *end++ = (char)data[at];
            sum = (uint8_t)(sum + data[at]);
        }
        CLAIM(data + at >= line);
        *end++ = '#';
        *end++ = digits[sum >> 4];
        *end++ = digits[sum & 15];
    }
    // A pipe holds more than this.
    CLAIM(write(ends[1], packets, (size_t)(end - packets)) == end - packets);
    close(ends[1]);
    free(packets);
    return ends[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct session session;
    struct error err;
    const uint8_t *blank = size_bytes > 1 ? memmem(data, size_bytes, "\n\n", 2) : NULL;
    if (!blank || size_bytes > INPUT_BYTES_MAX)
        return 0;
    const uint8_t *trace = blank + 2;
    session_begin(&session, READING_TRUE, 1);
    session.path = fuzz_file(trace, (size_t)(data + size_bytes - trace));
    session.index.in_memory = true;
    session.index.segment_events = 16;
    session.asks_calls = session.asks_loads = true;
    if (session_open_trace(&session, &err) == STATUS_OK &&
        session_open_images(&session, &err) == STATUS_OK &&
        session_index(&session, INDEX_FOR_ANSWERS, &err) == STATUS_OK) {
        int in = pipe_of(data, (size_t)(blank - data)), nowhere = open("/dev/null", O_WRONLY);
        CLAIM(nowhere >= 0);
        enum status status = gdb_serve(&session, in, nowhere, -1, 0, &err);
        CLAIM(status == STATUS_OK || err.text[0]);
        close(in);
        close(nowhere);
    }
    session_free(&session);
    return 0;
}
