package dev.offsetd.extractor.bench;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.View;
import dev.offsetd.query.store.BlobInput;
import dev.offsetd.query.store.BlobReader;
import dev.offsetd.query.store.BlockTable;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredBlob;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Measures the stored catalogue of each file of the command line: its bytes by table, how long it takes to make, and how
 * long to answer a type out of it. Prints two tables for {@code docs/performance.md}.
 */
public final class CatalogueMeasurement {

    private static final int ENCODINGS = 5;
    private static final int WARM_UP_ANSWERS = 3_000;
    private static final int ANSWERS = 2_000;

    /** The least of the times of one type counts: what else the machine does is not the catalogue's. */
    private static final int PASSES = 5;

    private static final JsonFactory JSON = new JsonFactory();

    private final Path file;
    private final TypeCatalogue types;
    private final double extractMillis;
    private final double encodeMillis;
    private final byte[] blob;
    private final List<Item> items;

    private CatalogueMeasurement(Path file) throws IOException, ExtractionException {
        this.file = file;
        ReadOptions options =
                new ReadOptions(Limits.DEFAULT, Runtime.getRuntime().availableProcessors());
        long start = System.nanoTime();
        types = DebugInfo.read(file, options, DebugInfo::extractAll).types();
        extractMillis = millisSince(start);
        double[] millis = new double[ENCODINGS];
        byte[] encoded = new byte[0];
        for (int i = 0; i < ENCODINGS; i++) {
            // With its index of names, which a catalogue makes once.
            TypeCatalogue fresh = new TypeCatalogue(
                    types.definitions(), types.variables(), types.inlineNamespaces(), types.omissions());
            long begin = System.nanoTime();
            encoded = CatalogueWriter.encode(fresh);
            millis[i] = millisSince(begin);
        }
        Arrays.sort(millis);
        encodeMillis = millis[ENCODINGS / 2];
        blob = encoded;
        List<String> names = new ArrayList<>(types.definitions().stream()
                .map(Definition::name)
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList());
        Collections.shuffle(names, new Random(1));
        items = names.stream().limit(ANSWERS).map(Item::ofType).toList();
    }

    /** Measures these debug files. */
    public static void main(String[] files) throws IOException, ExtractionException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        List<CatalogueMeasurement> measured = new ArrayList<>();
        for (String file : files) {
            measured.add(new CatalogueMeasurement(Path.of(file)));
        }
        out.println("| file | definitions | variables | bytes | shapes | definitions | variables | name index "
                + "| of that: types, enumerators, variables, directory | read in ms, cold | written in ms |");
        out.println("|---|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|");
        measured.forEach(catalogue -> out.println(catalogue.sizes()));
        out.println();
        out.println("| file | blob opened for each answer: median, p99, max µs | bytes read of it: median, max "
                + "| open blob | the same type again |");
        out.println("|---|---|---|---|---|");
        measured.forEach(catalogue -> out.println(catalogue.times()));
    }

    private String sizes() {
        BlobInput directory = new StoredBlob(
                        StoredBlob.inMemory(blob),
                        ByteBuffer.wrap(blob).getInt(),
                        ByteBuffer.wrap(blob).getInt(Integer.BYTES))
                .directory();
        int units = directory.count();
        for (int i = 0; i < units; i++) {
            directory.string();
        }
        int languages = directory.count();
        for (int i = 0; i < languages; i++) {
            directory.string();
            directory.count();
        }
        long shapes = tableBytes(directory);
        long definitions = tableBytes(directory);
        long names = tableBytes(directory);
        long enumerators = tableBytes(directory);
        long variables = tableBytes(directory);
        long variableNames = tableBytes(directory);
        long rest = blob.length - shapes - definitions - names - enumerators - variables - variableNames;
        return String.format(
                Locale.ROOT,
                "| %s | %,d | %,d | %,d | %,d | %,d | %,d | %,d | %,d, %,d, %,d, %,d | %.0f | %.0f |",
                file.getFileName(),
                types.definitions().size(),
                types.variables().size(),
                blob.length,
                shapes,
                definitions,
                variables,
                names + enumerators + variableNames + rest,
                names,
                enumerators,
                variableNames,
                rest,
                extractMillis,
                encodeMillis);
    }

    /** Bytes of the compressed blocks of the next table of the directory. */
    private static long tableBytes(BlobInput directory) {
        return BlockTable.Directory.read(directory).blocks().stream()
                .mapToLong(BlockTable.Block::compressedLength)
                .sum();
    }

    private String times() {
        StoredCatalogue open = StoredCatalogue.of(blob);
        for (int i = 0; i < WARM_UP_ANSWERS; i++) {
            Item item = items.get(i % items.size());
            answer(StoredCatalogue.of(blob), item);
            answer(open, item);
        }
        double[] fresh = untaken();
        double[] opened = untaken();
        double[] again = untaken();
        double[] read = new double[items.size()];
        for (int pass = 0; pass < PASSES; pass++) {
            for (int i = 0; i < items.size(); i++) {
                Item item = items.get(i);
                CountingReader reader = new CountingReader(StoredBlob.inMemory(blob));
                long start = System.nanoTime();
                answer(new StoredCatalogue(reader), item);
                fresh[i] = Math.min(fresh[i], millisSince(start) * 1000);
                read[i] = reader.bytes;
                start = System.nanoTime();
                answer(open, item);
                opened[i] = Math.min(opened[i], millisSince(start) * 1000);
                start = System.nanoTime();
                answer(open, item);
                again[i] = Math.min(again[i], millisSince(start) * 1000);
            }
        }
        Arrays.sort(read);
        return String.format(
                Locale.ROOT,
                "| %s | %s | %,.0f, %,.0f | %s | %s |",
                file.getFileName(),
                spread(fresh),
                read[read.length / 2],
                read[read.length - 1],
                spread(opened),
                spread(again));
    }

    private double[] untaken() {
        double[] times = new double[items.size()];
        Arrays.fill(times, Double.POSITIVE_INFINITY);
        return times;
    }

    /** Work of a server for one type once it has the catalogue: looks it up and writes JSON. */
    private static void answer(StoredCatalogue catalogue, Item item) {
        ItemAnswer answer = ItemResolver.resolve(item, catalogue, null);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            new AnswerWriter(View.FIELDS).writeAnswers(json, List.of(answer), "p1");
        }
        if (out.size() == 0) {
            throw new IllegalStateException("no answer for " + item.text());
        }
    }

    private static String spread(double[] micros) {
        double[] sorted = micros.clone();
        Arrays.sort(sorted);
        return String.format(
                Locale.ROOT,
                "%.0f, %.0f, %.0f",
                sorted[sorted.length / 2],
                sorted[sorted.length * 99 / 100],
                sorted[sorted.length - 1]);
    }

    private static double millisSince(long start) {
        return (System.nanoTime() - start) / 1e6;
    }

    /** Counts what is read of a blob. */
    private static final class CountingReader implements BlobReader {

        private final BlobReader blob;
        private long bytes;

        CountingReader(BlobReader blob) {
            this.blob = blob;
        }

        @Override
        public byte[] read(long offset, int length) {
            bytes += length;
            return blob.read(offset, length);
        }
    }
}
