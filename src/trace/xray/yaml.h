// XRay logs as YAML, in the form that `llvm-xray convert -f yaml` and `trawl xray convert -f yaml`
// write.
//
// The contents of the YAML are converted into the bytes of a flight data recorder log of version 5,
// with a buffer for each thread, so that there is a single reader of logs (log.h). Names of
// functions in the YAML are not used: a map has better ones.
//
// A payload consists of bytes, but YAML text consists of characters. trawl writes bytes above 0x7e
// as "\xNN" and everything else in ASCII. So in YAML that is all ASCII, a character up to U+00FF is
// a byte; in other YAML, characters above U+007F are their UTF-8 bytes.
#ifndef TRAWL_TRACE_XRAY_YAML_H
#define TRAWL_TRACE_XRAY_YAML_H

#include "trace/xray/log.h"

// The number of bytes that xray_yaml_is needs.
#define XRAY_MAGIC_BYTES 11

// Whether a file with this beginning is a log as YAML.
bool xray_yaml_is(const void *text, uint64_t size_bytes);

// Converts the whole text into a log: *bytes, which the caller frees with free(), and the header in
// the text. STATUS_INPUT: it is not such a log; the error has the line.
enum status xray_yaml_read(const void *text, uint64_t size_bytes, uint8_t **bytes,
                           uint64_t *made_bytes, struct xray_header *told, struct error *err);

#endif
