package dev.offsetd.extractor;

import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.build.TypeBuilder;
import dev.offsetd.extractor.dwarf.build.VariableBuilder;
import dev.offsetd.extractor.dwarf.scan.DefinitionMerge;
import dev.offsetd.extractor.dwarf.scan.DefinitionScanner;
import dev.offsetd.extractor.dwarf.scan.MergedRows;
import dev.offsetd.extractor.dwarf.scan.Selection;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.scan.CompilationIdentity;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.Variable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** One reading of types and variables from DWARF. Scans the units with several threads; used by one. */
final class DwarfTypeReader implements TypeReader {

    /**
     * Scans for the definitions of declared types that other types hold by value. Each scan resolves the declarations in
     * the types that the previous one found.
     */
    private static final int MAX_DECLARED_ROUNDS = 16;

    /** Most combinations of compiler, folder and language that are counted. */
    private static final int MAX_UNIT_TEXTS = 1_000;

    private static final int MAX_UNIT_TEXT_BYTES = 1 << 14;

    /** Most characters of all these texts that are looked at: texts of different units may overlap. */
    private static final long MAX_UNIT_TEXT_CHARS = 1 << 20;

    /** Between the file and the part in the name of a unit of Rust. */
    private static final String PART_OF_CRATE = "/@/";

    /** Between the name of a function and that of a type in it. */
    private static final String LOCAL_TO = "()::";

    private final ElfFile elf;
    private final DwarfUnits units;
    private final Limits limits;
    private final int threads;
    private final ReadProgress progress;

    DwarfTypeReader(ElfFile elf, DwarfUnits units, ReadOptions options) {
        this.elf = elf;
        this.units = units;
        this.limits = options.limits();
        this.threads = options.threads();
        this.progress = options.progress();
    }

    @Override
    public TypeCatalogue selected(RequestedNames wanted) throws IOException, ExtractionException {
        TypeCatalogue found = withLocal(
                wanted,
                catalogue(Selection.of(wanted.allTypes(), wanted.enumerators(), wanted.variables(), false, limits)));
        return withGoTypes(wanted.allTypes(), found);
    }

    /** Adds the types of Go that these names mean without their package, for those names that no type has. */
    private TypeCatalogue withGoTypes(Set<String> wanted, TypeCatalogue found) throws IOException, ExtractionException {
        Set<String> names =
                wanted.stream().filter(name -> isUndefined(name, found)).collect(Collectors.toSet());
        if (names.isEmpty() || !units.hasLanguage(Language.Family.GO)) {
            return found;
        }
        List<Definition> definitions = new ArrayList<>(found.definitions());
        for (Definition definition : catalogue(Selection.everyType(limits)).definitions()) {
            if (found.definitionsNamed(definition.name()).isEmpty() && WholeTypeReader.isGoType(definition, names)) {
                definitions.add(definition);
            }
        }
        definitions.sort(Comparator.comparingLong(Definition::dieOffset));
        return new TypeCatalogue(definitions, found.variables(), found.inlineNamespaces(), omissions());
    }

    @Override
    public TypeCatalogue all() throws IOException, ExtractionException {
        return catalogue(Selection.everything(limits));
    }

    @Override
    public List<Omission> forEachDefinition(Consumer<Definition> sink) throws ExtractionException {
        DefinitionScanner scanner = new DefinitionScanner(units, Selection.everyType(limits));
        TypeBuilder builder = new TypeBuilder(units);
        for (int unit = 0; unit < units.ownUnitCount(); unit++) {
            units.deadline().check(DebugSections.INFO);
            builder.buildEach(scanner.scan(unit)).forEach(sink);
        }
        units.omissions().requireAnyUnit();
        return omissions();
    }

    @Override
    public long bytes() {
        return units.ownBytes();
    }

