// Every limit of trawl, in one place. Passing one is a clear message, never a crash.
#ifndef TRAWL_BASE_LIMITS_H
#define TRAWL_BASE_LIMITS_H

// The longest line of a text trace. A longer one is skipped as damage under `trawl` and stops the
// run under the tarmac-* names.
#define LIMIT_LINE_BYTES (UINT64_C(4) << 20)

// A chunk's positions are 32 bits wide, relative to its start.
#define LIMIT_CHUNK_BYTES_MIN UINT64_C(1)
#define LIMIT_CHUNK_BYTES_MAX (UINT64_C(1) << 30)

#define LIMIT_THREADS 256

// The least that --max-memory takes: the program with an empty trace, and some more.
#define LIMIT_MEMORY_BYTES_MIN (UINT64_C(32) << 20)

// Streams of control (cores) that one trace may hold.
#define LIMIT_LANES 65536

// Of them in a waveform, where each segment begins with the state of all.
#define LIMIT_VCD_LANES 4096

// Numbers that an index keeps of tracepoints in segments, where there are more than
// LIMIT_SNAPSHOT_LANES of them: 128 MiB while it is made.
#define LIMIT_SNAPSHOT_LANES 256
#define LIMIT_LANE_SEGMENTS (UINT64_C(1) << 24)

// Tasks of one lane that are told apart.
#define LIMIT_TASKS 4096

// Bytes of the expression that names them.
#define LIMIT_TASK_EXPRESSION_BYTES 512

// Threads of an XRay log. The records of further ones are left out as damage.
#define LIMIT_XRAY_THREADS 65536

// Calls of XRay logs that are kept to find percentiles among them, by all threads together: where
// there are more, the logs are read again.
#define LIMIT_XRAY_TAPE_BYTES (UINT64_C(128) << 20)

// Bytes of a CPU name that count; what follows is cut.
#define LIMIT_LANE_NAME_BYTES 47

// Distinct event types that are remembered so as to be named once each. Later ones are not named.
#define LIMIT_NOTES (UINT64_C(1) << 20)

// Damaged places that are kept with their text; the rest is only counted.
#define LIMIT_DAMAGE_KEPT 10

// Text of notes that an index keeps. Reports that would show more read the trace.
#define LIMIT_MESSAGE_BYTES (UINT64_C(64) << 20)

// Records of memory in one segment of an index. Where they are all alike they take no bytes, so a
// reader, too, has to draw a line somewhere.
#define LIMIT_SEGMENT_RECORDS (UINT64_C(1) << 24)

// Blocks of memory that host calls of one trace may have written, some for each call: they are kept
// in memory, in 24 bytes.
#define LIMIT_HOST_CALL_BLOCKS (UINT64_C(1) << 24)

// Registers that a trace may name, other spellings included.
#define LIMIT_REGISTERS (UINT64_C(1) << 17)

// Of a Tarmac trace those beyond the registers that every core has: names, bytes of a name, and
// bytes of a value. The values of other ones are counted and not kept.
#define LIMIT_NAMED_REGISTERS 3072
#define LIMIT_REGISTER_NAME_BYTES 63
#define LIMIT_NAMED_REGISTER_BYTES 64

// Symbols of one image.
#define LIMIT_SYMBOLS (UINT64_C(1) << 26)

// Different rules that the SFrame tables of an image may have (numbers of 16 bits), and rows that
// are read from them for each byte: functions may share rows, but not without end.
#define LIMIT_SFRAME_RULES 65535u
#define LIMIT_SFRAME_ROWS_PER_BYTE UINT64_C(4)

// Segments (or without any sections) of an image that are looked into.
#define LIMIT_IMAGE_PIECES 256

// DW_CFA_remember_state within each other; operations of one DWARF expression, jumps included, and
// its stack.
#define LIMIT_CFI_STATES 16
#define LIMIT_EXPRESSION_STEPS 1000
#define LIMIT_EXPRESSION_STACK 64

// Lists and maps of a YAML document within each other.
#define LIMIT_YAML_NESTING 8

// The header of a GDB trace file, and the registers of its target's description.
#define LIMIT_TFILE_HEADER_BYTES (UINT64_C(64) << 20)
#define LIMIT_TFILE_REGISTERS 65536

// Blocks of a trace file, beyond one a byte of it, that the search for frames after damage looks
// at.
#define LIMIT_TFILE_SEARCH_BLOCKS (UINT64_C(1) << 20)

// Exceptions in a row that are followed to see where the code that they left goes on.
#define LIMIT_EXCEPTIONS_FOLLOWED 64

// Runs of other tasks that are passed over to see where a task goes on that was interrupted.
#define LIMIT_TASK_RUNS_FOLLOWED 4096

// Instructions of a trace that are compared with those of an image, to see whether it is of it.
#define LIMIT_FIT_SAMPLES 2048

