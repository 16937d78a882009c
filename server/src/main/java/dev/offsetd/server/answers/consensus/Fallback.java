package dev.offsetd.server.answers.consensus;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.web.ProblemException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Consent of a client to an answer by consensus, {@code fallback=consensus}, and what the client claims of the build.
 *
 * <p>Null stands for what the client does not claim.
 *
 * @param name of the program or library, or the path of its file
 * @param version of the project
 * @param machine name of the processor
 * @param tokens of the variant; none differs from null
 */
public record Fallback(
        @Nullable String name,
        @Nullable String version,
        @Nullable String machine,
        @Nullable Set<String> tokens) {

    private static final String FALLBACK = "fallback";
    private static final String VERSION = "version";
    private static final String MACHINE = "machine";
    private static final String TOKENS = "tokens";

    /** Parameters of a query, without the name. */
    public static final Set<String> PARAMETERS = Set.of(FALLBACK, VERSION, MACHINE, TOKENS);

    private static final String CONSENSUS = "consensus";
    private static final int MAX_NAME = 200;
    private static final int MAX_TOKENS = 32;

    /** A name between {@code lib} and a version. */
    private static final Pattern FILE_NAME =
            Pattern.compile("^(?:lib)?(.*?)(?:[-_.]?[0-9][0-9.]*[a-z]?)?(?:\\.so[0-9.]*)?$");

    private static final Pattern TOKEN = Pattern.compile("[a-z0-9_.-]{1,100}=[A-Za-z0-9_-]{1,100}");

    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.+:~-]{0,99}");

    /**
     * Parses the parameters of a query.
     *
     * @return null if the client accepts exact answers only
     * @throws ProblemException if a parameter is invalid, or claims something without consent: 400
     */
    public static @Nullable Fallback of(QueryParameters parameters) {
        Optional<String> fallback = parameters.one(FALLBACK);
        if (fallback.isEmpty()) {
            for (String claim : List.of(VERSION, MACHINE, TOKENS)) {
                if (parameters.one(claim).isPresent()) {
                    throw bad("parameter " + claim + " is for fallback=consensus");
                }
            }
            return null;
        }
        if (!fallback.get().equals(CONSENSUS)) {
            throw bad("fallback is " + HostileText.quote(fallback.get()) + "; expected consensus");
        }
        return new Fallback(
                parameters
                        .one(BuildRequest.NAME)
                        .filter(name -> !name.isBlank() && name.length() <= MAX_NAME)
                        .orElse(null),
                word(VERSION, parameters),
                word(MACHINE, parameters),
                parameters.one(TOKENS).map(Fallback::tokens).orElse(null));
    }

    /** Returns the project that the claimed name is of: {@code ruby} for {@code /usr/lib/libruby.so.3.4}. */
    Optional<String> project() {
        return Optional.ofNullable(name)
                .map(path -> path.substring(path.lastIndexOf('/') + 1))
                .map(file -> FILE_NAME.matcher(file).replaceFirst("$1").toLowerCase(Locale.ROOT))
                .filter(project -> !project.isEmpty());
    }

    private static @Nullable String word(String name, QueryParameters parameters) {
        String text = parameters.one(name).orElse(null);
        if (text != null && !WORD.matcher(text).matches()) {
            throw bad(name + " is " + HostileText.quote(text)
                    + "; expected up to 100 letters, digits and characters of _.+:~-");
        }
        return text;
    }

    private static Set<String> tokens(String list) {
        List<String> words = Arrays.stream(list.split(",", -1))
                .filter(Predicate.not(String::isEmpty))
                .peek(Fallback::requireToken)
                .distinct()
                .toList();
        if (words.size() > MAX_TOKENS) {
            throw bad(words.size() + " tokens; expected at most " + MAX_TOKENS);
        }
        return Set.copyOf(words);
    }

    private static void requireToken(String text) {
        if (!TOKEN.matcher(text).matches()) {
            throw bad("token " + HostileText.quote(text) + "; expected SET.TOKEN=STATE, such as ruby.yjit=yes");
        }
    }

    private static ProblemException bad(String detail) {
        return ProblemException.badRequest("bad_fallback", "The fallback cannot be read", detail);
    }
}
