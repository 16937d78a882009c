package dev.offsetd.server.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fields of an HTML form as typed, with a message for each field that cannot be accepted. The fragment {@code input} shows
 * one.
 *
 * @param values by name; a field that is missing is empty
 * @param errors by name; under an empty name, what concerns no single field
 */
public record FormFields(Map<String, String> values, Map<String, String> errors) {

    public FormFields {
        values = Map.copyOf(values);
        errors = Collections.unmodifiableMap(new LinkedHashMap<>(errors));
    }

    public static FormFields of(Map<String, String> values) {
        return new FormFields(values, Map.of());
    }

    /** Reads these fields of a form, without surrounding white space. */
    public static FormFields of(HttpServletRequest request, Iterable<String> names) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String name : names) {
            String value = request.getParameter(name);
            values.put(name, value == null ? "" : value.strip());
        }
        return of(values);
    }

    public String value(String name) {
        return values.getOrDefault(name, "");
    }

    /** Returns the message for a field; null if the field can be accepted. */
    public @Nullable String error(String name) {
        return errors.get(name);
    }

    /** Returns the ids of the texts that describe an input; null if there are none. */
    public @Nullable String describedBy(String id, String name, boolean hint) {
        String error = errors.containsKey(name) ? id + "-error" : "";
        String ids = ((hint ? id + "-hint " : "") + error).strip();
        return ids.isEmpty() ? null : ids;
    }

    /** Returns the form with other values of some fields. */
    public FormFields with(Map<String, String> some) {
        Map<String, String> changed = new LinkedHashMap<>(values);
        changed.putAll(some);
        return new FormFields(changed, errors);
    }

    /** Returns the form with these messages. */
    public FormFields refused(Map<String, String> messages) {
        return new FormFields(values, messages);
    }
}
