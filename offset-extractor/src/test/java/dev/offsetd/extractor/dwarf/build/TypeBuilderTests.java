package dev.offsetd.extractor.dwarf.build;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.dwarf.scan.DefinitionMerge;
import dev.offsetd.extractor.dwarf.scan.DefinitionScanner;
import dev.offsetd.extractor.dwarf.scan.Selection;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TypeBuilderTests {

    private static final int LEVELS = 50;

    /** Returns a unit of namespaces inside each other, whose qualified names together take three quarters of what is kept. */
    private static Unit unitOfInlineNamespaces() {
        int letters = TypeBuilder.MAX_INLINE_NAMESPACE_CHARS * 3 / 4 / (LEVELS * (LEVELS + 1) / 2);
        Part inner = die(DW_TAG_structure_type, name("innermost"), byteSize(4));
        for (int level = 0; level < LEVELS; level++) {
            inner = die(
                    DW_TAG_namespace,
                    name("n".repeat(letters - "::".length())),
                    attribute(DW_AT_export_symbols, DW_FORM_flag, 1),
                    inner);
        }
        return unit("test.cc", DW_LANG_C_plus_plus_14, inner);
    }

    @Test
    void namesOfInlineNamespacesThatSeveralThreadsFindCountOnce() throws ExtractionException {
        DwarfUnits dwarf = LayoutHasherTests.open(
                DwarfWriter.write(DwarfStyle.DEFAULT, unitOfInlineNamespaces(), unitOfInlineNamespaces()));
        Selection selection = Selection.everyType(Limits.DEFAULT);
        DefinitionMerge merge = new DefinitionMerge(dwarf);
        for (int unit = 0; dwarf.hasOwnUnit(unit); unit++) {
            // Each thread has a scanner.
            merge.add(new DefinitionScanner(dwarf, selection).scan(unit));
        }

        Set<String> names = new TypeBuilder(dwarf).inlineNamespaces(merge);

        assertThat(merge.inlineNamespaces()).hasSize(2 * LEVELS);
        assertThat(names).hasSize(LEVELS);
    }
}
