#include "cmd/tfile/commands.h"

#include "base/characters.h"

#include <stdio.h>
#include <stdlib.h>

static const struct image_set *images_of(const struct typed *typed)
{
    return &typed->command->session.names.images;
}

// --- Images --------------------------------------------------------------------------------------

void typed_free(struct typed *typed)
{
    for (size_t i = 0; typed->of && i < images_of(typed)->members.count; i++)
        debug_info_close(typed->of[i]);
    free(typed->of);
    typed->of = NULL;
}

// The image that contains a PC; without a PC, the first one with debugging information.
static struct debug_info *find_info(struct typed *typed, bool has_pc, uint64_t pc, size_t *member)
{
    const struct image_set *images = images_of(typed);
    struct error err;
    if (!typed->of && images->members.count) {
        typed->of = calloc(images->members.count, sizeof *typed->of);
        typed->lacks_memory |= !typed->of;
        for (size_t i = 0; typed->of && i < images->members.count; i++) {
            enum status status =
                debug_info_open(&typed->of[i], images->members.items[i].image, &err);
            typed->lacks_memory |= status == STATUS_MEMORY;
            if (status != STATUS_OK && status != STATUS_MEMORY)
                diag_warning(&typed->command->diag, "%s: values are shown without types", err.text);
        }
    }
    if (!typed->of)
        return NULL;
    if (has_pc && image_set_member_at(images_of(typed), pc, member))
        return typed->of[*member];
    for (*member = 0; !has_pc && *member < images_of(typed)->members.count; ++*member) {
        if (typed->of[*member])
            return typed->of[*member];
    }
    return NULL;
}

// --- Known state of a frame ----------------------------------------------------------------------

static void read_memory(void *self, uint64_t address, size_t size_bytes, uint8_t *bytes,
                        uint8_t *known)
{
    const struct typed *typed = self;
    bool is_known[64];
    for (size_t at = 0; at < size_bytes; at += ARRAY_COUNT(is_known)) {
        size_t count = (size_t)u64_min(size_bytes - at, ARRAY_COUNT(is_known));
        tfile_frame_memory(tfile_file(typed->command), typed->frame, address + at, count,
                           bytes + at, is_known);
        for (size_t i = 0; i < count; i++)
            known[at + i] = is_known[i];
    }
}

static size_t copy_register(const struct typed *typed, uint32_t number, uint8_t *bytes)
{
    const struct tfile *file = tfile_file(typed->command);
    const uint8_t *registers = tfile_frame_registers(file, typed->frame);
    if (!registers || number == TFILE_NO_REGISTER)
        return 0;
    const struct tfile_register *item = &file->registers.items.items[number];
    if (item->size_bytes > LIMIT_DEBUG_REGISTER_BYTES)
        return 0;
    memcpy(bytes, registers + item->offset, item->size_bytes);
    return item->size_bytes;
}

// Registers of vectors and floating point, which unwinding does not need.
static uint32_t vector_number(const struct tfile_registers *registers, uint64_t dwarf)
{
    char name[16] = "";
    if (registers->machine == TFILE_X86_64 && dwarf >= 17 && dwarf < 33)
        snprintf(name, sizeof name, "xmm%u", (unsigned)(dwarf - 17));
    else if (registers->machine == TFILE_X86_64 && dwarf >= 33 && dwarf < 41)
        snprintf(name, sizeof name, "st%u", (unsigned)(dwarf - 33));
    else if (registers->machine == TFILE_AARCH64 && dwarf >= 64 && dwarf < 96)
        snprintf(name, sizeof name, "v%u", (unsigned)(dwarf - 64));
    return *name ? tfile_register_named(registers, name, strlen(name)) : TFILE_NO_REGISTER;
}

static size_t read_register(void *self, uint64_t number, uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES])
{
    const struct typed *typed = self;
    const struct tfile_registers *registers = &tfile_file(typed->command)->registers;
    uint32_t found = number <= UINT16_MAX ? tfile_register_dwarf(registers, (uint32_t)number)
                                          : TFILE_NO_REGISTER;
    if (found == TFILE_NO_REGISTER)
        found = vector_number(registers, number);
    return copy_register(typed, found, bytes);
}

