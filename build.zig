//! The build of trawl. `zig build -l` lists the steps; tools/zigw gets the pinned Zig first.
const std = @import("std");
const corpus = @import("tools/corpus.zig");
const about = @import("build.zig.zon");

const index_reader = [_][]const u8{
    "idx/access_columns.c",
    "idx/block.c",
    "idx/calls.c",
    "idx/column.c",
    "idx/event_columns.c",
    "idx/errors.c",
    "idx/events.c",
    "idx/functions.c",
    "idx/index.c",
    "idx/live_regions.c",
    "idx/layout.c",
    "idx/memory.c",
    "idx/memory_rows.c",
    "idx/memory_writes.c",
    "idx/numbers.c",
    "idx/parts.c",
    "idx/regions.c",
    "idx/register_layout.c",
    "idx/registers.c",
    "idx/sizes.c",
    "idx/source_lines.c",
    "idx/stored.c",
    "idx/symbols.c",
    "idx/tasks.c",
    "idx/touched.c",
    "idx/verify.c",
};

const index_writer = [_][]const u8{
    "idx/block_write.c",
    "idx/call_group.c",
    "idx/column_write.c",
    "idx/file_writer.c",
    "idx/host_calls.c",
    "idx/index_sections.c",
    "idx/index_write.c",
    "idx/memory_directory.c",
    "idx/memory_write.c",
    "idx/parts_write.c",
    "idx/register_layout_write.c",
    "idx/register_write.c",
    "idx/segment_write.c",
    "idx/write_ring.c",
};

const kernels = [_][]const u8{
    "simd/hash.c",
    "simd/hash_avx2.c",
    "simd/kernels.c",
    "simd/kernels_avx2.c",
    "simd/kernels_avx512.c",
    "simd/kernels_neon.c",
    "simd/kernels_scalar.c",
    "simd/simd.c",
};

/// What libtrawl is made of.
const library_sources = index_reader ++ kernels ++ [_][]const u8{ "src/base/arena.c", "src/base/error.c", "src/base/hash_seed.c", "src/base/map.c", "src/base/vec.c" };

