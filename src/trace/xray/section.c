// SECTION_XRAY of an index: the facts about an XRay log besides events and calls.
#include "trace/xray/pass.h"

#include "base/limits.h"
#include "idx/parts.h"
#include "idx/rows.h"

#include <stdlib.h>

static uint64_t buffer_field(const struct xray_pass *pass, size_t number, uint32_t part)
{
    const struct xray_buffer *buffer = &pass->log->buffers.items[number];
    switch (part) {
    case PART_XRAY_BUFFER_OFFSETS:
        return buffer->offset;
    case PART_XRAY_BUFFER_BYTES:
        return buffer->size_bytes;
    case PART_XRAY_BUFFER_LANES:
        return buffer->thread;
    default:
        return pass->buffer_events[number];
    }
}

static bool add_buffers(const struct xray_pass *pass, struct parts_writer *parts, uint64_t *column)
{
    size_t count = pass->log->buffers.count;
    for (uint32_t part = PART_XRAY_BUFFER_OFFSETS; part <= PART_XRAY_BUFFER_EVENTS; part++) {
        for (size_t i = 0; i < count; i++)
            column[i] = buffer_field(pass, i, part);
        if (!parts_add_column(parts, part, column, count))
            return false;
    }
    return true;
}

static bool add_lanes(const struct xray_pass *pass, struct parts_writer *parts, uint64_t *column)
{
    size_t count = pass->log->threads.count;
    for (size_t i = 0; i < count; i++) {
        const struct xray_lane_counts *counts = &pass->counts[i];
        uint64_t *row = column + i * XRAY_LANE_ROWS;
        row[XRAY_LANE_PID] = pass->log->threads.items[i].pid;
        row[XRAY_LANE_TID] = pass->log->threads.items[i].tid;
        row[XRAY_LANE_TAIL_EXITS] = counts->tail_exits;
        row[XRAY_LANE_ARGUMENTS] = counts->arguments;
        row[XRAY_LANE_CUSTOM_EVENTS] = counts->custom_events;
        row[XRAY_LANE_TYPED_EVENTS] = counts->typed_events;
        row[XRAY_LANE_FALLING_TIMES] = counts->falling_times;
    }
    return parts_add_column(parts, PART_XRAY_LANES, column, count * XRAY_LANE_ROWS);
}

static bool add_faults(const struct trace_damage *damage, struct parts_writer *parts)
{
    uint64_t column[LIMIT_DAMAGE_KEPT * XRAY_FAULT_ROW_COUNT];
    size_t count = (size_t)u64_min(damage->count, LIMIT_DAMAGE_KEPT);
    for (size_t i = 0; i < count; i++) {
        const struct trace_fault *fault = &damage->first[i];
        uint64_t *row = column + i * XRAY_FAULT_ROW_COUNT;
        row[XRAY_FAULT_ROW_KIND] = fault->kind;
        row[XRAY_FAULT_ROW_VALUE] = fault->value;
        row[XRAY_FAULT_ROW_OFFSET] = fault->offset;
        row[XRAY_FAULT_ROW_BYTES] = fault->size_bytes;
    }
    return parts_add_column(parts, PART_XRAY_FAULTS, column, count * XRAY_FAULT_ROW_COUNT);
}

bool xray_section_write(const struct xray_pass *pass, struct parts_writer *parts)
{
    const struct xray_header *header = &pass->log->header;
    const uint64_t log[XRAY_LOG_ROWS] = {
        [XRAY_LOG_TYPE] = header->type,
        [XRAY_LOG_VERSION] = header->version,
        [XRAY_LOG_BIG_ENDIAN] = header->is_big_endian,
        [XRAY_LOG_FREQUENCY_HZ] = header->frequency_hz,
    };
    size_t rows =
        (size_t)u64_max(pass->log->buffers.count, pass->log->threads.count * XRAY_LANE_ROWS);
    uint64_t *column = calloc(rows + 1, sizeof *column);
    bool is_done = column && parts_add_column(parts, PART_XRAY_LOG, log, XRAY_LOG_ROWS) &&
                   add_buffers(pass, parts, column) && add_lanes(pass, parts, column) &&
                   add_faults(&pass->damage, parts);
    free(column);
    return is_done;
}

