package dev.offsetd.cli.file;

import dev.offsetd.cli.command.AnswerOptions;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.command.Items;
import dev.offsetd.cli.file.DebugFileFinder.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.answer.TracerText;
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
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.Expansion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code extract FILE ITEMS}: answers items from a local file, as a server would. */
public final class ExtractCommand extends Command {

    /** Largest file that is read as a whole to suggest names: a kernel's 600 MB take two seconds. */
    private static final long MAX_SUGGESTING_BYTES = 1L << 30;

    private static final int MAX_LEVELS = 20;

    private final Supplier<Path> file = parameter("FILE", Path.class, DebugFileFinder.FILE);
    private final Supplier<List<String>> items = parameters("ITEMS", false, String.class, Items.DESCRIPTION);
    private final BooleanSupplier all = flag("-a,--all", "every type of the file, instead of ITEMS");
    private final BooleanSupplier definitions =
            flag("--definitions", "every complete definition, unmerged, one JSON object per line");
    private final BooleanSupplier json = flag("-j,--json", "print JSON");
    private final Supplier<@Nullable String> base = option(
            "--base",
            "EXPRESSION",
            String.class,
            "address of the object in tracefs and bpftrace (default: the first argument of a function)");
    private final AnswerOptions answer = new AnswerOptions(this);
    private final Supplier<Integer> expand = option(
            "-E,--expand", "N", Integer.class, 0, "show the members of nested structs, N levels deep (default: 0)");
    private final TypeReaderOptions reader = new TypeReaderOptions(this);

    public ExtractCommand(Console console) {
        super(console, "Look up layouts and offsets in a file.");
        examples(
                "offsetd extract libc.so.6 malloc_state,malloc_chunk.fd",
                "offsetd extract vmlinux task_struct --format text --expand 1",
                "offsetd extract libc.so.6 'main_arena.top->mchunk_size'",
                "offsetd extract libruby.so @ruby --json",
                "offsetd extract libruby.so @ruby --view map --map runtime-data --format c");
        exitCodes(
                "0:found every item, and the required items of type sets",
                "1:an item was not found; the output names it",
                "2:invalid items",
                "3:the file is unreadable or has no debug information");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        List<String> named = items.get();
        int kinds = (named.isEmpty() ? 0 : 1) + (all.getAsBoolean() ? 1 : 0) + (definitions.getAsBoolean() ? 1 : 0);
        if (kinds != 1) {
            throw CommandFailure.usage(
                    kinds == 0
                            ? "Missing ITEMS, --all or --definitions; see offsetd extract --help"
                            : "too much to extract: expected one of ITEMS, --all and --definitions");
        }
        answer.check();
        if (answer.isMap() && named.isEmpty()) {
            throw CommandFailure.usage("--view map is of one type set; expected a single item @SET");
        }
        int levels = levels();
        View view = answer.view();
        FileAnswers.OutputOptions options = new FileAnswers.OutputOptions(
                answer.output(json.getAsBoolean()),
                view != null ? view : levels == 0 ? View.FIELDS : View.MEMBERS,
                answer.language(),
                levels,
                base());
        if (definitions.getAsBoolean()) {
            return printDefinitions(reader.files(console));
        }
        Expansion query = named.isEmpty() ? null : answer.expand(Items.parse(named), new BuiltInTypeSets());
        DebugFileFinder files = reader.filesWithoutMissingUnits(console);
        return query == null
                ? runForAll(file.get(), options, files)
                : run(new Request(file.get(), query, options, files));
    }

    private @Nullable String base() throws CommandFailure {
        String expression = base.get();
        if (expression != null && !TracerText.isBase(expression)) {
            throw CommandFailure.usage("--base is " + expression + "; " + TracerText.EXPECTED_BASE);
        }
        return expression;
    }

    private int levels() throws CommandFailure {
        int levels = expand.get();
        if (levels < 0 || levels > MAX_LEVELS) {
            throw CommandFailure.usage("--expand is " + levels + "; expected 0 to " + MAX_LEVELS);
        }
        return levels;
    }

    /** Prints every complete named definition, unmerged, in the order of the DIEs. */
    private int printDefinitions(DebugFileFinder files) throws CommandFailure {
        Path path = files.withTypes(file.get()).path();
        return files.readFile(path, info -> {
            List<Omission> omissions = info.forEachDefinition(
                    definition -> JsonOutput.print(console, json -> DefinitionJson.writeTo(json, definition)));
            files.note(path, omissions);
            return ExitCode.OK;
        });
    }

    /** Items to answer from a file. */
    private record Request(Path file, Expansion query, FileAnswers.OutputOptions format, DebugFileFinder files) {}

    /** @param report of the types; null if none were read */
    private record Found(@Nullable ExtractionReport report, Expansion.Answers answers) {}

