package dev.offsetd.server.admin;

import dev.offsetd.extractor.builds.BuildId;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Builder for the path and query of a page, which encodes every parameter. */
public final class PagePath {

    public static final String BUILDS = "/admin/builds";

    public static final String PINS = "/admin/pins";

    private final StringBuilder text;

    private PagePath(String path) {
        this.text = new StringBuilder(path);
    }

    public static PagePath of(String path) {
        return new PagePath(path);
    }

    public static PagePath ofBuild(BuildId id) {
        return new PagePath(BUILDS + "/" + id);
    }

    public static PagePath ofType(BuildId id, String name) {
        return new PagePath(BUILDS + "/" + id + "/types").with("name", name);
    }

    /** Returns the path of the form for a new pin. */
    public static PagePath ofNewPin(BuildId id, String item) {
        return new PagePath(PINS + "/new").with("build", id.toString()).with("item", item);
    }

    /** Returns the path of the form that edits a pin. */
    public static String ofEdit(String pin) {
        return PINS + "/" + pin + "/edit";
    }

    /** Adds a parameter, unless the value is null or empty. */
    public PagePath with(String name, @Nullable Object value) {
        String word = value == null ? "" : value.toString();
        if (!word.isEmpty()) {
            text.append(text.indexOf("?") < 0 ? '?' : '&')
                    .append(name)
                    .append('=')
                    .append(URLEncoder.encode(word, StandardCharsets.UTF_8));
        }
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
