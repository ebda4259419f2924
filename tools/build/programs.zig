//! Flags, libraries and modules for compiling and linking the programs.
const std = @import("std");
const finding = @import("sources.zig");
const Sources = finding.Sources;

pub const include_dirs = [_][]const u8{ "src", ".", "tests", "tests/unit" };

/// Release builds run on every machine of the architecture, so no flag names a CPU.
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
    // Newer releases of a library deprecate what older ones need: expat 2.8 does so.
    "-Wno-deprecated-declarations",
};

/// Makes the C library check buffers of known sizes. Zig may define the macro itself, with another value.
const checked_flags = [_][]const u8{ "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2" };

const bare_flags = [_][]const u8{ "-DTRAWL_BARE", "-DTRAWL_WITHOUT_URING", "-DXXH_INLINE_ALL=" };

pub const system_libraries = [_][]const u8{ "libxxhash", "libelf", "libdw", "iberty", "liburing", "expat", "yaml", "ncursesw", "z", "liblzma", "bz2" };

/// curses.h needs a macro for wide characters that musl does not define by default.
const static_flags = [_][]const u8{ "-DNCURSES_WIDECHAR=1", "-DTRAWL_STATIC" };

/// Libraries that a program loads when it needs them; static programs are linked with them.
const loaded_libraries = [_][]const u8{ "libmicrohttpd", "libisal", "libzstd", "liblz4" };

pub const How = struct {
    target: std.Build.ResolvedTarget,
    optimize: std.builtin.OptimizeMode,
    sanitize_c: ?std.zig.SanitizeC = null,
    bare: bool = false,
    xxhash: []const u8 = "/usr/include/xxhash.h",
    /// Where tools/release/static_libraries put the libraries, for a program linked with them statically.
    static_libraries: ?[]const u8 = null,
    wants_lto: bool,
    sources: Sources,

    /// Link-time optimization: for every line, the line reader calls functions in several files.
    pub fn lto(how: How) ?std.zig.LtoMode {
        return if (how.wants_lto) .full else null;
    }

    /// Whether a program needs no library of the machine that it runs on.
    fn isAlone(how: How) bool {
        return how.bare or how.static_libraries != null;
    }

    pub fn cFlags(how: How) []const []const u8 {
        if (how.bare) return &(flags ++ bare_flags);
        if (how.static_libraries != null) return &(flags ++ static_flags);
        return if (how.optimize == .Debug) &flags else &(flags ++ checked_flags); // checked buffers need the optimizer
    }
};

pub fn addModule(b: *std.Build, how: How, files: []const []const u8) *std.Build.Module {
    const module = b.createModule(.{
        .target = how.target,
        .optimize = how.optimize,
        .sanitize_c = how.sanitize_c,
        .link_libc = true,
        // If a fault lets a file overwrite memory, addresses are unpredictable, and a function
        // checks the stack before it returns.
        .pic = true,
        .stack_protector = true,
        // strip cannot remove the symbols of a program for other machines later.
        .strip = if (how.static_libraries != null) true else null,
    });
    for (include_dirs) |dir| module.addIncludePath(b.path(dir));
    // On a machine without a C compiler, Zig searches /usr/include only for modules that link a system
    // library, which the core, an archive, must not.
    if (how.target.query.isNativeOs()) module.addAfterIncludePath(.{ .cwd_relative = "/usr/include" });
    if (how.bare) module.addIncludePath(b.addWriteFiles().addCopyFile(.{ .cwd_relative = how.xxhash }, "xxhash.h").dirname());
    if (how.static_libraries) |prefix| module.addSystemIncludePath(staticPath(b, how, prefix, "include"));
    for (files) |file| {
        const embedded = finding.embeddedFlag(b, file) orelse continue;
        module.addCSourceFile(.{ .file = b.path(file), .flags = finding.concat(b, &.{ how.cFlags(), &.{embedded} }) });
    }
    module.addCSourceFiles(.{ .files = finding.withoutEmbedding(b, files), .flags = how.cFlags() });
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
    if (!how.bare) for (system_libraries) |library| linkLibrary(b, how, module, library);
    if (how.static_libraries != null) for (loaded_libraries) |library| linkLibrary(b, how, module, library);
    const program = b.addExecutable(.{ .name = name, .root_module = module });
    // src/base/compiler_runtime.c explains this, and contains what the checks need.
    const is_fast = how.optimize == .ReleaseFast or how.optimize == .ReleaseSmall;
    program.bundle_compiler_rt = how.isAlone() or !is_fast;
    program.lto = how.lto();
    program.pie = true;
    return program;
}

