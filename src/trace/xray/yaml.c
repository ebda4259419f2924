
#include "base/limits.h"
#include "trace/xray/build.h"
#include "trace/xray/yaml_events.h"

#include <inttypes.h>
#include <stdlib.h>

bool xray_yaml_is(const void *text, uint64_t size_bytes)
{
    static const char start[] = "---\nheader:";
    _Static_assert(sizeof start - 1 <= XRAY_MAGIC_BYTES, "all of it is looked at");
    return size_bytes >= sizeof start - 1 && memcmp(text, start, sizeof start - 1) == 0;
}

// --- A record ------------------------------------------------------------------------------------

enum {
    KEY_TYPE,
    KEY_FUNCTION_ID,
    KEY_FUNCTION,
    KEY_ARGUMENTS,
    KEY_CPU,
    KEY_THREAD,
    KEY_PROCESS,
    KEY_KIND,
    KEY_TSC,
    KEY_DATA,
};

static const char *const keys[] = {"type",    "func-id", "function", "args", "cpu", "thread",
                                   "process", "kind",    "tsc",      "data", NULL};

#define KEY(key) (UINT32_C(1) << (key))
#define REQUIRED_KEYS (KEY(KEY_CPU) | KEY(KEY_KIND) | KEY(KEY_TSC))

// In the order of enum xray_made_kind.
static const char *const kinds[] = {"function-enter",
                                    "function-exit",
                                    "function-tail-exit",
                                    "function-enter-arg",
                                    "custom-event",
                                    "typed-event",
                                    NULL};

struct record {
    uint64_t type, function, cpu, tid, pid, tsc;
    unsigned kind;
    VEC(, uint64_t) arguments;
    VEC(, uint8_t) data;
};

struct reader {
    struct yaml *yaml;
    struct xray_header told;
    struct xray_maker maker;
    struct record record; // the current one; its arrays are reused
    bool is_ascii;
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the log");
}

static enum status read_arguments(struct reader *reader, struct error *err)
{
    struct yaml_part part;
    struct record *record = &reader->record;
    enum status status = yaml_expect(reader->yaml, YAML_LIST, "a list of arguments", &part, err);
    while (status == STATUS_OK) {
        uint64_t value;
        status = yaml_next(reader->yaml, &part, err);
        if (status != STATUS_OK || part.kind == YAML_END)
            break;
        status = yaml_part_u64(reader->yaml, &part, keys[KEY_ARGUMENTS], UINT64_MAX, &value, err);
        if (status == STATUS_OK && !VEC_ROOM(&record->arguments, 1))
            return no_memory(err);
        if (status == STATUS_OK)
            record->arguments.items[record->arguments.count++] = value;
    }
    return status;
}

// Reads a payload; in ASCII YAML, characters become bytes.
static enum status read_data(struct reader *reader, struct error *err)
{
    struct yaml_part part;
    struct record *record = &reader->record;
    enum status status = yaml_expect(reader->yaml, YAML_SCALAR, "data", &part, err);
    if (status != STATUS_OK)
        return status;
    if (!VEC_ROOM(&record->data, part.length))
        return no_memory(err);
    for (size_t i = 0; i < part.length; i++) {
        uint8_t byte = (uint8_t)part.text[i];
        // UTF-8 of U+0080 to U+00FF: two bytes; the first has the upper two bits.
        if (reader->is_ascii && (byte & 0xfe) == 0xc2)
            byte = (uint8_t)(byte << 6 | (part.text[++i] & 0x3f));
        record->data.items[record->data.count++] = byte;
    }
    return STATUS_OK;
}

