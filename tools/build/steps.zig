//! Steps for developers: tests, benchmarks, format, lint, demo.
const std = @import("std");
const programs = @import("programs.zig");
const sources = @import("sources.zig");

pub fn addTest(b: *std.Build, how: programs.How, core: *std.Build.Step.Compile) void {
    const built = b.step("test-programs", "Build what the tests run; tests/run.py SUITE runs some");
    const run = programs.addCommand(b, &.{ "python3", "tests/run.py" });
    run.step.dependOn(built);
    built.dependOn(b.getInstallStep());
    for ([_]*std.Build.Step.Compile{
        programs.addProgram(b, how, "trawl-unit", how.sources.unit_tests, core),
        programs.addProgram(b, how, "make-index", &.{"tests/support/make_index.c"}, core),
        programs.addProgram(b, how, "frame-rows", &.{"tests/support/frame_rows.c"}, core),
        programs.addProgram(b, how, "effects-rows", &.{"tests/support/effects_rows.c"}, core),
        programs.addProgram(b, how, "small-threads", &.{"tests/support/small_threads.c"}, core),
        programs.addProgram(b, how, "trawl-toy", &.{ "src/main.c", "tests/kind/kinds.c", "tests/kind/toy.c" }, core),
        addSeeds(b, how, core),
    }) |program| {
        const install = b.addInstallArtifact(program, .{ .dest_dir = .{ .override = .{ .custom = "tests" } } });
        built.dependOn(&install.step);
    }
    built.dependOn(&addPreloadable(b, how, core).step);
    for ([_][]const u8{ "failing_memory", "failing_calls", "fork_server" }) |name| built.dependOn(&addPreloaded(b, how, name).step);
    // Programs without system libraries, run by an emulator (tests/program/test_bare.py).
    var arm = how;
    arm.target = b.resolveTargetQuery(.{ .cpu_arch = .aarch64, .os_tag = .linux, .abi = .musl });
    arm.bare = true;
    const arm_core = programs.addCore(b, arm);
    for ([_]*std.Build.Step.Compile{
        programs.addProgram(b, arm, "trawl", &.{"src/main.c"}, arm_core),
        programs.addProgram(b, arm, "trawl-unit", how.sources.bare_unit_tests, arm_core),
    }) |program| {
        const install = b.addInstallArtifact(program, .{ .dest_dir = .{ .override = .{ .custom = "tests/aarch64" } } });
        built.dependOn(&install.step);
    }
    // Builds the benchmarks' sources, so that a change that breaks them is noticed even without their libraries.
    const others = b.addObject(.{ .name = "others", .root_module = programs.addModule(b, how, how.sources.bench_stages) });
    built.dependOn(&others.step);
    b.step("test", "Run every test; ends with 'N passed, N failed'").dependOn(&run.step);
}

/// Libraries that tests preload: to make allocations or system calls fail (tests/faults/test_memory.py and
/// tests/faults/test_faults.py), and to load a program once for many runs (tests/support/quick.py).
fn addPreloaded(b: *std.Build, how: programs.How, name: []const u8) *std.Build.Step.InstallArtifact {
    const module = b.createModule(.{ .target = how.target, .optimize = how.optimize, .sanitize_c = .off, .link_libc = true });
    module.addCSourceFiles(.{ .files = &.{b.fmt("tests/support/{s}.c", .{name})}, .flags = &(programs.flags ++ .{ "-fno-builtin", "-fvisibility=default" }) });
    if (how.target.query.isNativeOs()) module.addAfterIncludePath(.{ .cwd_relative = "/usr/include" });
    const library = b.addLibrary(.{ .name = name, .linkage = .dynamic, .root_module = module });
    return b.addInstallArtifact(library, .{ .dest_dir = .{ .override = .{ .custom = "tests" } } });
}

/// The program with an allocator that can be replaced when it starts, in tests/preloadable.
fn addPreloadable(b: *std.Build, how: programs.How, core: *std.Build.Step.Compile) *std.Build.Step.InstallArtifact {
    const program = programs.addProgram(b, how, "trawl", &.{"src/main.c"}, core);
    programs.linkLibrary(b, how, program.root_module, "jemalloc");
    return b.addInstallArtifact(program, .{ .dest_dir = .{ .override = .{ .custom = "tests/preloadable" } } });
}

/// All fuzz targets in one program without a fuzzer (tests/fuzz/seeds.c).
fn addSeeds(b: *std.Build, how: programs.How, core: *std.Build.Step.Compile) *std.Build.Step.Compile {
    const program = programs.addProgram(b, how, "trawl-seeds", &.{}, core);
    for (how.sources.fuzz_targets) |name| {
        const entry = b.fmt("-DLLVMFuzzerTestOneInput=fuzz_{s}", .{name});
        program.root_module.addCSourceFile(.{
            .file = b.path(b.fmt("tests/fuzz/{s}_fuzz.c", .{name})),
            .flags = sources.concat(b, &.{ &programs.flags, &.{entry} }),
        });
    }
    program.root_module.addCSourceFile(.{
        .file = b.path("tests/fuzz/seeds.c"),
        .flags = sources.concat(b, &.{ &programs.flags, &.{seedTargets(b, how.sources)} }),
    });
    return program;
}

