package dev.offsetd.extractor.dwarf.build;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.type.MemberAttributes;
import dev.offsetd.extractor.dwarf.type.MemberWalk;
import dev.offsetd.extractor.dwarf.type.TypeSize;
import dev.offsetd.extractor.dwarf.type.VariantPart;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Languages;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variant;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds one struct, union or class from its DIE, with the members of its variant parts. Not thread-safe. */
final class AggregateBuilder {

    private static final Discriminant NO_DISCRIMINANT = new Discriminant(-1, false, TypeShape.UNKNOWN_SIZE);

    private final TypeGraph types;
    private final DwarfUnits dwarf;
    private final TypeSpeller speller;
    private final MemoryAccount account;
    private final long dieAddress;
    private final Unit unit;
    private final int depth;
    private long byteSize;

    /**
     * @param dieAddress address of its DIE
     * @param depth number of types that hold this one by value
     */
    AggregateBuilder(
            TypeGraph types, DwarfUnits dwarf, TypeSpeller speller, MemoryAccount account, long dieAddress, int depth)
            throws ExtractionException {
        this.types = types;
        this.dwarf = dwarf;
        this.speller = speller;
        this.account = account;
        this.dieAddress = dieAddress;
        this.unit = dwarf.unit(dieAddress);
        this.depth = depth;
    }

    AggregateShape build(String spelling) throws ExtractionException {
        DieReader reader = types.readers().at(dieAddress);
        Abbreviation abbreviation = reader.require();
        long nameRef = speller.nameOrDeclared(dieAddress, abbreviation, reader, unit);
        String name = nameRef == NameRef.NONE ? null : speller.text(nameRef, unit);
        byteSize = TypeSize.ofDie(reader.die);
        boolean runtimeClass = reader.die.has(Slot.RUNTIME_CLASS) || Languages.isObjectiveC(unit.language());
        long alignment = Math.max(reader.die.get(Slot.ALIGNMENT, 0), 0);
        List<Member> members = new ArrayList<>();
        if (abbreviation.hasChildren()) {
            readMembers(new MemberWalk(dieAddress, reader, dwarf), members, NO_DISCRIMINANT, null);
            orderEnumerations(members);
        }
        return new AggregateShape(
                Dwarf.kind(abbreviation.tag()),
                name,
                spelling,
                byteSize,
                alignment,
                runtimeClass && abbreviation.tag() != Dwarf.DW_TAG_union_type
                        ? InstanceVariables.located(members)
                        : members);
    }

    /**
     * Gives enumerations the byte order that all numbers of a struct have. GCC 12 says it for the base types of a struct
     * with {@code scalar_storage_order} only, and the order is that of every scalar in it. Single bytes have none.
     */
    private static void orderEnumerations(List<Member> members) {
        ByteOrder order = null;
        for (Member member : members) {
            if (member.type().byteOrder() != null) {
                order = member.type().byteOrder();
            } else if (member.type().innermost() instanceof BaseShape number && number.byteSize() > 1) {
                return;
            }
        }
        if (order != null) {
            ByteOrder common = order;
            members.replaceAll(member -> member.type().innermost() instanceof EnumShape
                    ? member.withType(member.type().inByteOrder(common))
                    : member);
        }
    }

    /**
     * Reads members up to the end of the current list.
     *
     * @param discriminant of the variant part that the list is in
     * @param variant the variant that the list is in, or null
     */
    private void readMembers(MemberWalk walk, List<Member> into, Discriminant discriminant, @Nullable Variant variant)
            throws ExtractionException {
        while (true) {
            switch (walk.next()) {
                case MEMBER -> into.add(member(walk, discriminant, variant));
                case VARIANT ->
                    readMembers(
                            walk,
                            into,
                            discriminant,
                            VariantPart.variant(
                                    walk.part(),
                                    dwarf.section(dieAddress),
                                    discriminant.signed,
                                    discriminant.byteSize));
                case VARIANT_PART -> {
                    Discriminant inner = discriminant(walk.part());
                    List<Member> members = new ArrayList<>();
                    readMembers(walk, members, inner, null);
                    into.add(variantPart(members, variant));
                }
                case PART_END, END -> {
                    return;
                }
            }
        }
    }

