// Decides which requests are answered: those with the secret, from our page or from no page at all.
//
// A server on loopback can be reached by every page that is open in the user's browser, under any
// name that resolves to it. So Host must be one of ours (to prevent DNS rebinding, where a foreign
// name leads here), and what browsers send about the requesting page (Origin, Sec-Fetch-Site; see
// the Fetch standard) must not name another page.
#ifndef TRAWL_SERVE_GUARD_H
#define TRAWL_SERVE_GUARD_H

#include "base/error.h"

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
