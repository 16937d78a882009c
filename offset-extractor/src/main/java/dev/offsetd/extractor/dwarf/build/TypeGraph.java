package dev.offsetd.extractor.dwarf.build;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.scan.DefinitionTable;
import dev.offsetd.extractor.dwarf.scan.LayoutHasher;
import dev.offsetd.extractor.dwarf.scan.NameHashes;
import dev.offsetd.extractor.dwarf.type.ArrayBounds;
import dev.offsetd.extractor.dwarf.type.ByteOrders;
import dev.offsetd.extractor.dwarf.type.TypeChain;
import dev.offsetd.extractor.dwarf.type.TypeSize;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Languages;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language.Family;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.PointerKind;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeShape;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Shapes of type DIEs and of everything they hold by value, which may be in other units. Units repeat the structs of
 * shared headers, so equal structs with a name share one object across units; shapes of other types, and of types in
 * functions, live as long as the current unit. Not thread-safe.
 */
final class TypeGraph {

    private static final TypeShape VOID = new BaseShape("void", TypeShape.UNKNOWN_SIZE, BaseShape.Encoding.OTHER);

    private final DwarfUnits dwarf;
    private final DieReaders readers;
    private final NameHashes names;
    private final LayoutHasher hasher;
    private final TypeSpeller speller;
    private final MemoryAccount account;
    private final EnumBuilder enumerations;
    private final PointerTargets targets;
    private final Map<AggregateKey, AggregateShape> aggregates = new HashMap<>();

    /** By DIE address, of the current unit. */
    private final Map<Long, TypeShape> shapes = new HashMap<>();

    /** DIEs that are being read. Meeting one again means that a type contains itself by value: only the inner one is left out. */
    private final Set<Long> open = new HashSet<>();

    private Declarations declarations = new Declarations.Unresolved();

    private int currentUnit = -1;

    /** Whether a type in a function may be met. In C, only variables and types of a function lead to its types. */
    private boolean meetsLocalTypes = true;

    /**
     * Key of types that share one shape. Comparable, so that equal hashes cost a hash table a logarithm only.
     *
     * @param lowerBound first index of arrays, which the layout's key leaves to the language
     */
    private record AggregateKey(long high, long low, long readings, String spelling, long lowerBound)
            implements Comparable<AggregateKey> {

        @Override
        public int compareTo(AggregateKey other) {
            int order = Long.compare(low, other.low);
            order = order != 0 ? order : Long.compare(high, other.high);
            order = order != 0 ? order : Long.compare(readings, other.readings);
            order = order != 0 ? order : Long.compare(lowerBound, other.lowerBound);
            return order != 0 ? order : spelling.compareTo(other.spelling);
        }

        // Every process would link those that a record has otherwise: docs/rationale/startup.md.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof AggregateKey key
                    && key.high == high
                    && key.low == low
                    && key.readings == readings
                    && key.lowerBound == lowerBound
                    && key.spelling.equals(spelling);
        }

