package dev.offsetd.server.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A wrapper of PostgreSQL's driver that records each statement of the server once, with the types of its parameters and
 * columns. Servers of the next release on the same database must not break these statements. {@code migrations/README.md}
 * has the command.
 */
public final class RecordingDriver implements Driver {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Set<String> NOTED = ConcurrentHashMap.newKeySet();
    private static final Path FILE =
            Path.of("target", "statements", ProcessHandle.current().pid() + ".ndjson");

    private final Driver postgres = new org.postgresql.Driver();

    /**
     * A recorded statement.
     *
     * @param keys whether the statement returns generated keys, which makes it return all columns of the table
     * @param parameters names of the parameter types in PostgreSQL
     */
    public record Noted(String sql, boolean keys, List<String> parameters, List<Column> columns) {}

    /** A column of a statement's result. */
    public record Column(String name, String type) {}

    @Override
    public @Nullable Connection connect(String url, Properties properties) throws SQLException {
        Connection connection = postgres.connect(url, properties);
        return connection == null ? null : recorded(connection);
    }

    private static Connection recorded(Connection connection) {
        return (Connection) proxy(Connection.class, (method, arguments) -> {
            Object result = invoke(connection, method, arguments);
            return method.getName().equals("prepareStatement")
                            && arguments != null
                            && arguments[0] instanceof String sql
                            && result instanceof PreparedStatement statement
                    ? recorded(
                            sql,
                            arguments.length == 2 && arguments[1].equals(Statement.RETURN_GENERATED_KEYS),
                            statement)
                    : result;
        });
    }

    private static PreparedStatement recorded(String sql, boolean keys, PreparedStatement statement) {
        return (PreparedStatement) proxy(PreparedStatement.class, (method, arguments) -> {
            // The parameters, and so their types, are set before the statement is executed.
            if ((method.getName().startsWith("execute") || method.getName().equals("addBatch"))
                    && isOfServer()
                    && NOTED.add(sql)) {
                note(sql, keys, statement);
            }
            return invoke(statement, method, arguments);
        });
    }

    private static void note(String sql, boolean keys, PreparedStatement statement) throws SQLException {
        List<String> parameters = new ArrayList<>();
        ParameterMetaData types = statement.getParameterMetaData();
        for (int i = 1; i <= types.getParameterCount(); i++) {
            parameters.add(types.getParameterTypeName(i));
        }
        String line = JSON.writeValueAsString(new Noted(sql, keys, parameters, columns(statement))) + "\n";
        try {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the columns of the statement's result, or none if it returns no rows. Does not execute the statement. */
    public static List<Column> columns(PreparedStatement statement) throws SQLException {
        List<Column> columns = new ArrayList<>();
        ResultSetMetaData rows = statement.getMetaData();
        for (int i = 1; rows != null && i <= rows.getColumnCount(); i++) {
            columns.add(new Column(rows.getColumnLabel(i), rows.getColumnTypeName(i)));
        }
        return columns;
    }

    /** Returns whether the caller is the server, and not a test that uses one of the server's connections. */
    private static boolean isOfServer() {
        Optional<String> caller = StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .filter(name -> name.startsWith("dev.offsetd.server.")
                                && !name.startsWith(RecordingDriver.class.getName()))
                        .findFirst());
        return caller.filter(name -> name.contains(".testkit.") || name.contains("Tests"))
                .isEmpty();
    }

    /** Handler of a proxied call. */
    private interface Call {

        @Nullable
        Object of(Method method, Object @Nullable [] arguments) throws Throwable;
    }

    private static Object proxy(Class<?> type, Call call) {
        return Proxy.newProxyInstance(
                RecordingDriver.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.of(method, arguments));
    }

    private static @Nullable Object invoke(Object original, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(original, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @Override
    public boolean acceptsURL(String url) throws SQLException {
        return postgres.acceptsURL(url);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) throws SQLException {
        return postgres.getPropertyInfo(url, properties);
    }

    @Override
    public int getMajorVersion() {
        return postgres.getMajorVersion();
    }

    @Override
    public int getMinorVersion() {
        return postgres.getMinorVersion();
    }

    @Override
    public boolean jdbcCompliant() {
        return postgres.jdbcCompliant();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("org.postgresql");
    }
}
