#include "arch/arm/registers.h"

#include "base/characters.h"

#include <strings.h>

struct register_class {
    char prefix[6];
    uint8_t prefix_length;
    bool numbered;
    uint8_t kind;
    uint8_t layout;
    uint16_t count;
    uint16_t size_bytes;
    uint16_t offset;
    uint16_t stride_bytes;
};

// A name belongs to the first class that it fits.
static const struct register_class classes[] = {
    {"r", 1, true, REGISTER_ORDINARY, LAYOUT_FIXED, 16, 4, 0, 8},
    {"w", 1, true, REGISTER_ORDINARY, LAYOUT_FIXED, 31, 4, 0, 8},
    {"x", 1, true, REGISTER_ORDINARY, LAYOUT_FIXED, 31, 8, 0, 8},
    {"wsp", 3, false, REGISTER_ORDINARY, LAYOUT_FIXED, 1, 4, REGISTER_OFFSET_XSP, 0},
    {"xsp", 3, false, REGISTER_ORDINARY, LAYOUT_FIXED, 1, 8, REGISTER_OFFSET_XSP, 0},
    {"v", 1, true, REGISTER_ORDINARY, LAYOUT_FIXED, 32, 16, REGISTER_OFFSET_VECTORS, 0x100},
    {"q", 1, true, REGISTER_ORDINARY, LAYOUT_FIXED, 32, 16, REGISTER_OFFSET_VECTORS, 0x100},
    {"d", 1, true, REGISTER_ORDINARY, LAYOUT_D, 32, 8, REGISTER_OFFSET_VECTORS, 0x100},
    {"s", 1, true, REGISTER_ORDINARY, LAYOUT_S, 32, 4, REGISTER_OFFSET_VECTORS, 0x100},
    {"h", 1, true, REGISTER_ORDINARY, LAYOUT_H, 32, 2, REGISTER_OFFSET_VECTORS, 0x100},
    {"b", 1, true, REGISTER_ORDINARY, LAYOUT_B, 32, 1, REGISTER_OFFSET_VECTORS, 0x100},
    {"z", 1, true, REGISTER_OPEN_SIZE, LAYOUT_FIXED, 32, REGISTER_BYTES_Z, REGISTER_OFFSET_VECTORS,
     REGISTER_BYTES_Z},
    {"p", 1, true, REGISTER_OPEN_SIZE, LAYOUT_FIXED, 32, 16, REGISTER_OFFSET_PREDICATES,
     REGISTER_BYTES_PREDICATE_TTU},
    {"psr", 3, false, REGISTER_ORDINARY, LAYOUT_FIXED, 1, 4, REGISTER_OFFSET_PSR, 0},
    {"fpscr", 5, false, REGISTER_ORDINARY, LAYOUT_FIXED, 1, 4, REGISTER_OFFSET_FPSCR, 0},
    {"fpsr", 4, false, REGISTER_ORDINARY, LAYOUT_FIXED, 1, 4, REGISTER_OFFSET_FPSR, 0},
    {"vpr", 3, false, REGISTER_ORDINARY, LAYOUT_FIXED, 1, 4, REGISTER_OFFSET_VPR, 0},
    {"pc", 2, false, REGISTER_PC, LAYOUT_FIXED, 1, 0, 0, 0},
};

struct split_name {
    const char *prefix;
    size_t prefix_length;
    const char *suffix;
    size_t suffix_length;
    size_t digit_count; // leading digits of the suffix
    uint64_t number;    // their value, saturated; 0 without digits
};

static struct split_name split(const char *name, size_t length)
{
    size_t at = 0;
    while (at < length && !is_digit(name[at]) && name[at] != '_')
        at++;
    struct split_name parts = {name, at, name + at, length - at, 0, 0};
    for (; at < length && is_digit(name[at]); at++, parts.digit_count++) {
        if (parts.number < UINT32_MAX)
            parts.number = parts.number * 10 + (uint64_t)(name[at] - '0');
    }
    return parts;
}