        @Override
        public int hashCode() {
            // Many classes have one layout: empty ones, or the instances of a template.
            return 31 * Long.hashCode(low) + spelling.hashCode();
        }
    }

    TypeGraph(DwarfUnits dwarf, TypeSpeller speller, MemoryAccount account) {
        this.dwarf = dwarf;
        this.speller = speller;
        this.account = account;
        this.readers = new DieReaders(dwarf);
        this.names = new NameHashes(dwarf.names());
        this.hasher = new LayoutHasher(dwarf, names, speller);
        this.enumerations = new EnumBuilder(this, dwarf, speller, account);
        this.targets = new PointerTargets(this, dwarf, speller, account);
    }

    /** Refuses shapes of declared types, and of what holds them by value, until {@link #resolveDeclarations}. */
    void awaitDeclarations() {
        if (declarations instanceof Declarations.Unresolved) {
            declarations = new Declarations.Awaited();
        }
    }

    /** Resolves declared types that are held by value to these definitions from now on. */
    void resolveDeclarations(DefinitionTable definitions) {
        declarations = new DeclaredTypes(dwarf, speller, names, definitions);
    }

    /** Returns the names of the declared types held by value that no definition was found for. */
    Set<String> undefined() {
        return new HashSet<>(declarations.missing());
    }

    /**
     * Makes a unit the current one.
     *
     * @param fromFunction whether the next shapes may be asked for by something in a function
     */
    void enter(Unit unit, boolean fromFunction) throws ExtractionException {
        meetsLocalTypes = fromFunction || dwarf.language(unit).family() != Family.C;
        if (unit.index() != currentUnit) {
            currentUnit = unit.index();
            shapes.clear();
            if (declarations instanceof Declarations.Awaited(Set<Long> waiting)) {
                waiting.clear();
            }
            targets.beginUnit();
            speller.beginUnit();
            hasher.beginUnit(unit);
        }
    }

    /** Forgets the structs that units share. */
    void forgetShared() {
        aggregates.clear();
    }

    DieReaders readers() {
        return readers;
    }

    /** Returns whether the type at this address is being read. */
    boolean isOpen(long dieAddress) {
        return open.contains(dieAddress);
    }

    /**
     * Returns the shape of a type that the current unit refers to, which may be in another unit or file.
     *
     * @throws AwaitedDeclaration if it depends on a declaration that is not resolved yet
     */
    TypeShape shape(long dieAddress) throws ExtractionException {
        return shape(dieAddress, 0);
    }

    /**
     * Returns the shape of a type that another type refers to.
     *
     * @param depth number of references followed to get here
     */
    TypeShape shape(long dieAddress, int depth) throws ExtractionException {
        if (dieAddress == 0) {
            return VOID;
        }
        if (dieAddress < 0) {
            return new IncompleteShape(
                    "?",
                    new IncompleteShape.Reason.Unread(
                            dieAddress == DieScratch.NOWHERE
                                    ? "the reference to it leads nowhere"
                                    : "defined in a file that was not given"));
        }
        TypeShape known = shapes.get(dieAddress);
        if (known != null) {
            return known;
        }
        if (depth > dwarf.limits().maxTypeDepth()) {
            throw TypeChain.endless(dieAddress, readers, dwarf);
        }
        if (declarations instanceof Declarations.Awaited(Set<Long> waiting) && waiting.contains(dieAddress)) {
            throw new AwaitedDeclaration();
        }
        if (!open.add(dieAddress)) {
            return faulty(dieAddress, dwarf.malformed(dieAddress, "a type contains itself by value"));
        }
        try {
            TypeShape shape = readOrNote(dieAddress, depth);
            // A shared struct was counted when it was built.
            if (!(shape instanceof AggregateShape)) {
                account.addText(shape.declarator().length(), dieAddress);
                account.addEntry(MemoryAccount.TYPE_BYTES, dieAddress);
            }
            shapes.put(dieAddress, shape);
            return shape;
        } catch (AwaitedDeclaration e) {
            account.addBytes(MemoryAccount.NOTE_BYTES, dieAddress);
            if (declarations instanceof Declarations.Awaited(Set<Long> waiting)) {
                waiting.add(dieAddress);
            }
            throw e;
        } finally {
            open.remove(dieAddress);
        }
    }

    private TypeShape readOrNote(long dieAddress, int depth) throws ExtractionException {
        try {
            return read(dieAddress, depth);
        } catch (ExtractionException e) {
            return faulty(dieAddress, e);
        }
    }

    /** Notes the fault of a type, and returns what its DIE alone says of it. */
    TypeShape faulty(long dieAddress, ExtractionException fault) throws LimitExceededException {
        dwarf.omit(Part.TYPE, dieAddress, fault);
        long bytes = TypeShape.UNKNOWN_SIZE;
        String spelling = "?";
        try {
            DieReader reader = readers.at(dieAddress);
            reader.require();
            bytes = TypeSize.ofDie(reader.die);
            spelling = speller.spell(dieAddress).text();
        } catch (LimitExceededException e) {
            throw e;
        } catch (ExtractionException e) {
            // Part of the same fault.
        }
        return new IncompleteShape(spelling, IncompleteShape.Reason.of(fault), bytes);
    }

    private TypeShape read(long dieAddress, int depth) throws ExtractionException {
        DieReader reader = readers.at(dieAddress);
        Abbreviation abbreviation = reader.require();
        DieScratch die = reader.die;
        int tag = abbreviation.tag();
        long targetDie = die.get(Slot.TYPE, 0);
        if (die.has(Slot.SIGNATURE)) {
            return shape(die.get(Slot.SIGNATURE), depth + 1);
        }
        if (ByteOrders.isUnknown(die)) {
            return IncompleteShape.unsupported("DW_AT_endianity 0x" + Long.toHexString(die.get(Slot.ENDIANITY)));
        }
        ByteOrder byteOrder = ByteOrders.ofDie(die, dwarf.isBigEndian());
        if (Dwarf.isAlias(tag)) {
            return new AliasShape(Dwarf.aliasKind(tag), speller.spell(dieAddress), shape(targetDie, depth + 1));
        }
        long bytes = TypeSize.ofDie(die);
        return switch (tag) {
            case Dwarf.DW_TAG_structure_type,
                    Dwarf.DW_TAG_union_type,
                    Dwarf.DW_TAG_class_type,
                    Dwarf.DW_TAG_interface_type ->
                die.isSet(Slot.DECLARATION)
                        ? declared(dieAddress, depth)
                        : aggregate(dieAddress, die.has(Slot.NAME) || die.get(Slot.ORIGIN, 0) > 0, depth);
            case Dwarf.DW_TAG_enumeration_type ->
                // C++11 lets a declaration state the underlying type, and thus the size.
                die.isSet(Slot.DECLARATION) && bytes < 0
                        ? declared(dieAddress, depth)
                        : enumerations.build(dieAddress, abbreviation, reader, depth);
            case Dwarf.DW_TAG_array_type -> array(dieAddress, abbreviation, reader, depth);
            case Dwarf.DW_TAG_subrange_type -> {
                TypeShape basis = shape(targetDie, depth + 1);
                Spelling spelling = speller.spell(dieAddress);
                yield bytes < 0 || bytes == basis.byteSize()
                        ? new AliasShape(AliasKind.OTHER, spelling, basis.inByteOrder(order(byteOrder, basis)))
                        : new BaseShape(spelling.text(), bytes, encoding(basis.peeled()), order(byteOrder, basis));
            }
            case Dwarf.DW_TAG_pointer_type,
                    Dwarf.DW_TAG_reference_type,
                    Dwarf.DW_TAG_rvalue_reference_type,
                    Dwarf.DW_TAG_ptr_to_member_type -> {
                long size =
                        TypeSize.ofPointer(tag, reader, readers, dwarf.limits().maxTypeDepth());
                yield new PointerShape(
                        Dwarf.pointerKind(tag), speller.spell(dieAddress), size, targets.target(targetDie, depth + 1));
            }
            case Dwarf.DW_TAG_subroutine_type -> {
                FunctionShape function = targets.function(dieAddress, abbreviation, reader, depth);
                // Go gives its function types a size: their values are pointers to closures.
                yield bytes >= 0
                        ? new PointerShape(PointerKind.POINTER, function.declarator(), bytes, function)
                        : function;
            }
            default -> {
                if (!Dwarf.isType(tag)) {
                    yield IncompleteShape.unsupported(Dwarf.nameOfUnsupported(tag));
                }
                BaseShape.Encoding encoding = Dwarf.encoding(die.get(Slot.ENCODING, 0));
                yield new BaseShape(speller.spell(dieAddress).text(), bytes, encoding, byteOrder);
            }
        };
    }

    private ArrayShape array(long dieAddress, Abbreviation abbreviation, DieReader reader, int depth)
            throws ExtractionException {
        // The element is read with the same reader, which then holds other attributes.
        long targetDie = reader.die.get(Slot.TYPE, 0);
        long bytes = TypeSize.ofDie(reader.die);
        ArrayBounds bounds =
                ArrayBounds.read(reader, abbreviation, dieAddress, readers, dwarf.language(dwarf.unit(dieAddress)));
        TypeShape element = shape(targetDie, depth + 1);
        ArrayShape array = bounds.shape(speller.spell(dieAddress), element, bytes);
        // Counts, and lower bounds and strides if there are any.
        int lists = array.indexing() == null ? 1 : 3;
        account.addBytes((long) MemoryAccount.DIMENSION_BYTES * array.counts().size() * lists, dieAddress);
        return array;
    }

    /** Returns what a declaration says of a type: its name, and in clang 3.9 its size. */
    IncompleteShape declaration(long dieAddress) throws ExtractionException {
        DieReader reader = readers.at(dieAddress);
        reader.require();
        long bytes = TypeSize.ofDie(reader.die);
        return new IncompleteShape(
                speller.spell(dieAddress).text(),
                IncompleteShape.Reason.DECLARED,
                bytes > 0 ? bytes : TypeShape.UNKNOWN_SIZE);
    }

    /** Resolves a type that this unit only declares, if all definitions that it may stand for have one layout. */
    private TypeShape declared(long dieAddress, int depth) throws ExtractionException {
        List<Long> definitions = declarations.definitionsOf(dieAddress);
        IncompleteShape incomplete = declaration(dieAddress);
        TypeShape first = null;
        LayoutEquality layouts = new LayoutEquality();
        for (long definitionDie : definitions) {
            if (open.contains(definitionDie)) {
                return incomplete;
            }
            TypeShape shape = shape(definitionDie, depth + 1);
            if (first != null && !layouts.areEqual(first, shape)) {
                return incomplete;
            }
            first = first == null ? shape : first;
        }
        return first == null
                ? incomplete
                : new AliasShape(
                        AliasKind.DECLARATION,
                        Spelling.of(incomplete.spelling()),
                        first,
                        dwarf.unit(definitions.getFirst()).name());
    }

    /** Returns the byte order that a type states, or else that of the type that it is a part of. */
    private static @Nullable ByteOrder order(@Nullable ByteOrder stated, TypeShape basis) {
        return stated == null ? basis.byteOrder() : stated;
    }

    /** Returns how values of a subrange of this type are read. */
    private static BaseShape.Encoding encoding(TypeShape basis) {
        return switch (basis) {
            case BaseShape base -> base.encoding();
            case EnumShape enumeration ->
                enumeration.signed() ? BaseShape.Encoding.SIGNED : BaseShape.Encoding.UNSIGNED;
            default -> BaseShape.Encoding.OTHER;
        };
    }

    private AggregateShape aggregate(long dieAddress, boolean named, int depth) throws ExtractionException {
        hasher.type(dieAddress);
        String spelling = speller.spell(dieAddress).text();
        if (!named || (meetsLocalTypes && speller.scopes().isInFunction(dieAddress))) {
            // Types of equal layout without a name, or of one name in different functions, are different types: their
            // members may be spelled differently, and names behind their pointers may mean other types.
            return built(dieAddress, spelling, depth);
        }
        long lowerBound = Languages.lowerBound(dwarf.language(dwarf.unit(dieAddress)));
        AggregateKey key = new AggregateKey(hasher.high(), hasher.low(), hasher.readings(), spelling, lowerBound);
        AggregateShape known = aggregates.get(key);
        if (known != null) {
            return known;
        }
        AggregateShape made = built(dieAddress, spelling, depth);
        aggregates.put(key, made);
        return made;
    }

    private AggregateShape built(long dieAddress, String spelling, int depth) throws ExtractionException {
        account.addText(spelling.length(), dieAddress);
        account.addEntry(MemoryAccount.TYPE_BYTES, dieAddress);
        return new AggregateBuilder(this, dwarf, speller, account, dieAddress, depth).build(spelling);
    }
}
