//! The build of trawl. `zig build -l` lists the steps; tools/zigw gets the pinned Zig first. How things
//! are built is in tools/build.
const std = @import("std");
const clang = @import("tools/build/clang.zig");
const corpus = @import("tools/build/corpus.zig");
const install = @import("tools/build/install.zig");
const programs = @import("tools/build/programs.zig");
const Sources = @import("tools/build/sources.zig").Sources;
const steps = @import("tools/build/steps.zig");

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{ .default_target = .{ .cpu_model = .baseline } });
    if (target.result.ptrBitWidth() != 64) std.process.fatal("trawl needs a 64-bit target: {s} is not", .{@tagName(target.result.cpu.arch)});
    const optimize = b.option(
        std.builtin.OptimizeMode,
        "optimize",
        "Debug, ReleaseSafe, ReleaseFast (default) or ReleaseSmall",
    ) orelse .ReleaseFast;
    const bare = b.option(bool, "bare", "without system libraries: reads no ELF images, writes without io_uring") orelse false;
    const xxhash = b.option([]const u8, "xxhash", "with -Dbare: the header of xxHash, of which nothing else is used (default: /usr/include/xxhash.h)") orelse "/usr/include/xxhash.h";
    const static = b.option([]const u8, "static", "with libraries that tools/release/static_libraries put there, all in the program; for -Dtarget=ARCH-linux-musl, and lib2 also for ARCH-linux-gnu.2.28");
    if (static != null and !target.result.isMuslLibC() and target.query.isNativeOs())
        std.process.fatal("-Dstatic needs -Dtarget=x86_64-linux-musl or aarch64-linux-musl", .{});
    const lto = b.option(bool, "lto", "optimize across files, as for a release: 1 or 2 % faster, but a change takes a minute to build") orelse false;
    const files: Sources = .find(b);
    const how: programs.How = .{ .target = target, .optimize = optimize, .bare = bare, .xxhash = xxhash, .static_libraries = static, .wants_lto = lto, .sources = files };

    const core = programs.addCore(b, how);
    const trawl = programs.addProgram(b, how, "trawl", &.{"src/main.c"}, core);
    if (!bare) programs.linkAllocator(b, how, trawl.root_module);
    b.installArtifact(trawl);
    for (install.ttu_names) |name| install.installName(b, trawl, name);
    if (install.runsHere(target)) install.installManuals(b, trawl);

    install.addLibrary(b, how);
    if (!bare) install.addTraceLibrary(b, how, core);

    const made = corpus.addSteps(b);
    steps.addTest(b, how, core);
    steps.addDemo(b, made.demo_program);
    const only = b.option([]const u8, "only", "bench and fuzz: only the program of this name");
    steps.addBench(b, how, only);
    clang.addSanitizers(b, files);
    clang.addFuzz(b, files, only);
    clang.addCoverage(b, files);
    steps.addSlurm(b);
    steps.addRelease(b);
    steps.addFmt(b);
    steps.addLint(b);
    install.addUninstall(b, trawl);
}
