package dev.offsetd.server.startup;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.database.BaselineMigration;
import dev.offsetd.server.database.Causes;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.NestedRuntimeException;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/** Explains in one line why a server or a command did not start: the setting, its value, and what is expected. */
final class StartFailure {

    static final String DATABASE_URL = "spring.datasource.url";

    private static final String DATABASE_USER = "spring.datasource.username";
    private static final String DATABASE_PASSWORD = "spring.datasource.password";

    /** Value of {@value #DATABASE_URL} without a configured database. */
    static final String EMBEDDED = "embedded";

    private static final String TRACE = "offsetd.stacktrace";

    /** Files that Spring Boot reads in the working folder. */
    private static final List<String> SETTINGS_FILES =
            List.of("application.yaml", "application.yml", "config/application.yaml", "config/application.yml");

    private static final Pattern USER = Pattern.compile("//[^/@]*@");
    private static final Pattern PASSWORD = Pattern.compile("(?i)(password=)[^&]*");

    private final Throwable failure;

    /** Null if the start failed before the settings were read. */
    private final @Nullable Environment environment;

    StartFailure(Throwable failure, @Nullable Environment environment) {
        this.failure = failure;
        this.environment = environment;
    }

    /** Returns whether the user wants stack traces. */
    static boolean isTraced() {
        return Boolean.getBoolean(TRACE);
    }

    /** Rejects a database URL that is not one of PostgreSQL, and credentials without a URL. */
    static void requirePostgres(Environment environment) {
        String url = environment.getProperty(DATABASE_URL, EMBEDDED);
        if (url.equals(EMBEDDED)) {
            for (String name : List.of(DATABASE_USER, DATABASE_PASSWORD)) {
                if (!environment.getProperty(name, "").isEmpty()) {
                    throw new StartException(name + " is set and " + DATABASE_URL
                            + " is not; expected both, or neither for the embedded database");
                }
            }
        }
        if (!url.equals(EMBEDDED) && Driver.parseURL(url, null) == null) {
            throw new StartException(DATABASE_URL + " is " + HostileText.quote(withoutPassword(url))
                    + "; expected jdbc:postgresql://HOST:PORT/DATABASE");
        }
    }

    /** Returns what the database is called in messages. */
    static String databaseName(Environment environment) {
        String url = environment.getProperty(DATABASE_URL, EMBEDDED);
        Properties parsed = url.equals(EMBEDDED) ? null : Driver.parseURL(url, null);
        return parsed == null ? "its own PostgreSQL" : "the PostgreSQL at " + hosts(parsed);
    }

