package dev.offsetd.extractor.dwarf.build;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.type.ByteOrders;
import dev.offsetd.extractor.dwarf.type.TypeSize;
import dev.offsetd.extractor.dwarf.type.VariantPart;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds enumerations from their DIEs. Not thread-safe. */
final class EnumBuilder {

    private final TypeGraph types;
    private final DwarfUnits dwarf;
    private final TypeSpeller speller;
    private final MemoryAccount account;

    EnumBuilder(TypeGraph types, DwarfUnits dwarf, TypeSpeller speller, MemoryAccount account) {
        this.types = types;
        this.dwarf = dwarf;
        this.speller = speller;
        this.account = account;
    }

    /** Enumerators as the DIEs have them. Whether a value is signed is known only once all have been read. */
    private static final class RawEnumerators {
        final List<String> names = new ArrayList<>();
        /** Null for a value wider than 64 bits. */
        final List<@Nullable Long> values = new ArrayList<>();

        boolean negative;
    }

    /** @param reader has just read the DIE of the enumeration */
    EnumShape build(long dieAddress, Abbreviation abbreviation, DieReader reader, int depth)
            throws ExtractionException {
        Unit unit = dwarf.unit(dieAddress);
        DieScratch die = reader.die;
        long nameRef = speller.nameOrDeclared(dieAddress, abbreviation, reader, unit);
        String name = nameRef == NameRef.NONE ? null : speller.text(nameRef, unit);
        long byteSize = TypeSize.ofDie(die);
        long encoding = die.get(Slot.ENCODING, 0);
        ByteOrder byteOrder = ByteOrders.ofDie(die, dwarf.isBigEndian());
        long underlyingDie = die.get(Slot.TYPE, 0);
        RawEnumerators raw = abbreviation.hasChildren() ? read(dieAddress, reader, unit) : new RawEnumerators();
        boolean signed = switch (statedEncoding(encoding, underlyingDie, depth)) {
            case SIGNED -> true;
            // DWARF 2 and C compilers state neither an encoding nor an underlying type.
            case OTHER -> raw.negative;
            case UNSIGNED, BOOLEAN, FLOATING -> false;
        };
        if (byteSize < 0 && underlyingDie != 0) {
            byteSize = types.shape(underlyingDie, depth + 1).byteSize();
        }
        String spelling = speller.spell(dieAddress).text();
        return new EnumShape(name, spelling, byteSize, signed, enumerators(raw, byteSize, signed), byteOrder);
    }

    private RawEnumerators read(long dieAddress, DieReader reader, Unit unit) throws ExtractionException {
        DieScratch die = reader.die;
        RawEnumerators raw = new RawEnumerators();
        for (Abbreviation next = reader.read(); next != null; next = reader.read()) {
            if (next.tag() == Dwarf.DW_TAG_enumerator) {
                if (raw.names.size() == dwarf.limits().maxMembersPerType()) {
                    throw dwarf.tooManyMembers(dieAddress);
                }
                account.addEntry(MemoryAccount.ENUMERATOR_BYTES, dieAddress);
                raw.names.add(die.has(Slot.NAME) ? speller.text(die.get(Slot.NAME), unit) : "");
                raw.values.add(die.isExpression(Slot.CONST_VALUE) ? null : (Long) die.get(Slot.CONST_VALUE, 0));
                raw.negative |= die.isNegative(Slot.CONST_VALUE);
            }
            reader.skipChildren(next);
        }
        return raw;
    }

    private BaseShape.Encoding statedEncoding(long encoding, long underlyingDie, int depth) throws ExtractionException {
        if (encoding != 0) {
            return Dwarf.encoding(encoding);
        }
        return underlyingDie != 0 && types.shape(underlyingDie, depth + 1).peeled() instanceof BaseShape base
                ? base.encoding()
                : BaseShape.Encoding.OTHER;
    }

    private static List<Enumerator> enumerators(RawEnumerators raw, long byteSize, boolean signed) {
        List<Enumerator> enumerators = new ArrayList<>(raw.names.size());
        for (int i = 0; i < raw.names.size(); i++) {
            Long value = raw.values.get(i);
            // A 128-bit unsigned value of 2^63 or more reads as negative here and has no representation.
            boolean fits = value != null && (signed || byteSize <= 8 || value >= 0);
            enumerators.add(
                    fits
                            ? new Enumerator(raw.names.get(i), VariantPart.extend(value, byteSize, signed))
                            : Enumerator.tooWide(raw.names.get(i)));
        }
        return enumerators;
    }
}