    /**
     * Returns an unnamed union of the size of the type, because a variant part overlays its variants on the whole
     * type.
     */
    private Member variantPart(List<Member> members, @Nullable Variant variant) {
        return new Member(
                Member.Role.FIELD,
                null,
                new MemberLocation.Fixed(0),
                Member.NOT_A_BIT_FIELD,
                0,
                new AggregateShape(TypeKind.UNION, null, AggregateShape.VARIANT_PART, byteSize, 0, members),
                variant);
    }

    private Member member(MemberWalk walk, Discriminant discriminant, @Nullable Variant variant)
            throws ExtractionException {
        MemberAttributes attributes = walk.member;
        Member.Role role = attributes.baseClass
                ? Member.Role.BASE_CLASS
                : attributes.embedded
                        ? Member.Role.EMBEDDED
                        : walk.child() == discriminant.memberDie ? Member.Role.DISCRIMINANT : Member.Role.FIELD;
        account.addEntry(MemoryAccount.MEMBER_BYTES, dieAddress);
        TypeShape declaredType = types.shape(attributes.typeDie, depth + 1);
        TypeShape memberType =
                attributes.byteOrder == null ? declaredType : declaredType.inByteOrder(attributes.byteOrder);
        long typeBytes = memberType.byteSize();
        MemberLocation location = location(attributes, memberType);
        boolean bitField = attributes.bitSize != Member.NOT_A_BIT_FIELD && !isWhole(attributes, memberType, location);
        String name = null;
        try {
            name = attributes.nameRef == NameRef.NONE ? null : speller.text(attributes.nameRef, unit);
        } catch (ExtractionException e) {
            dwarf.omit(Part.MEMBER, walk.child(), e);
            location = new MemberLocation.Unsupported(String.valueOf(e.getMessage()));
        }
        return new Member(
                role,
                name,
                location,
                bitField ? attributes.bitSize : Member.NOT_A_BIT_FIELD,
                bitField ? attributes.storageBytes(typeBytes) : 0,
                memberType,
                variant);
    }

    /** Returns whether a "bit-field" is a whole array or struct at a byte: the producer took its size for another one. */
    private static boolean isWhole(MemberAttributes attributes, TypeShape type, MemberLocation location) {
        return (type.peeled() instanceof AggregateShape || type.peeled() instanceof ArrayShape)
                && location instanceof MemberLocation.Fixed(long place)
                && place % Byte.SIZE == 0
                && attributes.bitSize == type.byteSize() * Byte.SIZE
                && attributes.bitSize > attributes.storageBytes(type.byteSize()) * Byte.SIZE;
    }

    private MemberLocation location(MemberAttributes attributes, TypeShape type) {
        if (!attributes.computed.isEmpty()) {
            return new MemberLocation.Computed(attributes.computed);
        }
        String unsupported = type.unsupported();
        if (unsupported != null) {
            return new MemberLocation.Unsupported("its type is an " + unsupported);
        }
        if (!attributes.unsupported.isEmpty()) {
            return new MemberLocation.Unsupported(attributes.unsupported);
        }
        long place = attributes.bitOffset(type.byteSize(), dwarf.isBigEndian());
        return attributes.isPlacedAt(place, type, byteSize)
                ? new MemberLocation.Fixed(place)
                : new MemberLocation.Unsupported(attributes.misplaced());
    }

    /**
     * The value that selects the variant.
     *
     * @param memberDie address of the member that holds it, or -1 if none does
     */
    private record Discriminant(long memberDie, boolean signed, long byteSize) {}

    /** @param part the variant part, whose type is the discriminant's if no member holds one (DWARF 5 §5.7.10) */
    private Discriminant discriminant(DieScratch part) throws ExtractionException {
        long memberDie = part.get(Slot.DISCR, -1);
        long typeDie = part.get(Slot.TYPE, 0);
        if (memberDie > 0) {
            DieReader reader = types.readers().at(memberDie);
            reader.require();
            typeDie = reader.die.get(Slot.TYPE, 0);
        } else if (typeDie <= 0) {
            return NO_DISCRIMINANT;
        }
        TypeShape shape = types.shape(typeDie, depth + 1);
        boolean signed = shape.peeled() instanceof BaseShape base && base.encoding() == BaseShape.Encoding.SIGNED;
        return new Discriminant(memberDie, signed, shape.byteSize());
    }
}