    /** Returns the explanation, which is one line. */
    String text() {
        return explanation()
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining(" "));
    }

    private String explanation() {
        List<Throwable> causes = Causes.of(failure);
        for (Throwable cause : causes) {
            switch (cause) {
                case StartException known -> {
                    return messageOf(known);
                }
                case BaselineMigration.SchemaBaselineException known -> {
                    return messageOf(known);
                }
                case PortInUseException taken -> {
                    return messageOf(busy(taken));
                }
                case BindException bind -> {
                    return badValue(bind, causes);
                }
                case SQLException sql -> {
                    return database(sql, causes);
                }
                case MarkedYAMLException malformed -> {
                    return notYaml(malformed);
                }
                default -> {}
            }
        }
        return ownMessage(causes)
                .orElseGet(() -> "cannot start: " + messageOf(causes.getLast())
                        + (isTraced() ? "" : "; OFFSETD_JAVA_OPTS=-D" + TRACE + "=true shows the place"));
    }

    /** Returns the message of a check of settings. Spring's exceptions repeat it behind the names of beans. */
    private static Optional<String> ownMessage(List<Throwable> causes) {
        return causes.reversed().stream()
                .filter(cause -> !(cause instanceof NestedRuntimeException))
                .map(StartFailure::messageOf)
                .filter(message -> message.contains("expected"))
                .findFirst();
    }

    /** Returns the exception for a port other than the server's own, which was free before; or that one, taken meanwhile. */
    private StartException busy(PortInUseException taken) {
        boolean isOwn =
                environment != null && String.valueOf(taken.getPort()).equals(environment.getProperty("server.port"));
        String address = environment == null
                ? ""
                : environment.getProperty(isOwn ? "server.address" : "management.server.address", "");
        return BusyPort.busy(address, taken.getPort(), isOwn ? "--port" : "management.server.port");
    }

    /** The exception does not tell the file. */
    private static String notYaml(MarkedYAMLException malformed) {
        List<Path> files = SETTINGS_FILES.stream()
                .map(name -> Path.of(name).toAbsolutePath())
                .filter(Files::exists)
                .toList();
        Mark place = malformed.getProblemMark();
        return (files.size() == 1 ? files.getFirst().toString() : "a file of settings") + ", line "
                + (place.getLine() + 1) + ", column " + (place.getColumn() + 1) + ": " + malformed.getProblem()
                + "; expected YAML, such as \"offsetd.read-auth: true\"";
    }

    private static String messageOf(Throwable e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private static String badValue(BindException bind, List<Throwable> causes) {
        ConfigurationProperty property = bind.getProperty();
        if (property == null || causes.stream().noneMatch(ConversionException.class::isInstance)) {
            return ownMessage(causes).orElseGet(() -> bind.getName() + ": " + messageOf(causes.getLast()));
        }
        ResolvableType type = bind.getTarget().getType();
        ResolvableType element = type.asCollection().getGeneric();
        return property.getName() + " is "
                + HostileText.quote(property.getValue().toString()) + "; expected "
                + (element.equals(ResolvableType.NONE)
                        ? expected(type.resolve(Object.class))
                        : "a list with commas, each " + expected(element.resolve(Object.class)))
                + Places.of(property);
    }

    /** Returns what a setting of a type may be. */
    static String expected(Class<?> type) {
        if (type.isEnum()) {
            return "one of "
                    + Arrays.stream(type.getEnumConstants())
                            .map(value ->
                                    value.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                            .collect(Collectors.joining(", "));
        }
        return switch (type.getSimpleName()) {
            case "DataSize" -> "a size such as 10GB";
            case "Duration" -> "a time such as 10s";
            case "Boolean", "boolean" -> "true or false";
            case "Integer", "int", "Long", "long" -> "a whole number";
            case "Double", "double", "Float", "float" -> "a number";
            case "InetAddress" -> "an IP address or a host name";
            case "URI", "URL" -> "a URL";
            case String name -> "a value of type " + name;
        };
    }

    private String database(SQLException e, List<Throwable> causes) {
        String url = environment == null ? EMBEDDED : environment.getProperty(DATABASE_URL, EMBEDDED);
        Properties parsed = url.equals(EMBEDDED) ? null : Driver.parseURL(url, null);
        if (environment == null || parsed == null) {
            return "the embedded PostgreSQL failed: " + messageOf(e) + "; its log is postgres.log in the data folder";
        }
        String reason = messageOf(e);
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        String user = DATABASE_USER + " is " + HostileText.quote(environment.getProperty(DATABASE_USER, "")) + " at "
                + hosts(parsed);
        if (state.startsWith("28")) {
            return user + "; expected a role that may sign in with " + DATABASE_PASSWORD + " (" + reason + ")";
        }
        if (state.equals("42501")) {
            return user + "; expected a role that may create tables (" + reason + ")";
        }
        Throwable root = causes.getLast();
        String password = environment.getProperty(DATABASE_PASSWORD, "");
        if (password.isEmpty() && messageOf(root).contains("password")) {
            return DATABASE_PASSWORD + " is not set; expected the password of "
                    + HostileText.quote(environment.getProperty(DATABASE_USER, "")) + " at " + hosts(parsed) + " ("
                    + messageOf(root) + ")";
        }
        String sslMode = parsed.getProperty(PGProperty.SSL_MODE.getName());
        if (sslMode != null && messageOf(root).contains("SSL")) {
            return DATABASE_URL + " has sslmode=" + HostileText.quote(sslMode)
                    + "; expected a PostgreSQL that accepts TLS at " + hosts(parsed) + " (" + messageOf(root) + ")";
        }
        String setting = DATABASE_URL + " is " + HostileText.quote(withoutPassword(url)) + "; expected ";
        if (state.equals("3D000")) {
            return setting + "a database that exists at " + hosts(parsed) + " (" + reason + ")";
        }
        return setting + "a PostgreSQL that answers at " + hosts(parsed) + " ("
                + (root instanceof UnknownHostException ? "unknown host" : messageOf(root)) + ")";
    }

    /** Returns hosts and ports. A URL may name several. */
    private static String hosts(Properties url) {
        String[] hosts =
                url.getProperty(PGProperty.PG_HOST.getName(), "localhost").split(",", -1);
        String[] ports = url.getProperty(PGProperty.PG_PORT.getName(), "5432").split(",", -1);
        return IntStream.range(0, hosts.length)
                .mapToObj(i -> hosts[i] + " port " + ports[Math.min(i, ports.length - 1)])
                .collect(Collectors.joining(" or "));
    }

    private static String withoutPassword(String url) {
        return PASSWORD.matcher(USER.matcher(url).replaceAll("//hidden@")).replaceAll("$1hidden");
    }
}
