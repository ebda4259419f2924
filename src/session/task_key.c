#include "session/task_key.h"

#include "base/program_pc.h"
#include "names/names.h"
#include "query/point.h"

#include <stdlib.h>
#include <strings.h>

static enum status fail(const char *text, const char *why, struct error *err)
{
    return error_set(err, STATUS_INPUT, "--task-key '%.200s': %s", text, why);
}

// --- Names ---------------------------------------------------------------------------------------

static bool tells_tasks(const struct names *names, const char *name, size_t length,
                        enum task_key_kind *kind)
{
    const struct arch *arch = names->options.arch;
    return arch && arch->tells_tasks && arch->tells_tasks(name, length, kind);
}

static bool find_register(void *self, const char *name, size_t length, struct trawl_register *found)
{
    const struct point_names *known = self;
    enum task_key_kind kind;
    *found = (struct trawl_register){.size_bytes = sizeof(uint64_t)};
    return tells_tasks(known->names, name, length, &kind);
}

// --- The value -----------------------------------------------------------------------------------

static bool read_register(void *self, const struct trawl_register *which, uint64_t *value)
{
    (void)which;
    *value = *(const uint64_t *)self;
    return true;
}

static bool read_memory(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    (void)address;
    (void)size_bytes;
    *value = *(const uint64_t *)self;
    return true;
}

static uint64_t value_of(const void *self, uint64_t content)
{
    const struct session_task_key *key = self;
    const struct expression_registers registers = {
        .self = &content, .read = read_register, .read_memory = read_memory};
    struct error err;
    uint64_t value;
    return expression_evaluate(&key->expression, &registers, &value, &err) == STATUS_OK ? value : 0;
}

// --- The place -----------------------------------------------------------------------------------

static bool is_memory(const struct expression_term *term)
{
    return term->op >= EXPRESSION_MEMORY && term->op < EXPRESSION_MEMORY + 8;
}

// The address that term `at` reads, which must be constant. False: it is not.
static bool find_address(const struct expression *expression, size_t at, uint64_t *address)
{
    struct expression operand = {.text = expression->text};
    struct error err;
    for (size_t i = expression_operand(expression, at - 1); i < at; i++) {
        if (expression->terms[i].op == EXPRESSION_REGISTER || is_memory(&expression->terms[i]))
            return false;
        operand.terms[operand.count++] = expression->terms[i];
    }
    return expression_evaluate(&operand, NULL, address, &err) == STATUS_OK;
}

// Finds the one place that the expression reads.
static enum status find_place(struct session_task_key *key, const char *text, struct error *err)
{
    const struct expression *expression = &key->expression;
    const struct expression_term *found = NULL;
    for (size_t i = 0; i < expression->count; i++) {
        const struct expression_term *term = &expression->terms[i];
        uint64_t address = 0, size_bytes = 0;
        bool is_register = term->op == EXPRESSION_REGISTER;
        if (!is_register && !is_memory(term))
            continue;
        if (!is_register) {
            size_bytes = UINT64_C(1) << ((term->op - EXPRESSION_MEMORY) & 3);
            if (!i || !find_address(expression, i, &address))
                return fail(text, "the address of its variable is not the same everywhere", err);
            address = pc_address(address); // of an image that shares addresses with others
        }
        bool is_same =
            found && (found->op == EXPRESSION_REGISTER) == is_register &&
            (is_register
                 ? found->name_length == term->name_length &&
                       strncasecmp(expression->text + found->name_offset,
                                   expression->text + term->name_offset, term->name_length) == 0
                 : key->key.address == address && key->key.size_bytes == size_bytes);
        if (found && !is_same)
            return fail(text, "a key is in one register or one variable", err);
        found = term;
        key->key.address = address;
        key->key.size_bytes = size_bytes;
    }
    if (!found)
        return fail(text, "it is the same everywhere, and tells no tasks apart", err);
    if (found->op != EXPRESSION_REGISTER)
        return STATUS_OK;
    if (found->name_length >= sizeof key->name)
        return fail(text, "the name of its register is too long", err);
    memcpy(key->name, expression->text + found->name_offset, found->name_length);
    return STATUS_OK;
}

enum status session_task_key_parse(struct session_task_key *key, const char *text,
                                   struct names *names, struct error *err)
{
    struct point_names of_images = {.names = names};
    struct expression_names known = point_c_names(&of_images, true);
    known.find_register = find_register;
    struct error cause;
    *key = (struct session_task_key){.key = {.kind = KEY_OF_VARIABLE}};
    enum status status = expression_parse(&key->expression, text, strlen(text), &known, &cause);
    if (status != STATUS_OK)
        return fail(text, cause.text, err);
    const struct expression_symbol *symbol = expression_as_symbol(&key->expression);
    if (symbol) {
        const struct image_set *images = &names->images;
        bool is_wide =
            images->members.count && image_class_bits(images->members.items[0].image) == 64;
        uint64_t pointer = is_wide ? 8 : 4, size = symbol->size_bytes;
        key->key.address = pc_address(symbol->address);
        key->key.size_bytes = size == 1 || size == 2 || size == 4 ? size : pointer;
        return STATUS_OK; // its content is the key
    }
    if ((status = find_place(key, text, err)) != STATUS_OK)
        return status;
    key->key.value = value_of;
    key->key.self = key;
    if (key->key.size_bytes)
        return STATUS_OK;
    (void)tells_tasks(names, key->name, strlen(key->name), &key->key.kind);
    if (key->key.kind != KEY_OF_KERNEL)
        key->key.name = key->name;
    return STATUS_OK;
}
