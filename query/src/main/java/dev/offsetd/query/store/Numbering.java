package dev.offsetd.query.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers values in the order of their first use, so that a blob stores each of them once. */
public final class Numbering<T> {

    private final Map<T, Integer> numbers = new HashMap<>();
    private final List<T> values = new ArrayList<>();

    public Numbering() {}

    /** Returns the number of the value, from 0. */
    public int number(T value) {
        return numbers.computeIfAbsent(value, first -> {
            values.add(first);
            return values.size() - 1;
        });
    }

    /** Returns all values so far, each at its number. */
    public List<T> values() {
        return Collections.unmodifiableList(values);
    }
}
