// Memory in pages of 2 MB. Those that make a pass over a trace want it: chunks and segments are
// tens of MB, which are written once and read once, and faults in pages of 4 KB are a fifth of the
// processor time of an index (60 MB: 110 ms with them, 90 ms with large pages). Those that answer
// one question do not: the kernel clears 2 MB at the first touch, and the few that the start of
// a program touches cost a sixth of its time.
//
// So the program has its memory marked for large pages (see main.c), but refuses them until they
// are wanted. What else refuses them is left as it is; a library never does.
//
// A large page needs 2 MB of addresses in one piece. The allocator fetches little at a time, in
// steps of half a page, so at first some of its memory would come in small pages all the same; it
// is made to fetch the room for a pass at once.
#ifndef TRAWL_BASE_LARGE_PAGES_H
#define TRAWL_BASE_LARGE_PAGES_H

// This process, which has just started, gets no large pages yet.
void large_pages_wait(void);

// Now it does.
void large_pages_begin(void);

#endif