// Frames of one stack that are followed.
#define LIMIT_STACK_FRAMES (UINT64_C(1) << 16)

// Of an expression: bytes of its text, operands and operators, and operators that wait for their
// right side or a closing parenthesis.
#define LIMIT_EXPRESSION_BYTES 65536
#define LIMIT_EXPRESSION_TERMS 128
#define LIMIT_EXPRESSION_NESTING 64

// Symbolic links that are followed on the way to a file: as many as the kernel follows.
#define LIMIT_LINKS 40

// Lines that a file may have before the first with a time, where files are merged by time: what
// tools say of themselves.
#define LIMIT_HEADER_LINES 10000

// Files of one trace.
#define LIMIT_TRACE_FILES 4096

// Files that are mapped at a time. Each has a place in a table that a signal handler walks.
#define LIMIT_MAPPED_FILES (64 + LIMIT_TRACE_FILES)

// Bytes of addresses, not memory, that what may go to a temporary file takes: more than a trace of
// terabytes needs, and half of the 47 bits that a program has is left for others.
#define LIMIT_SPOOL_BYTES (UINT64_C(1) << 38)

// After so many, as there may be some for each lane, others are smaller.
#define LIMIT_LARGE_SPOOLS 256
#define LIMIT_SMALL_SPOOL_BYTES (UINT64_C(1) << 32)

// Times in a row that the kernel may put off a write of an index.
#define LIMIT_WRITE_REFUSALS 1000

// Traces that one command indexes at a time: each has files mapped (LIMIT_MAPPED_FILES).
#define LIMIT_INDEXING_JOBS 16

// Pieces that a trace may be cut into, each indexed by itself.
#define LIMIT_SHARDS 65536

// Traces in a plan of a farm.
#define LIMIT_FARM_TRACES 1000000

// Shards of a trace, where its size decides.
#define LIMIT_SHARDS_BY_SIZE 64

// Tasks of an array: Slurm's usual MaxArraySize is 1001, one more than the highest number of a
// task.
#define LIMIT_SLURM_ARRAY 1000

// Times that tasks which failed are run again.
#define LIMIT_RETRIES 10

// Lines that are looked at to tell what a file is that is no trace.
#define LIMIT_FOREIGN_LINES 200

// Different shapes of lines that `trawl doctor` keeps; lines of others are counted.
#define LIMIT_EXAMINED_SHAPES 64

// Different unknown words of records that are counted by themselves.
#define LIMIT_UNKNOWN_WORDS 1024

// Parts of a line of a trace that have a look of their own in a browser; the rest is plain. And
// words that may name registers which its instruction reads.
#define LIMIT_LINE_PARTS 64
#define LIMIT_LINE_READS 16

// Bytes of a line of a trace that stand beside an answer, with a NUL; what follows is cut.
#define LIMIT_TRACE_TEXT_BYTES 256

// Bytes of a value of a Tarmac record that are looked at: digits beyond reach no register that has
// a name.
#define LIMIT_TARMAC_VALUE_BYTES 512

// Bytes of the largest value that is shown, of a register or of memory as one number: a vector of
// the Scalable Vector Extension.
#define LIMIT_VALUE_BYTES 256

// Bytes of a write's value that a list shows: what follows would not fit a line.
#define LIMIT_WRITE_SHOWN_BYTES 32

// Bytes of memory that one question may ask for where all of it is shown: it is held at once.
#define LIMIT_QUERY_MEMORY_BYTES (UINT64_C(16) << 20)

// Rounds of `trawl bench`: the times of all are kept, for their median.
#define LIMIT_BENCH_ROUNDS 1000

// Addresses that get a tracepoint of their own in an exported trace file, so that `tfind pc` finds
// their frames: GDB takes time with the square of their number. Frames elsewhere share one more.
#define LIMIT_TFILE_EXPORT_TRACEPOINTS 4096

// Bytes of memory in one frame of an exported trace file.
#define LIMIT_TFILE_EXPORT_MEMORY_BYTES (UINT64_C(16) << 20)

// Bytes of a value of bytes[N] in a series of a trace file: a cell of a table.
#define LIMIT_SERIES_BYTES 4096

// Events that are formatted at a time for a VCD: their text lies in memory.
#define LIMIT_VCD_SEGMENT_EVENTS (1 << 20)

// Levels of a flame graph that are drawn; what lies deeper is left to zooming.
#define LIMIT_FLAME_LEVELS 512

// Boxes of a flame graph that are drawn when it is opened: with more it is slow to look at.
#define LIMIT_FLAME_DRAWN 20000

// Boxes that a flame graph knows, drawn and to zoom to: some 25 bytes each of those that are not
// drawn.
#define LIMIT_FLAME_BOXES 200000

// Characters of a name in a flame graph: symbols of templates run to many kilobytes.
#define LIMIT_FLAME_NAME_COLUMNS 1000

