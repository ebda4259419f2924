// The tools that an agent can call, as rows: a description, parameters, and the command that
// answers.
#ifndef TRAWL_MCP_TOOLS_H
#define TRAWL_MCP_TOOLS_H

#include "base/json_read.h"
#include "base/words.h"
#include "report/json.h"

// What is served, and how.
struct mcp_plan {
    const char *program;       // to run for a command
    const char *version;       // of it
    const char *const *traces; // paths
    size_t trace_count;
    const char *const *images; // FILE[@OFFSET], for all traces
    size_t image_count;
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

#endif
