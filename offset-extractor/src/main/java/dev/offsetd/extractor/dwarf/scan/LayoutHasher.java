package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.type.ArrayBounds;
import dev.offsetd.extractor.dwarf.type.MemberAttributes;
import dev.offsetd.extractor.dwarf.type.MemberWalk;
import dev.offsetd.extractor.dwarf.type.TypeChain;
import dev.offsetd.extractor.dwarf.type.TypeSize;
import dev.offsetd.extractor.dwarf.type.VariantPart;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.HashMixing;
import dev.offsetd.extractor.dwarf.unit.Languages;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Language.Family;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.HashSet;
import java.util.Set;

/**
 * 128-bit hash of a layout, by which equal definitions of many units merge before any shape is built. It covers what {@link
 * dev.offsetd.extractor.layout.LayoutEquality} compares, and beyond that alignment, the grouping of array dimensions and
 * the names of declared types. It is finer on purpose: merged definitions share the shape of the first, and answers print
 * these facts. Definitions that differ in them alone make no item ambiguous, because a query compares their shapes by
 * {@code LayoutEquality}. In one fact it is coarser: all places that are not known are one value, while {@code
 * LayoutEquality} tells computed and unsupported ones, and the reason, apart.
 *
 * <p>Scalars count by their size alone. How they are read, as {@code int} or {@code float}, and what pointers point to has a key
 * beside the hash. Not thread-safe.
 */
public final class LayoutHasher {

    static final long SCALAR = 1;
    static final long ARRAY = 2;
    private static final long AGGREGATE = 3;
    private static final long ENUMERATION = 4;
    private static final long VARIANT_END = 5;
    private static final long POINTER = 6;
    private static final long SUBRANGE = 7;
    private static final long FUNCTION = 8;
    private static final long UNSUPPORTED = 9;
    private static final long RUNTIME_CLASS = 10;
    private static final long BYTE_ORDER = 11;
    private static final long FAULT = 12;
    private static final long IN_PROGRESS = -2;

    /** Results that are kept from unit to unit: 8 MB. */
    private static final int MAX_KEPT = 1 << 17;

    private final DwarfUnits dwarf;
    private final DieReaders readers;
    private final TypeSpeller speller;
    private final NameHashes names;
    private final PointerTargetHasher targets;
    private final DieMemo memo = new DieMemo();

    private int currentUnit = -1;

    /** Whether the memo has types of units other than the current one, or has had since it was cleared. */
    private boolean metOtherUnits;

    /** Structs of C with types among their children, of the current unit. */
    private final Set<Long> nesting = new HashSet<>();

    /** Charged heap of the memo. */
    private long countedBytes;

    /** Key and size in bytes of the type of the last call. */
    private final LayoutKey key = new LayoutKey();

    private long size;

    /** Key of how the scalars in the type of the last call are read, and of what its pointers point to. */
    private long readings;

    /**
     * Depth of the type of the last call: types held by value, and types without a name behind pointers, in one another. Does not
     * depend on the order of visits.
     */
    private int height;

    /** @param speller of the types that are only declared */
    public LayoutHasher(DwarfUnits dwarf, NameHashes names, TypeSpeller speller) {
        this.speller = speller;
        this.dwarf = dwarf;
        this.readers = new DieReaders(dwarf);
        this.names = names;
        this.targets = new PointerTargetHasher(this, dwarf, readers, names);
    }

    /**
     * Clears the results of earlier units, unless types of other units were met: many units may hold those, and reading them
     * for each unit would cost the product of both.
     */
    public void beginUnit(Unit unit) {
        currentUnit = unit.index();
        if (metOtherUnits && memo.count() < MAX_KEPT) {
            return;
        }
        metOtherUnits = false;
        memo.clear();
        dwarf.release((long) nesting.size() * MemoryAccount.NOTE_BYTES);
        nesting.clear();
        if (memo.heapBytes() < countedBytes) {
            dwarf.release(countedBytes - memo.heapBytes());
            countedBytes = memo.heapBytes();
        }
    }

