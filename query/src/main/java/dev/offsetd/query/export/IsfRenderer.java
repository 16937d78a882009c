package dev.offsetd.query.export;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * ISF 6.2.0, the symbol files of volatility3: types, enumerations, base types, and symbols with the types of variables. The order
 * of its parts lets each be written before the next is read: symbols and types refer to unnamed types and base types, which
 * follow.
 */
public final class IsfRenderer implements ExportRenderer {

    private static final String FORMAT = "6.2.0";

    private static final String DWARF_SECTIONS = ".debug_";

    /** For the symbol patterns of one query: two seconds. */
    private static final long MAX_STEPS = 10_000_000;

    /** For the names of variables in those of symbols: a million local variables of C++. */
    private static final long MAX_STEPS_OF_VARIABLES = 10 * MAX_STEPS;

    /** Variables at one address that are found by a part of a symbol's name. More than a few have no bytes. */
    private static final int MAX_AT_ONE_ADDRESS = 64;

    private static final JsonFactory JSON = new JsonFactory();

    /** Base types of C that have one byte and are characters, which DWARF tells by their encoding. */
    private static final Set<String> CHARACTERS = Set.of("char", "signed char", "unsigned char");

    /**
     * Types and symbols of a kernel without which volatility3 refuses its ISF file or cannot find the page tables in a dump:
     * those that its {@code LinuxKernelIntermedSymbols} and {@code LinuxIntelStacker} name. A kernel lacks some of them:
     * {@code init_level4_pgt} is an old name.
     */
    private static final List<Item> REQUIRED = ItemParser.parseList(List.of(
            "struct file, struct list_head, struct hlist_head, struct mm_struct, struct super_block, struct task_struct",
            "struct vm_area_struct, struct qstr, struct dentry, struct fs_struct, struct files_struct, struct kobject",
            "struct cred, struct inode, struct idr, struct address_space, struct page, struct vfsmount, struct net",
            "struct socket, struct sock, struct inet_sock, struct unix_sock",
            "symbol " + KernelBanner.SYMBOL + ", symbol init_task, symbol init_files",
            "symbol init_top_pgt, symbol init_level4_pgt, symbol swapper_pg_dir"));

    private final ExportedBuild build;
    private final StoredSymbols symbols;
    private final Omissions omissions = new Omissions();

    /**
     * The build whose symbols are exported.
     *
     * @param extractorVersion extractor that read its debug file
     * @param banner of a kernel, without the line feed at its end; null of other programs
     */
    public record ExportedBuild(
            @Nullable BuildId id,
            Architecture architecture,
            int extractorVersion,
            @Nullable String banner) {}

    /** @param symbols of the debug file */
    public IsfRenderer(ExportedBuild build, StoredSymbols symbols) {
        this.build = build;
        this.symbols = symbols;
    }

    /** Adds what volatility3 requires of a kernel. */
    @Override
    public ExportedTypes select(List<Item> items, TypeIndex index, NameStyle style) {
        List<Item> required = build.banner != null ? REQUIRED : List.of();
        SymbolSearch search = new SymbolSearch(symbols, null, new SearchBudget(MAX_STEPS));
        return ExportedTypes.of(items, required, index, search, style);
    }

