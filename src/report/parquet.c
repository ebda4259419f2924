// Rows are collected until there are enough for a round. A round sorts them by lane and encodes
// them as pages, in parallel. Encoded pages wait until their lane has enough for a row group. If so
// many lanes wait that they would take too much memory, those with the most pages are written as
// smaller groups. All this depends only on the rows, and so do the bytes of the files.

#include "report/parquet.h"

#include "base/limits.h"
#include "base/thread.h"
#include "base/version.h"

#include <stdio.h>
#include <stdlib.h>

// Rows of a row group, and of a round: a round has a few groups, and more rows if there are many
// lanes, so that their pages do not become too small.
#define GROUP_ROWS ((size_t)1 << 17)
#define ROUND_ROWS_MIN ((size_t)1 << 19)
#define ROUND_ROWS_LANE 512
// If memory is limited: the fraction of it that rows may take, and also waiting pages; the bytes of
// a row, including what is lost by growing; and the smallest round that is worth it.
#define MEMORY_PART 8
#define ROW_BYTES 256
#define ROUND_ROWS_LEAST ((size_t)1 << 12)

#define NO_LANE UINT32_MAX

enum { COLUMN_RUN, COLUMN_TIME, SAME_COLUMNS };
static const char *const same_names[SAME_COLUMNS] = {"run", "run_time"};
static const enum parquet_type same_types[SAME_COLUMNS] = {PARQUET_TEXT, PARQUET_TIME};
static const char magic[4] = {'P', 'A', 'R', '1'};

// A row group that is being filled.
struct group {
    size_t row_count;
    struct parquet_chunk chunks[]; // one for each column
};

struct lane {
    uint32_t text; // its name; PARQUET_NO_TEXT: none
    struct group *group;
    uint64_t file_bytes, row_count;
    size_t group_count;
    struct thrift groups; // as they will be in the footer
    size_t first, count;  // its rows of the round, in `order`
};

// Consecutive rows of a lane that go to one group in this round.
struct slice {
    uint32_t lane;
    struct group *group;
    size_t first, count;
    bool ends; // the group is full afterwards
};

struct parquet {
    struct partition partition;
    char *name, *directory, *table, *owner, *run;
    struct parquet_options options;
    enum parquet_type types[LIMIT_PARQUET_COLUMNS]; // of the columns of the rows
    const char *names[LIMIT_PARQUET_COLUMNS];
    size_t lane_column;
    size_t columns[LIMIT_PARQUET_COLUMNS]; // of the files: the column of the rows for each
    size_t column_count;
    struct parquet_cells rows;
    struct parquet_column same[SAME_COLUMNS]; // each with GROUP_ROWS rows
    VEC(, struct lane) lanes;
    VEC(, uint32_t) lane_of_text; // by the number of the text; NO_LANE: not found yet
    uint32_t unnamed_lane;
    VEC(, uint32_t) row_lanes, order;
    VEC(, struct slice) slices;
    struct parquet_scratch *scratches; // one for each thread
    unsigned worker_count;
    struct byte_vec file; // the bytes to be written next
    uint64_t row_count;
    struct error failure; // STATUS_OK: none
};

static bool no_memory(struct parquet *parquet)
{
    if (parquet->failure.status == STATUS_OK)
        error_set(&parquet->failure, STATUS_MEMORY, "no memory for a table");
    return false;
}

bool parquet_failed(const struct parquet *parquet)
{
    return parquet->failure.status != STATUS_OK || parquet->rows.lacks_memory;
}

enum status parquet_failure(const struct parquet *parquet, struct error *err)
{
    if (parquet->failure.status != STATUS_OK)
        *err = parquet->failure;
    else if (parquet->rows.lacks_memory)
        return error_set(err, STATUS_MEMORY, "no memory for a table");
    return parquet->failure.status;
}

// --- Lanes ---------------------------------------------------------------------------------------

static bool add_lane(struct parquet *parquet, uint32_t text, uint32_t *number)
{
    if (!VEC_ROOM(&parquet->lanes, 1))
        return no_memory(parquet);
    *number = (uint32_t)parquet->lanes.count;
    parquet->lanes.items[parquet->lanes.count++] = (struct lane){.text = text};
    return true;
}

