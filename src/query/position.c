#include "query/position.h"

#include "base/program_pc.h"
#include "cli/values.h"

// A part of a text.
struct span {
    const char *text;
    size_t start, end;
};

static enum status parse_span(struct expression *expression, struct span span,
                              const struct expression_names *names, struct error *err)
{
    enum status status =
        expression_parse(expression, span.text + span.start, span.end - span.start, names, err);
    if (err && status != STATUS_OK)
        err->offset += span.start; // in the whole text
    return status;
}

static enum status parse_present(struct expression *expression, struct span span,
                                 const char *wanted, const struct expression_names *names,
                                 struct error *err)
{
    if (span.start == span.end)
        return error_set_at(err, STATUS_INPUT, span.start, "expected %s", wanted);
    return parse_span(expression, span, names, err);
}

// The value of an expression without registers: an address. `wanted`: what to call it in a message
// if it is missing.
static enum status parse_value(struct span span, const char *wanted,
                               const struct expression_names *names, uint64_t *value,
                               struct error *err)
{
    struct expression expression;
    enum status status = parse_present(&expression, span, wanted, names, err);
    if (status == STATUS_OK && expression.has_memory)
        return error_set_at(err, STATUS_INPUT, span.start,
                            "memory can only be read where a position is known");
    return status == STATUS_OK ? expression_evaluate(&expression, NULL, value, err) : status;
}

// A number counted from 0 or 1.
static enum status parse_count(struct span span, const char *wanted, uint64_t first,
                               uint64_t *value, struct error *err)
{
    const struct expression_names none = {0};
    struct expression expression;
    enum status status = parse_present(&expression, span, wanted, &none, err);
    if (status != STATUS_OK)
        return status;
    switch (expression_count(&expression, value)) {
    case EXPRESSION_BELOW_ZERO:
        if (first == 0)
            return error_set_at(err, STATUS_INPUT, span.start, "expected %s from 0 on", wanted);
        *value = 0;
        break;
    case EXPRESSION_TOO_LARGE:
        return error_set_at(err, STATUS_INPUT, span.start, "expected %s of at most 64 bits",
                            wanted);
    case EXPRESSION_COUNTED:
        break;
    }
    if (*value < first)
        return error_set_at(err, STATUS_INPUT, span.start, "expected %s above 0", wanted);
    return STATUS_OK;
}

// --- Positions -----------------------------------------------------------------------------------

// Whether a text as a whole is a name: names of C++ are more than identifiers, and with ids "#12"
// is a name.
static bool is_name(struct span span, const struct expression_names *names, uint64_t *value)
{
    struct expression_symbol symbol;
    bool is_it = names->find_symbol && names->find_symbol(names->self, span.text + span.start,
                                                          span.end - span.start, &symbol);
    if (is_it)
        *value = symbol.address;
    return is_it;
}

static enum status parse_visit(struct position *position, struct span span,
                               const struct expression_names *names, struct error *err)
{
    struct expression_names symbols = {.self = names->self,
                                       .find_symbol = names->find_symbol,
                                       .takes_conditions = names->takes_conditions};
    const char *hash = memrchr(span.text + span.start, '#', span.end - span.start);
    struct span address = span;
    position->visit = 1;
    // "#12" and "{lambda(int)#1}" are names; "main#2" could be one, but is taken as a visit.
    if (hash && (hash == span.text + span.start || strchr(hash, '}')) &&
        is_name(span, names, &position->value))
        return STATUS_OK;
    if (hash) {
        address.end = (size_t)(hash - span.text);
        struct span visit = {span.text, address.end + 1, span.end};
        enum status status = parse_count(visit, "the number of a visit", 1, &position->visit, err);
        if (status != STATUS_OK)
            return status;
    }
    return is_name(address, names, &position->value)
               ? STATUS_OK
               : parse_value(address, "an address", &symbols, &position->value, err);
}

static enum status parse_fraction(struct position *position, const char *text, size_t start,
                                  struct error *err)
{
    bool has_value = parse_time(text, &position->value);
    position->is_fraction = true;
    if (!parse_seconds(text, &position->ns))
        position->ns = UINT64_MAX;
    else if (!has_value)
        position->value = UINT64_MAX;
    else
        return STATUS_OK;
    return has_value || position->ns != UINT64_MAX
               ? STATUS_OK
               : error_set_at(err, STATUS_INPUT, start,
                              "expected a time with up to six digits after the point");
}

