// Exceptions of C++: through several frames with objects that are destroyed on the way, thrown
// again, out of a recursion, caught by type, out of a constructor and a callback. The unwinder is
// the toolchain's, as hosted programs have it.
#define _Noreturn [[noreturn]]
extern "C" {
#include "lib.h"
}

namespace
{

volatile uint32_t trail;

struct Guard {
    explicit Guard(uint32_t value) : value_(value) {}
    NOINLINE ~Guard() { trail = trail * 3 + value_; }

  private:
    uint32_t value_;
};

struct Error {
    uint32_t code;
};

struct Detail : Error {
    explicit Detail(uint32_t code) : Error{code} {}
};

NOINLINE uint32_t check(uint32_t value)
{
    if (value % 3 == 0) {
        throw Detail(value);
    }
    if (value % 3 == 1) {
        throw value;
    }
    return value;
}

NOINLINE uint32_t dive(uint32_t depth, uint32_t value)
{
    Guard guard(depth);
    if (depth == 0) {
        return check(value);
    }
    return dive(depth - 1, value) + depth;
}

struct Part {
    NOINLINE explicit Part(uint32_t value) : guard(value), checked(check(value)) {}
    Guard guard;
    uint32_t checked;
};

NOINLINE uint32_t build(uint32_t value)
{
    Part part(value);
    return part.checked;
}

NOINLINE uint32_t apply(uint32_t (*function)(uint32_t), uint32_t value)
{
    try {
        return function(value);
    } catch (uint32_t number) {
        trail ^= number;
        throw; // the next one catches it, too
    }
}

NOINLINE uint32_t attempt(uint32_t value)
{
    try {
        return value % 2 ? dive(value / 2, value) : apply(build, value);
    } catch (const Error &error) {
        return error.code + 100;
    } catch (uint32_t number) {
        return number + 200;
    }
}

} // namespace

extern "C" int main()
{
    uint32_t sum = 0;
    for (uint32_t i = 3; i < 4; i++) {
        sum = sum * 7 + attempt(i);
    }
    print_number("sum ", sum);
    print_number("trail ", trail);
    program_exit(0);
}
