package dev.offsetd.cli.file;

import dev.offsetd.cli.file.DebugFileFinder.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.Suggestions;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.store.StoredSymbols;
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
import org.jspecify.annotations.Nullable;

/** {@code extract FILE ITEMS}: answers items from a local file, as a server would. */
public final class ExtractCommand {

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

    /** Answers these items, and reads only what they need. */
    public int run(Path file, Expansion query, FileAnswers.OutputOptions format) throws CommandFailure, IOException {
        List<Item> items = query.items();
        ElfFacts elf = files.inspect(file);
        SymbolSearch symbols = null;
        if (query.needsSymbols()) {
            StoredSymbols stored = StoredSymbols.of(
                    FileSymbols.read(file, extractor, files, console).table());
            symbols = new SymbolSearch(stored, stored.tls().orElse(null), SearchBudget.unlimited());
        }
        Optional<DebugFile> debugFile = Optional.empty();
        if (items.stream().anyMatch(Item::needsTypes)) {
            debugFile = files.findTypes(file, elf);
            if (debugFile.isEmpty() && symbols == null) {
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
                report = Optional.of(read(path, info, query, Set.of()));
                answers = answers(query, report, symbols, format);
                Set<String> variables = mayBeStatic(answers.items(), report.get());
                if (!variables.isEmpty()) {
                    report = Optional.of(read(path, info, query, variables));
                    answers = answers(query, report, symbols, format);
                }
                Optional<TypeIndex> candidates =
                        query.isNameMissing(answers) ? allTypes(info, console) : report.map(ExtractionReport::types);
                answers = suggesting(query, answers, new BuildContents(candidates.orElse(null), symbols));
            }
        } else {
            answers = suggesting(query, answers(query, report, symbols, format), new BuildContents(null, symbols));
        }
        reportMissing(answers.items());
        new FileAnswers(
                        debugFile.map(DebugFile::path).orElse(file),
                        report.map(ExtractionReport::elf).orElse(elf),
                        report.map(ExtractionReport::missing).orElse(List.of()),
                        answers)
                .print(console, format);
        return answers.complete() ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private static Expansion.Answers answers(
            Expansion query,
            Optional<ExtractionReport> report,
            @Nullable SymbolSearch symbols,
            FileAnswers.OutputOptions format) {
        BuildContents build =
                new BuildContents(report.map(ExtractionReport::types).orElse(null), symbols);
        return query.answer(
                item -> ItemResolver.resolve(item, build, format.language().orElse(null)));
    }

    /** Reads all types for suggestions, which are worth a few seconds but no error. */
    static Optional<TypeIndex> allTypes(DebugInfo info, Console console) {
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
        if (ItemAnswer.complete(answers.items())) {
            return answers;
        }
        Suggestions suggestions = new Suggestions(build);
        Set<Item> typed = Set.copyOf(query.sent());
        return answers.mapped(answer -> typed.contains(answer.item()) ? suggestions.addTo(answer) : answer);
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

    private ExtractionReport read(Path debugFile, DebugInfo info, Expansion query, Set<String> variables)
            throws CommandFailure {
        console.progress("reading " + debugFile);
        RequestedNames wanted = new RequestedNames(query.typeNames(), query.enumeratorNames(), variables);
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
    public int runForAll(Path file, FileAnswers.OutputOptions format) throws CommandFailure, IOException {
        DebugFile debugFile = files.withTypes(file);
        console.progress("reading " + debugFile.path());
        ExtractionReport report = files.extract(debugFile.path(), () -> extractor.extractAll(debugFile.path()));
        // Resolving a name in the whole catalogue is slow: C++ libraries have thousands of types that end in "::type".
        SortedMap<String, List<Definition>> byName = report.types().definitions().stream()
                .filter(definition -> !definition.name().isEmpty())
                .collect(Collectors.groupingBy(Definition::qualifiedName, TreeMap::new, Collectors.toList()));
        List<ItemAnswer> answers = new ArrayList<>(byName.size());
        byName.forEach((name, definitions) -> answers.add(ItemResolver.resolve(
                Item.ofType(name),
                new TypeCatalogue(definitions, List.of()),
                format.language().orElse(null))));
        new FileAnswers(
                        debugFile.path(),
                        report.elf(),
                        report.missing(),
                        new Expansion.Answers(answers, ItemAnswer.complete(answers)))
                .print(console, format);
        // Declared or ambiguous names do not fail the command, because no user requested them by name.
        return ExitCode.OK;
    }
}