static bool lane_of(struct parquet *parquet, uint32_t text, uint32_t *number)
{
    if (text == PARQUET_NO_TEXT) {
        if (parquet->unnamed_lane == NO_LANE && !add_lane(parquet, text, &parquet->unnamed_lane))
            return false;
        *number = parquet->unnamed_lane;
        return true;
    }
    size_t count = parquet->lane_of_text.count;
    if (text >= count) {
        if (!VEC_ROOM(&parquet->lane_of_text, text + 1 - count))
            return no_memory(parquet);
        for (; count <= text; count++)
            parquet->lane_of_text.items[count] = NO_LANE;
        parquet->lane_of_text.count = count;
    }
    uint32_t *known = &parquet->lane_of_text.items[text];
    if (*known == NO_LANE && !add_lane(parquet, text, known))
        return false;
    *number = *known;
    return true;
}

static void name_part(const struct parquet *parquet, const struct lane *lane,
                      char part[PARTITION_NAME_BYTES])
{
    const struct parquet_texts *texts = &parquet->rows.texts;
    partition_name(part, "lane",
                   lane->text == PARQUET_NO_TEXT ? NULL : texts->items.items[lane->text].given);
}

static bool put_file(struct parquet *parquet, struct lane *lane)
{
    char part[PARTITION_NAME_BYTES];
    name_part(parquet, lane, part);
    if (partition_append(&parquet->partition, part, lane->file_bytes == 0, parquet->file.items,
                         parquet->file.count, &parquet->failure) != STATUS_OK)
        return false;
    lane->file_bytes += parquet->file.count;
    return true;
}

static void free_group(const struct parquet *parquet, struct group *group)
{
    for (size_t i = 0; group && i < parquet->column_count; i++)
        parquet_chunk_free(&group->chunks[i]);
    free(group);
}

// --- Groups --------------------------------------------------------------------------------------

static const char *column_name(const struct parquet *parquet, size_t column)
{
    return column < SAME_COLUMNS ? same_names[column] : parquet->names[parquet->columns[column]];
}

static bool put_chunks(struct parquet *parquet, struct lane *lane, struct group *group)
{
    struct thrift *about = &lane->groups;
    uint64_t start = lane->file_bytes + parquet->file.count, unpacked_bytes = 0;
    size_t before = parquet->file.count;
    thrift_begin(about);
    thrift_list(about, 1, THRIFT_STRUCT, parquet->column_count);
    for (size_t i = 0; i < parquet->column_count; i++) {
        struct parquet_chunk *chunk = &group->chunks[i];
        if (i < SAME_COLUMNS && !parquet_chunk_add(chunk, &parquet->scratches[0], &parquet->same[i],
                                                   NULL, 0, group->row_count))
            return false;
        if (!parquet_chunk_end(chunk, &parquet->scratches[0], &parquet->rows.texts,
                               column_name(parquet, i), &parquet->file,
                               lane->file_bytes + parquet->file.count, about, &unpacked_bytes))
            return false;
    }
    thrift_i64(about, 2, unpacked_bytes);
    thrift_i64(about, 3, group->row_count);
    thrift_i64(about, 5, start);
    thrift_i64(about, 6, parquet->file.count - before);
    thrift_end(about);
    lane->group_count++;
    lane->row_count += group->row_count;
    return !about->lacks_memory;
}

// Writes a group to its file, and frees it.
static bool end_group(struct parquet *parquet, struct lane *lane, struct group *group)
{
    parquet->file.count = 0;
    bool is_whole = VEC_ROOM(&parquet->file, sizeof magic);
    if (is_whole && !lane->file_bytes) {
        memcpy(parquet->file.items, magic, sizeof magic);
        parquet->file.count = sizeof magic;
    }
    is_whole = (is_whole && put_chunks(parquet, lane, group)) || no_memory(parquet);
    free_group(parquet, group);
    return is_whole && put_file(parquet, lane);
}

static uint64_t group_bytes(const struct parquet *parquet, const struct group *group)
{
    uint64_t size_bytes = 0;
    for (size_t i = 0; group && i < parquet->column_count; i++)
        size_bytes += group->chunks[i].pages.capacity + group->chunks[i].dictionary.capacity * 4;
    return size_bytes;
}

