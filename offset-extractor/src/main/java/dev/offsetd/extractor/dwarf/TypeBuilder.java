package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes records of type DIEs: the layouts, and how C spells the types in them. Equal structs met again in another unit
 * are the same object. For one thread.
 */
public final class TypeBuilder {

    private static final TypeShape VOID = new BaseShape("void", TypeShape.UNKNOWN_SIZE, BaseShape.Encoding.OTHER);

    private static final Discriminant NO_DISCRIMINANT = new Discriminant(-1, false, TypeShape.UNKNOWN_SIZE);

    private final DwarfTypes dwarf;
    private final UnitReaders readers;
    private final LayoutHasher hasher;
    private final TypeSpeller speller;
    private final Map<AggregateKey, AggregateShape> aggregates = new HashMap<>();

    /** What was made of DIEs of the current unit. */
    private final Map<Long, TypeShape> shapes = new HashMap<>();

    private final Set<Long> open = new HashSet<>();

    /** What lives as long as the definitions: shapes, names. */
    private final Kept kept;

    /** Null while units are read one by one. */
    private @Nullable DeclaredTypes declarations;

    private int currentUnit = -1;

    /** @param lowerBound what the key of the layout leaves to the language: where its arrays begin */
    private record AggregateKey(long high, long low, long reading, String spelling, long lowerBound) {}

    public TypeBuilder(DwarfTypes dwarf) {
        this.dwarf = dwarf;
        this.readers = new UnitReaders(dwarf);
        this.kept = new Kept(dwarf);
        this.speller = new TypeSpeller(dwarf, kept);
        this.hasher = new LayoutHasher(dwarf, new UnitReaders(dwarf), speller);
    }

    /**
     * The definitions that a merge kept, in the order of their DIEs. A declaration stays only if nothing of its name is
     * defined.
     */
    public List<Definition> build(DefinitionMerge merged) throws ExtractionException {
        return build(merged, merged);
    }

    /**
     * The same, of definitions that are not all of the file's.
     *
     * @param declared where the types that these definitions hold by value, and only declare, may be defined
     */
    public List<Definition> build(DefinitionMerge merged, DefinitionMerge declared) throws ExtractionException {
        merged.finish();
        declarations = new DeclaredTypes(dwarf, speller, hasher, declared);
        List<Definition> definitions = new ArrayList<>(merged.count);
        Set<String> defined = new HashSet<>();
        for (int i = 0; i < merged.count; i++) {
            Definition definition = definition(
                    merged.dieOffsets[i],
                    merged.tags[i],
                    merged.nameRefs[i],
                    (merged.flags[i] & UnitDefinitions.LOCAL) != 0,
                    (merged.flags[i] & UnitDefinitions.DECLARATION) != 0);
            definitions.add(definition);
            if (!definition.isDeclaration()) {
                defined.add(definition.qualifiedName());
            }
        }
        definitions.removeIf(definition -> definition.isDeclaration() && defined.contains(definition.qualifiedName()));
        return definitions;
    }

    /** Names of the types that the definitions built so far hold by value, and that nothing was found to define. */
    public Set<String> undefined() {
        return declarations == null ? Set.of() : Set.copyOf(declarations.missing());
    }

    /** The inline namespaces that a merge has, with the scopes around them. */
    public Set<String> inlineNamespaces(DefinitionMerge merged) throws ExtractionException {
        Set<String> found = new HashSet<>();
        for (long namespace : merged.inlineNamespaces) {
            String name = speller.scopes().qualifiedName(namespace);
            if (found.add(name)) {
                kept.add(name.length(), namespace);
            }
        }
        return found;
    }