// Bytes of a symbol's name, and of all names that are made for those that share one: names of a
// damaged table may overlap, so that neither is bounded by the size of the file.
#define LIMIT_SYMBOL_NAME_BYTES (UINT64_C(1) << 20)
#define LIMIT_SYMBOL_DISPLAY_BYTES (UINT64_C(1) << 30)

// Work on the symbols of an image whose tables may be damaged: one a symbol, and one for each so
// many bytes that are read from the file or lie in names (which are sorted later, so that long ones
// with one beginning cost time).
#define LIMIT_LENIENT_WORK(file_bytes) ((file_bytes) + (UINT64_C(1) << 26))

// Symbols of such an image, and bytes of its string tables. A sound symbol takes 16 bytes or more,
// and a sound string table lies in the file once. Small files may go beyond that: damage by chance
// is not to be refused.
#define LIMIT_LENIENT_SYMBOLS(file_bytes) ((file_bytes) / 4 + (UINT64_C(64) << 10))
#define LIMIT_LENIENT_STRING_BYTES(file_bytes) (16 * (file_bytes) + (UINT64_C(1) << 20))

// A mangled name may stand for a text that is exponentially longer, or take exponentially long to
// read. A name stays as it is whose text would have more bytes than the first of these, or that has
// more than the others allow: bytes of C++ and Rust (the stack grows with them; libiberty gives up
// C++ at 1024), bytes of D (its recursion has no other limit), "cv" of C++ (each may double the
// time), call conventions or back references of D (time or text), digits of a lifetime of Rust (it
// is counted through).
#define LIMIT_DEMANGLED_BYTES ((size_t)64 << 10)
#define LIMIT_MANGLED_BYTES 4096
#define LIMIT_MANGLED_D_BYTES 1024
#define LIMIT_MANGLED_CONVERSIONS 10
#define LIMIT_MANGLED_D_CHOICES 16
#define LIMIT_MANGLED_LIFETIME_DIGITS 2

// A debug file that is found by its name and checksum alone is no larger: all of it is read for
// that.
#define LIMIT_DEBUG_LINK_BYTES (UINT64_C(4) << 30)

// Seconds that a server of debug files may take in all, and without sending anything.
#define LIMIT_DEBUG_SERVER_WAIT_S 300
#define LIMIT_DEBUG_SERVER_STALL_S 20

// Bytes of a build-id, and of an image's name beside it in an index.
#define LIMIT_BUILD_ID_BYTES 64
#define LIMIT_IMAGE_NAME_BYTES 128

// Bytes that one of a packed section of an image may unpack to: of real ones less than ten.
#define LIMIT_UNPACKED_FACTOR 64

// Places that are kept from which a compressed file may be begun again; 56 bytes each, and windows.
#define LIMIT_RESTARTS (UINT64_C(1) << 20)

// Memory that a compressed file may ask for to be decompressed (a dictionary of xz): the program
// itself needs as much for each piece that is under way.
#define LIMIT_UNPACK_MEMORY_BYTES (UINT64_C(256) << 20)

// Bytes of DWARF that are gone over for sections of so many: parts of it may be shared, but not
// without end.
#define LIMIT_DWARF_WORK(bytes) (16 * (bytes) + 65536)

// Values of a program by its DWARF: types within each other; entries, types, elements and
// operations that one question looks at; scopes within each other; pieces that a variable is made
// of; bytes of one value (as GDB has it) and of its text; elements and characters that are shown of
// an array, and of how many alike more are counted instead; bytes of a register; bytes of an
// expression.
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

// Frames before a break in a trace file that are looked at for what the break began with.
#define LIMIT_TFILE_FRAMES_DOUBTED 16

// Cells of a screen: a terminal that says it has more is used as one of so many.
#define LIMIT_SCREEN_COLUMNS 4096
#define LIMIT_SCREEN_ROWS 2048

// What one request to the server may ask for: rows of a trace, bytes of memory and of a register,
// writes, frames of a stack, columns and levels of a chart, bytes of its address; and how many of
// each there are at a time: connections, desks of a trace, searches, traces, pages.
#define LIMIT_SERVE_ROWS 1000
#define LIMIT_SERVE_MEMORY_BYTES 4096
#define LIMIT_SERVE_REGISTER_BYTES 256
#define LIMIT_SERVE_WRITES 1000
#define LIMIT_SERVE_FRAMES 1000
#define LIMIT_SERVE_CHART_COLUMNS 4000
#define LIMIT_SERVE_CHART_LEVELS 200
#define LIMIT_SERVE_HITS 1000
#define LIMIT_SERVE_FUNCTIONS 1000
#define LIMIT_SERVE_REQUEST_BYTES ((size_t)64 << 10)
#define LIMIT_SERVE_CONNECTIONS 64
#define LIMIT_SERVE_DESKS 12
#define LIMIT_SERVE_SEARCHES 8
#define LIMIT_SERVE_TRACES 16
#define LIMIT_SERVE_PAGES 64

