package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.Language;
import org.jspecify.annotations.Nullable;

/** The DIE of a unit itself (DWARF 5 §3.1), valid until its reader moves. Strings are read when they are needed. */
final class UnitDie {

    private final UnitHeader header;
    private final DieScratch die;
    private final DieNames names;

    private UnitDie(UnitHeader header, DieScratch die, DieNames names) {
        this.header = header;
        this.die = die;
        this.names = names;
    }

    /**
     * Reads the first DIE of a unit.
     *
     * @param reader at the start of the unit
     * @return null if the unit has no DIE
     */
    static @Nullable UnitDie read(DieReader reader, DieNames names) throws ExtractionException {
        return reader.hasRemaining() && reader.read() != null ? new UnitDie(reader.header(), reader.die, names) : null;
    }

    /** Returns where the unit's string indexes are counted from in {@code .debug_str_offsets}. */
    long strOffsetsBase() {
        return die.get(Slot.STR_OFFSETS_BASE, header.defaultStrOffsetsBase());
    }

    /** Returns the name; empty if there is none, or it is damaged: nothing in the unit depends on it. */
    String name() throws LimitExceededException {
        return textIfReadable(Slot.NAME);
    }

    boolean isSkeleton() {
        return header.isSkeleton(die);
    }

    boolean isModule() {
        return header.isModule(die);
    }

    String dwoName() throws ExtractionException {
        return text(Slot.DWO_NAME);
    }

    String compilationFolder() throws LimitExceededException {
        return textIfReadable(Slot.COMP_DIR);
    }

    /** Returns the unresolved name of the compiler, or {@link NameRef#NONE}. */
    long producer() {
        return die.has(Slot.PRODUCER) ? die.get(Slot.PRODUCER) : NameRef.NONE;
    }

    /** Returns the unresolved path of the folder that the unit was compiled in, or {@link NameRef#NONE}. */
    long folder() {
        return die.has(Slot.COMP_DIR) ? die.get(Slot.COMP_DIR) : NameRef.NONE;
    }

    private String textIfReadable(int slot) throws LimitExceededException {
        try {
            return text(slot);
        } catch (LimitExceededException e) {
            throw e;
        } catch (ExtractionException e) {
            return "";
        }
    }

    private String text(int slot) throws ExtractionException {
        return die.has(slot) ? names.text(die.get(slot), header, strOffsetsBase()) : "";
    }

    /** Returns what a skeleton unit and its split unit share; before DWARF 5 the unit DIE has it, not the header. */
    long dwoId() {
        return die.get(Slot.DWO_ID, header.dwoId());
    }

    long addressBase() {
        return header.addressBase(die);
    }

    Language language() {
        if (die.has(Slot.LANGUAGE)) {
            return Languages.of(die.get(Slot.LANGUAGE));
        }
        return die.has(Slot.LANGUAGE_NAME) ? Languages.named(die.get(Slot.LANGUAGE_NAME)) : Languages.UNKNOWN;
    }
}
