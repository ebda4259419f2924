// All limits of trawl in one place. Exceeding one gives a clear message, never a crash.
#ifndef TRAWL_BASE_LIMITS_H
#define TRAWL_BASE_LIMITS_H

// The longest line of a text trace. A longer one is skipped as damage under `trawl` and stops the
// run under the tarmac-* names.
#define LIMIT_LINE_BYTES (UINT64_C(4) << 20)

// A chunk's positions are 32 bits wide, relative to its start.
#define LIMIT_CHUNK_BYTES_MIN UINT64_C(1)
#define LIMIT_CHUNK_BYTES_MAX (UINT64_C(1) << 30)

#define LIMIT_THREADS 256

// The smallest value of --max-memory: enough for the program with an empty trace, and a little
// more.
#define LIMIT_MEMORY_BYTES_MIN (UINT64_C(32) << 20)

// Streams of control (cores) in one trace.
#define LIMIT_LANES 65536

// The same for a waveform, where each segment begins with the state of all.
#define LIMIT_VCD_LANES 4096

// The numbers that an index stores of tracepoints in segments, if there are more than
// LIMIT_SNAPSHOT_LANES of them: they take 128 MiB while it is built.
#define LIMIT_SNAPSHOT_LANES 256
#define LIMIT_LANE_SEGMENTS (UINT64_C(1) << 24)

// Tasks of one lane that are distinguished.
#define LIMIT_TASKS 4096

// Bytes of the expression that names tasks.
#define LIMIT_TASK_EXPRESSION_BYTES 512
// Of a table of operating systems (session/os.h): its bytes, its lines, and a line with all that it
// stands for.
#define LIMIT_OS_BYTES 65536
#define LIMIT_OS_LINES 1000
#define LIMIT_OS_EXPRESSION_BYTES 2048

// Threads of an XRay log. Records of further threads are left out as damage.
#define LIMIT_XRAY_THREADS 65536
// The number of processes of XRay logs that are joined.
#define LIMIT_XRAY_PROCESSES 16384
// The number of processes in a log of one that forked, in which their threads are looked for.
#define LIMIT_XRAY_FORKS 64

// Bytes of calls of XRay logs that are kept to find percentiles, over all threads. If there are
// more, the logs are read again.
#define LIMIT_XRAY_TAPE_BYTES (UINT64_C(128) << 20)

// Bytes of a CPU name; further bytes are cut off.
#define LIMIT_LANE_NAME_BYTES 47

// By how many instructions what one writes may be late (diff --window); less than a block of them.
#define LIMIT_DIFF_WINDOW 512

// How often a line may say that an instruction was executed.
#define LIMIT_REPEATS (UINT64_C(1) << 40)

// Distinct event types that are stored so that each is reported once. Further ones are not
// reported.
#define LIMIT_NOTES (UINT64_C(1) << 20)

// Damaged places that are stored with their text; others are only counted.
#define LIMIT_DAMAGE_KEPT 10

// Bytes of the text of notes in an index. Reports that would show more read the trace.
#define LIMIT_MESSAGE_BYTES (UINT64_C(64) << 20)

// Memory records in one segment of an index. If all are alike they take no bytes, so a reader needs
// this limit, too.
#define LIMIT_SEGMENT_RECORDS (UINT64_C(1) << 24)

// Blocks of memory that the host calls of one trace may have written, several per call. They are
// kept in memory, with 24 bytes each.
#define LIMIT_HOST_CALL_BLOCKS (UINT64_C(1) << 24)

// Registers that a trace may name, including other spellings.
#define LIMIT_REGISTERS (UINT64_C(1) << 17)

// For registers that a Tarmac trace names, beyond those that every core has: names, bytes of a
// name, and bytes of a value. Writes to further registers are only counted.
#define LIMIT_NAMED_REGISTERS 3072
#define LIMIT_REGISTER_NAME_BYTES 63
#define LIMIT_NAMED_REGISTER_BYTES 64

// Symbols of one image.
#define LIMIT_SYMBOLS (UINT64_C(1) << 26)

