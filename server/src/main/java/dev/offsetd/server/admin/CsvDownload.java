package dev.offsetd.server.admin;

import dev.offsetd.server.web.Csv;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** A list as a CSV file, written row by row. */
public final class CsvDownload {

    private final PrintWriter out;

    private CsvDownload(PrintWriter out) {
        this.out = out;
    }

    /** Starts the response with the names of the columns. */
    public static CsvDownload start(HttpServletResponse response, String fileName, List<String> columns)
            throws IOException {
        response.setContentType(Representation.CSV.contentType());
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        response.setHeader(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + fileName + "\"");
        CsvDownload download = new CsvDownload(response.getWriter());
        download.row(columns);
        return download;
    }

    public void row(List<? extends @Nullable String> cells) {
        out.print(Csv.line(cells));
    }
}
