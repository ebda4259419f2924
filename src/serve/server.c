#include "serve/server.h"

#include "base/limits.h"
#include "cli/progress.h"
#include "serve/answer.h"
#include "serve/http.h"
#include "serve/levels.h"
#include "serve/notes.h"
#include "serve/row_numbers.h"
#include "serve/searches.h"
#include "serve/selection.h"
#include "serve/task_list.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>

enum status guard_open(struct guard *guard, struct error *err)
{
    uint8_t bytes[(GUARD_SECRET_BYTES - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_set_errno(err, "random bytes", "getrandom");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(guard->secret + 2 * i, 3, "%02x", bytes[i]);
    return STATUS_OK;
}

void guard_cookie(const struct guard *guard, char name[GUARD_COOKIE_BYTES])
{
    snprintf(name, GUARD_COOKIE_BYTES, "trawl-%u", guard->port);
}

// Compares in a time that does not depend on how much of it is correct.
static bool is_secret(const struct guard *guard, const char *text)
{
    uint8_t differs = 0;
    if (!text || strlen(text) != GUARD_SECRET_BYTES - 1)
        return false;
    for (size_t i = 0; i < GUARD_SECRET_BYTES - 1; i++)
        differs |= (uint8_t)(text[i] ^ guard->secret[i]);
    return !differs;
}

static bool is_host(const struct guard *guard, const char *host, const char *address)
{
    char wanted[GUARD_HOST_BYTES + 8];
    snprintf(wanted, sizeof wanted, "%s:%u", address, guard->port);
    return strcasecmp(host, wanted) == 0;
}

// What is given as a bearer's secret; the name of a scheme is not case-sensitive (RFC 9110, 11.1).
static const char *bearer_of(const char *authorization)
{
    static const char scheme[] = "Bearer ";
    if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return NULL;
    authorization += sizeof scheme - 1;
    return authorization + strspn(authorization, " ");
}

enum guard_verdict guard_judge(const struct guard *guard, const struct guard_request *request)
{
    const char *host = request->host;
    if (!host || !(is_host(guard, host, guard->address) ||
                   (guard->is_loopback && is_host(guard, host, "localhost"))))
        return GUARD_FOREIGN;
    // The printed address may be opened from anywhere, because it contains the secret.
    if (is_secret(guard, request->token))
        return GUARD_ENTERS;
    // A page of ours has the host as its origin.
    static const char scheme[] = "http://";
    const char *origin = request->origin, *site = request->fetch_site;
    if ((origin && (strncasecmp(origin, scheme, sizeof scheme - 1) != 0 ||
                    strcasecmp(origin + sizeof scheme - 1, request->host) != 0)) ||
        (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0))
        return request->is_page ? GUARD_UNKNOWN : GUARD_FOREIGN;
    bool is_known =
        is_secret(guard, request->cookie) || is_secret(guard, bearer_of(request->authorization));
    return is_known ? GUARD_PASSES : GUARD_UNKNOWN;
}

#define API "/api/v1/"
#define OF_PAGE API "page/"
#define READY API "ready"

// A trace with the tools for requests about it.
struct served {
    struct request_contexts *contexts;
    struct request_context *searching; // used only by the searches
    struct searches *searches;
    struct sums *sums;
    struct levels *levels;
    struct selection *selection;
    struct notes *notes;
    struct task_list task_list;
    size_t trace_count; // number of served traces
};

struct server {
    struct served traces[LIMIT_SERVE_TRACES];
    size_t trace_count;
    struct guard guard;
    struct http *http;
    char address[160];
    pthread_mutex_t lock; // of the following
    struct pages pages;
    bool is_ready; // then the traces do not change any more
    pthread_cond_t becomes_ready;
    const struct progress *progress;
    // While an index is built.
    const char *path;         // NULL: not yet
    struct trace_lines lines; // of its text
};

// --- Replies -------------------------------------------------------------------------------------

static unsigned code_of(enum status status)
{
    switch (status) {
    case STATUS_INPUT:
    case STATUS_LIMIT:
        return 400;
    case STATUS_NOT_FOUND:
        return 404;
    case STATUS_MEMORY:
    case STATUS_STOPPED:
        return 503;
    default:
        return 500;
    }
}

// Replaces what was written of an answer by a refusal.
static void refuse(struct http_reply *reply, unsigned code, const char *why)
{
    struct json json;
    out_clear(&reply->body);
    reply->code = code;
    reply->type = "application/json";
    json_begin(&json, &reply->body, 0);
    json_begin_object(&json);
    json_member_text(&json, "error", why);
    json_end_object(&json);
    json_end(&json);
}

// --- Questions -----------------------------------------------------------------------------------

static const struct question *find_question(const char *name)
{
    for (const struct question *question = questions; question->name; question++) {
        if (strcmp(question->name, name) == 0)
            return question;
    }
    return NULL;
}

static enum status ask(struct served *served, struct request_context *context,
                       struct request_context *other, const struct question *question,
                       const struct request *request, struct http_reply *reply, struct error *err)
{
    const struct session *session = &context->session;
    struct json json;
    struct asking asking = {.request = request,
                            .context = context,
                            .other = other,
                            .searches = served->searches,
                            .json = &json,
                            .sums = served->sums,
                            .levels = served->levels,
                            .selection = served->selection,
                            .notes = served->notes,
                            .task_list = &served->task_list,
                            .trace_count = served->trace_count};
    json_begin(&json, &reply->body, 0);
    json_begin_object(&json);
    enum status status = question->answer(&asking, err);
    // Something not found, or even an answer, may be due to an unreadable index.
    struct error why;
    if (status != STATUS_INPUT && status != STATUS_MEMORY &&
        (request_context_failed(context, &why) || (other && request_context_failed(other, &why))))
        *err = why, status = STATUS_IO;
    if (status == STATUS_OK)
        status = names_check(&context->session.names, err);
    // A mapped trace or index may have been truncated or written to.
    bool matters = status != STATUS_INPUT && status != STATUS_MEMORY;
    if (matters && (!index_view_is_intact(session->view.index) ||
                    (other && !index_view_is_intact(other->session.view.index))))
        status = error_set(err, STATUS_IO, "the index was changed while it was read");
    else if (matters && !source_seems_intact(session->trace->source))
        status = error_set(err, STATUS_IO, "%s: was changed while it was read", session->path);
    // A failure may be within lists, so the whole answer is replaced by an error.
    if (status == STATUS_OK) {
        json_end_object(&json);
        json_end(&json);
    }
    return status;
}

// Takes the contexts of a trace and, if it is not the same, of another; always those of the trace
// with the lower number first, so that requests that want both do not wait for each other.
static enum status take_contexts(struct server *server, const uint64_t traces[2],
                                 struct request_context *contexts[2], struct error *err)
{
    bool has_two = traces[1] != traces[0];
    size_t first = has_two && traces[1] < traces[0];
    enum status status =
        request_contexts_take(server->traces[traces[first]].contexts, &contexts[first], err);
    if (status != STATUS_OK || !has_two)
        return status;
    status = request_contexts_take(server->traces[traces[!first]].contexts, &contexts[!first], err);
    if (status != STATUS_OK)
        request_contexts_give_back(server->traces[traces[first]].contexts, contexts[first]);
    return status;
}

static void answer_question(struct server *server, const char *name, const struct request *request,
                            struct http_reply *reply)
{
    const struct question *question = find_question(name);
    struct error err;
    struct request_context *contexts[2] = {NULL, NULL};
    uint64_t traces[2] = {0, 0};
    reply->type = "application/json";
    enum status status =
        question ? request_u64(request, "trace", server->trace_count - 1, &traces[0], &err)
                 : error_set(&err, STATUS_NOT_FOUND, "there is no such request");
    traces[1] = traces[0];
    if (status == STATUS_OK)
        status = request_u64(request, "other", server->trace_count - 1, &traces[1], &err);
    if (status == STATUS_OK)
        status = take_contexts(server, traces, contexts, &err);
    if (status == STATUS_OK) {
        struct served *served = &server->traces[traces[0]];
        status = ask(served, contexts[0], contexts[1], question, request, reply, &err);
        for (size_t i = 0; i < ARRAY_COUNT(contexts); i++) {
            if (contexts[i])
                request_contexts_give_back(server->traces[traces[i]].contexts, contexts[i]);
        }
    }
    if (status != STATUS_OK)
        refuse(reply, code_of(err.status), err.text);
}

// --- Before there is an index --------------------------------------------------------------------

enum { READY_ROW_BYTES = 400 };

// How far the building of the index is, and up to `rows` lines from the beginning of the text.
static void answer_ready(struct server *server, const struct request *request,
                         struct http_reply *reply)
{
    struct json json;
    struct error err;
    uint64_t rows = 0, at = 0;
    if (request_u64(request, "rows", LIMIT_SERVE_ROWS, &rows, &err) != STATUS_OK) {
        refuse(reply, code_of(err.status), err.text);
        return;
    }
    pthread_mutex_lock(&server->lock);
    const bool is_ready = server->is_ready;
    const char *path = server->path;
    const struct trace_lines lines = is_ready ? (struct trace_lines){0} : server->lines;
    pthread_mutex_unlock(&server->lock);
    reply->type = "application/json";
    json_begin(&json, &reply->body, 0);
    json_begin_object(&json);
    json_member_bool(&json, "is_ready", is_ready);
    json_member_text(&json, "file", path);
    json_member_u64(&json, "done_bytes",
                    atomic_load_explicit(&server->progress->done_bytes, memory_order_relaxed));
    json_key(&json, "total_bytes");
    if (lines.size_bytes)
        json_u64(&json, lines.size_bytes);
    else
        json_text(&json, NULL);
    json_key(&json, "rows");
    json_begin_array(&json);
    for (; rows && at < lines.size_bytes; rows--) {
        char text[READY_ROW_BYTES + 1];
        uint64_t end = trace_lines_end(&lines, at);
        size_t length = (size_t)u64_min(end - at, READY_ROW_BYTES);
        if (end == at && !trace_lines_want(&lines, at, at + 1))
            break;
        memcpy(text, lines.text + at, length);
        text[length] = '\0';
        text[strcspn(text, "\r")] = '\0';
        json_text(&json, text);
        at = trace_lines_next(&lines, at);
    }
    json_end_array(&json);
    json_end_object(&json);
    json_end(&json);
}

// Waits until questions can be answered. False: nobody waits for the answer any more.
static bool await_ready(struct server *server, const struct request *request)
{
    enum { LOOK_NS = 50000000 };
    pthread_mutex_lock(&server->lock);
    while (!server->is_ready && !request_is_abandoned(request)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / (long)NS_PER_S;
        until.tv_nsec %= (long)NS_PER_S;
        pthread_cond_timedwait(&server->becomes_ready, &server->lock, &until);
    }
    bool is_ready = server->is_ready;
    pthread_mutex_unlock(&server->lock);
    return is_ready;
}

// --- The page ------------------------------------------------------------------------------------

static void send_part(const struct web_part *part, struct http_reply *reply)
{
    if (!part) {
        refuse(reply, 404, "There is nothing here.");
        return;
    }
    reply->type = part->type;
    reply->text = part->text;
    reply->text_bytes = strlen(part->text);
    reply->is_cached = true;
}

// Records what a page reports about itself.
static void note_page(struct server *server, const char *word, const struct request *request,
                      struct http_reply *reply)
{
    static const char *const words[] = {
        [PAGE_BEATS] = "opened", [PAGE_SLEEPS] = "asleep", [PAGE_CLOSES] = "closed"};
    struct error err;
    uint64_t id = 0;
    size_t event = 0;
    while (event < ARRAY_COUNT(words) && strcmp(words[event], word) != 0)
        event++;
    if (event == ARRAY_COUNT(words) ||
        request_u64(request, "page", UINT64_MAX, &id, &err) != STATUS_OK) {
        refuse(reply, 404, "Pages are opened, asleep or closed.");
        return;
    }
    pthread_mutex_lock(&server->lock);
    pages_tell(&server->pages, id, (enum page_event)event, monotonic_ns());
    pthread_mutex_unlock(&server->lock);
    reply->type = "text/plain; charset=utf-8";
}

bool server_is_left(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    bool is_left = pages_are_left(&server->pages, monotonic_ns());
    pthread_mutex_unlock(&server->lock);
    return is_left;
}

// --- Requests ------------------------------------------------------------------------------------

static enum guard_verdict judge(const struct server *server, const struct http_request *request)
{
    char cookie[GUARD_COOKIE_BYTES];
    guard_cookie(&server->guard, cookie);
    bool is_page = strcmp(request->request.path, "/") == 0;
    const struct guard_request about = {
        .host = request->header(request->self, "Host"),
        .origin = request->header(request->self, "Origin"),
        .fetch_site = request->header(request->self, "Sec-Fetch-Site"),
        .cookie = request->cookie(request->self, cookie),
        .authorization = request->header(request->self, "Authorization"),
        .is_page = is_page,
        .token = is_page ? request_text(&request->request, "token") : NULL,
    };
    return guard_judge(&server->guard, &about);
}

// Sets the cookie, and redirects to the page without the secret in its address.
static void let_in(const struct server *server, struct http_reply *reply, char *cookie, size_t size)
{
    char name[GUARD_COOKIE_BYTES];
    guard_cookie(&server->guard, name);
    snprintf(cookie, size, "%s=%s; Path=/; HttpOnly; SameSite=Strict", name, server->guard.secret);
    reply->code = 303;
    reply->type = "text/plain; charset=utf-8";
    out_text(&reply->body, "Go on to the page.\n");
    reply->location = "/";
    reply->cookie = cookie;
}

static void answer_known(struct server *server, const struct http_request *request,
                         struct http_reply *reply)
{
    const char *path = request->request.path;
    bool is_question = strncmp(path, API, sizeof API - 1) == 0;
    bool is_about_ready = strcmp(path, READY) == 0;
    bool is_post = strcmp(request->method, "POST") == 0;
    const struct question *question = is_question ? find_question(path + sizeof API - 1) : NULL;
    bool is_of_page = strncmp(path, OF_PAGE, sizeof OF_PAGE - 1) == 0;
    bool is_change = is_of_page || (question && question->is_change);
    bool is_get = strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;
    if (is_change ? !is_post : !is_get) {
        refuse(reply, 405, is_change ? "Changes need POST." : "Only GET and HEAD are answered.");
        reply->allow = is_change ? "POST" : "GET, HEAD";
    } else if (is_of_page) {
        note_page(server, path + sizeof OF_PAGE - 1, &request->request, reply);
    } else if (is_about_ready) {
        answer_ready(server, &request->request, reply);
    } else if (is_question && !await_ready(server, &request->request)) {
        refuse(reply, 503, "the client has closed the connection, or the server ends");
    } else if (is_question) {
        answer_question(server, path + sizeof API - 1, &request->request, reply);
    } else {
        send_part(web_part_named(strcmp(path, "/") == 0 ? "index.html" : path + 1), reply);
    }
}

// Browsers get the form for the secret, and what it consists of.
static void answer_unknown(const struct http_request *request, struct http_reply *reply)
{
    const char *path = request->request.path;
    const char *accept = request->header(request->self, "Accept");
    bool is_get = strcmp(request->method, "GET") == 0;
    bool is_form = is_get && strcmp(path, "/") == 0 && accept && strstr(accept, "text/html");
    const struct web_part *part = is_get ? web_part_named(path + (*path == '/')) : NULL;
    if (is_form || (part && part->is_public))
        send_part(is_form ? web_part_named("enter.html") : part, reply);
    else
        refuse(reply, 401, "Open the address that trawl printed: the secret is in it.");
    if (is_form || reply->code == 401) {
        reply->code = 401;
        reply->challenge = "Bearer";
    }
}

static bool knows(void *self, const struct http_request *request)
{
    enum guard_verdict verdict = judge(self, request);
    return verdict == GUARD_PASSES || verdict == GUARD_ENTERS;
}

static void answer(void *self, const struct http_request *request, struct http_reply *reply)
{
    struct server *server = self;
    static _Thread_local char cookie[160]; // until the reply is sent
    switch (judge(server, request)) {
    case GUARD_PASSES:
        answer_known(server, request, reply);
        break;
    case GUARD_ENTERS:
        let_in(server, reply, cookie, sizeof cookie);
        break;
    case GUARD_FOREIGN:
        refuse(reply, 403,
               "Only pages of this server, under the name that trawl printed, are answered.");
        break;
    case GUARD_UNKNOWN:
        answer_unknown(request, reply);
        break;
    }
}

// --- Opening -------------------------------------------------------------------------------------

static enum status open_served(struct served *served, const struct server_show *show,
                               const struct session *session, struct error *err)
{
    const struct request_contexts_plan contexts = {.session = session,
                                                   .source_search = show->source_search,
                                                   .count_max = LIMIT_SERVE_REQUEST_CONTEXTS};
    served->trace_count = show->session_count;
    task_list_init(&served->task_list);
    enum status status = request_contexts_open(&served->contexts, &contexts, err);
    if (status == STATUS_OK)
        status = request_contexts_take(served->contexts, &served->searching, err);
    if (status == STATUS_OK)
        status = searches_open(&served->searches, served->searching, err);
    if (status == STATUS_OK)
        status = sums_open(&served->sums, &session->view, err);
    if (status == STATUS_OK)
        status = levels_open(&served->levels, &session->view, err);
    if (status == STATUS_OK)
        status = selection_open(&served->selection, served->contexts,
                                LIMIT_SERVE_CONTEXTS / show->session_count, err);
    if (status == STATUS_OK)
        status = notes_open(&served->notes, session->path, session->view.info.events,
                            show->keeps_notes, err);
    return status;
}

enum status server_open(struct server **out, const struct server_plan *plan, struct error *err)
{
    struct server *server = calloc(1, sizeof *server);
    *out = NULL;
    if (!server)
        return error_set(err, STATUS_MEMORY, "no memory to serve");
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->becomes_ready, NULL);
    server->progress = plan->progress;
    const struct http_handler handler = {server, knows, answer};
    struct guard *guard = &server->guard;
    enum status status = guard_open(guard, err);
    guard->port = plan->port;
    // The address as in Host: IPv6 in brackets.
    snprintf(guard->address, sizeof guard->address, strchr(plan->address, ':') ? "[%s]" : "%s",
             plan->address);
    guard->is_loopback =
        strcmp(plan->address, "::1") == 0 || strncmp(plan->address, "127.", 4) == 0;
    if (status == STATUS_OK)
        status = http_listen(&server->http, plan->address, &guard->port, err);
    snprintf(server->address, sizeof server->address, "http://%s:%u/?token=%s", guard->address,
             guard->port, guard->secret);
    if (status == STATUS_OK)
        status = http_begin(server->http, &handler, err);
    if (status != STATUS_OK) {
        server_close(server);
        return status;
    }
    *out = server;
    return STATUS_OK;
}

void server_builds(struct server *server, const char *path, const struct trace_lines *lines)
{
    pthread_mutex_lock(&server->lock);
    server->path = path;
    server->lines = lines ? *lines : (struct trace_lines){0};
    pthread_mutex_unlock(&server->lock);
}

static void close_traces(struct server *server)
{
    for (; server->trace_count; server->trace_count--) {
        struct served *served = &server->traces[server->trace_count - 1];
        searches_close(served->searches);
        if (served->searching)
            request_contexts_give_back(served->contexts, served->searching);
        task_list_free(&served->task_list);
        notes_close(served->notes);
        selection_close(served->selection);
        levels_close(served->levels);
        sums_close(served->sums);
        request_contexts_close(served->contexts);
        *served = (struct served){0};
    }
}

enum status server_show(struct server *server, const struct server_show *show, struct error *err)
{
    ASSERT(show->session_count && show->session_count <= LIMIT_SERVE_TRACES);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < show->session_count && status == STATUS_OK; i++) {
        server->trace_count++;
        status = open_served(&server->traces[i], show, show->sessions[i], err);
    }
    if (status != STATUS_OK) {
        close_traces(server);
        return status;
    }
    pthread_mutex_lock(&server->lock);
    server->is_ready = true;
    pthread_cond_broadcast(&server->becomes_ready);
    pthread_mutex_unlock(&server->lock);
    return STATUS_OK;
}

