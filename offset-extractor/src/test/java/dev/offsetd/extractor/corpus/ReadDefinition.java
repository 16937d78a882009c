package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variant;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedEnumerator;
import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedMember;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The reader's definitions in the terms that other tools' are written down in. */
public final class ReadDefinition {

    private ReadDefinition() {}

    /** The definition as another tool would have to see it. */
    public static ExpectedDefinition comparable(Definition definition) {
        List<ExpectedMember> members = new ArrayList<>();
        List<ExpectedEnumerator> enumerators = new ArrayList<>();
        switch (definition.shape()) {
            case AggregateShape aggregate -> addMembers(aggregate, members);
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

    /** Adds the members; those of a variant part stand in its place. */
    private static void addMembers(AggregateShape aggregate, List<ExpectedMember> into) {
        for (Member member : aggregate.members()) {
            Variant variant = member.variant();
            if (member.type() instanceof AggregateShape part && part.isVariantPart()) {
                addMembers(part, into);
            } else if (member.role() == Member.Role.DISCRIMINANT) {
                into.add(comparable(member).named(ExpectedMember.DISCRIMINANT));
            } else {
                into.add(
                        variant == null
                                ? comparable(member)
                                : comparable(member).named(member.name() + " " + when(variant)));
            }
        }
    }

    private static String when(Variant variant) {
        if (variant.values().isEmpty()) {
            return "otherwise";
        }
        long bytes = variant.discriminantBytes();
        BigInteger mask = BigInteger.ONE
                .shiftLeft((int) (bytes > 0 ? Byte.SIZE * bytes : Long.SIZE))
                .subtract(BigInteger.ONE);
        return "when "
                + variant.values().stream()
                        .map(range -> range.first().equals(range.last())
                                ? range.first().and(mask).toString(16)
                                : range.first().and(mask).toString(16) + "-"
                                        + range.last().and(mask).toString(16))
                        .collect(Collectors.joining(","));
    }

    private static ExpectedMember comparable(Member member) {
        Long bitOffset = member.location() instanceof MemberLocation.Fixed fixed ? fixed.bitOffset() : null;
        Integer bitSize = member.isBitField() ? member.bitSize() : null;
        if (bitOffset != null
                && member.isBitField()
                && member.storageBytes() != member.type().byteSize()) {
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
            counts.add(count < 0 ? null : count);
        }
        return counts;
    }
}