// Different rules in the SFrame tables of an image (their numbers have 16 bits), and rows read from
// the tables for each of their bytes: functions may share rows, but not without limit.
#define LIMIT_SFRAME_RULES 65535u
#define LIMIT_SFRAME_ROWS_PER_BYTE UINT64_C(4)

// Rules compared with call frame information, and bytes of the latter read for it, for each byte of
// the image: functions may share these, too.
#define LIMIT_SFRAME_COMPARED_PER_BYTE UINT64_C(16)

// Segments of an image that are used; without segments, sections.
#define LIMIT_IMAGE_EXTENTS 256

// Images in a list of them (--image @LIST).
#define LIMIT_LISTED_IMAGES 4096

// A larger module of a kernel is taken for any other file.
#define LIMIT_KERNEL_MODULE_BYTES (UINT64_C(256) << 20)

// Text with symbols: System.map, the output of nm, a linker's map.
#define LIMIT_SYMBOL_TEXT_BYTES (UINT64_C(256) << 20)

// Images that share addresses with others (elf/image_programs.h), the pieces of their code, the
// bytes of these, and how many there may be at an address, summed over pieces of address space.
#define LIMIT_IMAGE_PROGRAMS 255
#define LIMIT_PROGRAM_CODES 4096
#define LIMIT_PROGRAM_BYTES (UINT64_C(256) << 20)
#define LIMIT_PROGRAM_CANDIDATES ((size_t)1 << 20)

// Nested DW_CFA_remember_state; operations of one DWARF expression, including jumps; and its stack.
#define LIMIT_CFI_STATES 16
#define LIMIT_EXPRESSION_STEPS 1000
#define LIMIT_EXPRESSION_STACK 64

// Nested lists and maps of a YAML document.
#define LIMIT_YAML_NESTING 8

// Bytes of the header of a GDB trace file, and registers in its target description.
#define LIMIT_TFILE_HEADER_BYTES (UINT64_C(64) << 20)
#define LIMIT_TFILE_REGISTERS 65536

// Blocks of a trace file that the search for frames after damage examines, in addition to one per
// byte of the file.
#define LIMIT_TFILE_SEARCH_BLOCKS (UINT64_C(1) << 20)

// Consecutive exceptions that are followed to find where the interrupted code continues.
#define LIMIT_EXCEPTIONS_FOLLOWED 64

// Runs of other tasks that are skipped to find where an interrupted task continues.
#define LIMIT_TASK_RUNS_FOLLOWED 4096

// Instructions of a trace that are compared with an image to see whether it belongs to the trace.
#define LIMIT_FIT_SAMPLES 2048
#define LIMIT_SHARED_FIT_SAMPLES 16384

// Frames of one stack that are unwound.
#define LIMIT_STACK_FRAMES (UINT64_C(1) << 16)

// For an expression: bytes of its text; operands and operators; and operators that wait for their
// right side or for a closing parenthesis.
#define LIMIT_EXPRESSION_BYTES 65536
#define LIMIT_EXPRESSION_TERMS 128
#define LIMIT_EXPRESSION_NESTING 64
#define LIMIT_EXPRESSION_OBJECT_BYTES 4096

// Symbolic links that are followed to a file: as many as the kernel follows.
#define LIMIT_LINKS 40

// Lines before the first one with a time, in files that are merged by time: what tools print about
// themselves.
#define LIMIT_HEADER_LINES 10000

// Files of one trace.
#define LIMIT_TRACE_FILES 4096

// Files that are mapped at the same time. Each has an entry in a table that a signal handler
// searches.
#define LIMIT_MAPPED_FILES (64 + LIMIT_TRACE_FILES)

// Bytes of address space, not memory, that data takes which may go to a temporary file: more than a
// trace of terabytes needs, and half of a program's 47 bits is left for other uses.
#define LIMIT_SPOOL_BYTES (UINT64_C(1) << 38)

// After this many spools (there may be some for each lane), further ones are smaller.
#define LIMIT_LARGE_SPOOLS 256
#define LIMIT_SMALL_SPOOL_BYTES (UINT64_C(1) << 32)

