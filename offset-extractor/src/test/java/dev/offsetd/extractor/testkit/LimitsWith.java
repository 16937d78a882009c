package dev.offsetd.extractor.testkit;

import dev.offsetd.extractor.input.Limits;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Limits with any one of them changed, by its name. */
public final class LimitsWith {

    private LimitsWith() {}

    /** The names of all limits. */
    public static List<String> names() {
        return Arrays.stream(Limits.class.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }

    /** The default limits, but this one of another value; of a duration the nanoseconds. */
    public static Limits of(String name, long value) {
        try {
            RecordComponent[] components = Limits.class.getRecordComponents();
            Class<?>[] types = new Class<?>[components.length];
            Object[] values = new Object[components.length];
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                values[i] = components[i].getName().equals(name)
                        ? changed(types[i], value)
                        : components[i].getAccessor().invoke(Limits.DEFAULT);
            }
            return Limits.class.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object changed(Class<?> type, long value) {
        if (type == int.class) {
            return Math.toIntExact(value);
        }
        return type == long.class ? (Object) value : Duration.ofNanos(value);
    }
}