// If all waiting groups together are too large, writes those that are not small.
static bool write_waiting(struct parquet *parquet)
{
    uint64_t all_bytes = 0;
    for (size_t i = 0; i < parquet->lanes.count; i++)
        all_bytes += group_bytes(parquet, parquet->lanes.items[i].group);
    uint64_t most = LIMIT_PARQUET_WAITING_BYTES, memory_bytes = parquet->options.memory_bytes;
    if (memory_bytes)
        most = u64_min(most, memory_bytes / MEMORY_PART);
    if (all_bytes <= most)
        return true;
    uint64_t usual_bytes = all_bytes / parquet->lanes.count / 2;
    for (size_t i = 0; i < parquet->lanes.count; i++) {
        struct lane *lane = &parquet->lanes.items[i];
        struct group *group = lane->group;
        if (!group || group_bytes(parquet, group) < usual_bytes)
            continue;
        lane->group = NULL;
        if (!end_group(parquet, lane, group))
            return false;
    }
    return true;
}

// --- Rounds --------------------------------------------------------------------------------------

static bool find_lanes(struct parquet *parquet)
{
    const uint32_t *texts = parquet->rows.columns[parquet->lane_column].texts.items;
    uint32_t last_text = PARQUET_NO_TEXT, lane = NO_LANE;
    parquet->row_lanes.count = 0;
    if (!VEC_ROOM(&parquet->row_lanes, parquet->rows.row_count))
        return no_memory(parquet);
    for (size_t i = 0; i < parquet->rows.row_count; i++) {
        if ((lane == NO_LANE || texts[i] != last_text) && !lane_of(parquet, texts[i], &lane))
            return false;
        last_text = texts[i];
        parquet->row_lanes.items[i] = lane;
        parquet->lanes.items[lane].count++;
    }
    return true;
}

// Sorts the rows by lane, and keeps the order within each lane.
static bool sort_rows(struct parquet *parquet)
{
    size_t first = 0, row_count = parquet->rows.row_count;
    for (size_t i = 0; i < parquet->lanes.count; i++)
        parquet->lanes.items[i].count = 0;
    if (!find_lanes(parquet))
        return false;
    if (!VEC_ROOM(&parquet->order, row_count))
        return no_memory(parquet);
    for (size_t i = 0; i < parquet->lanes.count; i++) {
        struct lane *lane = &parquet->lanes.items[i];
        lane->first = first;
        first += lane->count;
        lane->count = 0;
    }
    for (size_t i = 0; i < row_count; i++) {
        struct lane *lane = &parquet->lanes.items[parquet->row_lanes.items[i]];
        parquet->order.items[lane->first + lane->count++] = (uint32_t)i;
    }
    return true;
}

static bool slice_lane(struct parquet *parquet, uint32_t number)
{
    struct lane *lane = &parquet->lanes.items[number];
    for (size_t done = 0; done < lane->count;) {
        struct group *group = lane->group;
        if (!group) {
            group = calloc(1, sizeof *group + parquet->column_count * sizeof *group->chunks);
            for (size_t i = 0; group && i < parquet->column_count; i++)
                group->chunks[i].type =
                    i < SAME_COLUMNS ? same_types[i] : parquet->types[parquet->columns[i]];
        }
        lane->group = group;
        if (!group || !VEC_ROOM(&parquet->slices, 1))
            return no_memory(parquet);
        size_t count = u64_min(lane->count - done, GROUP_ROWS - group->row_count);
        group->row_count += count;
        bool ends = group->row_count == GROUP_ROWS;
        parquet->slices.items[parquet->slices.count++] =
            (struct slice){number, group, lane->first + done, count, ends};
        if (ends)
            lane->group = NULL;
        done += count;
    }
    return true;
}

static bool make_pages(void *self, unsigned worker, uint64_t item)
{
    struct parquet *parquet = self;
    size_t columns = parquet->column_count - SAME_COLUMNS;
    const struct slice *slice = &parquet->slices.items[item / columns];
    size_t column = SAME_COLUMNS + item % columns;
    return parquet_chunk_add(&slice->group->chunks[column], &parquet->scratches[worker],
                             &parquet->rows.columns[parquet->columns[column]],
                             parquet->lanes.count > 1 ? parquet->order.items : NULL, slice->first,
                             slice->count);
}

