#include "session/index_choice.h"

static enum index_choice choose_for_question(const struct index_wish *wish, enum index_fit fit)
{
    bool is_built_anew = wish->is_in_memory || wish->use == INDEX_FORCE ||
                         wish->use == INDEX_ONLY || wish->is_spoiled;
    if (wish->is_verified)
        return INDEX_READ_AS_IT_IS;
    if (!is_built_anew && (fit == INDEX_FITS || fit == INDEX_OF_BEGINNING))
        return INDEX_READ_IT;
    return wish->use == INDEX_NO_BUILD ? INDEX_READ_AS_IT_IS : INDEX_BUILD_IT;
}

static enum index_choice choose_beside_trace(const struct index_wish *wish, enum index_fit fit)
{
    bool is_wanted = wish->use == INDEX_FORCE ||
                     (wish->use == INDEX_AS_NEEDED && wish->is_named && fit != INDEX_FITS);
    if (wish->use == INDEX_ONLY)
        return INDEX_BUILD_IT;
    return is_wanted ? INDEX_BUILD_AND_FORGET : INDEX_READ_TRACE;
}

enum index_choice index_choose(const struct index_wish *wish, enum index_fit fit)
{
    if (wish->is_question)
        return choose_for_question(wish, fit);
    if (wish->is_in_memory)
        return INDEX_READ_TRACE;
    if (wish->needs_trace)
        return choose_beside_trace(wish, fit);
    if (wish->use == INDEX_NO_BUILD)
        return INDEX_READ_AS_IT_IS;
    if (wish->use == INDEX_FORCE || (wish->use == INDEX_ONLY && !wish->is_indexing))
        return INDEX_BUILD_IT;
    if (fit == INDEX_FITS)
        return INDEX_READ_IT;
    // If the images tell more than it knew, the trace must be read: a better index pays for the
    // next question.
    bool is_renewed = fit == INDEX_OTHER_FUNCTIONS && wish->may_replace;
    return wish->is_named || wish->is_indexing || is_renewed ? INDEX_BUILD_IT : INDEX_READ_TRACE;
}
