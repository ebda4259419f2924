// The two readings of one trace (docs/differences-from-ttu.md lists where they part).
#ifndef TRAWL_FORMAT_READING_H
#define TRAWL_FORMAT_READING_H

enum reading {
    READING_RIGHT, // `trawl`: cores apart, damage skipped and reported, exact times
    READING_TTU,   // the tarmac-* names: what Arm's Tarmac Trace Utilities do, quirks included
};

#endif
