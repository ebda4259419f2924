#include "dwarf/debug_values.h"

#include "base/fragile.h"
#include "dwarf/debug_value.h"

#include <dwarf.h>
#include <errno.h>

// An answer being built: texts of a value and of its type.
struct answer {
    struct debug_frame frame;
    struct out value, type;
    const struct debug_sink *sink;
};

static enum status begin(struct answer *answer, struct debug_info *info,
                         const struct debug_point *point, const struct debug_sink *sink,
                         struct error *err)
{
    *answer = (struct answer){.sink = sink};
    enum status status = out_open_memory(&answer->value, err);
    if (status == STATUS_OK) {
        status = out_open_memory(&answer->type, err);
        if (status != STATUS_OK)
            out_abandon(&answer->value);
    }
    if (status == STATUS_OK)
        debug_frame_begin(&answer->frame, info, point,
                          (point->pc - point->offset) & point->address_mask);
    return status;
}

static enum status end(struct answer *answer, enum status status, struct error *err)
{
    bool lacks_memory =
        answer->frame.types.lacks_memory || out_failed(&answer->value) || out_failed(&answer->type);
    debug_frame_end(&answer->frame);
    out_abandon(&answer->value);
    out_abandon(&answer->type);
    return lacks_memory ? error_set(err, STATUS_MEMORY, "no memory for values") : status;
}

static void tell(struct answer *answer, const char *name, const struct debug_value *value,
                 bool is_whole)
{
    struct debug_value_text text = {.name = name, .size_bytes = value->type->size_bytes};
    out_clear(&answer->value);
    out_clear(&answer->type);
    debug_print(&answer->frame, value, is_whole, &answer->value);
    debug_type_name(&answer->frame.types, value->type, "", &answer->type);
    text.value = out_memory_text(&answer->value);
    text.type = out_memory_text(&answer->type);
    text.address = value->has_address ? &value->address : NULL;
    answer->sink->take(answer->sink->self, &text);
}

static void tell_variables(struct answer *answer, Dwarf_Die *scope, int tag)
{
    struct debug_frame *frame = &answer->frame;
    Dwarf_Die child;
    Dwarf_Attribute found;
    int status = dwarf_child(scope, &child);
    for (; status == 0 && debug_types_draw(&frame->types);
         status = dwarf_siblingof(&child, &child)) {
        const char *name = dwarf_tag(&child) == tag ? debug_name(&child) : NULL;
        if (!name || dwarf_attr(&child, DW_AT_external, &found))
            continue;
        struct debug_value value = debug_variable(frame, &child);
        bool is_early = frame->point->calls && debug_is_early(frame, &child);
        if (is_early && !debug_call_parameter(frame, &child, &value))
            value = debug_value_new(frame, value.type, DEBUG_UNAVAILABLE);
        tell(answer, name, &value, false);
    }
}

enum status debug_values_list(struct debug_info *info, const struct debug_point *point,
                              enum debug_list list, const struct debug_sink *sink,
                              struct error *err)
{
    FRAGILE_BLOCK;
    struct answer answer;
    enum status status = begin(&answer, info, point, sink, err);
    if (status != STATUS_OK)
        return status;
    struct debug_frame *frame = &answer.frame;
    if (!frame->scope_count)
        status = error_set(err, STATUS_NOT_FOUND, "no debugging information for the function");
    else if (list == DEBUG_ARGUMENTS)
        tell_variables(&answer, &frame->scopes[frame->inlined], DW_TAG_formal_parameter);
    for (size_t i = frame->scope_count; list == DEBUG_LOCALS && i-- > frame->inlined;)
        tell_variables(&answer, &frame->scopes[i], DW_TAG_variable);
    return end(&answer, status, err);
}

enum status debug_values_expression(struct debug_info *info, const struct debug_point *point,
                                    const char *text, const struct debug_sink *sink,
                                    struct error *err)
{
    FRAGILE_BLOCK;
    struct answer answer;
    struct debug_value value;
    enum status status = begin(&answer, info, point, sink, err);
    if (status != STATUS_OK)
        return status;
    status = debug_expression(&answer.frame, text, &value, err);
    if (status == STATUS_OK)
        tell(&answer, text, &value, true);
    return end(&answer, status, err);
}

bool debug_signature(struct debug_info *info, uint64_t pc, struct out *out)
{
    FRAGILE_BLOCK;
    struct debug_frame frame;
    debug_frame_begin(&frame, info, NULL, pc);
    bool is_found = frame.scope_count > 0;
    if (is_found) {
        // "int main(int argc, char **argv)"
        Dwarf_Die *function = &frame.scopes[frame.inlined];
        Dwarf_Die child;
        const char *name = debug_name(function);
        bool is_first = true;
        debug_type_name(&frame.types, debug_type_of(&frame.types, function), name ? name : "?",
                        out);
        out_byte(out, '(');
        int status = dwarf_child(function, &child);
        for (; status == 0 && debug_types_draw(&frame.types);
             status = dwarf_siblingof(&child, &child)) {
            int tag = dwarf_tag(&child);
            if (tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters)
                continue;
            const char *parameter = debug_name(&child);
            out_text(out, is_first ? "" : ", ");
            is_first = false;
            if (tag == DW_TAG_formal_parameter)
                debug_type_name(&frame.types, debug_type_of(&frame.types, &child),
                                parameter ? parameter : "", out);
            else
                out_text(out, "...");
        }
        out_text(out, is_first ? "void)" : ")");
    }
    if (frame.types.lacks_memory)
        out->error_number = ENOMEM;
    debug_frame_end(&frame);
    return is_found;
}