void server_close(struct server *server)
{
    if (!server)
        return;
    http_close(server->http);
    close_traces(server);
    pthread_cond_destroy(&server->becomes_ready);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

const char *server_address(const struct server *server)
{
    return server->address;
}

// --- Open pages ----------------------------------------------------------------------------------

#define SECOND_NS UINT64_C(1000000000)

// Browsers let hidden pages send something once a minute.
#define BEAT_MAX_NS (150 * SECOND_NS)
#define SLEEP_MAX_NS (24 * 3600 * SECOND_NS)
#define GRACE_NS (3 * SECOND_NS)

static void forget(struct pages *pages, size_t i, uint64_t now_ns)
{
    pages->open[i] = pages->open[--pages->count];
    pages->left_ns = now_ns;
}

void pages_tell(struct pages *pages, uint64_t id, enum page_event event, uint64_t now_ns)
{
    size_t i = 0;
    while (i < pages->count && pages->open[i].id != id)
        i++;
    bool is_known = i < pages->count;
    if (event == PAGE_CLOSES) {
        if (is_known)
            forget(pages, i, now_ns);
        return;
    }
    if (!is_known && pages->count == LIMIT_SERVE_PAGES)
        return;
    pages->count += !is_known;
    pages->had_any = true;
    pages->open[i].id = id;
    pages->open[i].until_ns = now_ns + (event == PAGE_SLEEPS ? SLEEP_MAX_NS : BEAT_MAX_NS);
}

bool pages_are_left(struct pages *pages, uint64_t now_ns)
{
    for (size_t i = pages->count; i-- > 0;) {
        if (pages->open[i].until_ns < now_ns)
            forget(pages, i, pages->open[i].until_ns);
    }
    return pages->had_any && !pages->count && now_ns - pages->left_ns > GRACE_NS;
}
