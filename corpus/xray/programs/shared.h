// What the program and its two shared objects call of each other.
#ifndef SHARED_H
#define SHARED_H

#undef TRACED
#define TRACED [[clang::xray_always_instrument, gnu::noinline]]

long left(long depth);
long right(long depth);

// A copy in each object.
template <typename T> TRACED static T twice(T value)
{
    return value * 2 + 1;
}

#endif
