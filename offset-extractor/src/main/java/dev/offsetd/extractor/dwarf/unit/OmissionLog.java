package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.Omission.Cause;
import dev.offsetd.extractor.layout.Omission.Part;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the DWARF that were left out, each once however often it is met, so that the log does not depend on the
 * number of threads. Thread-safe.
 */
final class OmissionLog {

    /** Where a part stands, and why it was left out. */
    private record Place(Part part, Cause cause, long dieAddress) implements Comparable<Place> {

        private static final Comparator<Place> ORDER =
                Comparator.comparing(Place::part).thenComparing(Place::cause).thenComparingLong(Place::dieAddress);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private final NavigableMap<Place, ExtractionException> faults = new TreeMap<>();

    /** Adds a part, and returns whether it is a new one. */
    synchronized boolean add(Part part, long dieAddress, ExtractionException fault) {
        Cause cause = fault instanceof MalformedInputException ? Cause.DAMAGED : Cause.UNSUPPORTED;
        return faults.putIfAbsent(new Place(part, cause, dieAddress), fault) == null;
    }

    /** Returns the fault of the first unit that was left out, or null. */
    synchronized @Nullable ExtractionException firstOfUnits() {
        return faults.entrySet().stream()
                .filter(fault -> fault.getKey().part == Part.UNIT)
                .min(Comparator.comparingLong(fault -> fault.getKey().dieAddress))
                .map(fault -> fault.getValue())
                .orElse(null);
    }

    synchronized List<Omission> omissions() {
        List<Omission> found = new ArrayList<>();
        for (Part part : Part.values()) {
            for (Cause cause : Cause.values()) {
                NavigableMap<Place, ExtractionException> same = faults.subMap(
                        new Place(part, cause, Long.MIN_VALUE), true, new Place(part, cause, Long.MAX_VALUE), true);
                if (!same.isEmpty()) {
                    List<String> places = same.values().stream()
                            .limit(Omission.MAX_PLACES)
                            .map(fault -> String.valueOf(fault.getMessage()))
                            .toList();
                    found.add(new Omission(part, cause, same.size(), places));
                }
            }
        }
        return found;
    }
}
