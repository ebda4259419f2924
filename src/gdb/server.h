// A stub of GDB's remote protocol over a trace: what GDB asks is answered from the index, and
// nothing that it sends changes anything. One client at a time; `docs/gdb.md` says for users what
// is different from a live target.
#ifndef TRAWL_GDB_SERVER_H
#define TRAWL_GDB_SERVER_H

#include "base/base.h"
#include "base/limits.h"
#include "gdb/run.h"
#include "report/out.h"

// --- link.c --------------------------------------------------------------------------------------

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

// --- threads.c -----------------------------------------------------------------------------------

// All zero, with `view`: a thread is a lane.
struct gdb_threads {
    struct gdb_run *run;
    bool are_tasks;
    size_t count;
    // Of each task of each lane: its runs are `runs` from `first` to that of the next one; each is
    // the number of the event of the lane with which it begins.
    struct gdb_task *tasks;
    uint64_t *runs;
};

struct gdb_task {
    uint64_t lane, number;
    size_t first, end;
};

// Tasks have names in the session (session/tasks.h). STATUS_MEMORY, or the index is damaged.
enum status gdb_threads_begin(struct gdb_threads *threads, struct gdb_run *run, bool are_tasks,
                              struct error *err);
void gdb_threads_free(struct gdb_threads *threads);

uint64_t gdb_threads_lane(const struct gdb_threads *threads, uint64_t thread);
const char *gdb_threads_name(const struct gdb_threads *threads, uint64_t thread);

// The thread that runs on a lane at the run's position.
uint64_t gdb_threads_running(const struct gdb_threads *threads, uint64_t lane);

// The position whose state is that of a thread at the run's position.
uint64_t gdb_threads_position(const struct gdb_threads *threads, uint64_t thread);

// --- server.c ------------------------------------------------------------------------------------

enum { GDB_BOOKMARK_BYTES = 32 };

// A position with a name, by `monitor bookmark`.
struct gdb_bookmark {
    char name[GDB_BOOKMARK_BYTES];
    uint64_t position, lane;
};

struct gdb_server {
    struct gdb_link link;
    struct gdb_run run;
    struct gdb_threads threads;
    uint64_t thread; // that packets mean ("Hg"), from 0
    VEC(, struct gdb_bookmark) bookmarks;
};

// Serves one client over a pair of descriptors until it detaches, kills the program, goes, or gives
// way to others who wait on the socket `rivals` (-1: there are none), from the instruction at
// `position` on. An error is one of the index, not of the client.
enum status gdb_serve(struct session *session, int in, int out, int rivals, uint64_t position,
                      struct error *err);

// The lane of the thread that packets mean.
static inline uint64_t gdb_server_lane(const struct gdb_server *server)
{
    return gdb_threads_lane(&server->threads, server->thread);
}

// Answers a command of `monitor`, as text for people (monitor.c). False: there is no such command.
bool gdb_monitor(struct gdb_server *server, const char *line, struct out *answer);

#endif
