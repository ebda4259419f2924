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
#ifndef TRAWL_GDB_LINK_H
#define TRAWL_GDB_LINK_H

#include "base/base.h"
#include "base/limits.h"

struct gdb_link {
    int in, out;
    int rivals;              // a socket on which other clients wait; -1: there are none
    int64_t idle_s, turn_s;  // after which the client gives way to them
    int64_t began_s, last_s; // by a clock that only goes forward: the connection, the last packet
    bool acks;               // each packet is acknowledged, until GDB turns that off
    bool is_interrupted;     // GDB wants the current command to end
    bool has_ended;          // the other end is gone, or cannot be understood
    size_t used, at;         // of the bytes that were read
    char bytes[4096];
    char packet[LIMIT_GDB_PACKET_BYTES + 1]; // the last packet, with a NUL
    size_t packet_bytes;
};

// Nobody else waits, until `rivals` is set.
void gdb_link_begin(struct gdb_link *link, int in, int out);

// Waits for the next packet, whose text is then in link->packet. False: the connection has ended.
bool gdb_link_receive(struct gdb_link *link);

// Sends a packet with any bytes. Failures end the connection.
void gdb_link_send(struct gdb_link *link, const void *bytes, size_t size_bytes);

// Whether GDB has sent an interrupt since the last packet, or has gone; does not wait. For searches
// that take long.
bool gdb_link_wants_end(struct gdb_link *link);

#endif
