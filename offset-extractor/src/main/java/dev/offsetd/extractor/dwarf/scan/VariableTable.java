package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import java.util.Arrays;

/** Variables of one unit, or of all. */
public final class VariableTable extends NameTable {

    /** The name is visible to other units. */
    static final int EXTERNAL = 4;

    /** The address is known. */
    static final int ADDRESS = 8;

    /** The offset in the block of thread-local variables is known. */
    static final int BLOCK_OFFSET = 16;

    /** Heap of a variable: the numbers that its unit and then the merge keep of it, in arrays that are up to half empty. */
    static final int BYTES = 4 * (9 * Long.BYTES + 1);

    private static final int INITIAL = 4;

    private long[] linkageNameRefs = new long[INITIAL];
    private long[] typeDies = new long[INITIAL];
    private long[] addresses = new long[INITIAL];
    private long[] scopedDies = new long[INITIAL];
    private long[] functionDies = new long[INITIAL];

    VariableTable() {
        super(INITIAL);
    }

    @Override
    void resize(int length) {
        super.resize(length);
        linkageNameRefs = Arrays.copyOf(linkageNameRefs, length);
        typeDies = Arrays.copyOf(typeDies, length);
        addresses = Arrays.copyOf(addresses, length);
        scopedDies = Arrays.copyOf(scopedDies, length);
        functionDies = Arrays.copyOf(functionDies, length);
    }

    /**
     * Sets what only variables have.
     *
     * @param linkageNameRef resolved, or {@link NameRef#NONE}
     * @param scopedDie the DIE whose scopes are the variable's: its own, or that of the declaration it completes
     * @param functionDie the innermost function around, or 0
     */
    void set(int row, long linkageNameRef, long typeDie, long address, long scopedDie, long functionDie) {
        linkageNameRefs[row] = linkageNameRef;
        typeDies[row] = typeDie;
        addresses[row] = address;
        scopedDies[row] = scopedDie;
        functionDies[row] = functionDie;
    }

    void addFrom(VariableTable other, int row) {
        set(
                addRow(other, row),
                other.linkageNameRefs[row],
                other.typeDies[row],
                other.addresses[row],
                other.scopedDies[row],
                other.functionDies[row]);
    }

    /** Returns the resolved linkage name, or {@link NameRef#NONE}. */
    public long linkageNameRef(int row) {
        return linkageNameRefs[row];
    }

    public long typeDie(int row) {
        return typeDies[row];
    }

    /** Returns the address in the program, see {@link #hasAddress}, or the offset, see {@link #hasBlockOffset}. */
    public long address(int row) {
        return addresses[row];
    }

    /** Returns the DIE whose scopes are the variable's: its own, or that of the declaration it completes. */
    public long scopedDie(int row) {
        return scopedDies[row];
    }

    /** Returns the DIE of the innermost function around, or 0. */
    public long functionDie(int row) {
        return functionDies[row];
    }

    /** Returns whether the name is visible to other units. */
    public boolean isExternal(int row) {
        return has(row, EXTERNAL);
    }

    public boolean hasAddress(int row) {
        return has(row, ADDRESS);
    }

    /** Returns whether the offset in the block of thread-local variables of the module is known. */
    public boolean hasBlockOffset(int row) {
        return has(row, BLOCK_OFFSET);
    }
}
