package dev.offsetd.extractor;

import dev.offsetd.extractor.corpus.ReadDefinition;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The reader's answers, as tests ask for them and as they compare with those of other tools. */
public final class Answers {

    private static final ReadOptions SERIAL = new ReadOptions(Limits.DEFAULT, 1);

    private Answers() {}

    /** Every complete definition of the file. */
    public static List<Definition> definitions(Path file) throws IOException, ExtractionException {
        List<Definition> definitions = new ArrayList<>();
        try (DebugInfo info = DebugInfo.open(file, SERIAL)) {
            info.forEachDefinition(definitions::add);
        }
        return definitions;
    }

    /** Every complete definition of the file, as other tools' are written down. */
    public static List<ExpectedDefinition> comparable(Path file) throws IOException, ExtractionException {
        return definitions(file).stream().map(ReadDefinition::comparable).toList();
    }

    /** The definition of this name; there is exactly one. */
    public static Definition definition(DwarfSections sections, String name) throws IOException, ExtractionException {
        List<Definition> named = all(sections).stream()
                .filter(definition -> definition.name().equals(name))
                .toList();
        if (named.size() != 1) {
            throw new AssertionError(named.size() + " definitions are named " + name + ": " + named);
        }
        return named.getFirst();
    }

    /** The aggregate of this name; there is exactly one. */
    public static AggregateShape aggregate(DwarfSections sections, String name)
            throws IOException, ExtractionException {
        return (AggregateShape) definition(sections, name).shape();
    }

    /** Every named type of sections that become a file for it. */
    public static List<Definition> all(DwarfSections sections) throws IOException, ExtractionException {
        return catalogue(sections).definitions();
    }

    /** Everything in sections that become a file for it. */
    public static TypeCatalogue catalogue(DwarfSections sections) throws IOException, ExtractionException {
        Path file = Files.createTempFile("written", ".debug");
        try {
            return DebugInfo.read(sections.writeTo(file), SERIAL, DebugInfo::extractAll)
                    .types();
        } finally {
            Files.delete(file);
        }
    }
}
