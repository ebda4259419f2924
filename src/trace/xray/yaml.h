// XRay logs as YAML, as `llvm-xray convert -f yaml` and `trawl xray convert -f yaml` write them.
//
// What the YAML says is written down again as the bytes of a flight data recorder log of version 5,
// a buffer for each thread, which the one reader of logs then opens (log.h). Names of
// functions in it are not used: a map has better ones.
//
// A payload has any bytes, a YAML text only characters. trawl writes bytes above 0x7e as "\xNN" and
// nothing but ASCII, so in YAML that is all ASCII a character up to U+00FF is a byte. In other YAML
// characters above U+007F are their UTF-8.
#ifndef TRAWL_TRACE_XRAY_YAML_H
#define TRAWL_TRACE_XRAY_YAML_H

#include "trace/xray/log.h"

// How many bytes xray_yaml_is wants to see.
#define XRAY_MAGIC_BYTES 11

// Whether a file that begins so is a log as YAML.
bool xray_yaml_is(const void *text, uint64_t size_bytes);

// Makes a log of all of the text: *bytes, which free() gives back, and the header that the text
// tells. STATUS_INPUT: it is no such log, with the line where.
enum status xray_yaml_read(const void *text, uint64_t size_bytes, uint8_t **bytes,
                           uint64_t *made_bytes, struct xray_header *told, struct error *err);

#endif
