// Instrumentation maps as YAML, as `llvm-xray extract` and `trawl xray extract` write them.
#ifndef TRAWL_TRACE_XRAY_MAP_YAML_H
#define TRAWL_TRACE_XRAY_MAP_YAML_H

#include "trace/xray/map.h"

// Reads the map in the file `path`, if that is YAML: if it is none, or cannot be opened,
// *is_yaml is false and all is well. Functions have the names of the map, where it has some.
// STATUS_INPUT: not a map, with the line. In any case freed by xray_map_free.
enum status xray_map_read_yaml(struct xray_map *map, const char *path, bool *is_yaml,
                               struct error *err);

#endif
