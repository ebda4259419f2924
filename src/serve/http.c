#include "serve/http.h"

#include "base/library.h"
#include "base/limits.h"
#include "base/thread.h"
#include "report/packer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// --- The library ---------------------------------------------------------------------------------

// Debian's version depends on a TLS library that would add a millisecond to every start of trawl.
static struct {
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_get_connection_info) *get_connection_info;
    __typeof__(MHD_lookup_connection_value) *lookup_connection_value;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_destroy_response) *destroy_response;
} microhttpd;

static const struct library_function microhttpd_functions[] = {
    LIBRARY_FUNCTION(MHD_start_daemon, microhttpd.start_daemon),
    LIBRARY_FUNCTION(MHD_stop_daemon, microhttpd.stop_daemon),
    LIBRARY_FUNCTION(MHD_get_connection_info, microhttpd.get_connection_info),
    LIBRARY_FUNCTION(MHD_lookup_connection_value, microhttpd.lookup_connection_value),
    LIBRARY_FUNCTION(MHD_create_response_from_buffer, microhttpd.create_response_from_buffer),
    LIBRARY_FUNCTION(MHD_add_response_header, microhttpd.add_response_header),
    LIBRARY_FUNCTION(MHD_queue_response, microhttpd.queue_response),
    LIBRARY_FUNCTION(MHD_destroy_response, microhttpd.destroy_response),
};

static struct library microhttpd_library = {.file = "libmicrohttpd.so.12",
                                            .package = "libmicrohttpd12",
                                            .use = "serving",
                                            .functions = microhttpd_functions,
                                            .count = ARRAY_COUNT(microhttpd_functions)};

// --- Connections ---------------------------------------------------------------------------------

// A connection that has not sent the headers of a request of a known client yet.
struct stranger {
    struct MHD_Connection *connection;
    int fd;
    uint64_t end_ns; // of the time for the headers
};

// A connection is closed if nothing comes for so long, and how often strangers are looked at.
enum { TIMEOUT_S = 60, WATCH_MS = 500 };

struct http {
    int fd;                    // of the listening socket
    struct MHD_Daemon *daemon; // NULL: not begun
    struct http_handler handler;
    _Atomic bool is_closing;
    pthread_mutex_t lock;                             // of the strangers
    struct stranger strangers[LIMIT_SERVE_STRANGERS]; // the oldest first
    size_t stranger_count;
    pthread_t watch; // closes those that take too long
    bool is_watched;
};

// --- Strangers -----------------------------------------------------------------------------------

static void drop_stranger(struct http *http, size_t number)
{
    struct stranger *at = &http->strangers[number];
    http->stranger_count--;
    memmove(at, at + 1, (http->stranger_count - number) * sizeof *at);
}

// The thread of the connection then sees its end.
static void hang_up(struct http *http)
{
    shutdown(http->strangers[0].fd, SHUT_RDWR);
    drop_stranger(http, 0);
}

// The connection has ended, or its client is known.
static void forget(struct http *http, const struct MHD_Connection *connection)
{
    pthread_mutex_lock(&http->lock);
    for (size_t i = 0; i < http->stranger_count; i++) {
        if (http->strangers[i].connection == connection)
            drop_stranger(http, i--);
    }
    pthread_mutex_unlock(&http->lock);
}

// Called before the socket of a connection is closed. Who sends headers at once is known before
// many others have come.
static void on_connection(void *self, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct http *http = self;
    (void)context;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        forget(http, connection);
        return;
    }
    const union MHD_ConnectionInfo *info =
        microhttpd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!info)
        return;
    pthread_mutex_lock(&http->lock);
    if (http->stranger_count == LIMIT_SERVE_STRANGERS)
        hang_up(http);
    http->strangers[http->stranger_count++] = (struct stranger){
        connection, info->connect_fd, monotonic_ns() + LIMIT_SERVE_HEADERS_S * NS_PER_S};
    pthread_mutex_unlock(&http->lock);
}

static void *watch_strangers(void *self)
{
    struct http *http = self;
    while (!atomic_load(&http->is_closing)) {
        pthread_mutex_lock(&http->lock);
        while (http->stranger_count && http->strangers[0].end_ns <= monotonic_ns())
            hang_up(http);
        pthread_mutex_unlock(&http->lock);
        poll(NULL, 0, WATCH_MS);
    }
    return NULL;
}

// --- Answering -----------------------------------------------------------------------------------

