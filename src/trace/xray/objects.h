// The objects whose functions are in a log: a program, and its shared objects that are
// instrumented (-fxray-shared). A function id has the number of the object, 0 the program, above
// the number of a function in it, from 1; in logs of older runtimes it is only the latter.
//
//     xray_objects_add for each object's image or map
//     xray_objects_note_log for each log, if xray_objects_are_open
//     xray_objects_settle
//
// The runtime numbers shared objects as it initializes them, those that others need first, and logs
// hold no names. So which object has which number is either told, as NUMBER=FILE, or found: the
// ids of the log must be in the map.
#ifndef TRAWL_TRACE_XRAY_OBJECTS_H
#define TRAWL_TRACE_XRAY_OBJECTS_H

#include "elf/image_set.h"
#include "trace/xray/log.h"
#include "trace/xray/map.h"

// Numbers of objects that there may be.
#define XRAY_OBJECT_COUNT 256
#define XRAY_OBJECT_SHIFT 24

struct xray_object {
    const char *path; // the caller's
    struct xray_map map;
    const struct image *image; // NULL, as symbols, for a map in YAML, which has names itself
    const struct symbols *symbols;
    uint8_t *sleds; // of each function: what kinds it has, as bits; NULL until asked for
    bool is_numbered;
    uint32_t number;
};

// What a log has of the functions of one object.
struct xray_ids_seen {
    uint32_t highest;
    uint8_t *actions; // of each function that some map may have, as bits; NULL: none
};

// All zero is none. Fields are for reading.
struct xray_objects {
    VEC(, struct xray_object) items; // in the order in which they were added
    struct xray_ids_seen *seen;      // of each number, NULL until there was a log
    size_t seen_functions;           // how many actions are kept of each
};

// Adds what `argument` names: an image or a map in YAML, or NUMBER=FILE. A file whose whole name is
// the argument goes before a number. Images are added to the set, and must stay there; they are
// moved by `load_offset` unless they say it themselves (FILE@OFFSET), which matters to no id.
// STATUS_INPUT: also if there is no instrumentation map, or two objects of one number.
enum status xray_objects_add(struct xray_objects *objects, const char *argument,
                             uint64_t load_offset, struct image_set *images, struct error *err);

// Gives an object its number; and the object that has one, NULL: none.
void xray_object_number(struct xray_object *object, uint32_t number);
const struct xray_object *xray_objects_numbered(const struct xray_objects *objects,
                                                uint32_t number);

// Whether it takes the ids of the log to know which object is which.
bool xray_objects_are_open(const struct xray_objects *objects);

// Notes which ids there are in a log. False: no memory.
bool xray_objects_note_log(struct xray_objects *objects, const struct xray_log *log);

// Numbers all objects whose functions were seen. STATUS_INPUT: more than one may be meant.
enum status xray_objects_settle(struct xray_objects *objects, struct error *err);

// The object that has this id, and which function of it that is, in *function. NULL: none has it.
const struct xray_object *xray_objects_find(const struct xray_objects *objects, uint32_t id,
                                            const struct xray_function **function);

// What the object calls a function; NULL: nothing.
const char *xray_object_name_of(const struct xray_object *object,
                                const struct xray_function *function);

void xray_objects_free(struct xray_objects *objects);

#endif