// Times in a row that the kernel may postpone a write of an index.
#define LIMIT_WRITE_REFUSALS 1000

// Of one function whose instructions are compared with those of another build: eight bytes of
// memory for two of code.
#define LIMIT_DIFF_FUNCTION_BYTES (UINT64_C(1) << 20)
// Of all functions: symbols of a damaged image may say that each has the code of all.
#define LIMIT_DIFF_KEYS (UINT64_C(1) << 25)

// Traces that one report compares: their figures are columns (TRACE_COLUMNS_MAX).
#define LIMIT_COMPARED_RUNS 7

// Traces that one command indexes at the same time: each maps files (LIMIT_MAPPED_FILES).
#define LIMIT_INDEXING_JOBS 16

// Shards that a trace can be split into.
#define LIMIT_SHARDS 65536

// Traces in a plan of a farm.
#define LIMIT_FARM_TRACES 1000000

// Shards of a trace if their number depends on its size.
#define LIMIT_SHARDS_BY_SIZE 64

// Tasks of an array: Slurm's usual MaxArraySize is 1001, one more than the highest task number.
#define LIMIT_SLURM_ARRAY 1000

// How often failed tasks are run again.
#define LIMIT_RETRIES 10

// Lines that are examined to find out what a file is that is not a trace.
#define LIMIT_UNKNOWN_LINES 200

// Different shapes of lines that `trawl doctor` stores; lines of other shapes are only counted.
#define LIMIT_EXAMINED_SHAPES 64

// Different unknown words of records that are counted separately.
#define LIMIT_UNKNOWN_WORDS 1024

// Parts of a line of a trace that are highlighted in a browser, and words that may name registers
// which its instruction reads.
#define LIMIT_LINE_PARTS 64
#define LIMIT_LINE_READS 16

// Bytes of a trace line that are shown next to an answer, including a NUL; further bytes are cut
// off.
#define LIMIT_TRACE_TEXT_BYTES 256

// Bytes of a value in a Tarmac record that are read: further digits belong to no register with a
// name.
#define LIMIT_LINE_VALUE_BYTES 512

// Bytes of the largest value that is shown, of a register or of memory as one number: a vector of
// the Scalable Vector Extension.
#define LIMIT_VALUE_BYTES 256

// Bytes of a written value that a list shows: more would not fit on a line.
#define LIMIT_WRITE_SHOWN_BYTES 32

// Rows of `trawl calls` that are kept to be sorted, some 120 bytes each.
#define LIMIT_CALL_ROWS 4194304

// The text of one event in which its instruction and accesses are looked for.
#define LIMIT_STEP_TEXT_BYTES (UINT64_C(1) << 20)

// How many events a search for what set a flag goes back.
#define LIMIT_FLAG_EVENTS (UINT64_C(1) << 22)

// Steps of `monitor origin`.
#define LIMIT_GDB_ORIGIN_STEPS 100

// Steps of an origin in the browser.
#define LIMIT_ORIGIN_PANE_STEPS 10000

// Steps of an origin in an answer of the server.
#define LIMIT_SERVE_ORIGIN_STEPS 1000

// Bytes of a value whose origin is asked.
#define LIMIT_DATA_TARGET_BYTES 4096

// Events of a slice, unless --limit says otherwise; the most that it can say.
#define LIMIT_SLICE_EVENTS 1000000
#define LIMIT_SLICE_EVENTS_MAX (UINT64_C(1) << 30)

// Bytes of memory in one query that shows all of it: they are kept in memory at once.
#define LIMIT_QUERY_MEMORY_BYTES (UINT64_C(16) << 20)

// Rounds of `trawl bench`: the times of all are kept, for their median.
#define LIMIT_BENCH_ROUNDS 1000

// Addresses that get their own tracepoint in an exported trace file, so that `tfind pc` finds their
// frames: GDB's time grows with the square of their number. Frames at other addresses share one
// more.
#define LIMIT_TFILE_EXPORT_TRACEPOINTS 4096

