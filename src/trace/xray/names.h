// From the function ids of an XRay log to names, by the instrumentation map and the symbols of the
// image that wrote it, or by the map alone as YAML.
#ifndef TRAWL_TRACE_XRAY_NAMES_H
#define TRAWL_TRACE_XRAY_NAMES_H

#include "base/arena.h"
#include "elf/lines.h"
#include "elf/symbols.h"
#include "trace/xray/map.h"

// All zero knows no names. One thread only.
struct xray_names {
    struct image *image; // NULL, as symbols and lines, for a map in YAML
    struct symbols *symbols;
    struct xray_map map;
    struct lines *lines; // NULL: none, or not asked for
    const char **kept;   // of map.functions, NULL until asked for
    struct arena arena;
    bool keeps_mangled;
    bool lacks_memory; // some name was not found for that: what shows names must not be shown
    char number[32];   // the name last made of a number
};

// Opens the image or the map in YAML. STATUS_INPUT also where it has no instrumentation map. Freed
// by xray_names_free either way.
enum status xray_names_open(struct xray_names *names, const char *path, struct error *err);

// What a function is called, demangled unless keeps_mangled; "@(ADDRESS)" for one without a name;
// "#ID" for an id that the map does not have; without memory for it "" (lacks_memory). Valid until
// the next call.
const char *xray_name(struct xray_names *names, uint32_t id);

// Whether the map has this id.
bool xray_names_knows(const struct xray_names *names, uint32_t function);

// Opens the lines of the image, if it has any. What can be wrong is lines_open's.
enum status xray_names_open_lines(struct xray_names *names, struct error *err);

// Where a function begins. False: the lines do not tell.
bool xray_function_place(struct xray_names *names, uint32_t function, struct source_place *place);

void xray_names_free(struct xray_names *names);

#endif
