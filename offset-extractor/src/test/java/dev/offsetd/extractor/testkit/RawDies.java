package dev.offsetd.extractor.testkit;

import java.util.Arrays;

/**
 * The DIEs that describe layouts, in the order of a tool's output. They are stored in columns of numbers, because a
 * kernel has ten million of them. A row number identifies a DIE. Attributes are uninterpreted.
 */
final class RawDies {

    /** Result of {@link #get} for an absent attribute. */
    static final long ABSENT = Long.MIN_VALUE;

    /** An attribute that has no constant value: an expression, or a reference in place of a number. */
    static final long NOT_A_NUMBER = Long.MIN_VALUE + 1;

    /** Encodings of signed base types (DWARF 5 §7.8). */
    static final long SIGNED = 5;

    static final long SIGNED_CHAR = 6;

    static final int NONE = -1;

    private int count;
    private long[] keys = new long[1024];
    private RawTag[] tags = new RawTag[1024];
    private int[] parents = new int[1024];
    private short[] depths = new short[1024];
    private int[] units = new int[1024];
    private int[] firstAttributes = new int[1025];
    private int attributeCount;
    private RawAttribute[] attributes = new RawAttribute[4096];
    private long[] values = new long[4096];

    int count() {
        return count;
    }

    /**
     * Adds a DIE; {@link #put} then applies to it.
     *
     * @param parent row of its parent, or {@link #NONE} if the parent is not recorded
     * @param depth nesting depth in its unit
     */
    int add(long key, RawTag tag, int parent, int depth, int unit) {
        if (count == keys.length) {
            int more = count + (count >> 1);
            keys = Arrays.copyOf(keys, more);
            tags = Arrays.copyOf(tags, more);
            parents = Arrays.copyOf(parents, more);
            depths = Arrays.copyOf(depths, more);
            units = Arrays.copyOf(units, more);
            firstAttributes = Arrays.copyOf(firstAttributes, more + 1);
        }
        keys[count] = key;
        tags[count] = tag;
        parents[count] = parent;
        depths[count] = (short) depth;
        units[count] = unit;
        firstAttributes[count] = attributeCount;
        firstAttributes[count + 1] = attributeCount;
        return count++;
    }

    /** Sets an attribute of the last DIE. */
    void put(RawAttribute attribute, long value) {
        if (attributeCount == values.length) {
            int more = attributeCount + (attributeCount >> 1);
            attributes = Arrays.copyOf(attributes, more);
            values = Arrays.copyOf(values, more);
        }
        attributes[attributeCount] = attribute;
        values[attributeCount] = value;
        firstAttributes[count] = ++attributeCount;
    }

    /** Returns an attribute, or {@link #ABSENT}. Use {@link #has} if that is also a possible value. */
    long get(int die, RawAttribute attribute) {
        int at = find(die, attribute);
        return at < 0 ? ABSENT : values[at];
    }

    boolean has(int die, RawAttribute attribute) {
        return find(die, attribute) >= 0;
    }

    private int find(int die, RawAttribute attribute) {
        for (int i = firstAttributes[die]; i < firstAttributes[die + 1]; i++) {
            if (attributes[i] == attribute) {
                return i;
            }
        }
        return -1;
    }

    /** Returns whether the flag is present and set. */
    boolean isSet(int die, RawAttribute flag) {
        return has(die, flag) && get(die, flag) != 0;
    }

    RawTag tag(int die) {
        return tags[die];
    }

    /** Returns the key that {@link #add} was given. */
    long key(int die) {
        return keys[die];
    }

    /** Returns the row of the parent of a DIE, or {@link #NONE} if it is not recorded. */
    int parent(int die) {
        return parents[die];
    }

    int unit(int die) {
        return units[die];
    }

    /** Returns the first child, or {@link #NONE}. */
    int firstChild(int die) {
        return nextChild(die, die);
    }

    /** Returns the next child of the same parent, or {@link #NONE}. */
    int nextChild(int parent, int child) {
        // Rows are in preorder, so the descendants of a DIE end at the first row that is not deeper.
        for (int i = child + 1; i < count && depths[i] > depths[parent]; i++) {
            if (parents[i] == parent) {
                return i;
            }
        }
        return NONE;
    }
}
