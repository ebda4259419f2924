//! Which files are built into what. Folders determine this: all files that end in .c in `src`, `idx` and `simd`
//! are part of the program. Only what folders do not show is listed here.
const std = @import("std");

pub const Sources = struct {
    /// The program except for its main().
    core: []const []const u8,
    unit_tests: []const []const u8,
    /// The program without system libraries, for machines that have none, such as emulated ones.
    bare_core: []const []const u8,
    bare_unit_tests: []const []const u8,
    /// The face of libtrawl2.
    trace_library: []const []const u8,
    /// The names of tests/fuzz/NAME_fuzz.c and of bench/NAME.cpp.
    fuzz_targets: []const []const u8,
    benchmarks: []const []const u8,
    /// The C files of the benchmarks.
    bench_stages: []const []const u8,

    pub fn find(b: *std.Build) Sources {
        const all = concat(b, &.{ filesIn(b, "simd", ".c"), filesIn(b, "idx", ".c"), filesIn(b, "src", ".c") });
        const unit_tests = filesIn(b, "tests/unit", ".c");
        return .{
            .core = choose(b, all, isOfCore),
            .bare_core = choose(b, all, isOfBareCore),
            .unit_tests = unit_tests,
            .trace_library = choose(b, all, isOfLibrary),
            .bare_unit_tests = choose(b, unit_tests, needsNoLibrary),
            .fuzz_targets = stems(b, filesIn(b, "tests/fuzz", "_fuzz.c"), "_fuzz.c"),
            .benchmarks = stems(b, filesIn(b, "bench", ".cpp"), ".cpp"),
            .bench_stages = filesIn(b, "bench", ".c"),
        };
    }
};

/// The sources of libtrawl, which reads an index.
pub const library = [_][]const u8{
    "idx/access_columns.c",
    "idx/block.c",
    "idx/caller.c",
    "idx/calls.c",
    "idx/checkpoint.c",
    "idx/column.c",
    "idx/event_columns.c",
    "idx/events.c",
    "idx/functions.c",
    "idx/index.c",
    "idx/index_header.c",
    "idx/layout.c",
    "idx/live_regions.c",
    "idx/loads.c",
    "idx/memory.c",
    "idx/memory_rows.c",
    "idx/memory_series.c",
    "idx/memory_writes.c",
    "idx/nesting.c",
    "idx/numbers.c",
    "idx/parts.c",
    "idx/places.c",
    "idx/register_columns.c",
    "idx/register_layout.c",
    "idx/registers.c",
    "idx/sizes.c",
    "idx/source_lines.c",
    "idx/spaces.c",
    "idx/steps.c",
    "idx/stored.c",
    "idx/symbols.c",
    "idx/tasks.c",
    "idx/touched.c",
    "idx/verify.c",
    "simd/hash.c",
    "simd/hash_avx2.c",
    "simd/kernels.c",
    "simd/kernels_avx2.c",
    "simd/kernels_avx512.c",
    "simd/kernels_neon.c",
    "simd/simd.c",
    "src/base/arena.c",
    "src/base/error.c",
    "src/base/hash_index.c",
    "src/base/map.c",
    "src/base/stable_table.c",
    "src/base/vec.c",
};

/// Sources that use libelf, libdw, libiberty, expat, libyaml, ncurses, libmicrohttpd or a library that decompresses, and
/// their tests. src/bare.c replaces them.
const by_system_library = [_][]const u8{
    "src/base/library.c",
    "src/base/unpack/bzip2.c",
    "src/base/unpack/codec.c",
    "src/base/unpack/gzip.c",
    "src/base/unpack/lz4.c",
    "src/base/unpack/xz.c",
    "src/base/unpack/zstd.c",
    "src/dwarf/c_names.c",
    "src/dwarf/debug_call.c",
    "src/dwarf/debug_expression.c",
    "src/dwarf/debug_frame.c",
    "src/dwarf/debug_float.c",
    "src/dwarf/debug_print.c",
    "src/dwarf/debug_type.c",
    "src/dwarf/debug_value.c",
    "src/dwarf/debug_values.c",
    "src/dwarf/debug_variable.c",
    "src/dwarf/split_file.c",
    "src/dwarf/split_units.c",
    "src/elf/cfi.c",
    "src/elf/cfi_expression.c",
    "src/elf/cfi_program.c",
    "src/elf/debug_file.c",
    "src/elf/debug_server.c",
    "src/elf/demangle.c",
    "src/elf/exidx.c",
    "src/elf/image.c",
    "src/elf/image_extents.c",
    "src/elf/image_set.c",
    "src/elf/kernel_module.c",
    "src/elf/lines.c",
    "src/elf/sframe_section.c",
    "src/elf/symbols_build.c",
    "src/elf/symbols_lenient.c",
    "src/elf/symbols_strict.c",
    "src/report/packer.c",
    "src/trace/tfile/target_xml.c",
    "src/trace/xray/map.c",
    "src/trace/xray/yaml_events.c",
    "src/serve/http.c",
    "src/tui/tui.c",
    "tests/unit/demangle_test.c",
    "tests/unit/elf_test.c",
    "tests/unit/frame_rows_test.c",
    "tests/unit/lines_test.c",
    "tests/unit/stacks_test.c",
    "tests/unit/symbols_elf.c",
    "tests/unit/unwind_test.c",
    "tests/unit/xray_map_test.c",
};

