package dev.offsetd.query.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blobs that no writer wrote: they end in {@link CorruptBlobException}, whatever they say. */
class StoredCatalogueTests {

    private static final int ALIAS = 1;
    private static final int ARRAY = 2;

    /** The blocks of a blob, one a table, with nothing checked. */
    private static byte[] blob(int entries, byte[]... blocks) {
        BlobOutput blob = new BlobOutput().bytes(new byte[BlobParts.HEADER_BYTES]);
        BlobOutput directory = new BlobOutput()
                .unsigned(1)
                .string("unit.c")
                .unsigned(1)
                .string("C")
                .unsigned(0);
        for (byte[] raw : blocks) {
            directory.unsigned(entries);
            if (raw.length == 0) {
                directory.unsigned(0);
                continue;
            }
            byte[] frame = BlobParts.frame(raw);
            directory.unsigned(1).unsigned(blob.size()).unsigned(frame.length).unsigned(raw.length);
            directory.unsigned(0).string("");
            blob.bytes(frame);
        }
        // No variables, and no names of any.
        directory.unsigned(0).unsigned(0).unsigned(0).unsigned(0);
        int offset = blob.size();
        byte[] frame = BlobParts.frame(directory.toBytes());
        return withHeader(blob.bytes(frame).toBytes(), offset, frame.length, directory.size());
    }

    private static byte[] withHeader(byte[] blob, long offset, int compressed, int raw) {
        ByteBuffer.wrap(blob)
                .putInt(CatalogueFormat.MAGIC)
                .putInt(CatalogueFormat.FORMAT)
                .putLong(offset)
                .putInt(compressed)
                .putInt(raw);
        return blob;
    }

    private static byte[] block(List<BlobOutput> entries) {
        BlobOutput raw = new BlobOutput().unsigned(entries.size());
        entries.forEach(entry -> raw.unsigned(entry.size()));
        entries.forEach(entry -> raw.bytes(entry.toBytes()));
        return raw.toBytes();
    }

    private static BlobOutput definitionOfShape(int shape) {
        return new BlobOutput()
                .unsigned(4)
                .string("a")
                .string("a")
                .unsigned(0)
                .unsigned(0)
                .unsigned(0)
                .string(".debug_info")
                .unsigned(11)
                .unsigned(shape);
    }

    private static BlobOutput name(String name, long... definitions) {
        BlobOutput entry = new BlobOutput().string(name).unsigned(definitions.length);
        for (long definition : definitions) {
            entry.unsigned(definition);
        }
        return entry;
    }

    private static void assertCorrupt(byte[] blob, String problem) {
        assertThatThrownBy(() -> StoredCatalogue.of(blob).definitionsNamed("a"))
                .isInstanceOf(CorruptBlobException.class)
                .hasMessageContaining(problem);
    }

    /** Each shape inside the one before: read by recursion, they would end the stack. */
    @Test
    void namesAreListedInOrderFromAnyPlace() {
        List<Definition> definitions = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            String name = "type_%04d_with_a_name_that_fills_blocks".formatted(4_999 - i);
            definitions.add(new Definition(
                    TypeKind.ENUM,
                    name,
                    name,
                    null,
                    "unit.c",
                    new Language("C11", Language.Family.C),
                    ".debug_info",
                    i,
                    new EnumShape(name, "enum " + name, 4, false, List.of())));
        }
        StoredCatalogue stored = StoredCatalogue.of(CatalogueWriter.encode(new TypeCatalogue(definitions, List.of())));

