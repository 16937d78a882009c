package dev.offsetd.cli.file;

import dev.offsetd.cli.answer.AnswerTable;
import dev.offsetd.cli.file.DebugFileFinder.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.MissingUnit;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.Suggestions;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.item.View;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.typeset.Expansion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.TreeBuildingGenerator;

/** {@code extract FILE ITEMS}: answers items from a local file, as a server would. */
public final class ExtractCommand {

    /** Key of the only provenance entry; servers use the same name. */
    private static final String SOURCE = "p1";

    /** Largest file that is read as a whole to suggest names: a kernel's 600 MB take two seconds. */
    private static final long MAX_SUGGESTING_BYTES = 1L << 30;

    private final OffsetExtractor extractor;
    private final DebugFileFinder files;
    private final Console console;

    public ExtractCommand(OffsetExtractor extractor, DebugFileFinder files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    /**
     * Format of the answer.
     *
     * @param view of the JSON; the other formats show all members
     * @param language only definitions in this language; empty for any, C and C++ first
     * @param expandedLevels levels of nested structs to show with their members
     */
    public record OutputOptions(
            OutputFormat output, View view, Optional<Language.Family> language, int expandedLevels) {}

    public enum OutputFormat {
        TABLE,
        /** C with offsets, sizes and holes in comments. */
        TEXT,
        JSON,
        /** A header of constants. */
        C,
        /** A name map. */
        YAML
    }

    /** Answers these items, and reads only what they need. */
    public int run(Path file, Expansion query, OutputOptions format) throws CommandFailure, IOException {
        List<Item> items = query.items();
        ElfFacts elf = files.inspect(file);
        Optional<SymbolSearch> symbols = Optional.empty();
        if (items.stream().anyMatch(Item::needsSymbols)) {
            FileSymbols read = FileSymbols.read(file, extractor, files, console);
            symbols = Optional.of(new SymbolSearch(read.table(), read.tls(), SearchBudget.unlimited()));
        }
        Optional<DebugFile> debugFile = Optional.empty();
        if (items.stream().anyMatch(Item::needsTypes)) {
            debugFile = files.findTypes(file, elf);
            if (debugFile.isEmpty() && symbols.isEmpty()) {
                throw new CommandFailure(ExitCode.BAD_FILE, file + files.noTypes(file, elf));
            }
            if (debugFile.isEmpty()) {
                console.say(file + files.noTypes(file, elf));
            }
        }
        Optional<ExtractionReport> report = Optional.empty();
        Expansion.Answers answers;
        if (debugFile.isPresent()) {
            Path path = debugFile.get().path();
            try (DebugInfo info = files.read(path, () -> extractor.open(path))) {
                report = Optional.of(read(path, info, items, Set.of()));
                answers = answers(query, report, symbols, format);
                Set<String> variables = mayBeStatic(answers.items(), report.get());
                if (!variables.isEmpty()) {
                    report = Optional.of(read(path, info, items, variables));
                    answers = answers(query, report, symbols, format);
                }
                Optional<TypeIndex> candidates =
                        isTypeMissing(query, answers) ? allTypes(info) : report.map(ExtractionReport::types);
                answers = suggesting(query, answers, new BuildContents(candidates, symbols));
            }
        } else {
            answers = suggesting(
                    query, answers(query, report, symbols, format), new BuildContents(Optional.empty(), symbols));
        }
        reportMissing(answers.items());
        return print(
                debugFile.map(DebugFile::path).orElse(file),
                report.map(ExtractionReport::elf).orElse(elf),
                report.map(ExtractionReport::missing).orElse(List.of()),
                answers,
                format);
    }

    private static Expansion.Answers answers(
            Expansion query, Optional<ExtractionReport> report, Optional<SymbolSearch> symbols, OutputOptions format) {
        BuildContents build = new BuildContents(report.map(ExtractionReport::types), symbols);
        return query.answer(item -> ItemResolver.resolve(item, build, format.language()));
    }

    /** Returns whether the user typed a type or enumerator that the file lacks; all of its names are candidates then. */
    private static boolean isTypeMissing(Expansion query, Expansion.Answers answers) {
        Set<Item> typed = Set.copyOf(query.sent());
        return answers.items().stream()
                .anyMatch(answer ->
                        (answer.status() == ItemStatus.TYPE_NOT_FOUND || answer.status() == ItemStatus.NOT_IN_BINARY)
                                && answer.item().needsTypes()
                                && typed.contains(answer.item()));
    }

    /** Reads all types for suggestions, which are worth a few seconds but no error. */
    private Optional<TypeIndex> allTypes(DebugInfo info) {
        if (info.facts().fileBytes() > MAX_SUGGESTING_BYTES) {
            return Optional.empty();
        }
        try {
            console.progress("searching for similar names");
            return Optional.of(info.extractAll().types());
        } catch (IOException | ExtractionException e) {
            return Optional.empty();
        }
    }

    private static Expansion.Answers suggesting(Expansion query, Expansion.Answers answers, BuildContents build) {
        Suggestions suggestions = new Suggestions(build);
        Set<Item> typed = Set.copyOf(query.sent());
        return new Expansion.Answers(
                answers.items().stream()
                        .map(answer -> typed.contains(answer.item()) ? suggestions.addTo(answer) : answer)
                        .toList(),
                answers.complete(),
                answers.map());
    }

    /** Items that were not found in C++ and may be static members. Only these need the variables of the file. */
    private static Set<String> mayBeStatic(List<ItemAnswer> answers, ExtractionReport report) {
        boolean cpp = report.types().definitions().stream()
                .anyMatch(definition -> definition.language().family() == Language.Family.CPP);
        return answers.stream()
                .filter(answer -> cpp
                        && (answer.status() == ItemStatus.FIELD_NOT_FOUND
                                || answer.status() == ItemStatus.TYPE_NOT_FOUND))
                .flatMap(answer -> answer.item().staticMemberNames().stream())
                .collect(Collectors.toSet());
    }

    private ExtractionReport read(Path debugFile, DebugInfo info, List<Item> items, Set<String> variables)
            throws CommandFailure {
        console.progress("reading " + debugFile);
        RequestedNames wanted = new RequestedNames(
                items.stream().flatMap(item -> item.typeNames().stream()).collect(Collectors.toSet()),
                items.stream().flatMap(item -> item.enumeratorNames().stream()).collect(Collectors.toSet()),
                variables);
        return files.extract(debugFile, () -> info.extract(wanted));
    }

    private void reportMissing(List<ItemAnswer> answers) {
        for (ItemAnswer answer : answers) {
            if (answer.outcome() instanceof ItemOutcome.SetFound set
                    && !set.coverage().isComplete()) {
                Coverage.Share required = set.coverage().required();
                console.say("type set " + set.name() + " is incomplete: " + required.found() + " of " + required.of()
                        + " required");
            }
        }
    }

    /** Answers every name in the file, sorted. */
    public int runForAll(Path file, OutputOptions format) throws CommandFailure, IOException {
        DebugFile debugFile = files.withTypes(file);
        console.progress("reading " + debugFile.path());
        ExtractionReport report = files.extract(debugFile.path(), () -> extractor.extractAll(debugFile.path()));
        // Resolving a name in the whole catalogue is slow: C++ libraries have thousands of types that end in "::type".
        SortedMap<String, List<Definition>> byName = report.types().definitions().stream()
                .filter(definition -> !definition.name().isEmpty())
                .collect(Collectors.groupingBy(Definition::qualifiedName, TreeMap::new, Collectors.toList()));
        List<ItemAnswer> answers = new ArrayList<>(byName.size());
        byName.forEach((name, definitions) -> answers.add(
                ItemResolver.resolve(Item.ofType(name), new TypeCatalogue(definitions, List.of()), format.language())));
        print(
                debugFile.path(),
                report.elf(),
                report.missing(),
                new Expansion.Answers(answers, ItemAnswer.complete(answers)),
                format);
        // Declared or ambiguous names do not fail the command, because no user requested them by name.
        return ExitCode.OK;
    }

    private int print(
            Path file, ElfFacts elf, List<MissingUnit> missing, Expansion.Answers answers, OutputOptions format)
            throws IOException {
        console.clearProgress();
        switch (format.output()) {
            case JSON ->
                JsonOutput.print(
                        console,
                        json -> writeTo(
                                json,
                                file,
                                elf,
                                missing,
                                answers,
                                new AnswerWriter(format.view()).expanding(format.expandedLevels())));
            case TABLE -> {
                // A mapper would initialize calendars and locales before its first tree.
                try (TreeBuildingGenerator tree =
                        TreeBuildingGenerator.forSerialization(null, JsonNodeFactory.instance)) {
                    writeTo(
                            tree,
                            file,
                            elf,
                            missing,
                            answers,
                            new AnswerWriter(View.MEMBERS).expanding(format.expandedLevels()));
                    AnswerTable.print(console, tree.treeBuilt());
                }
            }
            case TEXT -> printLines(LayoutText.lines(answers.items(), format.expandedLevels()));
            case C ->
                printLines(answers.map()
                        .map(values -> NameMapWriter.header(values, elf.buildId(), Optional.of(elf.architecture())))
                        .orElseGet(() -> ConstantsHeader.lines(answers.items(), elf.buildId(), elf.architecture())));
            case YAML -> printLines(NameMapWriter.yaml(answers.map().orElseThrow()));
        }
        return answers.complete() ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private void printLines(List<String> lines) throws IOException {
        for (String line : lines) {
            console.println(Printable.of(line));
        }
    }

    private static void writeTo(
            JsonGenerator json,
            Path file,
            ElfFacts elf,
            List<MissingUnit> missing,
            Expansion.Answers answers,
            AnswerWriter writer) {
        json.writeStartObject();
        ElfFactsJson.writeTo(json, elf);
        ElfFactsJson.writeMissing(json, missing);
        json.writeBooleanProperty("complete", answers.complete());
        answers.map().ifPresent(values -> NameMapWriter.writeMap(json, values));
        json.writeName("offsets");
        answers.map()
                .ifPresentOrElse(
                        values -> NameMapWriter.writeValues(json, values),
                        () -> writer.writeAnswers(json, answers.items(), SOURCE));
        json.writeObjectPropertyStart("provenance");
        json.writeObjectPropertyStart(SOURCE);
        json.writeStringProperty("origin", "file");
        json.writeStringProperty("path", file.toString());
        json.writeStringProperty("extractor", Integer.toString(OffsetExtractor.VERSION));
        json.writeEndObject();
        json.writeEndObject();
        json.writeEndObject();
    }
}