static enum status read_value(struct reader *reader, int key, struct error *err)
{
    struct yaml *yaml = reader->yaml;
    struct yaml_part part;
    struct record *record = &reader->record;
    switch (key) {
    case KEY_TYPE:
        return yaml_u64(yaml, keys[key], UINT16_MAX, &record->type, err);
    case KEY_FUNCTION_ID:
        return yaml_u64(yaml, keys[key], XRAY_MADE_FUNCTION_MAX, &record->function, err);
    case KEY_FUNCTION:
        return yaml_expect(yaml, YAML_SCALAR, "a name", &part, err);
    case KEY_ARGUMENTS:
        return read_arguments(reader, err);
    case KEY_CPU:
        return yaml_u64(yaml, keys[key], UINT16_MAX, &record->cpu, err);
    case KEY_THREAD:
        return yaml_u64(yaml, keys[key], UINT32_MAX, &record->tid, err);
    case KEY_PROCESS:
        return yaml_u64(yaml, keys[key], UINT32_MAX, &record->pid, err);
    case KEY_KIND:
        return yaml_word(yaml, keys[key], kinds, &record->kind, err);
    case KEY_TSC:
        return yaml_u64(yaml, keys[key], UINT64_MAX, &record->tsc, err);
    default:
        return read_data(reader, err);
    }
}

// Whether the fields of the record suit its kind.
static enum status check_record(const struct reader *reader, uint32_t seen, struct error *err)
{
    const struct record *record = &reader->record;
    bool is_event = record->kind >= XRAY_MADE_CUSTOM;
    uint32_t required = REQUIRED_KEYS | (is_event ? 0 : KEY(KEY_FUNCTION_ID)) |
                        (record->kind == XRAY_MADE_TYPED ? KEY(KEY_TYPE) : 0);
    if (is_event && record->arguments.count)
        return yaml_fault(reader->yaml, err, "an event with arguments");
    if (!is_event && record->data.count)
        return yaml_fault(reader->yaml, err, "a function record with data");
    if (record->data.count > INT32_MAX)
        return yaml_fault(reader->yaml, err, "more data than an event can have");
    return yaml_require(reader->yaml, keys, seen, required, err);
}

static enum status read_record(struct reader *reader, struct error *err)
{
    struct record *record = &reader->record;
    uint32_t seen = 0;
    int key;
    record->type = record->function = record->cpu = record->tid = record->pid = 0;
    record->arguments.count = record->data.count = 0;
    for (;;) {
        enum status status = yaml_key(reader->yaml, keys, &seen, &key, err);
        if (status == STATUS_OK && key < 0)
            return check_record(reader, seen, err);
        if (status == STATUS_OK)
            status = read_value(reader, key, err);
        if (status != STATUS_OK)
            return status;
    }
}

static enum status add_record(struct reader *reader, struct error *err)
{
    const struct record *record = &reader->record;
    const struct xray_made_record made = {
        .kind = record->kind,
        .function = (uint32_t)record->function,
        .tsc = record->tsc,
        .cpu = (uint16_t)record->cpu,
        .type = (uint16_t)record->type,
        .arguments = record->arguments.items,
        .argument_count = record->arguments.count,
        .payload = record->data.items,
        .payload_bytes = record->data.count,
    };
    struct xray_made_thread *thread;
    enum status status = xray_make_thread(&reader->maker, (uint32_t)record->pid,
                                          (uint32_t)record->tid, &thread, err);
    return status != STATUS_OK || xray_make_record(thread, &made) ? status : no_memory(err);
}

// --- The document --------------------------------------------------------------------------------

static enum status read_records(struct reader *reader, struct error *err)
{
    struct yaml_part part;
    enum status status = yaml_next(reader->yaml, &part, err);
    if (status == STATUS_OK && part.kind == YAML_SCALAR && !part.length)
        return status; // no records, in the form that LLVM and we write
    if (status == STATUS_OK && part.kind != YAML_LIST)
        return yaml_fault(reader->yaml, err, "expected a list of records");
    while (status == STATUS_OK) {
        status = yaml_next(reader->yaml, &part, err);
        if (status != STATUS_OK || part.kind == YAML_END)
            break;
        if (part.kind != YAML_MAP)
            return yaml_fault(reader->yaml, err, "expected a record");
        status = read_record(reader, err);
        if (status == STATUS_OK)
            status = add_record(reader, err);
    }
    return status;
}