    /** Returns one half of the key of the type of the last call. */
    public long high() {
        return key.high;
    }

    public long low() {
        return key.low;
    }

    /** Returns the key of how the scalars in the type of the last call are read, and of what its pointers point to. */
    public long readings() {
        return readings;
    }

    int height() {
        return height;
    }

    /**
     * Computes the key of a type held by value, after which {@link #high}, {@link #low} and {@link #readings} return it. A
     * type that contains itself is a fault of the one that holds it.
     */
    public void type(long dieAddress) throws ExtractionException {
        type(dieAddress, 0);
    }

    /**
     * Returns whether a struct of C that has been hashed has types among its children. GCC 3 puts them there, although they
     * are not in its scope.
     */
    boolean nestsTypes(long dieAddress) {
        return nesting.contains(dieAddress);
    }

    /** @param depth number of types around it, see {@link #height} */
    void type(long dieAddress, int depth) throws ExtractionException {
        if (dieAddress <= 0) {
            scalar(TypeShape.UNKNOWN_SIZE, 0);
            return;
        }
        int known = memo.find(dieAddress);
        if (known >= 0) {
            recall(known, dieAddress);
            return;
        }
        int maxDepth = maxDepth();
        if (depth > maxDepth) {
            throw TypeChain.endless(dieAddress, readers, dwarf);
        }
        long targetDie = dieAddress;
        int hops = 0;
        while (true) {
            long aliasedDie;
            try {
                DieReader reader = readers.at(targetDie);
                Abbreviation abbreviation = reader.requireNext();
                int tag = abbreviation.tag();
                if (!Dwarf.isAlias(tag)) {
                    reader.capture(abbreviation);
                    value(targetDie, tag, abbreviation, reader, depth);
                    remember(targetDie);
                    break;
                }
                aliasedDie = reader.typeOf(abbreviation);
            } catch (LimitExceededException e) {
                throw e;
            } catch (ExtractionException e) {
                // Building the type notes the part of it that has the fault.
                fault(targetDie);
                break;
            }
            targetDie = aliasedDie;
            if (++hops > maxDepth) {
                dwarf.omit(Part.TYPE, targetDie, TypeChain.endless(targetDie, readers, dwarf));
                fault(targetDie);
                hops = 0;
                break;
            }
            if (targetDie <= 0) {
                scalar(TypeShape.UNKNOWN_SIZE, 0);
                break;
            }
            known = memo.find(targetDie);
            if (known >= 0) {
                recall(known, targetDie);
                break;
            }
        }
        height += hops;
        if (height > maxDepth) {
            throw dwarf.tooDeep(dieAddress);
        }
        remember(dieAddress);
        dwarf.requireEntries(memo.count(), "types", dieAddress);
    }

    /** Sets the result for a type that cannot be read: it equals no other. */
    private void fault(long dieAddress) throws LimitExceededException {
        scalar(TypeShape.UNKNOWN_SIZE, 0);
        key.add(HashMixing.mix(FAULT ^ dieAddress));
        remember(dieAddress);
    }

    /** Notes that the type is being read, so that one that contains itself by value is found out. */
    private void begin(long dieAddress) throws LimitExceededException {
        charge(dieAddress);
        memo.put(dieAddress, 0, 0, IN_PROGRESS, 0, 0);
    }

    /** Keeps the result of the type. */
    private void remember(long dieAddress) throws LimitExceededException {
        charge(dieAddress);
        memo.put(dieAddress, key.high, key.low, size, readings, height);
    }

    /** Charges the heap of one more entry. */
    private void charge(long dieAddress) throws LimitExceededException {
        // Charged first: while the table grows, the old and the new one exist together.
        long more = memo.heapBytesWithOneMore() - countedBytes;
        if (more > 0) {
            countedBytes += more;
            dwarf.keep(more, dieAddress);
        }
    }

    private int maxDepth() {
        return dwarf.limits().maxTypeDepth();
    }

