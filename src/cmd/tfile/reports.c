#include "cmd/tfile/reports.h"

#include "cmd/tfile/info.h"
#include "trace/tfile/tfile.h"

const struct kind_reports tfile_reports = {
    .kind = &tfile_kind,
    .info = tfile_info,
};
