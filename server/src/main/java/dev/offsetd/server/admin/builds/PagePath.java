package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.layout.BuildId;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Path and query of a page, put together so that whatever is in a name stays in its place. */
public final class PagePath {

    /** The list of builds. */
    public static final String BUILDS = "/admin/builds";

    /** The list of pins. */
    public static final String PINS = "/admin/pins";

    private final StringBuilder text;
    private boolean hasQuery;

    private PagePath(String path) {
        this.text = new StringBuilder(path);
    }

    /** A page without a query. */
    public static PagePath of(String path) {
        return new PagePath(path);
    }

    /** The page of a build. */
    public static PagePath ofBuild(BuildId id) {
        return new PagePath(BUILDS + "/" + id);
    }

    /** The page of a type. */
    public static PagePath ofType(BuildId id, String name) {
        return new PagePath(BUILDS + "/" + id + "/types").with("name", name);
    }

    /** The form of a new pin. */
    public static PagePath ofNewPin(BuildId id, String item) {
        return new PagePath(PINS + "/new").with("build", id.toString()).with("item", item);
    }

    /** With one more parameter; without it if it is null or empty. */
    public PagePath with(String name, @Nullable Object value) {
        String word = value == null ? "" : value.toString();
        if (!word.isEmpty()) {
            text.append(hasQuery ? '&' : '?')
                    .append(name)
                    .append('=')
                    .append(URLEncoder.encode(word, StandardCharsets.UTF_8));
            hasQuery = true;
        }
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
