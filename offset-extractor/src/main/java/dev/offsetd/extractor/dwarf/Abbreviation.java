package dev.offsetd.extractor.dwarf;

/** One abbreviation declaration, compiled (DWARF 5 §7.5.3). Its arrays are never changed. */
final class Abbreviation {

    private final long code;
    private final int tag;
    private final boolean hasChildren;
    private final int fixedBytes;
    private final int[] plan;
    private final long[] constants;

    /**
     * @param code its code in the table
     * @param tag the DIE's tag
     * @param hasChildren whether child DIEs follow
     * @param fixedBytes bytes of the attributes if nothing is captured and all are of fixed size, else -1
     * @param plan what to do with the attributes, see {@link PlanCompiler}
     * @param constants values of {@code DW_FORM_implicit_const} that the plan captures
     */
    Abbreviation(long code, int tag, boolean hasChildren, int fixedBytes, int[] plan, long[] constants) {
        this.code = code;
        this.tag = tag;
        this.hasChildren = hasChildren;
        this.fixedBytes = fixedBytes;
        this.plan = plan;
        this.constants = constants;
    }

    long code() {
        return code;
    }

    int tag() {
        return tag;
    }

    boolean hasChildren() {
        return hasChildren;
    }

    int fixedBytes() {
        return fixedBytes;
    }

    int[] plan() {
        return plan;
    }

    long[] constants() {
        return constants;
    }
}
