#include "cmd/listen.h"

#include "cli/values.h"

#include <arpa/inet.h>

static bool is_port(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0' && *text;
}

static bool parse(struct listen_place *place, const char *text)
{
    const char *colon = strrchr(text, ':');
    const char *bracket = strrchr(text, ']');
    size_t length = strlen(text);
    uint64_t port = 0;
    if (colon && bracket && colon < bracket)
        colon = NULL;
    if (is_port(text))
        return false;
    if (colon) {
        length = (size_t)(colon - text);
        if (!parse_u64(colon + 1, &port) || port > UINT16_MAX)
            return false;
    }
    if (bracket) {
        if (text[0] != '[' || bracket != text + length - 1)
            return false;
        text++;
        length -= 2;
    }
    if (length >= sizeof place->address)
        return false;
    if (length) {
        memcpy(place->address, text, length);
        place->address[length] = '\0';
    }
    place->port = (uint16_t)port;
    return true;
}

static bool is_loopback(const char *address)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, address, &v4) == 1)
        return (ntohl(v4.s_addr) >> 24) == 127;
    return inet_pton(AF_INET6, address, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

int listen_take(struct listen_place *place, struct options_parser *parser, const char *text)
{
    if (parse(place, text))
        return OPTION_END;
    options_error(parser, "'--listen': '%s': %s", text,
                  is_port(text) ? "a port needs HOST: or :PORT, such as :8080"
                                : "expected ADDRESS:PORT, such as 127.0.0.1:8080");
    return OPTION_STOP;
}

bool listen_is_allowed(const struct listen_place *place, struct options_parser *parser)
{
    if (place->is_public || is_loopback(place->address))
        return true;
    options_error(parser, "'--listen': %s can be reached by other machines; --public allows that",
                  place->address);
    return false;
}
