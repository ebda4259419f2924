// What an XRay log holds, for `trawl info`.
#ifndef TRAWL_CMD_XRAY_INFO_H
#define TRAWL_CMD_XRAY_INFO_H

#include "cmd/trace_command.h"

// `command` has its log open. With `lists_functions` each function comes with its calls, with
// `lists_sizes` what the index that fits spends its bytes on, if there is one.
enum exit_status xray_info(struct trace_command *command, bool lists_functions, bool lists_sizes);

#endif
