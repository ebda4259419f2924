// Static members, and pointers to members.
struct Base {
    int first;
    static int shared;
    int method(int by) { return first + by; }
    virtual int other() { return 1; }
};
struct Point : Base {
    static int count;
    static const int limit = 42;
    static constexpr double ratio = 0.5;
    static Point *last;
    int x, y;
    int norm() const { return x * x; }
    int other() override { return 2; }
    enum Kind { A, B };
};
int Base::shared = 5;
int Point::count = 7;
Point *Point::last = nullptr;
const int Point::limit;
template <class T> struct Box {
    static T made;
    T held;
};
template <> int Box<int>::made = 77;
Box<int> box = {9};
Point point;
struct Flat {
    static int total;
    int a;
} flat = {3};
int Flat::total = 11;
namespace space
{
struct In {
    static int depth;
    int d;
};
int In::depth = 12;
In in = {1};
} // namespace space
int Point::*to_y = &Point::y;
int Point::*to_first = &Point::first;
int Point::*to_none = nullptr;
int Base::*base_first = &Base::first;
int (Base::*to_method)(int) = &Base::method;
int (Point::*to_norm)() const = &Point::norm;
int (Base::*to_virtual)() = &Base::other;
int (Point::*no_method)() = nullptr;
struct Holder {
    int Point::*member;
    int (Base::*call)(int);
} holder = {&Point::x, &Base::method};
int Point::*table[2] = {&Point::x, nullptr};
int main()
{
    Point::last = &point;
    point.x = 1;
    return point.*to_y + (point.*to_method)(1) + (point.*to_norm)() + space::in.d + box.held +
           flat.a;
}