    private void recall(int known, long dieAddress) throws MalformedInputException {
        size = memo.size(known);
        if (size == IN_PROGRESS) {
            throw dwarf.malformed(dieAddress, "a type contains itself by value");
        }
        key.high = memo.high(known);
        key.low = memo.low(known);
        readings = memo.readings(known);
        height = memo.height(known);
    }

    private void value(long dieAddress, int tag, Abbreviation abbreviation, DieReader reader, int depth)
            throws ExtractionException {
        DieScratch die = reader.die;
        switch (tag) {
            case Dwarf.DW_TAG_structure_type,
                    Dwarf.DW_TAG_union_type,
                    Dwarf.DW_TAG_class_type,
                    Dwarf.DW_TAG_interface_type -> {
                if (die.has(Slot.SIGNATURE)) {
                    redirect(dieAddress, die.get(Slot.SIGNATURE), depth);
                } else if (die.isSet(Slot.DECLARATION)) {
                    long bytes = TypeSize.ofDie(die);
                    scalar(bytes > 0 ? bytes : TypeShape.UNKNOWN_SIZE, 0);
                    // A query may resolve the declaration to a definition of this name.
                    key.add(names.hash(
                            speller.nameRef(dieAddress, abbreviation, reader, dwarf.unit(dieAddress)),
                            dwarf.unit(dieAddress)));
                } else {
                    aggregate(dieAddress, tag, abbreviation, reader, depth);
                }
            }
            case Dwarf.DW_TAG_enumeration_type -> {
                if (die.has(Slot.SIGNATURE)) {
                    redirect(dieAddress, die.get(Slot.SIGNATURE), depth);
                } else {
                    Unit unit = dwarf.unit(dieAddress);
                    long nameRef = speller.nameOrDeclared(dieAddress, abbreviation, reader, unit);
                    long order = byteOrder(die);
                    long bytes = enumerationBytes(dieAddress, die, depth);
                    long name = nameRef == NameRef.NONE ? enumerators(dieAddress, unit) : names.hash(nameRef, unit);
                    scalar(bytes, HashMixing.mix(ENUMERATION ^ name));
                    addByteOrder(order);
                }
            }
            case Dwarf.DW_TAG_array_type -> array(dieAddress, abbreviation, reader, depth);
            case Dwarf.DW_TAG_pointer_type,
                    Dwarf.DW_TAG_reference_type,
                    Dwarf.DW_TAG_rvalue_reference_type,
                    Dwarf.DW_TAG_ptr_to_member_type -> {
                long targetDie = die.get(Slot.TYPE, 0);
                long bytes = TypeSize.ofPointer(tag, reader, readers, maxDepth());
                scalar(bytes, HashMixing.mix(POINTER ^ targets.target(targetDie, depth + 1)));
                height = targets.height();
            }
            case Dwarf.DW_TAG_subrange_type -> {
                long order = byteOrder(die);
                if (TypeSize.ofDie(die) < 0) {
                    redirect(dieAddress, die.get(Slot.TYPE, 0), depth);
                } else {
                    scalar(TypeSize.ofDie(die), SUBRANGE);
                }
                addByteOrder(order);
            }
            case Dwarf.DW_TAG_subroutine_type -> {
                metOtherUnits |= dwarf.unit(dieAddress).index() != currentUnit;
                long bytes = TypeSize.ofDie(die);
                scalar(bytes, HashMixing.mix(FUNCTION ^ targets.function(dieAddress, abbreviation, reader, depth + 1)));
                height = targets.height() + 1;
            }
            default -> {
                if (die.has(Slot.SIGNATURE)) {
                    redirect(dieAddress, die.get(Slot.SIGNATURE), depth);
                } else if (!Dwarf.isType(tag)) {
                    scalar(TypeShape.UNKNOWN_SIZE, HashMixing.mix(UNSUPPORTED ^ (long) tag << 8));
                } else {
                    scalar(TypeSize.ofDie(die), targets.base(dieAddress, die));
                    addByteOrder(byteOrder(die));
                }
            }
        }
    }

