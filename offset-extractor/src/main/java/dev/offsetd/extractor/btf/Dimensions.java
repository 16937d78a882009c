package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.ArrayList;
import java.util.List;

/**
 * The dimensions of an array (btf.rst §2.2.3): an array whose elements are arrays is one of several dimensions.
 *
 * @param counts outermost first; 0 for GNU {@code [0]} and for a flexible array member alike, BTF has no other number
 * @param element id of the element's type
 */
record Dimensions(List<Long> counts, long element) {

    private static final int MAX_DIMENSIONS = 64;

    static Dimensions read(TypeRecord array, TypeTable types) throws ExtractionException {
        List<Long> counts = new ArrayList<>(1);
        TypeRecord at = array;
        while (true) {
            if (counts.size() == MAX_DIMENSIONS) {
                throw types.malformed(array, "an array has more than " + MAX_DIMENSIONS + " dimensions");
            }
            ByteCursor in = types.data(at);
            long element = in.u32();
            in.skip(4);
            counts.add(in.u32());
            if (element == 0) {
                return new Dimensions(List.copyOf(counts), element);
            }
            at = types.get(element, at.offset());
            if (at.kind() != Btf.BTF_KIND_ARRAY) {
                return new Dimensions(List.copyOf(counts), element);
            }
        }
    }
}