static bool write_slices(struct parquet *parquet)
{
    for (size_t i = 0; i < parquet->slices.count; i++) {
        struct slice *slice = &parquet->slices.items[i];
        if (!slice->ends)
            continue;
        slice->ends = false;
        if (!end_group(parquet, &parquet->lanes.items[slice->lane], slice->group))
            return false;
    }
    return true;
}

// Encodes all current rows as pages.
static bool run_round(struct parquet *parquet)
{
    struct parquet_cells *rows = &parquet->rows;
    size_t columns = parquet->column_count - SAME_COLUMNS;
    parquet->slices.count = 0;
    if (rows->lacks_memory)
        return no_memory(parquet);
    bool is_done = sort_rows(parquet);
    for (size_t i = 0; i < parquet->lanes.count && is_done; i++)
        is_done = slice_lane(parquet, (uint32_t)i);
    if (is_done &&
        !parallel_run(parquet->worker_count, parquet->slices.count * columns, parquet, make_pages))
        is_done = no_memory(parquet);
    is_done = is_done && write_slices(parquet) && write_waiting(parquet);
    for (size_t i = 0; i < parquet->slices.count; i++) {
        if (parquet->slices.items[i].ends)
            free_group(parquet, parquet->slices.items[i].group);
    }
    parquet->slices.count = 0;
    parquet->row_count += rows->row_count;
    parquet_cells_clear(rows);
    return is_done;
}

struct parquet_cells *parquet_rows(struct parquet *parquet)
{
    return &parquet->rows;
}

static void run_full_round(struct parquet *parquet)
{
    uint64_t most = LIMIT_PARQUET_HELD_ROWS, memory_bytes = parquet->options.memory_bytes;
    if (memory_bytes)
        most = u64_max(ROUND_ROWS_LEAST, u64_min(most, memory_bytes / MEMORY_PART / ROW_BYTES));
    most = u64_min(u64_max(ROUND_ROWS_MIN, parquet->lanes.count * ROUND_ROWS_LANE), most);
    if (parquet_failed(parquet))
        parquet_cells_clear(&parquet->rows);
    else if (parquet->rows.row_count >= most)
        run_round(parquet);
}

void parquet_end_row(struct parquet *parquet)
{
    parquet_cells_end_row(&parquet->rows);
    run_full_round(parquet);
}

void parquet_take(struct parquet *parquet, struct parquet_cells *part)
{
    parquet_cells_take(&parquet->rows, part);
    run_full_round(parquet);
}

// --- Beginning and end ---------------------------------------------------------------------------

static bool copy_text(char **to, const char *text)
{
    *to = text ? strdup(text) : NULL;
    return *to || !text;
}

static bool make_scratches(struct parquet *parquet)
{
    unsigned count = parquet->options.threads ? parquet->options.threads : 1;
    if (count > LIMIT_THREADS)
        count = LIMIT_THREADS;
    parquet->scratches = calloc(count, sizeof *parquet->scratches);
    for (; parquet->scratches && parquet->worker_count < count; parquet->worker_count++) {
        if (!parquet_scratch_init(&parquet->scratches[parquet->worker_count],
                                  parquet->options.codec))
            break;
    }
    return parquet->worker_count > 0;
}

struct parquet *parquet_new(const struct parquet_options *options, struct error *err)
{
    char name[PARTITION_NAME_BYTES];
    struct parquet *parquet = calloc(1, sizeof *parquet);
    if (parquet) {
        parquet->options = *options;
        parquet->partition.around = parquet->partition.inside = -1;
        parquet->unnamed_lane = NO_LANE;
    }
    if (!parquet || !copy_text(&parquet->directory, options->directory) ||
        !copy_text(&parquet->name, options->name) || !copy_text(&parquet->table, options->table) ||
        !copy_text(&parquet->owner, options->owner) || !copy_text(&parquet->run, options->run) ||
        !make_scratches(parquet)) {
        parquet_abandon(parquet);
        error_set(err, STATUS_MEMORY, "no memory for a table");
        return NULL;
    }
    partition_name(name, "trace", options->name);
    if (partition_open(&parquet->partition, parquet->directory, name, parquet->table,
                       parquet->owner, err) == STATUS_OK)
        return parquet;
    parquet_abandon(parquet);
    return NULL;
}