// Bytes of memory in one frame of an exported trace file.
#define LIMIT_TFILE_EXPORT_MEMORY_BYTES (UINT64_C(16) << 20)

// Bytes of a value of bytes[N] in a series of a trace file, which is a cell of a table.
#define LIMIT_SERIES_BYTES 4096

// Events that are formatted at a time for a VCD: their text is kept in memory.
#define LIMIT_VCD_SEGMENT_EVENTS (1 << 20)

// Levels of a flame graph that are drawn; deeper ones are shown by zooming.
#define LIMIT_FLAME_LEVELS 512

// Boxes of a flame graph that are drawn when it is opened: more would make it slow.
#define LIMIT_FLAME_DRAWN 20000

// All boxes of a flame graph, drawn or for zooming: those that are not drawn take some 25 bytes
// each.
#define LIMIT_FLAME_BOXES 200000

// Characters of a name in a flame graph: symbols of templates can be many kilobytes long.
#define LIMIT_FLAME_NAME_COLUMNS 1000

// Bytes of a symbol's name, and of all names that are made for symbols that share one. Names in a
// damaged table may overlap, so the size of the file bounds neither.
#define LIMIT_SYMBOL_NAME_BYTES (UINT64_C(1) << 20)
#define LIMIT_SYMBOL_DISPLAY_BYTES (UINT64_C(1) << 30)

// Bytes of all names that are stored or listed of an image, for the bytes of its file: of symbols,
// and of source files with their directories. Names may be ends of one string, and directories
// shared, but not without limit. Small files may exceed that, as below.
#define LIMIT_IMAGE_NAME_TEXT(file_bytes) (16 * (file_bytes) + (UINT64_C(1) << 20))

// Work on the symbols of an image whose tables may be damaged: 1 for each symbol, and 1 for each
// unit of bytes that are read from the file or are in names (which are sorted later, so that long
// names with the same beginning take time).
#define LIMIT_LENIENT_WORK(file_bytes) ((file_bytes) + (UINT64_C(1) << 26))

// Symbols of such an image, and bytes of its string tables. A sound symbol takes at least 16 bytes,
// and a sound string table is in the file once. Small files may exceed that, so that accidental
// damage is not refused.
#define LIMIT_LENIENT_SYMBOLS(file_bytes) ((file_bytes) / 4 + (UINT64_C(64) << 10))
#define LIMIT_LENIENT_STRING_BYTES(file_bytes) (16 * (file_bytes) + (UINT64_C(1) << 20))

// A mangled name may stand for a text that is exponentially longer, or take exponentially long to
// read. A name is not demangled if its text would exceed the first of these limits, or if the name
// exceeds one of the others: bytes of a C++ or Rust name (the stack grows with them; libiberty
// gives up on C++ at 1024); bytes of a D name (its recursion has no other limit); "cv" in C++ (each
// may double the time); calling conventions or back references in D (time or text); digits of a
// lifetime in Rust (it is counted up).
#define LIMIT_DEMANGLED_BYTES ((size_t)64 << 10)
#define LIMIT_MANGLED_BYTES 4096
#define LIMIT_MANGLED_D_BYTES 1024
#define LIMIT_MANGLED_CONVERSIONS 10
#define LIMIT_MANGLED_D_CHOICES 16
#define LIMIT_MANGLED_LIFETIME_DIGITS 2

// Bytes of a debug file that is found only by its name and checksum: all of it must be read for
// that.
#define LIMIT_DEBUG_LINK_BYTES (UINT64_C(4) << 30)

// Seconds that a server of debug files may take in total, and without sending anything.
#define LIMIT_DEBUG_SERVER_WAIT_S 300
#define LIMIT_DEBUG_SERVER_STALL_S 20

// Bytes of a build-id, and of the name of its image in an index.
#define LIMIT_BUILD_ID_BYTES 64
#define LIMIT_IMAGE_NAME_BYTES 128

// Bytes that a byte of a compressed section of an image may decompress to; in practice it is less
// than ten.
#define LIMIT_UNPACKED_FACTOR 64

