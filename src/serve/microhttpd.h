// libmicrohttpd, which is loaded when it is first needed: Debian's version depends on a TLS library
// that would add a millisecond to every start of trawl. Static programs call it directly.
#ifndef TRAWL_SERVE_MICROHTTPD_H
#define TRAWL_SERVE_MICROHTTPD_H

#include "base/error.h"

#include <microhttpd.h>

struct microhttpd {
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_get_connection_info) *get_connection_info;
    __typeof__(MHD_lookup_connection_value) *lookup_connection_value;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_destroy_response) *destroy_response;
};

// STATUS_IO: it is missing, and `err` says what to install.
enum status microhttpd_load(struct microhttpd *library, struct error *err);

#endif
