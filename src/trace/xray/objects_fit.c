// Finds which object has which number in a log, from the ids in the log. An object can have a
// number if its map has all functions with that number that occur in the log, with the sleds needed
// for their records. If the numbers of some objects follow from others, they are assigned;
// otherwise nothing is guessed.
#include "trace/xray/objects.h"
#include "trace/xray/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SLED_BIT(kind) (1u << (kind))
#define ANY_EXIT (SLED_BIT(XRAY_SLED_EXIT) | SLED_BIT(XRAY_SLED_TAIL_EXIT))
#define KIND_BIT(kind) (1u << (kind))

// --- What was seen -------------------------------------------------------------------------------

bool xray_objects_are_open(const struct xray_objects *objects)
{
    size_t open = 0;
    for (size_t i = 0; i < objects->items.count; i++)
        open += !objects->items.items[i].is_numbered;
    bool is_program =
        objects->items.count == 1 && objects->items.items[0].map.of != XRAY_MAP_OF_SHARED_OBJECT;
    return open && !is_program;
}

static bool begin_seen(struct xray_objects *objects)
{
    objects->seen = calloc(XRAY_OBJECT_COUNT, sizeof *objects->seen);
    for (size_t i = 0; i < objects->items.count; i++) {
        size_t count = objects->items.items[i].map.functions.count;
        objects->seen_functions = count > objects->seen_functions ? count : objects->seen_functions;
    }
    return objects->seen != NULL;
}

static bool note(struct xray_objects *objects, uint32_t id, enum xray_kind kind)
{
    struct xray_ids_seen *seen = &objects->seen[id >> XRAY_OBJECT_SHIFT];
    uint32_t within = id & ((UINT32_C(1) << XRAY_OBJECT_SHIFT) - 1);
    if (!seen->actions && !(seen->actions = calloc(objects->seen_functions + 1, 1)))
        return false;
    seen->highest = within > seen->highest ? within : seen->highest;
    if (within <= objects->seen_functions)
        seen->actions[within] |= (uint8_t)KIND_BIT(kind);
    return true;
}

bool xray_objects_note_entry(struct xray_objects *objects, uint32_t id)
{
    return (objects->seen || begin_seen(objects)) && note(objects, id, XRAY_ENTER);
}

bool xray_objects_note_log(struct xray_objects *objects, const struct xray_log *log)
{
    struct xray_cursor cursor;
    struct xray_record record;
    bool has_memory = objects->seen || begin_seen(objects);
    // Objects of named programs have their numbers (xray_objects_name), or no image.
    const uint64_t named = log->named_objects;
    for (uint32_t thread = 0; thread < log->threads.count && has_memory; thread++) {
        xray_cursor_thread(&cursor, log, thread);
        while (has_memory && xray_next(&cursor, &record)) {
            uint32_t number = record.function >> XRAY_OBJECT_SHIFT;
            if (xray_is_function(record.kind) && (number >= 64 || !(named >> number & 1)))
                has_memory = note(objects, record.function, record.kind);
        }
    }
    return has_memory;
}

// --- Whether an object fits ----------------------------------------------------------------------

static bool make_sleds(struct xray_object *object)
{
    const struct xray_map *map = &object->map;
    if (object->sleds)
        return true;
    uint32_t highest = map->functions.items[map->functions.count - 1].id;
    if (highest >> XRAY_OBJECT_SHIFT)
        highest = (UINT32_C(1) << XRAY_OBJECT_SHIFT) - 1;
    object->sleds = calloc((size_t)highest + 1, 1);
    for (size_t i = 0; i < map->sleds.count && object->sleds; i++) {
        const struct xray_sled *sled = &map->sleds.items[i];
        if (sled->function_id <= highest && sled->kind < 8)
            object->sleds[sled->function_id] |= (uint8_t)SLED_BIT(sled->kind);
    }
    return object->sleds != NULL;
}

// Some runtimes write a plain exit for a tail exit.
static bool can_do(unsigned sleds, unsigned actions)
{
    bool may_exit = !(actions & KIND_BIT(XRAY_EXIT)) || (sleds & ANY_EXIT);
    bool may_tail =
        !(actions & KIND_BIT(XRAY_TAIL_EXIT)) || (sleds & SLED_BIT(XRAY_SLED_TAIL_EXIT));
    return may_exit && may_tail;
}

static bool fits(const struct xray_objects *objects, const struct xray_object *object,
                 uint32_t number)
{
    const struct xray_ids_seen *seen = &objects->seen[number];
    const struct xray_map *map = &object->map;
    if ((map->of == XRAY_MAP_OF_SHARED_OBJECT && number == 0) ||
        (map->of == XRAY_MAP_OF_PROGRAM && number != 0) ||
        seen->highest > map->functions.items[map->functions.count - 1].id)
        return false;
    for (uint32_t id = 0; id <= seen->highest && id <= objects->seen_functions; id++) {
        if (seen->actions[id] &&
            (!xray_map_function(map, id) || !can_do(object->sleds[id], seen->actions[id])))
            return false;
    }
    return true;
}

