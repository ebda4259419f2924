#include "session/os.h"

#include "base/embed.h"
#include "query/point.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef __has_embed

// clang-format off
const char os_text[] = {
#embed "os.txt" suffix(, 0)
};
// clang-format on

#else

EMBED(os_text, "session/os.txt");

#endif

// What a line has behind its key.
enum os_shape {
    SHAPE_EXPRESSION, // EXPRESSION
    SHAPE_STATE,      // WORD if CONDITION
    SHAPE_OBJECT,     // WORD = EXPRESSION [if CONDITION]
    SHAPE_WORDS,      // WORD ...
};

static const struct {
    const char *name;
    enum os_shape shape;
} keys[] = {
    [OS_SYMBOL] = {"symbol", SHAPE_WORDS},
    [OS_TASK_NAME] = {"task-name", SHAPE_EXPRESSION},
    [OS_TASK_KEY] = {"task-key", SHAPE_EXPRESSION},
    [OS_RUNNING] = {"running", SHAPE_EXPRESSION},
    [OS_NAME] = {"name", SHAPE_EXPRESSION},
    [OS_PRIORITY] = {"priority", SHAPE_EXPRESSION},
    [OS_HELD] = {"held", SHAPE_EXPRESSION},
    [OS_STACK_BOTTOM] = {"stack-bottom", SHAPE_EXPRESSION},
    [OS_STACK_TOP] = {"stack-top", SHAPE_EXPRESSION},
    [OS_STATE] = {"state", SHAPE_STATE},
    [OS_WAITS] = {"waits", SHAPE_OBJECT},
    [OS_OWNER] = {"owner", SHAPE_OBJECT},
    [OS_CALLED] = {"called", SHAPE_OBJECT},
    [OS_FOLD] = {"fold", SHAPE_WORDS},
    [OS_PAIRS] = {"pairs", SHAPE_WORDS},
};

void os_table_free(struct os_table *table)
{
    free(table->lines.items);
    free(table->systems.items);
    arena_free(&table->arena);
    *table = (struct os_table){0};
}

const struct os_system *os_table_named(const struct os_table *table, const char *name)
{
    for (size_t i = 0; i < table->systems.count; i++) {
        if (strcmp(table->systems.items[i].name, name) == 0)
            return &table->systems.items[i];
    }
    return NULL;
}

const struct os_line *os_next(const struct os_table *table, const struct os_system *system,
                              enum os_key key, const char *word, size_t *at)
{
    for (*at = *at > system->first ? *at : system->first; *at < system->end; ++*at) {
        const struct os_line *line = &table->lines.items[*at];
        if (line->key == key && (!word || strcmp(line->word, word) == 0)) {
            ++*at;
            return line;
        }
    }
    return NULL;
}

// --- Replacing -----------------------------------------------------------------------------------

struct replacement {
    const char *from, *to;
};

// Replaces what occurs of each, from left to right. False: the result is too long.
static bool replace(char text[LIMIT_OS_EXPRESSION_BYTES], const char *from,
                    const struct replacement *replacements, size_t count)
{
    size_t used = 0;
    while (*from) {
        const char *put = from;
        size_t length = 1, taken = 1;
        for (size_t i = 0; i < count; i++) {
            size_t size = strlen(replacements[i].from);
            if (strncmp(from, replacements[i].from, size) != 0)
                continue;
            put = replacements[i].to;
            length = strlen(put);
            taken = size;
            break;
        }
        if (length >= LIMIT_OS_EXPRESSION_BYTES - used)
            return false;
        memcpy(text + used, put, length);
        used += length;
        from += taken;
    }
    text[used] = '\0';
    return true;
}

bool os_bind(char text[LIMIT_OS_EXPRESSION_BYTES], const char *expression, const char *task,
             const char *object)
{
    const struct replacement replacements[] = {{"$task", task}, {"$object", object}};
    return replace(text, expression, replacements, ARRAY_COUNT(replacements));
}

// --- Reading -------------------------------------------------------------------------------------

enum { MOST_LETS = 100 }; // of a system: each is looked for in each line

struct reading_text {
    struct os_table *table;
    const char *path;
    unsigned number; // of the line
    VEC(, struct replacement) lets;
    struct error *err;
};

static enum status wrong(const struct reading_text *reading, const char *why)
{
    return error_set(reading->err, STATUS_INPUT, "%.200s:%u: %s", reading->path, reading->number,
                     why);
}

static enum status no_memory(const struct reading_text *reading)
{
    return error_set(reading->err, STATUS_MEMORY, "%.200s: no memory", reading->path);
}

static char *without_blanks(char *text)
{
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = '\0';
    return text + strspn(text, " \t");
}

