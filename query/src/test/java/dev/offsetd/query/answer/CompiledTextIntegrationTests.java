package dev.offsetd.query.answer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.Placement;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text is C: a compiler reads it, and gives each type the layout that it was written from. */
class CompiledTextIntegrationTests {

    private static final Pattern WORD = Pattern.compile("[A-Za-z_][A-Za-z_0-9]*");

    private static final Pattern TAG = Pattern.compile("(struct|union|enum) [A-Za-z_0-9]+");

    @TempDir
    Path folder;

    /** C source of the types of a build, each behind those that it needs. */
    private static final class Source {

        private final TypeCatalogue types;
        private final Map<String, Boolean> written = new HashMap<>();
        private final Set<String> enumerators = new HashSet<>();
        final List<String> lines = new ArrayList<>(List.of("#define complex _Complex"));
        int layouts;
        int members;

        /** Types that C declares with attributes ({@code packed}, {@code aligned}), which debug information does not have. */
        int attributed;

        Source(TypeCatalogue types) {
            this.types = types;
            for (Definition definition : types.definitions()) {
                if (definition.language().family() == Language.Family.C
                        && !definition.name().isEmpty()
                        && definition.kind() != TypeKind.BASE
                        && definition.function() == null
                        && !definition.isDeclaration()) {
                    write(definition.kind().word() + " " + definition.name());
                }
            }
        }

        /** Whether the type is there, now or before. */
        private boolean write(String item) {
            Boolean known = written.get(item);
            if (known != null) {
                return known;
            }
            written.put(item, true);
            boolean complete = writeNew(item);
            written.put(item, complete);
            return complete;
        }

        private boolean writeNew(String item) {
            ItemAnswer answer = ItemResolver.resolve(ItemParser.parse(item), types, null);
            if (!(answer.outcome() instanceof ItemOutcome.TypeFound found)) {
                return false;
            }
            Definition definition = found.definition();
            TypeShape shape = definition.shape();
            boolean typedef = definition.kind() == TypeKind.TYPEDEF;
            if (typedef && definition.name().startsWith("__builtin_")) {
                return true;
            }
            if (shape.peeled() instanceof EnumShape enumeration && !writesEnumerators(shape, enumeration)) {
                return false;
            }
            boolean tagOnly = typedef && isTagged(shape.peeled());
            if (!tagOnly && !writeHeld(shape instanceof AliasShape alias ? alias.target() : shape)) {
                return false;
            }
            String text = tagOnly
                    ? "typedef " + ((AliasShape) shape).target().spelling() + " " + definition.name() + ";"
                    : String.join("\n", LayoutText.lines(List.of(answer), 0));
            Set<String> mentioned = new HashSet<>();
            mention(shape instanceof AliasShape alias ? alias.target() : shape, tagOnly, mentioned);
            for (String name : mentioned) {
                boolean isTypedef = types.definitionsNamed(name).stream()
                        .anyMatch(other -> other.kind() == TypeKind.TYPEDEF && other.function() == null);
                if (isTypedef && !name.equals(definition.name()) && !write("typedef " + name)) {
                    return false;
                }
            }
            // C has no name for what a pointer to an unnamed type points to, and before C23 no flexible array in a
            // union.
            lines.add(text.replace("{...}", "unnamed_pointee").replace("[]", "[0]"));
            String spelling = typedef ? definition.name() : item;
            if (!tagOnly && shape.byteSize() >= 0 && shape.peeled() instanceof AggregateShape) {
                if (!isNatural(shape)) {
                    attributed++;
                    return true;
                }
                check("sizeof(" + spelling + ") == " + shape.byteSize());
                found.fields().forEach((name, placements) -> {
                    if (placements.size() == 1
                            && placements.getFirst() instanceof Placement.Fixed place
                            && !place.isBitField()) {
                        check("__builtin_offsetof(%s, %s) == %d".formatted(spelling, name, place.offset()));
                        members++;
                    }
                });
                layouts++;
            }
            return true;
        }

        /** Whether members follow each other as the ABI of x86-64 lays them out without attributes. */
        private static boolean isNatural(TypeShape type) {
            TypeShape shape = elementOf(type);
            if (!(shape instanceof AggregateShape aggregate)) {
                return true;
            }
            boolean bitFields = aggregate.members().stream().anyMatch(Member::isBitField);
            long end = 0;
            for (Member member : aggregate.members()) {
                long offset = member.location() instanceof MemberLocation.Fixed fixed ? fixed.bitOffset() / 8 : 0;
                long start = aggregate.kind() == TypeKind.UNION ? 0 : roundedUp(end, alignment(member.type()));
                if (!isNatural(member.type()) || (!bitFields && offset != start)) {
                    return false;
                }
                end = Math.max(end, offset + Math.max(member.type().byteSize(), 0));
            }
            return aggregate.alignment() == 0
                    && (bitFields || aggregate.byteSize() == roundedUp(end, alignment(aggregate)));
        }

