#include "elf/image_programs.h"

#include "base/fingerprint.h"
#include "elf/image_extents.h"

#include <stdlib.h>

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for images that share addresses");
}

// --- Which images share addresses ----------------------------------------------------------------

// All code of an image that could be moved: its addresses are canonical and do not wrap.
static enum status add_codes(struct image_programs *programs, const struct image_set *images,
                             size_t number, struct error *err)
{
    const struct image_member *member = &images->members.items[number];
    struct image_extents extents;
    enum status status = image_extents_find(&extents, member->image, EXTENTS_INSTRUCTIONS, err);
    for (size_t i = 0; status == STATUS_OK && i < extents.items.count; i++) {
        const struct image_extent *extent = &extents.items.items[i];
        uint64_t first = (extent->first + member->offset) & member->address_mask;
        uint64_t last = first + (extent->end - extent->first - 1);
        bool is_low = last < UINT64_C(1) << (PROGRAM_SHIFT - 1);
        bool is_high = first >= -(UINT64_C(1) << (PROGRAM_SHIFT - 1));
        if (last < first || last > member->address_mask || !(is_low || is_high))
            continue;
        if (programs->codes.count == LIMIT_PROGRAM_CODES)
            status = error_set(err, STATUS_LIMIT, "the images have more than %d pieces of code",
                               LIMIT_PROGRAM_CODES);
        else if (!VEC_ROOM(&programs->codes, 1))
            status = no_memory(err);
        else
            programs->codes.items[programs->codes.count++] = (struct program_code){
                .first = first,
                .last = last,
                .size_bytes = (size_t)u64_min(extent->file_bytes, last - first + 1),
                .program = (uint32_t)number, // of the member, until programs have numbers
            };
    }
    image_extents_free(&extents);
    return status;
}

ORDER_BY_2(compare_codes, struct program_code, first, program)

static bool is_restricted(const struct image_member *member)
{
    return member->lane || member->space || member->is_by_encodings || member->first_time ||
           member->last_time != UINT64_MAX;
}

static bool is_same_file(const struct image_member *a, const struct image_member *b)
{
    return strcmp(image_path(a->image), image_path(b->image)) == 0;
}

// The same image twice gives the same names.
static bool is_same_image(const struct image_member *a, const struct image_member *b)
{
    return a->offset == b->offset && is_same_file(a, b) && !is_restricted(a) && !is_restricted(b);
}

// Gives numbers to the members of groups, and drops the code of the others.
static enum status number_programs(struct image_programs *programs, const struct image_set *images,
                                   const size_t *groups, struct error *err)
{
    size_t kept = 0;
    uint32_t *numbers = calloc(images->members.count + 1, sizeof *numbers);
    if (!numbers)
        return no_memory(err);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < images->members.count && status == STATUS_OK; i++) {
        const struct image_member *member = &images->members.items[i];
        if (groups[i] == SIZE_MAX)
            continue;
        if (programs->programs.count == LIMIT_IMAGE_PROGRAMS)
            status = error_set(err, STATUS_LIMIT, "more than %d images share addresses",
                               LIMIT_IMAGE_PROGRAMS);
        else if (!VEC_ROOM(&programs->programs, 1))
            status = no_memory(err);
        else {
            numbers[i] = (uint32_t)programs->programs.count;
            programs->programs.items[programs->programs.count++] =
                (struct image_program){i,
                                       (uint32_t)groups[i],
                                       member->lane,
                                       member->space,
                                       member->first_time,
                                       member->last_time};
            programs->has_spaces |= member->space != NULL;
        }
    }
    for (size_t i = 0; i < programs->codes.count && status == STATUS_OK; i++) {
        struct program_code code = programs->codes.items[i];
        if (groups[code.program] == SIZE_MAX)
            continue;
        code.program = numbers[code.program];
        programs->codes.items[kept++] = code;
    }
    programs->codes.count = kept;
    free(numbers);
    return status;
}

// --- Their code ----------------------------------------------------------------------------------