    /** The complete named structs, unions, classes and enumerations of one unit, none merged, and nothing resolved. */
    public List<Definition> buildEach(UnitDefinitions unit) throws ExtractionException {
        if (kept.isHalfFull()) {
            // The definitions are handed out; what was kept to share it among units is all that remains of them.
            speller.forgetTexts();
            aggregates.clear();
            kept.clear();
        }
        List<Definition> definitions = new ArrayList<>();
        for (int i = 0; i < unit.count; i++) {
            boolean tag = Dwarf.isAggregate(unit.tags[i]) || unit.tags[i] == Dwarf.DW_TAG_enumeration_type;
            if (tag && unit.nameRefs[i] != NameRef.NONE && (unit.flags[i] & UnitDefinitions.DECLARATION) == 0) {
                definitions.add(definition(
                        unit.dieOffsets[i],
                        unit.tags[i],
                        unit.nameRefs[i],
                        (unit.flags[i] & UnitDefinitions.LOCAL) != 0,
                        false));
            }
        }
        return definitions;
    }

    private Definition definition(long dieOffset, int tag, long nameRef, boolean local, boolean declaration)
            throws ExtractionException {
        Unit unit = dwarf.unit(dieOffset);
        dwarf.deadline().check(dwarf.section(dieOffset).name());
        enter(unit);
        String name = nameRef == NameRef.NONE ? "" : text(nameRef, unit);
        TypeShape shape = declaration
                ? new IncompleteShape(speller.spell(dieOffset).text(), "only declared")
                : shape(dieOffset, 0);
        String qualifiedName = local ? name : qualifiedName(dieOffset, name, shape);
        kept.addBytes(Kept.DEFINITION_BYTES, dieOffset);
        return new Definition(
                kind(tag),
                name,
                qualifiedName,
                local ? functionAround(dieOffset) : null,
                unit.name(),
                dwarf.language(unit),
                dwarf.section(dieOffset).name(),
                DieAddress.offset(dieOffset),
                shape);
    }

    /** Turns to a unit; what was made of the DIEs of another one is forgotten. */
    void enter(Unit unit) {
        if (unit.index() != currentUnit) {
            currentUnit = unit.index();
            shapes.clear();
            speller.beginUnit();
            hasher.beginUnit();
        }
    }

    /** What a variable of a unit is made of, by the DIE of its type. */
    TypeShape typeOfVariable(long typeDie, Unit unit) throws ExtractionException {
        enter(unit);
        kept.addBytes(Kept.VARIABLE_BYTES, unit.header().startAddress());
        return shape(typeDie, 0);
    }

    static TypeKind kind(int tag) {
        return switch (tag) {
            case Dwarf.DW_TAG_structure_type -> TypeKind.STRUCT;
            case Dwarf.DW_TAG_union_type -> TypeKind.UNION;
            case Dwarf.DW_TAG_class_type, Dwarf.DW_TAG_interface_type -> TypeKind.CLASS;
            case Dwarf.DW_TAG_enumeration_type -> TypeKind.ENUM;
            case Dwarf.DW_TAG_typedef -> TypeKind.TYPEDEF;
            default -> TypeKind.BASE;
        };
    }

    /** Name of the function that the DIE is local to; empty if there is none. */
    String functionAround(long dieOffset) throws ExtractionException {
        String function = speller.scopes().function(dieOffset);
        return function == null ? "" : function;
    }

    /** Name of the function at this address; empty if it has none. */
    String functionAt(long dieOffset) throws ExtractionException {
        return speller.scopes().functionAt(dieOffset);
    }

    /** The name with the namespaces and classes around the DIE, see {@link Scopes#qualifier}. */
    String qualified(long dieOffset, String name) throws ExtractionException {
        String qualified = speller.scopes().qualifier(dieOffset) + name;
        kept.add(qualified.length(), dieOffset);
        return qualified;
    }

    /** Returns the qualified name of a type, as the same object as its spelling where they are equal: C++ names are long. */
    private String qualifiedName(long dieOffset, String name, TypeShape shape) throws ExtractionException {
        String qualified = speller.scopes().qualifier(dieOffset) + name;
        if (qualified.equals(shape.spelling())) {
            return shape.spelling();
        }
        kept.add(qualified.length(), dieOffset);
        return qualified;
    }

    String text(long nameRef, Unit unit) throws ExtractionException {
        return speller.text(nameRef, unit);
    }

