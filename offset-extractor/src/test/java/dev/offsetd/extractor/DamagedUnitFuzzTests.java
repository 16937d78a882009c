package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/**
 * A unit between two others. Whatever its bytes are, the types of the others are answered as without it. The input is what
 * follows its {@code unit_length}; one that begins with a header of DWARF 5 and the offset 0 has the abbreviations of the others.
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

    private static Stream<Definition> named(TypeCatalogue types) {
        return NAMES.stream().flatMap(name -> types.definitionsNamed(name).stream());
    }

    @FuzzTest
    void fuzz(byte[] data) throws IOException, ExtractionException {
        byte[] info = SECTIONS.section(".debug_info");
        int middle = ByteBuffer.wrap(info).order(SECTIONS.style().order()).getInt() + Integer.BYTES;
        byte[] damaged = new BinaryWriter(SECTIONS.style().order())
                .bytes(Arrays.copyOf(info, middle))
                .u32(data.length)
                .bytes(data)
                .bytes(Arrays.copyOfRange(info, middle, info.length))
                .toBytes();
        Path file = SECTIONS.with(".debug_info", damaged).writeTo(folder.resolve("damaged"));
        TypeCatalogue types;
        try {
            types = DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types();
        } catch (LimitExceededException e) {
            // A limit ends the reading of a whole file.
            return;
        }
        LayoutEquality layouts = new LayoutEquality();
        for (Definition sound : SOUND) {
            assertThat(types.definitionsNamed(sound.name()))
                    .as("%s among %s", sound, types.omissions())
                    .anyMatch(found -> layouts.areEqual(found.shape(), sound.shape()));
        }
    }
}
