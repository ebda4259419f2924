#include "serve/stretch.h"

static enum status find_ends(struct stretch *stretch, const struct index_view *view,
                             struct error *err)
{
    struct trawl_event first, last;
    uint64_t events = view->lanes[stretch->lane].events;
    if (!events)
        return error_set(err, STATUS_NOT_FOUND, "nothing happened there");
    stretch->to = events;
    if (!stretch->is_by_time)
        return STATUS_OK;
    enum status status = index_view_event_of_lane(view, stretch->lane, 0, &first, err);
    if (status == STATUS_OK)
        status = index_view_event_of_lane(view, stretch->lane, events - 1, &last, err);
    if (status != STATUS_OK)
        return status;
    stretch->from = first.time;
    stretch->to = last.time < UINT64_MAX ? last.time + 1 : last.time;
    return STATUS_OK;
}

enum status stretch_read(const struct request *request, const struct desk *desk,
                         struct stretch *stretch, struct error *err)
{
    static const char *const axes[] = {"events", "time"};
    size_t axis = 0;
    *stretch = (struct stretch){0};
    enum status status =
        request_u64(request, "lane", desk->timeline.lane_count - 1, &stretch->lane, err);
    if (status == STATUS_OK)
        status = request_word(request, "by", axes, ARRAY_COUNT(axes), &axis, err);
    stretch->is_by_time = axis == 1;
    if (status == STATUS_OK)
        status = find_ends(stretch, &desk->session.view, err);
    uint64_t last = stretch->to;
    if (status == STATUS_OK)
        status = request_u64(request, "from", last, &stretch->from, err);
    if (status == STATUS_OK)
        status = request_u64(request, "to", last, &stretch->to, err);
    if (status == STATUS_OK && stretch->from >= stretch->to)
        return error_set(err, STATUS_INPUT, "from and to: expected a range that is not empty");
    return status;
}

uint64_t stretch_end_of(const struct stretch *stretch, uint64_t column, uint64_t columns)
{
    unsigned __int128 width = stretch->to - stretch->from;
    return stretch->from + (uint64_t)(width * (column + 1) / columns);
}
