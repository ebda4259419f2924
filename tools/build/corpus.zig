//! The corpus: the tracer, the Arm programs that it runs, and the traces that it records.
//! Nothing here is built unless one of its steps is requested, so a plain `zig build` needs
//! neither Unicorn nor Capstone.
const std = @import("std");

/// a32be: A32 with big-endian data.
/// m: T32 of the M profile.
const Isa = enum { a64, a32, t32, a32be, m };
const Style = enum { it, es, gem5 };

/// One row per program: its own sources in addition to the start-up code and the library, the instruction
/// sets that it is compiled for, and how the tracer runs it.
const Program = struct {
    name: []const u8,
    isas: []const Isa,
    source: []const u8,
    a64: []const []const u8 = &.{},
    arm: []const []const u8 = &.{},
    arguments: []const []const u8 = &.{},
    input: ?[]const u8 = null,
    truth_every: []const u8 = "500",
    /// The es style does not name cores.
    has_es: bool = true,
    has_gem5: bool = true,
};

const all = &[_]Isa{ .a64, .a32, .t32 };
const all_and_big = &[_]Isa{ .a64, .a32, .t32, .a32be };

const programs = [_]Program{
    .{ .name = "sort", .isas = all_and_big, .source = "sort.c" },
    .{ .name = "hash", .isas = &.{.a64}, .source = "hash.c", .has_gem5 = false },
    .{ .name = "recursion", .isas = all, .source = "recursion.c" },
    .{ .name = "tailcall", .isas = all, .source = "tailcall.c", .truth_every = "97" },
    .{ .name = "pointers", .isas = &.{ .a64, .a32 }, .source = "pointers.c" },
    .{
        .name = "longjmp",
        .isas = all,
        .source = "longjmp.c",
        .a64 = &.{"jump_a64.S"},
        .arm = &.{"jump_arm.S"},
        .truth_every = "97",
    },
    .{
        .name = "exceptions",
        .isas = all,
        .source = "exceptions.c",
        .a64 = &.{"exceptions_a64.S"},
        .arm = &.{"exceptions_arm.S"},
        .arguments = &.{ "--irq-every", "111" },
        .truth_every = "97",
    },
    .{
        .name = "semihosting",
        .isas = &.{ .a64, .a32, .a32be },
        .source = "semihosting.c",
        .arguments = &.{ "--args", "semihosting with arguments" },
        .input = "semihosting.txt",
        .truth_every = "197",
    },
    .{ .name = "fp", .isas = all, .source = "fp.c", .truth_every = "197" },
    .{ .name = "neon", .isas = &.{.a64}, .source = "neon.c", .a64 = &.{"neon_a64.S"}, .truth_every = "197" },
    .{
        .name = "conditional",
        .isas = &.{ .a32, .t32 },
        .source = "conditional.c",
        .arm = &.{"conditional_arm.S"},
        .truth_every = "197",
    },
    .{
        .name = "twocores",
        .isas = &.{.a64},
        .source = "twocores.c",
        .arguments = &.{ "--cores", "2" },
        .has_es = false,
    },
    .{
        .name = "hang",
        .isas = &.{.a64},
        .source = "hang.c",
        .arguments = &.{ "--max-insns", "900" },
    },
    .{ .name = "corrupt", .isas = &.{.a64}, .source = "corrupt.c", .has_es = false, .has_gem5 = false },
    .{
        // The same as hang, but the last line is truncated, too.
        .name = "cut",
        .isas = &.{ .a64, .t32 },
        .source = "hang.c",
        .arguments = &.{ "--max-insns", "700", "--cut", "5" },
    },
};

/// Programs whose stacks the tracer records at every instruction, with the running task from their own variables: corpus/stacks.
const StackProgram = struct {
    name: []const u8,
    isa: Isa,
    sources: []const []const u8,
    flags: []const []const u8 = &.{},
    arguments: []const []const u8 = &.{},
    styles: []const Style = &.{.it},
};