static enum status read_codes(struct image_programs *programs, const struct image_set *images,
                              struct error *err)
{
    uint64_t total_bytes = 0;
    for (size_t i = 0; i < programs->codes.count; i++) {
        struct program_code *code = &programs->codes.items[i];
        const struct image_member *member =
            &images->members.items[programs->programs.items[code->program].member];
        struct image_extents extents;
        if ((total_bytes += code->size_bytes) > LIMIT_PROGRAM_BYTES)
            return error_set(err, STATUS_LIMIT,
                             "images that share addresses have more than %d MB "
                             "of code",
                             (int)(LIMIT_PROGRAM_BYTES >> 20));
        uint8_t *bytes = malloc(code->size_bytes + 1);
        enum status status = bytes ? STATUS_OK : no_memory(err);
        code->bytes = bytes;
        if (status == STATUS_OK)
            status = image_extents_find(&extents, member->image, EXTENTS_INSTRUCTIONS, err);
        if (status != STATUS_OK)
            return status;
        if (!image_extents_read(&extents, (code->first - member->offset) & member->address_mask,
                                bytes, code->size_bytes))
            code->size_bytes = 0;
        image_extents_free(&extents);
    }
    return STATUS_OK;
}

// Divides the addresses where the candidates change.
static enum status make_ranges(struct image_programs *programs, struct error *err)
{
    size_t count = 0;
    uint64_t *starts = malloc((2 * programs->codes.count + 1) * sizeof *starts);
    if (!starts)
        return no_memory(err);
    for (size_t i = 0; i < programs->codes.count; i++) {
        starts[count++] = programs->codes.items[i].first;
        starts[count++] = programs->codes.items[i].last + 1; // 0 after the last address
    }
    qsort(starts, count, sizeof *starts, u64_compare);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        uint64_t last = i + 1 < count ? starts[i + 1] - 1 : UINT64_MAX;
        if (i + 1 < count && starts[i + 1] == starts[i])
            continue;
        struct program_range range = {starts[i], last, programs->candidates.count, 0};
        for (size_t c = 0; c < programs->codes.count && status == STATUS_OK; c++) {
            const struct program_code *code = &programs->codes.items[c];
            if (code->first > range.first)
                break;
            if (code->last < range.first)
                continue;
            if (programs->candidates.count == LIMIT_PROGRAM_CANDIDATES)
                status = error_set(err, STATUS_LIMIT, "too many images share addresses");
            else if (!VEC_ROOM(&programs->candidates, 1))
                status = no_memory(err);
            else
                programs->candidates.items[programs->candidates.count++] = (uint32_t)c;
        }
        range.count = programs->candidates.count - range.from;
        if (status != STATUS_OK || !range.count)
            continue;
        if (!VEC_ROOM(&programs->ranges, 1))
            status = no_memory(err);
        else
            programs->ranges.items[programs->ranges.count++] = range;
    }
    free(starts);
    return status;
}

static uint64_t hash_of(const struct image_programs *programs)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < programs->codes.count; i++) {
        const struct program_code *code = &programs->codes.items[i];
        const struct image_program *program = &programs->programs.items[code->program];
        const uint64_t words[] = {
            hash,
            code->first,
            code->last,
            code->program,
            fingerprint_block(code->bytes, code->size_bytes),
            program->lane ? fingerprint_block(program->lane, strlen(program->lane)) : 0,
            program->first_time,
            program->last_time,
        };
        hash = fingerprint_block(words, sizeof words);
    }
    return hash ? hash : 1;
}

// --- Moving them apart ---------------------------------------------------------------------------

ORDER_BY(compare_ranges, struct image_range, first)

// Moves the members, and gives each all of its code. The addresses that they had are no image's.
static bool move_apart(const struct image_programs *programs, struct image_set *images)
{
    size_t kept = 0;
    bool *is_moved = calloc(images->members.count + 1, sizeof *is_moved);
    if (!is_moved || !VEC_ROOM(&images->ranges, programs->codes.count)) {
        free(is_moved);
        return false;
    }
    for (size_t i = 0; i < programs->programs.count; i++)
        is_moved[programs->programs.items[i].member] = true;
    for (size_t i = 0; i < images->ranges.count; i++) {
        if (!is_moved[images->ranges.items[i].member])
            images->ranges.items[kept++] = images->ranges.items[i];
    }
    images->ranges.count = kept;
    for (size_t i = 0; i < programs->codes.count; i++) {
        const struct program_code *code = &programs->codes.items[i];
        uint64_t bits = program_bits(code->program + 1);
        struct image_range *range = &images->ranges.items[images->ranges.count];
        *range = (struct image_range){pc_with_program(code->first, bits),
                                      pc_with_program(code->last, bits),
                                      programs->programs.items[code->program].member};
        bool overlaps_itself = false; // sections of hostile images
        for (size_t r = kept; r < images->ranges.count; r++)
            overlaps_itself |= images->ranges.items[r].first <= range->last &&
                               range->first <= images->ranges.items[r].last;
        images->ranges.count += !overlaps_itself;
    }
    qsort(images->ranges.items, images->ranges.count, sizeof *images->ranges.items, compare_ranges);
    for (size_t i = 0; i < programs->codes.count; i++) {
        const struct program_code *code = &programs->codes.items[i];
        struct image_member *member =
            &images->members.items[programs->programs.items[code->program].member];
        if (!is_moved[programs->programs.items[code->program].member])
            continue;
        is_moved[programs->programs.items[code->program].member] = false;
        uint64_t linked = (code->first - member->offset) & member->address_mask;
        member->offset = pc_with_program(code->first, program_bits(code->program + 1)) - linked;
        member->address_mask = UINT64_MAX;
        member->program = code->program + 1;
    }
    free(is_moved);
    return true;
}

