// The server: the page and its parts, and the questions of serve/answer.h about some traces.
#ifndef TRAWL_SERVE_SERVER_H
#define TRAWL_SERVE_SERVER_H

#include "session/session.h"

struct server_plan {
    // Traces with views of their indexes, which stay open as long.
    const struct session *const *sessions;
    size_t session_count;
    const char *const *source_directories;
    size_t source_directory_count;
    const char *address; // in digits
    uint16_t port;       // 0: any
    bool keeps_notes;    // next to the traces
};

struct server;

// Begins to serve. STATUS_IO: it cannot listen.
enum status server_open(struct server **out, const struct server_plan *plan, struct error *err);
void server_close(struct server *server);

// What to open in a browser, with the secret in it; as long as the server.
const char *server_address(const struct server *server);

// Whether a page was open, and all that were are closed.
bool server_is_left(struct server *server);

#endif
