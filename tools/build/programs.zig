//! How the programs are compiled and linked: flags, libraries, modules.
const std = @import("std");
const Sources = @import("sources.zig").Sources;

pub const include_dirs = [_][]const u8{ "src", ".", "tests", "tests/unit" };

/// Release builds are for every machine of the architecture, so no flag here names a CPU.
pub const flags = [_][]const u8{
    "-std=c11",
    "-D_GNU_SOURCE",
    "-fvisibility=hidden",
    "-fno-strict-aliasing",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wshadow",
    "-Wstrict-prototypes",
    "-Wmissing-prototypes",
    "-Wpointer-arith",
    "-Wcast-qual",
    "-Wwrite-strings",
    "-Wvla",
    "-Wconversion",
    "-Wno-sign-conversion",
};

/// The C library checks buffers whose sizes are known; Zig may say so itself, with another number.
const checked_flags = [_][]const u8{ "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2" };

const bare_flags = [_][]const u8{ "-DTRAWL_BARE", "-DTRAWL_WITHOUT_URING", "-DXXH_INLINE_ALL=" };

pub const system_libraries = [_][]const u8{ "libxxhash", "libelf", "libdw", "iberty", "liburing", "expat", "yaml", "ncursesw", "z", "libzstd", "liblzma", "liblz4", "bz2" };

pub const How = struct {
    target: std.Build.ResolvedTarget,
    optimize: std.builtin.OptimizeMode,
    sanitize_c: ?std.zig.SanitizeC = null,
    bare: bool = false,
    wants_lto: bool,
    sources: Sources,

    /// Across files: the line reader calls into several for every line.
    pub fn lto(how: How) ?std.zig.LtoMode {
        return if (how.wants_lto) .full else null;
    }

    pub fn cFlags(how: How) []const []const u8 {
        if (how.bare) return &(flags ++ bare_flags);
        return if (how.optimize == .Debug) &flags else &(flags ++ checked_flags); // which need the optimizer
    }
};

pub fn addModule(b: *std.Build, how: How, files: []const []const u8) *std.Build.Module {
    const module = b.createModule(.{
        .target = how.target,
        .optimize = how.optimize,
        .sanitize_c = how.sanitize_c,
        .link_libc = true,
        // Should a fault of ours let a file overwrite memory, it meets with addresses that nobody
        // knows, and with a stack that is looked at before a function returns by it.
        .pic = true,
        .stack_protector = true,
    });
    for (include_dirs) |dir| module.addIncludePath(b.path(dir));
    // On a machine without a C compiler Zig looks into /usr/include only for what links a system
    // library itself, which the core, an archive, must not.
    if (how.target.query.isNativeOs()) module.addAfterIncludePath(.{ .cwd_relative = "/usr/include" });
    // Of the system only a header that needs no library.
    if (how.bare) module.addIncludePath(b.addWriteFiles().addCopyFile(.{ .cwd_relative = "/usr/include/xxhash.h" }, "xxhash.h").dirname());
    module.addCSourceFiles(.{ .files = files, .flags = how.cFlags() });
    return module;
}

pub fn addCore(b: *std.Build, how: How) *std.Build.Step.Compile {
    const core = b.addLibrary(.{
        .name = "trawlcore",
        .root_module = addModule(b, how, if (how.bare) how.sources.bare_core else how.sources.core),
        .linkage = .static,
    });
    core.lto = how.lto();
    return core;
}

pub fn addProgram(
    b: *std.Build,
    how: How,
    name: []const u8,
    files: []const []const u8,
    core: *std.Build.Step.Compile,
) *std.Build.Step.Compile {
    const module = addModule(b, how, files);
    module.linkLibrary(core);
    if (!how.bare) for (system_libraries) |library| module.linkSystemLibrary(library, .{});
    const program = b.addExecutable(.{ .name = name, .root_module = module });
    // src/base/division.c says why; what checks need is there.
    const is_fast = how.optimize == .ReleaseFast or how.optimize == .ReleaseSmall;
    program.bundle_compiler_rt = how.bare or !is_fast;
    program.lto = how.lto();
    program.pie = true;
    return program;
}

/// A command that runs in the root whenever it is asked for, and whose output is seen.
pub fn addCommand(b: *std.Build, words: []const []const u8) *std.Build.Step.Run {
    const run = b.addSystemCommand(words);
    run.setCwd(b.path("."));
    run.stdio = .inherit;
    run.has_side_effects = true;
    return run;
}

pub fn addSystemLibraries(link: *std.Build.Step.Run) void {
    for (system_libraries) |library| {
        const name = if (std.mem.startsWith(u8, library, "lib")) library[3..] else library;
        link.addArg(link.step.owner.fmt("-l{s}", .{name}));
    }
}
