package dev.offsetd.query.export;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.SymbolSearch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The types of an export: at most one definition for each kind and name, numbered from 0. Where a build has several layouts
 * of a name, the one that an item of that name answers is exported, and none if the item is ambiguous. Holds the names, not the
 * layouts, of an export of a whole build. Not thread-safe.
 */
public final class ExportedTypes {

    /** {@link #reference} to a type that the export has no layout of; formats with forward declarations declare it. */
    public static final int FORWARD = -1;

    /** {@link #reference} to a type whose layout is not the one that the export has under its name. */
    public static final int INLINE = -2;

    /** Number of a type that nothing refers to by a name: an unnamed enumeration, or a base type that an item names. */
    public static final int UNNAMED = -3;

    private final TypeIndex index;
    private final NameStyle style;
    private final Map<ExportName, Entry> entries;

    /** The definitions of an export of some items; null for a whole build, which is read again each time. */
    private final @Nullable List<Definition> selected;

    /** Names of the symbols of an export of some items; null for a whole build. */
    private final @Nullable Set<String> symbols;

    private final Omissions omissions;
    private final LayoutEquality layouts = new LayoutEquality();
    private int count;

    /** Definitions of a name, and its number. */
    private static final class Entry {

        /** Names without scopes of its definitions: several only if a style makes them equal. */
        final Set<String> names = new HashSet<>(1);

        int candidates;
        int number = FORWARD;

        /** The definition, if the build has several or the export is of some items. */
        @Nullable
        Definition chosen;
    }

    /** Visitor of the types of an export. */
    @FunctionalInterface
    public interface Visitor {

        /**
         * Visits one type.
         *
         * @param number see {@link ExportedTypes#reference}; {@link #UNNAMED} for a type without one
         */
        void visit(int number, Definition definition);
    }

    private ExportedTypes(
            TypeIndex index,
            NameStyle style,
            Map<ExportName, Entry> entries,
            @Nullable List<Definition> selected,
            @Nullable Set<String> symbols,
            Omissions omissions) {
        this.index = index;
        this.style = style;
        this.entries = entries;
        this.selected = selected;
        this.symbols = symbols;
        this.omissions = omissions;
    }

    /** Returns all types of a build. */
    public static ExportedTypes whole(TypeIndex build, NameStyle style) {
        TypeIndex index = build.sharingLayouts();
        Map<ExportName, Entry> entries = new LinkedHashMap<>();
        index.forEachDefinition(definition -> {
            ExportName key = ExportName.of(definition, style);
            if (key != null && !definition.isDeclaration()) {
                Entry entry = entries.computeIfAbsent(key, _ -> new Entry());
                entry.candidates++;
                entry.names.add(definition.name());
            }
        });
        ExportedTypes types = new ExportedTypes(index, style, entries, null, null, new Omissions());
        entries.forEach((key, entry) -> {
            if (entry.candidates > 1) {
                List<Definition> candidates = types.candidates(key, entry.names);
                entry.chosen = types.choose(key, candidates);
            }
            entry.number = entry.candidates > 1 && entry.chosen == null ? FORWARD : types.count++;
        });
        return types;
    }

    /**
     * Returns the types of these items with everything that they hold by value. Structs, unions and enumerations that they
     * only point to are not part of it.
     */
    public static ExportedTypes of(List<Item> items, TypeIndex build, NameStyle style) {
        TypeIndex index = build.sharingLayouts();
        ItemRoots roots = new ItemRoots(BuildContents.ofTypes(index));
        Omissions omissions = new Omissions();
        roots.add(items, omissions);
        return selected(roots, index, style, omissions);
    }

