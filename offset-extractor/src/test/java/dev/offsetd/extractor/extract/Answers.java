package dev.offsetd.extractor.extract;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedEnumerator;
import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedMember;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reader's answers, as tests ask for them and as they compare with those of other tools. */
final class Answers {

    private static final OffsetExtractor SERIAL = new OffsetExtractor(Limits.DEFAULT, 1);

    private Answers() {}

    /** Every complete definition of the file. */
    static List<Definition> definitions(Path file) throws IOException, ExtractionException {
        List<Definition> definitions = new ArrayList<>();
        SERIAL.forEachDefinition(file, definitions::add);
        return definitions;
    }

    /** Every complete definition of the file, as other tools' are written down. */
    static List<ExpectedDefinition> comparable(Path file) throws IOException, ExtractionException {
        return definitions(file).stream().map(Answers::comparable).toList();
    }

    /** The definition of this name; there is exactly one. */
    static Definition definition(DwarfSections sections, String name) throws IOException, ExtractionException {
        List<Definition> named = all(sections).stream()
                .filter(definition -> definition.name().equals(name))
                .toList();
        if (named.size() != 1) {
            throw new AssertionError(named.size() + " definitions are named " + name + ": " + named);
        }
        return named.getFirst();
    }

    /** The aggregate of this name; there is exactly one. */
    static AggregateShape aggregate(DwarfSections sections, String name) throws IOException, ExtractionException {
        return (AggregateShape) definition(sections, name).shape();
    }

    /** Every named type of sections that become a file for it. */
    static List<Definition> all(DwarfSections sections) throws IOException, ExtractionException {
        Path file = Files.createTempFile("written", ".debug");
        try {
            return SERIAL.extractAll(sections.writeTo(file)).types().definitions();
        } finally {
            Files.delete(file);
        }
    }

    static ExpectedDefinition comparable(Definition definition) {
        List<ExpectedMember> members = new ArrayList<>();
        List<ExpectedEnumerator> enumerators = new ArrayList<>();
        switch (definition.shape()) {
            case AggregateShape aggregate ->
                aggregate.members().stream().map(Answers::comparable).forEach(members::add);
            case EnumShape enumeration ->
                enumeration.enumerators().stream()
                        .map(enumerator -> new ExpectedEnumerator(enumerator.name(), enumerator.value()))
                        .forEach(enumerators::add);
            case TypeShape other -> throw new AssertionError("no definition has the shape " + other);
        }
        return new ExpectedDefinition(
                definition.section(),
                definition.dieOffset(),
                definition.unit(),
                definition.kind().word(),
                definition.name(),
                definition.shape().byteSize(),
                members,
                enumerators);
    }

    private static ExpectedMember comparable(Member member) {
        Long bitOffset = member.location() instanceof MemberLocation.Fixed fixed ? fixed.bitOffset() : null;
        Integer bitSize = member.isBitField() ? member.bitSize() : null;
        if (member.isBitField() && member.storageBytes() != member.type().byteSize()) {
            throw new AssertionError("storageBytes is not the size of the declared type: " + member);
        }
        return new ExpectedMember(
                member.name(),
                member.role() == Member.Role.BASE_CLASS,
                bitOffset,
                bitSize,
                member.type().byteSize(),
                counts(member.type()));
    }

    private static @Nullable List<@Nullable Long> counts(TypeShape type) {
        if (!(type.peeled() instanceof ArrayShape array)) {
            return null;
        }
        List<@Nullable Long> counts = new ArrayList<>();
        for (long count : array.counts()) {
            counts.add(count == ArrayShape.FLEXIBLE ? null : count);
        }
        return counts;
    }
}
