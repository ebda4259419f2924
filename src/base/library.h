// Libraries that few runs of the program need. Each that the program is linked with costs every
// start 0.06 ms, and a library that depends on others more: so these are loaded when one of their
// functions is first wanted, and stay. Static programs are linked with them.
#ifndef TRAWL_BASE_LIBRARY_H
#define TRAWL_BASE_LIBRARY_H

#include "base/error.h"

struct library_function {
    const char *name;
    void *place;          // of a pointer to it
    void (*linked)(void); // in a static program
};

// The function `name`, and the pointer that gets it.
#ifdef TRAWL_STATIC
#define LIBRARY_FUNCTION(name, pointer)                                                            \
    {                                                                                              \
#name, &(pointer), (void (*)(void))(name)                                                  \
    }
#else
#define LIBRARY_FUNCTION(name, pointer)                                                            \
    {                                                                                              \
#name, &(pointer), NULL                                                                    \
    }
#endif

struct library {
    const char *file, *package; // "libzstd.so.1" of Debian's "libzstd1"
    const char *use;            // what needs it: "serving"
    const struct library_function *functions;
    size_t count;
    bool is_loaded;
};

// Fills all pointers, if they are not yet. Any thread may call it.
enum status library_load(struct library *library, struct error *err);

#endif