    /**
     * Returns the types of these items as {@link #of(List, TypeIndex, NameStyle)} does, with the symbols that they name and the
     * types of their variables.
     *
     * @param optional further items, which are not reported if the build lacks them
     */
    static ExportedTypes of(
            List<Item> items, List<Item> optional, TypeIndex build, SymbolSearch symbols, NameStyle style) {
        TypeIndex index = build.sharingLayouts();
        ItemRoots roots = new ItemRoots(new BuildContents(index, symbols));
        Omissions omissions = new Omissions();
        roots.add(optional, new Omissions());
        roots.add(items, omissions);
        return selected(roots, index, style, omissions);
    }

    /**
     * Returns the types with these names, as {@link #of} does.
     *
     * @param types named as in an export of this style: as a BPF program refers to them
     */
    public static ExportedTypes named(Set<NamedShape> types, TypeIndex build, NameStyle style) {
        TypeIndex index = build.sharingLayouts();
        Set<ExportName> names = new LinkedHashSet<>();
        types.forEach(type -> names.add(new ExportName(type.kind(), type.qualifiedName())));
        Map<ExportName, List<Definition>> candidates = new LinkedHashMap<>();
        index.forEachDefinition(definition -> {
            ExportName key = ExportName.of(definition, style);
            if (key != null && names.contains(key) && !definition.isDeclaration()) {
                candidates.computeIfAbsent(key, _ -> new ArrayList<>()).add(definition);
            }
        });
        Omissions omissions = new Omissions();
        ItemRoots roots = new ItemRoots(BuildContents.ofTypes(index));
        LayoutEquality layouts = new LayoutEquality();
        for (ExportName name : names) {
            List<Definition> found = candidates.getOrDefault(name, List.of());
            Optional<Definition> chosen = found.isEmpty() ? Optional.empty() : ItemRoots.choose(found, layouts);
            chosen.ifPresentOrElse(
                    roots::add,
                    () -> omissions.add(
                            name.text(), found.isEmpty() ? OmissionReason.NOT_FOUND : OmissionReason.AMBIGUOUS));
        }
        return selected(roots, index, style, omissions);
    }

    private static ExportedTypes selected(ItemRoots roots, TypeIndex index, NameStyle style, Omissions omissions) {
        List<Definition> selected = new ArrayList<>();
        ExportedTypes types =
                new ExportedTypes(index, style, new LinkedHashMap<>(), selected, roots.symbols(), omissions);
        ExportClosure closure = new ExportClosure(types);
        roots.definitions().forEach(closure::add);
        roots.values().forEach(closure::value);
        return types;
    }

    /** Returns the same types without those that a base has by their names. */
    public ExportedTypes without(ExportedTypes base) {
        Map<ExportName, Entry> kept = new LinkedHashMap<>();
        Omissions left = new Omissions();
        left.addAll(omissions);
        ExportedTypes types = new ExportedTypes(index, style, kept, selected, symbols, left);
        entries.forEach((key, entry) -> {
            Entry copy = new Entry();
            copy.candidates = entry.candidates;
            copy.chosen = entry.chosen;
            Entry other = base.entries.get(key);
            if (entry.number >= 0 && other != null && other.number >= 0) {
                left.add(key.text(), OmissionReason.IN_BASE);
            } else if (entry.number >= 0) {
                copy.number = types.count++;
            }
            kept.put(key, copy);
        });
        return types;
    }

    /** Returns everything that the build has. */
    TypeIndex index() {
        return index;
    }

    /** Returns whether the export has the symbols of a name. */
    boolean hasSymbol(String name) {
        return symbols == null || symbols.contains(name);
    }

    /** Returns the number of types that have one. */
    public int count() {
        return count;
    }

    /** Returns what was left out for its name, and the items without a type. */
    public Omissions omissions() {
        return omissions;
    }

    /** Returns the name that a type, or a member, has in the export. */
    public String name(String spelling) {
        return style.of(spelling);
    }

    /** Returns the name that a type has in the export, without its tag; empty if it has none. */
    public String nameOf(TypeShape shape) {
        ExportName key = ExportName.of(shape, style);
        return key == null ? "" : key.name();
    }

