package dev.offsetd.query.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.export.Omissions.Omission;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** ISF of a compiled program, with gdb and readelf as the judges, and the rules of volatility3's schema 6.2.0. */
class IsfRendererIntegrationTests {

    private static final String SOURCE = """
            typedef unsigned char u8;
            struct list_head { struct list_head *next, *prev; };
            enum color { RED, GREEN = 5 };
            enum sign { MINUS = -1, PLUS = 1 };
            typedef struct { int counter; } atomic_t;
            typedef struct raw { unsigned slock; } raw_t;
            struct undefined;
            struct task_struct {
                struct list_head tasks;
                volatile long state;
                unsigned early:1, mode:3;
                u8 late:2;
                union { int first; struct { short low, high; }; };
                char comm[16];
                int matrix[2][3];
                atomic_t usage;
                raw_t lock;
                const struct undefined *secret;
                int (*call)(struct task_struct *, int);
                enum color color;
                _Bool done;
                double load;
                struct { int x; } inner;
                u8 tail[];
            };
            struct task_struct init_task;
            enum sign direction;
            static atomic_t counters[4];
            const char linux_banner[] = "Linux version 6.1.0-13-amd64 (d) (gcc) #1 SMP\\n";
            __attribute__((section(".init.text"))) int main(void)
            {
                static enum sign last[2];
                { static short last = 1; direction += last++; }
                return init_task.done + linux_banner[0] + counters[1].counter + direction + last[direction];
            }
            """;

    private static final Map<String, Set<String>> DESCRIPTORS = Map.of(
            "base", Set.of("kind", "name"),
            "struct", Set.of("kind", "name"),
            "union", Set.of("kind", "name"),
            "class", Set.of("kind", "name"),
            "enum", Set.of("kind", "name"),
            "function", Set.of("kind"),
            "pointer", Set.of("kind", "subtype"),
            "array", Set.of("kind", "count", "subtype"),
            "bitfield", Set.of("kind", "bit_position", "bit_length", "type"));

    @TempDir
    private static Path folder;

    private static Path program;
    private static byte[] bytes;
    private static JsonNode isf;

    @BeforeAll
    static void render() throws Exception {
        Path source = Files.writeString(folder.resolve("kernel.c"), SOURCE);
        program = folder.resolve("vmlinux");
        RequiredTool.require("gcc").output("-g", "-O0", "-no-pie", source, "-o", program);
        bytes = isf(program, false, "");
        isf = tree(bytes);
    }

    /** No name may occur twice in an object. */
    private static JsonNode tree(byte[] json) {
        return JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build()
                .readTree(json);
    }

