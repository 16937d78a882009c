package dev.offsetd.extractor;

import dev.offsetd.extractor.btf.BtfWriter;
import dev.offsetd.extractor.elf.SymbolFile;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;

/** Structures of sections other than DWARF that may grow without bound. A structure is added by a line of the table. */
public final class SectionStructures {

    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private static final int SHT_SYMTAB = 2;
    private static final int SHT_RELA = 4;
    private static final int PT_LOAD = 1;
    private static final int PT_DYNAMIC = 2;
    private static final int DT_RELA = 7;
    private static final int DT_RELASZ = 8;
    private static final int EM_PPC64 = 21;
    private static final int R_X86_64_64 = 1;
    private static final int R_X86_64_RELATIVE = 8;
    private static final int R_PPC64_RELATIVE = 22;

    private static final int BTF_KIND_STRUCT = 4;
    private static final int BTF_KIND_ENUM = 6;
    private static final int BTF_KIND_FUNC_PROTO = 13;
    private static final int BTF_KIND_DATASEC = 15;

    private SectionStructures() {}

    /** Returns files by the structure that they have in some size. */
    public static Map<String, IntFunction<byte[]>> files() {
        Map<String, IntFunction<byte[]>> files = new LinkedHashMap<>();
        files.put("sections", n -> sections(n, i -> ".section" + i));
        files.put("sections of one name", n -> sections(n, _ -> ".rodata"));
        files.put("name of a section", n -> sections(1, _ -> "n".repeat(n)));
        files.put("strings of a kernel", n -> strings("\u00f8Linux version 1 (", n));
        files.put("strings of a loader", n -> strings("\u00f8ld.so (", n));
        files.put("strings of versions", n -> strings("1\0", n));
        files.put("defined versions", SectionStructures::definitions);
        files.put("needed versions", SectionStructures::needs);
        files.put("relocations of debug information", SectionStructures::ofDebugInfo);
        files.put("relocations of a program", SectionStructures::dynamic);
        files.put("function descriptors", SectionStructures::descriptors);
        files.put("functions with descriptors, and sections", SectionStructures::described);
        files.put("types of BTF", n -> btf(types -> repeat(n, i -> types.add(BTF_KIND_STRUCT, false, "s" + i, 0, 4))));
        files.put("members of BTF", n -> btf(types -> holder(types, "s", n, types.signed("int", 4))));
        files.put(
                "struct of BTF in structs",
                n -> btf(types -> {
                    int wide = holder(types, "wide", n, types.signed("int", 4));
                    repeat(n, i -> holder(types, "holder" + i, 1, wide));
                }));
        files.put(
                "enumerators of BTF",
                n -> btf(types -> types.add(BTF_KIND_ENUM, false, "e", n, 4, words(n, 2, i ->
                        new long[] {types.name("E" + i), i}))));
        files.put(
                "parameters of BTF",
                n -> btf(types -> types.add(BTF_KIND_FUNC_PROTO, false, "", n, 0, words(n, 2, _ ->
                        new long[] {types.name("p"), 0}))));
        files.put(
                "variables of BTF",
                n -> btf(types ->
                        types.add(BTF_KIND_DATASEC, false, ".data", n, 0, words(n, 3, _ -> new long[] {0, 0, 4}))));
        return files;
    }

    /** Returns BPF programs by the structure that they have in some size. */
    public static Map<String, IntFunction<byte[]>> programs() {
        Map<String, IntFunction<byte[]>> programs = new LinkedHashMap<>();
        programs.put("types", n -> program(n, 1, (_, _) -> {}));
        programs.put(
                "types that are relocated",
                n -> program(
                        n,
                        1,
                        (out, access) -> repeat(n, i -> {
                            out.u32(0).u32(1).u32(8L * i).u32(i + 1).u32(access).u32(0);
                        })));
        programs.put(
                "relocations",
                n -> program(1, 1, (out, access) -> {
                    out.u32(0).u32(n);
                    repeat(n, i -> out.u32(8L * i).u32(1).u32(access).u32(0));
                }));
        programs.put(
                "sections",
                n -> program(1, 1, (out, _) -> repeat(n, _ -> out.u32(1).u32(0))));
        programs.put(
                "members of a type that must match",
                n -> program(1, n, (out, access) -> {
                    out.u32(0).u32(1).u32(0).u32(1).u32(access).u32(12);
                }));
        return programs;
    }

    private static void repeat(int n, IntConsumer action) {
        IntStream.range(0, n).forEach(action);
    }

    private static byte[] sections(int n, IntFunction<String> name) {
        ElfWriter elf = new ElfWriter(64, ORDER);
        repeat(n, i -> elf.section(name.apply(i), new byte[1]));
        return (n < 0xff00 - 2 ? elf : elf.extendedNumbering()).toBytes();
    }

    private static byte[] strings(String text, int n) {
        return new ElfWriter(64, ORDER)
                .section(".init.text", new byte[1])
                .section(".rodata", text.repeat(n).getBytes(StandardCharsets.ISO_8859_1))
                .toBytes();
    }