// A request, for its handler.
struct asked {
    const struct http *http;
    struct MHD_Connection *connection;
};

static const char *find(const void *self, enum MHD_ValueKind kind, const char *name)
{
    const struct asked *asked = self;
    return microhttpd.lookup_connection_value(asked->connection, kind, name);
}

static const char *find_parameter(const void *self, const char *name)
{
    return find(self, MHD_GET_ARGUMENT_KIND, name);
}

static const char *find_header(const void *self, const char *name)
{
    return find(self, MHD_HEADER_KIND, name);
}

static const char *find_cookie(const void *self, const char *name)
{
    return find(self, MHD_COOKIE_KIND, name);
}

// Whether the client has disconnected, or the server ends.
static bool is_abandoned(const void *self)
{
    const struct asked *asked = self;
    const union MHD_ConnectionInfo *info =
        microhttpd.get_connection_info(asked->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct pollfd client = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};
    return atomic_load(&asked->http->is_closing) || poll(&client, 1, 0) > 0;
}

// --- Compressed answers --------------------------------------------------------------------------

// The page is often opened through a slow network, by a tunnel that ends on this machine: so
// answers that take more than a packet are compressed for everybody, which takes less than a
// millisecond for a screen of rows. None has a secret that its size could tell.
enum { PACKET_BYTES = 1400 };

// Whether the client reads gzip; "gzip;q=0.5" gets plain text, too.
static bool takes_gzip(const struct asked *asked)
{
    const char *accepted = find_header(asked, "Accept-Encoding");
    const char *gzip = accepted ? strstr(accepted, "gzip") : NULL;
    return gzip && gzip[strlen("gzip")] != ';';
}

static void put_packed(void *self, const char *bytes, size_t length)
{
    out_bytes(self, bytes, length);
}

// Makes the body of a reply the compressed text. False: it stays as it is.
static bool pack(struct out *packed, const char *text, size_t size)
{
    struct error err;
    if (!packer_is_there() || out_open_memory(packed, &err) != STATUS_OK)
        return false;
    struct packer *packer = packer_new(put_packed, packed);
    if (packer) {
        packer_put(packer, text, size);
        packer_end(packer);
    }
    packer_free(packer);
    if (packer && !out_failed(packed))
        return true;
    out_abandon(packed);
    return false;
}

// --- Replies -------------------------------------------------------------------------------------

static enum MHD_Result send_reply(const struct asked *asked, struct http_reply *reply,
                                  bool is_known)
{
    union {
        const void *in;
        void *out;
    } text = {reply->text};
    size_t size = reply->text_bytes;
    enum MHD_ResponseMemoryMode mode = MHD_RESPMEM_PERSISTENT;
    struct out packed;
    if (!reply->text) {
        text.in = out_memory_text(&reply->body);
        size = (size_t)out_position(&reply->body);
        mode = MHD_RESPMEM_MUST_COPY;
    }
    bool is_packed = size > PACKET_BYTES && takes_gzip(asked) && pack(&packed, text.in, size);
    if (is_packed) {
        text.in = out_memory_text(&packed);
        size = (size_t)out_position(&packed);
        mode = MHD_RESPMEM_MUST_COPY;
    }
    struct MHD_Response *response = microhttpd.create_response_from_buffer(size, text.out, mode);
    if (is_packed)
        out_abandon(&packed);
    if (!response)
        return MHD_NO;
    if (is_packed) {
        microhttpd.add_response_header(response, "Content-Encoding", "gzip");
        microhttpd.add_response_header(response, "Vary", "Accept-Encoding");
    }
    // Nothing is loaded from elsewhere, no other page can embed ours, and our addresses are not
    // sent to other sites.
    static const struct {
        const char *name, *value;
    } always[] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
         "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(always); i++)
        microhttpd.add_response_header(response, always[i].name, always[i].value);
    microhttpd.add_response_header(response, "Cache-Control",
                                   reply->is_cached ? "no-cache" : "no-store");
    if (reply->type)
        microhttpd.add_response_header(response, "Content-Type", reply->type);
    if (!is_known)
        microhttpd.add_response_header(response, "Connection", "close");
    if (reply->allow)
        microhttpd.add_response_header(response, "Allow", reply->allow);
    if (reply->challenge)
        microhttpd.add_response_header(response, "WWW-Authenticate", reply->challenge);
    if (reply->location)
        microhttpd.add_response_header(response, "Location", reply->location);
    if (reply->cookie)
        microhttpd.add_response_header(response, "Set-Cookie", reply->cookie);
    enum MHD_Result result = microhttpd.queue_response(asked->connection, reply->code, response);
    microhttpd.destroy_response(response);
    return result;
}