    private TypeShape shape(long dieOffset, int depth) throws ExtractionException {
        if (dieOffset == 0) {
            return VOID;
        }
        if (dieOffset < 0) {
            return new IncompleteShape("?", "defined in a file that was not given");
        }
        TypeShape known = shapes.get(dieOffset);
        if (known != null) {
            return known;
        }
        if (depth > dwarf.limits().maxTypeDepth()) {
            throw dwarf.tooDeep(dieOffset);
        }
        if (!open.add(dieOffset)) {
            throw dwarf.malformed(dieOffset, "a type contains itself by value");
        }
        try {
            TypeShape shape = read(dieOffset, depth);
            // A struct that many units have is one object, which was counted when it was made.
            if (!(shape instanceof AggregateShape)) {
                kept.add(shape.declarator().length(), dieOffset);
                kept.addEntry(Kept.TYPE_BYTES, dieOffset);
            }
            shapes.put(dieOffset, shape);
            return shape;
        } finally {
            open.remove(dieOffset);
        }
    }

    private TypeShape read(long dieOffset, int depth) throws ExtractionException {
        DieReader reader = readers.at(dieOffset);
        Abbreviation abbreviation = reader.require();
        DieScratch die = reader.die;
        int tag = abbreviation.tag();
        long target = die.get(Slot.TYPE, 0);
        if (die.has(Slot.SIGNATURE)) {
            return shape(die.get(Slot.SIGNATURE), depth + 1);
        }
        if (Dwarf.isAlias(tag)) {
            return new AliasShape(speller.spell(dieOffset), shape(target, depth + 1));
        }
        long bytes = LayoutHasher.constantSize(die);
        return switch (tag) {
            case Dwarf.DW_TAG_structure_type,
                    Dwarf.DW_TAG_union_type,
                    Dwarf.DW_TAG_class_type,
                    Dwarf.DW_TAG_interface_type -> {
                if (die.has(Slot.DECLARATION)) {
                    yield declared(dieOffset, depth);
                }
                yield aggregate(dieOffset, tag, depth);
            }
            case Dwarf.DW_TAG_enumeration_type -> {
                if (die.has(Slot.DECLARATION) && bytes < 0) {
                    yield declared(dieOffset, depth);
                }
                yield enumeration(dieOffset, abbreviation, reader, depth);
            }
            case Dwarf.DW_TAG_array_type -> {
                ArrayBounds bounds = bounds(reader, abbreviation, dieOffset);
                TypeShape element = shape(target, depth + 1);
                ArrayShape array = bounds.shape(speller.spell(dieOffset), element, bytes);
                // Counts, and where there are any, lower bounds and strides.
                int lists = array.indexing() == null ? 1 : 3;
                kept.addBytes((long) Kept.DIMENSION_BYTES * array.counts().size() * lists, dieOffset);
                yield array;
            }
            case Dwarf.DW_TAG_subrange_type -> {
                TypeShape basis = shape(target, depth + 1);
                Spelling spelling = speller.spell(dieOffset);
                yield bytes < 0 || bytes == basis.byteSize()
                        ? new AliasShape(spelling, basis)
                        : new BaseShape(spelling.text(), bytes, encoding(basis.peeled()));
            }
            case Dwarf.DW_TAG_pointer_type,
                    Dwarf.DW_TAG_reference_type,
                    Dwarf.DW_TAG_rvalue_reference_type,
                    Dwarf.DW_TAG_ptr_to_member_type -> {
                long size = LayoutHasher.pointerSize(
                        tag, reader, readers, dwarf.limits().maxTypeDepth());
                yield new PointerShape(speller.spell(dieOffset), size, pointee(target));
            }
            // Go gives its function types a size: their values are pointers to closures.
            case Dwarf.DW_TAG_subroutine_type ->
                bytes >= 0
                        ? new PointerShape(speller.spell(dieOffset), bytes, null)
                        : new FunctionShape(speller.spell(dieOffset));
            default -> {
                BaseShape.Encoding encoding = encoding(die.get(Slot.ENCODING, 0));
                yield new BaseShape(speller.spell(dieOffset).text(), bytes, encoding);
            }
        };
    }

