// From the function ids of an XRay log to names, by the instrumentation map and the symbols of the
// image that wrote it, or by the map alone as YAML.
#ifndef TRAWL_TRACE_XRAY_NAMES_H
#define TRAWL_TRACE_XRAY_NAMES_H

#include "base/arena.h"
#include "elf/lines.h"
#include "trace/xray/objects.h"

// What was asked of one object.
struct xray_object_names {
    const char **kept;   // of its map's functions, NULL until asked for
    struct lines *lines; // NULL: none, or not asked for
};

// All zero knows no names. One thread only.
struct xray_names {
    struct image_set images;
    struct xray_objects objects;
    struct xray_object_names *about; // of each object
    struct arena arena;
    bool keeps_mangled;
    bool lacks_memory;   // some name was not found for that: what shows names must not be shown
    char number[32];     // the name last made of a number
    uint32_t unknown_id; // the first asked for that no map has, though there are some; 0: none
};

// Adds an image or a map in YAML, or NUMBER=FILE (xray_objects_add).
enum status xray_names_add(struct xray_names *names, const char *argument, struct error *err);

// After all were added and before names are asked for: finds which object is which. Who names
// functions of several logs has xray_objects_note_log told of each before, and `log` NULL.
enum status xray_names_settle(struct xray_names *names, const struct xray_log *log,
                              struct error *err);

// What a function is called, demangled unless keeps_mangled; "@(ADDRESS)" for one without a name;
// "#ID" for an id that no map has; without memory for it "" (lacks_memory). Valid until the next
// call.
const char *xray_name(struct xray_names *names, uint32_t id);

// Whether a map has this id.
bool xray_names_knows(const struct xray_names *names, uint32_t id);

// Opens the lines of the images, where they have any. What can be wrong is lines_open's.
enum status xray_names_open_lines(struct xray_names *names, struct error *err);

// Where a function begins. False: the lines do not tell.
bool xray_function_location(struct xray_names *names, uint32_t id, struct source_location *place);

void xray_names_free(struct xray_names *names);

#endif