/// One row a floor of the house, from the ground up: a floor includes only what is below it.
const floors = [_][]const []const u8{
    &.{
        "src/base/arena.c",
        "src/base/clock.c",
        "src/base/division.c",
        "src/base/error.c",
        "src/base/file_stamp.c",
        "src/base/file_start.c",
        "src/base/fingerprint.c",
        "src/base/hash_seed.c",
        "src/base/hashset.c",
        "src/base/map.c",
        "src/base/memory_limit.c",
        "src/base/ordered.c",
        "src/base/parallel.c",
        "src/base/dir_entry.c",
        "src/base/sandbox.c",
        "src/base/source.c",
        "src/base/spool.c",
        "src/base/atomic_file.c",
        "src/base/unnamed.c",
        "src/base/unpack/bzip2.c",
        "src/base/unpack/codecs.c",
        "src/base/unpack/gzip.c",
        "src/base/unpack/inflow.c",
        "src/base/unpack/lz4.c",
        "src/base/unpack/xz.c",
        "src/base/unpack/zstd.c",
        "src/base/thread.c",
        "src/base/utf8.c",
        "src/base/vec.c",
        "src/base/writers.c",
    },
    &kernels,
    &.{
        "src/report/clean.c",
        "src/report/colour_scale.c",
        "src/report/csv.c",
        "src/report/flame_assets.c",
        "src/report/flame_hidden.c",
        "src/report/flame_layout.c",
        "src/report/flame_svg.c",
        "src/report/flame_text.c",
        "src/report/hexdump.c",
        "src/report/items.c",
        "src/report/json.c",
        "src/report/out.c",
        "src/report/plot_svg.c",
        "src/report/table.c",
        "src/report/tfile_write.c",
        "src/report/value.c",
        "src/report/vcd.c",
    },
    &.{
        "src/cli/diag.c",
        "src/cli/completion.c",
        "src/cli/help.c",
        "src/cli/manual.c",
        "src/cli/options.c",
        "src/cli/progress.c",
        "src/cli/subcommands.c",
        "src/cli/suggest.c",
        "src/cli/values.c",
        "src/cli/visible.c",
    },
    &(index_reader ++ index_writer ++ [_][]const u8{"idx/rows.c"}),
    &.{
        "src/elf/address_index.c",
        "src/elf/cfi.c",
        "src/elf/cfi_expression.c",
        "src/elf/cfi_program.c",
        "src/elf/debug_expression.c",
        "src/elf/debug_frame.c",
        "src/elf/debug_location.c",
        "src/elf/debug_print.c",
        "src/elf/debug_text.c",
        "src/elf/debug_type.c",
        "src/elf/debug_value.c",
        "src/elf/debug_values.c",
        "src/elf/debug_variable.c",
        "src/elf/demangle.c",
        "src/elf/exidx.c",
        "src/elf/image.c",
        "src/elf/image_identity.c",
        "src/elf/image_lines.c",
        "src/elf/image_pieces.c",
        "src/elf/image_set.c",
        "src/elf/lines.c",
        "src/elf/name_hash.c",
        "src/elf/sframe.c",
        "src/elf/sframe_check.c",
        "src/elf/sframe_flat.c",
        "src/elf/sframe_flat_build.c",
        "src/elf/sframe_rule.c",
        "src/elf/sframe_rules.c",
        "src/elf/sframe_section.c",
        "src/elf/symbols.c",
        "src/elf/symbols_build.c",
        "src/elf/symbols_lenient.c",
        "src/elf/symbols_strict.c",
    },
    &.{
        "src/flow/call_list.c",
        "src/flow/calls.c",
        "src/flow/entry_set.c",
        "src/flow/function_map.c",
        "src/flow/shadow_frames.c",
        "src/flow/shadow_slip.c",
        "src/flow/shadow_stack.c",
        "src/flow/task_log.c",
        "src/flow/clip.c",
        "src/flow/context_hide.c",
        "src/flow/context_tree.c",
        "src/flow/messages.c",
        "src/flow/pass.c",
        "src/flow/pending.c",
        "src/flow/profile.c",
        "src/flow/register_names.c",
        "src/flow/replay.c",
        "src/flow/segment.c",
        "src/flow/segment_crew.c",
        "src/flow/unknown_words.c",
        "src/flow/visits.c",
    },
    &.{
        "src/trace/tarmac/branch.c",
        "src/trace/tarmac/control.c",
        "src/trace/tarmac/dialect.c",
        "src/trace/tarmac/event_text.c",
        "src/trace/tarmac/examine.c",
        "src/trace/tarmac/gather.c",
        "src/trace/tarmac/instruction.c",
        "src/trace/tarmac/lane_state.c",
        "src/trace/tarmac/lexer.c",
        "src/trace/tarmac/line.c",
        "src/trace/tarmac/line_read.c",
        "src/trace/tarmac/look.c",
        "src/trace/tarmac/operands.c",
        "src/trace/tarmac/marks.c",
        "src/trace/tarmac/match.c",
        "src/trace/tarmac/memory.c",
        "src/trace/tarmac/parse.c",
        "src/trace/tarmac/parsed_chunk.c",
        "src/trace/tarmac/piece_hashes.c",
        "src/trace/tarmac/pipeline.c",
        "src/trace/tarmac/record_words.c",
        "src/trace/tarmac/records.c",
        "src/trace/tarmac/register.c",
        "src/trace/tarmac/register_layout.c",
        "src/trace/tarmac/registers.c",
        "src/trace/tarmac/rules.c",
        "src/trace/tarmac/running_pass.c",
        "src/trace/tarmac/sample.c",
        "src/trace/tarmac/scan.c",
        "src/trace/tarmac/segments.c",
        "src/trace/tarmac/line_template.c",
        "src/trace/tarmac/template_lines.c",
        "src/trace/tarmac/template_lines_avx2.c",
        "src/trace/tarmac/template_lines_avx512.c",
        "src/trace/tarmac/template_lines_neon.c",
        "src/trace/tarmac/stitch.c",
        "src/trace/tarmac/tarmac.c",
        "src/trace/tarmac/time.c",
        "src/trace/tarmac/two_stacks.c",
        "src/trace/tarmac/unit.c",
    },
    &.{
        "src/trace/tfile/bias.c",
        "src/trace/tfile/describe.c",
        "src/trace/tfile/target_xml.c",
        "src/trace/tfile/fault.c",
        "src/trace/tfile/file.c",
        "src/trace/tfile/file_open.c",
        "src/trace/tfile/frame.c",
        "src/trace/tfile/header.c",
        "src/trace/tfile/pass.c",
        "src/trace/tfile/registers.c",
        "src/trace/tfile/section.c",
        "src/trace/tfile/tfile.c",
        "src/trace/tfile/walk.c",
    },
    &.{
        "src/trace/xray/account.c",
        "src/trace/xray/basic.c",
        "src/trace/xray/build.c",
        "src/trace/xray/call_tape.c",
        "src/trace/xray/calls.c",
        "src/trace/xray/contexts.c",
        "src/trace/xray/describe.c",
        "src/trace/xray/events.c",
        "src/trace/xray/fault.c",
        "src/trace/xray/find.c",
        "src/trace/xray/lane.c",
        "src/trace/xray/lane_stacks.c",
        "src/trace/xray/hiding.c",
        "src/trace/xray/latency.c",
        "src/trace/xray/log.c",
        "src/trace/xray/log_open.c",
        "src/trace/xray/map.c",
        "src/trace/xray/map_functions.c",
        "src/trace/xray/map_yaml.c",
        "src/trace/xray/merge.c",
        "src/trace/xray/meter.c",
        "src/trace/xray/names.c",
        "src/trace/xray/names_of_ids.c",
        "src/trace/xray/objects.c",
        "src/trace/xray/objects_fit.c",
        "src/trace/xray/open_functions.c",
        "src/trace/xray/pass.c",
        "src/trace/xray/profile.c",
        "src/trace/xray/ranges.c",
        "src/trace/xray/record.c",
        "src/trace/xray/section.c",
        "src/trace/xray/segments.c",
        "src/trace/xray/stacks.c",
        "src/trace/xray/stream.c",
        "src/trace/xray/xray.c",
        "src/trace/xray/yaml.c",
        "src/trace/xray/yaml_events.c",
        "src/trace/xray/yaml_values.c",
    },
    &.{
        "src/trace/damage.c",
        "src/trace/anonymize.c",
        "src/trace/examination.c",
        "src/trace/foreign.c",
        "src/trace/foreign_text.c",
        "src/trace/kinds.c",
        "src/trace/open.c",
        "src/trace/trace.c",
    },
    &.{
        "src/analysis/call_site.c",
        "src/analysis/expression.c",
        "src/analysis/function_changes.c",
        "src/analysis/function_counts.c",
        "src/analysis/gdb_target.c",
        "src/analysis/hidden_names.c",
        "src/analysis/dfa.c",
        "src/analysis/dfa_pattern.c",
        "src/analysis/line_matcher.c",
        "src/analysis/pattern.c",
        "src/analysis/names.c",
        "src/analysis/point.c",
        "src/analysis/point_choice.c",
        "src/analysis/position.c",
        "src/analysis/recalled_stacks.c",
        "src/analysis/register_set.c",
        "src/analysis/segment_order.c",
        "src/analysis/index_view.c",
        "src/analysis/source_lines.c",
        "src/analysis/stacks.c",
        "src/analysis/task_names.c",
        "src/analysis/tfile_export.c",
        "src/analysis/text_around.c",
        "src/analysis/trace_check.c",
        "src/analysis/trace_events.c",
        "src/analysis/trace_text.c",
        "src/analysis/unwind.c",
        "src/analysis/unwind_row.c",
        "src/analysis/unwind_rules.c",
        "src/analysis/unwind_step.c",
        "src/analysis/unwind_trace.c",
        "src/analysis/vcd_core.c",
        "src/analysis/vcd_named.c",
        "src/analysis/vcd_writer.c",
        "src/analysis/writes.c",
    },
    &.{
        "src/export/callgrind.c",
        "src/export/name_ids.c",
        "src/export/perfetto.c",
        "src/export/pprof.c",
        "src/export/speedscope.c",
        "src/export/stack_ids.c",
        "src/session/call_filter.c",
        "src/session/call_level.c",
        "src/session/call_stream.c",
        "src/session/filter.c",
        "src/session/hidden.c",
        "src/session/image_fit.c",
        "src/session/image_functions.c",
        "src/session/index_choice.c",
        "src/session/index_file.c",
        "src/session/index_lines.c",
        "src/session/index_names.c",
        "src/session/index_plan.c",
        "src/session/index_trial.c",
        "src/session/indexing.c",
        "src/session/memory_plan.c",
        "src/session/pass_index.c",
        "src/session/passes.c",
        "src/session/question.c",
        "src/session/run.c",
        "src/session/session.c",
        "src/session/shown.c",
        "src/session/tasks.c",
    },
    &.{
        "src/browse/browser.c",
        "src/browse/disassembly_pane.c",
        "src/browse/duration.c",
        "src/browse/event_search.c",
        "src/browse/event_text.c",
        "src/browse/filter.c",
        "src/browse/folds.c",
        "src/browse/function_prompt.c",
        "src/browse/functions_pane.c",
        "src/browse/lane_calls.c",
        "src/browse/level_sums.c",
        "src/browse/list.c",
        "src/browse/loops.c",
        "src/browse/marks.c",
        "src/browse/memory_pane.c",
        "src/browse/more.c",
        "src/browse/name_search.c",
        "src/browse/named_pane.c",
        "src/browse/overview_pane.c",
        "src/browse/pair.c",
        "src/browse/renewal.c",
        "src/browse/register_pane.c",
        "src/browse/screen.c",
        "src/browse/search.c",
        "src/browse/searches.c",
        "src/browse/sums_job.c",
        "src/browse/text_search.c",
        "src/browse/settings.c",
        "src/browse/source.c",
        "src/browse/source_pane.c",
        "src/browse/stack_pane.c",
        "src/browse/steps.c",
        "src/browse/text_view.c",
        "src/browse/timeline.c",
        "src/browse/things.c",
        "src/browse/trace_pane.c",
        "src/browse/unwound_pane.c",
        "src/browse/values_pane.c",
        "src/browse/view.c",
        "src/browse/watch_pane.c",
    },
    &.{"src/tui/tui.c"},
    &.{
        "src/cmd/bench.c",
        "src/cmd/confinement.c",
        "src/cmd/browse.c",
        "src/cmd/callinfo.c",
        "src/cmd/calltree.c",
        "src/cmd/contexts.c",
        "src/cmd/contexts_sample.c",
        "src/cmd/contexts_snapshots.c",
        "src/cmd/contexts_stacks.c",
        "src/cmd/doctor.c",
        "src/cmd/export.c",
        "src/cmd/export_tfile.c",
        "src/cmd/flamegraph.c",
        "src/cmd/index.c",
        "src/cmd/index_sizes.c",
        "src/cmd/grep.c",
        "src/cmd/info.c",
        "src/cmd/info_trace.c",
        "src/cmd/memory_option.c",
        "src/cmd/option_kinds.c",
        "src/cmd/other_base.c",
        "src/cmd/pc.c",
        "src/cmd/lane_stacks.c",
        "src/cmd/profile.c",
        "src/cmd/query.c",
        "src/cmd/query_run.c",
        "src/cmd/sframe.c",
        "src/cmd/sframe_dump.c",
        "src/cmd/stack.c",
        "src/cmd/show.c",
        "src/cmd/state.c",
        "src/cmd/state_diff.c",
        "src/cmd/state_point.c",
        "src/cmd/state_snapshot.c",
        "src/cmd/system.c",
        "src/cmd/report_damage.c",
        "src/cmd/report_hidden.c",
        "src/cmd/tfile/columns.c",
        "src/cmd/tfile/frames.c",
        "src/cmd/tfile/names.c",
        "src/cmd/tfile/series.c",
        "src/cmd/tfile/show.c",
        "src/cmd/tfile/tfile.c",
        "src/cmd/tfile/typed.c",
        "src/cmd/tfile/value.c",
        "src/cmd/trace_command.c",
        "src/cmd/trace_context.c",
        "src/cmd/trace_inputs.c",
        "src/cmd/trace_open.c",
        "src/cmd/trace_options.c",
        "src/cmd/trace_pass.c",
        "src/cmd/trace_listener.c",
        "src/cmd/vcd.c",
        "src/cmd/commands.c",
        "src/cmd/completion.c",
        "src/cmd/manual.c",
        "src/cmd/verify.c",
        "src/cmd/unwind_method.c",
        "src/cmd/unwinding.c",
        "src/cmd/writes.c",
        "src/cmd/writes_snapshot.c",
        "src/cmd/xray/account.c",
        "src/cmd/xray/command.c",
        "src/cmd/xray/convert.c",
        "src/cmd/xray/dump.c",
        "src/cmd/xray/extract.c",
        "src/cmd/xray/figures.c",
        "src/cmd/xray/graph.c",
        "src/cmd/xray/hidden.c",
        "src/cmd/xray/graph_diff.c",
        "src/cmd/xray/raw.c",
        "src/cmd/xray/stack.c",
        "src/cmd/xray/trace_event.c",
        "src/cmd/xray/xray.c",
        "src/cmd/xray/yaml.c",
        "src/cmd/xray/yaml_lines.c",
    },
};