    /** Answers these items, and reads only what they need. */
    private int run(Request request) throws CommandFailure, IOException {
        ElfFacts elf = request.files.inspect(request.file);
        SymbolSearch symbols = request.query.needsSymbols() ? symbols(request) : null;
        Optional<DebugFile> debugFile = debugFile(request, elf, symbols != null);
        Found found = debugFile.isPresent()
                ? withTypes(request, debugFile.get().path(), symbols)
                : new Found(null, withoutTypes(request, symbols));
        reportMissing(found.answers.items());
        ExtractionReport report = found.report;
        new FileAnswers(
                        debugFile.map(DebugFile::path).orElse(request.file),
                        report == null ? elf : report.elf(),
                        report == null ? List.of() : report.missing(),
                        found.answers)
                .print(console, request.format);
        return found.answers.complete() ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private SymbolSearch symbols(Request request) throws CommandFailure {
        return FileSymbols.read(request.file, request.files, console).search();
    }

    /**
     * Returns the file to read types from; empty if no item needs them, or symbols may answer without.
     *
     * @throws CommandFailure if nothing can be answered
     */
    private Optional<DebugFile> debugFile(Request request, ElfFacts elf, boolean hasSymbols) throws CommandFailure {
        if (request.query.items().stream().noneMatch(Item::needsTypes)) {
            return Optional.empty();
        }
        Optional<DebugFile> found = request.files.findTypes(request.file, elf);
        if (found.isEmpty()) {
            String problem = request.file + request.files.noTypes(request.file, elf);
            if (!hasSymbols) {
                throw new CommandFailure(ExitCode.BAD_FILE, problem);
            }
            console.say(problem);
        }
        return found;
    }

    /** @param known symbols, if they are read already */
    private Found withTypes(Request request, Path path, @Nullable SymbolSearch known)
            throws CommandFailure, IOException {
        Expansion query = request.query;
        SymbolSearch symbols = known;
        try (DebugInfo info = request.files.open(path)) {
            Set<String> types = query.simpleTypeNames();
            Set<String> variables = new HashSet<>();
            while (true) {
                RequestedNames wanted =
                        new RequestedNames(types, query.typeNames(), query.enumeratorNames(), variables);
                ExtractionReport report = read(path, info, wanted, request.files);
                ItemResolver resolver =
                        new ItemResolver(new BuildContents(report.types(), symbols), request.format.language());
                Expansion.Answers answers = query.answer(resolver::resolve);
                // Only the types before a pointer say what is behind it.
                boolean more = types.addAll(resolver.namesBehindPointers());
                more |= variables.addAll(mayBeVariables(answers.items(), report));
                if (symbols == null && answers.areOfVariables()) {
                    symbols = symbols(request);
                    more = true;
                }
                if (!more) {
                    TypeIndex candidates = query.isNameMissing(answers)
                            ? allTypes(info, console).orElse(null)
                            : report.types();
                    return new Found(report, suggesting(query, answers, new BuildContents(candidates, symbols)));
                }
            }
        }
    }

    private static Expansion.Answers withoutTypes(Request request, @Nullable SymbolSearch symbols) {
        BuildContents build = new BuildContents(null, symbols);
        Expansion.Answers answers =
                request.query.answer(item -> ItemResolver.resolve(item, build, request.format.language()));
        return suggesting(request.query, answers, build);
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

    /**
     * Returns the names of variables that items may start at because no type has the name, and in C++ of static members. Only these
     * items need the variables of the file.
     */
    private static Set<String> mayBeVariables(List<ItemAnswer> answers, ExtractionReport report) {
        boolean cpp = report.types().definitions().stream()
                .anyMatch(definition -> definition.language().family() == Language.Family.CPP);
        Set<String> names = new HashSet<>();
        for (ItemAnswer answer : answers) {
            if (!answer.isFirstChoice() && !answer.isOfVariable()) {
                names.addAll(answer.item().rootVariableNames(report.types()));
            }
            if (cpp
                    && (answer.status() == ItemStatus.TYPE_NOT_FOUND
                            || answer.status() == ItemStatus.FIELD_NOT_FOUND)) {
                names.addAll(answer.item().staticMemberNames());
            }
        }
        return names;
    }

    private ExtractionReport read(Path debugFile, DebugInfo info, RequestedNames wanted, DebugFileFinder files)
            throws CommandFailure {
        console.progress("reading " + debugFile);
        return files.noting(debugFile, files.read(debugFile, () -> info.extract(wanted)));
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
    private int runForAll(Path file, FileAnswers.OutputOptions format, DebugFileFinder files)
            throws CommandFailure, IOException {
        DebugFile debugFile = files.withTypes(file);
        ExtractionReport report = files.extractAll(debugFile);
        // Resolving a name in the whole catalogue is slow: C++ libraries have thousands of types that end in "::type".
        SortedMap<String, List<Definition>> byName = report.types().definitions().stream()
                .filter(definition -> !definition.name().isEmpty())
                .collect(Collectors.groupingBy(Definition::qualifiedName, TreeMap::new, Collectors.toList()));
        List<ItemAnswer> answers = new ArrayList<>(byName.size());
        byName.forEach((name, definitions) -> answers.add(ItemResolver.resolve(
                Item.ofType(name),
                new TypeCatalogue(
                        definitions, List.of(), Set.of(), report.types().omissions()),
                format.language())));
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
