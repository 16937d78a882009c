package dev.offsetd.extractor.dwarf.build;

import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.scan.DefinitionMerge;
import dev.offsetd.extractor.dwarf.scan.DefinitionTable;
import dev.offsetd.extractor.dwarf.scan.UnitDefinitions;
import dev.offsetd.extractor.dwarf.unit.DieAddress;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds the definitions that a scan selected, with everything they hold by value. Not thread-safe. */
public final class TypeBuilder {

    /** Characters of the names of inline namespaces: programs have a few thousand, but each nested one repeats all around it. */
    static final int MAX_INLINE_NAMESPACE_CHARS = 1 << 20;

    private final DwarfUnits dwarf;

    /** Memory of everything that lives as long as the definitions. */
    private final MemoryAccount account;

    private final TypeSpeller speller;
    private final TypeGraph types;

    /** The first definitions of a merge; null for those that hold a declared type, and for those left out for a fault. */
    private final List<@Nullable Definition> built = new ArrayList<>();

    private @Nullable LimitExceededException failure;

    public TypeBuilder(DwarfUnits dwarf) {
        this.dwarf = dwarf;
        this.account = new MemoryAccount(dwarf);
        this.speller = new TypeSpeller(dwarf, account);
        this.types = new TypeGraph(dwarf, speller, account);
    }

    /**
     * Builds the next definitions of a merge while later units are scanned. Definitions that hold a type that is only declared are
     * left to {@link #build(DefinitionMerge)}, which knows all definitions. It also throws the error that ended the building
     * here, so that an error of the scan is reported first.
     *
     * @param next those behind the ones of the last call
     */
    public void buildAhead(DefinitionTable next) {
        types.awaitDeclarations();
        for (int row = 0; row < next.count() && failure == null; row++) {
            try {
                built.add(definition(next, row));
            } catch (AwaitedDeclaration e) {
                built.add(null);
            } catch (LimitExceededException e) {
                failure = e;
            }
        }
    }

    /** Releases the memory that the definitions were charged for. The builder is not used any more. */
    public void release() {
        account.clear();
    }

    /**
     * Builds the merged definitions in the order of their DIEs. Declarations are left out if the merge has a definition
     * of the same qualified name.
     */
    public List<Definition> build(DefinitionMerge merged) throws ExtractionException {
        return build(merged, merged);
    }

    /**
     * Builds the merged definitions in the order of their DIEs.
     *
     * @param declared where definitions of types that are held by value and only declared are looked up
     */
    public List<Definition> build(DefinitionMerge merged, DefinitionMerge declared) throws ExtractionException {
        if (failure != null) {
            throw failure;
        }
        merged.finish();
        types.resolveDeclarations(declared.definitions());
        DefinitionTable found = merged.definitions();
        List<Definition> definitions = new ArrayList<>(found.count());
        Set<String> defined = new HashSet<>();
        for (int row = 0; row < found.count(); row++) {
            Definition ahead = row < built.size() ? built.get(row) : null;
            Definition definition = ahead == null ? definition(found, row) : ahead;
            if (definition == null) {
                continue;
            }
            definitions.add(definition);
            // A typedef of the name defines no struct: "typedef struct lua_State lua_State".
            if (!definition.isDeclaration() && definition.kind().isTag()) {
                defined.add(definition.qualifiedName());
            }
        }
        definitions.removeIf(definition -> definition.isDeclaration() && defined.contains(definition.qualifiedName()));
        return definitions;
    }

    /** Returns the names of types that the built definitions hold by value and that no definition was found for. */
    public Set<String> undefined() {
        return types.undefined();
    }

