// Converts what 'tsave -ctf' of GDB writes into the bytes of a trace file, so that there is a
// single reader (file.h).
//
// It is a directory with a stream of the Common Trace Format and its metadata. The first packet has
// the status, variables and tracepoints as events, each other packet the blocks of a frame. The
// events are always the same (ctf.c of GDB), so that only two things are taken from the metadata:
// that it is GDB's, and the size of the registers. The description of the target is not in it.
#include "trace/tfile/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CTF_MAGIC UINT32_C(0xc1fc1fc1)

enum { PACKET_HEAD_BYTES = 14, TEXT_BYTES = 128 };

enum ctf_event {
    CTF_REGISTERS,
    CTF_VARIABLE,
    CTF_MEMORY,
    CTF_FRAME,
    CTF_STATUS,
    CTF_VARIABLE_DEFINITION,
    CTF_TRACEPOINT,
};

// The rest of a packet. What cannot be read is 0 or "", and makes it `is_bad`.
struct packet {
    const uint8_t *start;
    size_t at, size;
    bool is_big_endian, is_bad;
};

struct conversion {
    struct bytes *made;
    uint32_t register_bytes;
    bool is_big_endian; // the stream
    bool is_big_target;
    bool has_memory;
};

bool tfile_ctf_is(const void *data, uint64_t size_bytes)
{
    return size_bytes >= sizeof CTF_MAGIC &&
           (load_u32(data, false) == CTF_MAGIC || load_u32(data, true) == CTF_MAGIC);
}

// --- Reading -------------------------------------------------------------------------------------

// The next bytes, at a multiple of `alignment` from the start of the packet. NULL: too few.
static const uint8_t *take(struct packet *packet, size_t size, size_t alignment)
{
    size_t at = (packet->at + alignment - 1) / alignment * alignment;
    if (packet->is_bad || at > packet->size || size > packet->size - at) {
        packet->is_bad = true;
        return NULL;
    }
    packet->at = at + size;
    return packet->start + at;
}

static uint32_t take_u32(struct packet *packet)
{
    const uint8_t *at = take(packet, 4, 4);
    return at ? load_u32(at, packet->is_big_endian) : 0;
}

static uint64_t take_u64(struct packet *packet)
{
    const uint8_t *at = take(packet, 8, 8);
    return at ? load_u64(at, packet->is_big_endian) : 0;
}

static const char *take_text(struct packet *packet)
{
    size_t left = packet->size - packet->at;
    const uint8_t *at = packet->start + packet->at;
    const uint8_t *end = packet->is_bad ? NULL : memchr(at, 0, left);
    packet->is_bad = !end;
    if (!end)
        return "";
    packet->at += (size_t)(end - at) + 1;
    return (const char *)at;
}

// --- Writing -------------------------------------------------------------------------------------

static void put(struct conversion *into, const void *bytes, size_t size)
{
    into->has_memory = into->has_memory && VEC_ROOM(into->made, size);
    if (!into->has_memory || !size)
        return;
    memcpy(into->made->items + into->made->count, bytes, size);
    into->made->count += size;
}

static void put_text(struct conversion *into, const char *text)
{
    put(into, text, strlen(text));
}

static void put_in_hex(struct conversion *into, const char *text)
{
    for (; *text; text++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", (unsigned char)*text);
        put(into, digits, 2);
    }
}

static void put_number(struct conversion *into, uint64_t number, unsigned size)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size; i++)
        bytes[into->is_big_target ? size - 1 - i : i] = (uint8_t)(number >> 8 * i);
    put(into, bytes, size);
}

// --- The header ----------------------------------------------------------------------------------

static void put_status(struct conversion *into, struct packet *packet)
{
    // By enum trace_stop_reason of GDB.
    static const char *const reasons[] = {"tunknown",      "tnotrun",    "tstop", "tfull",
                                          "tdisconnected", "tpasscount", "terror"};
    static const char *const names[] = {"tframes", "tcreated", "tfree",
                                        "tsize",   "disconn",  "circular"};
    char text[TEXT_BYTES];
    uint32_t reason = take_u32(packet), tracepoint = take_u32(packet);
    const char *name = reasons[reason < ARRAY_COUNT(reasons) ? reason : 0];
    const bool has_text = strcmp(name, "tstop") == 0 || strcmp(name, "terror") == 0;
    snprintf(text, sizeof text, "status 0;%s%s:%" PRIx32, name, has_text ? ":" : "", tracepoint);
    put_text(into, text);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        uint32_t number = take_u32(packet);
        snprintf(text, sizeof text, ";%s:%" PRIx32, names[i], number);
        if (!(number >> 31)) // negative: it is unknown
            put_text(into, text);
    }
    put_text(into, "\n");
}

