// Whether two ways of reading a line give the same result.
#ifndef TRAWL_TESTS_UNIT_SAME_LINE_H
#define TRAWL_TESTS_UNIT_SAME_LINE_H

#include "trace/lines/line.h"

static inline bool is_same_span(struct text_span a, struct text_span b)
{
    return a.start == b.start && a.end == b.end;
}

static inline bool is_same_instruction(const struct line_instruction *a,
                                       const struct line_instruction *b)
{
    return a->address == b->address && a->encoding == b->encoding &&
           a->size_bytes == b->size_bytes && a->isa == b->isa && a->executed == b->executed &&
           a->fetched == b->fetched && a->disassembly == b->disassembly;
}

static inline bool is_same_register(const struct line_register *a, const struct line_register *b)
{
    return a->name.kind == b->name.kind && a->name.layout == b->name.layout &&
           a->name.index == b->name.index && a->name.size_bytes == b->name.size_bytes &&
           a->name.offset == b->name.offset && a->name.is_w == b->name.is_w &&
           a->value_start == b->value_start && a->value_end == b->value_end &&
           a->is_plain == b->is_plain && a->is_range == b->is_range &&
           a->first_byte == b->first_byte && a->size_bytes == b->size_bytes &&
           a->spelled == b->spelled && a->spelled_length == b->spelled_length;
}

static inline bool is_same_memory(const struct line_memory *a, const struct line_memory *b)
{
    return a->address == b->address && a->is_read == b->is_read &&
           a->is_memory_order == b->is_memory_order && a->is_known == b->is_known &&
           a->size_bytes == b->size_bytes && is_same_span(a->value, b->value) &&
           is_same_span(a->second, b->second);
}

static inline bool is_same_diagram(const struct line_diagram *a, const struct line_diagram *b)
{
    return a->address == b->address && a->is_read == b->is_read && a->words == b->words &&
           a->words_end == b->words_end;
}

static inline bool is_same_line(const struct trace_line *a, const struct trace_line *b)
{
    if (a->kind != b->kind || a->note != b->note || a->time != b->time || a->cpu != b->cpu ||
        a->cpu_length != b->cpu_length || a->looks_like_instruction != b->looks_like_instruction ||
        a->is_read != b->is_read || a->readings_differ != b->readings_differ)
        return false;
    switch (a->kind) {
    case LINE_INSTRUCTION:
        return is_same_instruction(&a->instruction, &b->instruction);
    case LINE_REGISTER:
    case LINE_NAMED_REGISTER:
        return is_same_register(&a->reg, &b->reg);
    case LINE_MEMORY:
        return is_same_memory(&a->memory, &b->memory);
    case LINE_DIAGRAM:
        return is_same_diagram(&a->diagram, &b->diagram);
    case LINE_NOTHING:
    case LINE_EXCEPTION:
    case LINE_TEXT:
        return true;
    }
    return false;
}

static inline bool is_same_context(const struct line_context *a, const struct line_context *b)
{
    return a->time == b->time && a->address_column == b->address_column &&
           a->address_is_read == b->address_is_read && a->wraps == b->wraps;
}

#endif
