package dev.offsetd.query;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.View;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** All that is done with a file: its facts, some of its types, all of them, the stored catalogue, answers out of it. */
final class WholeReading {

    private static final RequestedNames WANTED =
            new RequestedNames(Set.of("nested", "bits", "point", "local_only", "vector<int,3>"), Set.of("GREEN"));
    private static final Limits LIMITS = Limits.DEFAULT
            .withMaxDuration(Duration.ofSeconds(10))
            .withMaxDecompressedBytes(4 << 20)
            .withMaxHeapSectionBytes(1 << 20);
    private static final ReadOptions SERIAL = new ReadOptions(LIMITS, 1);
    private static final ReadOptions PARALLEL = new ReadOptions(LIMITS, 2);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Definitions of one file that are queries for by name. */
    private static final int ASKED = 40;

    private WholeReading() {}

    /** Holds every reading of the file to what {@link HostileRun} asks. */
    static void requireSafe(Path file, long fileBytes, String what) throws IOException {
        requireSafe(SERIAL, file, fileBytes, what);
    }

    /** The same with this supplementary file. */
    static void requireSafe(Path file, Path supplementary, long fileBytes, String what) throws IOException {
        requireSafe(SERIAL.withSupplementaryFile(supplementary), file, fileBytes, what);
    }

    private static void requireSafe(ReadOptions options, Path file, long fileBytes, String what) throws IOException {
        long bound = HostileRun.allocationBound(fileBytes);
        HostileRun.answer(what + ": facts", bound, () -> DebugInfo.read(file, options, DebugInfo::facts));
        HostileRun.answer(
                what + ": some types", bound, () -> DebugInfo.read(file, options, info -> info.extract(WANTED)));
        List<Definition> each = new ArrayList<>();
        HostileRun.answer(what + ": each definition", bound, () -> {
            try (DebugInfo info = DebugInfo.open(file, options)) {
                info.forEachDefinition(each::add);
            }
            return each.size();
        });
        Optional<TypeCatalogue> all = HostileRun.answer(
                what + ": all types",
                bound,
                () -> DebugInfo.read(file, options, DebugInfo::extractAll).types());
        if (all.isPresent()) {
            // Answers come from the definitions, which took no more memory than the file may make them take.
            HostileRun.answer(what + ": answers", 8 * bound, () -> answers(all.get()));
        }
    }

    /** Asks the fresh and the stored catalogue for the same; they answer the same. */
    private static int answers(TypeCatalogue fresh) {
        StoredCatalogue stored = StoredCatalogue.of(CatalogueWriter.encode(fresh));
        int queries = 0;
        for (Definition definition : fresh.definitions()
                .subList(0, Math.min(ASKED, fresh.definitions().size()))) {
            Item item;
            try {
                item = ItemParser.parse('"' + definition.qualifiedName() + '"');
            } catch (ItemSyntaxException e) {
                // A name that no item can have: empty, too long, or with a quote.
                continue;
            }
            for (View view : View.values()) {
                String answer = answer(item, fresh, view);
                String storedAnswer = answer(item, stored, view);
                if (!answer.equals(storedAnswer)) {
                    throw new AssertionError(item + " is " + answer + "; the stored catalogue answers " + storedAnswer);
                }
            }
            queries++;
        }
        return queries;
    }

    private static String answer(Item item, TypeIndex types, View view) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(text)) {
            new AnswerWriter(view).writeAnswers(out, List.of(ItemResolver.resolve(item, types, null)), "p1");
        }
        return text.toString();
    }

    /** Reads the file on one thread and on two. */
    static void requireSameOnTwoThreads(Path file) throws IOException {
        String one = outcome(SERIAL, file);
        String two = outcome(PARALLEL, file);
        if (!one.equals(two)) {
            throw new AssertionError("on one thread " + one + ", on two " + two);
        }
    }

    private static String outcome(ReadOptions options, Path file) throws IOException {
        try {
            return new String(
                    CatalogueWriter.encode(
                            DebugInfo.read(file, options, DebugInfo::extractAll).types()),
                    StandardCharsets.ISO_8859_1);
        } catch (ExtractionException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
