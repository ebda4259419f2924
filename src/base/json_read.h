// Reads a JSON text (RFC 8259) that comes from outside, whole: its values in a tree, each string
// decoded and ended by a NUL, so that a string with the character 0 is refused.
//
// A tree and not a stream, as what is read here is small (notes, requests of agents) and whoever
// reads it asks for members by name, in any order. Depth is limited by LIMIT_JSON_DEPTH, the number
// of values by LIMIT_JSON_VALUES, and strings take no more than the text does.
#ifndef TRAWL_BASE_JSON_READ_H
#define TRAWL_BASE_JSON_READ_H

#include "base/error.h"
#include "base/vec.h"

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER, // `text` has it as written
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

struct json_value {
    enum json_type type;
    const char *name; // of a member of an object; otherwise NULL
    const char *text; // of a number or string; otherwise NULL
    uint32_t offset;  // in the text where it begins
    uint32_t child;   // the first of an array or object; 0: none
    uint32_t next;    // in the same array or object; 0: none
};

// All zero is empty. The first value is the root.
struct json_document {
    VEC(, struct json_value) values;
    char *strings;
};

// STATUS_INPUT: it is not JSON, "byte N: expected ..."; STATUS_LIMIT: it is too deep or too large;
// STATUS_MEMORY. The document must be freed in any case.
enum status json_read(struct json_document *document, const char *text, size_t size_bytes,
                      struct error *err);
void json_document_free(struct json_document *document);

// The first value of an array or object, and the one after a value. NULL: there is none.
const struct json_value *json_first(const struct json_document *document,
                                    const struct json_value *parent);
const struct json_value *json_next(const struct json_document *document,
                                   const struct json_value *value);

// The member of an object with a name. NULL: there is none, or it is no object (or NULL).
const struct json_value *json_find(const struct json_document *document,
                                   const struct json_value *object, const char *name);

// The text of a string; NULL: it is no string, or NULL.
const char *json_string(const struct json_value *value);

// A whole number of up to 64 bits without sign. False: it is none, or NULL.
bool json_whole(const struct json_value *value, uint64_t *number);

#endif
