package dev.offsetd.server.admin;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.ProblemException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.validation.Errors;

/** Build-ids in form fields. */
public final class BuildIds {

    private static final Pattern BETWEEN_IDS = Pattern.compile("[\\s,;]+");

    private BuildIds() {}

    /**
     * Returns the build that a text names.
     *
     * @throws IllegalArgumentException if it names none, or different programs have the key; the message is for the user
     */
    public static BuildId resolve(String text, BuildKeys keys) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("expected a build-id");
        }
        try {
            return keys.resolve(parse(text));
        } catch (ProblemException e) {
            throw new IllegalArgumentException(e.problem().detail(), e);
        }
    }

    /** Returns the build that a field names; adds an error if it is empty, as {@link #resolve}. */
    public static Optional<BuildId> read(String field, String text, BuildKeys keys, Errors errors) {
        try {
            return Optional.of(resolve(text, keys));
        } catch (IllegalArgumentException e) {
            errors.rejectValue(field, "malformed", String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private static BuildId parse(String word) {
        try {
            return BuildId.parseKey(word);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(HostileText.quote(word) + " is not a build-id: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the builds that the words of a text name, as {@link #resolve}.
     *
     * @throws IllegalArgumentException also if there are too many; the message is for the user
     */
    public static List<BuildId> resolve(String text, int most, BuildKeys keys) {
        return parse(text, most).stream()
                .map(key -> resolve(key.toString(), keys))
                .distinct()
                .toList();
    }

    /**
     * Parses build-ids separated by white space, commas or semicolons. Repeated ones count once.
     *
     * @throws IllegalArgumentException if a word is not a build-id or there are too many; the message is for the user
     */
    public static List<BuildId> parse(String text, int most) {
        Set<BuildId> ids = new LinkedHashSet<>();
        for (String word : BETWEEN_IDS.split(text, -1)) {
            if (!word.isEmpty()) {
                ids.add(parse(word));
            }
        }
        if (ids.size() > most) {
            throw new IllegalArgumentException(ids.size() + " builds; expected at most " + most);
        }
        return List.copyOf(ids);
    }
}