const stack_programs = [_]StackProgram{
    .{
        .name = "rtos",
        .isa = .a64,
        .sources = &.{ "rtos.c", "rtos_a64.S" },
        .arguments = &.{ "--irq-every", "401", "--irq-again", "60" },
        .styles = &.{ .it, .es },
    },
    .{
        .name = "rtos",
        .isa = .a32,
        .sources = &.{ "rtos.c", "rtos_a32.S" },
        .arguments = &.{ "--irq-every", "401", "--irq-again", "60" },
        .styles = &.{ .it, .es },
    },
    .{
        .name = "rtos",
        .isa = .m,
        .sources = &.{ "rtos.c", "rtos_m.S" },
        .arguments = &.{ "--m-profile", "--irq-every", "240", "--device-every", "157" },
    },
    .{ .name = "coroutines", .isa = .a64, .sources = &.{ "coroutines.c", "coroutines_a64.S" } },
    .{ .name = "coroutines", .isa = .t32, .sources = &.{ "coroutines.c", "coroutines_arm.S" } },
    .{ .name = "longjmp", .isa = .a64, .sources = &.{ "longjmp.c", "jump_a64.S" } },
    .{ .name = "longjmp", .isa = .t32, .sources = &.{ "longjmp.c", "jump_arm.S" } },
    .{ .name = "siblings-O2", .isa = .a64, .sources = &.{"siblings.c"} },
    .{ .name = "siblings-Os", .isa = .a64, .sources = &.{"siblings.c"}, .flags = &.{ "-Oz", "-moutline" } },
    .{ .name = "siblings-O2", .isa = .a32, .sources = &.{"siblings.c"} },
    .{ .name = "siblings-Os", .isa = .t32, .sources = &.{"siblings.c"}, .flags = &.{"-Os"} },
    .{
        .name = "protected",
        .isa = .a64,
        .sources = &.{"siblings.c"},
        .flags = &.{ "-mbranch-protection=standard", "-DSIGNED" },
        .arguments = &.{"--sign-addresses"},
    },
    .{ .name = "modified", .isa = .a64, .sources = &.{ "modified.c", "modified_a64.S" } },
    .{ .name = "frames", .isa = .a64, .sources = &.{"recursion.c"}, .flags = &.{"-fno-omit-frame-pointer"} },
    .{ .name = "frameless", .isa = .a64, .sources = &.{"recursion.c"}, .flags = &.{"-fomit-frame-pointer"} },
    .{ .name = "frames", .isa = .t32, .sources = &.{"recursion.c"}, .flags = &.{"-fno-omit-frame-pointer"} },
    .{ .name = "frameless", .isa = .t32, .sources = &.{"recursion.c"}, .flags = &.{"-fomit-frame-pointer"} },
};

/// Programs that run until they are stopped. The five first ones are the fixed set of bench/RESULTS.md; the others were added later,
/// each for something that the five do not show: other instruction sets, exceptions, tasks, cores, widths, and what a simulator leaves out.
const Benchmark = struct {
    name: []const u8,
    isa: Isa = .a64,
    /// Without any, the program's own file.
    sources: []const []const u8 = &.{},
    arguments: []const []const u8 = &.{},
    styles: []const Style = &.{ .it, .es },
};

const benchmarks = [_]Benchmark{
    .{ .name = "int" },
    .{ .name = "mem" },
    .{ .name = "fp" },
    .{ .name = "calls" },
    .{ .name = "interp" },
    .{ .name = "thumb", .isa = .t32, .sources = &.{"bench_int.c"} },
    .{ .name = "arm", .isa = .a32, .sources = &.{"bench_calls.c"} },
    .{
        .name = "tasks",
        .isa = .m,
        .sources = &.{ "rtos.c", "rtos_m.S" },
        .arguments = &.{ "--m-profile", "--irq-every", "240", "--device-every", "157" },
        .styles = &.{.it},
    },
    .{ .name = "vector" },
    .{ .name = "recursion", .sources = &.{"recursion.c"} },
    .{ .name = "copy" },
    .{ .name = "branch" },
    .{ .name = "cores", .arguments = &.{ "--cores", "4" }, .styles = &.{.it} },
    .{ .name = "sparse", .sources = &.{"bench_int.c"}, .arguments = &.{"--no-registers"} },
    .{ .name = "system", .sources = &.{ "exceptions.c", "exceptions_a64.S" }, .arguments = &.{ "--irq-every", "111" } },
};

const program_flags = [_][]const u8{
    "-std=c11",
    "-O2",
    "-ffreestanding",
    "-fno-builtin",
    "-gline-tables-only",
    "-Wall",
    "-Wextra",
    "-Werror",
};

