// Every schema and array is memory of its own, because the interface allows to move a child out of
// its parent, which then outlives it.
#include "lib/export.h"

#include <stdlib.h>

enum { NULLABLE = 2 };

void export_owner_take(struct export_owner *owner)
{
    __atomic_add_fetch(&owner->users, 1, __ATOMIC_RELAXED);
}

void export_owner_drop(struct export_owner *owner)
{
    if (__atomic_sub_fetch(&owner->users, 1, __ATOMIC_ACQ_REL) == 0)
        owner->free(owner);
}

// --- Schemas -------------------------------------------------------------------------------------

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] && schema->children[i]->release)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    if (schema->dictionary && schema->dictionary->release)
        schema->dictionary->release(schema->dictionary);
    free(schema->dictionary);
    schema->release = NULL;
}

static void begin_schema(struct ArrowSchema *schema, const char *format, const char *name)
{
    *schema = (struct ArrowSchema){.format = format, .name = name, .release = release_schema};
}

bool export_schema(struct ArrowSchema *schema, const struct export_column *columns, size_t count)
{
    begin_schema(schema, "+s", "");
    schema->children = calloc(count + 1, sizeof *schema->children);
    bool has_memory = schema->children != NULL;
    for (size_t i = 0; i < count && has_memory; i++) {
        struct ArrowSchema *child = schema->children[i] = calloc(1, sizeof *child);
        schema->n_children++;
        if (!child) {
            has_memory = false;
            break;
        }
        begin_schema(child, columns[i].format, columns[i].name);
        child->flags = NULLABLE;
        if (!columns[i].has_texts)
            continue;
        child->dictionary = calloc(1, sizeof *child->dictionary);
        has_memory = child->dictionary != NULL;
        if (has_memory)
            begin_schema(child->dictionary, "u", "");
    }
    if (!has_memory)
        release_schema(schema);
    return has_memory;
}

// --- Arrays --------------------------------------------------------------------------------------

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i] && array->children[i]->release)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    free(array->children);
    if (array->dictionary && array->dictionary->release)
        array->dictionary->release(array->dictionary);
    free(array->dictionary);
    free((void *)array->buffers);
    export_owner_drop(array->private_data);
    array->release = NULL;
}

// False: no memory for the list of its buffers. It must be released in any case.
static bool begin_array(struct ArrowArray *array, int64_t length, int64_t empty_count,
                        int64_t buffer_count, struct export_owner *owner)
{
    *array = (struct ArrowArray){.length = length,
                                 .null_count = empty_count,
                                 .n_buffers = buffer_count,
                                 .buffers = calloc((size_t)buffer_count, sizeof *array->buffers),
                                 .release = release_array,
                                 .private_data = owner};
    export_owner_take(owner);
    return array->buffers != NULL;
}

static bool export_column(struct ArrowArray *array, const struct export_column *column,
                          uint64_t rows, struct export_owner *owner)
{
    if (!begin_array(array, (int64_t)rows, column->empty_count, 2, owner))
        return false;
    array->buffers[0] = column->empty_count ? column->has_value : NULL;
    array->buffers[1] = column->values;
    if (!column->has_texts)
        return true;
    array->dictionary = calloc(1, sizeof *array->dictionary);
    if (!array->dictionary || !begin_array(array->dictionary, column->distinct_texts, 0, 3, owner))
        return false;
    array->dictionary->buffers[1] = column->ends;
    array->dictionary->buffers[2] = column->bytes;
    return true;
}

bool export_array(struct ArrowArray *array, const struct export_column *columns, size_t count,
                  uint64_t rows, struct export_owner *owner)
{
    bool has_memory = begin_array(array, (int64_t)rows, 0, 1, owner);
    array->children = calloc(count + 1, sizeof *array->children);
    has_memory = has_memory && array->children;
    for (size_t i = 0; i < count && has_memory; i++) {
        array->children[i] = calloc(1, sizeof **array->children);
        array->n_children++;
        has_memory =
            array->children[i] && export_column(array->children[i], &columns[i], rows, owner);
    }
    if (!has_memory)
        release_array(array);
    return has_memory;
}
