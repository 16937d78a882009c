package dev.offsetd.server.startup;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.PathToken;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.Token;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.access.tokens.Tokens.NewToken;
import dev.offsetd.server.operations.Word;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Creates, lists and revokes tokens in the server's database. Access to the data folder, or to the database's password,
 * authorizes this.
 */
@Command(
        name = TokenCommand.NAME,
        synopsisSubcommandLabel = "create|list|revoke",
        description = {
            "Creates, lists and revokes access tokens.",
            "",
            "Works on the database at SPRING_DATASOURCE_URL, or else on the one in DIR. The server may be running."
        },
        footer = {"", "Exit codes: 0 done, 1 not possible, 2 invalid options."})
public final class TokenCommand extends DatabaseCommand {

    public static final String NAME = "token";

    /** Ten years and a few days. */
    private static final Duration MAX_LIFETIME = Duration.ofDays(3660);

    private static final Pattern URL = Pattern.compile("https?://[!-~]+");

    private static final Pattern TIME = Pattern.compile("([0-9]{1,7})([smhd])");

    @Command(name = "create", description = "Creates a token and prints it; it is not shown again.")
    int create(
            @Option(
                            names = "--label",
                            paramLabel = "LABEL",
                            required = true,
                            description = "purpose of the token, for the audit log")
                    String label,
            @Option(
                            names = "--scope",
                            paramLabel = "SCOPE",
                            required = true,
                            split = ",",
                            description = "read, publish (includes read) or admin (includes both)")
                    List<String> scopes,
            @Option(
                            names = "--expires",
                            paramLabel = "TIME",
                            defaultValue = "365d",
                            description = "lifetime: 90d, 12h (default: ${DEFAULT-VALUE})")
                    String expires,
            @Option(
                            names = "--url",
                            paramLabel = "URL",
                            arity = "0..1",
                            fallbackValue = "http://127.0.0.1:8080",
                            description = {
                                "prints a base URL with the token in its path, for tools that cannot send a header",
                                "URL of the server (default: ${FALLBACK-VALUE}); needs --scope read"
                            })
                    @Nullable
                    String url) {
        Set<Scope> given = scopes(scopes);
        if (url != null && !given.equals(Set.of(Scope.READ))) {
            throw usage("--url with --scope " + String.join(",", scopes) + ": expected --scope read, because URLs"
                    + " are less secret than headers");
        }
        if (url != null && !URL.matcher(url).matches()) {
            throw usage("--url " + HostileText.quote(url) + ": expected an http or https URL");
        }
        Duration lifetime = lifetime(expires);
        if (!Tokens.isLabel(label)) {
            throw usage("--label " + HostileText.quote(label) + ": expected 1 to " + Tokens.MAX_LABEL_LENGTH
                    + " printing characters");
        }
        return run(database -> {
            Tokens tokens = database.tokens();
            NewToken created = tokens.create(label, given, lifetime, Actor.operator(cause()));
            if (isJson()) {
                Map<String, Object> properties = new LinkedHashMap<>();
                properties.put("token", created.text());
                if (url != null) {
                    properties.put("url", withToken(url, created));
                }
                properties.putAll(properties(created.token()));
                return JSON.writeValueAsString(properties);
            }
            err().println("offsetd: token " + label + " (" + words(created.token()) + ") with id "
                    + created.token().id() + ", valid until " + created.token().expiresAt()
                    + "; it is not shown again");
            return url == null ? created.text() : withToken(url, created);
        });
    }

    private static String withToken(String url, NewToken token) {
        return Pattern.compile("/+$").matcher(url).replaceFirst("") + PathToken.START + token.text();
    }

    @Command(name = "list", description = "Lists the tokens, without their secrets.")
    int list() {
        return run(database -> {
            Tokens tokens = database.tokens();
            List<Token> all = tokens.all();
            return isJson()
                    ? JSON.writeValueAsString(
                            all.stream().map(TokenCommand::stateOf).toList())
                    : all.stream().map(TokenCommand::line).collect(Collectors.joining("\n"));
        });
    }

    @Command(name = "revoke", description = "Revokes a token; all servers refuse it within a second.")
    int revoke(
            @Parameters(paramLabel = "ID|LABEL", description = "id of the token, or its label if only one has it")
                    String which) {
        return run(database -> {
            Tokens tokens = database.tokens();
            UUID id = find(tokens, which);
            Token revoked = tokens.revoke(id, Actor.operator(cause()))
                    .orElseThrow(() -> new StartException("no token has the id " + HostileText.quote(which)));
            return isJson() ? JSON.writeValueAsString(stateOf(revoked)) : line(revoked);
        });
    }

    private static UUID find(Tokens tokens, String which) {
        try {
            return UUID.fromString(which);
        } catch (IllegalArgumentException e) {
            List<Token> labelled = tokens.labelled(which);
            if (labelled.size() == 1) {
                return labelled.getFirst().id();
            }
            String ids = labelled.stream().map(token -> token.id().toString()).collect(Collectors.joining(", "));
            throw new StartException(
                    labelled.isEmpty()
                            ? "no active token is labelled " + HostileText.quote(which)
                            : labelled.size() + " tokens are labelled " + HostileText.quote(which)
                                    + "; expected the id of one: " + ids);
        }
    }

    private Set<Scope> scopes(List<String> words) {
        EnumSet<Scope> scopes = EnumSet.noneOf(Scope.class);
        for (String word : words) {
            Optional<Scope> scope = Word.find(Scope.class, word);
            scopes.add(scope.orElseThrow(() -> usage("--scope " + HostileText.quote(word) + ": expected "
                    + Arrays.stream(Scope.values()).map(Scope::word).collect(Collectors.joining(", ")))));
        }
        return scopes;
    }

    private Duration lifetime(String text) {
        Matcher time = TIME.matcher(text);
        if (time.matches()) {
            long number = Long.parseLong(time.group(1));
            Duration lifetime = switch (time.group(2)) {
                case "s" -> Duration.ofSeconds(number);
                case "m" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                default -> Duration.ofDays(number);
            };
            if (lifetime.isPositive() && lifetime.compareTo(MAX_LIFETIME) <= 0) {
                return lifetime;
            }
        }
        throw usage("--expires " + HostileText.quote(text) + ": expected a time like 90d, up to "
                + MAX_LIFETIME.toDays() + "d");
    }

    private static Map<String, Object> stateOf(Token token) {
        Map<String, Object> properties = properties(token);
        properties.put("createdAt", token.createdAt().toString());
        put(properties, "lastUsedAt", token.lastUsedAt());
        put(properties, "revokedAt", token.revokedAt());
        properties.put("state", word(token));
        return properties;
    }

    private static Map<String, Object> properties(Token token) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("id", token.id().toString());
        properties.put("label", token.label());
        properties.put(
                "scopes", token.scopes().stream().sorted().map(Scope::word).toList());
        properties.put("expiresAt", token.expiresAt().toString());
        return properties;
    }

    private static void put(Map<String, Object> properties, String name, @Nullable Instant at) {
        if (at != null) {
            properties.put(name, at.toString());
        }
    }

    private static String line(Token token) {
        return token.id() + "  " + word(token) + "  " + words(token) + "  until " + token.expiresAt() + "  used "
                + (token.lastUsedAt() == null ? "never" : token.lastUsedAt()) + "  " + token.label();
    }

    private static String words(Token token) {
        return token.scopes().stream().sorted().map(Scope::word).collect(Collectors.joining(","));
    }

    private static String word(Token token) {
        return token.status(Instant.now()).name().toLowerCase(Locale.ROOT);
    }
}
