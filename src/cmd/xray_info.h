// What an XRay log holds, for `trawl info`.
#ifndef TRAWL_CMD_XRAY_INFO_H
#define TRAWL_CMD_XRAY_INFO_H

#include "cmd/trace_command.h"

// `command` has its log open. With `lists_functions` each function comes with its calls.
enum exit_status xray_info(struct trace_command *command, bool lists_functions);

#endif