static enum debug_register_kind find_register(void *self, const char *name, size_t length,
                                              uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES],
                                              size_t *size_bytes)
{
    static const enum debug_register_kind kinds[] = {
        [TFILE_INTEGER] = DEBUG_REGISTER_INTEGER, [TFILE_CODE] = DEBUG_REGISTER_CODE,
        [TFILE_DATA] = DEBUG_REGISTER_DATA,       [TFILE_FLOAT] = DEBUG_REGISTER_FLOAT,
        [TFILE_VECTOR] = DEBUG_REGISTER_INTEGER,
    };
    const struct typed *typed = self;
    const struct tfile_registers *registers = &tfile_file(typed->command)->registers;
    uint32_t number = tfile_register_named(registers, name, length);
    if (number == TFILE_NO_REGISTER)
        return DEBUG_REGISTER_NONE;
    *size_bytes = copy_register(typed, number, bytes);
    if (!*size_bytes)
        return DEBUG_REGISTER_UNKNOWN;
    return kinds[registers->items.items[number].type];
}

static const char *find_symbol(void *self, uint64_t address, uint64_t *offset)
{
    struct typed *typed = self;
    struct image_symbol found;
    size_t member;
    if (!image_set_member_at(images_of(typed), address, &member) ||
        !image_set_by_address(images_of(typed), address, &found))
        return NULL;
    *offset = address - found.address;
    if (found.symbol->size && *offset >= found.symbol->size)
        return NULL;
    // A static variable of a function is "calls.0" among symbols, and "calls" in the source.
    const char *name = names_of_root(&typed->command->session.names, found.address);
    size_t length = strlen(name), end = length;
    while (end && is_digit(name[end - 1]))
        end--;
    if (end < 2 || end == length || name[end - 1] != '.' || end > sizeof typed->symbol)
        return name;
    memcpy(typed->symbol, name, end - 1);
    typed->symbol[end - 1] = 0;
    return typed->symbol;
}

// --- Actions -------------------------------------------------------------------------------------

struct request {
    struct typed *typed;
    struct debug_info *info;
    const struct debug_point *point;
    const struct typed_sink *sink;
    const char *kind; // of the current value
};

