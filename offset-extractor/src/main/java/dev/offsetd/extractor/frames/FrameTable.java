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

    public FrameTable {
        functions = List.copyOf(functions);
        files = List.copyOf(files);
        ranges = List.copyOf(ranges);
        omissions = List.copyOf(omissions);
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