pub fn linkLibrary(b: *std.Build, how: How, module: *std.Build.Module, name: []const u8) void {
    const prefix = how.static_libraries orelse {
        if (how.target.query.isNativeOs() and std.mem.eql(u8, name, "ncursesw")) {
            // Debian's libncursesw.so is a script that names libtinfo. On a machine without a C compiler, the
            // linker does not find libtinfo, so the files that the script names are given directly.
            if (packageFile(b, "ncursesw", "libncursesw.so.6")) |file| {
                module.addObjectFile(.{ .cwd_relative = file });
                return module.linkSystemLibrary("tinfo", .{});
            }
        }
        return module.linkSystemLibrary(name, .{});
    };
    module.addObjectFile(staticPath(b, how, prefix, b.fmt("lib/lib{s}.a", .{shortName(name)})));
}

/// libtrawl2: the core with another face, as a shared library. It has no screen, and no server.
pub fn addTraceLibrary(b: *std.Build, how: How, core: *std.Build.Step.Compile, version: std.SemanticVersion) *std.Build.Step.Compile {
    const module = addModule(b, how, how.sources.trace_library);
    module.linkLibrary(core);
    for (system_libraries) |library| {
        if (!std.mem.eql(u8, library, "ncursesw")) linkLibrary(b, how, module, library);
    }
    if (how.static_libraries != null) for (loaded_libraries) |library| {
        if (!std.mem.eql(u8, library, "libmicrohttpd")) linkLibrary(b, how, module, library);
    };
    const shared = b.addLibrary(.{ .name = "trawl2", .linkage = .dynamic, .version = version, .root_module = module });
    shared.setVersionScript(b.path("src/lib/trawl2.map"));
    shared.bundle_compiler_rt = how.isAlone() or !(how.optimize == .ReleaseFast or how.optimize == .ReleaseSmall);
    shared.link_gc_sections = true;
    shared.lto = how.lto();
    return shared;
}

/// The shared library of jemalloc needs the C++ run time, with which a command takes a third longer to start. Its
/// profiling, which is never used, needs libgcc_s to walk stacks.
pub fn linkAllocator(b: *std.Build, how: How, module: *std.Build.Module) void {
    const archive = if (how.static_libraries == null and how.target.query.isNativeOs()) packageFile(b, "jemalloc", "libjemalloc_pic.a") else null;
    const file = archive orelse return linkLibrary(b, how, module, "jemalloc");
    module.addObjectFile(.{ .cwd_relative = file });
    module.linkSystemLibrary("gcc_s", .{});
    module.linkSystemLibrary("m", .{});
}

/// A file next to the libraries of a package, if it is there.
fn packageFile(b: *std.Build, package: []const u8, name: []const u8) ?[]const u8 {
    var status: u8 = undefined;
    const said = b.runAllowFail(&.{ "pkg-config", "--variable=libdir", package }, &status, .ignore) catch return null;
    const file = b.pathJoin(&.{ std.mem.trim(u8, said, " \n"), name });
    std.Io.Dir.accessAbsolute(b.graph.io, file, .{}) catch return null;
    return file;
}

fn staticPath(b: *std.Build, how: How, prefix: []const u8, path: []const u8) std.Build.LazyPath {
    const libc = if (how.target.result.isMuslLibC()) "" else "-gnu";
    return .{ .cwd_relative = b.pathJoin(&.{ prefix, b.fmt("{s}{s}", .{ @tagName(how.target.result.cpu.arch), libc }), path }) };
}

/// The name of a library after `-l`.
fn shortName(library: []const u8) []const u8 {
    return if (std.mem.startsWith(u8, library, "lib")) library[3..] else library;
}

/// A command that runs in the root directory each time that it is requested, with visible output.
pub fn addCommand(b: *std.Build, words: []const []const u8) *std.Build.Step.Run {
    const run = b.addSystemCommand(words);
    run.setCwd(b.path("."));
    run.stdio = .inherit;
    run.has_side_effects = true;
    return run;
}

pub fn addSystemLibraries(link: *std.Build.Step.Run) void {
    for (system_libraries) |library| link.addArg(link.step.owner.fmt("-l{s}", .{shortName(library)}));
}
