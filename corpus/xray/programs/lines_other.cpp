// A unit of its own, which uses the header's functions too.
#include "lines.h"

namespace deep
{
struct Thing {
    TRACED long operator()(long n) const { return doubled(n) + 1; }
};
} // namespace deep

TRACED long other(long n)
{
    return deep::Thing{}(n) + sum(n, n);
}
