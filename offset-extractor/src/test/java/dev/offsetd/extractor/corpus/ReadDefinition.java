package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedEnumerator;
import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedMember;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reader's definitions in the terms that other tools' are written down in. */
public final class ReadDefinition {

    private ReadDefinition() {}

    /** The definition as another tool would have to see it. */
    public static ExpectedDefinition comparable(Definition definition) {
        List<ExpectedMember> members = new ArrayList<>();
        List<ExpectedEnumerator> enumerators = new ArrayList<>();
        switch (definition.shape()) {
            case AggregateShape aggregate ->
                aggregate.members().stream().map(ReadDefinition::comparable).forEach(members::add);
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