    @Override
    public Identity identity() {
        // Thousands of units share a few texts: these are counted by their place, and read once.
        Map<UnitTexts, Integer> counts = new LinkedHashMap<>();
        Set<String> crates = new HashSet<>();
        try {
            for (int index = 0; units.hasOwnUnit(index); index++) {
                Deadline.checkCurrent();
                Unit unit = units.unitIfReadable(index);
                if (unit == null) {
                    continue;
                }
                boolean statesSomething = unit.producer() != NameRef.NONE || unit.folder() != NameRef.NONE;
                if (statesSomething && (!isPartOfCrate(unit) || addCrate(unit, crates))) {
                    UnitTexts texts = texts(unit);
                    if (counts.size() < MAX_UNIT_TEXTS || counts.containsKey(texts)) {
                        counts.merge(texts, 1, Integer::sum);
                    }
                }
            }
        } catch (ExtractionException malformed) {
            // A reading of types reports it. Layouts do not depend on names.
        }
        CompilationIdentity identity = new CompilationIdentity();
        long characters = 0;
        for (Map.Entry<UnitTexts, Integer> each : counts.entrySet()) {
            Deadline.checkCurrent();
            UnitTexts texts = each.getKey();
            String producer = text(texts.producer);
            String folder = text(texts.folder);
            characters += producer.length() + folder.length();
            if (characters > MAX_UNIT_TEXT_CHARS) {
                break;
            }
            identity.add(producer, folder, texts.language, each.getValue());
        }
        return identity.identity();
    }

    /** Rust compiles a crate as up to 256 units, named after its file: {@code src/lib.rs/@/yjit.5a2c-cgu.0}. */
    private static boolean isPartOfCrate(Unit unit) {
        return unit.name().contains(PART_OF_CRATE);
    }

    /** Returns whether this is the first unit of its crate. */
    private static boolean addCrate(Unit unit, Set<String> crates) {
        return crates.size() < MAX_UNIT_TEXTS
                && crates.add(unit.name().substring(0, unit.name().indexOf(PART_OF_CRATE)));
    }

    /** Places of what a unit states of its compilation. Comparable, so that equal hashes cost a hash table a logarithm only. */
    private record UnitTexts(long producer, long folder, String language) implements Comparable<UnitTexts> {

        @Override
        public int compareTo(UnitTexts other) {
            int order = Long.compare(producer, other.producer);
            order = order != 0 ? order : Long.compare(folder, other.folder);
            return order != 0 ? order : language.compareTo(other.language);
        }
    }

    private UnitTexts texts(Unit unit) {
        return new UnitTexts(
                resolved(unit.producer(), unit),
                resolved(unit.folder(), unit),
                units.language(unit).name());
    }

    /** Returns where the name is, or {@link NameRef#NONE} if it is nowhere: other units have others. */
    private long resolved(long name, Unit unit) {
        try {
            return units.names().resolve(name, unit);
        } catch (ExtractionException malformed) {
            return NameRef.NONE;
        }
    }

    private String text(long resolved) {
        try {
            return resolved == NameRef.NONE
                    ? ""
                    : units.names()
                            .section(resolved)
                            .string(units.names().checkedOffset(resolved), MAX_UNIT_TEXT_BYTES);
        } catch (ExtractionException malformed) {
            return "";
        }
    }

    private List<Omission> omissions() {
        List<Omission> found = new ArrayList<>(units.omissions().omissions());
        List<String> files = missing().stream().map(MissingUnit::toString).toList();
        if (!files.isEmpty()) {
            found.add(new Omission(
                    Omission.Part.UNIT,
                    Omission.Cause.MISSING,
                    files.size(),
                    files.stream().limit(Omission.MAX_PLACES).toList()));
        }
        return found;
    }

    @Override
    public List<MissingUnit> missing() {
        return units.missing().stream()
                .map(skeleton -> new MissingUnit(skeleton.dwoName(), skeleton.dwoId(), skeleton.obstacle()))
                .toList();
    }

    /** Builders of the types and variables of one catalogue. */
    private record Builders(TypeBuilder types, VariableBuilder variables) {

        void buildAhead(MergedRows rows) {
            types.buildAhead(rows.definitions());
            variables.buildAhead(rows.variables());
        }
    }

    private Builders newBuilders() {
        TypeBuilder types = new TypeBuilder(units);
        // Addresses in a relocatable file count from the starts of its sections, of which it has many.
        return new Builders(types, new VariableBuilder(units, types, !elf.isRelocatable()));
    }

    private TypeCatalogue catalogue(Selection selection) throws IOException, ExtractionException {
        Builders builders = newBuilders();
        DefinitionMerge merge = scan(selection, builders::buildAhead);
        if (merge.awaitsLanguage()) {
            builders.types.release();
            builders = newBuilders();
        }
        List<Definition> definitions = builders.types.build(merge);
        Set<String> undefined = selection.isOfEveryType() ? Set.of() : builders.types.undefined();
        Set<String> sought = new HashSet<>();
        for (int round = 0; round < MAX_DECLARED_ROUNDS && !sought.containsAll(undefined); round++) {
            sought.addAll(undefined);
            DefinitionMerge declared = scan(Selection.of(sought, Set.of(), Set.of(), false, limits), _ -> {});
            declared.finish();
            declared.addAll(merge);
            builders.types.release();
            builders = newBuilders();
            definitions = builders.types.build(merge, declared);
            undefined = builders.types.undefined();
        }
        return new TypeCatalogue(
                definitions, builders.variables.build(merge), builders.types.inlineNamespaces(merge), omissions());
    }

