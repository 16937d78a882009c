package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.DiffText;
import dev.offsetd.query.answer.SymbolWriter;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.export.BtfRenderer;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.export.IsfRenderer;
import dev.offsetd.query.export.NameStyle;
import dev.offsetd.query.export.OmissionReason;
import dev.offsetd.query.export.Omissions;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.View;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.OffsetResolver;
import dev.offsetd.query.resolve.ResolutionStep;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolAt;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Answers from files with constructs that are rare: {@code fixtures/odd-constructs}. */
class OddConstructsTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    @TempDir
    Path folder;

    private static Path fixture(String name) {
        return Fixture.named("gcc12-dwarf5-x86_64-el")
                .folder()
                .resolveSibling("odd-constructs")
                .resolve(name);
    }

    private Path written(Unit... units) throws IOException {
        return DwarfWriter.write(DwarfStyle.DEFAULT, units).writeTo(folder.resolve("written.debug"));
    }

    /** Answers from everything, from the stored catalogue, and from the names that the items need; they are equal. */
    private static String answer(Path file, View view, String items) throws Exception {
        List<Item> parsed = ItemParser.parseList(List.of(items));
        Set<String> types = new HashSet<>();
        Set<String> enumerators = new HashSet<>();
        parsed.forEach(item -> {
            types.addAll(item.typeNames());
            enumerators.addAll(item.enumeratorNames());
        });
        TypeCatalogue all = DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types();
        String answer = json(parsed, all, view);
        assertThat(json(parsed, StoredCatalogue.of(CatalogueWriter.encode(all)), view))
                .isEqualTo(answer);
        assertThat(json(
                        parsed,
                        DebugInfo.read(file, OPTIONS, info -> info.extract(new RequestedNames(types, enumerators)))
                                .types(),
                        view))
                .isEqualTo(answer);
        return answer;
    }

    private static String json(List<Item> items, TypeIndex types, View view) {
        List<ItemAnswer> answers = items.stream()
                .map(item -> ItemResolver.resolve(item, types, null))
                .toList();
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonMapper.shared().createGenerator(text)) {
            new AnswerWriter(view).writeAnswers(json, answers, "p1");
        }
        return text.toString().replace("\"source\":\"p1\",", "").replace(",\"source\":\"p1\"", "");
    }

    @Test
    void memberSaysTheByteOrderThatIsNotTheFiles() throws Exception {
        assertThat(answer(fixture("storage.o"), View.FIELDS, "B.b,B.c,L.c"))
                .isEqualTo("{\"B.b\":{\"status\":\"found\",\"offset\":0,\"size\":2,\"bitOffset\":3,\"bitSize\":13,"
                        + "\"storageSize\":4,\"signed\":false,\"type\":\"unsigned int\",\"byteOrder\":\"big\"},"
                        + "\"B.c\":{\"status\":\"found\",\"offset\":2,\"size\":2,\"type\":\"short unsigned int\","
                        + "\"byteOrder\":\"big\"},"
                        + "\"L.c\":{\"status\":\"found\",\"offset\":2,\"size\":2,\"type\":\"short unsigned int\"}}");
    }

    /** An array of two numbers has no place for it. */
    @Test
    void flatViewKeepsTheByteOrder() throws Exception {
        assertThat(answer(fixture("storage.o"), View.FLAT, "B.c,L"))
                .startsWith("{\"B.c\":{\"status\":\"found\",\"offset\":2,")
                .contains("\"byteOrder\":\"big\"}", "\"L.c\":[2,2]");
    }

    /** GCC adds a second definition of a scalar for the structs that are stored the other way round. */
    @Test
    void nameOfAScalarIsTheOneInTheOrderOfTheFile() throws Exception {
        assertThat(answer(fixture("storage.o"), View.FIELDS, "unsigned int"))
                .isEqualTo("{\"unsigned int\":{\"status\":\"found\",\"kind\":\"base\",\"size\":4}}");
    }

    @Test
    void exportLeavesOutMembersOfTheOtherByteOrderAndCountsThem() throws Exception {
        ExtractionReport report = DebugInfo.read(fixture("storage.o"), OPTIONS, DebugInfo::extractAll);
        ExportedTypes types = ExportedTypes.whole(report.types(), NameStyle.SPELLED);
        Omissions btf =
                new BtfRenderer(report.elf().architecture(), null).render(types, OutputStream.nullOutputStream());

        assertThat(btf.listed())
                .extracting(Omissions.Omission::name)
                .containsExactly("struct B.a", "struct B.b", "struct B.c", "struct B.d", "struct B.e");
        assertThat(btf.listed()).extracting(Omissions.Omission::reason).containsOnly(OmissionReason.BYTE_ORDER);
        StoredSymbols none = StoredSymbols.of(SymbolTable.of(List.of(), ValueRule.ADDRESS, null, List.of()));
        IsfRenderer.ExportedBuild build =
                new IsfRenderer.ExportedBuild(null, report.elf().architecture(), PartVersions.TYPES, null);
        ByteArrayOutputStream isf = new ByteArrayOutputStream();
        assertThat(new IsfRenderer(build, none).render(types, isf).listed())
                .containsExactlyInAnyOrderElementsOf(btf.listed());
        JsonNode userTypes = JsonMapper.shared().readTree(isf.toByteArray()).path("user_types");
        assertThat(userTypes.at("/B/fields")).isEmpty();
        assertThat(userTypes.at("/L/fields/c/offset").asInt()).isEqualTo(2);
    }

    @Test
    void headerReadsNoValueOfAnotherByteOrder() throws Exception {
        Path file = written(unit(
                baseType("int", 4, DW_ATE_signed),
                die(
                        DW_TAG_base_type,
                        label("swapped"),
                        name("swapped"),
                        byteSize(4),
                        attribute(DW_AT_encoding, DW_FORM_data1, DW_ATE_signed),
                        attribute(DW_AT_endianity, DW_FORM_data1, 1)),
                struct("packet", 8, member("big", "swapped", 0), member("own", "int", 4)),
                die(DW_TAG_pointer_type, label("pointer"), byteSize(8), type("packet")),
                struct("queue", 8, member("head", "pointer", 0))));
        ExtractionReport report = DebugInfo.read(file, OPTIONS, DebugInfo::extractAll);

        assertThat(ConstantsHeader.lines(
                        ItemParser.parseList(List.of("queue.head->big,queue.head->own")).stream()
                                .map(item -> ItemResolver.resolve(item, report.types(), null))
                                .toList(),
                        PinnedTypes.NONE,
                        null,
                        report.elf().architecture()))
                .contains(
                        "#define queue_head_big_SIZE 4 /* big-endian */",
                        "/* queue.head->big: no macro reads it, because it is not stored in the byte order of the build */",
                        "#define queue_head_own_SIZE 4")
                .anyMatch(line -> line.startsWith("#define queue_head_own_READ("))
                .noneMatch(line -> line.startsWith("#define queue_head_big_READ("));
    }

    @Test
    void instanceVariablesThatTheRuntimePlacesAreComputed() throws Exception {
        assertThat(answer(fixture("ivars.o"), View.FIELDS, "Derived.e,Base.isa,H.x"))
                .isEqualTo("{\"Derived.e\":{\"status\":\"computed\",\"at\":{\"path\":\"Derived.e\"},"
                        + "\"reason\":\"set by the Objective-C runtime\"},"
                        + "\"Base.isa\":{\"status\":\"computed\",\"at\":{\"path\":\"Base.isa\"},"
                        + "\"reason\":\"set by the Objective-C runtime\"},"
                        + "\"H.x\":{\"status\":\"found\",\"offset\":8,\"size\":8,\"type\":\"id\"}}");
    }

    /** GCC writes the superclass as a member without a name; the first variable is in its padding. */
    @Test
    void superclassWithoutANameKeepsItsPlace() throws Exception {
        assertThat(answer(fixture("ivars-gcc.o"), View.FLAT, "Derived.isa,Derived.b,Derived.d,Derived.o"))
                .isEqualTo("{\"Derived.isa\":[0,8],\"Derived.b\":[8,4],\"Derived.d\":[14,2],\"Derived.o\":[24,8]}");
    }

    @Test
    void typeOfAModuleNamesItsFileAndTheOthersAreAnswered() throws Exception {
        assertThat(answer(fixture("modules.o"), View.FLAT, "Holder.z,Box<int>.n"))
                .isEqualTo("{\"Holder.z\":[40,4],\"Box<int>.n\":[4,4]}");
        assertThat(answer(fixture("modules.o"), View.FLAT, "Foo"))
                .contains("\"status\":\"declaration_only\"", "FooMod-", ".pcm");
    }

    @Test
    void templateAliasIsFollowed() throws Exception {
        assertThat(answer(fixture("alias.o"), View.FLAT, "Holder.m,Holder.m.l,Holder.p.l,Al<int>.l"))
                .isEqualTo("{\"Holder.m\":[8,24],\"Holder.m.l\":[24,8],\"Holder.p.l\":[40,8],\"Al<int>.l\":[16,8]}");
    }

    @Test
    void arrayThatLlvmMakesABitFieldOfIsAMember() throws Exception {
        assertThat(answer(fixture("location"), View.FLAT, "LibC::Pa.__size,LibC::Ok.b"))
                .isEqualTo("{\"LibC::Pa.__size\":[0,56],\"LibC::Ok.b\":[8,8]}");
    }

    @Test
    void discriminantOfMoreThan64BitsIsAString() throws Exception {
        assertThat(answer(fixture("big.o"), View.MEMBERS, "big::BigD"))
                .contains(
                        "\"name\":\"A\",\"discriminants\":[[0,0]]",
                        "\"name\":\"B\",\"discriminants\":[[\"0x10000000000000000\",\"0x10000000000000000\"]]",
                        "\"name\":\"N\",\"discriminants\":[[-5,-5]]");
        assertThat(answer(fixture("big.o"), View.MEMBERS, "\"core::option::Option<big::Big>\""))
                .contains(
                        "\"name\":\"None\",\"discriminants\":[[\"0x1000000d7ab36907c\",\"0x1000000d7ab36907c\"]]",
                        "\"name\":\"Some\",\"discriminants\":[]");
    }

    /** gfortran 12 writes the types of the second module beside it. */
    @Test
    void moduleOfFortranIsAScope() throws Exception {
        assertThat(answer(fixture("modules"), View.FLAT, "one::t.b,two::t.name,two.t.name"))
                .isEqualTo("{\"one::t.b\":[8,8],\"two::t.name\":[24,5],\"two.t.name\":[24,5]}");
        assertThat(answer(fixture("modules"), View.FLAT, "t")).contains("\"status\":\"ambiguous\"");
        assertThat(OffsetResolver.resolve(
                        OffsetExpression.parse("two::v2+24"),
                        DebugInfo.read(fixture("modules"), OPTIONS, DebugInfo::extractAll)
                                .types(),
                        null))
                .isInstanceOfSatisfying(
                        OffsetAnswer.Resolved.class,
                        resolved -> assertThat(resolved.root().contents())
                                .singleElement()
                                .extracting(ResolutionStep::name)
                                .isEqualTo("name"));
    }

    @Test
    void moduleOfDIsAScopeWithDots() throws Exception {
        Path file = written(unit(
                "i.d",
                DW_LANG_D,
                baseType("int", 4, DW_ATE_signed),
                die(
                        DW_TAG_module,
                        name("pkg.i"),
                        struct("Impl", 8, member("a", "int", 4)),
                        die(
                                DW_TAG_variable,
                                name("counter"),
                                type("int"),
                                attribute(
                                        DW_AT_location, DW_FORM_exprloc, blob(DW_OP_addr, 0, 0x10, 0, 0, 0, 0, 0, 0)))),
                die(
                        DW_TAG_module,
                        name("j"),
                        die(DW_TAG_structure_type, name("Impl"), byteSize(4), member("a", "int", 0)),
                        struct("Only", 4))));

        assertThat(answer(file, View.FLAT, "pkg.i.Impl.a,pkg.i::Impl.a,pkg::i::Impl.a,\"pkg.i.Impl\".a,j.Impl.a,Only"))
                .isEqualTo("{\"pkg.i.Impl.a\":[4,4],\"pkg.i::Impl.a\":[4,4],\"pkg::i::Impl.a\":[4,4],"
                        + "\"\\\"pkg.i.Impl\\\".a\":[4,4],\"j.Impl.a\":[0,4],\"Only\":[0,4]}");
        assertThat(answer(file, View.FLAT, "Impl.a")).contains("\"status\":\"ambiguous\"");
        TypeCatalogue types =
                DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types();
        for (String counter : List.of("pkg.i.counter", "pkg::i::counter", "pkg.i::counter", "counter")) {
            assertThat(json(List.of(ItemParser.parse(counter)), types, View.FLAT))
                    .as(counter)
                    .contains("\"address\":\"0x1000\"", "\"type\":\"int\"");
        }
    }

    @Test
    void modulesOfDByLlvmAreScopes() throws Exception {
        assertThat(answer(
                        fixture("scopes.o"),
                        View.FLAT,
                        "corpus.inner.Impl.b,corpus.scopes.Impl.s,Nested.l,corpus.scopes.Packed.l,Packed.l"))
                .isEqualTo("{\"corpus.inner.Impl.b\":[8,8],\"corpus.scopes.Impl.s\":[16,16],\"Nested.l\":[8,8],"
                        + "\"corpus.scopes.Packed.l\":[1,8],\"Packed.l\":[1,8]}");
        assertThat(answer(fixture("scopes.o"), View.FLAT, "Impl.b")).contains("\"status\":\"ambiguous\"");
    }

    /** {@code clang -gmodules} tells the module of a header. */
    @Test
    void moduleOfCppIsNoScope() throws Exception {
        Path file = written(unit(
                "m.cc",
                DW_LANG_C_plus_plus_14,
                baseType("int", 4, DW_ATE_signed),
                die(
                        DW_TAG_module,
                        name("Foo"),
                        die(DW_TAG_namespace, name("ns"), struct("T", 8, member("a", "int", 4))))));

        assertThat(answer(file, View.FLAT, "ns::T.a")).isEqualTo("{\"ns::T.a\":[4,4]}");
    }

    @Test
    void tagThatCNestsInAStructIsFoundByItsName() throws Exception {
        assertThat(answer(fixture("nested.o"), View.FLAT, "B.y,A.b.y")).isEqualTo("{\"B.y\":[8,8],\"A.b.y\":[8,8]}");
    }

    /** A relocatable file of a big-endian machine, with constants as the places of members. */
    @Test
    void nestedTagsOfAKernelModuleAreFoundByTheirNames() throws Exception {
        assertThat(answer(
                        fixture("kernel_module.ko"),
                        View.FLAT,
                        "task_struct.prio[1],task_struct.fs.position,linux_binfmt.load_binary,hlist_node.pprev,"
                                + "exit_queue.work[1].func,module.waiter"))
                .isEqualTo("{\"task_struct.prio[1]\":[14,2],\"task_struct.fs.position\":[40,8],"
                        + "\"linux_binfmt.load_binary\":[8,4],\"hlist_node.pprev\":[4,4],"
                        + "\"exit_queue.work[1].func\":[44,4],\"module.waiter\":[100,4]}");
    }

    /** C has no nested scopes, so both have the same name. */
    @Test
    void tagsThatCNestsInOneUnitAndNotInAnotherAreAmbiguous() throws Exception {
        Path file = written(
                unit(
                        "a.c",
                        DW_LANG_C89,
                        baseType("int", 4, DW_ATE_signed),
                        struct("outer", 8, struct("tag", 8, member("deep", "int", 4)), member("held", "tag", 0))),
                unit(
                        "b.c",
                        DW_LANG_C89,
                        baseType("other int", 4, DW_ATE_signed),
                        die(DW_TAG_structure_type, name("tag"), byteSize(4))));

        assertThat(answer(file, View.FLAT, "tag")).startsWith("{\"tag\":{\"status\":\"ambiguous\"");
    }

    @Test
    void tagsThatCNestsInUnnamedStructsAndEnumerationsAreFound() throws Exception {
        Path file = written(
                unit(
                        "a.c",
                        DW_LANG_C89,
                        baseType("int", 4, DW_ATE_signed),
                        die(
                                DW_TAG_structure_type,
                                label("unnamed"),
                                byteSize(8),
                                struct(
                                        "inner",
                                        8,
                                        struct("innermost", 4, member("i", "int", 0)),
                                        member("m", "innermost", 4)),
                                member("inner", "inner", 0)),
                        typedef("outer_t", "unnamed"),
                        struct(
                                "holder",
                                4,
                                die(
                                        DW_TAG_enumeration_type,
                                        name("nested_enum"),
                                        byteSize(4),
                                        die(
                                                DW_TAG_enumerator,
                                                name("DEAD"),
                                                attribute(DW_AT_const_value, DW_FORM_data1, 64))),
                                member("i", "int", 0))),
                unit(
                        "b.c",
                        DW_LANG_C89,
                        baseType("long", 4, DW_ATE_signed),
                        die(
                                DW_TAG_structure_type,
                                name("inner"),
                                byteSize(8),
                                die(
                                        DW_TAG_structure_type,
                                        label("other"),
                                        name("innermost"),
                                        byteSize(4),
                                        member("i", "long", 0)),
                                member("m", "other", 4))));

        assertThat(answer(file, View.FLAT, "inner.m,innermost.i,outer_t.inner.m,enumerator DEAD"))
                .startsWith("{\"inner.m\":[4,4],\"innermost.i\":[0,4],\"outer_t.inner.m\":[4,4],")
                .contains("\"value\":64");
    }

    @Test
    void exactNameWinsOverNestedOnes() throws Exception {
        assertThat(answer(fixture("before.o"), View.FLAT, "Node.b,\"Node\".b,struct Node.b,::Node.b,ns::Node.c"))
                .isEqualTo("{\"Node.b\":[8,4],\"\\\"Node\\\".b\":[8,4],\"struct Node.b\":[8,4],\"::Node.b\":[8,4],"
                        + "\"ns::Node.c\":[0,1]}");
    }

    /** OpenJDK's libjvm.so has 15 of these: a class, a namespace or a function has another type of the name. */
    @Test
    void typeAtFileScopeWinsOverThoseOfClassesAndFunctions() throws Exception {
        Path file = written(unit(
                "a.cc",
                DW_LANG_C_plus_plus_14,
                baseType("int", 4, DW_ATE_signed),
                struct("Arena", 16, chunk("of a class", 0), member("a", "of a class", 8)),
                die(DW_TAG_namespace, name("ns"), chunk("of a namespace", 8)),
                die(DW_TAG_subprogram, name("f"), chunk("of a function", 12)),
                chunk("global", 4),
                struct("Holder", 8, chunk("of another class", 16))));

        assertThat(answer(file, View.FLAT, "Chunk.m,struct Chunk.m,::Chunk.m,Arena::Chunk.m,ns::Chunk.m,Arena.a.m"))
                .isEqualTo("{\"Chunk.m\":[4,4],\"struct Chunk.m\":[4,4],\"::Chunk.m\":[4,4],"
                        + "\"Arena::Chunk.m\":[0,4],\"ns::Chunk.m\":[8,4],\"Arena.a.m\":[8,4]}");
    }

    private static Die chunk(String label, int offset) {
        return die(DW_TAG_structure_type, label(label), name("Chunk"), byteSize(20), member("m", "int", offset));
    }

    @Test
    void differencesAreThoseOfQualifiedNames() throws Exception {
        TypeCatalogue before = DebugInfo.read(fixture("before.o"), OPTIONS, DebugInfo::extractAll)
                .types();
        TypeCatalogue after = DebugInfo.read(fixture("after.o"), OPTIONS, DebugInfo::extractAll)
                .types();
        Set<String> names = Stream.concat(before.definitions().stream(), after.definitions().stream())
                .map(definition -> definition.qualifiedName())
                .collect(Collectors.toSet());

        assertThat(DiffText.lines(LayoutDiff.ofNames(names, before, after, null)))
                .containsExactly(
                        "~ Node: struct, 16 -> 24 bytes",
                        "  ~ b: offset 8 -> 16",
                        "  + inserted: offset 8, 8 bytes, long int");
    }

    @Test
    void functionIsWhereItsDescriptorLeads() throws Exception {
        StoredSymbols stored = StoredSymbols.of(
                SymbolTable.of(DebugInfo.read(fixture("descriptors"), OPTIONS, DebugInfo::symbolTables)));

        List<SymbolAt> at = stored.at(0x10000148L, 10, SearchBudget.unlimited()).first();
        assertThat(at).singleElement().satisfies(found -> {
            assertThat(found.offset()).isZero();
            assertThat(found.symbol().name()).isEqualTo("g1");
        });
        Symbol symbol = at.getFirst().symbol();
        assertThat(symbol.value()).isEqualTo(0x10000148L);
        assertThat(symbol.size()).isEqualTo(96);
        assertThat(symbol.descriptor()).isEqualTo(0x1001ffb8L);
        assertThat(symbol.section().name()).isEqualTo(".text");
        List<Symbol> named = new ArrayList<>(stored.find(SymbolPattern.of("g1"), false, 10, SearchBudget.unlimited())
                .first());
        assertThat(named).containsExactly(symbol);
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonMapper.shared().createGenerator(text)) {
            SymbolWriter.write(json, symbol, null);
        }
        assertThat(text.toString()).contains("\"value\":\"0x10000148\",\"descriptor\":\"0x1001ffb8\",\"size\":96");
    }

    @Test
    void descriptorsOfARelocatableFileLeadToCodeByTheirRelocations() throws Exception {
        SymbolTable table = SymbolTable.of(DebugInfo.read(fixture("descriptors.o"), OPTIONS, DebugInfo::symbolTables));

        assertThat(table.symbols())
                .filteredOn(symbol -> Set.of("st", "g1", "wk").contains(symbol.name()))
                .extracting(
                        Symbol::name, Symbol::value, symbol -> symbol.section().name(), Symbol::isDescriptorOnly)
                .containsExactly(
                        tuple("st", 0L, ".text", false),
                        tuple("g1", 0x28L, ".text", false),
                        tuple("wk", 0x90L, ".text", false));
    }

    /** The debug file has the size of the descriptors only. */
    @Test
    void functionsOfADebugFileAreWhereTheDescriptorsOfTheProgramLead() throws Exception {
        Path program = fixture("descriptors");
        Path debugFile = folder.resolve("descriptors.debug");
        Files.write(debugFile, withoutDescriptors(Files.readAllBytes(program)));

        SymbolReport alone = DebugInfo.read(debugFile, OPTIONS, DebugInfo::symbolTables);
        Symbol unknown = named("g1", alone);
        assertThat(unknown.isDescriptorOnly()).isTrue();
        assertThat(unknown.isPlace()).isFalse();
        Symbol known = named("g1", DebugInfo.read(program, OPTIONS, info -> info.withCode(alone)));
        assertThat(known.value()).isEqualTo(0x10000148L);
        assertThat(known.descriptor()).isEqualTo(0x1001ffb8L);
        assertThat(known.section().name()).isEqualTo(".text");
    }

    private static Symbol named(String name, SymbolReport report) {
        return SymbolTable.of(report).symbols().stream()
                .filter(symbol -> symbol.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Makes a NOBITS section of {@code .opd}, as {@code objcopy --only-keep-debug} does. */
    private static byte[] withoutDescriptors(byte[] file) {
        ByteBuffer elf = ByteBuffer.wrap(file);
        int headers = (int) elf.getLong(0x28);
        int count = elf.getShort(0x3c);
        for (int i = 0; i < count; i++) {
            int header = headers + 64 * i;
            long start = elf.getLong(header + 16);
            if (Long.compareUnsigned(0x1001ffb8L - start, elf.getLong(header + 32)) < 0) {
                elf.putInt(header + 4, 8);
            }
        }
        return file;
    }

    /** The file has a member whose type leads nowhere, and a struct whose members are unreadable. */
    @Test
    void damagedTypesSayWhatIsWrong() throws Exception {
        DwarfSections sections = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        struct(
                                "s",
                                16,
                                member("a", "int", 0),
                                die(
                                        DW_TAG_member,
                                        name("lost"),
                                        attribute(DW_AT_type, DW_FORM_ref4, 0xffff),
                                        memberLocation(8))),
                        struct("broken", 8, die(DW_TAG_member, label("x"), name("x"), memberLocation(4)))));
        Path file = sections.patched(".debug_info", sections.offsetOf("x"), 0x7f, 1)
                .writeTo(folder.resolve("damaged.debug"));

        TypeCatalogue types =
                DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types();
        String answers = json(ItemParser.parseList(List.of("s.lost,broken.x,s.b")), types, View.FIELDS);

        assertThat(answers)
                .contains("\"offset\":8,\"type\":\"?\",\"typeReason\":\"the reference to it leads nowhere\"")
                .containsPattern(
                        "\"broken.x\":\\{\"status\":\"declaration_only\",\"detail\":\"[^\"]*unknown abbreviation code 127")
                .contains("\"incomplete\":true");
    }
}