static bool prefix_is(const struct split_name *parts, const char *wanted, size_t length)
{
    return parts->prefix_length == length && strncasecmp(parts->prefix, wanted, length) == 0;
}

static const struct register_class *find_class(const struct split_name *parts)
{
    if (parts->prefix_length == 0 || parts->prefix_length > 5)
        return NULL;
    for (size_t i = 0; i < ARRAY_COUNT(classes); i++) {
        const struct register_class *class = &classes[i];
        if (class->numbered == (parts->suffix_length != 0) &&
            prefix_is(parts, class->prefix, class->prefix_length) && parts->number < class->count)
            return class;
    }
    return NULL;
}

static struct register_name fixed(enum register_kind kind, uint64_t offset, uint32_t size_bytes)
{
    return (struct register_name){.kind = (uint8_t)kind,
                                  .layout = LAYOUT_FIXED,
                                  .size_bytes = size_bytes,
                                  .offset = offset,
                                  .bank = SP_BANK_NONE};
}

// The security state at the end of a mode of the M profile: thread_s, thread_ns.
static unsigned world_of_mode(const char *name, size_t length)
{
    const char *score = memchr(name, '_', length);
    if (!score || score + 1 == name + length)
        return 0;
    return (score[1] | 0x20) == 's' ? 1 : (score[1] | 0x20) == 'n' ? 2 : 0;
}

// The bank after the first underscore of a register's name: SP_EL1, r13_svc.
static enum sp_bank bank_of_register(const char *name, size_t length)
{
    const char *score = memchr(name, '_', length);
    if (!score)
        return SP_BANK_NONE;
    size_t rest = length - (size_t)(score + 1 - name);
    if (rest >= 4 && strncasecmp(score + 1, "main", 4) == 0)
        return (enum sp_bank)(SP_BANK_MAIN + world_of_mode(score + 1, rest));
    if (rest >= 7 && strncasecmp(score + 1, "process", 7) == 0)
        return (enum sp_bank)(SP_BANK_PROCESS + world_of_mode(score + 1, rest));
    if (rest >= 3 && strncasecmp(score + 1, "el", 2) == 0 && score[3] >= '0' && score[3] <= '3')
        return (enum sp_bank)(score[3] - '0');
    enum sp_bank bank = sp_bank_of_mode(score + 1, rest);
    return bank < SP_BANK_COUNT ? bank : SP_BANK_NONE;
}

bool bank_is_in_use(unsigned cell, enum sp_bank named, enum sp_bank mode)
{
    enum { FIRST_OF_FIQ = 8, SP = 13, LINK = 14, XSP = REGISTER_OFFSET_XSP / 8 };
    if (named >= SP_BANK_NONE || mode >= SP_BANK_NONE)
        return true;
    if (cell == XSP)
        return named == mode || mode > SP_BANK_EL3;
    if (cell == SP)
        return named == bank_of_aarch32(mode);
    if (cell == LINK)
        return bank_of_link(named) == bank_of_link(mode);
    return cell < FIRST_OF_FIQ || cell > LINK || (named == SP_BANK_FIQ) == (mode == SP_BANK_FIQ);
}

enum sp_bank sp_bank_of_mode(const char *name, size_t length)
{
    static const struct {
        char text[4];
        enum sp_bank bank;
    } modes[] = {{"usr", SP_BANK_USR}, {"sys", SP_BANK_USR}, {"svc", SP_BANK_SVC},
                 {"irq", SP_BANK_IRQ}, {"fiq", SP_BANK_FIQ}, {"abt", SP_BANK_ABT},
                 {"und", SP_BANK_UND}, {"mon", SP_BANK_MON}, {"hyp", SP_BANK_HYP}};
    if (length >= 4 && strncasecmp(name, "el", 2) == 0 && name[2] >= '0' && name[2] <= '3')
        return (name[3] | 0x20) == 't'   ? SP_BANK_EL0
               : (name[3] | 0x20) == 'h' ? (enum sp_bank)(name[2] - '0')
                                         : SP_BANK_NONE;
    for (size_t i = 0; i < ARRAY_COUNT(modes) && length >= 3; i++) {
        if (strncasecmp(name, modes[i].text, 3) == 0)
            return modes[i].bank;
    }
    bool is_thread = length >= 4 && (name[0] | 0x20) == 't' && (name[1] | 0x20) == 'h' &&
                     (name[2] | 0x20) == 'r';
    if (is_thread || (length >= 4 && strncasecmp(name, "hand", 4) == 0) ||
        (length >= 4 && strncasecmp(name, "hndl", 4) == 0))
        return (enum sp_bank)((is_thread ? MODE_M : MODE_M_HANDLER) + world_of_mode(name, length));
    return SP_BANK_NONE;
}

