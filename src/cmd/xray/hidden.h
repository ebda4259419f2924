// --hide of the commands of `trawl xray`.
#ifndef TRAWL_CMD_XRAY_HIDDEN_H
#define TRAWL_CMD_XRAY_HIDDEN_H

#include "names/hidden_names.h"
#include "trace/xray/hiding.h"
#include "trace/xray/names.h"

#include <pthread.h>

// All zero except for the lock hides nothing. It must not move.
struct xray_hidden {
    struct hidden_names names;
    struct xray_names *functions;
    pthread_mutex_t lock; // of `functions`
    struct xray_hider hider;
};

void xray_hidden_init(struct xray_hidden *hidden);
void xray_hidden_free(struct xray_hidden *hidden);

// Decides what is hidden by these names, which must be settled; NULL: nothing is hidden.
const struct xray_hider *xray_hidden_hider(struct xray_hidden *hidden, struct xray_names *names);

#endif