        private static TypeShape elementOf(TypeShape type) {
            TypeShape shape = type.peeled();
            while (shape instanceof ArrayShape array) {
                shape = array.element().peeled();
            }
            return shape;
        }

        private static long alignment(TypeShape type) {
            TypeShape shape = elementOf(type);
            return shape instanceof AggregateShape aggregate
                    ? aggregate.members().stream()
                            .mapToLong(member -> alignment(member.type()))
                            .max()
                            .orElse(1)
                    : Math.clamp(shape.byteSize(), 1, 16);
        }

        private static long roundedUp(long offset, long alignment) {
            return (offset + alignment - 1) / alignment * alignment;
        }

        private static boolean isTagged(TypeShape shape) {
            return switch (shape) {
                case AggregateShape aggregate -> aggregate.name() != null;
                case EnumShape enumeration -> enumeration.name() != null;
                default -> false;
            };
        }

        /** Adds the words of how C spells the parts of a type, tags left out. */
        private static void mention(TypeShape shape, boolean byName, Set<String> words) {
            if (!byName && elementOf(shape) instanceof AggregateShape aggregate) {
                aggregate
                        .members()
                        .forEach(member -> mention(member.type(), isTagged(elementOf(member.type())), words));
            }
            Matcher word = WORD.matcher(TAG.matcher(shape.spelling()).replaceAll(""));
            while (word.find()) {
                words.add(word.group());
            }
        }

        private void check(String what) {
            lines.add("_Static_assert(" + what + ", \"" + what + "\");");
        }

        /** Local enumerations may use the names of others. */
        private boolean writesEnumerators(TypeShape shape, EnumShape enumeration) {
            if (shape instanceof AliasShape && enumeration.name() != null) {
                return write("enum " + enumeration.name());
            }
            List<String> names =
                    enumeration.enumerators().stream().map(Enumerator::name).toList();
            if (names.stream().anyMatch(enumerators::contains)) {
                return false;
            }
            return enumerators.addAll(names);
        }

        /** Writes what a type holds by value. */
        private boolean writeHeld(TypeShape shape) {
            return switch (shape) {
                case AggregateShape aggregate -> aggregate.members().stream().allMatch(this::writeMember);
                case ArrayShape array -> writeValue(array.element());
                case AliasShape alias -> writeValue(alias);
                default -> true;
            };
        }

        private boolean writeMember(Member member) {
            return writeValue(member.type());
        }

        private boolean writeValue(TypeShape shape) {
            return switch (shape) {
                case AggregateShape aggregate ->
                    aggregate.name() == null
                            ? writeHeld(aggregate)
                            : write(aggregate.kind().word() + " " + aggregate.name());
                case EnumShape enumeration -> enumeration.name() != null && write("enum " + enumeration.name());
                case ArrayShape array -> writeValue(array.element());
                case AliasShape alias -> writeValue(alias.target()) && writeTypedef(alias);
                default -> true;
            };
        }

        private boolean writeTypedef(AliasShape alias) {
            boolean named = WORD.matcher(alias.spelling()).matches();
            return !named || write("typedef " + alias.spelling());
        }
    }

    private Source compiled(Path file) throws IOException, ExtractionException {
        Source source = new Source(DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 2), DebugInfo::extractAll)
                .types());
        Path text = Files.write(folder.resolve(file.getFileName() + ".c"), source.lines);
        RequiredTool.require("gcc").output("-std=gnu11", "-w", "-fsyntax-only", text);
        return source;
    }

    @ParameterizedTest
    @ValueSource(strings = {"gcc", "clang"})
    void everyDeclaratorIsWrittenAsCReadsIt(String compiler)
            throws IOException, ExtractionException, URISyntaxException {
        Path source = Path.of(Objects.requireNonNull(getClass().getResource("/corpus/declarators.c"))
                .toURI());
        Path library = folder.resolve("declarators.so");
        RequiredTool.require(compiler).output("-g", "-shared", "-fPIC", source, "-o", library);

        Source text = compiled(library);

        assertThat(text.layouts).isEqualTo(5);
        assertThat(text.members).isEqualTo(33);
        assertThat(text.attributed).isZero();
        assertThat(text.lines)
                .anyMatch(lines -> lines.contains("(*(*xDlSym)(struct opaque *, void *, const char *))(void);"));
    }

    @Test
    void typesOfTheCLibraryCompileToTheSameLayouts() throws IOException, ExtractionException {
        int layouts = 0;
        int attributed = 0;
        for (Path file : DebianPackages.debugFiles("libc6-dbg", "amd64")) {
            if (Files.size(file) > 1 << 19) {
                Source source = compiled(file);
                layouts += source.layouts;
                attributed += source.attributed;
            }
        }
        assertThat(layouts).isGreaterThan(300);
        assertThat(attributed).isLessThan(layouts / 20);
    }
}