        List<String> all = names(stored, "", 10_000);
        assertThat(all).hasSize(5_000).isSorted();
        assertThat(names(stored, all.get(1_234), 3)).isEqualTo(all.subList(1_234, 1_237));
        assertThat(names(stored, "type_4998x", 3)).containsExactly(all.get(4_999));
        assertThat(names(stored, all.get(4_999) + " ", 3)).isEmpty();
        StoredCatalogue.Summary summary = stored.summary(all.get(420));
        assertThat(summary.kinds()).containsExactly(TypeKind.ENUM);
        assertThat(summary.byteSize()).isEqualTo(4);
        assertThat(stored.summary("type").kinds()).isEmpty();
    }

    private static List<String> names(StoredCatalogue stored, String from, int limit) {
        List<String> names = new ArrayList<>();
        stored.forEachTypeName(from, name -> {
            names.add(name);
            return names.size() < limit;
        });
        return names;
    }

    @Test
    void shapesInsideAHundredThousandOthersAreCorrupt() {
        int depth = 100_000;
        List<BlobOutput> shapes = new ArrayList<>();
        for (int i = 0; i < depth; i++) {
            shapes.add(new BlobOutput().unsigned(ALIAS).string("").unsigned(Math.max(i - 1, 0)));
        }
        byte[] blob = blob(
                depth,
                block(shapes),
                block(List.of(definitionOfShape(depth - 1))),
                block(List.of(name("a", 0))),
                new byte[0]);
        assertCorrupt(blob, "is inside 601 others");
    }

    @Test
    void arrayWithoutDimensionsIsCorrupt() {
        List<BlobOutput> shapes = List.of(
                new BlobOutput().unsigned(3).string("int").signed(4).unsigned(0),
                new BlobOutput()
                        .unsigned(ARRAY)
                        .string("int []")
                        .unsigned(0)
                        .signed(0)
                        .unsigned(0));
        byte[] blob =
                blob(2, block(shapes), block(List.of(definitionOfShape(1))), block(List.of(name("a", 0))), new byte[0]);
        assertCorrupt(blob, "array without dimensions");
    }

    @Test
    void countOfDefinitionsIsCheckedAgainstTheEntry() {
        byte[] blob = blob(
                Integer.MAX_VALUE,
                block(List.of(new BlobOutput())),
                block(List.of(definitionOfShape(0))),
                block(List.of(new BlobOutput().string("a").unsigned(Integer.MAX_VALUE))),
                new byte[0]);
        assertCorrupt(blob, "2147483647 definitions in an entry of 0 bytes");
    }

    @Test
    void readingEverythingReadsTheNumbersInIndexes() {
        List<BlobOutput> shapes =
                List.of(new BlobOutput().unsigned(3).string("int").signed(4).unsigned(0));
        byte[] definitions = block(List.of(definitionOfShape(0)));
        byte[] of0 = block(List.of(name("a", 0)));
        byte[] of7 = block(List.of(name("a", 7)));

        StoredCatalogue.of(blob(1, block(shapes), definitions, of0, of0)).readAll();
        for (byte[] blob :
                List.of(blob(1, block(shapes), definitions, of7, of0), blob(1, block(shapes), definitions, of0, of7))) {
            assertThatThrownBy(() -> StoredCatalogue.of(blob).readAll())
                    .isInstanceOf(CorruptBlobException.class)
                    .hasMessageContaining("number 7 of 1");
        }
    }

    @Test
    void blockOfMoreEntriesThanAnyIsCorrupt() {
        byte[] raw = new BlobOutput().unsigned(1 << 20).bytes(new byte[1 << 20]).toBytes();
        assertThatThrownBy(() -> new BlockTable.Entries(raw))
                .isInstanceOf(CorruptBlobException.class)
                .hasMessageContaining("claims 1048576 entries");
    }

    @Test
    void tableWithEntriesAndNoBlockIsCorrupt() {
        assertCorrupt(blob(1, new byte[0], new byte[0], block(List.of(name("a", 0))), new byte[0]), "entry 0 of 1");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void lengthsOfTheDirectoryAreChecked(int length) {
        byte[] sound = blob(0, new byte[0], new byte[0], new byte[0], new byte[0]);
        ByteBuffer header = ByteBuffer.wrap(sound);
        assertCorrupt(withHeader(sound.clone(), header.getLong(8), length, header.getInt(20)), "stored blob: ");
        assertCorrupt(withHeader(sound.clone(), header.getLong(8), header.getInt(16), length), "stored blob: ");
        assertCorrupt(withHeader(sound.clone(), length, header.getInt(16), header.getInt(20)), "stored blob: ");
    }

    /** One value that 64 bits cannot say changes how the others are written. */
    @Test
    void wideEnumerationIsStoredWhole() {
        TypeShape shape = new EnumShape(
                "e",
                "enum e",
                16,
                false,
                List.of(new Enumerator("SMALL", 7), Enumerator.tooWide("LARGE"), new Enumerator("ZERO", 0)));
        Definition definition = new Definition(
                TypeKind.ENUM,
                "e",
                "e",
                null,
                "unit.c",
                new Language("C", Language.Family.C),
                ".debug_info",
                11,
                shape);
        byte[] blob = CatalogueWriter.encode(new TypeCatalogue(List.of(definition), List.of()));
        assertThat(StoredCatalogue.of(blob).definitionsNamed("e")).containsExactly(definition);
        assertThat(StoredCatalogue.of(blob).enumeratorsNamed("LARGE"))
                .containsExactlyElementsOf(new TypeCatalogue(List.of(definition), List.of()).enumeratorsNamed("LARGE"));
    }

    /** Each request has its own view that shares layouts. */
    @Test
    void blockIsUnpackedOnceForAllViews() {
        byte[] blob = CatalogueWriter.encode(new TypeCatalogue(
                List.of(new Definition(
                        TypeKind.ENUM,
                        "color",
                        "color",
                        null,
                        "unit.c",
                        new Language("C11", Language.Family.C),
                        ".debug_info",
                        0,
                        new EnumShape("color", "enum color", 4, false, List.of()))),
                List.of()));
        List<Long> read = new ArrayList<>();
        StoredCatalogue stored = new StoredCatalogue((offset, length) -> {
            read.add(offset);
            return StoredBlob.inMemory(blob).read(offset, length);
        });
        assertThat(stored.sharingLayouts().definitionsNamed("color")).hasSize(1);
        assertThat(read).isNotEmpty();
        read.clear();

        assertThat(stored.sharingLayouts().definitionsNamed("color")).hasSize(1);
        assertThat(stored.definitionsNamed("color")).hasSize(1);
        assertThat(read).isEmpty();
    }

    @Test
    void catalogueSaysWhetherTheProgramDescribesTheTypes() {
        TypeCatalogue described = TypeCatalogue.ofProgram(List.of(), List.of());

        assertThat(StoredCatalogue.of(CatalogueWriter.encode(described)).isFromProgram())
                .isTrue();
        assertThat(StoredCatalogue.of(CatalogueWriter.encode(new TypeCatalogue(List.of(), List.of())))
                        .isFromProgram())
                .isFalse();
    }
}