// Makes the columns with the same value in all rows, as long as a group can be.
static bool make_same(struct parquet *parquet)
{
    struct parquet_column *run = &parquet->same[COLUMN_RUN], *time = &parquet->same[COLUMN_TIME];
    uint32_t text = PARQUET_NO_TEXT;
    run->type = PARQUET_TEXT;
    time->type = PARQUET_TIME;
    if (parquet->run && !parquet_texts_number(&parquet->rows.texts, parquet->run, &text))
        return false;
    if (!VEC_ROOM(&run->texts, GROUP_ROWS) || !VEC_ROOM(&time->numbers, GROUP_ROWS) ||
        !VEC_ROOM(&time->has, GROUP_ROWS))
        return false;
    for (size_t i = 0; i < GROUP_ROWS; i++) {
        run->texts.items[i] = text;
        time->numbers.items[i] = parquet->options.time_us;
    }
    memset(time->has.items, parquet->options.has_time, GROUP_ROWS);
    return true;
}

bool parquet_begin(struct parquet *parquet, const struct parquet_schema *schema)
{
    ASSERT(schema->column_count + SAME_COLUMNS <= LIMIT_PARQUET_COLUMNS);
    parquet->lane_column = schema->lane_column;
    parquet->column_count = SAME_COLUMNS;
    for (size_t i = 0; i < schema->column_count; i++) {
        parquet->types[i] = schema->types[i];
        parquet->names[i] = schema->names[i];
        if (i != schema->lane_column)
            parquet->columns[parquet->column_count++] = i;
    }
    parquet_cells_begin(&parquet->rows, schema->types, schema->column_count);
    return make_same(parquet) || no_memory(parquet);
}

// Numbers of the format.
enum { TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTES = 6 };
enum { OPTIONAL = 1 };
enum { CONVERTED_UTF8 = 0, CONVERTED_MICROS = 10, CONVERTED_UINT_64 = 14 };
enum { LOGICAL_TEXT = 1, LOGICAL_TIME = 8, LOGICAL_INTEGER = 10 };

static void put_column(struct thrift *footer, const char *name, enum parquet_type type)
{
    thrift_begin(footer);
    thrift_i32(footer, 1,
               type == PARQUET_TEXT  ? TYPE_BYTES
               : type == PARQUET_F64 ? TYPE_DOUBLE
                                     : TYPE_INT64);
    thrift_i32(footer, 3, OPTIONAL);
    thrift_text(footer, 4, name, strlen(name));
    if (type != PARQUET_F64) {
        thrift_i32(footer, 6,
                   type == PARQUET_TEXT   ? CONVERTED_UTF8
                   : type == PARQUET_TIME ? CONVERTED_MICROS
                                          : CONVERTED_UINT_64);
        thrift_struct(footer, 10);
        if (type == PARQUET_TEXT) {
            thrift_struct(footer, LOGICAL_TEXT);
        } else if (type == PARQUET_TIME) {
            thrift_struct(footer, LOGICAL_TIME);
            thrift_bool(footer, 1, true); // adjusted to UTC
            thrift_struct(footer, 2);
            thrift_struct(footer, 2); // unit: microseconds
            thrift_end(footer);
            thrift_end(footer);
        } else {
            thrift_struct(footer, LOGICAL_INTEGER);
            thrift_i8(footer, 1, 64);
            thrift_bool(footer, 2, false); // unsigned
        }
        thrift_end(footer);
        thrift_end(footer);
    }
    thrift_end(footer);
}

static void put_key(struct thrift *footer, const char *key, const char *value)
{
    thrift_begin(footer);
    thrift_text(footer, 1, key, strlen(key));
    thrift_text(footer, 2, value, strlen(value));
    thrift_end(footer);
}