const core_sources = sources: {
    @setEvalBranchQuota(80_000);
    var files: []const []const u8 = &.{};
    for (floors) |floor| files = files ++ floor;
    break :sources files;
};

/// The same without system libraries: for machines that have none, such as emulated ones.
const bare_sources = sources: {
    @setEvalBranchQuota(80_000);
    var files: []const []const u8 = &.{ "src/base/unpack/bare.c", "src/elf/bare.c", "src/tui/bare.c", "src/trace/tfile/target_xml_bare.c", "src/trace/xray/map_bare.c", "src/trace/xray/yaml_bare.c" };
    for (core_sources) |file| {
        if (!needs_library(file)) files = files ++ .{file};
    }
    break :sources files;
};

const bare_unit_tests = sources: {
    @setEvalBranchQuota(80_000);
    var files: []const []const u8 = &.{};
    for (unit_tests) |file| {
        if (!needs_library(file)) files = files ++ .{file};
    }
    break :sources files;
};

/// By libelf, libdw, libiberty, expat, libyaml, ncurses or a library that decompresses; and what tests that.
fn needs_library(file: []const u8) bool {
    for ([_][]const u8{
        "base/unpack/bzip2.c",
        "base/unpack/codecs.c",
        "base/unpack/gzip.c",
        "base/unpack/lz4.c",
        "base/unpack/xz.c",
        "base/unpack/zstd.c",
        "elf/cfi.c",
        "elf/cfi_expression.c",
        "elf/cfi_program.c",
        "elf/debug_expression.c",
        "elf/debug_frame.c",
        "elf/debug_location.c",
        "elf/debug_print.c",
        "elf/debug_type.c",
        "elf/debug_value.c",
        "elf/debug_values.c",
        "elf/debug_variable.c",
        "elf/demangle.c",
        "elf/exidx.c",
        "elf/image.c",
        "elf/image_identity.c",
        "elf/image_pieces.c",
        "elf/image_set.c",
        "elf/lines.c",
        "elf/sframe_section.c",
        "elf/symbols.c",
        "elf/symbols_lenient.c",
        "elf/symbols_strict.c",
        "trace/xray/map.c",
        "trace/tfile/target_xml.c",
        "trace/xray/yaml_events.c",
        "tui/tui.c",
        "unit/demangle_test.c",
        "unit/elf_test.c",
        "unit/lines_test.c",
        "unit/stacks_test.c",
        "unit/symbols_elf.c",
        "unit/frame_rows_test.c",
        "unit/unwind_test.c",
        "unit/xray_map_test.c",
    }) |name| {
        if (std.mem.endsWith(u8, file, name)) return true;
    }
    return false;
}

