//! Installs files, and removes them again.
const std = @import("std");
const about = @import("../../build.zig.zon");
const programs = @import("programs.zig");
const sources = @import("sources.zig");

/// The names of the tools of Arm's Tarmac Trace Utilities that trawl replaces.
pub const ttu_names = [_][]const u8{ "tarmac-browser", "tarmac-callinfo", "tarmac-calltree", "tarmac-flamegraph", "tarmac-gui-browser", "tarmac-profile", "tarmac-vcd" };

/// Installs a symbolic link next to the program, which behaves according to the name it was called by.
pub fn installName(b: *std.Build, trawl: *std.Build.Step.Compile, name: []const u8) void {
    const link = b.addSystemCommand(&.{ "ln", "-sf", "trawl", b.getInstallPath(.bin, name) });
    link.has_side_effects = true;
    link.step.dependOn(&b.addInstallArtifact(trawl, .{}).step);
    b.getInstallStep().dependOn(&link.step);
}

pub fn runsHere(target: std.Build.ResolvedTarget) bool {
    return target.query.cpu_arch == null and target.query.isNativeOs();
}

/// Installs manual pages and completions, which the program makes from its own tables.
pub fn installManuals(b: *std.Build, trawl: *std.Build.Step.Compile) void {
    const make = b.addSystemCommand(&.{ "tools/manuals", "make" });
    make.setCwd(b.path("."));
    make.addFileInput(b.path("tools/manuals"));
    for (written_pages) |page| make.addFileInput(b.path(page));
    make.addArtifactArg(trawl);
    const made = make.addOutputDirectoryArg("share");
    b.installDirectory(.{ .source_dir = made, .install_dir = .prefix, .install_subdir = "share" });
    b.installFile("src/gdb/commands.py", "share/trawl/commands.py"); // for a GDB that trawl did not start
    b.installFile("src/session/os.txt", "share/trawl/os.txt"); // to begin one's own with
}

const written_pages = [_][]const u8{ "docs/man/trawl-formats.7", "docs/man/trawl-index.5", "docs/man/trawl-positions.7" };

pub fn addLibrary(b: *std.Build, how: programs.How) void {
    const step = b.step("lib", "Build and install libtrawl, which reads indexes");
    var plain = how;
    plain.sanitize_c = .off;
    const shared = addSharedLibrary(b, plain);
    shared.installHeader(b.path("idx/trawl.h"), "trawl.h");
    step.dependOn(&b.addInstallArtifact(shared, .{}).step);
    step.dependOn(&b.addInstallLibFile(staticLibrary(b, plain), "libtrawl.a").step);
    step.dependOn(&b.addInstallLibFile(pkgConfigFile(b, "trawl", "Reads the index that trawl makes of an execution trace"), "pkgconfig/trawl.pc").step);
    b.getInstallStep().dependOn(step);
}

/// libtrawl2, which opens traces.
pub fn addTraceLibrary(b: *std.Build, how: programs.How, core: *std.Build.Step.Compile) void {
    const shared = programs.addTraceLibrary(b, how, core, std.SemanticVersion.parse(about.version) catch unreachable);
    shared.installHeader(b.path("src/lib/trawl2.h"), "trawl2.h");
    const step = b.step("lib2", "Build and install libtrawl2, which opens traces");
    step.dependOn(&b.addInstallArtifact(shared, .{}).step);
    for ([_][]const u8{ "__init__.py", "_library.py", "py.typed" }) |name|
        step.dependOn(&b.addInstallFile(b.path(b.fmt("src/lib/python/trawl/{s}", .{name})), b.fmt("share/trawl/python/trawl/{s}", .{name})).step);
    step.dependOn(&b.addInstallLibFile(pkgConfigFile(b, "trawl2", "Opens execution traces and answers what trawl answers"), "pkgconfig/trawl2.pc").step);
    b.getInstallStep().dependOn(step);
}

