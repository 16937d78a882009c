package dev.offsetd.extractor.dwarf.build;

import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.scan.DefinitionMerge;
import dev.offsetd.extractor.dwarf.scan.VariableTable;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Variable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** Builds the variables of a {@link DefinitionMerge}. Not thread-safe. */
public final class VariableBuilder {

    private final DwarfUnits dwarf;
    private final TypeBuilder types;
    private final boolean addresses;

    /**
     * A builder for the variables of a file.
     *
     * @param types makes the types of the variables
     * @param addresses whether the addresses of the file are those of one address space
     */
    public VariableBuilder(DwarfUnits dwarf, TypeBuilder types, boolean addresses) {
        this.dwarf = dwarf;
        this.types = types;
        this.addresses = addresses;
    }

    /**
     * Returns the variables in the order of their DIEs. A declaration of a name that other units see stays only if
     * none of them defines it.
     */
    public List<Variable> build(DefinitionMerge merged) throws ExtractionException {
        VariableTable found = merged.variables();
        String[] names = new String[found.count()];
        String[] qualifiedNames = new String[found.count()];
        Set<String> defined = new HashSet<>();
        for (int i = 0; i < found.count(); i++) {
            long scopedDie = found.scopedDie(i);
            Unit unit = dwarf.unit(found.dieAddress(i));
            types.enter(unit);
            names[i] = types.speller().text(found.nameRef(i), unit);
            qualifiedNames[i] = found.isLocal(i) ? names[i] : types.qualifiedName(scopedDie, names[i], names[i]);
            if (found.isExternal(i) && !found.isDeclaration(i)) {
                defined.add(qualifiedNames[i]);
            }
        }
        List<Variable> variables = new ArrayList<>();
        for (int i = 0; i < found.count(); i++) {
            boolean declaration = found.isDeclaration(i);
            if (!declaration || !found.isExternal(i) || !defined.contains(qualifiedNames[i])) {
                variables.add(variable(found, i, names[i], qualifiedNames[i], declaration));
            }
        }
        return variables;
    }

    private Variable variable(VariableTable found, int i, String name, String qualifiedName, boolean declaration)
            throws ExtractionException {
        Unit unit = dwarf.unit(found.dieAddress(i));
        String linkageName =
                found.linkageNameRef(i) == NameRef.NONE ? name : types.speller().text(found.linkageNameRef(i), unit);
        return new Variable(
                name,
                qualifiedName,
                linkageName.equals(name) ? null : linkageName,
                found.isLocal(i) ? function(found, i) : null,
                unit.name(),
                dwarf.language(unit),
                declaration,
                addresses && found.hasAddress(i) ? OptionalLong.of(found.address(i)) : OptionalLong.empty(),
                types.typeOfVariable(
                        found.typeDie(i), unit, found.isLocal(i) || found.scopedDie(i) != found.dieAddress(i)));
    }

    /** Returns the name of the function that the variable was written in; empty if there is none. */
    private String function(VariableTable found, int i) throws ExtractionException {
        long scopedDie = found.scopedDie(i);
        if (scopedDie != found.dieAddress(i)) {
            // A copy inlined into another function: the abstract instance is in the function that the source has it in.
            return types.speller().scopes().function(scopedDie);
        }
        long functionDie = found.functionDie(i);
        return functionDie > 0 ? types.speller().scopes().functionAt(functionDie) : "";
    }
}