static void put_variable(struct conversion *into, struct packet *packet)
{
    char text[TEXT_BYTES];
    uint64_t initial = take_u64(packet);
    uint32_t number = take_u32(packet), is_builtin = take_u32(packet);
    snprintf(text, sizeof text, "tsv %" PRIx32 ":%" PRIx64 ":%" PRIx32 ":", number, initial,
             is_builtin);
    put_text(into, text);
    put_in_hex(into, take_text(packet));
    put_text(into, "\n");
}

// Lines of `kind` about a tracepoint with a text each, which is in hexadecimal digits if it is a
// source of the user (`word`; NULL: it is none).
static void put_piece(struct conversion *into, char kind, const char *place, const char *word,
                      const char *text)
{
    char line[TEXT_BYTES];
    if (!*text && word)
        return;
    snprintf(line, sizeof line, "tp %c%s:", kind, place);
    put_text(into, line);
    if (word) {
        snprintf(line, sizeof line, "%s:0:%zx:", word, strlen(text));
        put_text(into, line);
        put_in_hex(into, text);
    } else {
        put_text(into, text);
    }
    put_text(into, "\n");
}

static void put_pieces(struct conversion *into, struct packet *packet, char kind, const char *place,
                       const char *word)
{
    uint32_t count = take_u32(packet);
    for (uint32_t i = 0; i < count && !packet->is_bad; i++)
        put_piece(into, kind, place, word, take_text(packet));
}

// Whether it is fast or static is only in a number that differs between versions of GDB.
static void put_tracepoint(struct conversion *into, struct packet *packet)
{
    char text[TEXT_BYTES], place[40];
    uint64_t address = take_u64(packet), usage = take_u64(packet);
    uint32_t number = take_u32(packet), is_enabled = take_u32(packet), steps = take_u32(packet),
             passes = take_u32(packet), hits = take_u32(packet);
    take_u32(packet); // the type
    const char *condition = take_text(packet);
    snprintf(place, sizeof place, "%" PRIx32 ":%" PRIx64, number, address);
    snprintf(text, sizeof text, "tp T%s:%c:%" PRIx32 ":%" PRIx32, place, is_enabled ? 'E' : 'D',
             steps, passes);
    put_text(into, text);
    if (*condition) {
        snprintf(text, sizeof text, ":X%zx,", strlen(condition) / 2);
        put_text(into, text);
        put_text(into, condition);
    }
    put_text(into, "\n");
    put_pieces(into, packet, 'A', place, NULL);
    put_pieces(into, packet, 'S', place, NULL);
    put_piece(into, 'Z', place, "at", take_text(packet));
    put_piece(into, 'Z', place, "cond", take_text(packet));
    put_pieces(into, packet, 'Z', place, "cmd");
    snprintf(text, sizeof text, "tp V%s:%" PRIx32 ":%" PRIx64 "\n", place, hits, usage);
    put_text(into, text);
}

static void put_definitions(struct conversion *into, struct packet *packet)
{
    while (packet->at < packet->size && !packet->is_bad) {
        switch (take_u32(packet)) {
        case CTF_FRAME:
            break;
        case CTF_STATUS:
            put_status(into, packet);
            break;
        case CTF_VARIABLE_DEFINITION:
            put_variable(into, packet);
            break;
        case CTF_TRACEPOINT:
            put_tracepoint(into, packet);
            break;
        default:
            packet->is_bad = true;
        }
    }
}

// --- Frames --------------------------------------------------------------------------------------

