package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Omission.Part;

/**
 * Walk over those children of a struct, union or class that make up its layout: members, base classes and variant parts
 * (DWARF 5 §5.7.3, §5.7.6, §5.7.10). Static members, methods, nested types and template arguments are passed over.
 *
 * <p>{@code LayoutHasher} and {@code AggregateBuilder} share it, so that the hash of a layout and the layout itself count
 * the same members. Between two steps the caller may use the same {@link DieReader} for other DIEs of the unit: the walk
 * returns to its own position first. Not thread-safe.
 */
public final class MemberWalk {

    /** Position of the walk. */
    public enum Event {
        /** A member or base class: its attributes are in {@link #member}. */
        MEMBER,
        /** The start of a {@code DW_TAG_variant_part}; steps up to the matching {@link #PART_END} are inside it. */
        VARIANT_PART,
        /** The start of a {@code DW_TAG_variant}; steps up to the matching {@link #PART_END} are inside it. */
        VARIANT,
        PART_END,
        END
    }

    private final long typeDie;
    private final DieReader reader;
    private final DwarfUnits dwarf;
    private final Section section;
    private long resume;
    private long child;
    private int members;
    private int parts;
    private int depth;
    private boolean nestsTypes;

    /** The member of the last {@link Event#MEMBER}. */
    public final MemberAttributes member = new MemberAttributes();

    /**
     * @param typeDie address of the DIE whose children are walked
     * @param reader has just read that DIE
     */
    public MemberWalk(long typeDie, DieReader reader, DwarfUnits dwarf) {
        this.typeDie = typeDie;
        this.reader = reader;
        this.dwarf = dwarf;
        this.section = dwarf.section(typeDie);
        this.resume = reader.address();
    }

    public Event next() throws ExtractionException {
        reader.seek(resume);
        while (true) {
            child = reader.address();
            Abbreviation abbreviation = reader.next();
            if (abbreviation == null) {
                resume = reader.address();
                return depth-- == 0 ? Event.END : Event.PART_END;
            }
            if (abbreviation.isPlainMember()) {
                requireFew(++members);
                member.readAhead(abbreviation, reader);
                reader.passAttributes(abbreviation);
                resume = reader.address();
                return Event.MEMBER;
            }
            int tag = abbreviation.tag();
            if (!MemberAttributes.isMember(tag) && !VariantPart.isPart(tag)) {
                nestsTypes |= abbreviation.isNamedType();
                reader.pass(abbreviation);
                continue;
            }
            reader.capture(abbreviation);
            if (MemberAttributes.isInObject(tag, reader.die)) {
                requireFew(++members);
                copyMember(tag);
                reader.skipChildren(abbreviation);
                resume = reader.address();
                return Event.MEMBER;
            }
            if (VariantPart.isPart(tag) && abbreviation.hasChildren()) {
                requireFew(++parts);
                if (++depth > dwarf.limits().maxTypeDepth()) {
                    throw dwarf.tooDeep(child);
                }
                resume = reader.address();
                return tag == Dwarf.DW_TAG_variant ? Event.VARIANT : Event.VARIANT_PART;
            }
            reader.skipChildren(abbreviation);
        }
    }

    /** Copies the attributes of a member. One whose location cannot be read has none, and the others of its type have theirs. */
    private void copyMember(int tag) throws LimitExceededException {
        try {
            member.copy(tag, reader.die, section);
        } catch (MalformedInputException e) {
            dwarf.omit(Part.MEMBER, child, e);
            member.unsupported = String.valueOf(e.getMessage());
        }
    }

    private void requireFew(int count) throws ExtractionException {
        if (count > dwarf.limits().maxMembersPerType()) {
            throw dwarf.tooManyMembers(typeDie);
        }
    }

    /** Returns whether the children that were passed over so far have a type among them. */
    public boolean nestsTypes() {
        return nestsTypes;
    }

    /** Returns the number of variant parts and variants around the last step. */
    public int depth() {
        return depth;
    }

    /** Returns the address of the DIE of the last step. */
    public long child() {
        return child;
    }

    /** Attributes of the variant or variant part of the last step; valid until the reader moves. */
    public DieScratch part() {
        return reader.die;
    }
}