    /**
     * Returns the qualified names of the inline namespaces that a merge has, those of enclosing ones first, up to {@link
     * #MAX_INLINE_NAMESPACE_CHARS}: types in others are found by their full names.
     */
    public Set<String> inlineNamespaces(DefinitionMerge merged) throws ExtractionException {
        Set<String> names = new HashSet<>();
        long characters = 0;
        for (long namespaceDie : merged.inlineNamespaces()) {
            String name;
            try {
                name = speller.scopes().qualifiedName(namespaceDie);
            } catch (ExtractionException e) {
                // Types in it are found by their full names.
                dwarf.omit(Part.TYPE, namespaceDie, e);
                continue;
            }
            // Each thread that scans finds a name once.
            if (!names.contains(name)) {
                characters += name.length();
                if (characters > MAX_INLINE_NAMESPACE_CHARS) {
                    break;
                }
                names.add(name);
                account.addText(name.length(), namespaceDie);
            }
        }
        return names;
    }

    /**
     * Builds the complete named structs, unions, classes and enumerations of one unit, unmerged and unresolved. The unit is not
     * used any more.
     */
    public List<Definition> buildEach(UnitDefinitions unit) throws ExtractionException {
        if (account.isHalfFull()) {
            // The caller has the definitions of earlier units; only what later units would share is still held here.
            speller.forgetTexts();
            types.forgetShared();
            account.clear();
        }
        DefinitionTable found = unit.definitions();
        List<Definition> definitions = new ArrayList<>();
        for (int row = 0; row < found.count(); row++) {
            if (Dwarf.isTagged(found.tag(row)) && found.nameRef(row) != NameRef.NONE && !found.isDeclaration(row)) {
                Definition definition = definition(found, row);
                if (definition != null) {
                    definitions.add(definition);
                }
            }
        }
        dwarf.release(unit.heapBytes());
        return definitions;
    }

    /** Builds a definition; null if a fault leaves nothing of it to answer, which is noted. */
    private @Nullable Definition definition(DefinitionTable found, int row) throws LimitExceededException {
        long dieAddress = found.dieAddress(row);
        try {
            return definition(found, row, dieAddress);
        } catch (ExtractionException e) {
            dwarf.omit(Part.TYPE, dieAddress, e);
            return null;
        }
    }

    private Definition definition(DefinitionTable found, int row, long dieAddress) throws ExtractionException {
        long nameRef = found.nameRef(row);
        boolean local = found.isLocal(row);
        Unit unit = dwarf.unit(dieAddress);
        dwarf.deadline().check(dwarf.section(dieAddress).name());
        types.enter(unit, local);
        String name = nameRef == NameRef.NONE ? "" : speller.text(nameRef, unit);
        TypeShape shape = found.isDeclaration(row) ? types.declaration(dieAddress) : types.shape(dieAddress);
        String qualifiedName = local ? name : qualifiedName(dieAddress, name, shape.spelling());
        account.addBytes(MemoryAccount.DEFINITION_BYTES, dieAddress);
        return new Definition(
                Dwarf.kind(found.tag(row)),
                name,
                qualifiedName,
                local ? speller.scopes().function(dieAddress) : null,
                unit.name(),
                dwarf.language(unit),
                dwarf.section(dieAddress).name(),
                DieAddress.offset(dieAddress),
                shape);
    }

    /**
     * Returns a name with the namespaces and classes around its DIE.
     *
     * @param equal a string that is returned in place of an equal one: qualified C++ names are long, and most are equal
     *     to the spelling of the type
     */
    String qualifiedName(long dieAddress, String name, String equal) throws ExtractionException {
        String qualified = speller.scopes().qualifier(dieAddress) + name;
        if (qualified.equals(equal)) {
            return equal;
        }
        account.addText(qualified.length(), dieAddress);
        return qualified;
    }

    void enter(Unit unit) throws ExtractionException {
        types.enter(unit, true);
    }

    /**
     * Returns the type of a variable of a unit.
     *
     * @param local whether it may be that of a function
     */
    TypeShape typeOfVariable(long typeDie, Unit unit, boolean local) throws ExtractionException {
        types.enter(unit, local);
        TypeShape shape = types.shape(typeDie);
        account.addBytes(MemoryAccount.VARIABLE_BYTES, unit.header().startAddress());
        return shape;
    }

    TypeSpeller speller() {
        return speller;
    }
}