    private static byte[] definitions(int n) {
        BinaryWriter out = new BinaryWriter(ORDER);
        repeat(
                n,
                i -> out.u16(1)
                        .u16(0)
                        .u16(2 + i)
                        .u16(1)
                        .u32(0)
                        .u32(20)
                        .u32(28)
                        .u32(1)
                        .u32(0));
        return new SymbolFile().definitions(out).dynamic("f", 2, 1, 0x1000, 1).toBytes();
    }

    private static byte[] needs(int n) {
        BinaryWriter out = new BinaryWriter(ORDER).u16(1).u16(n).u32(1).u32(16).u32(0);
        repeat(n, i -> out.u32(0).u16(0).u16(2 + i).u32(1).u32(16));
        return new SymbolFile().needs(out).dynamic("f", 2, 1, 0x1000, 1).toBytes();
    }

    private static byte[] rela(int n, int type, ByteOrder order) {
        BinaryWriter out = new BinaryWriter(order);
        repeat(n, i -> out.u64(8L * i).u64(type).u64(i));
        return out.toBytes();
    }

    private static byte[] ofDebugInfo(int n) {
        return new ElfWriter(64, ORDER)
                .type(1)
                .section(".debug_info", new byte[8 * n])
                .section(".symtab", SHT_SYMTAB, 0, 1, 24, new byte[24])
                .section(".rela.debug_info", SHT_RELA, 2, 1, 24, rela(n, R_X86_64_64, ORDER))
                .toBytes();
    }

    private static byte[] dynamic(int n) {
        byte[] table = rela(n, R_X86_64_RELATIVE, ORDER);
        int start = 64 + 3 * 56;
        BinaryWriter dynamic = new BinaryWriter(ORDER);
        dynamic.u64(DT_RELA)
                .u64(start + 48L)
                .u64(DT_RELASZ)
                .u64(table.length)
                .u64(0)
                .u64(0);
        return new ElfWriter(64, ORDER)
                .segment(PT_LOAD, 0, start + dynamic.size() + table.length)
                .segment(PT_DYNAMIC, start, dynamic.size())
                .tlsSegment(0, 0, 8, 8)
                .section(".dynamic", dynamic.toBytes())
                .section(".rela.dyn", SHT_RELA, 0, 0, 24, table)
                .toBytes();
    }

    private static byte[] descriptors(int n) {
        return new ElfWriter(64, ByteOrder.BIG_ENDIAN)
                .machine(EM_PPC64)
                .loaded(".opd", 0, new byte[8 * n])
                .section(".rela.dyn", SHT_RELA, 0, 0, 24, rela(n, R_PPC64_RELATIVE, ByteOrder.BIG_ENDIAN))
                .toBytes();
    }

    /** The last section has the code of all functions. */
    private static byte[] described(int n) {
        long code = 0x1000_0000L + n;
        BinaryWriter descriptors = new BinaryWriter(ByteOrder.BIG_ENDIAN);
        BinaryWriter symbols = new BinaryWriter(ByteOrder.BIG_ENDIAN).bytes(new byte[24]);
        repeat(n, i -> {
            descriptors.u64(code);
            symbols.u32(1).u8(0x12).u8(0).u16(1).u64(8L * i).u64(8);
        });
        ElfWriter elf = new ElfWriter(64, ByteOrder.BIG_ENDIAN)
                .machine(EM_PPC64)
                .loaded(".opd", 0, descriptors.toBytes())
                .section(".strtab", new byte[] {0, 'f', 0})
                .section(".symtab", SHT_SYMTAB, 2, 1, 24, symbols.toBytes());
        repeat(n, i -> elf.loaded(".text", code - n + i + 1, new byte[1]));
        return (n < 0xff00 - 6 ? elf : elf.extendedNumbering()).toBytes();
    }

    private static byte[] btf(Consumer<BtfWriter> content) {
        BtfWriter types = new BtfWriter(ORDER);
        content.accept(types);
        return new ElfWriter(64, ORDER).section(".BTF", types.toBytes()).toBytes();
    }

    private static int holder(BtfWriter types, String name, int members, int type) {
        return types.add(BTF_KIND_STRUCT, false, name, members, 4L * members, words(members, 3, i ->
                new long[] {types.name("m" + i), type, 32L * i}));
    }

    private static long[] words(int n, int each, IntFunction<long[]> part) {
        long[] words = new long[n * each];
        repeat(n, i -> System.arraycopy(part.apply(i), 0, words, i * each, each));
        return words;
    }

    /** @param relocations writes the relocations, given the place of the text of their paths */
    private static byte[] program(int structs, int members, ObjIntConsumer<BinaryWriter> relocations) {
        BtfWriter types = new BtfWriter(ORDER);
        int access = (int) types.name("0");
        repeat(structs, i -> holder(types, "s" + i, members, i + 1));
        BinaryWriter records = new BinaryWriter(ORDER).u32(16);
        relocations.accept(records, access);
        BinaryWriter ext = new BinaryWriter(ORDER).u16(0xeb9f).u8(1).u8(0).u32(32);
        ext.u32(0).u32(0).u32(0).u32(0).u32(0).u32(records.size());
        return new ElfWriter(64, ORDER)
                .section(".BTF", types.toBytes())
                .section(".BTF.ext", ext.bytes(records.toBytes()).toBytes())
                .toBytes();
    }
}