// Called once with the headers, again for the body, which is discarded, and then to answer. Clients
// that are not known are answered at once, so that they cannot stay by a long body.
static enum MHD_Result on_request(void *self, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_bytes, void **state)
{
    static int is_begun;
    struct http *http = self;
    struct error err;
    bool is_known = *state;
    (void)version, (void)upload;
    if (*upload_bytes) {
        *upload_bytes = 0;
        return MHD_YES;
    }
    const struct asked asked = {http, connection};
    const struct http_request request = {.request = {path, &asked, find_parameter, is_abandoned},
                                         .method = method,
                                         .self = &asked,
                                         .header = find_header,
                                         .cookie = find_cookie};
    if (!is_known && http->handler.knows(http->handler.self, &request)) {
        forget(http, connection);
        *state = &is_begun;
        return MHD_YES;
    }
    struct http_reply reply = {.code = MHD_HTTP_OK};
    if (out_open_memory(&reply.body, &err) != STATUS_OK)
        return MHD_NO;
    http->handler.answer(http->handler.self, &request, &reply);
    enum MHD_Result result = send_reply(&asked, &reply, is_known);
    out_abandon(&reply.body);
    return result;
}

// --- Listening -----------------------------------------------------------------------------------

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool parse_address(const char *text, uint16_t port, union address *address)
{
    *address = (union address){0};
    if (inet_pton(AF_INET, text, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons(port);
        return true;
    }
    if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) != 1)
        return false;
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(port);
    return true;
}

// Ignores libmicrohttpd's messages about clients that disconnect.
static void ignore_log(void *self, const char *format, va_list arguments)
{
    (void)self, (void)format, (void)arguments;
}

enum { BACKLOG = 64 };

static enum status bind_to(int fd, const union address *address, uint16_t *port)
{
    union address bound;
    socklen_t size = sizeof bound;
    const int yes = 1;
    bool is_v6 = address->any.sa_family == AF_INET6;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, &address->any, is_v6 ? sizeof address->v6 : sizeof address->v4) != 0 ||
        listen(fd, BACKLOG) != 0 || getsockname(fd, &bound.any, &size) != 0)
        return STATUS_IO;
    *port = ntohs(is_v6 ? bound.v6.sin6_port : bound.v4.sin_port);
    return STATUS_OK;
}

enum status http_listen(struct http **out, const char *address, uint16_t *port, struct error *err)
{
    union address at;
    *out = NULL;
    if (!parse_address(address, *port, &at))
        return error_set(err, STATUS_INPUT, "%s: expected an address in digits, such as 127.0.0.1",
                         address);
    struct http *http = calloc(1, sizeof *http);
    if (!http)
        return error_set(err, STATUS_MEMORY, "no memory to listen");
    http->fd = -1;
    pthread_mutex_init(&http->lock, NULL);
    if (library_load(&microhttpd_library, err) != STATUS_OK) {
        http_close(http);
        return err->status;
    }
    http->fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (http->fd < 0 || bind_to(http->fd, &at, port) != STATUS_OK) {
        error_set(err, STATUS_IO, "cannot listen at %s, port %u: %s", address, *port,
                  strerror(errno));
        http_close(http);
        return STATUS_IO;
    }
    *out = http;
    return STATUS_OK;
}

enum status http_begin(struct http *http, const struct http_handler *handler, struct error *err)
{
    // One thread per connection: a slow request must not delay those of other connections.
    const unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD |
                           MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ERROR_LOG;
    http->handler = *handler;
    http->daemon = microhttpd.start_daemon(
        flags, 0, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
        MHD_OPTION_LISTEN_SOCKET, http->fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)LIMIT_SERVE_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        LIMIT_SERVE_REQUEST_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_END);
    http->is_watched =
        http->daemon && threads_start(&http->watch, 1, watch_strangers, http, sizeof *http) == 1;
    return http->is_watched ? STATUS_OK : error_set(err, STATUS_IO, "the server cannot be started");
}

void http_close(struct http *http)
{
    if (!http)
        return;
    atomic_store(&http->is_closing, true);
    if (http->daemon)
        microhttpd.stop_daemon(http->daemon); // closes the socket, too
    else if (http->fd >= 0)
        close(http->fd);
    if (http->is_watched)
        pthread_join(http->watch, NULL);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
