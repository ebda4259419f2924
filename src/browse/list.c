#include "browse/list.h"

#include "browse/browser.h"

void list_key(struct list *list, uint32_t key, size_t count, unsigned rows)
{
    size_t page = rows > 1 ? rows - 1 : 1, last = count ? count - 1 : 0;
    switch (key) {
    case KEY_UP_ARROW:
        list->selected -= list->selected > 0;
        break;
    case KEY_DOWN_ARROW:
        list->selected++;
        break;
    case KEY_PAGE_UP:
        list->selected -= list->selected < page ? list->selected : page;
        break;
    case KEY_PAGE_DOWN:
        list->selected += page;
        break;
    case KEY_HOME_KEY:
        list->selected = 0;
        break;
    case KEY_END_KEY:
        list->selected = last;
        break;
    default:
        break;
    }
    list->selected = list->selected < last ? list->selected : last;
}

void list_scroll(struct list *list, size_t count, unsigned rows)
{
    size_t last = count ? count - 1 : 0;
    list->selected = list->selected < last ? list->selected : last;
    if (count >= rows && list->top > count - rows)
        list->top = count - rows;
    if (list->selected < list->top)
        list->top = list->selected;
    else if (rows && list->selected >= list->top + rows)
        list->top = list->selected - rows + 1;
}

struct row list_row(struct screen *screen, unsigned y, bool is_selected)
{
    struct row row = screen_row(screen, y);
    if (!is_selected)
        return row;
    row.flags = CELL_HIGHLIGHTED;
    screen->has_cursor = true;
    screen->cursor_x = 0;
    screen->cursor_y = y;
    return row;
}