// Finds the code that members share, and sets groups[m] for each that has to be moved.
static enum status find_shared(struct image_programs *programs, const struct image_set *images,
                               size_t *groups, struct error *err)
{
    enum status status = STATUS_OK;
    bool may_share = false;
    for (size_t i = 0; i < images->members.count; i++) {
        groups[i] = SIZE_MAX;
        may_share |= images->members.items[i].overlaps || is_restricted(&images->members.items[i]);
    }
    for (size_t i = 0; i < images->members.count && status == STATUS_OK && may_share; i++)
        status = add_codes(programs, images, i, err);
    if (status == STATUS_OK && programs->codes.count) {
        qsort(programs->codes.items, programs->codes.count, sizeof *programs->codes.items,
              compare_codes);
        // Sets groups[m] for each member that has to be moved: the lowest member of its group.
        size_t count = images->members.count;
        for (size_t i = 0; i < count; i++)
            groups[i] = is_restricted(&images->members.items[i]) ? i : SIZE_MAX;
        for (size_t i = 0; i < programs->codes.count; i++) {
            const struct program_code *code = &programs->codes.items[i];
            for (size_t j = i + 1;
                 j < programs->codes.count && programs->codes.items[j].first <= code->last; j++) {
                size_t a = code->program, b = programs->codes.items[j].program;
                if (a == b || is_same_image(&images->members.items[a], &images->members.items[b]))
                    continue;
                size_t group_a = groups[a] == SIZE_MAX ? a : groups[a];
                size_t group_b = groups[b] == SIZE_MAX ? b : groups[b];
                size_t group = group_a < group_b ? group_a : group_b;
                groups[a] = groups[b] = group;
                for (size_t m = 0; group_a != group_b && m < count; m++) {
                    if (groups[m] == group_a || groups[m] == group_b)
                        groups[m] = group;
                }
            }
        }
    }
    return status;
}

enum status image_programs_mark(struct image_set *images, struct error *err)
{
    struct image_programs programs = {0};
    size_t *groups = calloc(images->members.count + 1, sizeof *groups);
    enum status status = groups ? find_shared(&programs, images, groups, err) : no_memory(err);
    for (size_t i = 0; i < images->members.count && status == STATUS_OK; i++)
        images->members.items[i].shares_code = groups[i] != SIZE_MAX;
    free(groups);
    image_programs_free(&programs);
    return status;
}

enum status image_programs_find(struct image_programs *programs, struct image_set *images,
                                bool ignores_encodings, struct error *err)
{
    *programs = (struct image_programs){.ignores_encodings = ignores_encodings};
    size_t *groups = calloc(images->members.count + 1, sizeof *groups);
    enum status status = groups ? find_shared(programs, images, groups, err) : no_memory(err);
    if (status == STATUS_OK && programs->codes.count)
        status = number_programs(programs, images, groups, err);
    free(groups);
    if (status != STATUS_OK || !programs->codes.count)
        return status;
    status = read_codes(programs, images, err);
    if (status == STATUS_OK)
        status = make_ranges(programs, err);
    if (status != STATUS_OK)
        return status;
    for (size_t r = 0; r < programs->ranges.count; r++) {
        const struct program_range *range = &programs->ranges.items[r];
        uint32_t *items = programs->candidates.items + range->from;
        // In the order in which the images were given, so that the first one is preferred.
        for (size_t i = 1; i < range->count; i++) {
            uint32_t item = items[i], program = programs->codes.items[item].program;
            size_t at = i;
            for (; at && programs->codes.items[items[at - 1]].program > program; at--)
                items[at] = items[at - 1];
            items[at] = item;
        }
    }
    programs->hash = hash_of(programs);
    return move_apart(programs, images) ? STATUS_OK : no_memory(err);
}

