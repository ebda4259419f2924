// Where the bytes of a trace come from: a mapped file, a compressed file that is decompressed as it
// is read (base/unpack/inflow.h), several files that are one text (base/joint.h), or a pipe that is
// read once. Bytes and their places are always those of the text itself.
//
// A source is cut into chunks that end at a line. Nothing after it knows which kind it is.
#ifndef TRAWL_BASE_SOURCE_H
#define TRAWL_BASE_SOURCE_H

#include "base/base.h"
#include "base/error.h"
#include "base/fingerprint.h"

// Bytes before a chunk that come with it, so that its reader can find out in what state the line
// before left things. Enough for some dozens of lines; a guess, never a guarantee.
#define SOURCE_RUN_IN_BYTES 4096

struct joint;
struct joint_manner;
struct source;

// Memory that a chunk lies in which is not mapped. All zero to begin with; reused from chunk to
// chunk.
struct source_buffer {
    char *bytes;
    size_t capacity;
};

struct source_chunk {
    const char *data;
    size_t size_bytes;
    size_t run_in_bytes; // that stand before `data`, at most SOURCE_RUN_IN_BYTES
    uint64_t offset;     // of `data` in the trace
    bool starts_in_line; // the line before was too long, and goes on here
    bool is_last;
};

enum source_manner {
    SOURCE_AS_IT_IS, // the bytes of the file of that name
    SOURCE_AS_MEANT, // "-" is standard input, and what is compressed is decompressed
};

// Opens a file. A directory reads as STATUS_INPUT.
enum status source_open(struct source **source, const char *path, enum source_manner manner,
                        struct error *err);

// Opens several files as one text, as joint_open does.
enum status source_open_files(struct source **source, const char *const *paths, size_t count,
                              const struct joint_manner *manner, struct error *err);

// What a source of several files knows of them; NULL for any other. Stays the source's.
struct joint *source_joint(const struct source *source);

// Has that know where each file begins in the text, which may read all of them. Not between chunks,
// unless it was asked before the first. Goes back to the start where it has to read.
enum status source_find_files(struct source *source, struct error *err);

// By how many threads a compressed file may be decompressed, beside those that read it. To be
// called before anything is read; without it by one.
void source_set_threads(struct source *source, unsigned threads);

// The size in bytes of a text that is at hand, 0 for any other.
uint64_t source_size_bytes(const struct source *source);

// The same, or of a compressed file, once it was read to its end; else 0.
uint64_t source_text_bytes(const struct source *source);

// Whether all of it is at hand: it is a mapped file, or was read as a whole.
bool source_is_mapped(const struct source *source);

// Whether it may be read as often as one likes: it is no pipe.
bool source_is_file(const struct source *source);

// Whether its text is made as it is read, and so not the bytes of one file: it is compressed, or
// that of several.
bool source_is_made(const struct source *source);

// What a compressed file is compressed by: "gzip". NULL: it is not, or it is several.
const char *source_packed_by(const struct source *source);

// All bytes of a text that is at hand, for those who know where to look; NULL for any other.
const char *source_bytes(const struct source *source);

// The bytes of its file, compressed as they may be; NULL, and none, for a pipe or several files.
const char *source_file_bytes(const struct source *source, uint64_t *size_bytes);

// The same of any other as well, for those who cannot read in order: it is read to its end into an
// unnamed file, which stays as long as the source. To be called once, before any chunk is taken.
enum status source_read_all(struct source *source, const char **bytes, uint64_t *size_bytes,
                            struct error *err);

// Has the text of a compressed file at hand from here on, as that of a mapped one: for those who
// read all over it. Nothing is to be done for any other. Goes back to the start.
enum status source_lay_out(struct source *source, struct error *err);

// Has places of a compressed file, or of pieces of a trace, be kept from which it may be begun
// again, to be called before anything is read; and those that were met, once all of its text was
// read and nothing is wrong with it. They stay the source's. NULL: there are none but the beginning
// of its one file, or it is no such text.
struct restarts;
void source_keep_restarts(struct source *source);
const struct restarts *source_restarts(const struct source *source);

// Gives a source the places that were kept of its files, and takes what they have. They are held
// against the files when they are used, and left alone where they are not of them. Not while
// anybody else has the source.
void source_use_restarts(struct source *source, struct restarts *restarts);

// A text that is looked at here and there: that at hand, or one that is made, where source_want
// says what of it will be read. Stays as long as the source.
struct source_view {
    const char *bytes;
    uint64_t size_bytes;
};

enum status source_view(struct source *source, struct source_view *view, struct error *err);

// What of a text is there by now that another thread has read as a whole, or laid out. It stays,
// and only grows.
struct source_view source_view_so_far(const struct source *source);

// Has what stands from `from` on up to `to` be there, before it is read in a view. Where that fails
// once, source_view_status says so from then on. Any thread may call these.
bool source_want(const struct source *source, uint64_t from, uint64_t to);
enum status source_view_status(const struct source *source, struct error *err);

// Whether source_want may have to make anything.
bool source_makes_view(const struct source *source);

// Has views of a source be those of another one of the same files, which must outlive it.
void source_share_view(struct source *source, struct source *first);

// How much of its text was decompressed for views.
uint64_t source_unpacked_bytes(const struct source *source);

// Copies the text from `position` on, as far as there is any and it is not a pipe's. Returns how
// much that is; 0, too, where it cannot be read. Goes back to the start.
size_t source_read_at(struct source *source, uint64_t position, char *bytes, size_t size_bytes);

