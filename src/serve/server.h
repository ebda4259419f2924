// The server: the page and its parts, and the requests of serve/answer.h about traces.
#ifndef TRAWL_SERVE_SERVER_H
#define TRAWL_SERVE_SERVER_H

#include "session/session.h"

struct server_plan {
    // Traces with views of their indexes, which must outlive the server.
    const struct session *const *sessions;
    size_t session_count;
    const struct source_search *source_search;
    const char *address; // in digits
    uint16_t port;       // 0: any
    bool keeps_notes;    // next to the traces
};

struct source_search;
struct server;

// Begins to serve. STATUS_IO: it cannot listen.
enum status server_open(struct server **out, const struct server_plan *plan, struct error *err);
void server_close(struct server *server);

// The address to open in a browser, with the secret in it; valid as long as the server.
const char *server_address(const struct server *server);

// Whether there were open pages, and all are closed.
bool server_is_left(struct server *server);

#endif