static void tell(void *self, const struct debug_value_text *text)
{
    const struct request *request = self;
    const struct typed_value value = {request->kind, text};
    request->sink->take(request->sink->self, &value);
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_block(const struct request *request, const char *text)
{
    const struct tfile *file = tfile_file(request->typed->command);
    return begins(text, "$reg") || begins(text, "$_ret") || begins(text, "$_sdata") ||
           (*text == '$' && tfile_variable_named(file, text + 1, strlen(text + 1)));
}

// Expressions are separated by commas, except for commas within brackets.
static const char *find_end(const char *text)
{
    unsigned depth = 0;
    for (; *text && (depth || *text != ','); text++) {
        if (*text == '(' || *text == '[')
            depth++;
        else if ((*text == ')' || *text == ']') && depth)
            depth--;
    }
    return text;
}

static void evaluate_all(struct request *request, const char *text)
{
    struct arena arena = {0};
    while (*text) {
        const char *end = find_end(text);
        text += strspn(text, " \t,");
        size_t length = end > text ? (size_t)(end - text) : 0;
        while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
            length--;
        char *one = arena_copy_string(&arena, text, length);
        request->typed->lacks_memory |= !one;
        if (one && *one) {
            const struct debug_sink sink = {request, tell};
            struct error err;
            enum status status;
            bool is_list = begins(one, "$arg") || begins(one, "$loc");
            if (!is_block(request, one)) {
                if (is_list) {
                    bool is_local = begins(one, "$loc");
                    request->kind = is_local ? "local" : "argument";
                    status =
                        debug_values_list(request->info, request->point,
                                          is_local ? DEBUG_LOCALS : DEBUG_ARGUMENTS, &sink, &err);
                } else {
                    request->kind = "value";
                    status =
                        debug_values_expression(request->info, request->point, one, &sink, &err);
                }
                if (status == STATUS_MEMORY)
                    request->typed->lacks_memory = true;
                else if (status != STATUS_OK) { // why there is no value, unless that is evident
                    char why[sizeof err.text + 16];
                    snprintf(why, sizeof why, err.text[0] == '<' ? "%s" : "<error: %s>", err.text);
                    tell(request,
                         &(struct debug_value_text){.name = one, .type = "", .value = why});
                }
            }
        }
        text = end + (*end == ',');
    }
    arena_free(&arena);
}

// What a line of actions collects: the text after "collect" or its abbreviation, and "/s". NULL:
// nothing.
static const char *collected(const char *text)
{
    size_t length = strcspn(text, " \t/");
    if (length < 3 || length > strlen("collect") || strncmp(text, "collect", length) != 0)
        return NULL;
    text += length;
    if (*text == '/')
        text += strcspn(text, " \t");
    return text;
}

// Goes to a frame. NULL: no image has debugging information for it.
static struct debug_info *go_to(struct typed *typed, struct command *command,
                                const struct tfile_frame *frame, struct debug_point *point)
{
    uint64_t pc = 0;
    size_t member;
    typed->command = command;
    typed->frame = frame;
    bool has_pc = tfile_frame_pc(tfile_file(command), frame, &pc);
    struct debug_info *info = find_info(typed, has_pc, pc, &member);
    if (!info)
        return NULL;
    const struct image_member *image = &images_of(typed)->members.items[member];
    *point = (struct debug_point){
        .self = typed,
        .pc = has_pc ? pc : image->offset,
        .offset = image->offset,
        .address_mask = image->address_mask,
        .is_big_endian = tfile_file(typed->command)->is_big_endian,
        .read_memory = read_memory,
        .read_register = read_register,
        .find_register = find_register,
        .find_symbol = find_symbol,
    };
    return info;
}

enum status typed_expression(struct typed *typed, struct command *command,
                             const struct tfile_frame *frame, const char *text,
                             const struct debug_sink *sink, struct error *err)
{
    struct debug_point point;
    struct debug_info *info = go_to(typed, command, frame, &point);
    return info ? debug_values_expression(info, &point, text, sink, err)
                : error_set(err, STATUS_NOT_FOUND, "no image has debugging information for it");
}

void typed_values(struct typed *typed, struct command *command, const struct tfile_frame *frame,
                  const struct tfile_location *location, const struct typed_sink *sink)
{
    struct debug_point point;
    struct debug_info *info = location ? go_to(typed, command, frame, &point) : NULL;
    if (!info)
        return;
    uint64_t pc;
    bool has_pc = tfile_frame_pc(tfile_file(command), frame, &pc);
    struct request request = {typed, info, &point, sink, NULL};
    bool is_inside = false, is_wanted = location->steps && has_pc && pc != location->address;
    for (size_t i = 0; i < location->piece_count; i++) {
        const struct tfile_piece *piece = &location->pieces[i];
        if (piece->kind != TFILE_COMMAND)
            continue;
        const char *text = piece->text + strspn(piece->text, " \t");
        const char *what = collected(text);
        if (begins(text, "while-stepping") || begins(text, "stepping") || begins(text, "ws"))
            is_inside = true;
        else if (strcmp(text, "end") == 0)
            is_inside = false;
        else if (what && is_inside == is_wanted)
            evaluate_all(&request, what);
    }
}

bool typed_signature(struct typed *typed, struct command *command, uint64_t pc, struct out *out)
{
    size_t member;
    typed->command = command;
    struct debug_info *info = find_info(typed, true, pc, &member);
    if (!info)
        return false;
    const struct image_member *image = &images_of(typed)->members.items[member];
    return debug_signature(info, (pc - image->offset) & image->address_mask, out);
}