    /** Returns the name that a definition has in the export, without its tag; empty if it has none. */
    public String nameOf(Definition definition) {
        ExportName key = ExportName.of(definition, style);
        return key == null ? "" : key.name();
    }

    /** Passes every type once, in no particular order. */
    public void forEach(Visitor visitor) {
        Consumer<Definition> visit = definition -> {
            ExportName key = ExportName.of(definition, style);
            if (key == null) {
                if (selected != null || definition.kind() != TypeKind.BASE) {
                    visitor.visit(UNNAMED, definition);
                }
                return;
            }
            Entry entry = entries.get(key);
            if (entry != null
                    && entry.number >= 0
                    && !definition.isDeclaration()
                    && (entry.chosen == null || isSame(entry.chosen, definition))) {
                visitor.visit(entry.number, definition);
            }
        };
        if (selected == null) {
            index.forEachDefinition(visit);
        } else {
            selected.forEach(visit);
        }
    }

    /**
     * Returns what a struct, union, class, enumeration or typedef refers to that a type of the export holds or points to: the
     * number of a type, {@link #FORWARD} or {@link #INLINE}.
     */
    public int reference(TypeShape shape) {
        ExportName key = ExportName.of(shape, style);
        boolean byName = shape instanceof NamedShape;
        if (key == null) {
            return byName ? FORWARD : INLINE;
        }
        Entry entry = entries.get(key);
        if (entry == null) {
            return byName || selected != null ? FORWARD : INLINE;
        }
        if (entry.number < 0) {
            return byName ? FORWARD : INLINE;
        }
        boolean other = !byName && entry.chosen != null && !layouts.areEqual(shape, entry.chosen.shape());
        return other ? INLINE : entry.number;
    }

    /** Adds a definition to an export of some items, or returns false if the export has its name. */
    boolean add(Definition definition) {
        ExportName key = ExportName.of(definition, style);
        List<Definition> all = selected;
        if (all == null || (key != null && entries.containsKey(key))) {
            return false;
        }
        if (key != null) {
            Entry entry = new Entry();
            entry.chosen = definition;
            entry.number = count++;
            entries.put(key, entry);
        }
        all.add(definition);
        return true;
    }

    /** Returns whether an export of some items has a decision on a name. */
    boolean has(TypeShape shape) {
        ExportName key = ExportName.of(shape, style);
        return key == null || entries.containsKey(key);
    }

    /** Returns the definition that answers the name of a type; empty if none does. */
    Optional<Definition> find(TypeShape named) {
        ExportName key = ExportName.of(named, style);
        if (key == null) {
            return Optional.empty();
        }
        String whole = ExportName.spelled(named);
        // The name alone may contain scopes, too: &core::ffi::CStr.
        Definition chosen = choose(key, candidates(key, new HashSet<>(List.of(TypeNames.unqualified(whole), whole))));
        if (chosen == null) {
            entries.putIfAbsent(key, new Entry());
        }
        return Optional.ofNullable(chosen);
    }

    private List<Definition> candidates(ExportName key, Set<String> names) {
        List<Definition> candidates = new ArrayList<>();
        for (String name : names) {
            for (Definition definition : index.definitionsNamed(name)) {
                if (!definition.isDeclaration() && key.equals(ExportName.of(definition, style))) {
                    candidates.add(definition);
                }
            }
        }
        return candidates;
    }

    private @Nullable Definition choose(ExportName key, List<Definition> candidates) {
        if (candidates.isEmpty()) {
            return null;
        }
        Optional<Definition> chosen = ItemRoots.choose(candidates, layouts);
        if (chosen.isEmpty()) {
            omissions.add(key.text(), OmissionReason.AMBIGUOUS);
        }
        return chosen.orElse(null);
    }

    private static boolean isSame(Definition one, Definition other) {
        return one.dieOffset() == other.dieOffset()
                && one.section().equals(other.section())
                && one.unit().equals(other.unit())
                && one.kind() == other.kind();
    }
}
