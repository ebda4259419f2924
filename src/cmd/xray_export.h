// The trace events of an XRay log.
#ifndef TRAWL_CMD_XRAY_EXPORT_H
#define TRAWL_CMD_XRAY_EXPORT_H

#include "cmd/export.h"

// Writes the calls of the XRay log that the command has open, which is read for that. *status is
// what to end with if false: reported.
bool xray_export_events(struct exporter *exporter, enum exit_status *status);

#endif
