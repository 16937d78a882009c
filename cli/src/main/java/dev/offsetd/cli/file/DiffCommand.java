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
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.answer.DiffText;
import dev.offsetd.query.answer.DiffWriter;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.item.Item;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Help.Ansi.Style;
import tools.jackson.core.JsonGenerator;

/** {@code diff A B ITEMS}: compares the layouts of two builds. */
public final class DiffCommand {

    private final OffsetExtractor extractor;
    private final DebugFileFinder files;
    private final Console console;

    public DiffCommand(OffsetExtractor extractor, DebugFileFinder files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    /** Prints the differences of these items, or of all types if there are none. */
    public int run(Path from, Path to, List<Item> items, Optional<Language.Family> language, boolean asJson)
            throws CommandFailure, IOException {
        ExtractionReport before = read(from);
        ExtractionReport after = read(to);
        List<TypeDiff> diffs = items.isEmpty()
                ? LayoutDiff.ofNames(names(before, after), before.types(), after.types(), language.orElse(null))
                : LayoutDiff.ofItems(items, before.types(), after.types(), language.orElse(null));
        console.clearProgress();
        boolean same = DiffWriter.isSame(diffs);
        if (asJson) {
            JsonOutput.print(console, json -> {
                json.writeStartObject();
                writeFile(json, "from", before);
                writeFile(json, "to", after);
                json.writeBooleanProperty("same", same);
                json.writeName("types");
                DiffWriter.writeTypes(json, diffs);
                json.writeEndObject();
            });
        } else {
            for (String line : DiffText.lines(diffs)) {
                console.println(console.styled(style(line.strip().charAt(0)), Printable.of(line)));
            }
        }
        return same ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    /** The colours of diff(1). */
    private static Style style(char mark) {
        return switch (mark) {
            case '+' -> Style.fg_green;
            case '-' -> Style.fg_red;
            default -> Style.fg_yellow;
        };
    }

    private ExtractionReport read(Path file) throws CommandFailure {
        DebugFile debugFile = files.withTypes(file);
        console.progress("reading " + debugFile.path());
        return files.read(debugFile.path(), () -> extractor.extractAll(debugFile.path()));
    }

    private static Set<String> names(ExtractionReport before, ExtractionReport after) {
        Set<String> names = new HashSet<>();
        for (ExtractionReport report : List.of(before, after)) {
            report.types().definitions().stream()
                    .map(Definition::qualifiedName)
                    .filter(name -> !name.isEmpty())
                    .forEach(names::add);
        }
        return names;
    }

    private static void writeFile(JsonGenerator json, String name, ExtractionReport report) {
        json.writeObjectPropertyStart(name);
        ElfFactsJson.writeTo(json, report.elf());
        json.writeEndObject();
    }
}
