// The version number in the program and its manual, and its date. A test checks that build.zig.zon
// has the same number.
#ifndef TRAWL_BASE_VERSION_H
#define TRAWL_BASE_VERSION_H

#define TRAWL_VERSION "1.1.0"
#define TRAWL_VERSION_DATE "November 27, 2026"

#endif