    /** The one layout that other units define for a type that this one only declares. */
    private TypeShape declared(long dieOffset, int depth) throws ExtractionException {
        String spelling = speller.spell(dieOffset).text();
        IncompleteShape incomplete = new IncompleteShape(spelling, "only declared");
        List<Long> definitions = declarations == null ? List.of() : declarations.definitionsOf(dieOffset);
        TypeShape first = null;
        for (long definition : definitions) {
            if (open.contains(definition)) {
                return incomplete;
            }
            TypeShape shape = shape(definition, depth + 1);
            if (first != null && !DeclaredTypes.haveOneLayout(first, shape)) {
                return incomplete;
            }
            first = first == null ? shape : first;
        }
        return first == null
                ? incomplete
                : new AliasShape(
                        Spelling.of(spelling),
                        first,
                        dwarf.unit(definitions.getFirst()).name());
    }

    private ArrayBounds bounds(DieReader reader, Abbreviation array, long dieOffset) throws ExtractionException {
        return ArrayBounds.read(reader, array, dieOffset, dwarf, readers, dwarf.language(dwarf.unit(dieOffset)));
    }

    /** How the values of a subrange of this type are read. */
    private static BaseShape.Encoding encoding(TypeShape basis) {
        return switch (basis) {
            case BaseShape base -> base.encoding();
            case EnumShape enumeration ->
                enumeration.signed() ? BaseShape.Encoding.SIGNED : BaseShape.Encoding.UNSIGNED;
            default -> BaseShape.Encoding.OTHER;
        };
    }

    static BaseShape.Encoding encoding(long code) {
        return switch ((int) code) {
            case Dwarf.DW_ATE_boolean -> BaseShape.Encoding.BOOLEAN;
            case Dwarf.DW_ATE_signed, Dwarf.DW_ATE_signed_char -> BaseShape.Encoding.SIGNED;
            case Dwarf.DW_ATE_unsigned, Dwarf.DW_ATE_unsigned_char, Dwarf.DW_ATE_UTF -> BaseShape.Encoding.UNSIGNED;
            case Dwarf.DW_ATE_float,
                    Dwarf.DW_ATE_complex_float,
                    Dwarf.DW_ATE_imaginary_float,
                    Dwarf.DW_ATE_decimal_float -> BaseShape.Encoding.FLOATING;
            default -> BaseShape.Encoding.OTHER;
        };
    }

    private AggregateShape aggregate(long dieOffset, int tag, int depth) throws ExtractionException {
        hasher.type(dieOffset);
        String spelling = speller.spell(dieOffset).text();
        long lowerBound = Languages.lowerBound(dwarf.language(dwarf.unit(dieOffset)));
        AggregateKey key = new AggregateKey(hasher.high, hasher.low, hasher.reading, spelling, lowerBound);
        AggregateShape known = aggregates.get(key);
        if (known != null) {
            return known;
        }
        kept.add(spelling.length(), dieOffset);
        kept.addEntry(Kept.TYPE_BYTES, dieOffset);
        AggregateShape made = readAggregate(dieOffset, tag, spelling, depth);
        aggregates.put(key, made);
        return made;
    }

    private AggregateShape readAggregate(long dieOffset, int tag, String spelling, int depth)
            throws ExtractionException {
        DieReader reader = readers.at(dieOffset);
        Abbreviation abbreviation = reader.require();
        Unit unit = dwarf.unit(dieOffset);
        long nameRef = speller.nameRef(dieOffset, abbreviation, reader, unit);
        String name = nameRef == NameRef.NONE ? null : text(nameRef, unit);
        long bytes = LayoutHasher.constantSize(reader.die);
        long alignment = Math.max(reader.die.get(Slot.ALIGNMENT, 0), 0);
        List<Member> members = new ArrayList<>();
        if (abbreviation.hasChildren()) {
            new MemberReader(dieOffset, unit, bytes, depth).read(reader, members);
        }
        return new AggregateShape(kind(tag), name, spelling, bytes, alignment, members);
    }

    /** Reads the members of one type, variant parts included. */
    private final class MemberReader {

