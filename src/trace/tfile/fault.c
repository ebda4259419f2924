#include "trace/tfile/fault.h"

#include <inttypes.h>
#include <stdio.h>

void tfile_fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES])
{
    static const char *const texts[] = {
        [TFILE_FAULT_HEADER_ENDS] = "the file ends inside its header",
        [TFILE_FAULT_LINE] = "a line of the header that cannot be read",
        [TFILE_FAULT_REGISTER_BYTES] = "the header does not say the size of registers",
        [TFILE_FAULT_DESCRIPTION] = "the description of the target cannot be read",
        [TFILE_FAULT_NUMBER] = "a frame of a tracepoint that does not exist:",
        [TFILE_FAULT_SIZE] = "a frame that would end after the file, of bytes:",
        [TFILE_FAULT_EARLY_END] = "an end mark with frames after it",
        [TFILE_FAULT_CUT] = "the file ends inside a frame",
        [TFILE_FAULT_NO_END] = "the file ends without its end mark",
        [TFILE_FAULT_GIVEN_UP] = "no valid frame from here on",
        [TFILE_FAULT_EMPTY] = "a frame of zeros",
        [TFILE_FAULT_BLOCK] = "a block of an unknown kind:",
        [TFILE_FAULT_BLOCK_CUT] = "a block that would end after its frame",
    };
    const char *what = texts[fault->kind];
    switch (fault->kind) {
    case TFILE_FAULT_NUMBER:
    case TFILE_FAULT_SIZE:
        snprintf(text, TRACE_FAULT_TEXT_BYTES, "%s %" PRIu64, what, fault->value);
        break;
    case TFILE_FAULT_BLOCK:
        snprintf(text, TRACE_FAULT_TEXT_BYTES, "%s 0x%02" PRIx64, what, fault->value);
        break;
    default:
        snprintf(text, TRACE_FAULT_TEXT_BYTES, "%s", what);
        break;
    }
}
