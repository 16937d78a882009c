package dev.offsetd.cli.file;

import dev.offsetd.cli.answer.AnswerTable;
import dev.offsetd.cli.file.DebugFiles.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.catalogue.TypeCatalogue;
import dev.offsetd.extractor.extract.ExtractionReport;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.extract.Wanted;
import dev.offsetd.extractor.item.AnswerWriter;
import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.item.ItemAnswer;
import dev.offsetd.extractor.item.ItemResolver;
import dev.offsetd.extractor.item.View;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.text.ConstantsHeader;
import dev.offsetd.extractor.text.LayoutText;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** {@code extract FILE ITEMS}: what a server would answer, from a file of this machine. */
public final class ExtractCommand {

    /** The one entry of the provenance, under the name that servers use. */
    private static final String SOURCE = "p1";

    private final OffsetExtractor extractor;
    private final DebugFiles files;
    private final Console console;

    public ExtractCommand(OffsetExtractor extractor, DebugFiles files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    /**
     * How the answer is to be.
     *
     * @param output what is printed
     * @param view of the JSON; the others always show all members
     * @param language the language whose definitions answer; empty for any, C and C++ first
     */
    public record Format(Output output, View view, Optional<Language.Family> language) {}

    /** What answers are printed as. */
    public enum Output {
        TABLE,
        /** C with offsets, sizes and holes in comments. */
        TEXT,
        JSON,
        /** A header of constants. */
        C
    }

    /** Answers these items. */
    public int run(Path file, List<Item> items, Format format) throws CommandFailure, IOException {
        DebugFile debugFile = files.withTypes(file);
        console.progress("reading " + debugFile.path());
        Wanted wanted = new Wanted(
                items.stream().flatMap(item -> item.typeNames().stream()).collect(Collectors.toSet()),
                items.stream().flatMap(item -> item.enumeratorNames().stream()).collect(Collectors.toSet()));
        ExtractionReport report = files.read(debugFile.path(), () -> extractor.extract(debugFile.path(), wanted));
        List<ItemAnswer> answers = items.stream()
                .map(item -> ItemResolver.resolve(item, report.types(), format.language()))
                .toList();
        return print(debugFile, report, answers, format);
    }

    /** Answers every name that the file has, sorted. */
    public int runForAll(Path file, Format format) throws CommandFailure, IOException {
        DebugFile debugFile = files.withTypes(file);
        console.progress("reading " + debugFile.path());
        ExtractionReport report = files.read(debugFile.path(), () -> extractor.extractAll(debugFile.path()));
        // Each name is answered out of its own definitions: C++ libraries have thousands of types that end in "::type".
        SortedMap<String, List<Definition>> byName = report.types().definitions().stream()
                .filter(definition -> !definition.name().isEmpty())
                .collect(Collectors.groupingBy(Definition::qualifiedName, TreeMap::new, Collectors.toList()));
        List<ItemAnswer> answers = new ArrayList<>(byName.size());
        byName.forEach((name, definitions) -> answers.add(
                ItemResolver.resolve(Item.ofType(name), new TypeCatalogue(definitions, List.of()), format.language())));
        print(debugFile, report, answers, format);
        // Nobody asked for names that are only declared, or defined in two ways; the table says which are.
        return ExitCode.OK;
    }

    private int print(DebugFile debugFile, ExtractionReport report, List<ItemAnswer> answers, Format format)
            throws IOException {
        boolean complete = ItemAnswer.complete(answers);
        console.clearProgress();
        switch (format.output()) {
            case JSON ->
                JsonOutput.print(
                        console, json -> writeTo(json, debugFile, report, answers, new AnswerWriter(format.view())));
            case TABLE -> {
                StringWriter document = new StringWriter();
                try (JsonGenerator json = JsonMapper.shared().createGenerator(document)) {
                    writeTo(json, debugFile, report, answers, new AnswerWriter(View.MEMBERS));
                }
                AnswerTable.print(console, JsonMapper.shared().readTree(document.toString()));
            }
            case TEXT -> printLines(LayoutText.lines(answers));
            case C ->
                printLines(ConstantsHeader.lines(
                        answers, report.elf().buildId(), report.elf().architecture()));
        }
        return complete ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private void printLines(List<String> lines) throws IOException {
        for (String line : lines) {
            console.println(Printable.of(line));
        }
    }

    private static void writeTo(
            JsonGenerator json,
            DebugFile debugFile,
            ExtractionReport report,
            List<ItemAnswer> answers,
            AnswerWriter writer) {
        json.writeStartObject();
        ElfFactsJson.writeTo(json, report.elf());
        json.writeBooleanProperty("complete", ItemAnswer.complete(answers));
        json.writeName("offsets");
        writer.writeAnswers(json, answers, SOURCE);
        json.writeObjectPropertyStart("provenance");
        json.writeObjectPropertyStart(SOURCE);
        json.writeStringProperty("origin", "file");
        json.writeStringProperty("path", debugFile.path().toString());
        json.writeStringProperty("extractor", Integer.toString(OffsetExtractor.VERSION));
        json.writeEndObject();
        json.writeEndObject();
        json.writeEndObject();
    }
}
