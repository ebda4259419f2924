// A stub of GDB's remote protocol over a trace: what GDB asks is answered from the index, and
// nothing that it sends changes anything. One client at a time; `docs/gdb.md` says for users what
// is different from a live target.
#ifndef TRAWL_GDB_SERVER_H
#define TRAWL_GDB_SERVER_H

#include "gdb/link.h"
#include "gdb/threads.h"
#include "report/out.h"

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