/// The list of fuzz targets for tests/fuzz/seeds.c, as a macro.
pub fn seedTargets(b: *std.Build, files: sources.Sources) []const u8 {
    var list: []const u8 = "-DFUZZ_TARGETS(X)=";
    for (files.fuzz_targets) |name| list = b.fmt("{s}X({s}) ", .{ list, name });
    return list;
}

/// The script decides at run time where its trace comes from, so that no build fails because Unicorn
/// is missing. Its commands can be repeated, because the programs are installed.
pub fn addDemo(b: *std.Build, program: *std.Build.Step.Compile) void {
    const run = programs.addCommand(b, &.{ "tools/demo", b.graph.zig_exe, b.install_path });
    run.addArtifactArg(program);
    run.step.dependOn(b.getInstallStep());
    b.step("demo", "Trace an Arm program; show its profile, call tree and flame graph").dependOn(&run.step);
}

/// google-benchmark is built for Debian's C++ library, not for Zig's: g++ links the benchmarks, with
/// the C parts as one archive without sanitizers.
pub fn addBench(b: *std.Build, how: programs.How, only: ?[]const u8) void {
    const step = b.step("bench", "Build and run the microbenchmarks (needs google-benchmark and g++)");
    var fast = how;
    fast.optimize = .ReleaseFast;
    fast.sanitize_c = .off;
    fast.wants_lto = true;
    const stages = b.addLibrary(.{
        .name = "trawlstages",
        .root_module = programs.addModule(b, fast, sources.concat(b, &.{ how.sources.core, how.sources.bench_stages })),
        .linkage = .static,
    });
    for (how.sources.benchmarks) |name| {
        if (only) |wanted| if (!std.mem.eql(u8, wanted, name)) continue;
        const link = b.addSystemCommand(&.{ "g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-o" });
        const program = link.addOutputFileArg(b.fmt("bench-{s}", .{name}));
        link.addFileArg(b.path(b.fmt("bench/{s}.cpp", .{name})));
        for ([_][]const u8{ "bench/columns.h", "bench/kernels.h", "bench/queries.h", "bench/sframe.h", "bench/stages.h", "bench/tfile.h", "bench/traces.hpp" }) |header| link.addFileInput(b.path(header));
        for (programs.include_dirs) |dir| link.addArg(b.fmt("-I{s}", .{b.pathFromRoot(dir)}));
        link.addArtifactArg(stages);
        link.addArgs(&.{ "-lbenchmark", "-lpthread" });
        programs.addSystemLibraries(link);
        const install = b.addInstallFile(program, b.fmt("bench/{s}", .{name}));
        const run = programs.addCommand(b, &.{ b.getInstallPath(.prefix, b.fmt("bench/{s}", .{name})), "--benchmark_min_time=0.3" });
        if (b.args) |args| run.addArgs(args);
        run.step.dependOn(&install.step);
        run.step.dependOn(b.getInstallStep()); // one of them uses the program itself as an image
        step.dependOn(&run.step);
    }
}

/// Not part of the tests: it needs root and programs of the system.
pub fn addSlurm(b: *std.Build) void {
    const run = programs.addCommand(b, &.{ "python3", "tests/farm/slurm.py", b.install_path });
    if (b.args) |arguments| run.addArgs(arguments);
    run.step.dependOn(b.getInstallStep());
    b.step("slurm", "Test 'farm slurm' on a Slurm that this starts, as root (-- --install: gets it by apt-get)").dependOn(&run.step);
}

/// A release has its own builds, without any of the options of this build.
pub fn addRelease(b: *std.Build) void {
    const run = programs.addCommand(b, &.{ "tools/release/make.py", b.getInstallPath(.prefix, "release") });
    if (b.args) |args| run.addArgs(args);
    b.step("release", "Make packages, archives, their checksums and a bill of materials in zig-out/release").dependOn(&run.step);
}

pub fn addFmt(b: *std.Build) void {
    const check = b.option(bool, "check", "fmt: change nothing, fail if there is something to change") orelse false;
    const run = programs.addCommand(b, &.{ "tools/format", b.graph.zig_exe });
    if (check) run.addArg("--check");
    b.step("fmt", "Format all C, C++ and Zig (needs clang-format 14; -Dcheck only checks)").dependOn(&run.step);
}

pub fn addLint(b: *std.Build) void {
    const run = programs.addCommand(b, &.{"tools/lint"});
    b.step("lint", "Check C, shell and Python sources with the linters that are there").dependOn(&run.step);
}
