// The trace events of an XRay log.
#ifndef TRAWL_CMD_XRAY_EXPORT_H
#define TRAWL_CMD_XRAY_EXPORT_H

#include "cmd/export.h"

// Writes the calls of the log that the command has open, which is read for that; returns the status
// to end with.
enum exit_status xray_export_events(struct exporter *exporter);

#endif
