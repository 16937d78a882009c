package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.type.ArrayBounds;
import dev.offsetd.extractor.dwarf.type.TypeSize;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.HashMixing;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.BaseShape;

/** Keys of what pointers point to and functions take and return. Not thread-safe. */
final class PointerTargetHasher {

    /** References from a pointer to the name behind it that are followed; Go has pointers to themselves. */
    private static final int MAX_HOPS = 16;

    private final LayoutHasher layouts;
    private final DwarfUnits dwarf;
    private final DieReaders readers;
    private final NameHashes names;

    /** Levels of types without a name in the target of the last call. */
    private int height;

    /** @param layouts has the keys of types without a name */
    PointerTargetHasher(LayoutHasher layouts, DwarfUnits dwarf, DieReaders readers, NameHashes names) {
        this.layouts = layouts;
        this.dwarf = dwarf;
        this.readers = readers;
        this.names = names;
    }

    int height() {
        return height;
    }

    /**
     * Returns the key of what a pointer points to, up to the next name as in {@link
     * dev.offsetd.extractor.layout.PointerShape#target}: paths may lead through it. Structs, enumerations and functions without
     * a name count with all that they consist of. A target that cannot be read counts as one that is not stated; the
     * pointer's shape notes the fault.
     *
     * @param depth number of types around it, see {@link LayoutHasher#height}
     */
    long target(long firstDie, int depth) throws ExtractionException {
        height = 0;
        long key = 0;
        long dieAddress = firstDie;
        try {
            for (int hops = 0; dieAddress > 0 && hops < MAX_HOPS; hops++) {
                DieReader reader = readers.at(dieAddress);
                Abbreviation abbreviation = reader.require();
                int tag = abbreviation.tag();
                DieScratch die = reader.die;
                if (die.has(Slot.SIGNATURE)) {
                    dieAddress = die.get(Slot.SIGNATURE);
                    continue;
                }
                if (tag == Dwarf.DW_TAG_base_type) {
                    return HashMixing.mix(key ^ base(dieAddress, die)) + TypeSize.ofDie(die);
                }
                if (die.has(Slot.NAME)) {
                    return HashMixing.mix(
                            key ^ names.hash(die.get(Slot.NAME), dwarf.unit(dieAddress)) + LayoutHasher.kind(tag));
                }
                long nextDie = die.get(Slot.TYPE, 0);
                if (tag == Dwarf.DW_TAG_array_type) {
                    ArrayBounds bounds = ArrayBounds.read(reader, abbreviation, dieAddress, readers, reader.language());
                    LayoutKey array = new LayoutKey();
                    array.begin(HashMixing.mix(key ^ LayoutHasher.ARRAY));
                    bounds.addTo(array::add);
                    key = array.high;
                } else if (Dwarf.isPointer(tag)) {
                    key = HashMixing.mix(key ^ tag);
                } else if (die.get(Slot.ORIGIN, 0) > 0) {
                    // The declaration that it completes has the name.
                    nextDie = die.get(Slot.ORIGIN);
                } else if (!Dwarf.isAlias(tag)) {
                    layouts.type(dieAddress, depth);
                    height = layouts.height();
                    key = HashMixing.mix(key ^ layouts.high());
                    return HashMixing.mix(key + layouts.low() ^ layouts.readings());
                }
                dieAddress = nextDie;
            }
        } catch (MalformedInputException | UnsupportedInputException e) {
            height = 0;
        }
        return key;
    }

    /**
     * Returns the key of what a function takes and returns.
     *
     * @param reader has just read the DIE of the function type
     */
    long function(long dieAddress, Abbreviation abbreviation, DieReader reader, int depth) throws ExtractionException {
        long resume = reader.address();
        long key = target(reader.die.get(Slot.TYPE, 0), depth);
        int highest = height;
        int parameters = 0;
        while (abbreviation.hasChildren()) {
            // A parameter's type is read with the same reader.
            reader.seek(resume);
            Abbreviation next = reader.read();
            if (next == null) {
                break;
            }
            long typeDie = reader.die.get(Slot.TYPE, 0);
            reader.skipChildren(next);
            resume = reader.address();
            if (next.tag() == Dwarf.DW_TAG_formal_parameter) {
                if (++parameters > dwarf.limits().maxMembersPerType()) {
                    throw dwarf.tooManyMembers(dieAddress);
                }
                key = HashMixing.mix(key + target(typeDie, depth));
                highest = Math.max(highest, height);
            } else if (next.tag() == Dwarf.DW_TAG_unspecified_parameters) {
                key = HashMixing.mix(key ^ next.tag());
            }
        }
        height = highest;
        return key;
    }

    /** Returns how a base type is read: integers by their sign alone, since compilers spell them in several ways. */
    long base(long dieAddress, DieScratch die) throws ExtractionException {
        BaseShape.Encoding encoding = Dwarf.encoding(die.get(Slot.ENCODING, 0));
        long key = HashMixing.mix(LayoutHasher.SCALAR ^ encoding.name().hashCode());
        return encoding.isToldByName()
                ? HashMixing.mix(key ^ names.hash(die.get(Slot.NAME, NameRef.NONE), dwarf.unit(dieAddress)))
                : key;
    }
}
