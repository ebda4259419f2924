// The connection to GDB: packets of its remote serial protocol ("$text#checksum") over a pair of
// descriptors, a socket or standard input and output.
//
// Everything that comes from the other end is hostile: a packet is at most LIMIT_GDB_PACKET_BYTES,
// a longer one and one with a wrong checksum are asked for again, and no wait for the rest of a
// packet or for an acknowledgement lasts longer than LIMIT_GDB_ACK_S.
//
// One client is served at a time. It may be silent for days, as people are who think; but if
// another one waits, it has to give way after LIMIT_GDB_IDLE_S of silence, and in any case after
// LIMIT_GDB_TURN_S.
#include "gdb/server.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { INTERRUPT = 3, ESCAPE = '}', ESCAPE_XOR = 0x20, TRIES = 8 };

static int64_t now_s(void)
{
    return (int64_t)(monotonic_ns() / NS_PER_S);
}

void gdb_link_begin(struct gdb_link *link, int in, int out)
{
    link->in = in;
    link->out = out;
    link->rivals = -1;
    link->idle_s = LIMIT_GDB_IDLE_S;
    link->turn_s = LIMIT_GDB_TURN_S;
    link->began_s = link->last_s = now_s();
    link->acks = true;
    link->is_interrupted = link->has_ended = false;
    link->used = link->at = link->packet_bytes = 0;
}

// --- Bytes ---------------------------------------------------------------------------------------

// Reads more bytes, of which at least one has come within a time; -1: there is no limit. False:
// none has, or the connection has ended.
static bool fill(struct gdb_link *link, int wait_ms)
{
    struct pollfd wait = {.fd = link->in, .events = POLLIN};
    int ready;
    while ((ready = poll(&wait, 1, wait_ms)) < 0 && errno == EINTR) {
    }
    if (ready <= 0)
        return false;
    ssize_t got;
    while ((got = read(link->in, link->bytes, sizeof link->bytes)) < 0 && errno == EINTR) {
    }
    link->at = 0;
    link->used = got > 0 ? (size_t)got : 0;
    link->has_ended |= got <= 0;
    return got > 0;
}

// The next byte, or -1.
static int next_byte(struct gdb_link *link, int wait_ms)
{
    if (link->at == link->used && !fill(link, wait_ms))
        return -1;
    return (unsigned char)link->bytes[link->at++];
}

// Waits until bytes come, or until the client has to give way. False: it has to.
static bool wait_in_turn(struct gdb_link *link)
{
    struct pollfd ends[] = {{.fd = link->in, .events = POLLIN},
                            {.fd = link->rivals, .events = POLLIN}};
    bool is_wanted = false; // by others
    while (link->at == link->used && link->rivals >= 0) {
        const int64_t now = now_s();
        int64_t left_s = link->last_s + link->idle_s - now;
        if (left_s > link->began_s + link->turn_s - now)
            left_s = link->began_s + link->turn_s - now;
        if (is_wanted && left_s <= 0)
            return false;
        int ready = poll(ends, is_wanted ? 1 : 2, is_wanted ? (int)left_s * 1000 : -1);
        is_wanted |= ready > 0 && ends[1].revents;
        if (ready > 0 && ends[0].revents)
            return !is_wanted || left_s > 0; // who is busy without end gives way, too
    }
    return true;
}

static void put(struct gdb_link *link, const void *bytes, size_t size_bytes)
{
    const char *at = bytes;
    while (size_bytes && !link->has_ended) {
        ssize_t done = write(link->out, at, size_bytes);
        if (done < 0 && errno == EINTR)
            continue;
        link->has_ended = done <= 0;
        at += done > 0 ? done : 0;
        size_bytes -= done > 0 ? (size_t)done : 0;
    }
}

// --- Packets -------------------------------------------------------------------------------------

// The next byte of a packet that has to end by a time, or -1, which ends the connection.
static int next_in_packet(struct gdb_link *link, int64_t until_s)
{
    if (link->at < link->used)
        return (unsigned char)link->bytes[link->at++];
    int64_t left_s = until_s - now_s();
    int byte = left_s > 0 ? next_byte(link, (int)left_s * 1000) : -1;
    link->has_ended |= byte < 0;
    return byte;
}