const tracer_sources = [_][]const u8{
    "check.c",    "core.c",   "except.c",    "image.c",    "insn.c",
    "main.c",     "out.c",    "profile_m.c", "regs.c",     "semihost.c",
    "shadow.c",   "stacks.c", "style.c",     "style_es.c", "style_gem5.c",
    "style_it.c", "text.c",   "truth.c",
};

const tracer_flags = [_][]const u8{
    "-std=c11",        "-D_GNU_SOURCE",   "-Wall",
    "-Wextra",         "-Werror",         "-Wshadow",
    "-Wpointer-arith", "-Wwrite-strings", "-Wmissing-prototypes",
};

pub const Corpus = struct {
    /// Takes `--max-bytes N -o FILE PROGRAM.elf`; see its --help.
    tracer: *std.Build.Step.Compile,
    /// An AArch64 program for demonstrations: it has many functions, and runs until it is stopped.
    demo_program: *std.Build.Step.Compile,
};

/// Programs with their types. Those of `programs` have the same code as there, so that their traces fit; others have own traces.
const Typed = struct { name: []const u8, isa: Isa, sources: []const []const u8, flags: []const []const u8 = &.{"-g"}, has_trace: bool = false };

const typed = [_]Typed{
    .{ .name = "corrupt", .isa = .a64, .sources = &.{"corrupt.c"} },
    .{ .name = "pointers", .isa = .a64, .sources = &.{"pointers.c"} },
    .{ .name = "pointers", .isa = .a32, .sources = &.{"pointers.c"} },
    .{ .name = "sort", .isa = .t32, .sources = &.{"sort.c"} },
    .{ .name = "arguments", .isa = .a64, .sources = &.{"arguments.c"}, .flags = &.{ "-g", "-O0" }, .has_trace = true },
    .{ .name = "arguments", .isa = .a32, .sources = &.{"arguments.c"}, .flags = &.{ "-g", "-O0" }, .has_trace = true },
    .{ .name = "arguments-soft", .isa = .t32, .sources = &.{"arguments.c"}, .flags = &.{ "-g", "-O0", "-mfloat-abi=softfp" }, .has_trace = true },
};

/// Adds the steps `tracer`, `corpus` (with -Dmb=N) and `corpus-small`.
pub fn addSteps(b: *std.Build) Corpus {
    const tracer = addTracer(b);
    const install = b.addInstallArtifact(tracer, .{ .dest_dir = .{ .override = .{ .custom = "tools" } } });
    b.step("tracer", "Build the tracer of Arm programs (needs Unicorn and Capstone)")
        .dependOn(&install.step);
    addSmall(b, tracer);
    addStacks(b, tracer);
    addChecks(b, tracer);
    addBig(b, tracer);
    return .{ .tracer = tracer, .demo_program = addElf(b, "bench_int", .a64, &.{"bench_int.c"}) };
}

fn addTracer(b: *std.Build) *std.Build.Step.Compile {
    const module = b.createModule(.{
        // The machine's own target, unspecified: otherwise pkg-config would not be asked.
        .target = b.graph.host,
        .optimize = .ReleaseFast,
        .link_libc = true,
    });
    module.addCSourceFiles(.{
        .root = b.path("tools/tracer"),
        .files = &tracer_sources,
        .flags = &tracer_flags,
    });
    module.linkSystemLibrary("unicorn", .{});
    module.linkSystemLibrary("capstone", .{});
    return b.addExecutable(.{ .name = "tracer", .root_module = module });
}

fn targetOf(b: *std.Build, isa: Isa) std.Build.ResolvedTarget {
    return b.resolveTargetQuery(switch (isa) {
        .a64 => .{
            .cpu_arch = .aarch64,
            .os_tag = .freestanding,
            .abi = .none,
            .cpu_model = .{ .explicit = &std.Target.aarch64.cpu.cortex_a72 },
        },
        .m => .{
            .cpu_arch = .thumb,
            .os_tag = .freestanding,
            .abi = .eabi,
            .cpu_model = .{ .explicit = &std.Target.arm.cpu.cortex_m3 },
        },
        .a32, .t32, .a32be => .{
            .cpu_arch = switch (isa) {
                .t32 => .thumb,
                .a32be => .armeb,
                else => .arm,
            },
            .os_tag = .freestanding,
            .abi = .eabihf,
            .cpu_model = .{ .explicit = &std.Target.arm.cpu.cortex_a15 },
        },
    });
}

