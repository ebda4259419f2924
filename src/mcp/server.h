// A server for agents: the Model Context Protocol over standard input and output, one JSON-RPC
// message a line (modelcontextprotocol.io, versions of 2024-11-05 to 2026-07-28).
//
// Each tool is a command of this program, run as a process of its own: so an answer is that of the
// command, in the same confinement, and a question that takes too long or fails costs nothing but
// itself. An agent pays for each byte that it reads: an answer has at most LIMIT_MCP_ANSWER_BYTES,
// and says how many lines it leaves out. Text of a trace is data that anybody may have written: it
// is made inert, and the tools say that it is quoted.
#ifndef TRAWL_MCP_SERVER_H
#define TRAWL_MCP_SERVER_H

#include "base/json_read.h"
#include "base/words.h"
#include "report/json.h"

// --- tools.c -------------------------------------------------------------------------------------

// The tools that an agent can call, as rows: a description, parameters, and the command that
// answers.

// What is served, and how.
struct mcp_plan {
    const char *program;       // to run for a command
    const char *version;       // of it
    const char *const *traces; // paths
    size_t trace_count;
    const char *const *images; // FILE[@OFFSET], for all traces
    size_t image_count;
    bool is_memory_index; // build indexes in memory, for each question anew, and write none
    int in, out;
};

enum mcp_kind { MCP_TEXT, MCP_NUMBER };

enum { MCP_PARAMETERS = 6, MCP_WORDS = 4 };

struct mcp_parameter {
    const char *name;        // NULL: the end
    const char *option;      // "--at=", before the value; NULL: a positional after the trace
    const char *description; // for the agent
    enum mcp_kind kind;
    bool is_required;
};

struct mcp_tool {
    const char *name, *description;
    const char *command[MCP_WORDS]; // with fixed options; NULL ends them
    bool takes_images;
    bool takes_other;           // a second trace
    bool takes_index;           // and builds it, in memory with --memory-index
    const char *default_option; // given unless the parameter of that option is; NULL: none
    struct mcp_parameter parameters[MCP_PARAMETERS];
};

// NULL: there is no such tool.
const struct mcp_tool *mcp_tool_named(const char *name);

// Writes the list of all tools with the schemas of their parameters.
void mcp_put_tools(struct json *json, size_t trace_count);

// Makes the command line of a call. STATUS_INPUT: an argument is missing, unknown or of another
// type, which err->text says. The words must be freed in any case.
enum status mcp_tool_words(const struct mcp_tool *tool, const struct mcp_plan *plan,
                           const struct json_document *document, const struct json_value *arguments,
                           struct words *words, struct error *err);

// --- server.c ------------------------------------------------------------------------------------

// Serves until the input ends.
enum status mcp_serve(const struct mcp_plan *plan, struct error *err);

#endif