// Copies a text with the texts of {NAME}. NULL: reported, with *status.
static const char *expanded(struct reading_text *reading, char *from, enum status *status)
{
    char text[LIMIT_OS_EXPRESSION_BYTES];
    if (!replace(text, without_blanks(from), reading->lets.items, reading->lets.count)) {
        *status = wrong(reading, "its expression is too long");
        return NULL;
    }
    if (!*text || strchr(text, '{')) {
        *status =
            wrong(reading, *text ? "{ without a 'let' of that name" : "an expression is missing");
        return NULL;
    }
    const char *copy = arena_copy_string(&reading->table->arena, text, strlen(text));
    *status = copy ? STATUS_OK : no_memory(reading);
    return copy;
}

static enum status take_let(struct reading_text *reading, char *rest)
{
    char name[32];
    enum status status;
    char *equals = strchr(rest, '=');
    if (!equals)
        return wrong(reading, "expected: let NAME = TEXT");
    *equals = '\0';
    rest = without_blanks(rest);
    if (!*rest || strlen(rest) > sizeof name - 3 || strpbrk(rest, " {}"))
        return wrong(reading, "expected: let NAME = TEXT");
    snprintf(name, sizeof name, "{%s}", rest);
    if (reading->lets.count == MOST_LETS)
        return wrong(reading, "more than 100 lines 'let'");
    struct replacement let = {.to = expanded(reading, equals + 1, &status)};
    if (!let.to)
        return status;
    let.from = arena_copy_string(&reading->table->arena, name, strlen(name));
    if (!let.from || !VEC_ROOM(&reading->lets, 1))
        return no_memory(reading);
    // A later one of the name goes before.
    memmove(reading->lets.items + 1, reading->lets.items,
            reading->lets.count * sizeof *reading->lets.items);
    reading->lets.items[0] = let;
    reading->lets.count++;
    return STATUS_OK;
}

static enum status add(struct reading_text *reading, enum os_key key, char *word, char *expression,
                       char *condition)
{
    struct os_table *table = reading->table;
    struct os_line line = {.key = key};
    enum status status = STATUS_OK;
    if (table->lines.count == LIMIT_OS_LINES)
        return wrong(reading, "more lines than " TEXT_OF(LIMIT_OS_LINES));
    if (!VEC_ROOM(&table->lines, 1))
        return no_memory(reading);
    if (word) {
        word = without_blanks(word);
        if (!*word)
            return wrong(reading, "a word is missing");
        line.word = arena_copy_string(&table->arena, word, strlen(word));
        status = line.word ? STATUS_OK : no_memory(reading);
    }
    if (status == STATUS_OK && expression)
        line.expression = expanded(reading, expression, &status);
    if (status == STATUS_OK && condition)
        line.condition = expanded(reading, condition, &status);
    if (status != STATUS_OK)
        return status;
    table->lines.items[table->lines.count++] = line;
    table->systems.items[table->systems.count - 1].end = table->lines.count;
    return STATUS_OK;
}

static enum status begin_system(struct reading_text *reading, const char *name)
{
    struct os_table *table = reading->table;
    if (!*name || strpbrk(name, " /.") || strcmp(name, "none") == 0 || os_table_named(table, name))
        return wrong(reading, "expected: system NAME, each once");
    if (!VEC_ROOM(&table->systems, 1))
        return no_memory(reading);
    struct os_system system = {arena_copy_string(&table->arena, name, strlen(name)),
                               table->lines.count, table->lines.count};
    if (!system.name)
        return no_memory(reading);
    table->systems.items[table->systems.count++] = system;
    reading->lets.count = 0;
    return STATUS_OK;
}

static enum status take_line(struct reading_text *reading, char *line)
{
    line = without_blanks(line);
    char *rest = line + strcspn(line, " \t");
    if (!*line || *line == '#')
        return STATUS_OK;
    if (*rest)
        *rest++ = '\0';
    rest = without_blanks(rest);
    if (strcmp(line, "system") == 0)
        return begin_system(reading, rest);
    if (!reading->table->systems.count)
        return wrong(reading, "expected: system NAME");
    if (strcmp(line, "let") == 0)
        return take_let(reading, rest);
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        if (strcmp(line, keys[i].name) != 0)
            continue;
        if (keys[i].shape == SHAPE_EXPRESSION)
            return add(reading, (enum os_key)i, NULL, rest, NULL);
        if (keys[i].shape == SHAPE_WORDS) {
            enum status status = *rest ? STATUS_OK : wrong(reading, "a name is missing");
            for (char *next; *rest && status == STATUS_OK; rest = next) {
                next = rest + strcspn(rest, " \t");
                if (*next)
                    *next++ = '\0';
                status = add(reading, (enum os_key)i, rest, NULL, NULL);
                next += strspn(next, " \t");
            }
            return status;
        }
        char *condition = strstr(rest, " if "), *equals = strstr(rest, " = ");
        if (condition) {
            *condition = '\0';
            condition += 4;
        }
        if (keys[i].shape == SHAPE_STATE && condition)
            return add(reading, (enum os_key)i, rest, NULL, condition);
        if (keys[i].shape == SHAPE_STATE)
            return wrong(reading, "expected: state WORD if CONDITION");
        if (!equals || (condition && equals > condition))
            return wrong(reading, "expected: WORD = EXPRESSION");
        *equals = '\0';
        return add(reading, (enum os_key)i, rest, equals + 3, condition);
    }
    return wrong(reading, "no line begins so (docs/os.md)");
}