// Places in a compressed file where decompression can start again: 56 bytes each, and their
// windows.
#define LIMIT_ACCESS_POINTS (UINT64_C(1) << 20)

// Memory that decompressing a file may require (a dictionary of xz): the program itself needs as
// much for each piece that is being decompressed.
#define LIMIT_UNPACK_MEMORY_BYTES (UINT64_C(256) << 20)

// Bytes of DWARF that are read in total, for sections of this size: parts may be shared, but not
// without limit.
#define LIMIT_DWARF_WORK(bytes) (16 * (bytes) + 65536)

// For values of a program according to DWARF: nested types; entries, types, elements and operations
// that one query examines; nested scopes; pieces of a variable; bytes of one value (as in GDB) and
// of its text; elements and characters of an array that are shown, and equal ones that are counted
// instead; bytes of a register; bytes of an expression.
#define LIMIT_DEBUG_DEPTH 48
#define LIMIT_DEBUG_WORK (UINT64_C(1) << 22)
#define LIMIT_DEBUG_SCOPES 64
#define LIMIT_DEBUG_PIECES 64
#define LIMIT_DEBUG_VALUE_BYTES 65536
#define LIMIT_DEBUG_TEXT_BYTES (UINT64_C(1) << 20)
#define LIMIT_DEBUG_ELEMENTS 200
#define LIMIT_DEBUG_REPEATS 10
#define LIMIT_DEBUG_REGISTER_BYTES 64
#define LIMIT_DEBUG_EXPRESSION_BYTES 1024

// Places where another source line begins, in all images of an index: their addresses are sorted in
// memory. The kernel of an operating system has 10 million.
#define LIMIT_SOURCE_PLACES (UINT64_C(1) << 25)

// Line tables (.debug_line) of an image whose lines an index keeps. Those of larger ones stay in
// its file, and are read when they are asked for: the 1.4 million places of a Linux kernel would
// take seconds and hundreds of MB, of which a trace executes few.
#define LIMIT_INDEX_LINE_TABLES (UINT64_C(4) << 20)

// Frames before a break in a trace file that are checked for the beginning of the break.
#define LIMIT_TFILE_FRAMES_DOUBTED 16

// Cells of a screen; a larger terminal is used as one of this size.
#define LIMIT_SCREEN_COLUMNS 4096
#define LIMIT_SCREEN_ROWS 2048

// What one request to the server may ask for: rows of a trace, bytes of memory and of a register,
// writes, frames of a stack, columns and levels of a chart, bytes of its address. And how many
// there may be at the same time: connections, those of them that have not shown the secret (others
// are closed for new ones), request contexts of a trace, searches, traces, pages. And how long
// headers of a request may take.
#define LIMIT_SERVE_ROWS 1000
#define LIMIT_SERVE_MEMORY_BYTES 4096
#define LIMIT_SERVE_REGISTER_BYTES 256
#define LIMIT_SERVE_WRITES 1000
#define LIMIT_SERVE_FRAMES 1000
#define LIMIT_SERVE_ARGUMENTS 64 // of a call
#define LIMIT_SERVE_CHART_COLUMNS 4000
#define LIMIT_SERVE_CHART_LEVELS 200
#define LIMIT_SERVE_HITS 1000
#define LIMIT_SERVE_FUNCTIONS 1000
#define LIMIT_SERVE_SOURCE_LINES 5000
#define LIMIT_SERVE_SOURCE_LINE_BYTES 1000
#define LIMIT_SERVE_TASKS 4000
#define LIMIT_SERVE_DIFFERENCES 5000
#define LIMIT_SERVE_REQUEST_BYTES ((size_t)64 << 10)
#define LIMIT_SERVE_CONNECTIONS 128
#define LIMIT_SERVE_STRANGERS 16
#define LIMIT_SERVE_HEADERS_S 10
#define LIMIT_SERVE_REQUEST_CONTEXTS 12
#define LIMIT_SERVE_SEARCHES 8
#define LIMIT_SERVE_TRACES 16
#define LIMIT_SERVE_PAGES 64