const include_dirs = [_][]const u8{ "src", ".", "tests", "tests/unit" };

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

/// The C library checks buffers whose sizes are known; Zig may say so itself, with another number.
const checked_flags = [_][]const u8{ "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2" };

const bare_flags = [_][]const u8{ "-DTRAWL_BARE", "-DTRAWL_WITHOUT_URING", "-DXXH_INLINE_ALL=" };

const unit_tests = [_][]const u8{
    "tests/unit/main.c",
    "tests/unit/many_events_test.c",
    "tests/unit/base_test.c",
    "tests/unit/browse_test.c",
    "tests/unit/dfa_test.c",
    "tests/unit/elf_test.c",
    "tests/unit/demangle_test.c",
    "tests/unit/report_test.c",
    "tests/unit/cli_test.c",
    "tests/unit/hex_test.c",
    "tests/unit/hexdump_test.c",
    "tests/unit/line_matcher_test.c",
    "tests/unit/calls_model.c",
    "tests/unit/calls_test.c",
    "tests/unit/control_test.c",
    "tests/unit/entry_set_test.c",
    "tests/unit/function_map_test.c",
    "tests/unit/shadow_stack_test.c",
    "tests/unit/pending_test.c",
    "tests/unit/lane_state_test.c",
    "tests/unit/consumers_test.c",
    "tests/unit/expression_test.c",
    "tests/unit/known_names.c",
    "tests/unit/latency_test.c",
    "tests/unit/lexer_test.c",
    "tests/unit/line_fault_test.c",
    "tests/unit/line_test.c",
    "tests/unit/lines_test.c",
    "tests/unit/registers_test.c",
    "tests/unit/line_template_test.c",
    "tests/unit/source_test.c",
    "tests/unit/base_io_test.c",
    "tests/unit/file_writer_test.c",
    "tests/unit/fingerprint_test.c",
    "tests/unit/symbols_elf.c",
    "tests/unit/stacks_test.c",
    "tests/unit/records_test.c",
    "tests/unit/scan_test.c",
    "tests/unit/operands_test.c",
    "tests/unit/parse_test.c",
    "tests/unit/pipeline_test.c",
    "tests/unit/position_test.c",
    "tests/unit/frame_rows_test.c",
    "tests/unit/unwind_test.c",
    "tests/unit/tfile_test.c",
    "tests/unit/value_test.c",
    "tests/unit/bitpack_test.c",
    "tests/unit/kernels_test.c",
    "tests/unit/column_test.c",
    "tests/unit/segment_test.c",
    "tests/unit/segment_write_test.c",
    "tests/unit/index_choice_test.c",
    "tests/unit/index_test.c",
    "tests/unit/xray_map_test.c",
    "tests/unit/xray_test.c",
};

/// The tools of Arm's Tarmac Trace Utilities that trawl stands in for, by their names.
const ttu_names = [_][]const u8{ "tarmac-browser", "tarmac-callinfo", "tarmac-calltree", "tarmac-flamegraph", "tarmac-profile", "tarmac-vcd" };

const system_libraries = [_][]const u8{ "libxxhash", "libelf", "libdw", "iberty", "liburing", "expat", "yaml", "ncursesw", "z", "libzstd", "liblzma", "liblz4", "bz2" };

const benchmarks = [_][]const u8{ "columns", "kernels", "lines", "pipeline", "queries", "sframe", "symbols", "tfile", "writer" };

const fuzz_targets = [_][]const u8{ "column", "line", "trace", "elf", "frames", "options", "expression", "index", "replay", "sframe", "tfile", "xray", "lies", "roundtrip", "whole", "image", "command", "browser", "packed" };

/// What only `zig build bench` makes programs of.
const other_sources = [_][]const u8{
    "bench/columns.c",
    "bench/kernels.c",
    "bench/queries.c",
    "bench/sframe.c",
    "bench/stages.c",
    "bench/tfile.c",
};

/// Whatever a sanitizer finds ends the program.
const sanitizer_flags = [_][]const u8{ "-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all" };

