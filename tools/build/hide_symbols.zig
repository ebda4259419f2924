//! Renames the hidden symbols of a relocatable object: `map_open` becomes `trawl_private_map_open`.
//!
//!     hide_symbols OBJECT RESULT
//!
//! Visibility counts only in shared objects. In a static library such names could clash with those of
//! the program that it is linked into.
const std = @import("std");
const elf = std.elf;

const prefix = "trawl_private_";
const bytes_max = 64 << 20;

pub fn main(init: std.process.Init) !void {
    const arena = init.arena.allocator();
    const arguments = try init.minimal.args.toSlice(arena);
    if (arguments.len != 3) std.process.fatal("usage: hide_symbols OBJECT RESULT", .{});
    const cwd = std.Io.Dir.cwd();
    const object = try cwd.readFileAlloc(init.io, arguments[1], arena, .limited(bytes_max));
    const result = hide(arena, object) catch |err|
        std.process.fatal("{s}: {s}", .{ arguments[1], @errorName(err) });
    try cwd.writeFile(init.io, .{ .sub_path = arguments[2], .data = result });
}

/// The new names are in a new table of strings at the end of the file, which begins with the old table.
fn hide(arena: std.mem.Allocator, object: []u8) ![]const u8 {
    const header = (try items(elf.Elf64_Ehdr, object, 0, 1))[0];
    if (!std.mem.eql(u8, header.e_ident[0..6], "\x7fELF\x02\x01")) return error.NotElf64LittleEndian;
    const sections = try items(elf.Elf64_Shdr, object, header.e_shoff, header.e_shnum);
    for (sections) |table| {
        if (table.sh_type != elf.SHT_SYMTAB) continue;
        if (table.sh_link >= sections.len) return error.Damaged;
        const names = &sections[table.sh_link];
        const symbols = try items(elf.Elf64_Sym, object, table.sh_offset, table.sh_size / @sizeOf(elf.Elf64_Sym));
        var text: std.ArrayList(u8) = .empty;
        try text.appendSlice(arena, try items(u8, object, names.sh_offset, names.sh_size));
        for (symbols) |*symbol| {
            const visibility: elf.STV = @enumFromInt(@as(u3, @truncate(symbol.st_other)));
            if (symbol.st_bind() == elf.STB_LOCAL or visibility != .HIDDEN) continue;
            const name = try arena.dupe(u8, std.mem.sliceTo(text.items[symbol.st_name..], 0));
            symbol.st_name = @intCast(text.items.len);
            for ([_][]const u8{ prefix, name, "\x00" }) |part| try text.appendSlice(arena, part);
        }
        names.sh_offset = object.len;
        names.sh_size = text.items.len;
        return std.mem.concat(arena, u8, &.{ object, text.items });
    }
    return error.NoSymbols;
}

fn items(comptime Item: type, object: []u8, offset: u64, count: u64) ![]align(1) Item {
    if (offset > object.len or count > (object.len - offset) / @sizeOf(Item)) return error.Damaged;
    const start: usize = @intCast(offset);
    return std.mem.bytesAsSlice(Item, object[start..][0 .. @as(usize, @intCast(count)) * @sizeOf(Item)]);
}
