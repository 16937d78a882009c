package dev.offsetd.extractor.frames;

import dev.offsetd.extractor.layout.Omission;
import java.util.List;

/**
 * The functions and lines of a file, by address.
 *
 * @param functions names, by number
 * @param files paths, by number
 * @param ranges by address, none of which overlap
 * @param omissions what was left out
 */
public record FrameTable(
        List<FunctionName> functions, List<String> files, List<FrameRange> ranges, List<Omission> omissions) {

    public static final FrameTable EMPTY = new FrameTable(List.of(), List.of(), List.of(), List.of());

    /** Heap of a name or path in a list and a map, without its text. */
    private static final int TEXT_BYTES = 160;

    public FrameTable {
        functions = List.copyOf(functions);
        files = List.copyOf(files);
        ranges = List.copyOf(ranges);
        omissions = List.copyOf(omissions);
    }

    /** Returns the estimated heap memory of a name or path. */
    public static long heapBytes(long characters) {
        return TEXT_BYTES + 2 * characters;
    }

    /** Returns the estimated heap memory of all names and paths. */
    public long textBytes() {
        return functions.stream().mapToLong(name -> heapBytes(name.length())).sum()
                + files.stream().mapToLong(path -> heapBytes(path.length())).sum();
    }

    /** Returns the frames at an address, the innermost first; none if it is in no function and no line. */
    public List<Frame> at(long address) {
        int low = 0;
        int high = ranges.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            FrameRange range = ranges.get(middle);
            if (range.holds(address)) {
                return range.frames(address, functions::get, files::get);
            }
            if (Long.compareUnsigned(range.start(), address) < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return List.of();
    }
}
