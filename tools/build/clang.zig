//! Builds with clang, because Zig's compiler has no runtime for them: sanitizers, fuzzers, coverage.
const std = @import("std");
const installing = @import("install.zig");
const programs = @import("programs.zig");
const steps = @import("steps.zig");
const sources = @import("sources.zig");
const Sources = sources.Sources;

/// The program ends at the first fault that a sanitizer finds.
const sanitizer_flags = [_][]const u8{ "-O1", "-gline-tables-only", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all" };

const coverage_flag = "-fprofile-instr-generate";

/// Flags for the targets of libFuzzer, and for those of AFL++, which are the same targets built with its compiler.
const fuzz_flags = FuzzFlags{ .compile = "-fsanitize=fuzzer-no-link,address,undefined", .link = "-fsanitize=fuzzer,address,undefined" };
const afl_flags = FuzzFlags{ .compile = "-fno-sanitize=all", .link = "-fsanitize=fuzzer" };
const FuzzFlags = struct { compile: []const u8, link: []const u8 };

/// The suites that run with each sanitizer. ThreadSanitizer: everything with threads (tests/same/test_threads.py).
const Sanitized = struct { name: []const u8, flag: []const u8, suites: []const []const u8, about: []const u8 };

const sanitized = [_]Sanitized{
    .{
        .name = "asan",
        .flag = "-fsanitize=address,undefined",
        .suites = &.{ "unit", "seeds", "lies", "golden", "random", "corpus", "coverage", "threads", "check", "origin" },
        .about = "Run the tests under AddressSanitizer and UBSan (needs clang; -Dsample: the quick ones)",
    },
    .{
        .name = "tsan",
        .flag = "-fsanitize=thread",
        .suites = &.{ "unit", "threads", "golden" },
        .about = "Run what has threads under ThreadSanitizer (needs clang; -Dsample: the quick ones)",
    },
};

/// The suites that CI has time for.
const sample_suites = [_][]const u8{ "unit", "seeds", "threads", "check" };

pub fn addSanitizers(b: *std.Build, files: Sources) void {
    const sample = b.option(bool, "sample", "asan, tsan, valgrind: only what is quick") orelse false;
    for (sanitized) |how| addSanitized(b, files, how, sample);
    const valgrind = programs.addCommand(b, &.{ "python3", "tests/support/valgrind.py" });
    if (sample) valgrind.addArg("--sample");
    valgrind.step.dependOn(b.getInstallStep());
    b.step("valgrind", "Run a sample of commands under Valgrind's memcheck (needs valgrind)").dependOn(&valgrind.step);
}

fn addSanitized(b: *std.Build, files: Sources, how: Sanitized, sample: bool) void {
    const objects = addClangObjects(b, how.flag, &.{}, files.core);
    const prefix = b.fmt("zig-out/{s}", .{how.name});
    const built = b.step(b.fmt("{s}-programs", .{how.name}), b.fmt("Build what {s} runs", .{how.name}));
    const run = programs.addCommand(b, &.{ "python3", "tests/run.py", "--prefix", prefix });
    run.step.dependOn(built);
    for (how.suites) |suite| {
        if (!sample or contains(&sample_suites, suite)) run.addArg(suite);
    }
    run.setEnvironmentVariable("UBSAN_OPTIONS", "print_stacktrace=1");
    run.setEnvironmentVariable("TSAN_OPTIONS", "halt_on_error=1 exitcode=66");
    run.setEnvironmentVariable("TRAWL_SANDBOX", "off"); // it would prevent sanitizers from finding the names of functions
    if (contains(how.suites, "seeds")) {
        const install_seeds = b.addInstallFile(addClangSeeds(b, files, how.flag, objects), b.fmt("{s}/tests/trawl-seeds", .{how.name}));
        built.dependOn(&install_seeds.step);
    }
    const linked = [_]struct { []const u8, []const []const u8 }{
        .{ "bin/trawl", &.{"src/main.c"} },
        .{ "tests/trawl-unit", files.unit_tests },
    };
    for (linked) |program| {
        const own = addClangObjects(b, how.flag, &.{}, program[1]);
        const link = addClangProgram(b, how.flag, program[0], own, objects);
        const install = b.addInstallFile(link, b.fmt("{s}/{s}", .{ how.name, program[0] }));
        built.dependOn(&install.step);
        if (program[1].len > 1) continue;
        for (installing.ttu_names) |name| {
            const path = b.getInstallPath(.prefix, b.fmt("{s}/bin/{s}", .{ how.name, name }));
            const alias = b.addSystemCommand(&.{ "ln", "-sf", "trawl", path });
            alias.has_side_effects = true;
            alias.step.dependOn(&install.step);
            built.dependOn(&alias.step);
        }
    }
    b.step(how.name, how.about).dependOn(&run.step);
}

fn contains(names: []const []const u8, wanted: []const u8) bool {
    for (names) |name| if (std.mem.eql(u8, name, wanted)) return true;
    return false;
}

/// Measures which code the fuzz targets reach, with their seeds and with an additional corpus.
pub fn addCoverage(b: *std.Build, files: Sources) void {
    const corpus_dir = b.option([]const u8, "corpus", "coverage: a directory with a further corpus for each target");
    const objects = addClangObjects(b, coverage_flag, &.{}, files.core);
    const install = b.addInstallFile(addClangSeeds(b, files, coverage_flag, objects), "coverage/trawl-seeds");
    const run = programs.addCommand(b, &.{ "python3", "tests/fuzz/coverage.py", b.getInstallPath(.prefix, "coverage") });
    if (corpus_dir) |dir| run.addArg(dir);
    run.step.dependOn(&install.step);
    b.step("coverage", "Measure what the fuzz targets reach (needs clang, llvm-profdata and llvm-cov)").dependOn(&run.step);
}

pub fn addFuzz(b: *std.Build, files: Sources, only: ?[]const u8) void {
    const seconds = b.option(u32, "seconds", "fuzz, afl: how long each target runs (default 20)") orelse 20;
    addFuzzers(b, files, only, seconds, fuzz_flags, "fuzz", "tests/fuzz/run", "Fuzz every target for -Dseconds=N (needs clang)");
    addFuzzers(b, files, only, seconds, afl_flags, "afl", "tests/fuzz/run_afl", "The same by AFL++ (needs afl++)");
}

/// Each target continues with the inputs that it found before, in zig-out/STEP.
fn addFuzzers(
    b: *std.Build,
    files: Sources,
    only: ?[]const u8,
    seconds: u32,
    flags: FuzzFlags,
    step_name: []const u8,
    runner: []const u8,
    about: []const u8,
) void {
    const step = b.step(step_name, about);
    const objects = addClangObjects(b, flags.compile, &.{}, files.core);
    for (files.fuzz_targets) |name| {
        if (only) |wanted| if (!std.mem.eql(u8, wanted, name)) continue;
        const file = b.fmt("tests/fuzz/{s}_fuzz.c", .{name});
        const program = addClangProgram(b, flags.link, name, addClangObjects(b, flags.compile, &.{}, &.{file}), objects);
        const install = b.addInstallFile(program, b.fmt("{s}/{s}", .{ step_name, name }));
        const run = programs.addCommand(b, &.{ runner, name, b.fmt("{d}", .{seconds}) });
        run.addArg(b.getInstallPath(.prefix, step_name));
        run.step.dependOn(&install.step);
        step.dependOn(&run.step);
    }
}

fn compilerFor(flag: []const u8) []const u8 {
    const is_afl = std.mem.eql(u8, flag, afl_flags.compile) or std.mem.eql(u8, flag, afl_flags.link);
    return if (is_afl) "afl-clang-fast" else "clang";
}

/// One object per source, compiled by clang with flags for which Zig's compiler has no runtime.
fn addClangObjects(b: *std.Build, sanitizers: []const u8, defines: []const []const u8, files: []const []const u8) []const std.Build.LazyPath {
    const objects = b.allocator.alloc(std.Build.LazyPath, files.len) catch @panic("OOM");
    for (files, objects) |file, *object| {
        const name = std.fs.path.stem(file);
        const run = b.addSystemCommand(&.{ compilerFor(sanitizers), sanitizers, "-c" });
        run.setName(b.fmt("{s} {s} {s}", .{ compilerFor(sanitizers), sanitizers, file }));
        run.addArgs(&sanitizer_flags);
        const covers = std.mem.eql(u8, sanitizers, coverage_flag);
        if (covers) run.addArg("-fcoverage-mapping");
        const fuzzes = std.mem.eql(u8, sanitizers, fuzz_flags.compile) or std.mem.eql(u8, sanitizers, afl_flags.compile);
        if (covers or fuzzes) run.addArg("-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION");
        run.addArgs(&programs.flags);
        run.addArgs(defines);
        if (sources.embeddedFlag(b, file)) |flag| run.addArg(flag);
        for (programs.include_dirs) |dir| run.addArg(b.fmt("-I{s}", .{b.pathFromRoot(dir)}));
        run.addFileArg(b.path(file));
        run.addArgs(&.{ "-MD", "-MF" });
        _ = run.addDepFileOutputArg(b.fmt("{s}.d", .{name}));
        run.addArg("-o");
        object.* = run.addOutputFileArg(b.fmt("{s}.o", .{name}));
    }
    return objects;
}

fn addClangProgram(
    b: *std.Build,
    sanitizers: []const u8,
    name: []const u8,
    own: []const std.Build.LazyPath,
    objects: []const std.Build.LazyPath,
) std.Build.LazyPath {
    const link = b.addSystemCommand(&.{ compilerFor(sanitizers), sanitizers });
    link.setName(b.fmt("{s} {s} {s}", .{ compilerFor(sanitizers), sanitizers, name }));
    for (own) |object| link.addFileArg(object);
    for (objects) |object| link.addFileArg(object);
    programs.addSystemLibraries(link);
    link.addArgs(&.{ "-lpthread", "-lm", "-o" });
    return link.addOutputFileArg(std.fs.path.basename(name));
}

/// Like addSeeds, with objects compiled by clang.
fn addClangSeeds(b: *std.Build, files: Sources, sanitizers: []const u8, core: []const std.Build.LazyPath) std.Build.LazyPath {
    var objects = core;
    for (files.fuzz_targets) |name| {
        const file = b.fmt("tests/fuzz/{s}_fuzz.c", .{name});
        const entry = b.fmt("-DLLVMFuzzerTestOneInput=fuzz_{s}", .{name});
        objects = std.mem.concat(b.allocator, std.Build.LazyPath, &.{ objects, addClangObjects(b, sanitizers, &.{entry}, &.{file}) }) catch @panic("OOM");
    }
    const all = addClangObjects(b, sanitizers, &.{steps.seedTargets(b, files)}, &.{"tests/fuzz/seeds.c"});
    objects = std.mem.concat(b.allocator, std.Build.LazyPath, &.{ objects, all }) catch @panic("OOM");
    return addClangProgram(b, sanitizers, "trawl-seeds", &.{}, objects);
}