static void put_block(struct conversion *into, struct packet *packet)
{
    const uint8_t *contents;
    uint64_t number;
    switch (take_u32(packet)) {
    case CTF_FRAME:
        return;
    case CTF_REGISTERS:
        contents = take(packet, into->register_bytes, 1);
        if (!contents)
            return;
        put(into, "R", 1);
        put(into, contents, into->register_bytes);
        return;
    case CTF_MEMORY: {
        number = take_u64(packet);
        const uint8_t *length = take(packet, 2, 2);
        uint16_t size = length ? load_u16(length, packet->is_big_endian) : 0;
        contents = take(packet, size, 1);
        if (!contents)
            return;
        put(into, "M", 1);
        put_number(into, number, 8);
        put_number(into, size, 2);
        put(into, contents, size);
        return;
    }
    case CTF_VARIABLE: {
        number = take_u64(packet);
        uint32_t variable = take_u32(packet);
        if (packet->is_bad)
            return;
        put(into, "V", 1);
        put_number(into, variable, 4);
        put_number(into, number, 8);
        return;
    }
    default:
        packet->is_bad = true;
    }
}

static void put_frame(struct conversion *into, struct packet *packet, uint16_t number)
{
    put_number(into, number, 2);
    size_t at = into->made->count;
    put_number(into, 0, 4);
    while (packet->at < packet->size && !packet->is_bad)
        put_block(into, packet);
    size_t end = into->made->count;
    if (!into->has_memory)
        return;
    into->made->count = at;
    put_number(into, end - at - 4, 4);
    into->made->count = end;
}

// --- The stream ----------------------------------------------------------------------------------

// The size of the registers, from "ascii contents[N];" of their event. False: it is not GDB's.
static bool find_register_bytes(const char *metadata, uint32_t *size)
{
    const char *event = strstr(metadata, "name = \"register\"");
    const char *contents = event ? strstr(event, "contents[") : NULL;
    char *end = NULL;
    unsigned long long number = contents ? strtoull(contents + strlen("contents["), &end, 10) : 0;
    *size = (uint32_t)number;
    return strstr(metadata, "name = \"tp_def\"") && contents && *end == ']' && number <= UINT32_MAX;
}

enum status tfile_ctf_convert(struct bytes *made, const uint8_t *stream, uint64_t size_bytes,
                              const char *metadata, enum tfile_byte_order order,
                              struct trace_damage *damage, struct error *err)
{
    struct conversion into = {.made = made, .has_memory = true};
    char text[TEXT_BYTES];
    bool has_frames = false;
    uint64_t at = 0;
    if (!tfile_ctf_is(stream, size_bytes) || !find_register_bytes(metadata, &into.register_bytes))
        return error_set(err, STATUS_INPUT,
                         "is a trace in the Common Trace Format, but not of GDB's tracepoints");
    into.is_big_endian = load_u32(stream, true) == CTF_MAGIC;
    into.is_big_target =
        order == TFILE_ORDER_UNKNOWN ? into.is_big_endian : order == TFILE_BIG_ENDIAN;
    snprintf(text, sizeof text, "\x7fTRACE0\nR %" PRIx32 "\n", into.register_bytes);
    put_text(&into, text);
    while (at < size_bytes) {
        struct packet packet = {stream + at, PACKET_HEAD_BYTES, 0, into.is_big_endian, false};
        uint64_t left = size_bytes - at, bytes = 0;
        if (left >= PACKET_HEAD_BYTES && load_u32(stream + at, into.is_big_endian) == CTF_MAGIC) {
            bytes = load_u32(stream + at + 8, into.is_big_endian) / 8;
            packet.size = load_u32(stream + at + 4, into.is_big_endian) / 8;
        }
        packet.is_bad = bytes < PACKET_HEAD_BYTES || packet.size > bytes || bytes > left;
        uint16_t number = packet.is_bad ? 0 : load_u16(stream + at + 12, into.is_big_endian);
        if (!packet.is_bad && number && !has_frames)
            put_text(&into, "\n");
        has_frames |= number != 0;
        if (!packet.is_bad && number)
            put_frame(&into, &packet, number);
        else if (!packet.is_bad && packet.size && !has_frames)
            put_definitions(&into, &packet);
        else if (packet.size) // the last one fills the file up
            packet.is_bad = true;
        if (packet.is_bad)
            trace_damage_add(damage, &(struct trace_fault){TFILE_FAULT_PACKET, 0, at, left});
        if (!into.has_memory)
            return error_set(err, STATUS_MEMORY, "no memory for the frames");
        at += packet.is_bad ? left : bytes;
    }
    put(&into, has_frames ? "\0\0\0" : "\n\0\0\0", 4);
    return into.has_memory ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory for the frames");
}
