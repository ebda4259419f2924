#include "serve/server.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

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

// A page of ours has the host as its origin.
static bool is_our_page(const struct guard_request *request)
{
    static const char scheme[] = "http://";
    const char *origin = request->origin, *site = request->fetch_site;
    if (origin && (strncasecmp(origin, scheme, sizeof scheme - 1) != 0 ||
                   strcasecmp(origin + sizeof scheme - 1, request->host) != 0))
        return false;
    return !site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
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
    if (!is_our_page(request))
        return GUARD_FOREIGN;
    bool is_known =
        is_secret(guard, request->cookie) || is_secret(guard, bearer_of(request->authorization));
    return is_known ? GUARD_PASSES : GUARD_UNKNOWN;
}
