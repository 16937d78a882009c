package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStream;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation.Fixed;
import dev.offsetd.extractor.layout.TypeKind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A libruby 3.4.5 for amd64 that was built with YJIT, so that C and Rust define the same names: its values as Ruby's
 * source has them. The file is too large for the repository; the tests run where it lies beside the checkout.
 */
class LibrubyIntegrationTests {

    private static final Path COMPRESSED = Path.of("..", "..", "shared", "fixtures", "libruby-3.4.5-amd64.debug.zst");

    @TempDir
    private static Path folder;

    private static Path file = COMPRESSED;

    @BeforeEach
    void decompress() throws IOException {
        Assumptions.assumeTrue(
                Files.isReadable(COMPRESSED),
                () -> "the optional file " + COMPRESSED.toAbsolutePath().normalize() + " is not there");
        file = folder.resolve("libruby.debug");
        if (!Files.exists(file)) {
            try (InputStream in = new ZstdInputStream(Files.newInputStream(COMPRESSED))) {
                Files.copy(in, file);
            }
        }
    }

    private static Definition definition(String name) throws IOException, ExtractionException {
        List<Definition> inC = DebugInfo.read(
                        file,
                        new ReadOptions(Limits.DEFAULT, 2),
                        info -> info.extract(new RequestedNames(Set.of(name), Set.of())))
                .types()
                .definitionsNamed(name)
                .stream()
                .filter(found -> found.language().family() == Language.Family.C && !found.isDeclaration())
                .toList();
        assertThat(inC).hasSize(1);
        return inC.getFirst();
    }

    private static AggregateShape struct(String name) throws IOException, ExtractionException {
        return (AggregateShape) definition(name).shape();
    }

    private static Member member(AggregateShape shape, String name) {
        return shape.members().stream()
                .filter(member -> name.equals(member.name()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no member " + name + " in " + shape.spelling()));
    }

    @Test
    void controlFrameIsThatOfC() throws IOException, ExtractionException {
        AggregateShape frame = struct("rb_control_frame_struct");
        assertThat(frame.byteSize()).isEqualTo(56);
        assertThat(frame.members())
                .extracting(member -> member.name() + " " + ((Fixed) member.location()).bitOffset() / 8)
                .containsExactly("pc 0", "sp 8", "iseq 16", "self 24", "ep 32", "block_code 40", "jit_return 48");
        assertThat(member(frame, "pc").type().spelling()).isEqualTo("const VALUE *");
    }

    @Test
    void bitFieldOfTheExecutionContextIsInItsPlace() throws IOException, ExtractionException {
        AggregateShape context = struct("rb_execution_context_struct");
        assertThat(member(context, "cfp").location()).isEqualTo(new Fixed(16 * 8));
        Member reason = member(context, "method_missing_reason");
        assertThat(reason.location()).isEqualTo(new Fixed(1032));
        assertThat(reason.bitSize()).isEqualTo(8);
        assertThat(reason.storageBytes()).isEqualTo(4);
    }

    @Test
    void stringOnTheHeapIsReachedThroughUnnamedTypes() throws IOException, ExtractionException {
        Member as = member(struct("RString"), "as");
        Member heap = member((AggregateShape) as.type().peeled(), "heap");
        Member ptr = member((AggregateShape) heap.type().peeled(), "ptr");
        long bits = ((Fixed) as.location()).bitOffset()
                + ((Fixed) heap.location()).bitOffset()
                + ((Fixed) ptr.location()).bitOffset();
        assertThat(bits).isEqualTo(24 * 8);
        assertThat(ptr.type().spelling()).isEqualTo("char *");
    }

    @Test
    void valueIsAnUnsignedLong() throws IOException, ExtractionException {
        Definition value = definition("VALUE");
        assertThat(value.kind()).isEqualTo(TypeKind.TYPEDEF);
        assertThat(value.shape().byteSize()).isEqualTo(8);
        assertThat(value.shape())
                .isInstanceOfSatisfying(
                        AliasShape.class,
                        alias -> assertThat(alias.target().spelling()).isEqualTo("long unsigned int"));
    }
}
