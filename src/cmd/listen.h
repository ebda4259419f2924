// Where a server listens, as users type it.
#ifndef TRAWL_CMD_LISTEN_H
#define TRAWL_CMD_LISTEN_H

#include "cli/options.h"

struct listen_place {
    char address[64]; // IPv4 or IPv6, without brackets
    uint16_t port;    // 0: any free one
    bool is_public;   // other machines may reach it
};

// Takes the value of --listen: ADDRESS:PORT, ADDRESS or :PORT, where an IPv6 address is in
// brackets; what is left out stays. Returns OPTION_END, or OPTION_STOP after a message.
int listen_take(struct listen_place *place, struct options_parser *parser, const char *text);

// Whether only this machine reaches the address, or others may. False: reported.
bool listen_is_allowed(const struct listen_place *place, struct options_parser *parser);

#endif