// Whether a name has no suffix, or that of a mode.
static bool is_of_mode(const struct split_name *parts)
{
    return !parts->suffix_length ||
           (parts->suffix[0] == '_' &&
            sp_bank_of_mode(parts->suffix + 1, parts->suffix_length - 1) != SP_BANK_NONE);
}

// Names of the procedure call standard. That of the frame pointer is r11 in Thumb as well: only
// some compilers use r7 there.
static struct register_name find_role(const struct split_name *parts, enum sp_bank bank)
{
    static const struct {
        char name[3];
        uint8_t number;
        enum line_layout layout; // without a mode
    } roles[] = {{"lr", 14, LAYOUT_LINK},
                 {"fp", 11, LAYOUT_FRAME},
                 {"ip", 12, LAYOUT_FIXED},
                 {"sl", 10, LAYOUT_FIXED},
                 {"sb", 9, LAYOUT_FIXED}};
    struct register_name found = fixed(REGISTER_UNKNOWN, 0, 0);
    for (size_t i = 0; i < ARRAY_COUNT(roles); i++) {
        if (!prefix_is(parts, roles[i].name, 2) || (i && !is_of_mode(parts)))
            continue;
        found = fixed(REGISTER_ORDINARY, REGISTER_OFFSET_X(roles[i].number), 4);
        found.readings_differ = i > 0;
        found.bank = (uint8_t)bank;
        if (!parts->suffix_length)
            found.layout = (uint8_t)roles[i].layout;
    }
    return found;
}

static struct register_name find_alias(const struct split_name *parts)
{
    if (prefix_is(parts, "msp", 3)) {
        struct register_name msp = fixed(REGISTER_ORDINARY, REGISTER_OFFSET_X(13), 4);
        msp.bank = (uint8_t)(SP_BANK_MAIN + world_of_mode(parts->suffix, parts->suffix_length));
        return msp;
    }
    if (prefix_is(parts, "e", 1))
        return fixed(REGISTER_ORDINARY, REGISTER_OFFSET_X(parts->number), 8);
    if (prefix_is(parts, "lr", 2))
        return fixed(REGISTER_ORDINARY, REGISTER_OFFSET_X(14), 4);
    if (prefix_is(parts, "cpsr", 4))
        return fixed(REGISTER_ORDINARY, REGISTER_OFFSET_PSR, 4);
    return fixed(REGISTER_UNKNOWN, 0, 0);
}

static bool find_special(const char *name, size_t length, struct register_name *found)
{
    if (length < 2)
        return false;
    if ((name[0] | 0x20) == 's' && (name[1] | 0x20) == 'p' && (length == 2 || name[2] == '_'))
        *found = fixed(REGISTER_SP, 0, 0), found->bank = (uint8_t)bank_of_register(name, length);
    else if (length == 4 && memcmp(name, "cpsr", 4) == 0)
        *found = fixed(REGISTER_CPSR, REGISTER_OFFSET_PSR, 4);
    else if (length == 4 && strncasecmp(name, "fpcr", 4) == 0)
        *found = fixed(REGISTER_FPCR, REGISTER_OFFSET_FPCR, 4);
    else if ((length == 2 &&
              (!memcmp(name, "DC", 2) || !memcmp(name, "IC", 2) || !memcmp(name, "AT", 2))) ||
             (length == 4 && !memcmp(name, "TLBI", 4)))
        *found = fixed(REGISTER_SYSTEM_OP, 0, 0);
    else
        return false;
    return true;
}