const coverage_flag = "-fprofile-instr-generate";

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{ .default_target = .{ .cpu_model = .baseline } });
    const optimize = b.option(
        std.builtin.OptimizeMode,
        "optimize",
        "Debug, ReleaseSafe, ReleaseFast (default) or ReleaseSmall",
    ) orelse .ReleaseFast;
    const bare = b.option(bool, "bare", "without system libraries: reads no ELF images, writes without io_uring") orelse false;
    const lto = b.option(bool, "lto", "optimize across files (default: true but for Debug); builds are much quicker without") orelse (optimize != .Debug);
    const how: How = .{ .target = target, .optimize = optimize, .bare = bare, .wants_lto = lto };

    const core = addCore(b, how);
    const trawl = addProgram(b, how, "trawl", &.{"src/main.c"}, core);
    if (!bare) trawl.root_module.linkSystemLibrary("jemalloc", .{});
    b.installArtifact(trawl);
    for (ttu_names) |name| installName(b, trawl, name);
    if (runsHere(target)) installManuals(b, trawl);

    addLibrary(b, how);

    const made = corpus.addSteps(b);
    addTest(b, how, core);
    addDemo(b, made.demo_program);
    const only = b.option([]const u8, "only", "bench and fuzz: only the program of this name");
    addBench(b, how, only);
    addSanitizers(b);
    addFuzz(b, only);
    addCoverage(b);
    addFmt(b);
    addLint(b);
    addUninstall(b, trawl);
}

// --- The program ---------------------------------------------------------------------------------

const How = struct {
    target: std.Build.ResolvedTarget,
    optimize: std.builtin.OptimizeMode,
    sanitize_c: ?std.zig.SanitizeC = null,
    bare: bool = false,
    wants_lto: bool,

    /// Across files: the line reader calls into several for every line.
    fn lto(how: How) ?std.zig.LtoMode {
        return if (how.wants_lto) .full else null;
    }

    fn cFlags(how: How) []const []const u8 {
        if (how.bare) return &(flags ++ bare_flags);
        return if (how.optimize == .Debug) &flags else &(flags ++ checked_flags); // which need the optimizer
    }
};