enum status os_table_parse(struct os_table *table, const char *text, const char *path,
                           struct error *err)
{
    struct reading_text reading = {.table = table, .path = path, .err = err};
    enum status status = STATUS_OK;
    char line[LIMIT_OS_EXPRESSION_BYTES];
    *table = (struct os_table){0};
    while (*text && status == STATUS_OK) {
        const size_t length = strcspn(text, "\n");
        reading.number++;
        if (length >= sizeof line) {
            status = wrong(&reading, "the line is too long");
            break;
        }
        memcpy(line, text, length);
        line[length] = '\0';
        if (length && line[length - 1] == '\r')
            line[length - 1] = '\0';
        text += length + (text[length] == '\n');
        status = take_line(&reading, line);
    }
    free(reading.lets.items);
    if (status == STATUS_OK && !table->systems.count)
        status = error_set(err, STATUS_INPUT, "%.200s: it describes no system", path);
    return status;
}

// --- Which system --------------------------------------------------------------------------------

// Reads the systems that trawl knows, or those of a file.
static enum status open_systems(struct os_table *table, const char *wanted, struct error *err)
{
    if (table->systems.count)
        return STATUS_OK;
    enum status status = os_table_parse(table, os_text, "the built-in systems", err);
    if (status != STATUS_OK || !wanted || strcmp(wanted, "none") == 0 ||
        os_table_named(table, wanted))
        return status;
    os_table_free(table);
    char *text = malloc(LIMIT_OS_BYTES + 1);
    FILE *file = text ? fopen(wanted, "re") : NULL;
    const size_t size = file ? fread(text, 1, LIMIT_OS_BYTES + 1, file) : 0;
    if (!text)
        status = error_set(err, STATUS_MEMORY, "%.200s: no memory", wanted);
    else if (!file || ferror(file))
        status = error_set(err, STATUS_INPUT,
                           "--os '%.200s': neither a system that trawl knows (docs/os.md), nor a "
                           "file that can be read",
                           wanted);
    else if (size > LIMIT_OS_BYTES)
        status = error_set(err, STATUS_INPUT, "%.200s: more than %d bytes", wanted, LIMIT_OS_BYTES);
    if (status == STATUS_OK) {
        text[size] = '\0';
        status = os_table_parse(table, text, wanted, err);
    }
    if (file)
        fclose(file);
    free(text);
    return status;
}

// Whether an expression has a meaning with the types of the images.
static bool has_meaning(struct names *names, const char *text, uint32_t isa)
{
    struct point_names known = {.names = names, .isa = isa};
    const struct expression_names of_c = point_c_names(&known, true);
    struct expression expression;
    struct error why;
    return of_c.types &&
           expression_parse(&expression, text, strlen(text), &of_c, &why) == STATUS_OK;
}

const char *os_naming(const struct os_table *table, const struct os_system *system,
                      struct names *names, bool *is_by_key)
{
    struct image_symbol symbol;
    const struct os_line *line;
    uint32_t isa = 0;
    bool has_symbol = false;
    for (size_t at = 0; !has_symbol && (line = os_next(table, system, OS_SYMBOL, NULL, &at));)
        has_symbol = image_set_by_name(&names->images, line->word, &symbol);
    if (!has_symbol)
        return NULL;
    if (image_class_bits(names->images.members.items[symbol.member].image) == 64)
        isa = ARCH_ISA_64;
    *is_by_key = false;
    for (size_t at = 0; (line = os_next(table, system, OS_TASK_NAME, NULL, &at));) {
        if (has_meaning(names, line->expression, isa))
            return line->expression;
    }
    *is_by_key = true;
    for (size_t at = 0; (line = os_next(table, system, OS_NAME, NULL, &at));) {
        char text[LIMIT_OS_EXPRESSION_BYTES];
        if (os_bind(text, line->expression, "0", "0") && has_meaning(names, text, isa))
            return line->expression;
    }
    return NULL;
}

enum status os_find(struct os_table *table, struct names *names, const char *wanted,
                    const struct os_system **system, struct error *err)
{
    bool is_by_key;
    *system = NULL;
    enum status status = open_systems(table, wanted, err);
    if (status != STATUS_OK || (wanted && strcmp(wanted, "none") == 0))
        return status;
    const struct os_system *named = wanted ? os_table_named(table, wanted) : NULL;
    for (size_t i = 0; i < table->systems.count && !*system; i++) {
        if ((!named || named == &table->systems.items[i]) &&
            os_naming(table, &table->systems.items[i], names, &is_by_key))
            *system = &table->systems.items[i];
    }
    return *system || !wanted
               ? STATUS_OK
               : error_set(err, STATUS_INPUT,
                           "--os '%.200s': no image has such a kernel, with the types of DWARF",
                           wanted);
}
