// For benchmarks: some hundred functions in SIZE steps on each of the given number of threads,
// calls of different depth and length.
#include "run.h"

#include <thread>
#include <utility>
#include <vector>

static constexpr int FUNCTIONS = 240;
static constexpr int ROOTS = 8;
static constexpr int DEPTH = 8;

using Function = long (*)(long, int);

template <int N> TRACED static long node(long seed, int depth);

template <int... N>
UNTRACED static Function pick(unsigned long index, std::integer_sequence<int, N...>)
{
    static const Function table[] = {node<N>...};
    return table[index % FUNCTIONS];
}

// Calls none, one or two of the three functions that are its callees.
template <int N> TRACED static long node(long seed, int depth)
{
    seed = seed * 6364136223846793005L + N;
    for (int i = 0; i < (N % 16) * 4; i++)
        seed ^= seed >> 7 | N;
    if (depth > 0 && (seed >> 33 & 7) != 0)
        for (long i = 0; i <= (seed >> 40 & 1); i++)
            seed += pick(N * 7 + (seed >> 44 & 0xff) % 3,
                         std::make_integer_sequence<int, FUNCTIONS>())(seed + i, depth - 1);
    return seed;
}

TRACED static void run_thread(long steps, long seed)
{
    for (long i = 0; i < steps; i++)
        seed = pick((seed >> 20 & 0xffff) % ROOTS,
                    std::make_integer_sequence<int, FUNCTIONS>())(seed, DEPTH);
    if (seed == 0)
        puts("zero");
}

TRACED long body(long size)
{
    const char *count = getenv("BENCH_THREADS");
    std::vector<std::thread> threads;
    for (long i = 1; i < (count ? atol(count) : 1); i++)
        threads.emplace_back(run_thread, size, i);
    run_thread(size, 0x5eed);
    for (std::thread &thread : threads)
        thread.join();
    return size;
}
