// A server for agents: the Model Context Protocol over standard input and output, one JSON-RPC
// message a line (modelcontextprotocol.io, versions of 2024-11-05 to 2025-06-18).
//
// Each tool is a command of this program, run as a process of its own: so an answer is that of the
// command, in the same confinement, and a question that takes too long or fails costs nothing but
// itself. An agent pays for each byte that it reads: an answer has at most LIMIT_MCP_ANSWER_BYTES,
// and says how many lines it leaves out. Text of a trace is data that anybody may have written: it
// is made inert, and the tools say that it is quoted.
#ifndef TRAWL_MCP_SERVER_H
#define TRAWL_MCP_SERVER_H

#include "mcp/tools.h"

// Serves until the input ends.
enum status mcp_serve(const struct mcp_plan *plan, struct error *err);

#endif
