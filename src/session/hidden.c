#include "session/hidden.h"

bool session_hides_any(const struct session *session)
{
    return session->hidden.items.count > 0;
}

struct question {
    struct session *session;
    uint64_t pc;
};

static bool is_meant(void *self, struct hidden_name *hidden)
{
    const struct question *question = self;
    struct names *names = &question->session->names;
    return hidden_name_is(hidden, names_of(names, question->pc)) ||
           hidden_name_is(hidden, names_of_root(names, question->pc)) ||
           names_is_called(names, question->pc, hidden->pattern) ||
           (session_knows_address(question->session, hidden->pattern, &hidden->address) &&
            ((question->pc ^ hidden->address.value) & ~UINT64_C(1)) == 0);
}

bool session_hides(struct session *session, uint64_t pc)
{
    struct hidden_answer *recent = &session->hidden_recent[pc / 2 % SESSION_HIDDEN_RECENT];
    if (!session_hides_any(session))
        return false;
    if (!recent->is_known || recent->pc != pc) {
        struct question question = {session, pc};
        *recent = (struct hidden_answer){pc, true,
                                         hidden_names_have(&session->hidden, &question, is_meant)};
    }
    return recent->is_hidden;
}
