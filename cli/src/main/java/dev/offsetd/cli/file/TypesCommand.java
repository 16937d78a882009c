package dev.offsetd.cli.file;

import dev.offsetd.cli.file.DebugFileFinder.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Identity;
import dev.offsetd.extractor.layout.TypeShape;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** {@code types FILE [PATTERN]}: prints the named types, one per line. */
public final class TypesCommand {

    private static final int KIND_COLUMN = 7;
    private static final int NUMBER_COLUMN = 10;

    private final OffsetExtractor extractor;
    private final DebugFileFinder files;
    private final Console console;

    public TypesCommand(OffsetExtractor extractor, DebugFileFinder files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    /**
     * Prints kind, size in bytes ({@code -} for a declaration) and qualified name; sorted by holes, the unused bytes before
     * the name.
     */
    public int run(Path file, TypeFilter filter, boolean asJson) throws CommandFailure, IOException {
        DebugFile debugFile = files.withTypes(file);
        console.progress("reading " + debugFile.path());
        ExtractionReport report = files.extract(debugFile.path(), () -> extractor.extractAll(debugFile.path()));
        List<Definition> definitions = filter.apply(report.types().definitions());
        Identity identity = report.identity();
        if (asJson || console.terminal().isPresent()) {
            identity = files.identity(file).merge(identity);
        }
        print(file, report, identity, definitions, filter, asJson);
        return ExitCode.OK;
    }

    private void print(
            Path file,
            ExtractionReport report,
            Identity identity,
            List<Definition> definitions,
            TypeFilter filter,
            boolean asJson)
            throws IOException {
        boolean withHoles = filter.order() == TypeFilter.Order.HOLES;
        console.clearProgress();
        if (asJson) {
            JsonOutput.print(console, json -> {
                json.writeStartObject();
                ElfFactsJson.writeTo(json, report);
                ElfFactsJson.writeIdentity(json, identity);
                json.writeArrayPropertyStart("types");
                definitions.forEach(definition -> writeTo(json, definition, withHoles));
                json.writeEndArray();
                json.writeEndObject();
            });
        } else {
            console.tell(DebugFileFinder.title(file, identity, report.elf()));
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
        if (definition.isDeclaration()) {
            json.writeBooleanProperty("declaration", true);
        }
        json.writeEndObject();
    }
}
