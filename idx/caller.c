#include "idx/caller.h"

_Static_assert(sizeof(((struct trawl_error *)0)->text) == sizeof(((struct error *)0)->text),
               "as long a text");

enum trawl_status errors_give(struct trawl_error *theirs, struct error *why, enum status status)
{
    static const enum trawl_status statuses[] = {
        [STATUS_OK] = TRAWL_OK,           [STATUS_IO] = TRAWL_IO,
        [STATUS_INPUT] = TRAWL_DAMAGED,   [STATUS_LIMIT] = TRAWL_LIMIT,
        [STATUS_MEMORY] = TRAWL_MEMORY,   [STATUS_NOT_FOUND] = TRAWL_NOT_FOUND,
        [STATUS_DAMAGED] = TRAWL_DAMAGED, [STATUS_STOPPED] = TRAWL_IO,
    };
    if (status != STATUS_OK && theirs) {
        *theirs = (struct trawl_error){statuses[status], why->line, why->offset, ""};
        memcpy(theirs->text, why->text, sizeof theirs->text);
    }
    return statuses[status];
}

enum status index_status(enum trawl_status status, const struct trawl_error *from,
                         struct error *err)
{
    static const enum status statuses[] = {
        [TRAWL_OK] = STATUS_OK,           [TRAWL_IO] = STATUS_IO,
        [TRAWL_DAMAGED] = STATUS_DAMAGED, [TRAWL_LIMIT] = STATUS_LIMIT,
        [TRAWL_MEMORY] = STATUS_MEMORY,   [TRAWL_NOT_FOUND] = STATUS_NOT_FOUND,
    };
    if (status != TRAWL_OK && err) {
        *err = (struct error){statuses[status], from->line, from->offset, ""};
        memcpy(err->text, from->text, sizeof err->text);
    }
    return statuses[status];
}