/// Sources that include other files in the program by #embed or .incbin, which no compiler reports to the
/// build cache: the source, the folder of those files, and how their names end.
const embedding = [_]struct { []const u8, []const u8, []const []const u8 }{
    .{ "src/report/flame_svg.c", "src/report", &.{ ".css", ".js" } },
    .{ "src/serve/web.c", "src/serve/web", &.{ ".html", ".css", ".js" } },
    .{ "src/cmd/gdb.c", "src/gdb", &.{ ".py", ".gdb" } },
    .{ "src/session/os.c", "src/session", &.{".txt"} },
    .{ "src/cmd/demo.c", "corpus", &.{ "traces/corrupt-a64.it.tarmac", "typed/corrupt-a64.elf" } },
};

/// A flag that changes with the files that a source embeds. Null: it embeds none.
pub fn embeddedFlag(b: *std.Build, source: []const u8) ?[]const u8 {
    for (embedding) |row| {
        if (!std.mem.eql(u8, row[0], source)) continue;
        var hash: std.hash.Wyhash = .init(0);
        for (row[2]) |end| for (filesIn(b, row[1], end)) |file| {
            const text = b.build_root.handle.readFileAlloc(b.graph.io, file, b.allocator, .unlimited) catch |err| std.debug.panic("{s}: {s}", .{ file, @errorName(err) });
            hash.update(text);
        };
        return b.fmt("-DEMBEDDED_HASH={d}", .{hash.final()});
    }
    return null;
}

pub fn withoutEmbedding(b: *std.Build, files: []const []const u8) []const []const u8 {
    return choose(b, files, embedsNothing);
}

fn embedsNothing(file: []const u8) bool {
    for (embedding) |row| if (std.mem.eql(u8, row[0], file)) return false;
    return true;
}

fn isOfCore(file: []const u8) bool {
    return !isMain(file) and !isBare(file) and !isOfLibrary(file);
}

fn isOfBareCore(file: []const u8) bool {
    return !isMain(file) and !isOfLibrary(file) and needsNoLibrary(file);
}

/// Of libtrawl2, which is linked with the core.
fn isOfLibrary(file: []const u8) bool {
    return std.mem.startsWith(u8, file, "src/lib/");
}

fn isMain(file: []const u8) bool {
    return std.mem.eql(u8, file, "src/main.c");
}

fn isBare(file: []const u8) bool {
    return std.mem.eql(u8, file, "src/bare.c");
}

fn needsNoLibrary(file: []const u8) bool {
    for (by_system_library) |name| if (std.mem.eql(u8, name, file)) return false;
    return true;
}

fn choose(b: *std.Build, files: []const []const u8, is_chosen: *const fn ([]const u8) bool) []const []const u8 {
    var chosen: std.ArrayList([]const u8) = .empty;
    for (files) |file| if (is_chosen(file)) chosen.append(b.allocator, file) catch @panic("OOM");
    return chosen.items;
}

/// The paths of all files in a folder and below it whose names end in `end`, relative to the root and
/// sorted, so that programs do not depend on the order of files on the disk.
fn filesIn(b: *std.Build, folder: []const u8, end: []const u8) []const []const u8 {
    return walk(b, folder, end) catch |err| std.debug.panic("{s}: {s}", .{ folder, @errorName(err) });
}

fn walk(b: *std.Build, folder: []const u8, end: []const u8) ![]const []const u8 {
    const io = b.graph.io;
    var dir = try b.build_root.handle.openDir(io, folder, .{ .iterate = true });
    defer dir.close(io);
    var walker = try dir.walk(b.allocator);
    defer walker.deinit();
    var files: std.ArrayList([]const u8) = .empty;
    while (try walker.next(io)) |entry| {
        if (entry.kind == .file and std.mem.endsWith(u8, entry.basename, end))
            try files.append(b.allocator, b.fmt("{s}/{s}", .{ folder, entry.path }));
    }
    std.mem.sort([]const u8, files.items, {}, isBefore);
    return files.items;
}

fn isBefore(_: void, a: []const u8, b: []const u8) bool {
    return std.mem.lessThan(u8, a, b);
}

fn stems(b: *std.Build, files: []const []const u8, end: []const u8) []const []const u8 {
    const names = b.allocator.alloc([]const u8, files.len) catch @panic("OOM");
    for (files, names) |file, *name| {
        const base = std.fs.path.basename(file);
        name.* = base[0 .. base.len - end.len];
    }
    return names;
}

pub fn concat(b: *std.Build, lists: []const []const []const u8) []const []const u8 {
    return std.mem.concat(b.allocator, []const u8, lists) catch @panic("OOM");
}
