package dev.offsetd.extractor.omission;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.Omission.Cause;
import dev.offsetd.extractor.layout.Omission.Part;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The parts of a file that a reading left out, each once however often it is met, so that the log does not depend on the
 * number of threads. Thread-safe.
 */
public final class OmissionLog {

    /** Heap of a fault with its message and stack trace. */
    private static final int OMISSION_BYTES = 1024;

    /** Where a part stands, and why it was left out. */
    private record Place(Part part, Cause cause, long address) implements Comparable<Place> {

        private static final Comparator<Place> ORDER =
                Comparator.comparing(Place::part).thenComparing(Place::cause).thenComparingLong(Place::address);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    /** Fault of one or more parts. */
    private record Fault(ExtractionException exception, long parts) {}

    private final NavigableMap<Place, Fault> faults = new TreeMap<>();
    private final HeapBudget heap;

    /** Units that were read to their end. */
    private final AtomicLong units = new AtomicLong();

    /** @param heap counts what is kept of the faults */
    public OmissionLog(HeapBudget heap) {
        this.heap = heap;
    }

    /**
     * Notes a part that is left out for a fault: {@code MalformedInputException} means that it is damaged, {@code
     * UnsupportedInputException} that the reader does not support it.
     *
     * @param address of the part; each address counts once
     * @throws LimitExceededException if the fault is one that ends the reading of the whole file
     */
    public void omit(Part part, long address, ExtractionException fault) throws LimitExceededException {
        omit(part, address, 1, fault);
    }

    /** Notes parts that are left out for one fault, as {@link #omit(Part, long, ExtractionException)} does for one. */
    public void omit(Part part, long address, long parts, ExtractionException fault) throws LimitExceededException {
        if (fault instanceof LimitExceededException limit) {
            throw limit;
        }
        Cause cause = fault instanceof MalformedInputException ? Cause.DAMAGED : Cause.UNSUPPORTED;
        if (add(new Place(part, cause, address), new Fault(fault, parts))) {
            heap.keep(OMISSION_BYTES, fault.section(), fault.offset());
        }
    }

    private synchronized boolean add(Place place, Fault fault) {
        return faults.putIfAbsent(place, fault) == null;
    }

    /** Notes that a unit was read to its end. */
    public void noteUnit() {
        units.incrementAndGet();
    }

    /**
     * Throws the fault of the first unit that was left out, if there is no other unit.
     *
     * @throws ExtractionException if nothing of the file can be read
     */
    public synchronized void requireAnyUnit() throws ExtractionException {
        if (units.get() > 0) {
            return;
        }
        ExtractionException first = faults.entrySet().stream()
                .filter(fault -> fault.getKey().part == Part.UNIT)
                .min(Comparator.comparingLong(fault -> fault.getKey().address))
                .map(fault -> fault.getValue().exception)
                .orElse(null);
        if (first != null) {
            throw first;
        }
    }

    /** Returns what was left out so far. */
    public synchronized List<Omission> omissions() {
        List<Omission> found = new ArrayList<>();
        for (Part part : Part.values()) {
            for (Cause cause : Cause.values()) {
                NavigableMap<Place, Fault> same = faults.subMap(
                        new Place(part, cause, Long.MIN_VALUE), true, new Place(part, cause, Long.MAX_VALUE), true);
                if (!same.isEmpty()) {
                    List<String> places = same.values().stream()
                            .limit(Omission.MAX_PLACES)
                            .map(fault -> String.valueOf(fault.exception.getMessage()))
                            .toList();
                    long count = same.values().stream().mapToLong(Fault::parts).sum();
                    found.add(new Omission(part, cause, count, places));
                }
            }
        }
        return found;
    }
}
