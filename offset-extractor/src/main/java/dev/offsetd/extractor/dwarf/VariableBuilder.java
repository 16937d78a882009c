package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Variable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** Builds the variables of a {@link DefinitionMerge}. Not thread-safe. */
public final class VariableBuilder {

    private final DwarfTypes dwarf;
    private final TypeBuilder types;
    private final boolean addresses;

    /**
     * A builder for the variables of a file.
     *
     * @param types makes the types of the variables
     * @param addresses whether the addresses of the file are those of one address space
     */
    public VariableBuilder(DwarfTypes dwarf, TypeBuilder types, boolean addresses) {
        this.dwarf = dwarf;
        this.types = types;
        this.addresses = addresses;
    }

    /**
     * Returns the variables in the order of their DIEs. A declaration of a name that other units see stays only if
     * none of them defines it.
     */
    public List<Variable> build(DefinitionMerge merged) throws ExtractionException {
        UnitVariables found = merged.variables;
        String[] names = new String[found.count];
        String[] qualifiedNames = new String[found.count];
        Set<String> defined = new HashSet<>();
        for (int i = 0; i < found.count; i++) {
            long scoped = found.scopedDies[i];
            Unit unit = dwarf.unit(found.dieAddresses[i]);
            types.enter(unit);
            names[i] = types.speller().text(found.nameRefs[i], unit);
            qualifiedNames[i] =
                    found.is(UnitVariables.LOCAL, i) ? names[i] : types.qualifiedName(scoped, names[i], names[i]);
            if (found.is(UnitVariables.EXTERNAL, i) && !found.is(UnitVariables.DECLARATION, i)) {
                defined.add(qualifiedNames[i]);
            }
        }
        List<Variable> variables = new ArrayList<>();
        for (int i = 0; i < found.count; i++) {
            boolean declaration = found.is(UnitVariables.DECLARATION, i);
            if (!declaration || !found.is(UnitVariables.EXTERNAL, i) || !defined.contains(qualifiedNames[i])) {
                variables.add(variable(found, i, names[i], qualifiedNames[i], declaration));
            }
        }
        return variables;
    }

    private Variable variable(UnitVariables found, int i, String name, String qualifiedName, boolean declaration)
            throws ExtractionException {
        Unit unit = dwarf.unit(found.dieAddresses[i]);
        String linkageName = found.linkageNameRefs[i] == NameRef.NONE
                ? name
                : types.speller().text(found.linkageNameRefs[i], unit);
        return new Variable(
                name,
                qualifiedName,
                linkageName.equals(name) ? null : linkageName,
                found.is(UnitVariables.LOCAL, i) ? function(found, i) : null,
                unit.name(),
                dwarf.language(unit),
                declaration,
                addresses && found.is(UnitVariables.ADDRESS, i)
                        ? OptionalLong.of(found.addresses[i])
                        : OptionalLong.empty(),
                types.typeOfVariable(found.typeDies[i], unit));
    }

    /** Returns the name of the function that the variable was written in; empty if there is none. */
    private String function(UnitVariables found, int i) throws ExtractionException {
        long scoped = found.scopedDies[i];
        if (scoped != found.dieAddresses[i]) {
            // A copy inlined into another function: the abstract instance is in the function that the source has it in.
            return types.speller().scopes().function(scoped);
        }
        long function = found.functionDies[i];
        return function > 0 ? types.speller().scopes().functionAt(function) : "";
    }
}
