// The instrumentation map of an image: where its XRay sleds are, and which function each function
// id of an XRay log denotes.
//
// Ids number the functions of the section xray_instr_map from 1, in its order, so they are valid
// for exactly the image that wrote the log. Addresses are those of the image as it was linked, like
// the values of its symbols: a log has no others.
#ifndef TRAWL_TRACE_XRAY_MAP_H
#define TRAWL_TRACE_XRAY_MAP_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "elf/image.h"

// --- map.c ---------------------------------------------------------------------------------------

enum xray_sled_kind {
    XRAY_SLED_ENTER,
    XRAY_SLED_EXIT,
    XRAY_SLED_TAIL_EXIT,
    XRAY_SLED_ENTER_ARGS,
    XRAY_SLED_CUSTOM_EVENT,
    XRAY_SLED_TYPED_EVENT,
};

struct xray_sled {
    uint64_t address, function;
    uint32_t function_id;
    uint8_t kind; // enum xray_sled_kind, or another value from the image
    uint8_t version;
    bool always_instrument;
};

struct xray_function {
    uint64_t address;
    const char *name; // NULL: use the image's name
    uint32_t id;
};

// What kind of image it is, as far as is known.
enum xray_map_of { XRAY_MAP_OF_ANYTHING, XRAY_MAP_OF_PROGRAM, XRAY_MAP_OF_SHARED_OBJECT };

// Fields are read-only for users.
struct xray_map {
    enum xray_map_of of;
    VEC(, struct xray_sled) sleds;         // in the order of the section
    VEC(, struct xray_function) functions; // by id
    struct arena names;
};

// Reads the map of `image`, of any version; the image may be position-independent. An image without
// a map gives no sleds. STATUS_INPUT: the section is outside of the file, or its size is not a
// multiple of an entry. Free with xray_map_free in any case.
enum status xray_map_read(struct xray_map *map, const struct image *image, struct error *err);

// The function with that id; NULL: none. O(log n); O(1) in maps of images.
const struct xray_function *xray_map_function(const struct xray_map *map, uint32_t id);

// The name of a kind of sled in YAML; NULL: unknown.
const char *xray_sled_name(unsigned kind);

void xray_map_free(struct xray_map *map);

// --- map_yaml.c ----------------------------------------------------------------------------------

// Instrumentation maps as YAML, in the form that `llvm-xray extract` and `trawl xray extract`
// write.

// Reads the map in the file `path`, if it is YAML. If it is not, or cannot be opened, *is_yaml is
// false and the result is STATUS_OK. Functions have the names in the map, if any. STATUS_INPUT: not
// a map; the error has the line. Free with xray_map_free in any case.
enum status xray_map_read_yaml(struct xray_map *map, const char *path, bool *is_yaml,
                               struct error *err);

#endif
