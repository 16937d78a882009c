package dev.offsetd.server.admin.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.server.admin.map.MemoryMap.MapLine;
import dev.offsetd.server.admin.map.MemoryMap.Segment;
import dev.offsetd.server.admin.map.MemoryMap.Window;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemoryMapTests {

    private static final Window ROWS_OF_8 = new Window(8, 0, 1000);

    @Test
    void memberAcrossTwoRowsHasASegmentInEach() {
        MemoryMap map = map(List.of(bytes("a", 0, 4), bytes("b", 4, 16), bytes("c", 20, 4)), 24, ROWS_OF_8);

        assertThat(described(map)).containsExactly("0: a 0-32, b 32-64", "8: b 0-64", "16: b 0-32, c 32-64");
        assertThat(map.nextByte()).isEqualTo(MemoryMap.NO_MORE);
    }

    @Test
    void alternativesOfAUnionGetLanes() {
        Piece union = inside("", 8, 16, Piece.Kind.UNION, List.of(bytes("ptr", 8, 8), bytes("embed", 8, 16)));

        MemoryMap map = map(List.of(bytes("len", 0, 8), union), 24, ROWS_OF_8);

        assertThat(described(map))
                .containsExactly(
                        "0: len 0-64", "8: ptr 0-64 lanes 0-1 of 2, embed 0-64 lanes 1-2 of 2", "16: embed 0-64");
    }

    @Test
    void membersOfAnAlternativeShareItsLaneAndEmptyLanesAreOmitted() {
        Piece pair = inside("pair", 0, 16, Piece.Kind.STRUCT, List.of(bytes("pair.a", 0, 8), bytes("pair.b", 8, 8)));
        Piece either =
                inside("either", 0, 16, Piece.Kind.UNION, List.of(bytes("either.x", 0, 16), bytes("either.y", 0, 4)));

        MemoryMap map = map(
                List.of(inside("", 0, 16, Piece.Kind.UNION, List.of(pair, either, bytes("whole", 0, 16)))),
                16,
                ROWS_OF_8);

        assertThat(described(map))
                .containsExactly(
                        "0: pair.a 0-64 lanes 0-1 of 4, either.x 0-64 lanes 1-2 of 4, either.y 0-32 lanes 2-3 of 4,"
                                + " whole 0-64 lanes 3-4 of 4",
                        "8: pair.b 0-64 lanes 0-1 of 3, either.x 0-64 lanes 1-2 of 3, whole 0-64 lanes 2-3 of 3");
    }

    @Test
    void bitFieldsAreInMemoryOrder() {
        MemoryMap map = map(
                List.of(bits("a", 0, 3), bits("b", 3, 1), Piece.hole(new BitRange(4, 4)), bits("c", 8, 12)),
                4,
                ROWS_OF_8);

        assertThat(described(map)).containsExactly("0: a 0-3, b 3-4, hole 4-8, c 8-20");
    }

    @Test
    void bytesSharedByBitFieldsAreDrawnAgainBelow() {
        MapLine.ByteRow row =
                (MapLine.ByteRow) map(List.of(bits("a", 0, 1), bits("b", 1, 7), bits("c", 8, 8)), 2, ROWS_OF_8)
                        .lines()
                        .getFirst();

        assertThat(row.sharedBytes())
                .singleElement()
                .satisfies(shared -> assertThat(shared.segments())
                        .extracting(segment -> segment.piece().name(), Segment::firstBit, Segment::endBit)
                        .containsExactly(tuple("a", 0, 1), tuple("b", 1, 8)));
    }

    @Test
    void sharedByteOfEachLaneIsDrawnWithItsOffset() {
        List<Piece> unions = IntStream.range(0, LaneLayout.MAX)
                .mapToObj(i -> inside(
                        "u" + i,
                        0,
                        1,
                        Piece.Kind.UNION,
                        IntStream.range(0, LaneLayout.MAX)
                                .mapToObj(j -> bits("m" + i + "_" + j, 0, 3))
                                .toList()))
                .toList();

        MapLine.ByteRow row =
                (MapLine.ByteRow) map(unions, 1, ROWS_OF_8).lines().getFirst();

        assertThat(row.lanes()).isEqualTo(LaneLayout.MAX * LaneLayout.MAX);
        assertThat(row.sharedBytes()).hasSize(row.lanes()).allSatisfy(shared -> {
            assertThat(shared.offset()).isZero();
            assertThat(shared.segments()).hasSize(1);
        });
    }

    @Test
    void rowsOfOneMemberAreJoinedUnlessAnotherIsBetweenThem() {
        MemoryMap map = map(List.of(bytes("a", 0, 8), bytes("b", 8, 24), bytes("c", 32, 16)), 48, ROWS_OF_8);

        assertThat(map.lines())
                .map(line -> ((MapLine.ByteRow) line).joined())
                .containsExactly(false, false, true, true, false, true);
        assertThat(map.lines())
                .map(line -> ((MapLine.ByteRow) line).segments().getFirst().again())
                .containsExactly(false, false, true, true, false, true);
    }

    @Test
    void onlyTheFirstAndLastOfManyEqualRowsAreDrawn() {
        MemoryMap map =
                map(List.of(bytes("head", 0, 4), bytes("buffer", 4, 4096), bytes("tail", 4100, 4)), 4104, ROWS_OF_8);

        assertThat(described(map))
                .containsExactly(
                        "0: head 0-32, buffer 32-64",
                        "8: buffer 0-64",
                        "16: 4072 bytes of buffer",
                        "4088: buffer 0-64",
                        "4096: buffer 0-32, tail 32-64");
    }

    @Test
    void hugeMemberIsDrawnInConstantTime() {
        long size = Long.MAX_VALUE / 8 - 64;

        MemoryMap map = map(List.of(bytes("sea", 0, size)), size, ROWS_OF_8);

        assertThat(map.lines()).hasSizeLessThan(6);
    }

    @Test
    void windowEndsWithTheOffsetOfTheNext() {
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            pieces.add(bytes("m" + i, 8L * i, 8));
        }

        MemoryMap first = map(pieces, 800, new Window(8, 0, 30));
        MemoryMap second = map(pieces, 800, new Window(8, first.nextByte(), 1000));

        assertThat(first.nextByte()).isEqualTo(240);
        assertThat(described(second).getFirst()).isEqualTo("240: m30 0-64");
        assertThat(first.lines().size() + second.lines().size()).isEqualTo(100);
    }

    /** Rows of the whole window would have 276,480 segments. */
    @Test
    void mapOfUnionsInUnionsEndsAfterManySegments() {
        List<Piece> unions = unions("u", 1_280, 3);

        MemoryMap first = map(unions, 1_280, new Window(8, 0, MemoryMap.MAX_LINES));
        MemoryMap second = map(unions, 1_280, new Window(8, first.nextByte(), MemoryMap.MAX_LINES));

        assertThat(first.lines()).hasSize(3);
        assertThat(first.nextByte()).isEqualTo(24);
        assertThat(second.lines().getFirst().offset()).isEqualTo(24);
        assertThat(second.nextByte()).isEqualTo(48);
    }

    /** Returns alternatives, each of which has as many inside, down to this depth. */
    private static List<Piece> unions(String name, long size, int depth) {
        return IntStream.range(0, LaneLayout.MAX)
                .mapToObj(i -> depth == 1
                        ? bytes(name + i, 0, size)
                        : inside(name + i, 0, size, Piece.Kind.UNION, unions(name + i, size, depth - 1)))
                .toList();
    }

    @Test
    void flexibleArrayExtendsToTheEndOfItsRow() {
        Piece open = new Piece(
                Piece.Kind.OPEN,
                "ary",
                "ary[]",
                "int []",
                new BitRange(96, 0),
                false,
                Piece.Folding.NONE,
                null,
                List.of());

        assertThat(described(map(List.of(bytes("n", 0, 12), open), 12, ROWS_OF_8)))
                .containsExactly("0: n 0-64", "8: n 0-32, ary 32-64");
        assertThat(described(map(List.of(bytes("n", 0, 12), open), 12, new Window(16, 0, 9))))
                .containsExactly("0: n 0-96, ary 96-128");
    }

    @Test
    void memberWithoutSizeIsVisible() {
        assertThat(described(map(List.of(bytes("a", 0, 8), bytes("mark", 8, 0), bytes("b", 8, 8)), 16, ROWS_OF_8)))
                .containsExactly("0: a 0-64", "8: mark 0-0, b 0-64");
        assertThat(described(map(List.of(bytes("a", 0, 8), bytes("end", 8, 0)), 8, ROWS_OF_8)))
                .containsExactly("0: a 0-64", "8: end 0-0");
        assertThat(map(List.of(), 0, ROWS_OF_8).lines()).isEmpty();
    }

    @Test
    void extractedPlacementOfAPinnedMemberIsAGhost() {
        Piece pinned = new Piece(
                Piece.Kind.POINTER,
                "p",
                "p",
                "void *",
                new BitRange(128, 64),
                false,
                Piece.Folding.NONE,
                new Piece.Pinned("1", new BitRange(64, 64)),
                List.of());

        MemoryMap map = map(List.of(bytes("a", 0, 8), Piece.hole(new BitRange(64, 64)), pinned), 24, ROWS_OF_8);

        assertThat(map.lines())
                .map(line -> ((MapLine.ByteRow) line).ghosts().size())
                .containsExactly(0, 1, 0);
    }

    @Test
    void unionWithManyAlternativesCountsTheOmittedOnes() {
        List<Piece> alternatives = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            alternatives.add(bytes("m" + i, 0, 8));
        }

        MemoryMap map = map(List.of(inside("u", 0, 8, Piece.Kind.UNION, alternatives)), 8, ROWS_OF_8);

        MapLine.ByteRow row = (MapLine.ByteRow) map.lines().getFirst();
        assertThat(row.lanes()).isEqualTo(LaneLayout.MAX + 1);
        assertThat(row.segments().getLast().piece().name()).isEqualTo("28 more in the table");
    }

    @Test
    void lanesDoNotOverlapAndEveryBitIsDrawn() {
        for (int seed = 0; seed < 400; seed++) {
            Random random = new Random(seed);
            long size = 1L + random.nextInt(300);
            List<Piece> pieces = struct(random, 0, size, 3);
            int rowBytes = random.nextBoolean() ? 8 : 16;

            MemoryMap map = map(pieces, size, new Window(rowBytes, 0, 10_000));

            BitSet drawn = new BitSet();
            for (MapLine line : map.lines()) {
                switch (line) {
                    case MapLine.SkippedRows skipped ->
                        drawn.set((int) skipped.offset() * 8, (int) (skipped.offset() + skipped.bytes()) * 8);
                    case MapLine.ByteRow row -> {
                        assertNoOverlap(row, seed);
                        for (Segment segment : row.segments()) {
                            drawn.set(
                                    (int) row.offset() * 8 + segment.firstBit(),
                                    (int) row.offset() * 8 + segment.endBit());
                            assertThat(segment.endBit()).isLessThanOrEqualTo(rowBytes * 8);
                        }
                    }
                }
            }
            assertThat(drawn.cardinality()).as("bits drawn, seed %d", seed).isEqualTo((int) size * 8);
        }
    }

    private static MemoryMap map(List<Piece> pieces, long size, Window window) {
        return MemoryMap.of(pieces, size, window, ByteOrder.LITTLE_ENDIAN);
    }

    private static void assertNoOverlap(MapLine.ByteRow row, int seed) {
        List<Segment> segments = row.segments();
        for (int i = 0; i < segments.size(); i++) {
            for (int j = i + 1; j < segments.size(); j++) {
                Segment a = segments.get(i);
                Segment b = segments.get(j);
                boolean sameBits = a.firstBit() < b.endBit() && b.firstBit() < a.endBit();
                boolean sameHeight = a.fromLane() * b.lanes() < b.toLane() * a.lanes()
                        && b.fromLane() * a.lanes() < a.toLane() * b.lanes();
                assertThat(sameBits && sameHeight)
                        .as("seed %d, %s and %s", seed, a, b)
                        .isFalse();
            }
        }
    }

    /** Returns random pieces that fill these bytes without a gap. */
    private static List<Piece> struct(Random random, long offset, long size, int depth) {
        List<Piece> pieces = new ArrayList<>();
        long at = offset;
        while (at < offset + size) {
            long length = 1L + random.nextInt((int) Math.min(24, offset + size - at));
            switch (random.nextInt(depth > 0 ? 6 : 4)) {
                case 0 -> pieces.add(Piece.hole(new BitRange(at * 8, length * 8)));
                case 1 -> {
                    int cut = 1 + random.nextInt(7);
                    pieces.add(bits("f" + at, at * 8, cut));
                    pieces.add(bits("g" + at, at * 8 + cut, (int) (length * 8) - cut));
                }
                case 4 ->
                    pieces.add(inside("s" + at, at, length, Piece.Kind.STRUCT, struct(random, at, length, depth - 1)));
                case 5 -> {
                    List<Piece> alternatives = new ArrayList<>(List.of(bytes("u" + at, at, length)));
                    for (int i = 0; i < random.nextInt(3); i++) {
                        long part = 1L + random.nextInt((int) length);
                        alternatives.add(
                                inside("v" + i, at, part, Piece.Kind.STRUCT, struct(random, at, part, depth - 1)));
                    }
                    pieces.add(inside("w" + at, at, length, Piece.Kind.UNION, alternatives));
                }
                default -> pieces.add(bytes("m" + at, at, length));
            }
            at += length;
        }
        return pieces;
    }

    private static List<String> described(MemoryMap map) {
        List<String> lines = new ArrayList<>();
        for (MapLine line : map.lines()) {
            lines.add(
                    switch (line) {
                        case MapLine.ByteRow row -> row.offset() + ": " + described(row);
                        case MapLine.SkippedRows skipped ->
                            skipped.offset() + ": " + skipped.bytes() + " bytes of "
                                    + skipped.piece().path();
                    });
        }
        return lines;
    }

    private static String described(MapLine.ByteRow row) {
        List<String> segments = new ArrayList<>();
        for (Segment segment : row.segments()) {
            String name = segment.piece().isHole() ? "hole" : segment.piece().path();
            String lanes = segment.lanes() == 1
                    ? ""
                    : " lanes " + segment.fromLane() + "-" + segment.toLane() + " of " + segment.lanes();
            segments.add(name + " " + segment.firstBit() + "-" + segment.endBit() + lanes);
        }
        return String.join(", ", segments);
    }

    private static Piece bytes(String name, long offset, long size) {
        return piece(name, Piece.Kind.INTEGER, new BitRange(offset * 8, size * 8), false, null, List.of());
    }

    private static Piece bits(String name, long first, int length) {
        return piece(name, Piece.Kind.INTEGER, new BitRange(first, length), true, null, List.of());
    }

    private static Piece inside(String name, long offset, long size, Piece.Kind kind, List<Piece> inside) {
        return piece(name, kind, new BitRange(offset * 8, size * 8), false, null, inside);
    }

    private static Piece piece(
            String name,
            Piece.Kind kind,
            BitRange bits,
            boolean bitField,
            Piece.@Nullable Pinned pin,
            List<Piece> inside) {
        return new Piece(kind, name, name, "int", bits, bitField, Piece.Folding.NONE, pin, inside);
    }
}
