// All fuzz targets with their seeds, in an ordinary build: faults that were found once are found
// again, and the targets are tested also when nobody is fuzzing.
//
// Each input gets its own process, so that a crash, or too much time or memory, does not affect
// others.
//
//     trawl-seeds [CORPUS [TARGET]]      a directory with one for each target
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

// FUZZ_TARGETS(X) expands to X(name) for each target; their entry points are called fuzz_NAME.
#define DECLARE(name) int fuzz_##name(const uint8_t *data, size_t size_bytes);
FUZZ_TARGETS(DECLARE)

static const struct target {
    const char *name;
    int (*run)(const uint8_t *data, size_t size_bytes);
} targets[] = {
#define ENTRY(name) {#name, fuzz_##name},
    FUZZ_TARGETS(ENTRY)};

enum { SECONDS_MAX = 20, SEED_BYTES_MAX = 1 << 20, PATH_BYTES_MAX = 512 };

// No seed is so large that it needs more memory: most of this is address space that spools and the
// allocators of threads reserve.
#define MEMORY_BYTES_MAX (UINT64_C(2) << 30)

#if defined(__has_feature)
#define IS_SANITIZED __has_feature(address_sanitizer) // which reserves much more
#else
#define IS_SANITIZED 0
#endif

static void limit_memory(void)
{
    const struct rlimit limit = {MEMORY_BYTES_MAX, MEMORY_BYTES_MAX};
    if (!IS_SANITIZED)
        setrlimit(RLIMIT_AS, &limit);
}

static void run_seed(const struct target *target, const char *path)
{
    static uint8_t data[SEED_BYTES_MAX];
    int fd = open(path, O_RDONLY);
    int quiet = open("/dev/null", O_WRONLY);
    ssize_t size_bytes = read(fd, data, sizeof data);
    CLAIM(size_bytes >= 0 && quiet >= 0);
    dup2(quiet, STDOUT_FILENO);
    dup2(quiet, STDERR_FILENO);
    alarm(SECONDS_MAX);
    limit_memory();
    target->run(data, (size_t)size_bytes);
}

static bool passes(const struct target *target, const char *path)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run_seed(target, path);
        exit(0); // handlers at its exit are part of the test
    }
    CLAIM(child > 0 && waitpid(child, &status, 0) == child);
    return status == 0;
}

int main(int argc, char **argv)
{
    const char *root = argc > 1 ? argv[1] : "tests/fuzz/corpus";
    unsigned passed = 0, failed = 0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char path[PATH_BYTES_MAX];
        if (argc > 2 && strcmp(argv[2], targets[i].name) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", root, targets[i].name);
        DIR *directory = opendir(path);
        CLAIM(directory);
        for (const struct dirent *entry; (entry = readdir(directory));) {
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s/%s", root, targets[i].name, entry->d_name);
            bool is_good = passes(&targets[i], path);
            passed += is_good;
            failed += !is_good;
            if (!is_good)
                printf("FAILED %s\n", path);
        }
        closedir(directory);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