void image_programs_free(struct image_programs *programs)
{
    for (size_t i = 0; i < programs->codes.count; i++)
        free((void *)(uintptr_t)programs->codes.items[i].bytes);
    free(programs->programs.items);
    free(programs->codes.items);
    free(programs->ranges.items);
    free(programs->candidates.items);
    *programs = (struct image_programs){0};
}

// Whether the code of two ranges differs at the addresses of a range.
static bool differ(const struct program_range *range, const struct program_code *a,
                   const struct program_code *b)
{
    uint64_t from_a = range->first - a->first, from_b = range->first - b->first;
    uint64_t size = range->last - range->first + 1;
    if (from_a > a->size_bytes || from_b > b->size_bytes)
        return from_a < a->size_bytes || from_b < b->size_bytes;
    uint64_t in_a = u64_min(size, a->size_bytes - from_a);
    uint64_t in_b = u64_min(size, b->size_bytes - from_b);
    return in_a != in_b || memcmp(a->bytes + from_a, b->bytes + from_b, (size_t)in_a) != 0;
}

bool image_programs_alike(const struct image_programs *programs, const struct image_set *images,
                          size_t *first, size_t *other)
{
    size_t count = programs->programs.count;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = a + 1; b < count; b++) {
            const struct image_program *one = &programs->programs.items[a];
            const struct image_program *two = &programs->programs.items[b];
            bool meet = false, are_different = one->group != two->group || one->lane || two->lane ||
                                               one->space || two->space ||
                                               one->last_time != two->last_time ||
                                               one->first_time != two->first_time ||
                                               is_same_file(&images->members.items[one->member],
                                                            &images->members.items[two->member]);
            for (size_t r = 0; r < programs->ranges.count && !are_different; r++) {
                const struct program_range *range = &programs->ranges.items[r];
                const struct program_code *of_a = NULL, *of_b = NULL;
                for (size_t i = 0; i < range->count; i++) {
                    const struct program_code *code =
                        &programs->codes.items[programs->candidates.items[range->from + i]];
                    of_a = code->program == a ? code : of_a;
                    of_b = code->program == b ? code : of_b;
                }
                meet |= of_a && of_b;
                are_different = of_a && of_b && differ(range, of_a, of_b);
            }
            if (!meet || are_different)
                continue;
            *first = one->member;
            *other = two->member;
            return true;
        }
    }
    return false;
}

// --- Deciding ------------------------------------------------------------------------------------

struct lane_programs image_programs_of_lane(const struct image_programs *programs, const char *lane)
{
    struct lane_programs of = {0};
    for (size_t i = 0; i < programs->programs.count; i++) {
        const char *wanted = programs->programs.items[i].lane;
        if (!wanted || strcmp(wanted, lane) == 0)
            of.may[i / 64] |= UINT64_C(1) << i % 64;
    }
    return of;
}

void image_programs_of_space(const struct image_programs *programs, struct lane_programs *of_lane,
                             const struct index_space *space)
{
    for (size_t i = 0; i < programs->programs.count; i++) {
        const char *wanted = programs->programs.items[i].space;
        if (wanted && !index_space_has(space, wanted))
            of_lane->may[i / 64] &= ~(UINT64_C(1) << i % 64);
    }
}

const struct program_range *image_programs_at(const struct image_programs *programs,
                                              uint64_t address)
{
    size_t low;
    PARTITION_POINT(low, programs->ranges.count, programs->ranges.items[middle].last < address);
    return low < programs->ranges.count && programs->ranges.items[low].first <= address
               ? &programs->ranges.items[low]
               : NULL;
}

bool image_has_instruction(const uint8_t *bytes, unsigned size_bytes, uint32_t encoding)
{
    const uint32_t little = (uint32_t)load_uint(bytes, size_bytes, false),
                   big = (uint32_t)load_uint(bytes, size_bytes, true);
    return encoding == little || encoding == big ||
           (size_bytes == 4 &&
            (encoding == (little << 16 | little >> 16) || encoding == (big << 16 | big >> 16)));
}

// A question about one instruction.
struct deciding {
    const struct image_programs *programs;
    const struct lane_programs *lane;
    const struct program_range *range;
    const struct program_instruction *instruction;
    size_t candidate_count; // that this core may run now
};

