package dev.offsetd.cli.bundle;

import dev.offsetd.cli.answer.AnswerTable;
import dev.offsetd.cli.command.AnswerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.cli.terminal.TextTable;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.bundle.BuildArchive;
import dev.offsetd.query.bundle.BundledBuild;
import dev.offsetd.query.bundle.BundledPin;
import dev.offsetd.query.bundle.BundledSource;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ProgramFacts;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.item.View;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinOverlay;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.TypeSetSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi.Style;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.TreeBuildingGenerator;

/** {@code query --bundle}: answers as the server that made the bundle would, without a network. */
public final class BundleQuery {

    /** Key of the debug file in the provenance; servers use the same. */
    private static final String SOURCE = "p1";

    private final Console console;

    public BundleQuery(Console console) {
        this.console = console;
    }

    /**
     * Query for items of a build.
     *
     * @param options view, name map and language of the answer
     * @param json whether to print the answer as the server sends it
     */
    public record Request(BuildId key, List<Item> items, AnswerOptions options, boolean json) {}

    private record Found(
            BundledBuild build,
            Expansion.Answers answers,
            PinnedTypes types,
            SequencedMap<String, BundledPin> pins,
            List<AppliedPin> marks) {}

    /**
     * Answers from a bundle.
     *
     * @param signers file of allowed signers or null; with it, the signature of one of them is required
     */
    public int run(Path file, @Nullable Path signers, Request request) throws CommandFailure, IOException {
        Found found;
        try (VerifiedBundle bundle = VerifiedBundle.open(file, signers)) {
            BuildId id = bundle.bundle()
                    .find(request.key())
                    .orElseThrow(() -> new CommandFailure(
                            ExitCode.INCOMPLETE,
                            file + " has no build " + request.key() + "; offsetd bundle verify lists its builds"));
            TypeSetSource sets = bundle.read(each -> each.sets(new BuiltInTypeSets()));
            Expansion expansion = request.options().expand(request.items(), sets);
            found = answer(
                    bundle.read(each -> each.build(id)),
                    expansion,
                    request.options().language());
        } catch (CorruptBlobException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, file + ": build " + request.key() + ": " + e.getMessage());
        }
        print(found, request);
        return found.answers().complete() ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private static Found answer(BuildArchive archive, Expansion expansion, Language.@Nullable Family language) {
        SequencedMap<String, BundledPin> pins = archive.build().activePins(Instant.now());
        PinnedTypes types = PinOverlay.of(BundledPin.pinned(pins))
                .over(archive.types().length == 0 ? null : StoredCatalogue.of(archive.types()));
        Expansion.Answers answers = expansion.answer(types.index().orElse(null), () -> symbols(archive), language);
        return new Found(
                archive.build(),
                answers,
                types,
                pins,
                pins.isEmpty() ? List.of() : AppliedPins.of(answers.items(), types));
    }

    private static @Nullable SymbolSearch symbols(BuildArchive archive) {
        if (archive.symbols().length == 0) {
            return null;
        }
        StoredSymbols symbols = StoredSymbols.of(archive.symbols());
        return new SymbolSearch(
                symbols,
                symbols.tls().orElse(null),
                SearchBudget.unlimited(),
                new ProgramFacts(symbols.fileOffsets(), null));
    }

    private void print(Found found, Request request) throws IOException {
        if (request.json()) {
            View view = request.options().view();
            JsonOutput.print(console, out -> write(found, view == null ? View.FIELDS : view, out));
        } else if (found.answers().map().isPresent()) {
            for (String line : NameMapWriter.yaml(found.answers().map().get())) {
                console.println(Printable.of(line));
            }
        } else {
            printTitle(found.build());
            try (TreeBuildingGenerator tree = TreeBuildingGenerator.forSerialization(null, JsonNodeFactory.instance)) {
                write(found, View.MEMBERS, tree);
                AnswerTable.print(console, tree.treeBuilt());
            }
        }
    }

    private void printTitle(BundledBuild build) throws IOException {
        String title = build.identity().title();
        Architecture architecture = build.architecture();
        if (!title.isEmpty()) {
            console.println(console.styled(
                    Style.bold,
                    Printable.of(title + (architecture == null ? "" : ", " + architecture.machine()) + " ("
                            + TextTable.shortId(build.id().toString()) + ")")));
            console.println("");
        }
    }

    private static void write(Found found, View view, JsonGenerator out) {
        BundledBuild build = found.build();
        BundledSource source = build.source();
        out.writeStartObject();
        if (source != null && source.versions().areBehind(PartVersions.CURRENT)) {
            out.writeBooleanProperty("stale", true);
        }
        out.writeNumberProperty("schemaVersion", AnswerWriter.SCHEMA_VERSION);
        out.writeStringProperty("buildId", build.id().toString());
        build.writeArchitecture(out);
        out.writeBooleanProperty("complete", found.answers().complete());
        found.answers().map().ifPresent(values -> NameMapWriter.writeMap(out, values));
        out.writeName("offsets");
        found.answers()
                .map()
                .ifPresentOrElse(
                        values -> NameMapWriter.writeValues(out, values),
                        () -> new AnswerWriter(view, found.types())
                                .writeAnswers(out, found.answers().items(), SOURCE));
        AnswerWriter.writeIncompleteItems(out, view, found.answers().items());
        AppliedPins.write(out, "pinned", found.marks());
        out.writeObjectPropertyStart("provenance");
        if (source != null) {
            out.writeObjectPropertyStart(SOURCE);
            source.writeProvenance(out);
            out.writeEndObject();
        }
        found.pins().forEach((key, pin) -> {
            if (found.marks().stream().anyMatch(mark -> mark.source().equals(key))) {
                pin.writeProvenance(out, key);
            }
        });
        out.writeEndObject();
        out.writeEndObject();
    }
}