    private static byte[] isf(Path file, boolean stored, String items, Omission... omitted) throws Exception {
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 2);
        ExtractionReport report = DebugInfo.read(file, options, DebugInfo::extractAll);
        TypeIndex types = stored ? StoredCatalogue.of(CatalogueWriter.encode(report.types())) : report.types();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        IsfRenderer renderer = new IsfRenderer(
                new IsfRenderer.ExportedBuild(
                        report.elf().buildId(),
                        report.elf().architecture(),
                        PartVersions.TYPES,
                        report.identity()
                                .first(IdentityField.Kind.KERNEL_BANNER)
                                .orElse(null)),
                StoredSymbols.of(SymbolTable.of(DebugInfo.read(file, options, DebugInfo::symbolTables))));
        ExportedTypes selected = items.isEmpty()
                ? ExportedTypes.whole(types, NameStyle.SPELLED)
                : renderer.select(ItemParser.parseList(List.of(items)), types, NameStyle.SPELLED);
        assertThat(renderer.render(selected, out).listed()).containsExactly(omitted);
        return out.toByteArray();
    }

    private static String gdb(String expression) throws IOException {
        String answer = RequiredTool.require("gdb").output("-batch", "-nx", "-ex", "print " + expression, program);
        return answer.strip().replaceFirst("(?s).*= ", "");
    }

    private static JsonNode field(String type, String name) {
        return isf.at("/user_types/" + type + "/fields/" + name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tasks", "state", "comm", "matrix", "usage", "lock", "secret", "call", "color", "done", "load", "inner",
                "tail"
            })
    void offsetIsThatOfGdb(String name) throws IOException {
        assertThat(field("task_struct", name).path("offset").asString())
                .isEqualTo(gdb("(long) &((struct task_struct *) 0)->" + name));
    }

    @Test
    void sizesAreThoseOfGdb() throws IOException {
        for (String type : List.of("task_struct", "list_head", "raw")) {
            assertThat(isf.at("/user_types/" + type + "/size").asString())
                    .isEqualTo(gdb("sizeof(struct " + type + ")"));
        }
        for (String type : List.of("atomic_t", "raw_t")) {
            assertThat(isf.at("/user_types/" + type + "/size").asString()).isEqualTo(gdb("sizeof(" + type + ")"));
        }
    }

    @Test
    void bitFieldsAreWhereGdbPutsThem() throws IOException {
        // "40: 1" is byte and bit; gdb shows both in front of a bit-field.
        String shown =
                RequiredTool.require("gdb").output("-batch", "-nx", "-ex", "ptype /o struct task_struct", program);
        for (String name : List.of("early", "mode", "late")) {
            JsonNode type = field("task_struct", name).path("type");
            String place = "(?s).*%s: *%s .*:%s[;\\s].*"
                    .formatted(
                            field("task_struct", name).path("offset").asString(),
                            type.path("bit_position").asString(),
                            type.path("bit_length").asString());
            String line = shown.lines()
                    .filter(each -> each.contains(" " + name + " :"))
                    .findFirst()
                    .orElseThrow();
            assertThat(line.replace(" : ", ":") + " ").as(name).matches(place);
        }
        assertThat(field("task_struct", "late").at("/type/type"))
                .isEqualTo(json("{'kind':'base','name':'unsigned char'}"));
    }

    @Test
    void typesAreResolvedAsDwarf2jsonResolvesThem() {
        Map<String, String> expected = Map.of(
                "comm", "{'kind':'array','count':16,'subtype':{'kind':'base','name':'char'}}",
                "matrix",
                        "{'kind':'array','count':2,'subtype':{'kind':'array','count':3,'subtype':{'kind':'base','name':'int'}}}",
                "tail", "{'kind':'array','count':0,'subtype':{'kind':'base','name':'unsigned char'}}",
                "usage", "{'kind':'struct','name':'atomic_t'}",
                "lock", "{'kind':'struct','name':'raw_t'}",
                "secret", "{'kind':'pointer','subtype':{'kind':'struct','name':'undefined'}}",
                "call", "{'kind':'pointer','subtype':{'kind':'function'}}",
                "color", "{'kind':'enum','name':'color'}",
                "state", "{'kind':'base','name':'long int'}");
        expected.forEach((name, type) ->
                assertThat(field("task_struct", name).path("type")).as(name).isEqualTo(json(type)));
        JsonNode union = field("task_struct", "unnamed_field_0");
        assertThat(union.path("anonymous").asBoolean()).isTrue();
        String unnamed = union.at("/type/name").asString();
        assertThat(unnamed).matches("unnamed_[0-9a-f]{16}");
        assertThat(field(unnamed, "first").path("offset").asInt()).isZero();
        assertThat(isf.at("/enums/color/constants")).isEqualTo(json("{'RED':0,'GREEN':5}"));
        assertThat(isf.at("/enums/color/base").asString()).isEqualTo("unsigned int");
        assertThat(isf.at("/enums/sign/constants/MINUS").asInt()).isEqualTo(-1);
        assertThat(isf.at("/base_types/_Bool/kind").asString()).isEqualTo("bool");
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text.replace('\'', '"'));
    }

    @Test
    void symbolsAreThoseOfReadelf() throws IOException {
        Map<String, String> expected = new HashMap<>();
        for (String line :
                RequiredTool.require("readelf").output("-sW", program).split("\n", -1)) {
            List<String> columns = Arrays.asList(line.strip().split(" +"));
            if (columns.size() == 8
                    && columns.get(0).matches("[0-9]+:")
                    && !Set.of("FILE", "SECTION").contains(columns.get(3))
                    && !columns.get(6).equals("UND")) {
                expected.put(
                        columns.get(7).replaceFirst("@.*", ""),
                        Long.toUnsignedString(Long.parseUnsignedLong(columns.get(1), 16)));
            }
        }
        Map<String, String> found = new HashMap<>();
        isf.path("symbols")
                .properties()
                .forEach(symbol -> found.put(
                        symbol.getKey(), symbol.getValue().path("address").asString()));
        assertThat(found).isEqualTo(expected);
        assertThat(isf.at("/symbols/init_task/type")).isEqualTo(json("{'kind':'struct','name':'task_struct'}"));
        assertThat(isf.at("/symbols/counters/type"))
                .isEqualTo(json("{'kind':'array','count':4,'subtype':{'kind':'struct','name':'atomic_t'}}"));
        assertThat(isf.at("/symbols/main/type")).isEqualTo(json("{'kind':'base','name':'void'}"));
    }

    /** GCC numbers the static variables of functions. */
    @Test
    void symbolsWithAnotherNameThanTheirVariableHaveItsType() {
        List<String> types = isf.path("symbols").properties().stream()
                .filter(symbol -> symbol.getKey().startsWith("last."))
                .map(symbol -> symbol.getValue().path("type").toString())
                .toList();
        assertThat(types)
                .containsExactlyInAnyOrder(
                        json("{'kind':'array','count':2,'subtype':{'kind':'enum','name':'sign'}}")
                                .toString(),
                        json("{'kind':'base','name':'short int'}").toString());
    }

    @Test
    void bannerHasTheBytesOfTheVariable() {
        byte[] banner = Base64.getDecoder()
                .decode(isf.at("/symbols/linux_banner/constant_data").asString());
        assertThat(new String(banner, StandardCharsets.US_ASCII))
                .isEqualTo("Linux version 6.1.0-13-amd64 (d) (gcc) #1 SMP\n\0");
        assertThat(isf.at("/symbols/linux_banner/type/count").asInt()).isEqualTo(banner.length);
    }

    @Test
    void storedTypesGiveTheSameBytes() throws Exception {
        assertThat(isf(program, true, "")).isEqualTo(bytes);
    }

    @Test
    void exportOfItemsHasTheirTypesAndSymbolsAndWhatVolatilityRequires() throws Exception {
        String items = "raw_t,enumerator GREEN,symbol count*,symbol nothing";
        Omission omission = new Omission("symbol nothing", OmissionReason.NOT_FOUND);
        byte[] some = isf(program, false, items, omission);
        JsonNode parts = tree(some);
        assertThat(names(parts.path("symbols"))).isEqualTo(Set.of("counters", "init_task", "linux_banner"));
        assertThat(parts.at("/symbols/counters")).isEqualTo(isf.at("/symbols/counters"));
        assertThat(parts.at("/symbols/linux_banner")).isEqualTo(isf.at("/symbols/linux_banner"));
        // The required task_struct holds all types but that of "direction".
        assertThat(parts.path("user_types")).isEqualTo(isf.path("user_types"));
        assertThat(names(parts.path("enums"))).isEqualTo(Set.of("color"));
        assertThat(isf(program, true, items, omission)).isEqualTo(some);
    }

    @Test
    void membersAreThoseOfTheSchema() {
        assertThat(names(isf)).isEqualTo(Set.of("metadata", "symbols", "user_types", "enums", "base_types"));
        assertThat(isf.at("/metadata/format").asString()).isEqualTo("6.2.0");
        assertThat(names(isf.path("metadata"))).isEqualTo(Set.of("linux", "producer", "format"));
        isf.path("base_types").forEach(base -> {
            assertThat(names(base)).isEqualTo(Set.of("size", "signed", "kind", "endian"));
            assertThat(base.path("kind").asString()).isIn("void", "int", "float", "char", "bool");
        });
        isf.path("enums")
                .forEach(enumeration -> assertThat(names(enumeration)).isEqualTo(Set.of("size", "base", "constants")));
        List<JsonNode> types = new ArrayList<>();
        isf.path("user_types").forEach(type -> {
            assertThat(names(type)).isEqualTo(Set.of("kind", "size", "fields"));
            type.path("fields").forEach(field -> {
                assertThat(Set.of("type", "offset", "anonymous")).containsAll(names(field));
                types.add(field.path("type"));
            });
        });
        isf.path("symbols").forEach(symbol -> {
            assertThat(Set.of("address", "type", "constant_data")).containsAll(names(symbol));
            types.add(symbol.path("type"));
        });
        types.forEach(IsfRendererIntegrationTests::requireDefined);
    }

    private static Set<String> names(JsonNode node) {
        return Set.copyOf(node.propertyNames());
    }

    private static void requireDefined(JsonNode type) {
        String kind = type.path("kind").asString();
        String name = type.path("name").asString("");
        assertThat(names(type)).isEqualTo(DESCRIPTORS.get(kind));
        switch (kind) {
            case "base" -> assertThat(isf.path("base_types").has(name)).as(name).isTrue();
            case "enum" -> assertThat(isf.path("enums").has(name)).as(name).isTrue();
            case "struct", "union" ->
                assertThat(isf.path("user_types").has(name) || name.equals("undefined"))
                        .as(name)
                        .isTrue();
            case "pointer", "array" -> requireDefined(type.path("subtype"));
            case "bitfield" -> assertThat(type.at("/type/kind").asString()).isIn("base", "enum");
            default -> assertThat(kind).isEqualTo("function");
        }
    }
}
