// functions: the functions that the trace calls, with counts.
#include "base/limits.h"
#include "serve/answer.h"

static bool is_wanted(const char *name, const char *wanted)
{
    return !wanted || strstr(name, wanted);
}

static void put_function(struct asking *asking, const char *name, uint64_t pc, uint64_t calls)
{
    struct json *json = asking->json;
    json_begin_object(json);
    json_member_text(json, "name", name);
    json_member_address(json, "pc", pc & ~UINT64_C(1));
    json_member_u64(json, "calls", calls);
    json_end_object(json);
}

enum { AT_ONCE = 256, FUNCTIONS_DEFAULT = 200 };

// Functions whose names contain `like`, in the order of addresses, from the address `from` on.
// `next` is where to continue; it is absent after the last.
enum status answer_functions(struct asking *asking, struct error *err)
{
    struct trawl_index *index = asking->desk->session.view.index;
    const char *wanted = request_text(asking->request, "like");
    uint64_t pcs[AT_ONCE], calls[AT_ONCE], pc = 0, left = FUNCTIONS_DEFAULT;
    char name[BROWSE_NAME_BYTES];
    struct trawl_error why;
    bool goes_on = true;
    enum status status = request_u64(asking->request, "from", UINT64_MAX, &pc, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "count", LIMIT_SERVE_FUNCTIONS, &left, err);
    if (status != STATUS_OK)
        return status;
    json_key(asking->json, "functions");
    json_begin_array(asking->json);
    while (goes_on && left) {
        size_t count;
        enum trawl_status found =
            trawl_functions(index, TRAWL_ANY_LANE, pc, pcs, calls, AT_ONCE, &count, &why);
        if (found != TRAWL_OK)
            return index_status(found, &why, err);
        goes_on = count == AT_ONCE;
        for (size_t i = 0; i < count && left; i++) {
            browse_address_name(&asking->desk->source, pcs[i] & ~UINT64_C(1), name);
            pc = pcs[i] + 1;
            goes_on = count == AT_ONCE || i + 1 < count;
            if (!is_wanted(name, wanted))
                continue;
            put_function(asking, name, pcs[i], calls[i]);
            left--;
        }
    }
    json_end_array(asking->json);
    if (goes_on && pc)
        answer_text_u64(asking->json, "next", pc);
    return STATUS_OK;
}
