// notes, note: the notes at events, and setting one.
#include "serve/answer.h"
#include "serve/notes.h"

enum status answer_notes(struct asking *asking, struct error *err)
{
    (void)err;
    notes_put(asking->notes, asking->json);
    return STATUS_OK;
}

enum status answer_note(struct asking *asking, struct error *err)
{
    const char *text = request_text(asking->request, "text");
    uint64_t event;
    enum status status = asking_point(asking, &event, err);
    if (status == STATUS_OK && !text)
        status = error_set(err, STATUS_INPUT, "text: expected a note; an empty one removes it");
    if (status == STATUS_OK)
        status = notes_set(asking->notes, event, text, err);
    if (status == STATUS_OK)
        notes_put(asking->notes, asking->json);
    return status;
}