// Reads what follows '$'. False: it is damaged, too long, or the connection has ended.
static bool read_text(struct gdb_link *link)
{
    uint8_t sum = 0;
    bool is_whole = true, is_escaped = false;
    int byte;
    const int64_t until_s = now_s() + LIMIT_GDB_ACK_S;
    link->packet_bytes = 0;
    while ((byte = next_in_packet(link, until_s)) >= 0 && byte != '#') {
        if (byte == '$') { // the rest of the packet before it is lost
            sum = 0;
            is_whole = true;
            is_escaped = false;
            link->packet_bytes = 0;
            continue;
        }
        sum = (uint8_t)(sum + byte);
        if (byte == ESCAPE && !is_escaped) {
            is_escaped = true;
            continue;
        }
        is_whole &= link->packet_bytes < LIMIT_GDB_PACKET_BYTES;
        if (is_whole)
            link->packet[link->packet_bytes++] = (char)(is_escaped ? byte ^ ESCAPE_XOR : byte);
        is_escaped = false;
    }
    int high = hex_digit(next_in_packet(link, until_s));
    int low = hex_digit(next_in_packet(link, until_s));
    link->packet[link->packet_bytes] = '\0';
    return byte == '#' && is_whole && !is_escaped && high >= 0 && low >= 0 &&
           (!link->acks || sum == high * 16 + low);
}

bool gdb_link_receive(struct gdb_link *link)
{
    int byte;
    while (!link->has_ended && wait_in_turn(link) && (byte = next_byte(link, -1)) >= 0) {
        // An interrupt between two commands has nothing to end.
        if (byte != '$')
            continue;
        bool is_sound = read_text(link);
        if (link->has_ended)
            break;
        if (link->acks)
            put(link, is_sound ? "+" : "-", 1);
        link->is_interrupted = false;
        link->last_s = now_s();
        if (is_sound)
            return !link->has_ended;
    }
    link->has_ended = true;
    return false;
}

static bool is_special(unsigned char byte)
{
    return byte == '#' || byte == '$' || byte == ESCAPE || byte == '*';
}

static void send_once(struct gdb_link *link, const unsigned char *bytes, size_t size_bytes)
{
    static const char digits[] = "0123456789abcdef";
    char text[512];
    size_t used = 0;
    uint8_t sum = 0;
    put(link, "$", 1);
    for (size_t i = 0; i < size_bytes; i++) {
        if (used + 2 > sizeof text) {
            put(link, text, used);
            used = 0;
        }
        if (is_special(bytes[i])) {
            text[used++] = ESCAPE;
            sum = (uint8_t)(sum + ESCAPE);
        }
        text[used] = (char)(is_special(bytes[i]) ? bytes[i] ^ ESCAPE_XOR : bytes[i]);
        sum = (uint8_t)(sum + (unsigned char)text[used++]);
    }
    put(link, text, used);
    const char end[] = {'#', digits[sum >> 4], digits[sum & 15]};
    put(link, end, sizeof end);
}

void gdb_link_send(struct gdb_link *link, const void *bytes, size_t size_bytes)
{
    for (int tries = 0; tries < TRIES && !link->has_ended; tries++) {
        send_once(link, bytes, size_bytes);
        if (!link->acks)
            return;
        int byte;
        while ((byte = next_byte(link, LIMIT_GDB_ACK_S * 1000)) >= 0 && byte != '+' &&
               byte != '-' && byte != '$')
            link->is_interrupted |= byte == INTERRUPT;
        if (byte == '$') // the next command; it was understood
            link->at--;
        if (byte == '+' || byte == '$')
            return;
        if (byte < 0)
            break;
    }
    link->has_ended = true;
}

bool gdb_link_wants_end(struct gdb_link *link)
{
    if (link->at == link->used)
        fill(link, 0);
    if (link->at < link->used && link->bytes[link->at] == INTERRUPT) {
        link->at++;
        link->is_interrupted = true;
    }
    return link->is_interrupted || link->has_ended;
}
