// The server: the page and its parts, and the requests of serve/answer.h about traces.
#ifndef TRAWL_SERVE_SERVER_H
#define TRAWL_SERVE_SERVER_H

#include "base/base.h"
#include "base/error.h"
#include "base/limits.h"
#include "query/trace_lines.h"
#include "session/session.h"

// --- server.c ------------------------------------------------------------------------------------

// The page can be opened while the index is still built: `ready` tells how far that is, with the
// beginning of the text, and all other requests wait for server_show.

struct server_plan {
    const char *address;             // in digits
    uint16_t port;                   // 0: any
    const struct progress *progress; // of what builds indexes; must outlive the server
};

struct server_show {
    // Traces with views of their indexes, which must outlive the server.
    const struct session *const *sessions;
    size_t session_count;
    const struct source_search *source_search;
    bool keeps_notes; // next to the traces
};

struct source_search;
struct server;

// Begins to listen. STATUS_IO: it cannot.
enum status server_open(struct server **out, const struct server_plan *plan, struct error *err);
void server_close(struct server *server);

// The text of the trace whose index is built from now on; none if `lines` is NULL.
void server_builds(struct server *server, const char *path, const struct trace_lines *lines);

// Answers all requests from now on.
enum status server_show(struct server *server, const struct server_show *show, struct error *err);

// The address to open in a browser, with the secret in it; valid as long as the server.
const char *server_address(const struct server *server);

// Whether there were open pages, and all are closed.
bool server_is_left(struct server *server);

// --- web.c ---------------------------------------------------------------------------------------

// The page: the files of src/serve/web, unchanged.

struct web_part {
    const char *name, *type;
    const char *text; // ends with a NUL
    bool is_public;   // also for those who do not know the secret: the form for it
};

// NULL: there is none with that name.
const struct web_part *web_part_named(const char *name);

// --- Open pages ----------------------------------------------------------------------------------

// Tracks open pages: a server for one page ends with it. A page reports when it opens, then
// regularly, and when it closes; a page whose browser was killed sends nothing.

enum page_event {
    PAGE_BEATS,  // the page is open
    PAGE_SLEEPS, // the browser suspends the page
    PAGE_CLOSES,
};

struct pages {
    struct {
        uint64_t id;       // chosen by the page
        uint64_t until_ns; // considered lost if nothing is heard by then
    } open[LIMIT_SERVE_PAGES];
    size_t count;
    bool had_any;
    uint64_t left_ns; // when the last of them closed
};

// Records what page `id` reports. Pages beyond LIMIT_SERVE_PAGES are not counted.
void pages_tell(struct pages *pages, uint64_t id, enum page_event event, uint64_t now_ns);

// Whether there were open pages, and all have been closed for some seconds, because a page that is
// reloaded is closed in between.
bool pages_are_left(struct pages *pages, uint64_t now_ns);

// --- Who may ask ---------------------------------------------------------------------------------

// Decides which requests are answered: those with the secret, from our page or from no page at all.
//
// A server on loopback can be reached by every page that is open in the user's browser, under any
// name that resolves to it. So Host must be one of ours (to prevent DNS rebinding, where a foreign
// name leads here), and what browsers send about the requesting page (Origin, Sec-Fetch-Site; see
// the Fetch standard) must not name another page. A link to the page may be anywhere: who follows
// it is unknown, and gets the form for the secret.

#define GUARD_SECRET_BYTES 33 // 128 bits as hexadecimal digits, and a NUL
#define GUARD_HOST_BYTES 80

struct guard {
    char secret[GUARD_SECRET_BYTES];
    char address[GUARD_HOST_BYTES]; // where it listens, as in Host, without the port
    uint16_t port;
    bool is_loopback; // also reachable as localhost
};

// The relevant headers of a request; NULL: missing.
struct guard_request {
    const char *host, *origin, *fetch_site;
    const char *cookie;        // its value under guard_cookie
    const char *authorization; // "Bearer SECRET"
    const char *token;         // in the address of a page
    bool is_page;              // for the page itself, which has nothing of the trace
};

enum guard_verdict {
    GUARD_PASSES,
    GUARD_ENTERS,  // by the printed address: gets the cookie, and is redirected to the page
    GUARD_FOREIGN, // from another host or another page
    GUARD_UNKNOWN, // the secret is missing or wrong
};

// Makes a secret. STATUS_IO: the system gives no random bytes.
enum status guard_open(struct guard *guard, struct error *err);

enum guard_verdict guard_judge(const struct guard *guard, const struct guard_request *request);

// The name of the cookie, which contains the port, because cookies do not distinguish ports.
#define GUARD_COOKIE_BYTES 24
void guard_cookie(const struct guard *guard, char name[GUARD_COOKIE_BYTES]);

#endif