        private final long type;
        private final Unit unit;
        private final long typeBytes;
        private final int depth;
        private final MemberAttributes attributes = new MemberAttributes();
        private int parts;
        private int nesting;

        /** @param typeBytes size of the type, which is that of its variant parts too */
        MemberReader(long type, Unit unit, long typeBytes, int depth) {
            this.type = type;
            this.unit = unit;
            this.typeBytes = typeBytes;
            this.depth = depth;
        }

        /** Reads the children that follow, to the end of their list. */
        void read(DieReader reader, List<Member> into) throws ExtractionException {
            read(reader, into, NO_DISCRIMINANT, null);
        }

        /**
         * @param discriminant of the part that the children are in
         * @param variant the variant that they are in, or null
         */
        private void read(DieReader reader, List<Member> into, Discriminant discriminant, @Nullable Variant variant)
                throws ExtractionException {
            while (true) {
                long child = reader.offset();
                Abbreviation next = reader.next();
                if (next == null) {
                    return;
                }
                if (!MemberAttributes.isMember(next.tag()) && !VariantPart.isPart(next.tag())) {
                    reader.pass(next);
                    continue;
                }
                reader.capture(next);
                if (MemberAttributes.isInObject(next.tag(), reader.die)) {
                    if (into.size() >= dwarf.limits().maxMembersPerType()) {
                        throw dwarf.tooManyMembers(type);
                    }
                    attributes.copy(next.tag(), reader.die, dwarf.section(type));
                    reader.skipChildren(next);
                    long behind = reader.offset();
                    Member.Role role = attributes.baseClass
                            ? Member.Role.BASE_CLASS
                            : attributes.embedded
                                    ? Member.Role.EMBEDDED
                                    : child == discriminant.die ? Member.Role.DISCRIMINANT : Member.Role.FIELD;
                    kept.addEntry(Kept.MEMBER_BYTES, type);
                    into.add(member(attributes, role, variant, unit, depth));
                    reader.seek(behind);
                } else if (VariantPart.isPart(next.tag()) && next.hasChildren()) {
                    if (++parts > dwarf.limits().maxMembersPerType()) {
                        throw dwarf.tooManyMembers(type);
                    }
                    readPart(next.tag(), reader, into, discriminant, variant);
                } else {
                    reader.skipChildren(next);
                }
            }
        }

        private void readPart(
                int tag, DieReader reader, List<Member> into, Discriminant discriminant, @Nullable Variant variant)
                throws ExtractionException {
            if (++nesting > dwarf.limits().maxTypeDepth()) {
                throw dwarf.tooDeep(type);
            }
            if (tag == Dwarf.DW_TAG_variant) {
                Variant inner =
                        VariantPart.variant(reader.die, dwarf.section(type), discriminant.signed, discriminant.bytes);
                read(reader, into, discriminant, inner);
            } else {
                long behind = reader.offset();
                Discriminant inner = discriminant(reader.die.get(Slot.DISCR, 0));
                reader.seek(behind);
                List<Member> members = new ArrayList<>();
                read(reader, members, inner, null);
                into.add(new Member(
                        Member.Role.FIELD,
                        null,
                        new MemberLocation.Fixed(0),
                        Member.NOT_A_BIT_FIELD,
                        0,
                        new AggregateShape(TypeKind.UNION, null, AggregateShape.VARIANT_PART, typeBytes, 0, members),
                        variant));
            }
            nesting--;
        }

        private Discriminant discriminant(long die) throws ExtractionException {
            if (die <= 0) {
                return NO_DISCRIMINANT;
            }
            DieReader reader = readers.at(die);
            reader.require();
            TypeShape shape = shape(reader.die.get(Slot.TYPE, 0), depth + 1);
            boolean signed = shape.peeled() instanceof BaseShape base && base.encoding() == BaseShape.Encoding.SIGNED;
            return new Discriminant(die, signed, shape.byteSize());
        }
    }

    /**
     * The member whose value says which variant is there.
     *
     * @param die its address, or -1 if the part has none
     */
    private record Discriminant(long die, boolean signed, long bytes) {}