static bool may_run(const struct deciding *deciding, uint32_t program)
{
    const struct image_program *about = &deciding->programs->programs.items[program];
    uint64_t time = deciding->instruction->time;
    return (deciding->lane->may[program / 64] >> program % 64 & 1) && time >= about->first_time &&
           time <= about->last_time;
}

static bool fits(const struct deciding *deciding, const struct program_code *code)
{
    const struct program_instruction *instruction = deciding->instruction;
    const struct image_program *about = &deciding->programs->programs.items[code->program];
    if (!may_run(deciding, code->program))
        return false;
    if (deciding->programs->ignores_encodings || !instruction->encoding)
        return true;
    if ((about->lane || about->space) && deciding->candidate_count == 1) // the user says so
        return true;
    uint64_t at = instruction->address - code->first;
    unsigned size = instruction->size_bytes;
    return (size == 2 || size == 4) && at <= code->size_bytes && code->size_bytes - at >= size &&
           image_has_instruction(code->bytes + at, size, instruction->encoding);
}

// The first program that fits; `preferred` (1 + program, or 0) goes before. 1 + its number, or 0.
static uint32_t choose(const struct deciding *deciding, uint32_t preferred, uint32_t *preferred_is)
{
    const struct image_programs *programs = deciding->programs;
    const uint32_t *candidates = programs->candidates.items + deciding->range->from;
    uint32_t first = 0;
    *preferred_is = 0;
    for (size_t i = 0; i < deciding->range->count; i++) {
        const struct program_code *code = &programs->codes.items[candidates[i]];
        bool is_preferred = code->program + 1 == preferred;
        if (is_preferred && may_run(deciding, code->program))
            *preferred_is = preferred;
        if ((first && !is_preferred) || !fits(deciding, code))
            continue;
        if (is_preferred)
            return preferred;
        first = code->program + 1;
    }
    return first;
}

// What is known of the space of an instruction; NULL: nothing.
static struct program_space *space_of(struct program_state *state, uint64_t key)
{
    const size_t count = u64_min(state->space_count, PROGRAM_SPACES);
    for (size_t i = 0; i < count; i++) {
        if (state->spaces[i].key == key)
            return &state->spaces[i];
    }
    return NULL;
}

// The program of this group now.
static void remember(struct program_state *state, uint32_t group)
{
    state->chosen[group] = state->current;
    if (!state->space)
        return;
    struct program_space *space = space_of(state, state->space);
    if (!space) {
        space = &state->spaces[state->space_count++ % PROGRAM_SPACES];
        *space = (struct program_space){.key = state->space};
    }
    space->chosen[group] = state->current;
}

uint64_t image_programs_step(const struct image_programs *programs,
                             const struct lane_programs *lane, const struct program_range *range,
                             const struct program_instruction *instruction,
                             struct program_state *state)
{
    enum { BY_CHANCE = 4 }; // so many instructions in a row are not alike by chance
    struct deciding deciding = {programs, lane, range, instruction, 0};
    const uint32_t *candidates = programs->candidates.items + range->from;
    const uint32_t group = image_programs_group(programs, range);
    if (state->space != instruction->space)
        state->next = 0; // control arrives from another space
    state->space = instruction->space;
    const struct program_space *space = state->space ? space_of(state, state->space) : NULL;
    const uint32_t chosen =
        space && space->chosen[group] ? space->chosen[group] : state->chosen[group];
    bool goes_on = state->next == instruction->address;
    bool is_nameless = state->next && !state->current; // as the code before it, which no image has
    for (size_t i = 0; i < range->count; i++)
        deciding.candidate_count +=
            may_run(&deciding, programs->codes.items[candidates[i]].program);
    state->next = instruction->address + u64_max(instruction->size_bytes, 1);
    uint32_t preferred_is, preferred = is_nameless ? state->waiting
                                       : goes_on   ? state->current
                                                   : chosen;
    uint32_t found = choose(&deciding, preferred, &preferred_is);
    bool is_patched = !found && goes_on && !state->missed && state->current && preferred_is;
    state->waiting_count = found && found == state->waiting ? state->waiting_count + 1 : 1;
    state->waiting = is_nameless ? found : 0;
    bool is_by_chance = is_nameless && state->waiting_count < BY_CHANCE;
    state->missed = is_patched;
    state->current = is_patched ? preferred : is_by_chance ? 0 : found;
    if (!state->current)
        return instruction->address;
    remember(state, group);
    state->waiting = state->waiting_count = 0;
    return pc_with_program(instruction->address, program_bits(state->current));
}
