#include "trace/tarmac/language.h"

#include "arch/arm/control.h"
#include "arch/arm/exceptions.h"
#include "trace/tarmac/access.h"
#include "trace/tarmac/line_read.h"

const struct line_language tarmac_language = {
    .study = tarmac_line_study,
    .add_access = access_add,
    .branch = control_decode,
    .opens_frame = control_opens_frame,
    .exceptions = &arm_exceptions,
};