// Whether a register with that name can have this suffix: a number, and for r also a bank.
static bool suffix_is_plausible(const struct split_name *parts)
{
    if (parts->suffix_length == parts->digit_count)
        return true;
    return parts->digit_count > 0 && prefix_is(parts, "r", 1) &&
           parts->suffix[parts->digit_count] == '_';
}

// x, w or r and one or two digits: the name in nearly every register line.
static bool find_core(const char *name, size_t length, struct register_name *found)
{
    if ((length != 2 && length != 3) || !is_digit(name[1]) || (length == 3 && !is_digit(name[2])))
        return false;
    uint64_t number = (uint64_t)(name[1] - '0');
    if (length == 3)
        number = number * 10 + (uint64_t)(name[2] - '0');
    char letter = name[0] | 0x20;
    if ((letter != 'x' && letter != 'w' && letter != 'r') || number >= (letter == 'r' ? 16 : 31))
        return false;
    *found = fixed(REGISTER_ORDINARY, REGISTER_OFFSET_X(number), letter == 'x' ? 8 : 4);
    found->index = (uint8_t)number;
    found->is_w = letter == 'w';
    return true;
}

struct register_name register_find(const char *name, size_t length, enum reading reading)
{
    struct register_name found;
    if (find_core(name, length, &found) || find_special(name, length, &found))
        return found;
    struct split_name parts = split(name, length);
    const struct register_class *class = find_class(&parts);
    // The reference does not know them.
    bool is_part = class && (class->layout == LAYOUT_H || class->layout == LAYOUT_B) &&
                   suffix_is_plausible(&parts);
    if (is_part && reading == READING_TTU)
        return (struct register_name){
            .kind = REGISTER_UNKNOWN, .bank = SP_BANK_NONE, .readings_differ = true};
    if (!class) {
        found = find_role(&parts, bank_of_register(name, length));
        if (reading == READING_TRUE && found.kind != REGISTER_UNKNOWN)
            return found;
        bool is_role = found.readings_differ || found.layout == LAYOUT_LINK;
        found = find_alias(&parts);
        found.readings_differ =
            is_role || (prefix_is(&parts, "e", 1) && (parts.digit_count == 0 || parts.number > 31));
    } else {
        found = fixed(class->kind, class->offset + parts.number * class->stride_bytes,
                      class->size_bytes);
        found.layout = class->layout;
        found.index = (uint8_t)parts.number; // below the class's count
        found.is_w = class->prefix[0] == 'w';
        found.bank = (uint8_t)bank_of_register(name, length);
        found.readings_differ = class->numbered && !suffix_is_plausible(&parts);
        if (class->offset == REGISTER_OFFSET_PREDICATES && reading == READING_TRUE) {
            found.offset += parts.number * (REGISTER_BYTES_PREDICATE - class->stride_bytes);
            found.size_bytes = REGISTER_BYTES_PREDICATE;
        }
    }
    if (found.readings_differ && reading == READING_TRUE)
        found = (struct register_name){
            .kind = REGISTER_UNKNOWN, .bank = SP_BANK_NONE, .readings_differ = true};
    found.readings_differ |= is_part;
    return found;
}

uint64_t register_offset(const struct register_name *name, bool aarch64)
{
    switch (name->layout) {
    case LAYOUT_FIXED:
        return name->offset;
    case LAYOUT_LINK:
        return REGISTER_OFFSET_X(aarch64 ? 30 : 14);
    case LAYOUT_FRAME:
        return REGISTER_OFFSET_X(aarch64 ? 29 : 11);
    case LAYOUT_STACK:
        return aarch64 ? REGISTER_OFFSET_XSP : REGISTER_OFFSET_X(13);
    }
    if (aarch64)
        return name->offset;
    uint32_t per_vector = name->layout == LAYOUT_D ? 2 : 4; // h and b are in s
    return REGISTER_OFFSET_VECTORS + UINT64_C(0x100) * (name->index / per_vector) +
           UINT64_C(16) / per_vector * (name->index % per_vector);
}
