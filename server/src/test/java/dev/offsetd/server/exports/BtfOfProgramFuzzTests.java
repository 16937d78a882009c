package dev.offsetd.server.exports;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.Dw.DW_ATE_unsigned;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_pointer_type;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.byteSize;
import static dev.offsetd.extractor.testkit.DwarfTree.die;
import static dev.offsetd.extractor.testkit.DwarfTree.label;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.type;
import static dev.offsetd.extractor.testkit.DwarfTree.typedef;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.query.export.BtfRenderer;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.testkit.HostileBody;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;

/** BPF programs in request bodies, and the BTF that answers them. The last byte chooses the style of its names. */
@ChecklistRow(1)
class BtfOfProgramFuzzTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private static final BpfObjects OBJECTS =
            new BpfObjects(new ComputePool("answers", 1, new PeriodicTasks(), new SimpleMeterRegistry()));

    private static final Architecture AMD64 = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);

    @TempDir
    private static Path folder;

    /** Types that the first inputs ask for. */
    private static final byte[] BUILD = build();

    private static byte[] build() {
        try {
            Path file = Files.createTempFile("build", ".debug");
            try {
                DwarfWriter.write(
                                DwarfStyle.DEFAULT,
                                unit(
                                        baseType("int", 4, DW_ATE_signed),
                                        baseType("unsigned long", 8, DW_ATE_unsigned),
                                        struct("point", 8, member("x", "int", 0), member("y", "int", 4)),
                                        die(
                                                DW_TAG_pointer_type,
                                                label("context"),
                                                type("rb_execution_context_struct"),
                                                byteSize(8)),
                                        typedef("VALUE", "unsigned long"),
                                        struct(
                                                "rb_iseq_struct",
                                                24,
                                                member("flags", "VALUE", 0),
                                                member("body", "context", 8),
                                                member("at", "point", 16)),
                                        struct(
                                                "rb_execution_context_struct",
                                                32,
                                                member("vm_stack", "context", 0),
                                                member("vm_stack_size", "unsigned long", 8),
                                                member("cfp", "context", 16),
                                                member("first", "point", 24))))
                        .writeTo(file);
                TypeCatalogue types =
                        DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types();
                return CatalogueWriter.encode(types);
            } finally {
                Files.delete(file);
            }
        } catch (IOException | ExtractionException e) {
            throw new AssertionError(e);
        }
    }

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        String names = data.length > 0 && data[data.length - 1] == 1 ? "names=c" : null;
        HostileBody.read(data, request -> {
            ExportQuery query = ExportQuery.ofProgram(OBJECTS.relocatedTypes(request), names, BuildId::parse);
            Set<NamedShape> relocated = Objects.requireNonNull(query.relocated());
            StoredCatalogue build = StoredCatalogue.of(BUILD);
            ByteArrayOutputStream btf = new ByteArrayOutputStream();
            new BtfRenderer(AMD64, null).render(ExportedTypes.named(relocated, build, query.names()), btf);
            requireReadable(btf.toByteArray());
            return relocated.stream().map(NamedShape::qualifiedName).toList();
        });
    }

    private static void requireReadable(byte[] btf) throws IOException {
        Path file = Files.write(
                folder.resolve("btf"),
                new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).section(".BTF", btf).toBytes());
        try {
            DebugInfo.read(file, OPTIONS, DebugInfo::extractAll);
        } catch (ExtractionException e) {
            throw new AssertionError("the answer is not BTF", e);
        }
    }
}
