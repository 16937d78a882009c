package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.mock.env.MockEnvironment;

/** An expected cause is one line that names the setting, its value and what is expected, and no bean. */
class StartFailureTests {

    private static final String URL = "jdbc:postgresql://db1:5432,db2:5433/offsets?user=u&password=secret";

    private final MockEnvironment environment = new MockEnvironment()
            .withProperty("spring.datasource.url", URL)
            .withProperty("spring.datasource.username", "u")
            .withProperty("server.port", "8080")
            .withProperty("management.server.address", "127.0.0.1");

    private String text(Throwable cause) {
        return new StartFailure(new BeanCreationException("aBean", "could not be made", cause), environment).text();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            28P01 | spring.datasource.username is "u" at db1 port 5432 or db2 port 5433; expected a role that may sign in with spring.datasource.password (FATAL: refused)
            42501 | spring.datasource.username is "u" at db1 port 5432 or db2 port 5433; expected a role that may create tables (FATAL: refused)
            3D000 | spring.datasource.url is "jdbc:postgresql://db1:5432,db2:5433/offsets?user=u&password=hidden"; expected a database that exists at db1 port 5432 or db2 port 5433 (FATAL: refused)
            08001 | spring.datasource.url is "jdbc:postgresql://db1:5432,db2:5433/offsets?user=u&password=hidden"; expected a PostgreSQL that answers at db1 port 5432 or db2 port 5433 (FATAL: refused)
            """)
    void failureOfTheDatabaseNamesTheSetting(String state, String expected) {
        assertThat(text(new SQLException("FATAL: refused", state))).isEqualTo(expected);
    }

    @Test
    void reasonIsTheCauseOfTheDriver() {
        SQLException unreachable = new SQLException("The connection attempt failed.", "08001");
        unreachable.initCause(new ConnectException("Connection refused"));
        assertThat(text(unreachable)).endsWith(" (Connection refused)");
        SQLException unknown = new SQLException("The connection attempt failed.", "08001");
        unknown.initCause(new UnknownHostException("db1"));
        assertThat(text(unknown)).endsWith(" (unknown host)");
    }

    @Test
    void missingPasswordAndTlsAreNotBlamedOnTheAddress() {
        assertThat(text(new SQLException(
                        "The server requested SCRAM-based authentication, but no password was provided.", "08004")))
                .startsWith("spring.datasource.password is not set; expected the password of \"u\" at db1 port 5432 or"
                        + " db2 port 5433 (The server requested ");
        environment.setProperty("spring.datasource.url", "jdbc:postgresql://db1/offsets?sslmode=verify-full");
        assertThat(text(new SQLException("The server does not support SSL.", "08004")))
                .isEqualTo(
                        "spring.datasource.url has sslmode=\"verify-full\"; expected a PostgreSQL that accepts TLS at"
                                + " db1 port 5432 (The server does not support SSL.)");
    }

    @Test
    void otherPortIsNotThatOfTheOption() {
        assertThat(text(new PortInUseException(9090)))
                .startsWith("port 9090 on 127.0.0.1 is taken by ")
                .endsWith("choose another port with management.server.port");
        assertThat(text(new PortInUseException(8080))).endsWith("choose another port with --port");
    }

    @Test
    void checkOfASettingIsFoundBetweenItsCauseAndTheBeans() {
        String check = "offsetd.trusted-proxies: a is not an IP address or network; expected for example 10.0.0.0/8";
        assertThat(text(new IllegalArgumentException(check, new IllegalArgumentException("Invalid literal"))))
                .isEqualTo(check);
    }

    @Test
    void unexpectedFailureIsOneLineAndSaysHowToFindThePlace() {
        assertThat(text(new IllegalStateException("first\n  second\r\nthird")))
                .isEqualTo(
                        "cannot start: first second third; OFFSETD_JAVA_OPTS=-Doffsetd.stacktrace=true shows the place");
        assertThat(text(new IllegalStateException())).startsWith("cannot start: IllegalStateException; ");
    }
}
