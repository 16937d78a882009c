package dev.offsetd.server.admin.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.overlay.PinnedTypes;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PiecesTests {

    private static final TypeShape INT = new BaseShape("int", 4, BaseShape.Encoding.SIGNED);

    @Test
    void bitsAreCountedByByteOrder() {
        BitRange bits = new BitRange(195, 2);

        assertThat(bits.bitsText(ByteOrder.LITTLE_ENDIAN)).isEqualTo("bits 3 to 4 of 1 byte");
        assertThat(bits.bitsText(ByteOrder.BIG_ENDIAN)).isEqualTo("bits 3 to 4 of 1 byte");
        assertThat(new BitRange(192, 1).bitsText(ByteOrder.LITTLE_ENDIAN)).isEqualTo("bit 0 of 1 byte");
        assertThat(new BitRange(192, 1).bitsText(ByteOrder.BIG_ENDIAN)).isEqualTo("bit 7 of 1 byte");
        assertThat(new BitRange(6, 4).bitsText(ByteOrder.BIG_ENDIAN)).isEqualTo("bits 6 to 9 of 2 bytes");
    }

    @Test
    void membersAndHolesAddUpToTheSize() {
        AggregateShape inner = struct(null, TypeKind.UNION, 8, field("p", 0, INT), field("q", 0, array(8)));
        AggregateShape outer =
                struct("outer", TypeKind.STRUCT, 24, field("a", 0, INT), field(null, 64, inner), bitField("f", 128, 3));

        List<Piece> pieces = Pieces.of(outer, Set.of(), PinnedTypes.NONE);

        assertThat(pieces.stream().mapToLong(piece -> piece.bits().length()).sum())
                .isEqualTo(24 * 8);
        assertThat(LayoutStatistics.of(pieces, 24)).isEqualTo(new LayoutStatistics(24, 4, 2, 4 + 7, 5, 1));
    }

    @Test
    void memberExpandsInPlace() {
        AggregateShape point = struct("point", TypeKind.STRUCT, 8, field("x", 0, INT), field("y", 32, INT));
        AggregateShape line = struct("line", TypeKind.STRUCT, 16, field("from", 0, point), field("to", 64, point));

        Piece to = Pieces.of(line, Set.of("to"), PinnedTypes.NONE).getLast();

        assertThat(to.folding()).isEqualTo(Piece.Folding.UNFOLDED);
        assertThat(to.inside())
                .extracting(Piece::path, Piece::bits)
                .containsExactly(tuple("to.x", new BitRange(64, 32)), tuple("to.y", new BitRange(96, 32)));
    }

    /** An allocatable array of Fortran: it starts at byte 8 and has no size in the debug information. */
    @Test
    void memberOfUnknownSizeExtendsToTheNextOne() {
        TypeShape unknown = new BaseShape("integer [:]", TypeShape.UNKNOWN_SIZE, BaseShape.Encoding.OTHER);
        AggregateShape box =
                struct("box", TypeKind.STRUCT, 16, field("a", 0, INT), field("e", 64, unknown), field("last", 96, INT));
        List<Piece> pieces = Pieces.of(box, Set.of(), PinnedTypes.NONE);

        MemoryMap map = MemoryMap.of(pieces, 16, 8, 0, ByteOrder.LITTLE_ENDIAN);

        assertThat(((MemoryMap.MapLine.ByteRow) map.lines().getLast()).segments())
                .extracting(
                        segment -> segment.piece().style(),
                        segment -> map.describe(segment.piece()),
                        MemoryMap.Segment::endBit)
                .contains(tuple("map-block map-unknown", "e: integer [:]; offset 8 (0x8); size unknown", 32));
        assertThat(LayoutStatistics.of(pieces, 16).holeBytes()).isEqualTo(4);
    }

    private static AggregateShape struct(@Nullable String name, TypeKind kind, long size, Member... members) {
        return new AggregateShape(kind, name, kind.word() + " " + name, size, 0, List.of(members));
    }

    private static ArrayShape array(long size) {
        BaseShape character = new BaseShape("char", 1, BaseShape.Encoding.SIGNED);
        return new ArrayShape(new Spelling("char", "[" + size + "]"), character, List.of(size), size);
    }

    private static Member field(@Nullable String name, long bitOffset, TypeShape type) {
        return new Member(
                Member.Role.FIELD, name, new MemberLocation.Fixed(bitOffset), Member.NOT_A_BIT_FIELD, 0, type);
    }

    private static Member bitField(String name, long bitOffset, int bitSize) {
        return new Member(Member.Role.FIELD, name, new MemberLocation.Fixed(bitOffset), bitSize, 4, INT);
    }
}
