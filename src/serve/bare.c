// Replaces libmicrohttpd in builds without system libraries.
#include "serve/http.h"

enum status http_listen(struct http **out, const char *address, uint16_t *port, struct error *err)
{
    (void)address, (void)port;
    *out = NULL;
    return error_set(err, STATUS_INPUT,
                     "this trawl was built without libmicrohttpd, which serving needs");
}

enum status http_begin(struct http *http, const struct http_handler *handler, struct error *err)
{
    (void)http, (void)handler;
    return error_set(err, STATUS_INPUT, "nothing listens");
}

void http_close(struct http *http)
{
    (void)http;
}
