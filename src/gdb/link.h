// The connection to GDB: packets of its remote serial protocol ("$text#checksum") over a pair of
// descriptors, a socket or standard input and output.
//
// Everything that comes from the other end is hostile: a packet is at most LIMIT_GDB_PACKET_BYTES,
// a longer one and one with a wrong checksum are asked for again, and no wait for an
// acknowledgement lasts longer than LIMIT_GDB_ACK_S.
#ifndef TRAWL_GDB_LINK_H
#define TRAWL_GDB_LINK_H

#include "base/base.h"
#include "base/limits.h"

struct gdb_link {
    int in, out;
    bool acks;           // each packet is acknowledged, until GDB turns that off
    bool is_interrupted; // GDB wants the current command to end
    bool has_ended;      // the other end is gone, or cannot be understood
    size_t used, at;     // of the bytes that were read
    char bytes[4096];
    char packet[LIMIT_GDB_PACKET_BYTES + 1]; // the last packet, with a NUL
    size_t packet_bytes;
};

void gdb_link_begin(struct gdb_link *link, int in, int out);

// Waits for the next packet, whose text is then in link->packet. False: the connection has ended.
bool gdb_link_receive(struct gdb_link *link);

// Sends a packet with any bytes. Failures end the connection.
void gdb_link_send(struct gdb_link *link, const void *bytes, size_t size_bytes);

// Whether GDB has sent an interrupt since the last packet, or has gone; does not wait. For searches
// that take long.
bool gdb_link_wants_end(struct gdb_link *link);

#endif
