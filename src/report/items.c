#include "report/items.h"
#include "report/out.h"

static void begin_item(struct items *items, const char *label, const char *key)
{
    size_t length = strlen(label);
    if (items->is_json) {
        json_key(&items->json, key);
        return;
    }
    items->has_lines = true;
    out_text(items->out, label);
    out_pad(items->out, length < items->label_width ? items->label_width - length : 1);
}

void items_begin(struct items *items, struct out *out, bool is_json, unsigned label_width)
{
    *items = (struct items){.out = out, .is_json = is_json, .label_width = label_width};
    if (is_json) {
        json_begin(&items->json, out, 2);
        json_begin_object(&items->json);
    }
}

void items_text(struct items *items, const char *label, const char *key, const char *value)
{
    if (!items->is_json && (!value || !*value))
        return;
    begin_item(items, label, key);
    if (items->is_json) {
        json_text(&items->json, value);
        return;
    }
    out_clean(items->out, value);
    out_byte(items->out, '\n');
}

void items_u64(struct items *items, const char *label, const char *key, uint64_t value)
{
    begin_item(items, label, key);
    if (items->is_json) {
        json_u64(&items->json, value);
        return;
    }
    out_u64(items->out, value);
    out_byte(items->out, '\n');
}

void items_bool(struct items *items, const char *label, const char *key, bool value)
{
    begin_item(items, label, key);
    if (items->is_json)
        json_bool(&items->json, value);
    else
        out_text(items->out, value ? "yes\n" : "no\n");
}

void items_seconds(struct items *items, const char *label, const char *key, uint64_t ticks,
                   uint64_t ticks_a_second, unsigned digits)
{
    begin_item(items, label, key);
    if (items->is_json) {
        json_seconds(&items->json, ticks, ticks_a_second);
        return;
    }
    if (ticks_a_second)
        out_ratio(items->out, ticks, ticks_a_second, digits);
    else
        out_text(items->out, "unknown");
    out_byte(items->out, '\n');
}

void items_ratio(struct items *items, const char *label, const char *key, uint64_t part,
                 uint64_t whole, unsigned digits)
{
    begin_item(items, label, key);
    if (items->is_json) {
        json_share(&items->json, part, whole);
        return;
    }
    out_ratio(items->out, part, whole, digits);
    out_byte(items->out, '\n');
}

void items_begin_part(struct items *items, const char *key)
{
    if (!items->is_json) {
        if (items->has_lines)
            out_byte(items->out, '\n');
        return;
    }
    json_key(&items->json, key);
    json_begin_object(&items->json);
}

void items_end_part(struct items *items)
{
    if (items->is_json)
        json_end_object(&items->json);
}

enum status items_table(struct items *items, const char *key, const struct table_column *columns,
                        size_t column_count, void (*put)(void *self, struct table *table),
                        void *self, struct error *err)
{
    struct table table;
    enum status status = STATUS_OK;
    if (items->is_json) {
        json_key(&items->json, key);
        table_begin_member(&table, &items->json, columns, column_count);
    } else {
        out_byte(items->out, '\n');
        status = table_begin(&table, items->out, TABLE_TEXT, columns, column_count, err);
    }
    if (status != STATUS_OK)
        return status;
    put(self, &table);
    table_end(&table);
    return STATUS_OK;
}

void items_end(struct items *items)
{
    if (!items->is_json)
        return;
    json_end_object(&items->json);
    json_end(&items->json);
}
