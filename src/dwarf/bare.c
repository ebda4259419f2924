// Replaces the other files of this layer in a build without libdw: without an image there are no
// values, so nothing here is ever called.
#include "dwarf/debug_info.h"
#include "dwarf/debug_values.h"

enum status debug_info_open(struct debug_info **out, const struct image *image, struct error *err)
{
    (void)out, (void)image, (void)err;
    __builtin_trap();
}

enum status debug_info_over(struct debug_info **out, struct lines *lines, const struct image *image,
                            struct error *err)
{
    (void)out, (void)lines, (void)image, (void)err;
    __builtin_trap();
}

void debug_info_close(struct debug_info *info)
{
    ASSERT(!info);
}

enum status debug_values_list(struct debug_info *info, const struct debug_point *point,
                              enum debug_list list, const struct debug_sink *sink,
                              struct error *err)
{
    (void)info, (void)point, (void)list, (void)sink, (void)err;
    __builtin_trap();
}

enum status debug_values_expression(struct debug_info *info, const struct debug_point *point,
                                    const char *text, const struct debug_sink *sink,
                                    struct error *err)
{
    (void)info, (void)point, (void)text, (void)sink, (void)err;
    __builtin_trap();
}

bool debug_signature(struct debug_info *info, uint64_t pc, struct out *out)
{
    (void)info, (void)pc, (void)out;
    __builtin_trap();
}

size_t debug_inlines(struct debug_info *info, uint64_t pc, struct debug_inline *chain,
                     size_t capacity)
{
    (void)info, (void)pc, (void)chain, (void)capacity;
    __builtin_trap();
}