fn addElf(b: *std.Build, name: []const u8, isa: Isa, sources: []const []const u8) *std.Build.Step.Compile {
    return addElfWith(b, name, isa, sources, &.{});
}

fn addElfWith(
    b: *std.Build,
    name: []const u8,
    isa: Isa,
    sources: []const []const u8,
    own_flags: []const []const u8,
) *std.Build.Step.Compile {
    const module = b.createModule(.{
        .target = targetOf(b, isa),
        .optimize = .ReleaseFast,
        .sanitize_c = .off,
        .stack_protector = false,
        .strip = false,
    });
    var files: std.ArrayList([]const u8) = .empty;
    const start = if (isa == .a64) "start_a64.S" else "start_arm.S";
    if (isa != .m) files.append(b.allocator, start) catch @panic("OOM");
    files.append(b.allocator, "lib.c") catch @panic("OOM");
    files.appendSlice(b.allocator, sources) catch @panic("OOM");
    // Debug lines must not contain paths of this machine.
    const prefix = b.fmt("-ffile-prefix-map={s}=.", .{b.pathFromRoot("")});
    const flags = std.mem.concat(b.allocator, []const u8, &.{
        &program_flags, &.{ prefix, "-fdebug-compilation-dir=." }, own_flags,
    }) catch @panic("OOM");
    module.addCSourceFiles(.{ .root = b.path("corpus/programs"), .files = files.items, .flags = flags });
    const elf = b.addExecutable(.{ .name = b.fmt("{s}-{s}.elf", .{ name, @tagName(isa) }), .root_module = module });
    elf.setLinkerScript(b.path(if (isa == .a64) "corpus/programs/a64.ld" else "corpus/programs/a32.ld"));
    elf.link_z_max_page_size = 4096;
    elf.build_id = .none;
    elf.bundle_compiler_rt = false;
    return elf;
}

fn programElf(b: *std.Build, p: Program, isa: Isa) *std.Build.Step.Compile {
    const own = if (isa == .a64) p.a64 else p.arm;
    const sources = std.mem.concat(b.allocator, []const u8, &.{ &.{p.source}, own }) catch @panic("OOM");
    return addElf(b, p.name, isa, sources);
}

/// AArch32 programs are traced only in the two main dialects.
fn hasStyle(p: Program, isa: Isa, style: Style) bool {
    return switch (style) {
        .it => true,
        .es => p.has_es,
        .gem5 => isa == .a64 and p.has_gem5,
    };
}

fn addSmall(b: *std.Build, tracer: *std.Build.Step.Compile) void {
    const step = b.step("corpus-small", "Make the committed traces and programs of corpus/ again");
    const update = b.addUpdateSourceFiles();
    step.dependOn(&update.step);
    for (programs) |p| for (p.isas) |isa| {
        const elf = programElf(b, p, isa);
        update.addCopyFileToSource(elf.getEmittedBin(), b.fmt("corpus/elf/{s}", .{elf.name}));
        for (std.enums.values(Style)) |style| {
            if (hasStyle(p, isa, style)) addTrace(b, tracer, update, p, isa, style, elf);
        }
    };
    addTyped(b, tracer, step);
}

fn addTyped(b: *std.Build, tracer: *std.Build.Step.Compile, small: *std.Build.Step) void {
    const step = b.step("corpus-typed", "Make the programs with types of corpus/typed again");
    const update = b.addUpdateSourceFiles();
    step.dependOn(&update.step);
    small.dependOn(&update.step);
    for (typed) |p| {
        const elf = addElfWith(b, p.name, p.isa, p.sources, p.flags);
        update.addCopyFileToSource(elf.getEmittedBin(), b.fmt("corpus/typed/{s}", .{elf.name}));
        if (!p.has_trace) continue;
        const name = b.fmt("{s}-{s}.it.tarmac", .{ p.name, @tagName(p.isa) });
        const run = b.addRunArtifact(tracer);
        run.addArgs(&.{ "--check", "--quiet", "--max-bytes", "400000", "--style", "it", "-o" });
        const trace = run.addOutputFileArg(name);
        run.addArtifactArg(elf);
        update.addCopyFileToSource(trace, b.fmt("corpus/typed/{s}", .{name}));
    }
}