    /** Returns the key of the byte order that a DIE states; 0 for that of the file. */
    private static long byteOrder(DieScratch die) {
        return die.has(Slot.ENDIANITY) || die.has(Slot.OTHER_ENDIAN)
                ? HashMixing.mix(BYTE_ORDER ^ (die.get(Slot.ENDIANITY, 0) << 8 | die.get(Slot.OTHER_ENDIAN, 0)))
                : 0;
    }

    /** Adds a byte order that is not that of the file: layouts in two orders differ. */
    private void addByteOrder(long order) {
        if (order != 0) {
            key.add(order);
        }
    }

    /** Returns the size of an enumeration: its own, or that of the type beneath it. May move the reader of its DIE. */
    private long enumerationBytes(long dieAddress, DieScratch die, int depth) throws ExtractionException {
        long bytes = TypeSize.ofDie(die);
        long underlyingDie = die.get(Slot.TYPE, 0);
        if (bytes >= 0 || underlyingDie == 0) {
            return bytes;
        }
        redirect(dieAddress, underlyingDie, depth);
        return size;
    }

    /**
     * Sets the result of a type for one that stands for it: the declaration of a type in a type unit (DWARF 5 §5.7.1, {@code
     * DW_AT_signature}), or a range without a size.
     */
    private void redirect(long dieAddress, long targetDie, int depth) throws ExtractionException {
        begin(dieAddress);
        type(targetDie, depth + 1);
    }

    private void array(long dieAddress, Abbreviation abbreviation, DieReader reader, int depth)
            throws ExtractionException {
        long elementDie = reader.die.get(Slot.TYPE, 0);
        long declaredSize = TypeSize.ofDie(reader.die);
        // The language of a partial unit, which may tell the lower bound, is known only after all units have been
        // scanned.
        ArrayBounds bounds = ArrayBounds.read(reader, abbreviation, dieAddress, readers, reader.language());
        begin(dieAddress);
        type(elementDie, depth + 1);
        long bytes = declaredSize >= 0 ? declaredSize : bounds.byteSize(size);
        long h = key.high;
        long l = key.low;
        height++;
        key.begin(ARRAY);
        key.add(h);
        key.add(l);
        bounds.addTo(key::add);
        key.add(bytes);
        size = bytes;
    }

    private void aggregate(long dieAddress, int tag, Abbreviation abbreviation, DieReader reader, int depth)
            throws ExtractionException {
        long bytes = TypeSize.ofDie(reader.die);
        begin(dieAddress);
        long h = HashMixing.mix(AGGREGATE ^ (long) kind(tag) << 8);
        long l = HashMixing.mix(h ^ HashMixing.GOLDEN);
        long values = 0;
        h = HashMixing.mix(h ^ bytes);
        l = HashMixing.mix(l + bytes);
        h = HashMixing.mix(h ^ reader.die.get(Slot.ALIGNMENT, 0));
        boolean runtimeClass = reader.die.has(Slot.RUNTIME_CLASS) || Languages.isObjectiveC(reader.language());
        int atStart = 0;
        int highest = 0;
        if (abbreviation.hasChildren()) {
            Unit unit = dwarf.unit(dieAddress);
            metOtherUnits |= unit.index() != currentUnit;
            boolean bigEndian = dwarf.isBigEndian();
            MemberWalk walk = new MemberWalk(dieAddress, reader, dwarf);
            MemberAttributes member = walk.member;
            MemberWalk.Event step;
            while ((step = walk.next()) != MemberWalk.Event.END) {
                switch (step) {
                    case VARIANT_PART -> {
                        h = part(h, Dwarf.DW_TAG_variant_part, walk, dieAddress);
                        highest = Math.max(highest, walk.depth());
                        long discriminantType = walk.part().get(Slot.TYPE, 0);
                        if (discriminantType > 0) {
                            type(discriminantType, depth + 1);
                            highest = Math.max(highest, height + walk.depth());
                            h = HashMixing.mix(h ^ key.high ^ readings);
                        }
                    }
                    case VARIANT -> h = part(h, Dwarf.DW_TAG_variant, walk, dieAddress);
                    case PART_END -> h = HashMixing.mix(h ^ VARIANT_END);
                    default -> {
                        type(member.typeDie, depth + 1);
                        highest = Math.max(highest, height + walk.depth());
                        long name = names.hash(member.nameRef, unit);
                        long location = member.computed.isEmpty() && member.unsupported.isEmpty()
                                ? member.bitOffset(size, bigEndian)
                                : Long.MIN_VALUE;
                        h = HashMixing.mix(h ^ name) + (member.baseClass ? 1 : member.embedded ? 2 : 0);
                        l = HashMixing.mix(l + name);
                        h = HashMixing.mix(h ^ location);
                        l = HashMixing.mix(l + location);
                        h = HashMixing.mix(h ^ member.bitSize);
                        h = member.byteOrder == null ? h : HashMixing.mix(h ^ BYTE_ORDER);
                        h = HashMixing.mix(h ^ key.high);
                        l = HashMixing.mix(l + key.low);
                        values = HashMixing.mix(values ^ readings);
                        atStart += location >= 0 && location < Byte.SIZE ? 1 : 0;
                    }
                }
            }
            if (runtimeClass && atStart > 1) {
                // The shape may have members that are computed, unlike that of the same class in C++.
                h = HashMixing.mix(h ^ RUNTIME_CLASS);
            }
            if (walk.nestsTypes() && unit.language().family() == Family.C && nesting.add(dieAddress)) {
                dwarf.keep(MemoryAccount.NOTE_BYTES, dieAddress);
            }
        }
        key.high = h;
        key.low = l;
        size = bytes;
        readings = values;
        height = highest + 1;
    }

