//! The build of trawl. `zig build -l` lists the steps; tools/zigw gets the pinned Zig first.
const std = @import("std");

/// One row a floor of the house, from the ground up: a floor includes only what is below it.
const floors = [_][]const []const u8{
    &.{
        "src/base/arena.c",
        "src/base/error.c",
        "src/base/hashset.c",
        "src/base/map.c",
        "src/base/source.c",
        "src/base/spool.c",
        "src/base/vec.c",
    },
    &.{
        "src/report/csv.c",
        "src/report/flame_assets.c",
        "src/report/flame_layout.c",
        "src/report/flame_svg.c",
        "src/report/json.c",
        "src/report/out.c",
        "src/report/table.c",
        "src/report/utf8.c",
    },
    &.{
        "src/cli/diag.c",
        "src/cli/help.c",
        "src/cli/options.c",
        "src/cli/progress.c",
        "src/cli/suggest.c",
        "src/cli/values.c",
    },
    &.{
        "src/elf/address_index.c",
        "src/elf/demangle.c",
        "src/elf/image.c",
        "src/elf/image_set.c",
        "src/elf/symbols.c",
    },
    &.{
        "src/format/registers.c",
        "src/format/tarmac_instruction.c",
        "src/format/tarmac_lexer.c",
        "src/format/tarmac_line.c",
        "src/format/tarmac_memory.c",
        "src/format/tarmac_register.c",
    },
    &.{
        "src/pipeline/calls.c",
        "src/pipeline/clip.c",
        "src/pipeline/lane_state.c",
        "src/pipeline/marks.c",
        "src/pipeline/parse.c",
        "src/pipeline/pending.c",
        "src/pipeline/pipeline.c",
        "src/pipeline/scan.c",
    },
    &.{
        "src/analysis/call_list.c",
        "src/analysis/context_tree.c",
        "src/analysis/names.c",
        "src/analysis/profile.c",
        "src/analysis/stacks.c",
    },
    &.{
        "src/cmd/callinfo.c",
        "src/cmd/calltree.c",
        "src/cmd/contexts.c",
        "src/cmd/flamegraph.c",
        "src/cmd/profile.c",
        "src/cmd/trace_command.c",
    },
};

/// Release builds are for every machine of the architecture, so no flag here names a CPU.
const flags = [_][]const u8{
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

const unit_tests = [_][]const u8{
    "tests/unit/main.c",
    "tests/unit/base_test.c",
    "tests/unit/elf_test.c",
    "tests/unit/demangle_test.c",
    "tests/unit/report_test.c",
    "tests/unit/cli_test.c",
    "tests/unit/hex_test.c",
    "tests/unit/calls_model.c",
    "tests/unit/calls_test.c",
    "tests/unit/pending_test.c",
};

/// The tools of Arm's Tarmac Trace Utilities that trawl stands in for, by their names.
const ttu_names = [_][]const u8{ "tarmac-callinfo", "tarmac-calltree", "tarmac-flamegraph", "tarmac-profile" };

const system_libraries = [_][]const u8{ "liburing", "libxxhash", "libelf", "iberty" };

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{ .default_target = .{ .cpu_model = .baseline } });
    const optimize = b.option(
        std.builtin.OptimizeMode,
        "optimize",
        "Debug, ReleaseSafe, ReleaseFast (default) or ReleaseSmall",
    ) orelse .ReleaseFast;
    const how: How = .{ .target = target, .optimize = optimize };

    const core = addCore(b, how);
    const trawl = addProgram(b, how, "trawl", &.{"src/main.c"}, core);
    trawl.root_module.linkSystemLibrary("jemalloc", .{});
    b.installArtifact(trawl);
    for (ttu_names) |name| installName(b, trawl, name);

    const unit = addProgram(b, how, "trawl-unit", &unit_tests, core);
    const install_unit = b.addInstallArtifact(unit, .{ .dest_dir = .{ .override = .{ .custom = "tests" } } });

    const test_step = b.step("test", "Run every test; ends with 'N passed, N failed'");
    const run_tests = b.addSystemCommand(&.{ "python3", "tests/run.py" });
    run_tests.stdio = .inherit;
    run_tests.has_side_effects = true;
    run_tests.step.dependOn(b.getInstallStep());
    run_tests.step.dependOn(&install_unit.step);
    test_step.dependOn(&run_tests.step);
}

/// A symbolic link beside the program: it looks at the name it was called by.
fn installName(b: *std.Build, trawl: *std.Build.Step.Compile, name: []const u8) void {
    const link = b.addSystemCommand(&.{ "ln", "-sf", "trawl", b.getInstallPath(.bin, name) });
    link.has_side_effects = true;
    link.step.dependOn(&b.addInstallArtifact(trawl, .{}).step);
    b.getInstallStep().dependOn(&link.step);
}

const How = struct { target: std.Build.ResolvedTarget, optimize: std.builtin.OptimizeMode };

fn addModule(b: *std.Build, how: How, files: []const []const u8) *std.Build.Module {
    const module = b.createModule(.{
        .target = how.target,
        .optimize = how.optimize,
        .link_libc = true,
    });
    for ([_][]const u8{ "src", ".", "tests/unit" }) |dir| module.addIncludePath(b.path(dir));
    // On a machine without a C compiler Zig looks into /usr/include only for what links a system
    // library itself, which the core, an archive, must not.
    if (how.target.query.isNativeOs()) module.addAfterIncludePath(.{ .cwd_relative = "/usr/include" });
    module.addCSourceFiles(.{ .files = files, .flags = &flags });
    return module;
}

fn addCore(b: *std.Build, how: How) *std.Build.Step.Compile {
    var files: std.ArrayList([]const u8) = .empty;
    for (floors) |floor| files.appendSlice(b.allocator, floor) catch @panic("OOM");
    return b.addLibrary(.{
        .name = "trawlcore",
        .root_module = addModule(b, how, files.items),
        .linkage = .static,
    });
}

fn addProgram(
    b: *std.Build,
    how: How,
    name: []const u8,
    files: []const []const u8,
    core: *std.Build.Step.Compile,
) *std.Build.Step.Compile {
    const module = addModule(b, how, files);
    module.linkLibrary(core);
    for (system_libraries) |library| module.linkSystemLibrary(library, .{});
    return b.addExecutable(.{ .name = name, .root_module = module });
}