// Host calls of other lanes that are passed over to find the next of a lane.
#define LIMIT_SERVE_OTHER_LANES 256

// Notes of a trace, one of them, and their file.
#define LIMIT_SERVE_NOTES 1000
#define LIMIT_SERVE_NOTE_BYTES 1000
#define LIMIT_SERVE_NOTES_FILE_BYTES (8 << 20)

// Contexts that the selections of all traces keep, together.
#define LIMIT_SERVE_CONTEXTS 500000

// What is told of a selection: functions, stacks, levels of stacks.
#define LIMIT_SERVE_PROFILE_ROWS 5000
#define LIMIT_SERVE_STACKS 20000
#define LIMIT_SERVE_FLAME_LEVELS 256

// Words of $BROWSER.
#define LIMIT_OPENER_WORDS 16

// A pattern that is searched for, as an automaton: its nodes, groups within each other, and states.
// With more of them it is left to the C library.
#define LIMIT_PATTERN_NODES 1024
#define LIMIT_PATTERN_DEPTH 32
#define LIMIT_DFA_STATES 2048

// What the C library is given to compile: parts of a pattern once its repetitions are written out,
// of which those that are dear count for more (analysis/pattern_cost.h), and groups and repetitions
// in each other. At most some 300 MB of memory, and as many kB of stack; at most a second.
#define LIMIT_PATTERN_PARTS 65536
#define LIMIT_PATTERN_LEVELS 1000

// Events of two traces that are compared at once.
#define LIMIT_PAIR_EVENTS (UINT64_C(1) << 24)

// Events of a function that are walked over, in either direction, to find a loop.
#define LIMIT_LOOP_STEPS (UINT64_C(1) << 18)

// Loops of a function that the browser folds at once.
#define LIMIT_FOLDED_LOOPS 4096

// Panes that are open at a time.
#define LIMIT_BROWSER_PANES 32

// Places side by side.
#define LIMIT_BROWSER_SIDES 8

// Places that a browser remembers to go back to.
#define LIMIT_BROWSER_PLACES 256

// Levels of collapsed stacks where no others are asked for: each line has all of its stack, so that
// they grow with the square of how deep that is.
#define LIMIT_COLLAPSED_LEVELS 4096

// Likewise of a call tree as text, whose lines are indented by how deep they are.
#define LIMIT_INDENTED_LEVELS 4096

// Lines that are shown around a place, on either side.
#define LIMIT_CONTEXT_LINES 100000

// Matches of a search that are marked in one line.
#define LIMIT_LINE_MATCHES 32

// Registers and stretches of memory that are watched, and bytes of each.
#define LIMIT_WATCHES 64
#define LIMIT_WATCH_BYTES 32

// Registers in a pane.
#define LIMIT_PANE_REGISTERS 48

// Active calls in a pane, and tail calls that are looked through to find one.
#define LIMIT_PANE_FRAMES 100000
#define LIMIT_PANE_CALLS 64 // of them as return addresses
#define LIMIT_TAIL_CALLS 20000

// Bytes of a function whose disassembly is shown, and visits to an instruction that are counted
// there.
#define LIMIT_PANE_CODE_BYTES 16384
#define LIMIT_PANE_VISITS 100

// Bytes of a browser's files of settings and of marks.
#define LIMIT_SETTINGS_BYTES 65536

// Bytes of a source file that are shown.
#define LIMIT_SOURCE_BYTES (UINT64_C(16) << 20)

// What a row of a trace that is no text looks at: calls around an exit, pieces of memory.
#define LIMIT_ROW_PARENTS 64
#define LIMIT_ROW_ACCESSES 256

// Events before one that are looked at for an instruction that says what state a core is in.
#define LIMIT_STATE_STEPS 4096

// Columns of a table in Parquet; its rows that are held at once, and bytes of finished pages that
// wait for more of their row group; bytes of its texts in a row group, as sizes of pages have 31
// bits, and of one that is said to be the least or the most of them.
#define LIMIT_PARQUET_COLUMNS 32
#define LIMIT_PARQUET_HELD_ROWS ((size_t)1 << 21)
#define LIMIT_PARQUET_WAITING_BYTES ((uint64_t)128 << 20)
#define LIMIT_PARQUET_DICTIONARY_BYTES ((uint64_t)1 << 30)
#define LIMIT_PARQUET_STATISTICS_BYTES 256

// Levels of a memory tree in an index of the Tarmac Trace Utilities, whose programs search it by
// recursion: some 80 of a trace with 100 million items, and more where somebody wanted a deep one.
#define LIMIT_TTU_TREE_DEPTH 400

#endif