static enum status read_header_value(struct reader *reader, const char *const *names, int key,
                                     struct error *err)
{
    struct xray_header *told = &reader->told;
    uint64_t number = 0;
    enum status status;
    switch (key) {
    case 0:
        status = yaml_u64(reader->yaml, names[key], UINT16_MAX, &number, err);
        told->version = (uint16_t)number;
        return status;
    case 1:
        status = yaml_u64(reader->yaml, names[key], XRAY_FDR, &number, err);
        told->type = number ? XRAY_FDR : XRAY_BASIC;
        return status;
    case 2:
        return yaml_bool(reader->yaml, names[key], &told->constant_tsc, err);
    case 3:
        return yaml_bool(reader->yaml, names[key], &told->nonstop_tsc, err);
    default:
        return yaml_u64(reader->yaml, names[key], UINT64_MAX, &told->frequency_hz, err);
    }
}

static enum status read_header(struct reader *reader, struct error *err)
{
    static const char *const names[] = {"version",         "type", "constant-tsc", "nonstop-tsc",
                                        "cycle-frequency", NULL};
    struct yaml_part part;
    uint32_t seen = 0;
    int key = 0;
    enum status status = yaml_expect(reader->yaml, YAML_MAP, "a header", &part, err);
    while (status == STATUS_OK && key >= 0) {
        status = yaml_key(reader->yaml, names, &seen, &key, err);
        if (status == STATUS_OK && key >= 0)
            status = read_header_value(reader, names, key, err);
    }
    if (status == STATUS_OK)
        status = yaml_require(reader->yaml, names, seen, 1 | 2 | 16, err);
    if (status == STATUS_OK && !xray_version_is_known(reader->told.type, reader->told.version))
        return yaml_fault(reader->yaml, err, "a log of version %u, which trawl does not read",
                          reader->told.version);
    return status;
}

static enum status read_document(struct reader *reader, struct error *err)
{
    static const char *const names[] = {"header", "records", NULL};
    struct yaml_part part;
    uint32_t seen = 0;
    int key = 0;
    enum status status = yaml_expect(reader->yaml, YAML_MAP, "a log", &part, err);
    while (status == STATUS_OK && key >= 0) {
        status = yaml_key(reader->yaml, names, &seen, &key, err);
        if (status == STATUS_OK && key >= 0)
            status = key == 0 ? read_header(reader, err) : read_records(reader, err);
    }
    if (status == STATUS_OK)
        status = yaml_require(reader->yaml, names, seen, 3, err);
    return status == STATUS_OK ? yaml_expect(reader->yaml, YAML_NOTHING, "the end", &part, err)
                               : status;
}

// --- The log -------------------------------------------------------------------------------------

static bool is_ascii(const uint8_t *text, uint64_t size_bytes)
{
    uint8_t all = 0;
    for (uint64_t i = 0; i < size_bytes; i++)
        all |= text[i];
    return all < 0x80;
}

enum status xray_yaml_read(const void *text, uint64_t size_bytes, uint8_t **bytes,
                           uint64_t *made_bytes, struct xray_header *told, struct error *err)
{
    struct reader reader = {.is_ascii = is_ascii(text, size_bytes)};
    *bytes = NULL;
    reader.yaml = yaml_open(text, size_bytes);
    enum status status = reader.yaml ? read_document(&reader, err) : no_memory(err);
    if (status == STATUS_OK)
        status = xray_make_log(&reader.maker, &reader.told, bytes, made_bytes, err);
    *told = reader.told;
    xray_make_free(&reader.maker);
    free(reader.record.arguments.items);
    free(reader.record.data.items);
    yaml_close(reader.yaml);
    return status;
}
