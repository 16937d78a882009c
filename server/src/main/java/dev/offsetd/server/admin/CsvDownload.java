package dev.offsetd.server.admin;

import dev.offsetd.server.web.Csv;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** Lists as CSV files. */
public final class CsvDownload {

    /** Rows read at a time. */
    public static final int BATCH = 500;

    private CsvDownload() {}

    /**
     * Writes all rows of a list; one batch is in memory at a time, and no connection is held in between.
     *
     * @param read reads a batch: the rows after the last one of the batch before, which is null at first
     */
    public static <T> void write(
            HttpServletResponse response,
            String fileName,
            List<String> columns,
            Function<@Nullable T, List<T>> read,
            Function<T, List<? extends @Nullable String>> cells)
            throws IOException {
        response.setContentType(Representation.CSV.contentType());
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        response.setHeader(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + fileName + "\"");
        PrintWriter out = response.getWriter();
        out.print(Csv.line(columns));
        List<T> rows = read.apply(null);
        // A writer throws no exception after the client has gone.
        while (!rows.isEmpty() && !out.checkError()) {
            rows.forEach(row -> out.print(Csv.line(cells.apply(row))));
            rows = rows.size() < BATCH ? List.of() : read.apply(rows.getLast());
        }
    }
}
