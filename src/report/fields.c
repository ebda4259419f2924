#include "report/table.h"

size_t fields_choose(const struct field *fields, size_t count, unsigned bits,
                     const struct field **shown, struct table_column *columns)
{
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        if ((fields[i].when & bits) != fields[i].when)
            continue;
        shown[chosen] = &fields[i];
        columns[chosen++] = (struct table_column){fields[i].title, fields[i].key, fields[i].kind};
    }
    return chosen;
}

// False: the value is missing.
static bool number_of(const void *row, struct member member, uint64_t *value)
{
    const char *place = (const char *)row + member.offset;
    const uint64_t *optional;
    uint32_t narrow;
    switch ((enum member_type)member.type) {
    case MEMBER_U64:
        memcpy(value, place, sizeof *value);
        return true;
    case MEMBER_U32:
        memcpy(&narrow, place, sizeof narrow);
        *value = narrow;
        return true;
    case MEMBER_OPTIONAL_U64:
        memcpy(&optional, place, sizeof optional);
        *value = optional ? *optional : 0;
        return optional;
    default:
        *value = 0;
        return false;
    }
}

void fields_put(struct table *table, const struct field *const *shown, size_t count,
                const void *row)
{
    for (size_t i = 0; i < count; i++) {
        const struct field *field = shown[i];
        const char *text;
        uint64_t value, of;
        if (field->value.type == MEMBER_TEXT) {
            memcpy(&text, (const char *)row + field->value.offset, sizeof text);
            table_text(table, text);
            continue;
        }
        if (!number_of(row, field->value, &value)) {
            table_none(table);
            continue;
        }
        switch (field->kind) {
        case COLUMN_ADDRESS:
            table_address(table, value);
            break;
        case COLUMN_SHARE:
            number_of(row, field->of, &of);
            table_share(table, value, of);
            break;
        case COLUMN_SECONDS:
            number_of(row, field->of, &of);
            table_seconds(table, value, of);
            break;
        case COLUMN_CHANGE:
            number_of(row, field->of, &of);
            table_change(table, of, value);
            break;
        case COLUMN_CHANGE_SHARE:
            number_of(row, field->of, &of);
            table_change_share(table, of, value);
            break;
        default:
            table_u64(table, value);
        }
    }
}
