// Calls of a log as its records are read, with arguments, payloads and unmatched exits, for a sink:
// nothing is kept but the open calls.
#ifndef TRAWL_TRACE_XRAY_STREAM_H
#define TRAWL_TRACE_XRAY_STREAM_H

#include "flow/call_sink.h"
#include "trace/xray/xray.h"

// As trace_kind.stream.
enum status xray_stream(struct trace *trace, const struct pass_options *options, const char *lane,
                        const struct call_sink *sink, struct pass_result *result,
                        struct error *err);

#endif