    private long part(long hash, int tag, MemberWalk walk, long dieAddress) throws MalformedInputException {
        return HashMixing.mix(hash ^ tag) ^ VariantPart.hash(walk.part(), dwarf.section(dieAddress));
    }

    /** Computes the key of an enumeration as a definition: its size and enumerators. */
    void enumeration(long dieAddress) throws ExtractionException {
        DieReader reader = readers.at(dieAddress);
        reader.require();
        Unit unit = dwarf.unit(dieAddress);
        long order = byteOrder(reader.die);
        // Its size may be that of the type beneath it.
        type(dieAddress);
        enumerators(dieAddress, unit);
        readings = 0;
        key.add(size);
        addByteOrder(order);
    }

    /** Computes the key of the enumerators of an enumeration, and returns one half of it. */
    private long enumerators(long dieAddress, Unit unit) throws ExtractionException {
        metOtherUnits |= unit.index() != currentUnit;
        DieReader reader = readers.at(dieAddress);
        Abbreviation abbreviation = reader.require();
        key.begin(ENUMERATION);
        int members = 0;
        while (abbreviation.hasChildren()) {
            Abbreviation next = reader.read();
            if (next == null) {
                break;
            }
            if (next.tag() == Dwarf.DW_TAG_enumerator) {
                if (++members > dwarf.limits().maxMembersPerType()) {
                    throw dwarf.tooManyMembers(dieAddress);
                }
                key.add(names.hash(reader.die.get(Slot.NAME, NameRef.NONE), unit));
                key.add(reader.die.get(Slot.CONST_VALUE, 0));
                if (reader.die.isExpression(Slot.CONST_VALUE)) {
                    addBytes(
                            dwarf.section(dieAddress),
                            reader.die.get(Slot.CONST_VALUE),
                            reader.die.expressionLength(Slot.CONST_VALUE));
                }
            }
            reader.skipChildren(next);
        }
        return key.high;
    }

    private void scalar(long bytes, long reading) {
        key.begin(SCALAR);
        key.add(bytes);
        size = bytes;
        readings = reading;
        height = 0;
    }

    private void addBytes(Section section, long offset, long length) throws MalformedInputException {
        ByteCursor in = section.cursor(offset, length);
        while (in.hasRemaining()) {
            key.add(in.u8());
        }
    }

    static int kind(int tag) {
        return tag == Dwarf.DW_TAG_interface_type ? Dwarf.DW_TAG_class_type : tag;
    }
}