// Host calls of other lanes that are skipped to find the next one of a lane.
#define LIMIT_SERVE_OTHER_LANES 256

// JSON that comes from outside: bytes, levels, values.
#define LIMIT_JSON_BYTES ((size_t)16 << 20)
#define LIMIT_JSON_DEPTH 64
#define LIMIT_JSON_VALUES 1000000

// For agents: bytes of a message from one, of an argument, and of an answer; seconds that a
// question may take.
#define LIMIT_MCP_REQUEST_BYTES (1 << 20)
#define LIMIT_MCP_ARGUMENT_BYTES 4000
#define LIMIT_MCP_ANSWER_BYTES 4096
#define LIMIT_MCP_ANSWER_S 120

// For GDB: bytes of a packet of its protocol, which also bounds an answer; seconds to wait for the
// rest of a packet or an acknowledgement; seconds of silence, and of all, after which a client
// gives way if another waits; what `monitor find` may take; bookmarks; calls that are listed;
// breakpoints and watchpoints; bytes that one of these watches; bytes, values and steps of a
// condition; values that are kept for conditions, of one place in memory and of all; segments of
// the index whose reads are decoded to list some; lines of the trace that are shown before and
// after one.
#define LIMIT_GDB_PACKET_BYTES ((size_t)64 << 10)
#define LIMIT_GDB_ACK_S 60
#define LIMIT_GDB_IDLE_S 300
#define LIMIT_GDB_TURN_S 28800
#define LIMIT_GDB_FIND_MS 1500
#define LIMIT_GDB_BOOKMARKS 100
#define LIMIT_GDB_CALLS 200
#define LIMIT_GDB_POINTS 10000
#define LIMIT_GDB_WATCHED_BYTES 4096
#define LIMIT_GDB_AGENT_BYTES ((size_t)4 << 10)
#define LIMIT_GDB_AGENT_STACK 64
#define LIMIT_GDB_AGENT_STEPS 10000
#define LIMIT_GDB_HISTORY_ROWS (1 << 20)
#define LIMIT_GDB_KNOWN_ROWS (1 << 21)
#define LIMIT_GDB_READ_SEGMENTS 2
#define LIMIT_GDB_TEXT_LINES 200

// Notes of a trace, bytes of a note, and bytes of their file.
#define LIMIT_SERVE_NOTES 1000
#define LIMIT_SERVE_NOTE_BYTES 1000
#define LIMIT_SERVE_NOTES_FILE_BYTES (8 << 20)

// Contexts that are kept for the selections of all traces together.
#define LIMIT_SERVE_CONTEXTS 500000

// What is reported about a selection: functions, stacks, levels of stacks.
#define LIMIT_SERVE_PROFILE_ROWS 5000
#define LIMIT_SERVE_STACKS 20000
#define LIMIT_SERVE_FLAME_LEVELS 256

// Words in $BROWSER.
#define LIMIT_OPENER_WORDS 16

// For a search pattern as an automaton: its nodes, nested groups, and states. Larger patterns are
// left to the C library.
#define LIMIT_PATTERN_NODES 1024
#define LIMIT_PATTERN_DEPTH 32
#define LIMIT_DFA_STATES 2048

// States of the automaton of a prefix that is stripped from lines.
#define LIMIT_PREFIX_STATES 512

// Address spaces that are listed and counted; access to more is looked up all the same.
#define LIMIT_SPACES 1024

// Columns in which the beginning of a record is sought to find such a prefix, and lines that have
// one.
#define LIMIT_PREFIX_COLUMNS 128
#define LIMIT_PREFIX_LINES 64

// For a pattern that the C library compiles: its parts after repetitions are written out, of which
// expensive ones count more (search/pattern.c), and nested groups and repetitions. They
// take at most some 300 MB of memory, 300 kB of stack, and a second.
#define LIMIT_PATTERN_PARTS 65536
#define LIMIT_PATTERN_LEVELS 1000

// Bytes of text after which such a pattern is compiled again, because it keeps what it has learned
// about each byte of the text.
#define LIMIT_PATTERN_TEXT_BYTES ((size_t)128 << 10)

