// Semihosting: every call that makes the host write into the program's memory, unseen by the
// trace: read, command line, heap information; and write, clock, exit with a code.
#include "lib.h"

static char buffer[64];
static char command_line[80];

static NOINLINE long open_terminal(long mode)
{
    const long block[3] = {(long)":tt", mode, 3};
    return semihost(SYS_OPEN, block);
}

static NOINLINE size_t read_some(long handle, char *to, size_t size)
{
    const long block[3] = {handle, (long)to, (long)size};
    return size - (size_t)semihost(SYS_READ, block);
}

static NOINLINE void write_all(long handle, const char *from, size_t size)
{
    const long block[3] = {handle, (long)from, (long)size};
    semihost(SYS_WRITE, block);
}

static NOINLINE void to_upper(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] >= 'a' && text[i] <= 'z') {
            text[i] = (char)(text[i] - 'a' + 'A');
        }
    }
}

static NOINLINE uint32_t sum_bytes(const char *text, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum += (uint8_t)text[i];
    }
    return sum;
}

int main(void)
{
    long input = open_terminal(0);
    long output = open_terminal(4);
    uint32_t sum = 0;
    long arguments[2] = {(long)command_line, sizeof command_line};
    semihost(SYS_GET_CMDLINE, arguments);
    sum += sum_bytes(command_line, (size_t)arguments[1]);
    print(command_line);
    print("\n");

    long heap[4] = {0};
    const long heap_block[1] = {(long)heap};
    semihost(SYS_HEAPINFO, heap_block);
    uint32_t *memory = (uint32_t *)heap[0];
    memory[0] = sum;

    // The same buffer again and again: what was known of it is no longer so.
    for (size_t size; (size = read_some(input, buffer, sizeof buffer)) != 0;) {
        sum += sum_bytes(buffer, size);
        to_upper(buffer, size);
        write_all(output, buffer, size);
        memory[1] += (uint32_t)size;
    }
    print_number("clock ", (uint32_t)semihost(SYS_CLOCK, NULL));
    print_number("sum ", sum + memory[0] + memory[1]);
    return 0;
}
