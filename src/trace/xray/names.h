// Names for the function ids of an XRay log, from the instrumentation map and the symbols of the
// image that wrote it, or from a map in YAML alone.
#ifndef TRAWL_TRACE_XRAY_NAMES_H
#define TRAWL_TRACE_XRAY_NAMES_H

#include "base/arena.h"
#include "elf/lines.h"
#include "trace/xray/objects.h"

// Cached answers about one object.
struct xray_object_names {
    const char **kept;   // of its map's functions; NULL: not requested yet
    struct lines *lines; // NULL: none, or not requested
};

// All zero: no names. Use from one thread only.
struct xray_names {
    struct image_set images;
    struct xray_objects objects;
    struct xray_object_names *about; // one for each object
    struct arena arena;
    bool keeps_mangled;
    bool lacks_memory; // the reason why a name was not found: reports with names must not be shown
    char number[32];   // the name last made from a number
    uint32_t unknown_id; // the first requested id that no map has, if there are maps; 0: none
};

// Adds an image, a map in YAML, or NUMBER=FILE (xray_objects_add).
enum status xray_names_add(struct xray_names *names, const char *argument, struct error *err);

// Determines the numbers of objects, after all were added and before names are requested. For names
// of functions of several logs, call xray_objects_note_log for each log before, and pass NULL for
// `log`.
enum status xray_names_settle(struct xray_names *names, const struct xray_log *log,
                              struct error *err);

// The name of a function, demangled unless keeps_mangled; "@(ADDRESS)" for a function without a
// name; "#ID" for an id that is in no map; "" if there is no memory (lacks_memory). Valid until the
// next call.
const char *xray_name(struct xray_names *names, uint32_t id);

// Whether a map has this id.
bool xray_names_knows(const struct xray_names *names, uint32_t id);

// Opens the source lines of the images, if any. Fails like lines_open.
enum status xray_names_open_lines(struct xray_names *names, struct error *err);

// Where a function begins. False: unknown.
bool xray_function_location(struct xray_names *names, uint32_t id, struct source_location *place);

void xray_names_free(struct xray_names *names);

#endif
