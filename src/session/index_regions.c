#include "session/index_regions.h"

#include "idx/host_calls.h"
#include "idx/index.h"

enum status index_add_regions(struct index_writer *writer, const char *path, struct error *err)
{
    struct map map;
    struct trawl_index *index;
    struct parts_writer parts = {0};
    bool any;
    enum status status = index_writer_read_back(writer, &map, err);
    if (status != STATUS_OK || (status = index_open_map(&index, path, &map, err)) != STATUS_OK)
        return status;
    status = host_calls_resolve(index, &parts, &any, err);
    trawl_close(index);
    if (status == STATUS_OK && any && !index_writer_add_section(writer, SECTION_REGIONS, &parts))
        status = error_set(err, STATUS_MEMORY, "%s: no memory", path);
    parts_writer_free(&parts);
    return status;
}
