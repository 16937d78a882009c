package dev.offsetd.query.typeset;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.Need;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Result of a type set in a build.
 *
 * @param files files that were read
 * @param elf facts about the file with the debug information
 * @param answers answers to the set's items, by item
 */
record SetCheck(SetBuild.BuildFiles files, ElfFacts elf, Coverage coverage, Map<String, ItemAnswer> answers) {

    private static final BuiltInTypeSets SETS = new BuiltInTypeSets();
    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1).followingAnyPath();

    /** Resolves a build's type set. */
    static SetCheck of(SetBuild build) throws IOException, ExtractionException {
        return of(build.set(), build.source().files());
    }

    /** Resolves a type set in the given files. */
    static SetCheck of(String set, SetBuild.BuildFiles files) throws IOException, ExtractionException {
        Expansion expansion = Expansion.of(List.of(ItemParser.parse("@" + set)), SETS);
        Map<String, ItemAnswer> answers = new LinkedHashMap<>();
        ExtractionReport report = report(expansion, files);
        answers(expansion, files, report)
                .items()
                .forEach(answer -> answers.put(answer.item().text(), answer));
        ItemOutcome.SetFound found =
                (ItemOutcome.SetFound) answer(answers, "@" + set).outcome();
        return new SetCheck(files, report.elf(), found.coverage(), answers);
    }

    /** Resolves the items of an expansion in the given files. */
    static Expansion.Answers answers(Expansion expansion, SetBuild.BuildFiles files)
            throws IOException, ExtractionException {
        return answers(expansion, files, report(expansion, files));
    }

    private static Expansion.Answers answers(Expansion expansion, SetBuild.BuildFiles files, ExtractionReport report)
            throws IOException, ExtractionException {
        SymbolReport symbols = DebugInfo.read(files.symbols(), OPTIONS, DebugInfo::symbolTables);
        BuildContents build = new BuildContents(
                report.types(),
                new SymbolSearch(StoredSymbols.of(SymbolTable.of(symbols)), symbols.tls(), SearchBudget.unlimited()));
        return expansion.answer(item -> ItemResolver.resolve(item, build, null));
    }

    private static ExtractionReport report(Expansion expansion, SetBuild.BuildFiles files)
            throws IOException, ExtractionException {
        RequestedNames wanted = new RequestedNames(
                expansion.simpleTypeNames(), expansion.typeNames(), expansion.enumeratorNames(), Set.of());
        ReadOptions options =
                files.supplementary().map(OPTIONS::withSupplementaryFile).orElse(OPTIONS);
        return DebugInfo.read(files.types(), options, info -> info.extract(wanted));
    }

    /** Returns the byte offset of a member item. */
    long offset(String item) {
        return ((ItemOutcome.PathFound) answer(answers, item).outcome())
                        .placement()
                        .bitOffset()
                / Byte.SIZE;
    }

    /** Returns the size in bytes of a type item. */
    long size(String item) {
        return ((ItemOutcome.TypeFound) answer(answers, item).outcome())
                .definition()
                .shape()
                .byteSize();
    }

    /** Returns the differences from the offsets and sizes that tools for this runtime expect. */
    List<String> differences(SetBuild build) {
        List<String> differences = new ArrayList<>();
        new TreeMap<>(build.known()).forEach((item, expected) -> {
            ItemOutcome outcome = answer(answers, item).outcome();
            long bytes = switch (outcome) {
                case ItemOutcome.PathFound _ -> offset(item);
                case ItemOutcome.TypeFound _ -> size(item);
                default -> -1;
            };
            if (bytes != expected) {
                differences.add(item + ": " + bytes + ", expected " + expected);
            }
        });
        return differences;
    }

    /** Returns the required items and groups that are missing. */
    List<String> missingRequired() {
        return missing(Need.REQUIRED, item -> item);
    }

    /** Returns the optional items and groups that are missing. */
    List<String> missingOptional() {
        return missing(Need.OPTIONAL, item -> item);
    }

    /** Returns the same for a cell of a table in Markdown, with the items as code. */
    String missingOptionalCell() {
        return String.join(", ", missing(Need.OPTIONAL, item -> '`' + item.replace("|", "\\|") + '`'));
    }

    private List<String> missing(Need need, UnaryOperator<String> style) {
        return coverage.missing().stream()
                .filter(missing -> missing.need() == need)
                .map(missing -> switch (missing) {
                    case Coverage.MissingEntry.MissingSingle one ->
                        style.apply(one.item().text());
                    case Coverage.MissingEntry.MissingGroup group -> group.name();
                })
                .toList();
    }

    private static ItemAnswer answer(Map<String, ItemAnswer> answers, String item) {
        ItemAnswer answer = answers.get(item);
        if (answer == null) {
            throw new AssertionError("the set has no item " + item);
        }
        return answer;
    }
}