enum status position_parse(struct position *position, const char *text,
                           const struct expression_names *names, struct error *err)
{
    static const struct {
        const char *prefix, *wanted; // wanted: NULL if nothing follows
        uint64_t first;
        enum position_kind kind;
    } forms[] = {
        {"start", NULL, 0, POSITION_START},
        {"end", NULL, 0, POSITION_END},
        {"line:", "a line number", 1, POSITION_LINE},
        {"time:", "a time", 0, POSITION_TIME},
        {"event:", "an event number", 0, POSITION_EVENT},
        {"byte:", "an offset in bytes", 0, POSITION_BYTE},
        {"pc:", "an address", 0, POSITION_PC},
    };
    size_t length = strlen(text);
    for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
        struct span rest = {text, strlen(forms[i].prefix), length};
        bool needs_more = forms[i].wanted != NULL;
        if (strncmp(text, forms[i].prefix, rest.start) != 0 || (!needs_more && rest.start < length))
            continue;
        *position = (struct position){.kind = forms[i].kind};
        if (!needs_more)
            return STATUS_OK;
        uint64_t ns;
        if (position->kind == POSITION_TIME &&
            (memchr(text + rest.start, '.', length - rest.start) ||
             parse_seconds(text + rest.start, &ns)))
            return parse_fraction(position, text + rest.start, rest.start, err);
        return position->kind == POSITION_PC
                   ? parse_visit(position, rest, names, err)
                   : parse_count(rest, forms[i].wanted, forms[i].first, &position->value, err);
    }
    return error_set_at(err, STATUS_INPUT, 0,
                        "not a position: expected line:N, time:N, event:N, byte:N, pc:ADDR, "
                        "pc:ADDR#K, start or end");
}

// --- Locations -----------------------------------------------------------------------------------

enum status location_parse(struct location *location, const char *text,
                           const struct expression_names *names, struct error *err)
{
    size_t length = strlen(text);
    // SIZE is after the last colon, unless that is half of a "::".
    const char *colon = memrchr(text, ':', length);
    bool is_scope = colon && colon > text && colon[-1] == ':';
    struct span address = {text, 0, colon && !is_scope ? (size_t)(colon - text) : length};
    *location = (struct location){.kind = LOCATION_MEMORY, .size_bytes = 1};
    struct expression_names places = *names;
    places.takes_places = true;
    enum status status = parse_span(&location->address, address, &places, err);
    if (status != STATUS_OK)
        return status;
    if (address.end < length)
        return parse_count((struct span){text, address.end + 1, length}, "a size in bytes", 1,
                           &location->size_bytes, err);
    const struct trawl_register *which = expression_as_register(&location->address);
    const struct expression_symbol *symbol = expression_as_symbol(&location->address);
    if (which) {
        location->kind = LOCATION_REGISTER;
        location->which = *which;
        location->size_bytes = which->size_bytes ? which->size_bytes : 1;
    } else if (symbol && symbol->size_bytes) {
        location->size_bytes = symbol->size_bytes;
    } else if (location->address.place_bytes) {
        location->size_bytes = location->address.place_bytes;
    } else if (location->address.is_place) {
        return error_set_at(err, STATUS_INPUT, 0, "its size is unknown: expected ADDR:SIZE");
    }
    return STATUS_OK;
}

enum status location_address(const struct location *location,
                             const struct expression_registers *registers, uint64_t *address,
                             struct error *err)
{
    ASSERT(location->kind == LOCATION_MEMORY);
    enum status status = expression_evaluate(&location->address, registers, address, err);
    if (status == STATUS_OK)
        *address = pc_address(*address); // a symbol of an image that shares addresses says which
    if (status == STATUS_OK && location->size_bytes - 1 > UINT64_MAX - *address)
        return error_set(err, STATUS_INPUT,
                         "0x%llx bytes from 0x%llx on pass the end of the address space",
                         (unsigned long long)location->size_bytes, (unsigned long long)*address);
    return status;
}
