package dev.offsetd.query.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Values numbered in the order of their first use, so that a blob has each of them once. */
public final class Numbering<T> {

    private final Map<T, Integer> numbers = new HashMap<>();
    private final List<T> values = new ArrayList<>();

    /** Starts without any. */
    public Numbering() {}

    /** The value's number, from 0. */
    public int number(T value) {
        return numbers.computeIfAbsent(value, first -> {
            values.add(first);
            return values.size() - 1;
        });
    }

    /** All values so far, each at its number. */
    public List<T> values() {
        return Collections.unmodifiableList(values);
    }
}