static void put_footer(const struct parquet *parquet, const struct lane *lane,
                       struct thrift *footer)
{
    static const char maker[] = "trawl version " TRAWL_VERSION;
    const struct parquet_texts *texts = &parquet->rows.texts;
    thrift_begin(footer);
    thrift_i32(footer, 1, 2);
    thrift_list(footer, 2, THRIFT_STRUCT, parquet->column_count + 1);
    thrift_begin(footer);
    thrift_text(footer, 4, "schema", 6);
    thrift_i32(footer, 5, (int32_t)parquet->column_count);
    thrift_end(footer);
    for (size_t i = 0; i < parquet->column_count; i++)
        put_column(footer, column_name(parquet, i),
                   i < SAME_COLUMNS ? same_types[i] : parquet->types[parquet->columns[i]]);
    thrift_i64(footer, 3, lane->row_count);
    thrift_list(footer, 4, THRIFT_STRUCT, lane->group_count);
    thrift_append(footer, &lane->groups);
    thrift_list(footer, 5, THRIFT_STRUCT, 3);
    put_key(footer, PARTITION_TABLE_KEY, parquet->table);
    put_key(footer, PARTITION_OWNER_KEY, parquet->owner);
    put_key(footer, "trawl.lane",
            lane->text == PARQUET_NO_TEXT ? "" : texts->items.items[lane->text].text);
    thrift_text(footer, 6, maker, sizeof maker - 1);
    thrift_list(footer, 7, THRIFT_STRUCT, parquet->column_count);
    for (size_t i = 0; i < parquet->column_count; i++) {
        thrift_begin(footer);
        thrift_struct(footer, 1); // the order of the column's type
        thrift_end(footer);
        thrift_end(footer);
    }
    thrift_end(footer);
}

static bool end_lane(struct parquet *parquet, struct lane *lane)
{
    struct group *group = lane->group;
    struct thrift footer = {0};
    char part[PARTITION_NAME_BYTES];
    lane->group = NULL;
    if (group && !end_group(parquet, lane, group))
        return false;
    put_footer(parquet, lane, &footer);
    const uint32_t footer_bytes = (uint32_t)footer.bytes.count;
    bool is_made = !footer.lacks_memory && footer.bytes.count <= INT32_MAX &&
                   VEC_ROOM(&footer.bytes, sizeof footer_bytes + sizeof magic);
    parquet->file.count = 0;
    if (is_made) {
        memcpy(footer.bytes.items + footer.bytes.count, &footer_bytes, sizeof footer_bytes);
        memcpy(footer.bytes.items + footer.bytes.count + sizeof footer_bytes, magic, sizeof magic);
        footer.bytes.count += sizeof footer_bytes + sizeof magic;
        struct byte_vec kept = parquet->file;
        parquet->file = footer.bytes;
        is_made = put_file(parquet, lane);
        parquet->file = kept;
    } else {
        no_memory(parquet);
    }
    free(footer.bytes.items);
    free(lane->groups.bytes.items);
    lane->groups = (struct thrift){0};
    name_part(parquet, lane, part);
    return is_made && partition_finish(&parquet->partition, part, &parquet->failure) == STATUS_OK;
}

enum status parquet_end(struct parquet *parquet, struct error *err)
{
    bool is_done = parquet->failure.status == STATUS_OK && run_round(parquet);
    for (size_t i = 0; i < parquet->lanes.count && is_done; i++)
        is_done = end_lane(parquet, &parquet->lanes.items[i]);
    enum status status = parquet->failure.status;
    if (is_done)
        status = partition_publish(&parquet->partition, err);
    else
        *err = parquet->failure;
    parquet_abandon(parquet);
    return status;
}

void parquet_abandon(struct parquet *parquet)
{
    if (!parquet)
        return;
    partition_abandon(&parquet->partition);
    for (size_t i = 0; i < parquet->lanes.count; i++) {
        free_group(parquet, parquet->lanes.items[i].group);
        free(parquet->lanes.items[i].groups.bytes.items);
    }
    for (unsigned i = 0; i < parquet->worker_count; i++)
        parquet_scratch_free(&parquet->scratches[i]);
    for (size_t i = 0; i < SAME_COLUMNS; i++) {
        free(parquet->same[i].numbers.items);
        free(parquet->same[i].has.items);
        free(parquet->same[i].texts.items);
    }
    parquet_cells_free(&parquet->rows);
    free(parquet->lanes.items);
    free(parquet->lane_of_text.items);
    free(parquet->row_lanes.items);
    free(parquet->order.items);
    free(parquet->slices.items);
    free(parquet->scratches);
    free(parquet->file.items);
    free(parquet->directory);
    free(parquet->name);
    free(parquet->table);
    free(parquet->owner);
    free(parquet->run);
    free(parquet);
}