// --- Numbers -------------------------------------------------------------------------------------

// What is undecided: objects without a number, and numbers that occur and have no object.
struct question {
    struct xray_objects *objects;
    VEC(, size_t) candidates; // indices in items
    uint32_t numbers[XRAY_OBJECT_COUNT];
    size_t number_count;
    bool *may; // whether candidate i may have number j, at [i * number_count + j]
};

static struct xray_object *candidate(const struct question *question, size_t number)
{
    return &question->objects->items.items[question->candidates.items[number]];
}

// False: no memory.
static bool begin(struct question *question)
{
    struct xray_objects *objects = question->objects;
    for (uint32_t number = 0; number < XRAY_OBJECT_COUNT && objects->seen; number++) {
        if (objects->seen[number].actions && !xray_objects_numbered(objects, number))
            question->numbers[question->number_count++] = number;
    }
    for (size_t i = 0; i < objects->items.count && question->number_count; i++) {
        if (objects->items.items[i].is_numbered)
            continue;
        if (!VEC_ROOM(&question->candidates, 1) || !make_sleds(&objects->items.items[i]))
            return false;
        question->candidates.items[question->candidates.count++] = i;
    }
    question->may =
        calloc(question->candidates.count * question->number_count + 1, sizeof *question->may);
    for (size_t i = 0; i < question->candidates.count && question->may; i++) {
        for (size_t j = 0; j < question->number_count; j++)
            question->may[i * question->number_count + j] =
                fits(objects, candidate(question, i), question->numbers[j]);
    }
    return question->may != NULL;
}

// For a row or column of the question: the number of possibilities, and the last of them.
static size_t count_may(const struct question *question, size_t first, size_t step, size_t count,
                        size_t *last)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (question->may[first + i * step])
            found++, *last = i;
    }
    return found;
}

// Assigns the number to the object; both are then decided.
static void settle_one(struct question *question, size_t object, size_t number)
{
    xray_object_number(candidate(question, object), question->numbers[number]);
    for (size_t i = 0; i < question->candidates.count; i++)
        question->may[i * question->number_count + number] = false;
    for (size_t j = 0; j < question->number_count; j++)
        question->may[object * question->number_count + j] = false;
}

// Assigns what follows from earlier assignments. If there are more objects than numbers, an object
// need not have a number; in the opposite case, a number need not have an object. Returns whether
// anything was assigned.
static bool settle_some(struct question *question)
{
    size_t objects = question->candidates.count, numbers = question->number_count, other = 0;
    for (size_t i = 0; i < objects && objects <= numbers; i++) {
        if (count_may(question, i * numbers, 1, numbers, &other) == 1)
            return settle_one(question, i, other), true;
    }
    for (size_t j = 0; j < numbers && numbers <= objects; j++) {
        if (count_may(question, j, numbers, objects, &other) == 1)
            return settle_one(question, other, j), true;
    }
    return false;
}

static enum status say_open(const struct question *question, struct error *err)
{
    size_t numbers = question->number_count, number = 0;
    for (size_t i = 0; i < question->candidates.count; i++) {
        if (!count_may(question, i * numbers, 1, numbers, &number))
            continue;
        return error_set(err, STATUS_INPUT,
                         "%s: may be object %" PRIu32 " of the log, like another image: "
                         "say which object is which, as '%" PRIu32 "=%s'",
                         candidate(question, i)->path, question->numbers[number],
                         question->numbers[number], candidate(question, i)->path);
    }
    return STATUS_OK;
}

enum status xray_objects_settle(struct xray_objects *objects, struct error *err)
{
    struct question question = {.objects = objects};
    size_t first = 0;
    while (first < objects->items.count && objects->items.items[first].program)
        first++;
    struct xray_object *plain = first < objects->items.count ? &objects->items.items[first] : NULL;
    if (plain && !plain->is_numbered && plain->map.of != XRAY_MAP_OF_SHARED_OBJECT &&
        !xray_objects_numbered(objects, 0))
        xray_object_number(plain, 0);
    for (size_t i = first + 1; i < objects->items.count; i++) {
        const struct xray_object *object = &objects->items.items[i];
        if (object->map.of == XRAY_MAP_OF_PROGRAM && !object->is_numbered)
            return error_set(err, STATUS_INPUT,
                             "%s: is a program, like '%s', but a log has only one", object->path,
                             xray_objects_numbered(objects, 0)->path);
    }
    enum status status =
        begin(&question) ? STATUS_OK
                         : error_set(err, STATUS_MEMORY, "no memory for the objects of the log");
    while (status == STATUS_OK && settle_some(&question))
        ;
    if (status == STATUS_OK)
        status = say_open(&question, err);
    free(question.candidates.items);
    free(question.may);
    return status;
}
