package dev.offsetd.server.web;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import tools.jackson.core.JsonGenerator;

/**
 * One page of a list; the fragment {@code pager} links its neighbours.
 *
 * @param query filters, limit and cursor of the request
 * @param next path of the next page; null if this is the last
 */
public record ListPage<T>(
        ListQuery query, List<T> rows, @Nullable String next) {

    public ListPage {
        rows = List.copyOf(rows);
    }

    /**
     * Reads a page.
     *
     * @param list letter of the list in cursors
     * @param read reads at most this many rows
     * @param position returns the position of a row, as cursors store it
     */
    public static <T> ListPage<T> read(
            ListQuery query, char list, IntFunction<List<T>> read, Function<T, byte[]> position) {
        // One row more than shown tells whether there is a next page.
        List<T> found = read.apply(query.limit() + 1);
        if (found.size() <= query.limit()) {
            return new ListPage<>(query, found, null);
        }
        List<T> rows = found.subList(0, query.limit());
        return new ListPage<>(query, rows, query.next(list, position.apply(rows.getLast())));
    }

    public <R> ListPage<R> map(Function<T, R> mapper) {
        return new ListPage<>(query, rows.stream().map(mapper).toList(), next);
    }

    /** Adds a {@code Link} to the next page to a response (RFC 8288). */
    public void link(ResponseEntity.HeadersBuilder<?> response) {
        if (next != null) {
            response.header(HttpHeaders.LINK, "<" + next + ">; rel=\"next\"");
        }
    }

    /** Returns the response with this page: an object with the array of this name, and the path of the next page. */
    public ResponseEntity<byte[]> response(
            Representation representation, String name, BiConsumer<JsonGenerator, T> members) {
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok();
        link(answer);
        return representation.response(answer, out -> write(out, name, members));
    }

    /** Writes the properties of an object with this page. */
    public void write(JsonGenerator out, String name, BiConsumer<JsonGenerator, T> members) {
        Representation.write(out, name, rows, members);
        if (next != null) {
            out.writeStringProperty("next", next);
        }
    }

    /** Returns the value of a filter as typed, for its field. */
    public String typed(String filter) {
        return query.filter(filter).orElse("");
    }

    /** Returns the path of the first page; null if this is the first page. */
    public @Nullable String first() {
        return query.first().orElse(null);
    }
}
