package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.Overlay;
import dev.offsetd.extractor.input.Search;
import java.util.List;

/**
 * The sections of a file by the addresses that they are loaded at. Where several are, as behind {@code .tbss}, the first of them
 * counts. Immutable.
 */
final class SectionAddresses {

    private final Overlay.Parts parts;

    /** Indexes of the sections, in the order of the ranges. */
    private final int[] indexes;

    SectionAddresses(List<SectionHeader> sections) {
        Overlay overlay = new Overlay();
        indexes = new int[sections.size()];
        for (int i = sections.size() - 1; i >= 0; i--) {
            SectionHeader section = sections.get(i);
            if (section.isLoaded() && section.size() != 0) {
                indexes[overlay.count()] = i;
                long end = section.address() + section.size();
                overlay.add(section.address(), Long.compareUnsigned(end, section.address()) < 0 ? -1 : end);
            }
        }
        parts = overlay.parts();
    }

    /** Returns the index of the section that is loaded at an address, or -1. */
    int indexAt(long address) {
        int last = Search.firstNot(parts.count(), i -> Long.compareUnsigned(parts.start(i), address) <= 0) - 1;
        return last >= 0 && Long.compareUnsigned(address, parts.end(last)) < 0 ? indexes[parts.range(last)] : -1;
    }
}
