// How questions understand addresses of memory: in the address space that the core has at the
// point, in one that the user names, or as physical ones. One text says which, in options,
// questions to the server, commands of the debugger and panes: there is one parser of it.
#ifndef TRAWL_QUERY_MEMORY_SPACE_H
#define TRAWL_QUERY_MEMORY_SPACE_H

#include "base/error.h"
#include "idx/trawl.h"

// From now on: "physical"; a part of the name of an address space, in any case, that no other has
// in its name, unless it is all of its name; NULL or "": that of the core. `lane`: whose addresses
// they are, or TRAWL_ANY_LANE for that of each event. STATUS_NOT_FOUND: no or several spaces have
// it.
enum status memory_space_set(struct trawl_index *index, const char *name, uint64_t lane,
                             struct error *err);

// What a reader has to know about the place of some bytes of memory at an event; NULL: nothing.
const char *memory_space_doubt(struct trawl_index *index, uint64_t event, uint64_t address,
                               uint64_t size_bytes);

// How addresses are understood now, as a few words; "": in the space of the core.
#define MEMORY_SPACE_TEXT_BYTES 160
void memory_space_text(struct trawl_index *index, char text[MEMORY_SPACE_TEXT_BYTES]);

#endif