fn addTrace(
    b: *std.Build,
    tracer: *std.Build.Step.Compile,
    update: *std.Build.Step.UpdateSourceFiles,
    p: Program,
    isa: Isa,
    style: Style,
    elf: *std.Build.Step.Compile,
) void {
    const name = b.fmt("{s}-{s}.{s}.tarmac", .{ p.name, @tagName(isa), @tagName(style) });
    const truth_name = b.fmt("{s}.truth", .{name});
    const run = b.addRunArtifact(tracer);
    run.addArgs(&.{ "--check", "--quiet", "--max-bytes", "2000000", "--style", @tagName(style) });
    run.addArgs(p.arguments);
    if (p.input) |input| {
        run.addArg("--input");
        run.addFileArg(b.path(b.fmt("corpus/programs/{s}", .{input})));
    }
    run.addArgs(&.{ "--truth-every", p.truth_every, "--truth" });
    const truth = run.addOutputFileArg(truth_name);
    run.addArg("-o");
    const trace = run.addOutputFileArg(name);
    run.addArtifactArg(elf);
    update.addCopyFileToSource(trace, b.fmt("corpus/traces/{s}", .{name}));
    update.addCopyFileToSource(truth, b.fmt("corpus/traces/{s}", .{truth_name}));
}

fn addStacks(b: *std.Build, tracer: *std.Build.Step.Compile) void {
    const step = b.step("corpus-stacks", "Make corpus/stacks/ again: traces, programs, true stacks");
    const update = b.addUpdateSourceFiles();
    step.dependOn(&update.step);
    for (stack_programs) |p| {
        const short = b.fmt("{s}-{s}", .{ p.name, @tagName(p.isa) });
        const elf = addElfWith(b, p.name, p.isa, p.sources, p.flags);
        update.addCopyFileToSource(elf.getEmittedBin(), b.fmt("corpus/stacks/{s}.elf", .{short}));
        for (p.styles) |style| {
            addStackTrace(b, tracer, update, elf.getEmittedBin(), .{ short, @tagName(style) }, p.arguments, "400000");
        }
    }
    // Its image is made by hand: corpus/README.md.
    addStackTrace(b, tracer, update, b.path("corpus/stacks/throw-a64.elf"), .{ "throw-a64", "it" }, &.{}, "90000000");
}

/// Programs with faults, and the same without: corpus/check.
const fault_programs = [_]StackProgram{
    .{ .name = "", .isa = .a64, .sources = &.{"faults.c"}, .styles = &.{ .it, .es } },
    .{ .name = "", .isa = .a32, .sources = &.{"faults.c"}, .styles = &.{ .it, .es } },
    .{ .name = "", .isa = .t32, .sources = &.{"faults.c"}, .styles = &.{ .it, .es } },
    .{ .name = "-jumps", .isa = .a64, .sources = &.{ "faults_jumps.c", "jump_a64.S" } },
    .{ .name = "-jumps", .isa = .a32, .sources = &.{ "faults_jumps.c", "jump_arm.S" } },
    .{ .name = "-jumps", .isa = .t32, .sources = &.{ "faults_jumps.c", "jump_arm.S" } },
    .{ .name = "-tasks", .isa = .a64, .sources = &.{ "faults_tasks.c", "rtos_a64.S" }, .arguments = &.{ "--irq-every", "401" } },
    .{ .name = "-tasks", .isa = .a32, .sources = &.{ "faults_tasks.c", "rtos_a32.S" }, .arguments = &.{ "--irq-every", "401" }, .styles = &.{ .it, .es } },
    .{ .name = "-tasks", .isa = .m, .sources = &.{ "faults_tasks.c", "rtos_m.S" }, .arguments = &.{ "--m-profile", "--irq-every", "401" } },
    .{ .name = "-cores", .isa = .a64, .sources = &.{"faults_cores.c"}, .arguments = &.{ "--cores", "2" } },
};

