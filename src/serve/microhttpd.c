#include "serve/microhttpd.h"

#ifdef TRAWL_STATIC

enum status microhttpd_load(struct microhttpd *library, struct error *err)
{
    (void)err;
    *library = (struct microhttpd){
        .start_daemon = MHD_start_daemon,
        .stop_daemon = MHD_stop_daemon,
        .get_connection_info = MHD_get_connection_info,
        .lookup_connection_value = MHD_lookup_connection_value,
        .create_response_from_buffer = MHD_create_response_from_buffer,
        .add_response_header = MHD_add_response_header,
        .queue_response = MHD_queue_response,
        .destroy_response = MHD_destroy_response,
    };
    return STATUS_OK;
}

#else

#include <dlfcn.h>

// It stays loaded: its functions are called until the program ends.
enum status microhttpd_load(struct microhttpd *library, struct error *err)
{
    static const char name[] = "libmicrohttpd.so.12";
    const struct {
        const char *name;
        void *place; // of a pointer to the function
    } functions[] = {
        {"MHD_start_daemon", &library->start_daemon},
        {"MHD_stop_daemon", &library->stop_daemon},
        {"MHD_get_connection_info", &library->get_connection_info},
        {"MHD_lookup_connection_value", &library->lookup_connection_value},
        {"MHD_create_response_from_buffer", &library->create_response_from_buffer},
        {"MHD_add_response_header", &library->add_response_header},
        {"MHD_queue_response", &library->queue_response},
        {"MHD_destroy_response", &library->destroy_response},
    };
    void *file = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!file)
        return error_set(err, STATUS_IO,
                         "serving needs libmicrohttpd (Debian's package libmicrohttpd12): %s",
                         dlerror());
    for (size_t i = 0; i < ARRAY_COUNT(functions); i++) {
        void *found = dlsym(file, functions[i].name);
        if (!found)
            return error_set(err, STATUS_IO, "%s has no %s", name, functions[i].name);
        memcpy(functions[i].place, &found, sizeof found);
    }
    return STATUS_OK;
}

#endif