    private Member member(
            MemberAttributes attributes, Member.Role role, @Nullable Variant variant, Unit unit, int depth)
            throws ExtractionException {
        TypeShape type = shape(attributes.typeDie, depth + 1);
        long typeBytes = type.byteSize();
        boolean bitField = attributes.bitSize != Member.NOT_A_BIT_FIELD;
        return new Member(
                role,
                attributes.nameRef == NameRef.NONE ? null : text(attributes.nameRef, unit),
                attributes.computed.isEmpty()
                        ? new MemberLocation.Fixed(attributes.bitOffset(typeBytes, dwarf.isBigEndian()))
                        : new MemberLocation.Computed(attributes.computed),
                attributes.bitSize,
                bitField ? attributes.storageBytes(typeBytes) : 0,
                type,
                variant);
    }

    private EnumShape enumeration(long dieOffset, Abbreviation abbreviation, DieReader reader, int depth)
            throws ExtractionException {
        Unit unit = dwarf.unit(dieOffset);
        DieScratch die = reader.die;
        String name = die.has(Slot.NAME) ? text(die.get(Slot.NAME), unit) : null;
        long bytes = LayoutHasher.constantSize(die);
        long encoding = die.get(Slot.ENCODING, 0);
        long underlying = die.get(Slot.TYPE, 0);
        List<String> names = new ArrayList<>();
        List<@Nullable Long> values = new ArrayList<>();
        boolean negative = false;
        while (abbreviation.hasChildren()) {
            Abbreviation next = reader.read();
            if (next == null) {
                break;
            }
            if (next.tag() == Dwarf.DW_TAG_enumerator) {
                if (names.size() == dwarf.limits().maxMembersPerType()) {
                    throw dwarf.tooManyMembers(dieOffset);
                }
                kept.addEntry(Kept.ENUMERATOR_BYTES, dieOffset);
                names.add(die.has(Slot.NAME) ? text(die.get(Slot.NAME), unit) : "");
                values.add(die.isExpression(Slot.CONST_VALUE) ? null : (Long) die.get(Slot.CONST_VALUE, 0));
                negative |= die.isNegative(Slot.CONST_VALUE);
            }
            reader.skipChildren(next);
        }
        boolean signed = negative;
        BaseShape.Encoding stated = encoding != 0
                ? encoding(encoding)
                : underlying != 0 && shape(underlying, depth + 1).peeled() instanceof BaseShape base
                        ? base.encoding()
                        : BaseShape.Encoding.OTHER;
        if (stated == BaseShape.Encoding.SIGNED) {
            signed = true;
        } else if (stated != BaseShape.Encoding.OTHER) {
            signed = false;
        }
        if (bytes < 0 && underlying != 0) {
            bytes = shape(underlying, depth + 1).byteSize();
        }
        List<Enumerator> enumerators = new ArrayList<>(names.size());
        for (int i = 0; i < names.size(); i++) {
            Long value = values.get(i);
            boolean fits = value != null && (signed || bytes <= 8 || value >= 0);
            enumerators.add(
                    fits
                            ? new Enumerator(names.get(i), VariantPart.extend(value, bytes, signed))
                            : Enumerator.tooWide(names.get(i)));
        }
        return new EnumShape(name, speller.spell(dieOffset).text(), bytes, signed, enumerators);
    }

    /** What a pointer points to, as an item can ask for it, or null. */
    private @Nullable String pointee(long target) throws ExtractionException {
        long at = target;
        for (int hops = 0; at > 0 && hops <= dwarf.limits().maxTypeDepth(); hops++) {
            DieReader reader = readers.at(at);
            int tag = reader.require().tag();
            if (reader.die.has(Slot.SIGNATURE)) {
                at = reader.die.get(Slot.SIGNATURE);
            } else if (Dwarf.isAlias(tag) && tag != Dwarf.DW_TAG_typedef) {
                at = reader.die.get(Slot.TYPE, 0);
            } else {
                return Dwarf.isNamedType(tag) && reader.die.has(Slot.NAME)
                        ? speller.spell(at).text()
                        : null;
            }
        }
        return null;
    }
}
