// Runs a program's body with XRay on, and writes its log. The mode ("xray-fdr", "xray-basic") and
// the options of its log are the first two arguments.
#ifndef RUN_H
#define RUN_H

#include <xray/xray_interface.h>
#include <xray/xray_log_interface.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

// Instrumented however small it is, and not inlined, so that it is seen.
#define TRACED [[clang::xray_always_instrument, gnu::noinline]]
#define UNTRACED [[clang::xray_never_instrument]]

UNTRACED static inline void log_begin(const char *mode, const char *options)
{
    if (__xray_log_select_mode(mode) != XRAY_REGISTRATION_OK ||
        __xray_log_init_mode(mode, options) != XRAY_LOG_INITIALIZED ||
        __xray_patch() != XRayPatchingStatus::SUCCESS) {
        fprintf(stderr, "XRay does not start\n");
        exit(1);
    }
}

UNTRACED static inline void log_end()
{
    __xray_log_finalize();
    __xray_log_flushLog();
}

// What a program does, on a thread of its own: the basic mode keeps the last block of the main one.
long body(long size);

UNTRACED int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s MODE OPTIONS SIZE\n", argv[0]);
        return 2;
    }
    log_begin(argv[1], argv[2]);
    std::thread(body, atol(argv[3])).join();
    log_end();
}

#endif
