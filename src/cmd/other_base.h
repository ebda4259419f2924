// Addresses typed without 0x: they are decimal, but may have been meant as hexadecimal.
#ifndef TRAWL_CMD_OTHER_BASE_H
#define TRAWL_CMD_OTHER_BASE_H

#include "cli/diag.h"

// What `text`, decimal digits and nothing else, would be as a hexadecimal address, without Thumb
// bit. False: it is something else, or too large.
bool other_base_address(const char *text, uint64_t *address);

// Says that `text` was read as the decimal `address`, which is not executed, and the other is.
void other_base_report(struct diag *diag, const char *text, uint64_t address);

#endif
