// HTTP: listens, parses requests with libmicrohttpd, and passes them to the code that answers.
#ifndef TRAWL_SERVE_HTTP_H
#define TRAWL_SERVE_HTTP_H

#include "report/out.h"
#include "serve/request.h"

struct http_request {
    struct request request; // path and parameters
    const char *method;
    const void *self;
    const char *(*header)(const void *self, const char *name); // NULL: not sent
    const char *(*cookie)(const void *self, const char *name);
};

// An answer. Its text is in `body`, or static.
struct http_reply {
    unsigned code;
    const char *type;
    const char *location, *cookie; // headers; NULL: none
    const char *allow, *challenge; // likewise: of 405 and of 401
    bool is_cached;                // the browser may cache it without asking again
    struct out body;               // of memory
    const char *text;              // instead; NULL: none
    size_t text_bytes;
};

// Called by several threads at once.
struct http_handler {
    void *self;
    // Whether the headers of a request show that its client may stay. The connections of others are
    // closed after the answer, and are the first to be closed if there are too many.
    bool (*knows)(void *self, const struct http_request *request);
    void (*answer)(void *self, const struct http_request *request, struct http_reply *reply);
};

struct http;

// Listens at a numeric IPv4 or IPv6 address; port 0 chooses a free one, and *port is the actual
// one. Clients wait until http_begin. STATUS_IO: the system refuses.
enum status http_listen(struct http **out, const char *address, uint16_t *port, struct error *err);

// Starts to answer.
enum status http_begin(struct http *http, const struct http_handler *handler, struct error *err);

// Stops. Current requests are answered, or see that they are abandoned.
void http_close(struct http *http);

#endif
