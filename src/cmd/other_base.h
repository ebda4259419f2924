// Addresses typed without 0x: they are decimal, but may have been meant as hexadecimal.
#ifndef TRAWL_CMD_OTHER_BASE_H
#define TRAWL_CMD_OTHER_BASE_H

#include "cli/diag.h"

// Reads `text`, which must only have decimal digits, as a hexadecimal address, without Thumb bit.
// False: other characters, or too large.
bool other_base_address(const char *text, uint64_t *address);

// Reports that `text` was read as the decimal `address`, which is not executed, while the
// hexadecimal one is.
void other_base_report(struct diag *diag, const char *text, uint64_t address);

#endif
