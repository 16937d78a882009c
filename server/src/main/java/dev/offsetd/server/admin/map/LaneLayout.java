package dev.offsetd.server.admin.map;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Assigns pieces that share bits to lanes, so that no two pieces of a lane overlap. Each alternative of a union gets a lane;
 * its expanded members share that lane, which is divided again if they overlap.
 */
final class LaneLayout {

    /** Most lanes of a cluster; the table lists all alternatives. */
    static final int MAX = 12;

    private LaneLayout() {}

    /**
     * A piece that is drawn as a block.
     *
     * @param fromLane first lane, inclusive
     * @param toLane last lane, exclusive
     * @param cluster number of its cluster
     */
    record Leaf(Piece piece, int fromLane, int toLane, int cluster) {}

    /**
     * A piece with the clusters drawn in its place.
     *
     * @param reach bits that they cover
     * @param height number of lanes that they need
     */
    private record Node(Piece piece, BitRange reach, int height, List<Cluster> inside) {}

    /** Nodes connected by overlaps. Nodes of one lane do not overlap. */
    private record Cluster(List<List<Node>> lanes) {

        int height() {
            return lanes.stream().mapToInt(Cluster::heightOf).sum();
        }

        static int heightOf(List<Node> lane) {
            return lane.stream().mapToInt(Node::height).max().orElse(0);
        }
    }

    /** Returns the pieces that are drawn as blocks, in no order. */
    static List<Leaf> of(List<Piece> pieces) {
        List<Leaf> leaves = new ArrayList<>();
        int number = 0;
        for (Cluster cluster : clusters(pieces)) {
            place(cluster, new LaneRange(0, cluster.height(), number++), leaves);
        }
        return leaves;
    }

    private static List<Cluster> clusters(List<Piece> pieces) {
        List<Cluster> clusters = new ArrayList<>();
        List<Node> touching = new ArrayList<>();
        long end = 0;
        for (Node node : nodes(pieces)) {
            if (node.reach().length() == 0) {
                // A node without bits overlaps no other.
                clusters.add(new Cluster(List.of(List.of(node))));
                continue;
            }
            if (node.reach().first() >= end && !touching.isEmpty()) {
                clusters.add(cluster(touching));
                touching.clear();
            }
            touching.add(node);
            end = Math.max(end, node.reach().end());
        }
        if (!touching.isEmpty()) {
            clusters.add(cluster(touching));
        }
        return clusters;
    }

    private static List<Node> nodes(List<Piece> pieces) {
        List<Node> nodes = new ArrayList<>(pieces.size());
        for (Piece piece : pieces) {
            List<Cluster> inside = clusters(piece.inside());
            int height = inside.stream().mapToInt(Cluster::height).max().orElse(1);
            Stream<Node> nested =
                    inside.stream().flatMap(cluster -> cluster.lanes().stream()).flatMap(List::stream);
            BitRange reach = around(Stream.concat(Stream.of(piece.bits()), nested.map(Node::reach)));
            nodes.add(new Node(piece, reach, height, inside));
        }
        nodes.sort(Comparator.comparingLong(node -> node.reach().first()));
        return nodes;
    }

    private static BitRange around(Stream<BitRange> ranges) {
        return ranges.reduce((one, other) -> {
                    long first = Math.min(one.first(), other.first());
                    return new BitRange(first, Math.max(one.end(), other.end()) - first);
                })
                .orElseThrow();
    }

    /** Puts each node into the first lane with room for it. */
    private static Cluster cluster(List<Node> nodes) {
        List<List<Node>> lanes = new ArrayList<>();
        List<Node> left = new ArrayList<>();
        for (Node node : nodes) {
            Optional<List<Node>> free = lanes.stream()
                    .filter(lane -> lane.getLast().reach().end() <= node.reach().first())
                    .findFirst();
            if (free.isPresent()) {
                free.get().add(node);
            } else if (lanes.size() < MAX) {
                lanes.add(new ArrayList<>(List.of(node)));
            } else {
                left.add(node);
            }
        }
        if (!left.isEmpty()) {
            lanes.add(List.of(rest(left)));
        }
        return new Cluster(lanes);
    }

    /** Returns one node in place of those beyond the last lane. */
    private static Node rest(List<Node> nodes) {
        BitRange reach = around(nodes.stream().map(Node::reach));
        Piece more = new Piece(
                Piece.Kind.OTHER,
                "",
                nodes.size() + " more in the table",
                "",
                reach,
                false,
                Piece.Folding.NONE,
                null,
                List.of());
        return new Node(more, reach, 1, List.of());
    }

    /** Lanes {@code from} (inclusive) to {@code to} (exclusive) of a cluster. */
    private record LaneRange(int from, int to, int cluster) {}

    /** Distributes room among the lanes of nodes. */
    private static void place(Cluster cluster, LaneRange room, List<Leaf> leaves) {
        int height = cluster.height();
        int size = room.to() - room.from();
        int above = 0;
        for (List<Node> lane : cluster.lanes()) {
            int below = above + Cluster.heightOf(lane);
            LaneRange own = new LaneRange(
                    room.from() + above * size / height, room.from() + below * size / height, room.cluster());
            for (Node node : lane) {
                if (node.inside().isEmpty()) {
                    leaves.add(new Leaf(node.piece(), own.from(), own.to(), own.cluster()));
                } else {
                    node.inside().forEach(inner -> place(inner, own, leaves));
                }
            }
            above = below;
        }
    }
}