    @Override
    public Omissions render(ExportedTypes exported, OutputStream out) {
        omissions.addAll(exported.omissions());
        Set<String> tags = new HashSet<>();
        Set<String> sources = new LinkedHashSet<>();
        exported.forEach((_, definition) -> {
            if (definition.section().startsWith(DWARF_SECTIONS)) {
                sources.add("dwarf");
            }
            if (definition.kind().isAggregate()) {
                tags.add(exported.nameOf(definition.shape()));
            }
        });
        IsfTypes types = new IsfTypes(exported, tags, omissions);
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            writeMetadata(json, sources);
            writeSymbols(exported, types, json);
            writeUserTypes(exported, types, json);
            exported.index().forEachDefinition(definition -> {
                if (definition.shape() instanceof BaseShape base) {
                    types.add(base);
                }
            });
            writeEnums(types, json);
            writeBaseTypes(types, json);
            json.writeEndObject();
        }
        return omissions;
    }

    /** @param sources of types, as the schema has them: it knows no other than DWARF */
    private void writeMetadata(JsonGenerator json, Set<String> sources) {
        String name = build.id == null ? "" : build.id.toString();
        json.writeObjectPropertyStart("metadata");
        json.writeObjectPropertyStart("linux");
        Set<String> ofSymbols = new LinkedHashSet<>(sources);
        ofSymbols.add("symtab");
        writeSources(json, "symbols", ofSymbols, name);
        writeSources(json, "types", sources, name);
        json.writeEndObject();
        json.writeObjectPropertyStart("producer");
        json.writeStringProperty("name", "offsetd");
        json.writeStringProperty("version", Integer.toString(build.extractorVersion));
        json.writeEndObject();
        json.writeStringProperty("format", FORMAT);
        json.writeEndObject();
    }

    private static void writeSources(JsonGenerator json, String property, Set<String> kinds, String name) {
        json.writeArrayPropertyStart(property);
        for (String kind : kinds) {
            json.writeStartObject();
            json.writeStringProperty("kind", kind);
            json.writeStringProperty("name", name);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** The type of a variable. */
    private record TypedVariable(String name, String symbolName, IsfType type) {}

    /** Types of variables. */
    private static final class VariableTypes {

        /** By address, the first of different symbols. */
        private final Map<Long, List<TypedVariable>> placed = new HashMap<>();

        /** By address and the name of the symbol, those that follow. */
        private final Map<Long, Map<String, IsfType>> crowded = new HashMap<>();

        /** By the names of the symbols of those whose address is not known. */
        private final Map<String, IsfType> declared = new HashMap<>();

        private final SearchBudget budget = new SearchBudget(MAX_STEPS_OF_VARIABLES);

        void add(Variable variable, IsfType type) {
            Long address = variable.address();
            String symbol = variable.symbolName();
            if (address == null) {
                declared.putIfAbsent(symbol, type);
                return;
            }
            List<TypedVariable> here = placed.computeIfAbsent(address, _ -> new ArrayList<>(1));
            if (here.stream().anyMatch(other -> other.symbolName.equals(symbol))) {
                return;
            }
            if (here.size() < MAX_AT_ONE_ADDRESS) {
                here.add(new TypedVariable(variable.name(), symbol, type));
            } else {
                crowded.computeIfAbsent(address, _ -> new HashMap<>()).putIfAbsent(symbol, type);
            }
        }

        /**
         * Returns the type of the variable at the symbol's address, else of one that is only declared. A variable without its symbol
         * may have one that contains its name: compilers write {@code table.0} for one in a function.
         */
        IsfType of(Symbol symbol) {
            if (symbol.type() == SymbolType.FUNC) {
                return IsfType.VOID;
            }
            List<TypedVariable> here = placed.getOrDefault(symbol.value(), List.of());
            return type(here, variable -> variable.symbolName.equals(symbol.name()))
                    .or(() -> Optional.ofNullable(
                            crowded.getOrDefault(symbol.value(), Map.of()).get(symbol.name())))
                    .or(() -> type(
                            here, variable -> symbol.isVariable() && budget.contains(symbol.name(), variable.name)))
                    .orElseGet(() -> declared.getOrDefault(symbol.name(), IsfType.VOID));
        }

        private static Optional<IsfType> type(List<TypedVariable> variables, Predicate<TypedVariable> isSought) {
            return variables.stream().filter(isSought).findFirst().map(TypedVariable::type);
        }
    }

    private VariableTypes variableTypes(ExportedTypes exported, IsfTypes types) {
        Set<Long> places = new HashSet<>();
        symbols.forEachName(named -> named.stream()
                .filter(symbol -> symbol.isVariable() && exported.hasSymbol(symbol.name()))
                .forEach(symbol -> places.add(symbol.value())));
        VariableTypes found = new VariableTypes();
        exported.index().forEachVariable(variable -> {
            Long address = variable.address();
            if (exported.hasSymbol(variable.symbolName()) || (address != null && places.contains(address))) {
                types.beginDefinition();
                found.add(variable, types.of(variable.type()));
            }
        });
        return found;
    }

    private void writeSymbols(ExportedTypes exported, IsfTypes types, JsonGenerator json) {
        VariableTypes variables = variableTypes(exported, types);
        json.writeObjectPropertyStart("symbols");
        symbols.forEachName(named -> {
            // The last one, because in a symbol table local symbols come first.
            Symbol symbol = null;
            for (Symbol each : named) {
                symbol = isExported(each) && exported.hasSymbol(each.name()) ? each : symbol;
            }
            if (symbol != null) {
                writeSymbol(symbol, variables.of(symbol), json);
            }
        });
        json.writeEndObject();
    }

    private static boolean isExported(Symbol symbol) {
        return !symbol.isImported()
                && !symbol.name().isEmpty()
                && symbol.type() != SymbolType.FILE
                && symbol.type() != SymbolType.SECTION;
    }

    private void writeSymbol(Symbol symbol, IsfType type, JsonGenerator json) {
        json.writeObjectPropertyStart(symbol.name());
        json.writeName("address");
        json.writeNumber(Long.toUnsignedString(symbol.value()));
        json.writeName("type");
        type.writeTo(json);
        if (symbol.name().equals(KernelBanner.SYMBOL) && build.banner != null) {
            byte[] bytes = KernelBanner.bytes(build.banner);
            if (symbol.size() == bytes.length) {
                json.writeBinaryProperty("constant_data", bytes);
            }
        }
        json.writeEndObject();
    }

    private void writeUserTypes(ExportedTypes exported, IsfTypes types, JsonGenerator json) {
        // A struct and a union can have one name, in different units.
        Set<String> written = new HashSet<>();
        json.writeObjectPropertyStart("user_types");
        exported.forEach((number, definition) -> {
            types.beginDefinition();
            if (definition.shape() instanceof EnumShape enumeration) {
                types.add(enumeration);
            }
            if (number >= 0) {
                String name = exported.nameOf(definition);
                userType(name, definition, types)
                        .filter(_ -> written.add(name))
                        .ifPresent(shape -> writeUserType(json, name, definition, shape, types));
            }
        });
        for (Optional<Map.Entry<String, IsfType.IsfAggregate>> next = types.nextUnnamed();
                next.isPresent();
                next = types.nextUnnamed()) {
            json.writeName(next.get().getKey());
            next.get().getValue().writeTo(json);
        }
        json.writeEndObject();
    }

    /** Returns the struct or union that a definition gives its name to; empty if there is none. */
    private static Optional<AggregateShape> userType(String name, Definition definition, IsfTypes types) {
        return switch (definition.shape()) {
            case AliasShape typedef -> types.renamedBy(name, typedef.target());
            case AggregateShape shape -> Optional.of(shape);
            default -> Optional.empty();
        };
    }

    private void writeUserType(
            JsonGenerator json, String name, Definition definition, AggregateShape shape, IsfTypes types) {
        if (shape.byteSize() == TypeShape.UNKNOWN_SIZE) {
            omissions.add(name, OmissionReason.NO_SIZE);
            return;
        }
        json.writeName(name);
        (definition.shape() instanceof AliasShape ? types.layoutOfTypedef(shape) : types.layout(shape)).writeTo(json);
    }

    private void writeEnums(IsfTypes types, JsonGenerator json) {
        Map<Long, String> signed = integers(BaseShape.Encoding.SIGNED, types.bases());
        Map<Long, String> unsigned = integers(BaseShape.Encoding.UNSIGNED, types.bases());
        json.writeObjectPropertyStart("enums");
        types.enums().forEach((name, shape) -> {
            Deadline.checkCurrent();
            json.writeObjectPropertyStart(name);
            json.writeNumberProperty("size", Math.max(shape.byteSize(), 0));
            json.writeStringProperty(
                    "base", (shape.signed() ? signed : unsigned).getOrDefault(shape.byteSize(), "void"));
            json.writeObjectPropertyStart("constants");
            for (Enumerator enumerator : shape.enumerators()) {
                if (!enumerator.known()) {
                    omissions.add(shape.spelling() + "." + enumerator.name(), OmissionReason.TOO_LARGE);
                } else if (shape.signed()) {
                    json.writeNumberProperty(enumerator.name(), enumerator.value());
                } else {
                    json.writeName(enumerator.name());
                    json.writeNumber(Long.toUnsignedString(enumerator.value()));
                }
            }
            json.writeEndObject();
            json.writeEndObject();
        });
        json.writeEndObject();
    }

    /** Returns the base type of each size, an integer rather than a character. */
    private static Map<Long, String> integers(BaseShape.Encoding encoding, Map<String, BaseShape> bases) {
        Map<Long, String> characters = new HashMap<>();
        Map<Long, String> integers = new HashMap<>();
        bases.forEach((name, base) -> {
            if (base.encoding() == encoding && kind(base).equals("int")) {
                integers.putIfAbsent(base.byteSize(), name);
            } else if (base.encoding() == encoding) {
                characters.put(base.byteSize(), name);
            }
        });
        characters.putAll(integers);
        return characters;
    }

    private void writeBaseTypes(IsfTypes types, JsonGenerator json) {
        json.writeObjectPropertyStart("base_types");
        types.bases().forEach((name, base) -> {
            // The sign of a type that has none is said to be signed, as dwarf2json says it.
            boolean signed = base.encoding() != BaseShape.Encoding.UNSIGNED;
            writeBaseType(json, name, base.byteSize(), signed, kind(base));
        });
        writeBaseType(json, "pointer", build.architecture.addressBytes(), false, "int");
        writeBaseType(json, "void", 0, false, "void");
        json.writeEndObject();
    }

    private void writeBaseType(JsonGenerator json, String name, long size, boolean signed, String kind) {
        json.writeObjectPropertyStart(name);
        json.writeNumberProperty("size", size);
        json.writeBooleanProperty("signed", signed);
        json.writeStringProperty("kind", kind);
        json.writeStringProperty("endian", build.architecture.byteOrderName());
        json.writeEndObject();
    }

    private static String kind(BaseShape base) {
        return switch (base.encoding()) {
            case BOOLEAN -> "bool";
            case FLOATING -> "float";
            case SIGNED, UNSIGNED, OTHER -> CHARACTERS.contains(base.spelling()) ? "char" : "int";
        };
    }
}
