// Instrumentation maps as YAML, in the form that `llvm-xray extract` and `trawl xray extract`
// write.
#ifndef TRAWL_TRACE_XRAY_MAP_YAML_H
#define TRAWL_TRACE_XRAY_MAP_YAML_H

#include "trace/xray/map.h"

// Reads the map in the file `path`, if it is YAML. If it is not, or cannot be opened, *is_yaml is
// false and the result is STATUS_OK. Functions have the names in the map, if any. STATUS_INPUT: not
// a map; the error has the line. Free with xray_map_free in any case.
enum status xray_map_read_yaml(struct xray_map *map, const char *path, bool *is_yaml,
                               struct error *err);

#endif
