#include "export/annotation_formats.h"

void annotation_write_sums(const struct annotation *annotation, uint64_t whole_ticks,
                           struct out *out)
{
    out_text(out, "at 0x");
    out_hex(out, annotation->address, 1);
    out_text(out, ": ");
    out_u64(out, annotation->ticks);
    out_byte(out, ' ');
    out_text(out, annotation->tick_unit);
    out_text(out, " (");
    out_percent(out, annotation->ticks, whole_ticks, 1);
    out_text(out, "% of all), ");
    out_u64(out, annotation->executed);
    out_text(out, " instructions");
}
