// What a client of GDB's protocol may send, as any bytes: packets end in time and within their
// limits, what is answered can be read again, and conditions in the bytecode of agents end, without
// reading what is not there.
#include "fuzz.h"

#include "gdb/run.h"
#include "gdb/server.h"

#include <fcntl.h>
#include <unistd.h>

enum { PIPE_BYTES_MAX = 60 << 10 }; // what a pipe holds

static bool read_register(void *self, uint32_t number, uint64_t *value)
{
    (void)self;
    *value = number * UINT64_C(0x9E3779B97F4A7C15);
    return number < 40;
}

static bool read_memory(void *self, uint64_t address, size_t size_bytes, uint8_t *bytes)
{
    (void)self;
    for (size_t i = 0; i < size_bytes; i++)
        bytes[i] = (uint8_t)(address + i);
    return address < 1 << 20;
}

static void check_agent(const uint8_t *data, size_t size_bytes)
{
    const struct gdb_agent agent = {data, size_bytes};
    const struct gdb_agent_reader reader = {NULL, false, read_register, read_memory};
    uint64_t first, second;
    bool is_known = gdb_agent_value(&agent, &reader, &first);
    CLAIM(gdb_agent_value(&agent, &reader, &second) == is_known);
    CLAIM(!is_known || first == second);
}

static int pipe_with(const void *bytes, size_t size_bytes)
{
    int ends[2];
    CLAIM(pipe(ends) == 0);
    CLAIM(write(ends[1], bytes, size_bytes) == (ssize_t)size_bytes);
    close(ends[1]);
    return ends[0];
}

// What is sent is what another link receives.
static void check_echo(const char *bytes, size_t size_bytes)
{
    static struct gdb_link from, to;
    int ends[2];
    CLAIM(pipe(ends) == 0);
    gdb_link_begin(&from, -1, ends[1]);
    from.acks = false;
    gdb_link_send(&from, bytes, size_bytes);
    close(ends[1]);
    gdb_link_begin(&to, ends[0], -1);
    to.acks = false;
    CLAIM(gdb_link_receive(&to));
    CLAIM(to.packet_bytes == size_bytes && memcmp(to.packet, bytes, size_bytes) == 0);
    close(ends[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static struct gdb_link link;
    int nowhere = open("/dev/null", O_WRONLY);
    CLAIM(nowhere >= 0);
    size_bytes = size_bytes < PIPE_BYTES_MAX ? size_bytes : PIPE_BYTES_MAX;
    check_agent(data, size_bytes);
    int in = pipe_with(data, size_bytes);
    gdb_link_begin(&link, in, nowhere);
    link.acks = size_bytes % 2;
    while (gdb_link_receive(&link)) {
        CLAIM(link.packet_bytes <= LIMIT_GDB_PACKET_BYTES && !link.packet[link.packet_bytes]);
        check_agent((const uint8_t *)link.packet, link.packet_bytes);
        if (link.packet_bytes < PIPE_BYTES_MAX / 2)
            check_echo(link.packet, link.packet_bytes);
        gdb_link_wants_end(&link);
    }
    CLAIM(link.has_ended);
    close(in);
    close(nowhere);
    return 0;
}