static enum status damaged(struct error *err)
{
    return error_set(err, STATUS_DAMAGED, "the index is not of an XRay log, or of another");
}

static enum status read_lanes(const struct parts *parts, size_t lane_count,
                              struct xray_lane_counts *lanes, struct error *err)
{
    struct column column;
    uint64_t row[XRAY_LANE_ROWS];
    enum status status = parts_column(parts, PART_XRAY_LANES, &column, err);
    if (status != STATUS_OK)
        return status;
    if (column.count != lane_count * XRAY_LANE_ROWS)
        return damaged(err);
    for (size_t i = 0; i < lane_count; i++) {
        if (!column_read(&column, i * XRAY_LANE_ROWS, XRAY_LANE_ROWS, row))
            return damaged(err);
        // Tail exits are events, and are counted with these.
        lanes[i] = (struct xray_lane_counts){
            .arguments = row[XRAY_LANE_ARGUMENTS],
            .custom_events = row[XRAY_LANE_CUSTOM_EVENTS],
            .typed_events = row[XRAY_LANE_TYPED_EVENTS],
            .falling_times = row[XRAY_LANE_FALLING_TIMES],
        };
    }
    return STATUS_OK;
}

static enum status read_faults(const struct parts *parts, const struct trawl_info *info,
                               struct trace_damage *damage, struct error *err)
{
    struct column column;
    uint64_t row[XRAY_FAULT_ROW_COUNT];
    enum status status = parts_column(parts, PART_XRAY_FAULTS, &column, err);
    if (status != STATUS_OK)
        return status;
    *damage =
        (struct trace_damage){.count = info->damaged_lines, .size_bytes = info->damaged_bytes};
    size_t kept = (size_t)u64_min(damage->count, LIMIT_DAMAGE_KEPT);
    if (column.count != kept * XRAY_FAULT_ROW_COUNT)
        return damaged(err);
    for (size_t i = 0; i < kept; i++) {
        if (!column_read(&column, i * XRAY_FAULT_ROW_COUNT, XRAY_FAULT_ROW_COUNT, row) ||
            row[XRAY_FAULT_ROW_KIND] >= XRAY_FAULT_KINDS)
            return damaged(err);
        damage->first[i] =
            (struct trace_fault){(unsigned)row[XRAY_FAULT_ROW_KIND], row[XRAY_FAULT_ROW_VALUE],
                                 row[XRAY_FAULT_ROW_OFFSET], row[XRAY_FAULT_ROW_BYTES]};
    }
    return STATUS_OK;
}

enum status xray_section_read(struct trawl_index *index, size_t lane_count,
                              struct xray_lane_counts *lanes, struct trace_damage *damage,
                              struct error *err)
{
    struct parts parts;
    struct trawl_info info;
    bool is_there;
    enum status status = index_find_section(index, SECTION_XRAY, &parts, &is_there, err);
    trawl_info(index, &info);
    if (status == STATUS_OK && (!is_there || info.lanes != lane_count))
        return damaged(err);
    if (status == STATUS_OK)
        status = read_lanes(&parts, lane_count, lanes, err);
    return status == STATUS_OK ? read_faults(&parts, &info, damage, err) : status;
}

enum status xray_section_check_rows(struct trawl_index *index, struct error *err)
{
    struct xray_rows rows = {0};
    struct trawl_info info;
    trawl_info(index, &info);
    *err = (struct error){.status = STATUS_OK};
    if (!xray_rows_begin(&rows, index, info.events, err))
        return error_set(err, STATUS_MEMORY, "no memory to read the index");
    while (xray_rows_read(&rows))
        rows.next = rows.first + rows.count;
    free(rows.block);
    return err->status;
}