fn addModule(b: *std.Build, how: How, files: []const []const u8) *std.Build.Module {
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

fn addCore(b: *std.Build, how: How) *std.Build.Step.Compile {
    const core = b.addLibrary(.{
        .name = "trawlcore",
        .root_module = addModule(b, how, if (how.bare) bare_sources else core_sources),
        .linkage = .static,
    });
    core.lto = how.lto();
    return core;
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
    if (!how.bare) for (system_libraries) |library| module.linkSystemLibrary(library, .{});
    const program = b.addExecutable(.{ .name = name, .root_module = module });
    // src/base/division.c says why; what checks need is there.
    const is_fast = how.optimize == .ReleaseFast or how.optimize == .ReleaseSmall;
    program.bundle_compiler_rt = how.bare or !is_fast;
    program.lto = how.lto();
    program.pie = true;
    return program;
}

/// A symbolic link beside the program: it looks at the name it was called by.
fn installName(b: *std.Build, trawl: *std.Build.Step.Compile, name: []const u8) void {
    const link = b.addSystemCommand(&.{ "ln", "-sf", "trawl", b.getInstallPath(.bin, name) });
    link.has_side_effects = true;
    link.step.dependOn(&b.addInstallArtifact(trawl, .{}).step);
    b.getInstallStep().dependOn(&link.step);
}

fn runsHere(target: std.Build.ResolvedTarget) bool {
    return target.query.cpu_arch == null and target.query.isNativeOs();
}

/// Manual pages and completions, which the program makes from its own tables.
fn installManuals(b: *std.Build, trawl: *std.Build.Step.Compile) void {
    const make = b.addSystemCommand(&.{ "tools/manuals", "make" });
    make.setCwd(b.path("."));
    make.addFileInput(b.path("tools/manuals"));
    for (written_pages) |page| make.addFileInput(b.path(page));
    make.addArtifactArg(trawl);
    const made = make.addOutputDirectoryArg("share");
    b.installDirectory(.{ .source_dir = made, .install_dir = .prefix, .install_subdir = "share" });
}

const written_pages = [_][]const u8{ "docs/man/trawl-formats.7", "docs/man/trawl-index.5", "docs/man/trawl-positions.7" };

// --- The library ---------------------------------------------------------------------------------

fn addLibrary(b: *std.Build, how: How) void {
    const step = b.step("lib", "Build and install libtrawl, which reads indexes");
    const plain: How = .{ .target = how.target, .optimize = how.optimize, .sanitize_c = .off, .bare = how.bare, .wants_lto = how.wants_lto };
    for ([_]*std.Build.Step.Compile{ addSharedLibrary(b, plain), addStaticLibrary(b, plain) }) |library| {
        library.installHeader(b.path("idx/trawl.h"), "trawl.h");
        const install = b.addInstallArtifact(library, .{});
        step.dependOn(&install.step);
    }
    step.dependOn(&b.addInstallLibFile(pkgConfigFile(b), "pkgconfig/trawl.pc").step);
    b.getInstallStep().dependOn(step);
}

fn addSharedLibrary(b: *std.Build, how: How) *std.Build.Step.Compile {
    const library = b.addLibrary(.{
        .name = "trawl",
        .linkage = .dynamic,
        .version = std.SemanticVersion.parse(about.version) catch unreachable,
        .root_module = addModule(b, how, &library_sources),
    });
    library.lto = how.lto();
    return library;
}

/// One object, whose internal names cannot clash with those of a program.
fn addStaticLibrary(b: *std.Build, how: How) *std.Build.Step.Compile {
    const object = b.addObject(.{ .name = "trawlreader", .root_module = addModule(b, how, &library_sources) });
    const hide = b.addRunArtifact(b.addExecutable(.{
        .name = "hide_symbols",
        .root_module = b.createModule(.{
            .root_source_file = b.path("tools/hide_symbols.zig"),
            .target = b.graph.host,
        }),
    }));
    hide.addArtifactArg(object);
    const module = b.createModule(.{ .target = how.target, .optimize = how.optimize });
    module.addObjectFile(hide.addOutputFileArg("trawl.o"));
    return b.addLibrary(.{ .name = "trawl", .linkage = .static, .root_module = module });
}

/// Says where things are from where it is itself, so that the whole may be moved.
fn pkgConfigFile(b: *std.Build) std.Build.LazyPath {
    return b.addWriteFiles().add("trawl.pc", b.fmt(
        \\prefix=${{pcfiledir}}/../..
        \\libdir=${{pcfiledir}}/..
        \\includedir=${{prefix}}/include
        \\
        \\Name: trawl
        \\Description: Reads the index that trawl makes of an execution trace
        \\Version: {s}
        \\Libs: -L${{libdir}} -ltrawl
        \\Cflags: -I${{includedir}}
        \\
    , .{about.version}));
}

// --- Steps for developers ------------------------------------------------------------------------

fn addTest(b: *std.Build, how: How, core: *std.Build.Step.Compile) void {
    const programs = b.step("test-programs", "Build what the tests run; tests/run.py SUITE runs some");
    const run = addCommand(b, &.{ "python3", "tests/run.py" });
    run.step.dependOn(programs);
    programs.dependOn(b.getInstallStep());
    for ([_]*std.Build.Step.Compile{
        addProgram(b, how, "trawl-unit", &unit_tests, core),
        addProgram(b, how, "make-index", &.{"tests/make_index.c"}, core),
        addProgram(b, how, "frame-rows", &.{"tests/frame_rows.c"}, core),
        addProgram(b, how, "trawl-toy", &.{ "src/main.c", "tests/kind/kinds.c", "tests/kind/toy.c" }, core),
        addSeeds(b, how, core),
    }) |program| {
        const install = b.addInstallArtifact(program, .{ .dest_dir = .{ .override = .{ .custom = "tests" } } });
        programs.dependOn(&install.step);
    }
    for ([_][]const u8{ "failing_memory", "failing_calls" }) |name| programs.dependOn(&addFailing(b, how, name).step);
    // Without system libraries, to be run by an emulator (tests/bare_check.py).
    const arm: How = .{
        .target = b.resolveTargetQuery(.{ .cpu_arch = .aarch64, .os_tag = .linux, .abi = .musl }),
        .optimize = how.optimize,
        .bare = true,
        .wants_lto = how.wants_lto,
    };
    const arm_core = addCore(b, arm);
    for ([_]*std.Build.Step.Compile{
        addProgram(b, arm, "trawl", &.{"src/main.c"}, arm_core),
        addProgram(b, arm, "trawl-unit", bare_unit_tests, arm_core),
    }) |program| {
        const install = b.addInstallArtifact(program, .{ .dest_dir = .{ .override = .{ .custom = "tests/aarch64" } } });
        programs.dependOn(&install.step);
    }
    // So that a change that breaks them shows here, also where their libraries are missing.
    const others = b.addObject(.{ .name = "others", .root_module = addModule(b, how, &other_sources) });
    programs.dependOn(&others.step);
    b.step("test", "Run every test; ends with 'N passed, N failed'").dependOn(&run.step);
}

/// What tests/memory_check.py and tests/faults_check.py preload, so that allocations, or calls of the system, fail.
fn addFailing(b: *std.Build, how: How, name: []const u8) *std.Build.Step.InstallArtifact {
    const module = b.createModule(.{ .target = how.target, .optimize = how.optimize, .sanitize_c = .off, .link_libc = true });
    module.addCSourceFiles(.{ .files = &.{b.fmt("tests/{s}.c", .{name})}, .flags = &(flags ++ .{ "-fno-builtin", "-fvisibility=default" }) });
    if (how.target.query.isNativeOs()) module.addAfterIncludePath(.{ .cwd_relative = "/usr/include" });
    const library = b.addLibrary(.{ .name = name, .linkage = .dynamic, .root_module = module });
    return b.addInstallArtifact(library, .{ .dest_dir = .{ .override = .{ .custom = "tests" } } });
}

/// All fuzz targets in one program without a fuzzer (tests/fuzz/seeds.c).
fn addSeeds(b: *std.Build, how: How, core: *std.Build.Step.Compile) *std.Build.Step.Compile {
    const program = addProgram(b, how, "trawl-seeds", &.{}, core);
    for (fuzz_targets) |name| {
        const entry = b.fmt("-DLLVMFuzzerTestOneInput=fuzz_{s}", .{name});
        program.root_module.addCSourceFile(.{
            .file = b.path(b.fmt("tests/fuzz/{s}_fuzz.c", .{name})),
            .flags = concat(b, &.{ &flags, &.{entry} }),
        });
    }
    program.root_module.addCSourceFile(.{
        .file = b.path("tests/fuzz/seeds.c"),
        .flags = concat(b, &.{ &flags, &.{seedTargets(b)} }),
    });
    return program;
}

/// What tests/fuzz/seeds.c wants to know of them.
fn seedTargets(b: *std.Build) []const u8 {
    var list: []const u8 = "-DFUZZ_TARGETS(X)=";
    for (fuzz_targets) |name| list = b.fmt("{s}X({s}) ", .{ list, name });
    return list;
}

/// The script decides when it runs where its trace comes from, so that no build fails for lack of
/// Unicorn. What it shows can be run again: the programs are installed.
fn addDemo(b: *std.Build, program: *std.Build.Step.Compile) void {
    const run = addCommand(b, &.{ "tools/demo", b.graph.zig_exe, b.install_path });
    run.addArtifactArg(program);
    run.step.dependOn(b.getInstallStep());
    b.step("demo", "Trace an Arm program; show its profile, call tree and flame graph").dependOn(&run.step);
}

/// google-benchmark is made for Debian's C++ library, not for Zig's: its own compiler links it, with
/// the C parts as one archive without sanitizers.
fn addBench(b: *std.Build, how: How, only: ?[]const u8) void {
    const step = b.step("bench", "Build and run the microbenchmarks (needs google-benchmark and g++)");
    const fast: How = .{ .target = how.target, .optimize = .ReleaseFast, .sanitize_c = .off, .wants_lto = true };
    const stages = b.addLibrary(.{
        .name = "trawlstages",
        .root_module = addModule(b, fast, concat(b, &.{ core_sources, &.{ "bench/columns.c", "bench/kernels.c", "bench/queries.c", "bench/sframe.c", "bench/stages.c", "bench/tfile.c" } })),
        .linkage = .static,
    });
    for (benchmarks) |name| {
        if (only) |wanted| if (!std.mem.eql(u8, wanted, name)) continue;
        const link = b.addSystemCommand(&.{ "g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-o" });
        const program = link.addOutputFileArg(b.fmt("bench-{s}", .{name}));
        link.addFileArg(b.path(b.fmt("bench/{s}.cpp", .{name})));
        for ([_][]const u8{ "bench/columns.h", "bench/kernels.h", "bench/queries.h", "bench/sframe.h", "bench/stages.h", "bench/tfile.h", "bench/traces.hpp" }) |header| link.addFileInput(b.path(header));
        for (include_dirs) |dir| link.addArg(b.fmt("-I{s}", .{b.pathFromRoot(dir)}));
        link.addArtifactArg(stages);
        link.addArgs(&.{ "-lbenchmark", "-lpthread" });
        addSystemLibraries(link);
        const install = b.addInstallFile(program, b.fmt("bench/{s}", .{name}));
        const run = addCommand(b, &.{ b.getInstallPath(.prefix, b.fmt("bench/{s}", .{name})), "--benchmark_min_time=0.3" });
        if (b.args) |args| run.addArgs(args);
        run.step.dependOn(&install.step);
        run.step.dependOn(b.getInstallStep()); // one of them looks names up in the program itself
        step.dependOn(&run.step);
    }
}

/// What each sanitizer is asked of. ThreadSanitizer: whatever has threads (tests/threads_check.py).
const Sanitized = struct { name: []const u8, flag: []const u8, suites: []const []const u8, about: []const u8 };

const sanitized = [_]Sanitized{
    .{
        .name = "asan",
        .flag = "-fsanitize=address,undefined",
        .suites = &.{ "unit", "seeds", "lies", "golden", "random", "corpus", "threads" },
        .about = "Run the tests under AddressSanitizer and UBSan (needs clang; -Dsample: the quick ones)",
    },
    .{
        .name = "tsan",
        .flag = "-fsanitize=thread",
        .suites = &.{ "unit", "threads", "golden" },
        .about = "Run what has threads under ThreadSanitizer (needs clang; -Dsample: the quick ones)",
    },
};

/// What of it CI has the time for.
const sample_suites = [_][]const u8{ "unit", "seeds", "threads" };

fn addSanitizers(b: *std.Build) void {
    const sample = b.option(bool, "sample", "asan, tsan, valgrind: only what is quick") orelse false;
    for (sanitized) |how| addSanitized(b, how, sample);
    const valgrind = addCommand(b, &.{ "python3", "tests/valgrind.py" });
    if (sample) valgrind.addArg("--sample");
    valgrind.step.dependOn(b.getInstallStep());
    b.step("valgrind", "Run a sample of commands under Valgrind's memcheck (needs valgrind)").dependOn(&valgrind.step);
}

fn addSanitized(b: *std.Build, how: Sanitized, sample: bool) void {
    const objects = addClangObjects(b, how.flag, &.{}, core_sources);
    const prefix = b.fmt("zig-out/{s}", .{how.name});
    const run = addCommand(b, &.{ "python3", "tests/run.py", "--prefix", prefix });
    for (how.suites) |suite| {
        if (!sample or contains(&sample_suites, suite)) run.addArg(suite);
    }
    run.setEnvironmentVariable("UBSAN_OPTIONS", "print_stacktrace=1");
    run.setEnvironmentVariable("TSAN_OPTIONS", "halt_on_error=1 exitcode=66");
    run.setEnvironmentVariable("TRAWL_SANDBOX", "off"); // which would not let them name functions
    const install_seeds = b.addInstallFile(addClangSeeds(b, how.flag, objects), b.fmt("{s}/tests/trawl-seeds", .{how.name}));
    run.step.dependOn(&install_seeds.step);
    const programs = [_]struct { []const u8, []const []const u8 }{
        .{ "bin/trawl", &.{"src/main.c"} },
        .{ "tests/trawl-unit", &unit_tests },
    };
    for (programs) |program| {
        const link = addClangProgram(b, how.flag, program[0], program[1], objects);
        const install = b.addInstallFile(link, b.fmt("{s}/{s}", .{ how.name, program[0] }));
        run.step.dependOn(&install.step);
        if (program[1].len > 1) continue;
        for (ttu_names) |name| {
            const path = b.getInstallPath(.prefix, b.fmt("{s}/bin/{s}", .{ how.name, name }));
            const alias = b.addSystemCommand(&.{ "ln", "-sf", "trawl", path });
            alias.has_side_effects = true;
            alias.step.dependOn(&install.step);
            run.step.dependOn(&alias.step);
        }
    }
    b.step(how.name, how.about).dependOn(&run.step);
}

fn contains(names: []const []const u8, wanted: []const u8) bool {
    for (names) |name| if (std.mem.eql(u8, name, wanted)) return true;
    return false;
}

/// What the fuzz targets reach of the sources, from their seeds and from a further corpus.
fn addCoverage(b: *std.Build) void {
    const corpus_dir = b.option([]const u8, "corpus", "coverage: a directory with a further corpus for each target");
    const objects = addClangObjects(b, coverage_flag, &.{}, core_sources);
    const install = b.addInstallFile(addClangSeeds(b, coverage_flag, objects), "coverage/trawl-seeds");
    const run = addCommand(b, &.{ "python3", "tests/fuzz/coverage.py", b.getInstallPath(.prefix, "coverage") });
    if (corpus_dir) |dir| run.addArg(dir);
    run.step.dependOn(&install.step);
    b.step("coverage", "Measure what the fuzz targets reach (needs clang, llvm-profdata and llvm-cov)").dependOn(&run.step);
}

/// Each target goes on from what it found before, in zig-out/fuzz.
fn addFuzz(b: *std.Build, only: ?[]const u8) void {
    const step = b.step("fuzz", "Fuzz every target for -Dseconds=N (needs clang)");
    const seconds = b.option(u32, "seconds", "fuzz: how long each target runs (default 20)") orelse 20;
    const objects = addClangObjects(b, "-fsanitize=fuzzer-no-link,address,undefined", &.{}, core_sources);
    for (fuzz_targets) |name| {
        if (only) |wanted| if (!std.mem.eql(u8, wanted, name)) continue;
        const file = b.fmt("tests/fuzz/{s}_fuzz.c", .{name});
        const program = addClangProgram(b, "-fsanitize=fuzzer,address,undefined", name, &.{file}, objects);
        const install = b.addInstallFile(program, b.fmt("fuzz/{s}", .{name}));
        const run = addCommand(b, &.{ "tests/fuzz/run", name, b.fmt("{d}", .{seconds}) });
        run.addArg(b.getInstallPath(.prefix, "fuzz"));
        run.step.dependOn(&install.step);
        step.dependOn(&run.step);
    }
}

fn addFmt(b: *std.Build) void {
    const check = b.option(bool, "check", "fmt: change nothing, fail if there is something to change") orelse false;
    const run = addCommand(b, &.{ "tools/format", b.graph.zig_exe });
    if (check) run.addArg("--check");
    b.step("fmt", "Format all C, C++ and Zig (needs clang-format 14; -Dcheck only checks)").dependOn(&run.step);
}

fn addLint(b: *std.Build) void {
    const run = addCommand(b, &.{"tools/lint"});
    b.step("lint", "Check C, shell and Python sources with the linters that are there").dependOn(&run.step);
}

/// Removes what `install` put there, by its own steps; Zig has a panic in this place. Directories
/// stay, as others may use them.
fn addUninstall(b: *std.Build, trawl: *std.Build.Step.Compile) void {
    const remove = b.addSystemCommand(&.{ "rm", "-f", "--" });
    remove.has_side_effects = true;
    addInstalled(b, remove, b.getInstallStep());
    for (ttu_names) |name| remove.addArg(b.getInstallPath(.bin, name)); // links, by installName
    const step = b.getUninstallStep();
    step.makeFn = makeNothing;
    step.dependOn(&remove.step);
    if (runsHere(trawl.root_module.resolved_target.?)) step.dependOn(removeManuals(b, trawl));
}

fn removeManuals(b: *std.Build, trawl: *std.Build.Step.Compile) *std.Build.Step {
    const remove = b.addSystemCommand(&.{ "tools/manuals", "remove" });
    remove.setCwd(b.path("."));
    remove.has_side_effects = true;
    remove.addArtifactArg(trawl);
    remove.addArg(b.getInstallPath(.prefix, "share"));
    return &remove.step;
}

fn makeNothing(_: *std.Build.Step, _: std.Build.Step.MakeOptions) anyerror!void {}

/// Adds the paths of all that a step, and those it depends on, install.
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

// --- Commands ------------------------------------------------------------------------------------

/// A command that runs in the root whenever it is asked for, and whose output is seen.
fn addCommand(b: *std.Build, words: []const []const u8) *std.Build.Step.Run {
    const run = b.addSystemCommand(words);
    run.setCwd(b.path("."));
    run.stdio = .inherit;
    run.has_side_effects = true;
    return run;
}

/// One object a source, by clang, for what Zig's compiler has no runtime for.
fn addClangObjects(b: *std.Build, sanitizers: []const u8, defines: []const []const u8, files: []const []const u8) []const std.Build.LazyPath {
    const objects = b.allocator.alloc(std.Build.LazyPath, files.len) catch @panic("OOM");
    for (files, objects) |file, *object| {
        const name = std.fs.path.stem(file);
        const run = b.addSystemCommand(&.{ "clang", sanitizers, "-c" });
        run.setName(b.fmt("clang {s} {s}", .{ sanitizers, file }));
        run.addArgs(&sanitizer_flags);
        const covers = std.mem.eql(u8, sanitizers, coverage_flag);
        if (covers) run.addArg("-fcoverage-mapping");
        if (covers or std.mem.startsWith(u8, sanitizers, "-fsanitize=fuzzer")) run.addArg("-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION");
        run.addArgs(&flags);
        run.addArgs(defines);
        for (include_dirs) |dir| run.addArg(b.fmt("-I{s}", .{b.pathFromRoot(dir)}));
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
    files: []const []const u8,
    objects: []const std.Build.LazyPath,
) std.Build.LazyPath {
    const link = b.addSystemCommand(&.{ "clang", sanitizers });
    link.setName(b.fmt("clang {s} {s}", .{ sanitizers, name }));
    for (addClangObjects(b, sanitizers, &.{}, files)) |object| link.addFileArg(object);
    for (objects) |object| link.addFileArg(object);
    addSystemLibraries(link);
    link.addArgs(&.{ "-lpthread", "-lm", "-o" });
    return link.addOutputFileArg(std.fs.path.basename(name));
}

/// As addSeeds.
fn addClangSeeds(b: *std.Build, sanitizers: []const u8, core: []const std.Build.LazyPath) std.Build.LazyPath {
    var objects = core;
    for (fuzz_targets) |name| {
        const file = b.fmt("tests/fuzz/{s}_fuzz.c", .{name});
        const entry = b.fmt("-DLLVMFuzzerTestOneInput=fuzz_{s}", .{name});
        objects = std.mem.concat(b.allocator, std.Build.LazyPath, &.{ objects, addClangObjects(b, sanitizers, &.{entry}, &.{file}) }) catch @panic("OOM");
    }
    const all = addClangObjects(b, sanitizers, &.{seedTargets(b)}, &.{"tests/fuzz/seeds.c"});
    objects = std.mem.concat(b.allocator, std.Build.LazyPath, &.{ objects, all }) catch @panic("OOM");
    return addClangProgram(b, sanitizers, "trawl-seeds", &.{}, objects);
}

fn addSystemLibraries(link: *std.Build.Step.Run) void {
    for (system_libraries) |library| {
        const name = if (std.mem.startsWith(u8, library, "lib")) library[3..] else library;
        link.addArg(link.step.owner.fmt("-l{s}", .{name}));
    }
}

fn concat(b: *std.Build, lists: []const []const []const u8) []const []const u8 {
    return std.mem.concat(b.allocator, []const u8, lists) catch @panic("OOM");
}