// The first bytes, up to `size_bytes` of them, before any chunk is taken; *have of them are there.
// Chunks still begin with them.
enum status source_peek(struct source *source, void *bytes, size_t size_bytes, size_t *have,
                        struct error *err);

// Goes back to the start, for another pass. A pipe cannot.
void source_rewind(struct source *source);

// The next chunk: as many bytes as reach a multiple of `target_bytes` in the trace and the end of
// the line there, but at most LIMIT_LINE_BYTES more; the last one is shorter. Calls must not
// overlap. `buffer` holds the bytes of what is not mapped and must stay until the chunk is done
// with. At the end: a chunk of no bytes with is_last set.
enum status source_next(struct source *source, size_t target_bytes, struct source_buffer *buffer,
                        struct source_chunk *chunk, struct error *err);

// Has a text at hand be read from a byte on, which a line begins with. False: none begins there, or
// the text is not that of one plain file. Before anything is read.
bool source_begin_at(struct source *source, uint64_t position);

// Has chunks end as well with the lines that have the bytes before these two, so that a chunk
// begins with the first line after each. Before anything is read; 0 and UINT64_MAX change nothing.
void source_end_chunks_at(struct source *source, uint64_t first, uint64_t second);

// Has chunks end early where somebody asks for that (base/interrupt.h): after a whole line, also
// where a pipe is waited for. A text at hand ends there from then on, as if there were no more.
void source_end_when_asked(struct source *source, bool heeds);

// Whether it did: there may be more.
bool source_is_cut_short(const struct source *source);

// Tells the kernel that a chunk will be read now, and that it is done with. For workers.
void source_populate(const struct source *source, const struct source_chunk *chunk);
void source_release(const struct source *source, const struct source_chunk *chunk);

// What is wrong with a compressed file, as far as it was read: the text ends there, as if it were
// the end of the file.
struct source_fault {
    const char *path;     // of the compressed file
    const char *text;     // in words that follow "the compressed data"; NULL: nothing is
    uint64_t packed_byte; // of the file, about where that was met
    uint64_t plain_byte;  // of the text, where that ends
};

struct source_fault source_fault(const struct source *source);

// The file, for its rights; -1 for a pipe. Of several as joint_fd says. Stays the source's.
int source_fd(const struct source *source);

// A mapped trace may grow while it is read: it is what there was when it was opened, up to the end
// of its last line where source_end_at_line was asked to see to that.
//
// Leaves out what a mapped trace has after its last whole line, if some other process has the file
// open for writing (base/writers.h): that is half of a line. Before anything is read.
void source_end_at_line(struct source *source);

// How much that left out.
uint64_t source_unfinished_bytes(const struct source *source);

// Ends a mapped trace after so many bytes, at most those that it shows.
void source_end_after(struct source *source, uint64_t size_bytes);

// Ends one of several files with what it begins with, as joint_end_after does: so many bytes of
// text.
struct joint_beginning;
void source_end_after_files(struct source *source, const struct joint_beginning *files,
                            size_t count, uint64_t text_bytes);

// Keeps the fingerprint of a mapped trace, which tells later whether it is the same still. Where
// that fails, growing counts as change. Before anything is read.
void source_keep_fingerprint(struct source *source);

// That fingerprint, or one taken now. Fails as fingerprint_take does; not for a pipe.
enum status source_fingerprint(const struct source *source, struct fingerprint *fingerprint,
                               struct error *err);

// Whether the file of a mapped trace begins with so many bytes of which that is the sample.
bool source_begins_with(const struct source *source, uint64_t size_bytes, struct hash128 sample);

// Has a mapped trace be read as it grows, or several files that were opened to be followed: chunks
// end with its last whole line, and at the end a chunk of no bytes comes that is not the last,
// until source_grow finds more or source_end_here was called. Before anything is read.
void source_follow(struct source *source);

// Whether it can be: it is mapped, and not made; or of plain files that were opened for that.
bool source_can_be_followed(const struct source *source);

// Whether chunks had all that was read ahead for them, as is the case before the functions below;
// if not, they will soon, as nothing more is read ahead until source_grow.
bool source_settle(struct source *source);

// Whether there are whole lines that no chunk had yet.
bool source_has_unread(struct source *source);

// How many bytes the chunks so far had.
uint64_t source_read_bytes(const struct source *source);

// Looks for more of a trace that is followed; no chunk may be in use. STATUS_INPUT: it was cut,
// written anew, or another file has its name.
enum status source_grow(struct source *source, struct error *err);

// Adds a piece to a trace of pieces that is followed, as joint_add does.
enum status source_add_piece(struct source *source, const char *path, struct error *err);

// Keeps the fingerprint of what chunks had of a trace that is followed, in place of the one before.
// Fails as fingerprint_sample does, and with STATUS_INPUT where the one before no longer holds.
enum status source_keep_progress(struct source *source, struct error *err);

// Ends a trace that is followed after the last chunk. With `takes_rest`, half of a line at its end
// still counts.
void source_end_here(struct source *source, bool takes_rest);

// Whether certainly no process has the file of a mapped trace, or any of several, open for writing.
bool source_has_no_writers(const struct source *source);

// False when a mapped trace was changed while it was read: cut, or not the same as far as its size,
// its time and the samples of its fingerprint tell.
bool source_is_intact(const struct source *source);

// The same at no cost, for those who ask again and again: an end may still show that it was.
bool source_seems_intact(const struct source *source);

// Whether a mapped trace is longer by now.
bool source_has_grown(const struct source *source);

// Whether another file has the name of a mapped trace by now. What is mapped stays the one before.
bool source_is_replaced(const struct source *source);

void source_close(struct source *source);

#endif
