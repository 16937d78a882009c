package dev.offsetd.extractor.dwarf.build;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.type.ArrayBounds;
import dev.offsetd.extractor.dwarf.type.TypeChain;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Shapes of what pointers point to and functions take and return. Types with a name are {@link NamedShape}s there, so
 * that following a pointer ends at the next name. Not thread-safe.
 */
final class PointerTargets {

    private final TypeGraph types;
    private final DwarfUnits dwarf;
    private final TypeSpeller speller;
    private final MemoryAccount account;

    /** By DIE address, of the current unit. */
    private final Map<Long, TypeShape> targets = new HashMap<>();

    PointerTargets(TypeGraph types, DwarfUnits dwarf, TypeSpeller speller, MemoryAccount account) {
        this.types = types;
        this.dwarf = dwarf;
        this.speller = speller;
        this.account = account;
    }

    void beginUnit() {
        targets.clear();
    }

    /**
     * Returns the shape of a pointer's target.
     *
     * @param depth number of references followed to get here
     */
    TypeShape target(long dieAddress, int depth) throws ExtractionException {
        if (dieAddress <= 0) {
            return types.shape(dieAddress, depth);
        }
        TypeShape known = targets.get(dieAddress);
        if (known != null) {
            return known;
        }
        if (depth > dwarf.limits().maxTypeDepth()) {
            throw TypeChain.endless(dieAddress, types.readers(), dwarf);
        }
        TypeShape target = readOrNote(dieAddress, depth);
        targets.put(dieAddress, target);
        return target;
    }

    private TypeShape readOrNote(long dieAddress, int depth) throws ExtractionException {
        try {
            return read(dieAddress, depth);
        } catch (ExtractionException e) {
            return kept(types.faulty(dieAddress, e), dieAddress);
        }
    }

    private TypeShape read(long dieAddress, int depth) throws ExtractionException {
        DieReader reader = types.readers().at(dieAddress);
        Abbreviation abbreviation = reader.require();
        int tag = abbreviation.tag();
        long innerDie = reader.die.get(Slot.TYPE, 0);
        if (reader.die.has(Slot.SIGNATURE)) {
            return target(reader.die.get(Slot.SIGNATURE), depth + 1);
        }
        if (Dwarf.isNamedType(tag) && (reader.die.has(Slot.NAME) || reader.die.get(Slot.ORIGIN, 0) > 0)) {
            TypeKind kind = Dwarf.kind(tag);
            TypeShape base = kind == TypeKind.BASE ? types.shape(dieAddress, depth) : null;
            return base != null && base.byteSize() != TypeShape.UNKNOWN_SIZE
                    ? base
                    : kept(new NamedShape(kind, speller.spell(dieAddress).text()), dieAddress);
        }
        if (types.isOpen(dieAddress)) {
            // Go has pointers to themselves: type T *T.
            return kept(
                    new IncompleteShape(
                            speller.spell(dieAddress).text(), new IncompleteShape.Reason.Unread("refers to itself")),
                    dieAddress);
        }
        return switch (tag) {
            case Dwarf.DW_TAG_array_type -> {
                ArrayBounds bounds = ArrayBounds.read(
                        reader, abbreviation, dieAddress, types.readers(), dwarf.language(dwarf.unit(dieAddress)));
                yield kept(
                        bounds.shape(speller.spell(dieAddress), target(innerDie, depth + 1), TypeShape.UNKNOWN_SIZE),
                        dieAddress);
            }
            case Dwarf.DW_TAG_structure_type,
                    Dwarf.DW_TAG_union_type,
                    Dwarf.DW_TAG_class_type,
                    Dwarf.DW_TAG_interface_type,
                    Dwarf.DW_TAG_enumeration_type,
                    Dwarf.DW_TAG_pointer_type,
                    Dwarf.DW_TAG_reference_type,
                    Dwarf.DW_TAG_rvalue_reference_type,
                    Dwarf.DW_TAG_ptr_to_member_type,
                    Dwarf.DW_TAG_subroutine_type,
                    Dwarf.DW_TAG_unspecified_type -> types.shape(dieAddress, depth);
            default ->
                !Dwarf.isType(tag)
                        ? types.shape(dieAddress, depth)
                        : kept(
                                Dwarf.isAlias(tag)
                                        ? new AliasShape(
                                                Dwarf.aliasKind(tag),
                                                speller.spell(dieAddress),
                                                target(innerDie, depth + 1))
                                        : new IncompleteShape(
                                                speller.spell(dieAddress).text(),
                                                new IncompleteShape.Reason.Unread("not read behind a pointer")),
                                dieAddress);
        };
    }

    /** @param reader has just read the DIE of the function type */
    FunctionShape function(long dieAddress, Abbreviation abbreviation, DieReader reader, int depth)
            throws ExtractionException {
        long resultDie = reader.die.get(Slot.TYPE, 0);
        // A parameter is read with the same reader, which then is elsewhere.
        List<Long> parameterDies = new ArrayList<>();
        boolean variadic = false;
        if (abbreviation.hasChildren()) {
            for (Abbreviation next = reader.read(); next != null; next = reader.read()) {
                if (next.tag() == Dwarf.DW_TAG_formal_parameter) {
                    if (parameterDies.size() == dwarf.limits().maxMembersPerType()) {
                        throw dwarf.tooManyMembers(dieAddress);
                    }
                    account.addBytes(MemoryAccount.PARAMETER_BYTES, dieAddress);
                    parameterDies.add(reader.die.get(Slot.TYPE, 0));
                }
                variadic |= next.tag() == Dwarf.DW_TAG_unspecified_parameters;
                reader.skipChildren(next);
            }
        }
        List<TypeShape> parameters = new ArrayList<>(parameterDies.size());
        for (long parameterDie : parameterDies) {
            parameters.add(target(parameterDie, depth + 1));
        }
        return new FunctionShape(speller.spell(dieAddress), target(resultDie, depth + 1), parameters, variadic);
    }

    private TypeShape kept(TypeShape shape, long dieAddress) throws ExtractionException {
        account.addText(shape.declarator().length(), dieAddress);
        account.addEntry(MemoryAccount.TYPE_BYTES, dieAddress);
        return shape;
    }
}
