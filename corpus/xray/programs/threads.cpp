// Threads that run different code, wait for each other, start and end at different times, and more
// than one after another with the same body.
#include "run.h"

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace work
{

struct Account {
    std::mutex mutex;
    long balance = 0;

    TRACED void add(long amount)
    {
        std::lock_guard<std::mutex> lock(mutex);
        balance += amount;
    }
};

TRACED static long mix(long value)
{
    return value * 2862933555777941757L + 3037000493L;
}

template <typename T> TRACED static T spin(T rounds)
{
    T value = rounds;
    for (T i = 0; i < rounds; i++)
        value = mix(value);
    return value;
}

TRACED static void nap(int microseconds)
{
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

TRACED static void writer(Account &account, long rounds)
{
    for (long i = 0; i < rounds; i++) {
        account.add(spin(i % 5) & 1);
        if (i % 64 == 0)
            nap(50);
    }
}

TRACED static void reader(Account &account, long rounds)
{
    for (long i = 0; i < rounds; i++) {
        account.add(0);
        nap(static_cast<int>(i % 7));
    }
}

} // namespace work

TRACED long body(long size)
{
    work::Account account;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work::writer, std::ref(account), size + i * 10);
    threads.emplace_back(work::reader, std::ref(account), size / 2);
    for (std::thread &thread : threads)
        thread.join();
    std::thread(work::writer, std::ref(account), size / 4).join();
    return account.balance;
}
