package dev.offsetd.extractor.dwarf.build;

import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.scan.DefinitionMerge;
import dev.offsetd.extractor.dwarf.scan.VariableTable;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.Variable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds the variables of a {@link DefinitionMerge}. Not thread-safe. */
public final class VariableBuilder {

    private final DwarfUnits dwarf;
    private final TypeBuilder types;
    private final boolean addresses;

    /** The first variables of a merge; null for those that wait for {@link #build}. */
    private final List<@Nullable Variable> built = new ArrayList<>();

    private @Nullable LimitExceededException failure;

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
     * Builds the next variables of a merge while later units are scanned, after the definitions of the same rows. Declarations,
     * and what depends on one, are left to {@link #build}, which also throws the error that ended the building here.
     *
     * @param next those behind the ones of the last call
     */
    public void buildAhead(VariableTable next) {
        for (int row = 0; row < next.count() && failure == null; row++) {
            Deadline.checkCurrent();
            try {
                built.add(next.isDeclaration(row) ? null : variable(next, row, Set.of()));
            } catch (AwaitedDeclaration e) {
                built.add(null);
            } catch (LimitExceededException e) {
                failure = e;
            }
        }
    }

    /**
     * Returns the variables in the order of their DIEs. A declaration of a name that other units see stays only if
     * none of them defines it.
     */
    public List<Variable> build(DefinitionMerge merged) throws ExtractionException {
        if (failure != null) {
            throw failure;
        }
        VariableTable found = merged.variables();
        @Nullable Variable[] variables = new Variable[found.count()];
        Set<String> defined = new HashSet<>();
        for (int row = 0; row < found.count(); row++) {
            Deadline.checkCurrent();
            if (found.isDeclaration(row)) {
                continue;
            }
            Variable ahead = row < built.size() ? built.get(row) : null;
            Variable variable = ahead == null ? variable(found, row, Set.of()) : ahead;
            variables[row] = variable;
            if (variable != null && found.isExternal(row)) {
                defined.add(variable.qualifiedName());
            }
        }
        for (int row = 0; row < found.count(); row++) {
            Deadline.checkCurrent();
            if (found.isDeclaration(row)) {
                variables[row] = variable(found, row, defined);
            }
        }
        return Arrays.stream(variables).filter(Objects::nonNull).toList();
    }

    private record Name(String text, String qualified) {}

    private Name name(VariableTable found, int row) throws ExtractionException {
        Unit unit = dwarf.unit(found.dieAddress(row));
        types.enter(unit);
        String text = types.speller().text(found.nameRef(row), unit);
        return new Name(text, found.isLocal(row) ? text : types.qualifiedName(found.scopedDie(row), text, text));
    }

    /**
     * Builds a variable; null if a fault leaves nothing of it to answer, which is noted, or if it is a declaration of one that is
     * defined.
     */
    private @Nullable Variable variable(VariableTable found, int row, Set<String> defined)
            throws LimitExceededException {
        try {
            Name name = name(found, row);
            return found.isDeclaration(row) && found.isExternal(row) && defined.contains(name.qualified)
                    ? null
                    : variable(found, row, name);
        } catch (ExtractionException e) {
            dwarf.omit(Part.VARIABLE, found.dieAddress(row), e);
            return null;
        }
    }

    private Variable variable(VariableTable found, int row, Name name) throws ExtractionException {
        Unit unit = dwarf.unit(found.dieAddress(row));
        String linkageName = found.linkageNameRef(row) == NameRef.NONE
                ? name.text
                : types.speller().text(found.linkageNameRef(row), unit);
        return new Variable(
                name.text,
                name.qualified,
                linkageName.equals(name.text) ? null : linkageName,
                found.isLocal(row) ? function(found, row) : null,
                unit.name(),
                dwarf.language(unit),
                found.isDeclaration(row),
                addresses && found.hasAddress(row) ? found.address(row) : null,
                addresses && found.hasBlockOffset(row) ? found.address(row) : null,
                types.typeOfVariable(
                        found.typeDie(row), unit, found.isLocal(row) || found.scopedDie(row) != found.dieAddress(row)));
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
