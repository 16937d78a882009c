package dev.offsetd.cli.file;

import dev.offsetd.cli.command.AnswerOptions;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Suggestions;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** {@code types FILE [PATTERN]}: prints the named types, one per line. */
public final class TypesCommand extends Command {

    private static final int KIND_COLUMN = 7;
    private static final int NUMBER_COLUMN = 10;

    private final Supplier<Path> file = parameter("FILE", Path.class, DebugFileFinder.FILE);
    private final Supplier<@Nullable String> pattern =
            optionalParameter("PATTERN", String.class, "part of the name, or a pattern of the whole name with * and ?");
    private final BooleanSupplier json = flag("-j,--json", "print JSON");
    private final Supplier<@Nullable TypeKind> kind = choice(
            "-k,--kind",
            "KIND",
            words(TypeKind.values()),
            "only this kind: struct, union, class, enum, typedef or base");
    private final Supplier<Language.@Nullable Family> language = AnswerOptions.language(this, "types");
    private final Supplier<Long> minSize =
            option("-m,--min-size", "BYTES", Long.class, 0L, "only types of at least this size");
    private final Supplier<TypeFilter.@Nullable Order> sort = choice(
            "-s,--sort", "ORDER", words(TypeFilter.Order.values()), "name (default), size or holes; the largest first");
    private final TypeReaderOptions reader = new TypeReaderOptions(this);

    public TypesCommand(Console console) {
        super(
                console,
                "List the named types of a file.",
                "Prints kind, size in bytes and qualified name; sorted by holes, also the bytes that no member uses.");
        examples(
                "offsetd types libruby.so",
                "offsetd types libruby.so 'rb_*' --kind struct --min-size 64",
                "offsetd types vmlinux --sort holes | head");
        exitCodes("0:a type matches", "1:no type matches", "3:the file is unreadable or has no debug information");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        TypeFilter.Order order = sort.get();
        TypeFilter filter = new TypeFilter(
                pattern.get(),
                kind.get(),
                language.get(),
                minSize.get(),
                order == null ? TypeFilter.Order.NAME : order);
        DebugFileFinder files = reader.filesWithoutMissingUnits(console);
        ExtractionReport report = files.extractAll(file.get());
        List<Definition> definitions = filter.apply(report.types().definitions());
        Identity identity = report.identity();
        if (json.getAsBoolean() || console.terminal().isPresent()) {
            identity = files.identity(file.get()).merge(identity);
        }
        print(report, identity, definitions, filter);
        if (definitions.isEmpty()) {
            String similar = Suggestions.sentence(
                    pattern.get() == null
                            ? List.of()
                            : new Suggestions(BuildContents.ofTypes(report.types()))
                                    .typesAndSymbolsLike(pattern.get()));
            console.say(file.get() + ": none of its "
                    + report.types().definitions().stream()
                            .filter(definition -> !definition.name().isEmpty())
                            .count()
                    + " named types matches" + (similar.isEmpty() ? "" : "; " + similar));
            return ExitCode.INCOMPLETE;
        }
        return ExitCode.OK;
    }

    private void print(ExtractionReport report, Identity identity, List<Definition> definitions, TypeFilter filter)
            throws IOException {
        boolean withHoles = filter.order() == TypeFilter.Order.HOLES;
        if (json.getAsBoolean()) {
            JsonOutput.print(console, out -> {
                out.writeStartObject();
                ElfFactsJson.writeTo(out, report);
                ElfFactsJson.writeIdentity(out, identity);
                out.writeArrayPropertyStart("types");
                definitions.forEach(definition -> writeTo(out, definition, withHoles));
                out.writeEndArray();
                out.writeEndObject();
            });
        } else {
            console.tell(DebugFileFinder.title(file.get(), identity, report.elf()));
            for (Definition definition : definitions) {
                print(definition, withHoles);
            }
        }
    }

    /** Writes part by part: the lines of a large C++ program come to a hundred megabytes. */
    private void print(Definition definition, boolean withHoles) throws IOException {
        long size = definition.shape().byteSize();
        Writer out = console.out();
        writePadded(definition.kind().word(), -KIND_COLUMN);
        out.write(' ');
        writePadded(size == TypeShape.UNKNOWN_SIZE ? "-" : Long.toString(size), NUMBER_COLUMN);
        out.write(' ');
        if (withHoles) {
            writePadded(Long.toString(TypeFilter.unusedBytes(definition)), NUMBER_COLUMN);
            out.write(' ');
        }
        console.println(Printable.of(definition.qualifiedName()));
    }

    /** @param width of the column; negative to align the text to the left */
    private void writePadded(String text, int width) throws IOException {
        String padding = " ".repeat(Math.max(0, Math.abs(width) - text.length()));
        console.out().write(width < 0 ? text + padding : padding + text);
    }

    private static void writeTo(JsonGenerator json, Definition definition, boolean withHoles) {
        json.writeStartObject();
        json.writeStringProperty("kind", definition.kind().word());
        json.writeStringProperty("qualifiedName", definition.qualifiedName());
        DefinitionJson.writeSize(json, definition.shape().byteSize());
        if (withHoles) {
            json.writeNumberProperty("unusedBytes", TypeFilter.unusedBytes(definition));
        }
        json.writeStringProperty("language", definition.language().name());
        json.writeStringProperty("unit", definition.unit());
        if (definition.function() != null) {
            json.writeStringProperty("function", definition.function());
        }
        DefinitionJson.writeIncomplete(json, definition.shape());
        json.writeEndObject();
    }
}
