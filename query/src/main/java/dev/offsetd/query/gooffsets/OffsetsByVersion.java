package dev.offsetd.query.gooffsets;

import dev.offsetd.query.gooffsets.TrackedModule.TrackedMember;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Offsets of members by the version of their module, collected from programs of one architecture. Programs of equal trust
 * that differ in a member contradict each other: it has no offset in that version then. Programs of higher trust outrank others.
 */
public final class OffsetsByVersion {

    private static final int MAX_CONTRADICTIONS = 20;

    private final List<TrackedModule> modules;
    private final Map<Key, SortedMap<GoVersion, Cell>> cells = new LinkedHashMap<>();

    private record Key(String module, TrackedMember member) implements Comparable<Key> {

        @Override
        public int compareTo(Key other) {
            int order = module.compareTo(other.module);
            order = order != 0 ? order : member.type().compareTo(other.member.type());
            return order != 0 ? order : member.field().compareTo(other.member.field());
        }
    }

    /**
     * The statements of programs about a member in one version.
     *
     * @param offset null if the type lacks the member
     * @param rank of the programs, 0 for the highest trust
     */
    private record Cell(@Nullable Long offset, int rank, String program, boolean contradicted) {}

    /**
     * A member that programs contradict each other in.
     *
     * @param version of the module
     * @param programs two of them
     */
    public record Contradiction(TrackedMember member, GoVersion version, List<String> programs) {}

    private final List<Contradiction> contradictions = new ArrayList<>();

    public OffsetsByVersion(List<TrackedModule> modules) {
        this.modules = List.copyOf(modules);
        for (TrackedModule module : modules) {
            for (TrackedMember member : module.members()) {
                cells.put(new Key(module.path(), member), new TreeMap<>());
            }
        }
    }

    /** Returns the modules whose members are collected. */
    public List<TrackedModule> modules() {
        return modules;
    }

    /**
     * Adds the statement of a program.
     *
     * @param version the program's version of the module
     * @param offset null if the type lacks the member
     * @param rank of the program, 0 for the highest trust
     * @param program its name in contradictions
     */
    public void add(
            TrackedModule module,
            TrackedMember member,
            GoVersion version,
            @Nullable Long offset,
            int rank,
            String program) {
        SortedMap<GoVersion, Cell> versions = cells.get(new Key(module.path(), member));
        if (versions == null || !member.isNeededIn(version)) {
            return;
        }
        Cell stated = new Cell(offset, rank, program, false);
        Cell known = versions.get(version);
        if (known == null || rank < known.rank()) {
            versions.put(version, stated);
        } else if (rank == known.rank() && !known.contradicted() && !Objects.equals(offset, known.offset())) {
            versions.put(version, new Cell(known.offset(), rank, known.program(), true));
            if (contradictions.size() < MAX_CONTRADICTIONS) {
                contradictions.add(new Contradiction(member, version, List.of(known.program(), program)));
            }
        }
    }

    /** Returns the first contradictions that were found. */
    public List<Contradiction> contradictions() {
        return List.copyOf(contradictions);
    }

    /** Returns whether programs contradict each other in a member, in a version that passes the filter. */
    boolean isContradicted(TrackedModule module, TrackedMember member, boolean releasesOnly) {
        return versions(module, member).entrySet().stream()
                .anyMatch(each -> each.getValue().contradicted()
                        && (!releasesOnly || each.getKey().isRelease()));
    }

    /** Returns the offsets that are known by version, in order; null where the type lacks the member. */
    SortedMap<GoVersion, @Nullable Long> known(TrackedModule module, TrackedMember member) {
        SortedMap<GoVersion, @Nullable Long> known = new TreeMap<>();
        versions(module, member).forEach((version, cell) -> {
            if (!cell.contradicted()) {
                known.put(version, cell.offset());
            }
        });
        return known;
    }

    /** Returns the number of versions in which programs contradict each other in a member. */
    long contradicted(TrackedModule module, TrackedMember member) {
        return versions(module, member).values().stream()
                .filter(Cell::contradicted)
                .count();
    }

    private SortedMap<GoVersion, Cell> versions(TrackedModule module, TrackedMember member) {
        return cells.getOrDefault(new Key(module.path(), member), new TreeMap<>());
    }
}
