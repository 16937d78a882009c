package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.symbols.SymbolSource.Table;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/**
 * A unit between two others. Whatever its bytes are, the types of the others are answered as without it. The input is what
 * follows its {@code unit_length}; one that begins with a header of DWARF 5 and the offset 0 has the abbreviations of the others.
 *
 * <p>An input that begins with a byte from {@value #FIRST_SECTION} on replaces another section, too: after the byte, which
 * chooses it, come its {@code sh_link}, its {@code sh_entsize}, the number of its bytes in two bytes, and they themselves. A
 * damaged symbol table takes nothing else along. Without its own names or abbreviations, what is still answered must be right.
 */
@ChecklistRow({1, 29})
class DamagedUnitFuzzTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);
    private static final DwarfSections SECTIONS = DwarfWriter.write(
            DwarfStyle.DEFAULT,
            unit(
                    baseType("int", 4, DW_ATE_signed),
                    struct("first", 8, member("a", "int", 0), member("b", "int", 4)),
                    typedef("first_t", "first")),
            unit(
                    baseType("long", 8, DW_ATE_signed),
                    struct("second", 16, member("a", "long", 0), member("b", "long", 8))));
    private static final List<String> NAMES = List.of("first", "first_t", "second");
    private static final int FIRST_SECTION = 0xf0;
    private static final String ABBREVIATIONS = ".debug_abbrev";
    private static final String STRINGS = ".debug_str";

    /** The sections that an input may replace, with {@code sh_type}. */
    private static final Map<String, Integer> REPLACED = new TreeMap<>(
            Map.of(ABBREVIATIONS, 1, STRINGS, 1, ".dynsym", 11, ".gnu_debugdata", 1, ".strtab", 3, ".symtab", 2));

    private static final byte[] SYMBOL_NAMES = {0, 'm', 'a', 'i', 'n', 0};
    private static final byte[] SYMBOLS = new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
            .bytes(new byte[24])
            .u32(1)
            .u8(0x12)
            .u8(0)
            .u16(1)
            .u64(0x1000)
            .u64(16)
            .toBytes();
    private static final List<Definition> SOUND = sound();

    @TempDir
    private static Path folder;

    private static List<Definition> sound() {
        try {
            return named(Answers.catalogue(SECTIONS)).toList();
        } catch (IOException | ExtractionException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Another section than that of the unit.
     *
     * @param rest of the input
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Replaced(String name, int link, int entryBytes, byte[] contents, byte[] rest) {

        static Replaced of(byte[] data) {
            int chosen = data.length < 5 ? -1 : (data[0] & 0xff) - FIRST_SECTION;
            if (chosen < 0 || chosen >= REPLACED.size()) {
                return new Replaced("", 0, 0, new byte[0], data);
            }
            int bytes = Math.min(data.length - 5, (data[3] & 0xff) | ((data[4] & 0xff) << 8));
            return new Replaced(
                    List.copyOf(REPLACED.keySet()).get(chosen),
                    data[1] & 0xff,
                    data[2] & 0xff,
                    Arrays.copyOfRange(data, 5, 5 + bytes),
                    Arrays.copyOfRange(data, 5 + bytes, data.length));
        }

        boolean isOfDwarf() {
            return name.equals(ABBREVIATIONS) || name.equals(STRINGS);
        }
    }

    /** Returns the file with two symbol tables of one symbol each. */
    private static ElfWriter elf(byte[] info, Replaced replaced) {
        ElfWriter elf = new ElfWriter(64, SECTIONS.style().order()).code(".text", 0x1000, 0x1000);
        Map<String, byte[]> sections = new LinkedHashMap<>();
        sections.put(".dynstr", SYMBOL_NAMES);
        sections.put(".strtab", SYMBOL_NAMES);
        sections.put(".dynsym", SYMBOLS);
        sections.put(".symtab", SYMBOLS);
        sections.put(".debug_info", info);
        sections.put(ABBREVIATIONS, SECTIONS.section(ABBREVIATIONS));
        sections.put(STRINGS, SECTIONS.section(STRINGS));
        sections.put(replaced.name, replaced.contents);
        sections.remove("");
        sections.forEach((name, contents) -> {
            boolean other = name.equals(replaced.name);
            int link = name.equals(".dynsym") ? 2 : 3;
            int type = name.equals(".dynstr") ? 3 : REPLACED.getOrDefault(name, 1);
            elf.section(name, type, other ? replaced.link : link, 1, other ? replaced.entryBytes : 24, contents);
        });
        return elf;
    }

    private static Stream<Definition> named(TypeCatalogue types) {
        return NAMES.stream().flatMap(name -> types.definitionsNamed(name).stream());
    }

    @FuzzTest
    void fuzz(byte[] data) throws IOException, ExtractionException {
        Replaced replaced = Replaced.of(data);
        byte[] info = SECTIONS.section(".debug_info");
        int middle = ByteBuffer.wrap(info).order(SECTIONS.style().order()).getInt() + Integer.BYTES;
        byte[] damaged = new BinaryWriter(SECTIONS.style().order())
                .bytes(Arrays.copyOf(info, middle))
                .u32(replaced.rest.length)
                .bytes(replaced.rest)
                .bytes(Arrays.copyOfRange(info, middle, info.length))
                .toBytes();
        Path file = elf(damaged, replaced).writeTo(folder.resolve("damaged"));
        TypeCatalogue types;
        try {
            assertSymbols(DebugInfo.read(file, OPTIONS, DebugInfo::symbolTables), replaced.name);
            types = DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types();
        } catch (LimitExceededException e) {
            // A limit ends the reading of a whole file.
            return;
        } catch (ExtractionException e) {
            // Nothing of a file is readable without abbreviations.
            assertThat(replaced.name).as(e.getMessage()).isEqualTo(ABBREVIATIONS);
            return;
        }
        if (replaced.isOfDwarf()) {
            assertRight(types, replaced.name, replaced.rest.length + Integer.BYTES, middle);
            return;
        }
        LayoutEquality layouts = new LayoutEquality();
        for (Definition sound : SOUND) {
            assertThat(types.definitionsNamed(sound.name()))
                    .as("%s among %s", sound, types.omissions())
                    .anyMatch(found -> layouts.areEqual(found.shape(), sound.shape()));
        }
    }

    /** Requires the symbols of the tables that were not replaced, nor have their names in what was. */
    private static void assertSymbols(SymbolReport symbols, String replaced) {
        for (Table table : List.of(Table.SYMTAB, Table.DYNSYM)) {
            boolean sound =
                    !replaced.equals(table.sectionName()) && !(table == Table.SYMTAB && replaced.equals(".strtab"));
            assertThat(symbols.tables().stream().flatMap(List::stream))
                    .as("%s among %s", table, symbols.omissions())
                    .satisfies(all -> assertThat(sound
                                    && all.stream()
                                            .noneMatch(symbol -> symbol.name().equals("main")
                                                    && symbol.sources()
                                                                    .getFirst()
                                                                    .table()
                                                            == table))
                            .isFalse());
        }
    }

    /** Without names, requires the sizes and offsets of the types in the sound units, wherever they are answered. */
    private static void assertRight(TypeCatalogue types, String replaced, int inserted, int middle) {
        if (replaced.equals(ABBREVIATIONS)) {
            // Other abbreviations give the DIEs another meaning.
            return;
        }
        for (Definition found : types.definitions()) {
            for (Definition sound : SOUND) {
                long place = sound.dieOffset() < middle ? sound.dieOffset() : sound.dieOffset() + inserted;
                if (found.dieOffset() == place && found.kind() == sound.kind()) {
                    // A member without a readable name is unsupported.
                    List<String> numbers = numbers(found);
                    assertThat(numbers).as("%s", found).hasSameSizeAs(numbers(sound));
                    for (int i = 0; i < numbers.size(); i++) {
                        assertThat(numbers.get(i)).isIn(numbers(sound).get(i), "unsupported");
                    }
                }
            }
        }
    }

    private static List<String> numbers(Definition type) {
        List<String> numbers = new ArrayList<>(List.of("size " + type.shape().byteSize()));
        if (type.shape() instanceof AggregateShape aggregate) {
            aggregate
                    .members()
                    .forEach(member -> numbers.add(
                            member.location() instanceof MemberLocation.Unsupported
                                    ? "unsupported"
                                    : member.location().toString()));
        }
        return numbers;
    }
}
