#include "trace/xray/map.h"

#include "base/source.h"
#include "trace/xray/yaml_events.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAGIC_BYTES 4

enum { KEY_ID, KEY_ADDRESS, KEY_FUNCTION, KEY_KIND, KEY_ALWAYS, KEY_NAME, KEY_VERSION };

static const char *const keys[] = {
    "id", "address", "function", "kind", "always-instrument", "function-name", "version", NULL};

#define REQUIRED_KEYS (1u << KEY_ID | 1u << KEY_ADDRESS | 1u << KEY_FUNCTION | 1u << KEY_KIND)

// A sled, and the name of its function.
struct entry {
    struct xray_sled sled;
    const char *name; // NULL: unknown
};

// --- Entries -------------------------------------------------------------------------------------

static enum status read_kind(struct yaml *yaml, struct entry *entry, struct error *err)
{
    struct yaml_part part;
    enum status status = yaml_expect(yaml, YAML_SCALAR, "a kind of sled", &part, err);
    if (status != STATUS_OK)
        return status;
    const char *name;
    for (uint8_t kind = 0; (name = xray_sled_name(kind)); kind++) {
        entry->sled.kind = kind;
        if (strcmp(name, part.text) == 0)
            return STATUS_OK;
    }
    return yaml_fault(yaml, err, "unknown kind of sled: '%.40s'", part.text);
}

static enum status read_name(struct yaml *yaml, struct xray_map *map, struct entry *entry,
                             struct error *err)
{
    struct yaml_part part;
    enum status status = yaml_expect(yaml, YAML_SCALAR, "a name", &part, err);
    if (status != STATUS_OK || !part.length)
        return status;
    entry->name = arena_copy_string(&map->names, part.text, part.length);
    return entry->name ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory for names");
}

static enum status read_value(struct yaml *yaml, int key, struct xray_map *map, struct entry *entry,
                              struct error *err)
{
    struct xray_sled *sled = &entry->sled;
    uint64_t number = 0;
    enum status status;
    switch (key) {
    case KEY_ID:
        status = yaml_u64(yaml, keys[key], UINT32_MAX, &number, err);
        sled->function_id = (uint32_t)number;
        return status;
    case KEY_ADDRESS:
        return yaml_u64(yaml, keys[key], UINT64_MAX, &sled->address, err);
    case KEY_FUNCTION:
        return yaml_u64(yaml, keys[key], UINT64_MAX, &sled->function, err);
    case KEY_KIND:
        return read_kind(yaml, entry, err);
    case KEY_ALWAYS:
        return yaml_bool(yaml, keys[key], &sled->always_instrument, err);
    case KEY_NAME:
        return read_name(yaml, map, entry, err);
    default:
        status = yaml_u64(yaml, keys[key], UINT8_MAX, &number, err);
        sled->version = (uint8_t)number;
        return status;
    }
}

static enum status read_entry(struct yaml *yaml, struct xray_map *map, struct entry *entry,
                              struct error *err)
{
    uint32_t seen = 0;
    int key;
    *entry = (struct entry){.name = NULL};
    for (;;) {
        enum status status = yaml_key(yaml, keys, &seen, &key, err);
        if (status != STATUS_OK)
            return status;
        if (key < 0)
            return yaml_require(yaml, keys, seen, REQUIRED_KEYS, err);
        status = read_value(yaml, key, map, entry, err);
        if (status != STATUS_OK)
            return status;
    }
}

static bool add_entry(struct xray_map *map, const struct entry *entry)
{
    const struct xray_sled *sled = &entry->sled;
    if (!VEC_ROOM(&map->sleds, 1) || !VEC_ROOM(&map->functions, 1))
        return false;
    map->sleds.items[map->sleds.count++] = *sled;
    const struct xray_function *last =
        map->functions.count ? &map->functions.items[map->functions.count - 1] : NULL;
    // All sleds of a function are adjacent; other cases are handled below.
    if (!last || last->id != sled->function_id || last->address != sled->function)
        map->functions.items[map->functions.count++] =
            (struct xray_function){sled->function, entry->name, sled->function_id};
    return true;
}

// --- Functions -----------------------------------------------------------------------------------

ORDER_BY_2(compare_ids, struct xray_function, id, address)

static enum status read_entries(struct yaml *yaml, struct xray_map *map, struct error *err)
{
    struct yaml_part part;
    struct entry entry;
    enum status status = yaml_expect(yaml, YAML_LIST, "a list of sleds", &part, err);
    while (status == STATUS_OK) {
        status = yaml_next(yaml, &part, err);
        if (status != STATUS_OK)
            return status;
        if (part.kind == YAML_END)
            break;
        if (part.kind != YAML_MAP)
            return yaml_fault(yaml, err, "expected a sled");
        status = read_entry(yaml, map, &entry, err);
        if (status == STATUS_OK && !add_entry(map, &entry))
            return error_set(err, STATUS_MEMORY, "no memory for sleds");
    }
    if (status == STATUS_OK)
        status = yaml_expect(yaml, YAML_NOTHING, "the end", &part, err);
    if (status == STATUS_OK && !map->functions.count)
        return error_set(err, STATUS_INPUT, "an XRay map that lists no functions");
    if (status != STATUS_OK)
        return status;
    // Sorts functions by id, without duplicates.
    struct xray_function *functions = map->functions.items;
    size_t kept = 0;
    qsort(functions, map->functions.count, sizeof *functions, compare_ids);
    for (size_t i = 1; i < map->functions.count; i++) {
        if (functions[i].id != functions[kept].id)
            functions[++kept] = functions[i];
        else if (functions[i].address != functions[kept].address)
            return error_set(err, STATUS_INPUT, "two functions have the id %" PRIu32,
                             functions[i].id);
        else if (!functions[kept].name)
            functions[kept].name = functions[i].name;
    }
    map->functions.count = kept + 1;
    return STATUS_OK;
}

// --- The file ------------------------------------------------------------------------------------

static enum status read_source(struct xray_map *map, struct source *source, struct error *err)
{
    const char *bytes;
    uint64_t size_bytes;
    enum status status = source_read_all(source, &bytes, &size_bytes, err);
    if (status != STATUS_OK)
        return status;
    struct yaml *yaml = yaml_open(bytes, size_bytes);
    status =
        yaml ? read_entries(yaml, map, err) : error_set(err, STATUS_MEMORY, "no memory for YAML");
    yaml_close(yaml);
    if (status == STATUS_OK && !source_is_intact(source))
        status = error_set(err, STATUS_INPUT, "was changed while it was read");
    return status;
}

enum status xray_map_read_yaml(struct xray_map *map, const char *path, bool *is_yaml,
                               struct error *err)
{
    char magic[MAGIC_BYTES];
    struct source *source;
    struct error cause;
    size_t have = 0;
    *map = (struct xray_map){.sleds = {0}};
    *is_yaml = false;
    if (source_open(&source, path, SOURCE_RAW, &cause) != STATUS_OK)
        return STATUS_OK;
    enum status status = STATUS_OK;
    // Whether it may be a list in YAML. No image begins this way.
    *is_yaml = source_peek(source, magic, sizeof magic, &have, &cause) == STATUS_OK &&
               have == MAGIC_BYTES && (memcmp(magic, "---", 3) == 0 || memcmp(magic, "- ", 2) == 0);
    if (*is_yaml)
        status = read_source(map, source, &cause);
    source_close(source);
    if (status == STATUS_OK)
        return status;
    error_set(err, status, "%s: %.400s", path, cause.text);
    if (err)
        err->line = cause.line, err->offset = cause.offset;
    return status;
}