fn addSharedLibrary(b: *std.Build, how: programs.How) *std.Build.Step.Compile {
    const library = b.addLibrary(.{
        .name = "trawl",
        .linkage = .dynamic,
        .version = std.SemanticVersion.parse(about.version) catch unreachable,
        .root_module = programs.addModule(b, how, &sources.library),
    });
    library.setVersionScript(b.path("idx/trawl.map"));
    library.lto = how.lto();
    return library;
}

/// One object, whose internal names cannot clash with those of a program. The archive contains it under its
/// bare name, as other tools expect, and not under the path where it was built.
fn staticLibrary(b: *std.Build, how: programs.How) std.Build.LazyPath {
    const object = b.addObject(.{ .name = "trawlreader", .root_module = programs.addModule(b, how, &sources.library) });
    const hide = b.addRunArtifact(b.addExecutable(.{
        .name = "hide_symbols",
        .root_module = b.createModule(.{
            .root_source_file = b.path("tools/build/hide_symbols.zig"),
            .target = b.graph.host,
        }),
    }));
    hide.addArtifactArg(object);
    const pack = b.addSystemCommand(&.{ b.graph.zig_exe, "ar", "rcsD" });
    const archive = pack.addOutputFileArg("libtrawl.a");
    pack.addFileArg(hide.addOutputFileArg("trawl.o"));
    return archive;
}

/// Contains paths relative to the file itself, so that the whole installation can be moved.
fn pkgConfigFile(b: *std.Build, name: []const u8, description: []const u8) std.Build.LazyPath {
    return b.addWriteFiles().add(b.fmt("{s}.pc", .{name}), b.fmt(
        \\prefix=${{pcfiledir}}/../..
        \\libdir=${{pcfiledir}}/..
        \\includedir=${{prefix}}/include
        \\
        \\Name: {s}
        \\Description: {s}
        \\Version: {s}
        \\Libs: -L${{libdir}} -l{s}
        \\Cflags: -I${{includedir}}
        \\
    , .{ name, description, about.version, name }));
}

/// Removes what `install` installed, found from its steps; Zig itself panics here. Directories
/// stay, because others may use them.
pub fn addUninstall(b: *std.Build, trawl: *std.Build.Step.Compile) void {
    const remove = b.addSystemCommand(&.{ "rm", "-f", "--" });
    remove.has_side_effects = true;
    addInstalled(b, remove, b.getInstallStep());
    for (ttu_names) |name| remove.addArg(b.getInstallPath(.bin, name)); // links, by installName
    const step = b.getUninstallStep();
    step.makeFn = makeNothing;
    step.dependOn(&remove.step);
    if (runsHere(trawl.root_module.resolved_target.?)) remove.step.dependOn(removeManuals(b));
}

/// The installed program knows which ones there are, so that nothing must be built.
fn removeManuals(b: *std.Build) *std.Build.Step {
    const remove = b.addSystemCommand(&.{ "tools/manuals", "remove" });
    remove.setCwd(b.path("."));
    remove.has_side_effects = true;
    remove.addArgs(&.{ b.getInstallPath(.bin, "trawl"), b.getInstallPath(.prefix, "share") });
    return &remove.step;
}

fn makeNothing(_: *std.Build.Step, _: std.Build.Step.MakeOptions) anyerror!void {}

/// Adds the paths of all files that a step, and the steps it depends on, install.
fn addInstalled(b: *std.Build, remove: *std.Build.Step.Run, step: *std.Build.Step) void {
    if (step.cast(std.Build.Step.InstallFile)) |file| {
        remove.addArg(b.getInstallPath(file.dir, file.dest_rel_path));
    } else if (step.cast(std.Build.Step.InstallArtifact)) |artifact| {
        const dir = artifact.dest_dir.?;
        remove.addArg(b.getInstallPath(dir, artifact.dest_sub_path));
        if (artifact.dylib_symlinks) |links| {
            for ([_][]const u8{ links.major_only_filename, links.name_only_filename }) |link| remove.addArg(b.getInstallPath(dir, link));
        }
        for (artifact.artifact.installed_headers.items) |header| remove.addArg(b.getInstallPath(artifact.h_dir.?, header.file.dest_rel_path));
    } else for (step.dependencies.items) |dependency| addInstalled(b, remove, dependency);
}