fn addChecks(b: *std.Build, tracer: *std.Build.Step.Compile) void {
    const step = b.step("corpus-check", "Make corpus/check/ again: traces of programs with faults, and without");
    const update = b.addUpdateSourceFiles();
    step.dependOn(&update.step);
    for (fault_programs) |p| {
        for ([_]bool{ true, false }) |has_faults| {
            const flags: []const []const u8 = if (has_faults) &.{ "-O1", "-Wno-uninitialized", "-Wno-sometimes-uninitialized", "-Wno-return-stack-address" } else &.{ "-O1", "-DCLEAN" };
            const short = b.fmt("{s}{s}-{s}", .{ if (has_faults) "faults" else "faultless", p.name, @tagName(p.isa) });
            const sources = std.mem.concat(b.allocator, []const u8, &.{ p.sources, &.{"faults_lib.c"} }) catch @panic("OOM");
            const elf = addElfWith(b, short[0 .. short.len - @tagName(p.isa).len - 1], p.isa, sources, flags);
            update.addCopyFileToSource(elf.getEmittedBin(), b.fmt("corpus/check/{s}.elf", .{short}));
            for (p.styles) |style| {
                const file = b.fmt("{s}.{s}.tarmac", .{ short, @tagName(style) });
                const run = b.addRunArtifact(tracer);
                run.addArgs(&.{ "--check", "--quiet", "--max-bytes", "4000000", "--style", @tagName(style) });
                run.addArgs(p.arguments);
                run.addArg("-o");
                const trace = run.addOutputFileArg(file);
                run.addFileArg(elf.getEmittedBin());
                const packed_trace = b.addSystemCommand(&.{ "xz", "-6", "--stdout" });
                packed_trace.addFileArg(trace);
                update.addCopyFileToSource(packed_trace.captureStdOut(.{}), b.fmt("corpus/check/{s}.xz", .{file}));
            }
        }
    }
}

fn addStackTrace(
    b: *std.Build,
    tracer: *std.Build.Step.Compile,
    update: *std.Build.Step.UpdateSourceFiles,
    elf: std.Build.LazyPath,
    name_and_style: [2][]const u8,
    arguments: []const []const u8,
    bytes_max: []const u8,
) void {
    const name = b.fmt("{s}.{s}.tarmac", .{ name_and_style[0], name_and_style[1] });
    const run = b.addRunArtifact(tracer);
    run.addArgs(&.{ "--check", "--quiet", "--max-bytes", bytes_max, "--style", name_and_style[1] });
    run.addArgs(arguments);
    run.addArg("--stacks");
    const stacks = run.addOutputFileArg(b.fmt("{s}.stacks", .{name}));
    run.addArg("-o");
    const trace = run.addOutputFileArg(name);
    run.addFileArg(elf);
    const packed_trace = b.addSystemCommand(&.{ "xz", "-6", "--stdout" });
    packed_trace.addFileArg(trace);
    update.addCopyFileToSource(packed_trace.captureStdOut(.{}), b.fmt("corpus/stacks/{s}.xz", .{name}));
    update.addCopyFileToSource(stacks, b.fmt("corpus/stacks/{s}.stacks", .{name}));
}

/// Large files are written directly to their place, because the build cache would keep a copy.
fn addBig(b: *std.Build, tracer: *std.Build.Step.Compile) void {
    const step = b.step("corpus", "Make the large benchmark traces, -Dmb=N megabytes each, in zig-out/corpus");
    const mb = b.option(u32, "mb", "Size of each large trace in megabytes (default 300)") orelse 300;
    const bytes = b.fmt("{d}000000", .{mb});
    for (benchmarks) |benchmark| {
        const name = b.fmt("bench_{s}", .{benchmark.name});
        const own: []const []const u8 = &.{b.fmt("{s}.c", .{name})};
        const elf = addElfWith(b, name, benchmark.isa, if (benchmark.sources.len > 0) benchmark.sources else own, &.{"-DENDLESS"});
        elf.bundle_compiler_rt = benchmark.isa == .a32 or benchmark.isa == .t32; // they divide 64 bits
        const install = b.addInstallFile(elf.getEmittedBin(), b.fmt("corpus/{s}.elf", .{name}));
        for (benchmark.styles) |style| {
            const file = b.fmt("corpus/{s}.{s}.tarmac", .{ name, @tagName(style) });
            const run = b.addRunArtifact(tracer);
            run.addArgs(&.{ "--quiet", "--max-bytes", bytes, "--style", @tagName(style) });
            run.addArgs(benchmark.arguments);
            run.addArgs(&.{ "-o", b.getInstallPath(.prefix, file) });
            run.addArtifactArg(elf);
            run.has_side_effects = true;
            run.step.dependOn(&install.step); // that step makes the directory
            step.dependOn(&run.step);
        }
    }
}
