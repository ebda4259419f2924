// The objects whose functions are in a log: a program, and its shared objects that are instrumented
// (-fxray-shared). In a function id, the number of the object (0: the program) is above the number
// of a function in it, counted from 1. In logs of older runtimes, an id is only the latter.
//
//     xray_objects_add for each object's image or map
//     xray_objects_note_log for each log, if xray_objects_are_open
//     xray_objects_settle
//
// The runtime numbers shared objects in the order in which it initializes them, dependencies first,
// and logs contain no names. So the number of an object is either given, as NUMBER=FILE, or found:
// the ids of the log must be in its map.
#ifndef TRAWL_TRACE_XRAY_OBJECTS_H
#define TRAWL_TRACE_XRAY_OBJECTS_H

#include "elf/image_set.h"
#include "trace/xray/log.h"
#include "trace/xray/map.h"

// The largest number of objects.
#define XRAY_OBJECT_COUNT 256
#define XRAY_OBJECT_SHIFT 24

struct xray_object {
    const char *path;    // owned by the caller
    const char *program; // NAME=FILE as typed: the program of a log that was joined; otherwise NULL
    struct xray_map map;
    const struct image *image; // like symbols, NULL for a map in YAML, which has names itself
    const struct symbols *symbols;
    uint8_t *sleds; // for each function: the kinds that it has, as bits; NULL: not requested yet
    bool is_numbered;
    uint32_t number;
};

// The functions of one object that occur in a log.
struct xray_ids_seen {
    uint32_t highest;
    uint8_t *actions; // for each function that some map may have, as bits; NULL: none occurred
};

// All zero: none. Fields are read-only for users.
struct xray_objects {
    VEC(, struct xray_object) items; // in the order of adding
    struct xray_ids_seen *seen;      // by number; NULL before a log was read
    size_t seen_functions;           // number of actions stored for each
};

// Adds an image or a map in YAML, NUMBER=FILE, or NAME=FILE for the program of logs that were
// joined under this name. If a file has the whole argument as its name, that file is added. Images
// are added to the set, and must stay there. They are moved by `load_offset` unless they specify an
// offset themselves (FILE@OFFSET); ids do not depend on it. STATUS_INPUT also if there is no
// instrumentation map, or two objects have the same number.
enum status xray_objects_add(struct xray_objects *objects, const char *argument,
                             uint64_t load_offset, struct image_set *images, struct error *err);

// xray_object_number gives an object its number; xray_objects_numbered returns the object with a
// number, NULL: none.
void xray_object_number(struct xray_object *object, uint32_t number);
const struct xray_object *xray_objects_numbered(const struct xray_objects *objects,
                                                uint32_t number);

// Whether ids of the log are needed to determine which object has which number.
bool xray_objects_are_open(const struct xray_objects *objects);

// Numbers objects of named programs as in the ids of logs that were joined. STATUS_INPUT: no log
// was given that name.
enum status xray_objects_name(struct xray_objects *objects, const struct xray_log *log,
                              struct error *err);

// Record which ids occur in a log, and that a function was entered. False: no memory.
bool xray_objects_note_log(struct xray_objects *objects, const struct xray_log *log);
bool xray_objects_note_entry(struct xray_objects *objects, uint32_t id);

// Numbers all objects whose functions occurred. STATUS_INPUT: it is ambiguous.
enum status xray_objects_settle(struct xray_objects *objects, struct error *err);

// The object with this id, and its function, in *function. NULL: none.
const struct xray_object *xray_objects_find(const struct xray_objects *objects, uint32_t id,
                                            const struct xray_function **function);

// The object's name for a function; NULL: none.
const char *xray_object_name_of(const struct xray_object *object,
                                const struct xray_function *function);

void xray_objects_free(struct xray_objects *objects);

#endif
