// Who may be answered: whoever knows the secret, from a page of ours or from no page at all.
//
// A server on loopback can be reached by every page that the user's browser has open, under any
// name that somebody has point there. So Host must be one of ours (else a foreign name leads
// here: DNS rebinding), and what pages send along about themselves (Origin, Sec-Fetch-Site; see the
// Fetch standard) must not name another.
#ifndef TRAWL_SERVE_GUARD_H
#define TRAWL_SERVE_GUARD_H

#include "base/error.h"

#define GUARD_SECRET_BYTES 33 // 128 bits as hexadecimal digits, and a NUL
#define GUARD_HOST_BYTES 80

struct guard {
    char secret[GUARD_SECRET_BYTES];
    char address[GUARD_HOST_BYTES]; // that is listened at, as it is in Host, without the port
    uint16_t port;
    bool is_loopback; // which is also called localhost
};

// What a request says of itself; NULL: nothing.
struct guard_request {
    const char *host, *origin, *fetch_site;
    const char *cookie;        // its value under guard_cookie
    const char *authorization; // "Bearer SECRET"
    const char *token;         // in the address of the page
};

enum guard_verdict {
    GUARD_PASSES,
    GUARD_ENTERS,  // by the address that was printed: gets the cookie, and is led to the page
    GUARD_FOREIGN, // another host or another page asks
    GUARD_UNKNOWN, // the secret is missing or wrong
};

// Makes a secret. STATUS_IO: the system gives no random bytes.
enum status guard_open(struct guard *guard, struct error *err);

enum guard_verdict guard_judge(const struct guard *guard, const struct guard_request *request);

// The name of the cookie, which differs by port, as cookies do not.
#define GUARD_COOKIE_BYTES 24
void guard_cookie(const struct guard *guard, char name[GUARD_COOKIE_BYTES]);

#endif