// Events of two traces that are compared at once.
#define LIMIT_PAIR_EVENTS (UINT64_C(1) << 24)

// Events of a function that are searched for a loop, in each direction.
#define LIMIT_LOOP_STEPS (UINT64_C(1) << 18)

// Loops of a function that the browser folds at once.
#define LIMIT_FOLDED_LOOPS 4096

// Panes that are open at the same time.
#define LIMIT_BROWSER_PANES 32

// Places next to each other.
#define LIMIT_BROWSER_SIDES 8

// Places that a browser remembers for going back.
#define LIMIT_BROWSER_PLACES 256

// Levels of collapsed stacks unless others are requested: each line has its whole stack, so that
// the text grows with the square of the depth.
#define LIMIT_COLLAPSED_LEVELS 4096

// The same for a call tree as text, whose lines are indented by depth.
#define LIMIT_INDENTED_LEVELS 4096

// Lines that are shown before and after a place.
#define LIMIT_CONTEXT_LINES 100000

// Matches of a search that are marked in one line.
#define LIMIT_LINE_MATCHES 32

// Registers and blocks of memory that are watched, and bytes of each.
#define LIMIT_WATCHES 64
#define LIMIT_WATCH_BYTES 32

// Registers in a pane.
#define LIMIT_PANE_REGISTERS 48

// Active calls in a pane, and tail calls that are examined to find one.
#define LIMIT_PANE_FRAMES 100000
#define LIMIT_PANE_CALLS 64 // of these, as return addresses
#define LIMIT_TAIL_CALLS 20000

// Components at the end of a path by which a source file is searched for in a directory.
#define LIMIT_SOURCE_COMPONENTS 64

// Bytes of a function whose disassembly is shown, and visits to an instruction that are counted
// there.
#define LIMIT_PANE_CODE_BYTES 16384
#define LIMIT_PANE_VISITS 100

// Bytes of a browser's files of settings and marks.
#define LIMIT_SETTINGS_BYTES 65536

// Bytes of a source file that are shown.
#define LIMIT_SOURCE_BYTES (UINT64_C(16) << 20)

// For a row of a trace that is not text: calls around an exit, and blocks of memory.
#define LIMIT_ROW_PARENTS 64
#define LIMIT_ROW_ACCESSES 256

// Events before an event that are searched for an instruction that shows the state of a core.
#define LIMIT_STATE_STEPS 4096

// For a table in Parquet: columns; rows in memory at once; bytes of finished pages that wait for
// more of their row group; bytes of texts in a row group, because page sizes have 31 bits; and
// bytes of a text in the statistics of least and greatest values.
#define LIMIT_PARQUET_COLUMNS 32
#define LIMIT_PARQUET_HELD_ROWS ((size_t)1 << 21)
#define LIMIT_PARQUET_WAITING_BYTES ((uint64_t)128 << 20)
#define LIMIT_PARQUET_DICTIONARY_BYTES ((uint64_t)1 << 30)
#define LIMIT_PARQUET_STATISTICS_BYTES 256

// Levels of a memory tree in an index of the Tarmac Trace Utilities, whose programs search it by
// recursion. A trace with 100 million items has some 80; a tree that was made deep on purpose has
// more.
#define LIMIT_TTU_TREE_DEPTH 400

// Of a check: pages of memory of which something is known (256 MB), different findings, and bytes
// of a block of a heap that are watched; events of the slice by which an undefined value is
// explained; locks held at once, and pairs of locks of which one was taken while the other was
// held.
#define LIMIT_CHECKED_PAGES 65536
#define LIMIT_FINDINGS 1000
#define LIMIT_EXPLAINED_EVENTS 20000
#define LIMIT_CHECKED_STACKS 1024
#define LIMIT_LOCKS_HELD 1024
#define LIMIT_LOCK_ORDERS 4096
#define LIMIT_WATCHED_BLOCK_BYTES (UINT64_C(16) << 20)

// Rows of an index about what makes reports doubtful: far more than there are kinds of doubts.
#define LIMIT_DOUBT_ROWS 1024

#endif
