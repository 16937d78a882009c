package dev.offsetd.extractor.checklist;

import java.util.Comparator;
import java.util.Set;

/**
 * A test that says which risks it covers.
 *
 * @param module folder of the module, from the repository's root
 * @param className binary name of the class that the test runs in
 * @param method its name
 * @param rows numbers of the risks, of the method's own annotation and of those of its classes
 * @param file its source, from the repository's root
 */
record CoveringTest(String module, String className, String method, Set<Integer> rows, String file)
        implements Comparable<CoveringTest> {

    private static final Comparator<CoveringTest> BY_NAME = Comparator.comparing(CoveringTest::module)
            .thenComparing(CoveringTest::className)
            .thenComparing(CoveringTest::method);

    CoveringTest {
        rows = Set.copyOf(rows);
    }

    @Override
    public int compareTo(CoveringTest other) {
        return BY_NAME.compare(this, other);
    }

    /** The class without its package. */
    String simpleClassName() {
        return className.substring(className.lastIndexOf('.') + 1).replace('$', '.');
    }
}
