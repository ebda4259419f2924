// Two processes that send each other messages through pipes: the program of pipe.tarmac.xz, as far
// as it is in the trace. It was process 1 of a Linux kernel; the parent is `do_pipe` in one
// process, the child the loop in the other.
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink, shared[512];

__attribute__((noinline)) static unsigned long mix(unsigned long x)
{
    for (int i = 0; i < 40; i++)
        x = x * 6364136223846793005UL + (x >> 7);
    sink += x;
    return x;
}

__attribute__((noinline)) static unsigned long tree(int depth, unsigned long x)
{
    if (depth == 0)
        return mix(x);
    shared[x % 512] = x;
    return tree(depth - 1, x * 3) + tree(depth - 1, x + 1);
}

static void do_pipe(void)
{
    int there[2], back[2];
    char text[600];
    if (pipe(there) || pipe(back))
        return;
    if (fork() == 0) {
        close(there[1]);
        close(back[0]);
        for (ssize_t length; (length = read(there[0], text, sizeof text)) > 0;) {
            tree(2, (unsigned char)text[0]);
            if (write(back[1], text, (size_t)length) < 0)
                break;
        }
        _exit(0);
    }
    close(there[0]);
    close(back[1]);
    for (int i = 0; i < 25; i++) {
        memset(text, i, sizeof text);
        if (write(there[1], text, 300 + (size_t)i) < 0 || read(back[0], text, sizeof text) < 0)
            break;
        tree(2, 9);
    }
    close(there[1]);
    wait(0);
}

int main(void)
{
    do_pipe();
    return 0;
}