    /** @param builder see {@link UnitScan#run} */
    private DefinitionMerge scan(Selection selection, Consumer<MergedRows> builder)
            throws IOException, ExtractionException {
        DefinitionMerge merge = new DefinitionMerge(units);
        AtomicLong bytes = new AtomicLong();
        long total = units.ownBytes();
        UnitScan.UnitIndexes own = number -> {
            if (!units.hasOwnUnit(number)) {
                return UnitScan.UnitIndexes.END;
            }
            progress.update(bytes.getAndAdd(units.byteSize(number)), total);
            return number;
        };
        new UnitScan(units, selection, own, merge).run(threads, builder);
        // A supplementary file serves many files: only the units that this file uses, and those that they use, belong
        // to it.
        List<Integer> used = units.usedOfSupplementaryFile();
        while (!used.isEmpty()) {
            List<Integer> next = used;
            UnitScan.UnitIndexes indexes = number -> number < next.size() ? next.get(number) : UnitScan.UnitIndexes.END;
            new UnitScan(units, selection, indexes, merge).run(threads, builder);
            used = units.newlyUsedOfSupplementaryFile();
        }
        units.omissions().requireAnyUnit();
        return merge;
    }

    /** Adds the types, enumerators and variables of functions, for those names that nothing outside of functions has. */
    private TypeCatalogue withLocal(RequestedNames wanted, TypeCatalogue visible)
            throws IOException, ExtractionException {
        Set<String> inFunctions = wanted.allTypes().stream()
                .filter(name -> name.contains(LOCAL_TO))
                .map(TypeNames::unqualified)
                .collect(Collectors.toSet());
        Set<String> types = wanted.types().stream()
                .filter(name -> inFunctions.contains(name)
                        || (isUndefined(name, visible)
                                && visible.variablesNamed(name).isEmpty()))
                .collect(Collectors.toSet());
        Set<String> enumerators = wanted.enumerators().stream()
                .filter(name -> visible.enumeratorsNamed(name).isEmpty())
                .collect(Collectors.toSet());
        Set<String> variables = wanted.variables().stream()
                .filter(name -> visible.variablesNamed(name).isEmpty() && isUndefined(name, visible))
                .collect(Collectors.toSet());
        if (types.isEmpty() && enumerators.isEmpty() && variables.isEmpty()) {
            return visible;
        }
        wanted.otherTypes().stream().filter(name -> isUndefined(name, visible)).forEach(types::add);
        // Default template arguments may have been left out of a name.
        Set<String> templates = types.stream()
                .filter(name -> TypeNames.unqualified(name).equals(name) && name.indexOf('<') > 0)
                .map(TypeNames::template)
                .collect(Collectors.toSet());
        TypeCatalogue local = catalogue(
                Selection.of(types, enumerators, variables, true, limits).withInstancesOf(templates, limits));
        // The second scan finds what the first found of these names again.
        Set<String> again = types.stream().map(TypeNames::canonical).collect(Collectors.toSet());
        List<Definition> definitions = new ArrayList<>(visible.definitions());
        definitions.removeIf(definition -> again.contains(TypeNames.canonical(definition.name()))
                || (definition.name().indexOf('<') > 0 && templates.contains(TypeNames.template(definition.name()))));
        definitions.addAll(local.definitions());
        definitions.sort(Comparator.comparingLong(Definition::dieOffset));
        List<Variable> allVariables = new ArrayList<>(visible.variables());
        allVariables.addAll(local.variables());
        Set<String> inlineNamespaces = new HashSet<>(visible.inlineNamespaces());
        inlineNamespaces.addAll(local.inlineNamespaces());
        return new TypeCatalogue(definitions, allVariables, inlineNamespaces, omissions());
    }

    private static boolean isUndefined(String name, TypeCatalogue types) {
        return TypeNames.spellings(name).stream()
                .flatMap(spelling -> types.definitionsNamed(spelling).stream())
                .allMatch(Definition::isDeclaration);
    }
}
