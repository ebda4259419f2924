// Any bytes as JSON: what is accepted is a tree in the order of the text, whose strings and numbers
// end, and is refused again if its last byte is missing.
#include "fuzz.h"

#include "base/json_read.h"

static void check_value(const struct json_document *document, const struct json_value *value,
                        size_t size_bytes)
{
    const struct json_value *last = NULL;
    CLAIM(value->offset < size_bytes);
    CLAIM((value->text != NULL) == (value->type == JSON_STRING || value->type == JSON_NUMBER));
    CLAIM(!value->text || strlen(value->text) <= size_bytes);
    for (const struct json_value *child = json_first(document, value); child;
         last = child, child = json_next(document, child)) {
        CLAIM(child > value && (!last || child->offset > last->offset));
        CLAIM((child->name != NULL) == (value->type == JSON_OBJECT));
        CLAIM(!child->name || json_find(document, value, child->name) <= child);
        check_value(document, child, size_bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct json_document document;
    struct error err;
    uint64_t number;
    char *text = malloc(size_bytes + 1);
    CLAIM(text);
    memcpy(text, data, size_bytes); // of exactly its size, to detect reads after it
    bool is_read = json_read(&document, text, size_bytes, &err) == STATUS_OK;
    if (is_read) {
        const struct json_value *root = document.values.items;
        check_value(&document, root, size_bytes);
        CLAIM(!json_whole(root, &number) || root->type == JSON_NUMBER);
        bool has_end = root->type >= JSON_STRING && strchr("\"]}", text[size_bytes - 1]);
        json_document_free(&document);
        CLAIM(!has_end || json_read(&document, text, size_bytes - 1, &err) == STATUS_INPUT);
    }
    json_document_free(&document);
    free(text);
    return 0;
}
