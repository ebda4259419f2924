#include "format/tfile_fault.h"

#include <inttypes.h>
#include <stdio.h>

void tfile_fault_text(const struct tfile_fault *fault, char text[TFILE_FAULT_TEXT_BYTES])
{
    static const char *const texts[] = {
        [TFILE_FAULT_HEADER_ENDS] = "the file ends inside its header",
        [TFILE_FAULT_LINE] = "a line of the header that cannot be read",
        [TFILE_FAULT_REGISTER_BYTES] = "the header does not tell the size of registers",
        [TFILE_FAULT_DESCRIPTION] = "the description of the target cannot be read",
        [TFILE_FAULT_NUMBER] = "a frame of a tracepoint that does not exist:",
        [TFILE_FAULT_SIZE] = "a frame that would end behind the file, of bytes:",
        [TFILE_FAULT_EARLY_END] = "an end mark with frames behind it",
        [TFILE_FAULT_CUT] = "the file ends inside a frame",
        [TFILE_FAULT_NO_END] = "the file ends without its end mark",
        [TFILE_FAULT_GIVEN_UP] = "nothing but false beginnings of frames",
        [TFILE_FAULT_EMPTY] = "a frame of zeros",
        [TFILE_FAULT_BLOCK] = "a block of an unknown kind:",
        [TFILE_FAULT_BLOCK_CUT] = "a block that would end behind its frame",
    };
    const char *what = texts[fault->kind];
    switch (fault->kind) {
    case TFILE_FAULT_NUMBER:
    case TFILE_FAULT_SIZE:
        snprintf(text, TFILE_FAULT_TEXT_BYTES, "%s %" PRIu64, what, fault->value);
        break;
    case TFILE_FAULT_BLOCK:
        snprintf(text, TFILE_FAULT_TEXT_BYTES, "%s 0x%02" PRIx64, what, fault->value);
        break;
    default:
        snprintf(text, TFILE_FAULT_TEXT_BYTES, "%s", what);
        break;
    }
}

static void keep(struct tfile_damage *damage, const struct tfile_fault *fault)
{
    uint64_t kept = u64_min(damage->count, LIMIT_DAMAGE_KEPT), at = kept;
    while (at && damage->first[at - 1].offset > fault->offset)
        at--;
    if (at == LIMIT_DAMAGE_KEPT)
        return;
    kept = u64_min(kept, LIMIT_DAMAGE_KEPT - 1);
    memmove(&damage->first[at + 1], &damage->first[at], (kept - at) * sizeof *damage->first);
    damage->first[at] = *fault;
}

void tfile_damage_add(struct tfile_damage *damage, const struct tfile_fault *fault)
{
    keep(damage, fault);
    damage->count++;
    damage->size_bytes += fault->size_bytes;
}

void tfile_damage_merge(struct tfile_damage *damage, const struct tfile_damage *other)
{
    uint64_t kept = u64_min(other->count, LIMIT_DAMAGE_KEPT);
    for (uint64_t i = 0; i < kept; i++)
        tfile_damage_add(damage, &other->first[i]);
    damage->count += other->count - kept;
    for (uint64_t i = 0; i < kept; i++)
        damage->size_bytes -= other->first[i].size_bytes;
    damage->size_bytes += other->size_bytes;
}
