#include "cmd/other_base.h"

#include "cli/values.h"

#include <inttypes.h>
#include <string.h>

bool other_base_address(const char *text, uint64_t *address)
{
    enum { ADDRESS_DIGITS = 16 };
    size_t length = strlen(text);
    char number[2 + ADDRESS_DIGITS + 1];
    if (!length || length > ADDRESS_DIGITS || strspn(text, "0123456789") != length)
        return false;
    snprintf(number, sizeof number, "0x%s", text);
    if (!parse_u64(number, address))
        return false;
    *address &= ~UINT64_C(1);
    return true;
}

void other_base_report(struct diag *diag, const char *text, uint64_t address)
{
    diag_warning(diag, "'%s' is read as decimal, 0x%" PRIx64 ", which is not executed; 0x%s is",
                 text, address, text);
}
