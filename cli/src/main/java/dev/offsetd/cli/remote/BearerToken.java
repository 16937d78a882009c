package dev.offsetd.cli.remote;

import com.google.re2j.Pattern;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.input.IoReason;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Bearer token of the caller (RFC 6750), or none. It is never printed. */
public final class BearerToken {

    /** More than any token has. */
    private static final long MAX_FILE_BYTES = 4096;

    private final @Nullable String text;

    private BearerToken(@Nullable String text) {
        this.text = text;
    }

    /**
     * Returns the token in a variable.
     *
     * @param value null or blank for none
     * @throws CommandFailure if it is not a token
     */
    public static BearerToken of(String name, @Nullable String value) throws CommandFailure {
        if (value == null || value.isBlank()) {
            return new BearerToken(null);
        }
        String text = value.strip();
        if (!Pattern.matches("[A-Za-z0-9._~+/-]+=*", text)) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    name + " is not a token; expected letters, digits and -._~+/ on one line, as printed by offsetd"
                            + " token create");
        }
        return new BearerToken(text);
    }

    /**
     * Returns the token in a file.
     *
     * @throws CommandFailure if the file is unreadable or holds no token
     */
    public static BearerToken in(Path file) throws CommandFailure {
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new CommandFailure(
                        ExitCode.USAGE, file + " is larger than " + MAX_FILE_BYTES + " bytes; expected a token");
            }
            BearerToken token = of(file.toString(), Files.readString(file));
            if (token.text == null) {
                throw new CommandFailure(ExitCode.USAGE, file + " is empty; expected a token");
            }
            return token;
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.USAGE, file + " cannot be read: " + IoReason.of(e));
        }
    }

    /** Adds the token to a request, if there is one. */
    HttpRequest addedTo(HttpRequest request) {
        return text == null
                ? request
                : HttpRequest.newBuilder(request, (name, value) -> true)
                        .header("Authorization", "Bearer " + text)
                        .build();
    }

    /** Follows no redirect with a token, because another host must not see it. */
    HttpClient.Redirect redirects() {
        return text == null ? HttpClient.Redirect.NORMAL : HttpClient.Redirect.NEVER;
    }
}
