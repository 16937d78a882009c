package dev.offsetd.query.answer;

import dev.offsetd.query.check.Finding;
import java.io.StringWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Results of a check in several builds.
 *
 * @param strict whether what a consumer only may use counts, too
 */
public record CheckReport(List<Row> rows, boolean strict) {

    public CheckReport {
        rows = List.copyOf(rows);
    }

    /**
     * The result for one build.
     *
     * @param build its file or build-id
     * @param title what it is called; empty if that is unknown
     * @param problem why the build was not checked; null if it was
     */
    public record Row(
            String build,
            String title,
            List<Finding> findings,
            @Nullable String problem) {

        public Row {
            findings = List.copyOf(findings);
        }

        /** Returns whether the build was checked and the consumer works with it. */
        public boolean passes(boolean strict) {
            return problem == null
                    && findings.stream().noneMatch(finding -> finding.status().fails(strict));
        }

        /** Returns the number of findings that are resolved. */
        public long resolved() {
            return findings.stream()
                    .filter(finding -> finding.status() == Finding.Status.RESOLVED)
                    .count();
        }

        /** Returns about how many characters the findings have in a report. */
        public long characters() {
            return findings.stream().mapToLong(Finding::characters).sum();
        }

        /** Returns the findings that are not resolved. */
        public List<Finding> others() {
            return findings.stream()
                    .filter(finding -> finding.status() != Finding.Status.RESOLVED)
                    .toList();
        }
    }

    /** Returns whether there are builds and the consumer works with all of them: a search that finds none is misspelt. */
    public boolean passes() {
        return !rows.isEmpty() && rows.stream().allMatch(row -> row.passes(strict));
    }

    /** Writes the properties {@code passes} and {@code builds}. */
    public void write(JsonGenerator out) {
        out.writeBooleanProperty("passes", passes());
        out.writeArrayPropertyStart("builds");
        for (Row row : rows) {
            out.writeStartObject();
            out.writeStringProperty("build", row.build());
            out.writeStringProperty("title", row.title());
            out.writeBooleanProperty("passes", row.passes(strict));
            if (row.problem() != null) {
                out.writeStringProperty("problem", row.problem());
            }
            out.writeNumberProperty("resolved", row.resolved());
            out.writeArrayPropertyStart("findings");
            row.others().forEach(finding -> write(out, finding));
            out.writeEndArray();
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void write(JsonGenerator out, Finding finding) {
        out.writeStartObject();
        out.writeStringProperty("name", finding.name());
        if (finding.kind() != null) {
            out.writeStringProperty("kind", finding.kind());
        }
        out.writeStringProperty("status", finding.status().word());
        if (finding.detail() != null) {
            out.writeStringProperty("detail", finding.detail());
        }
        out.writeEndObject();
    }

    /** Returns a line for each build, and below it one for each finding that is not resolved. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (Row row : rows) {
            lines.add((row.passes(strict) ? "ok    " : "FAILS ")
                    + label(row)
                    + (row.problem() == null ? ": " + row.resolved() + " resolved" : ": " + row.problem()));
            for (Finding finding : row.others()) {
                lines.add("  " + finding.status().word() + " " + finding.name() + suffix(finding));
            }
        }
        return lines;
    }

    private static String label(Row row) {
        return row.title().isEmpty() ? row.build() : row.build() + " (" + row.title() + ")";
    }

    private static String suffix(Finding finding) {
        return (finding.kind() == null ? "" : " (" + finding.kind() + ")")
                + (finding.detail() == null ? "" : ": " + finding.detail());
    }

    /** Returns JUnit's XML: a suite for each build, a test case for each finding. */
    public String junit() {
        StringWriter text = new StringWriter();
        writeJunit(text);
        return text.toString();
    }

    /** Writes JUnit's XML, see {@link #junit}. */
    public void writeJunit(Writer out) {
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
            xml.writeStartDocument("UTF-8", "1.0");
            xml.writeStartElement("testsuites");
            for (Row row : rows) {
                writeSuite(xml, row);
            }
            xml.writeEndElement();
            xml.writeEndDocument();
            xml.flush();
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    private void writeSuite(XMLStreamWriter xml, Row row) throws XMLStreamException {
        List<Finding> findings = row.problem() == null
                ? row.findings()
                : List.of(new Finding("the build", null, Finding.Status.ABSENT, row.problem()));
        xml.writeStartElement("testsuite");
        xml.writeAttribute("name", printable(label(row)));
        xml.writeAttribute("tests", Integer.toString(findings.size()));
        xml.writeAttribute(
                "failures",
                Long.toString(findings.stream()
                        .filter(finding -> finding.status().fails(strict))
                        .count()));
        for (Finding finding : findings) {
            xml.writeStartElement("testcase");
            xml.writeAttribute("classname", printable(row.build()));
            xml.writeAttribute(
                    "name", printable(finding.kind() == null ? finding.name() : finding.name() + " " + finding.kind()));
            if (finding.status().fails(strict)) {
                xml.writeEmptyElement("failure");
                xml.writeAttribute("type", finding.status().word());
                xml.writeAttribute("message", printable(finding.detail() == null ? "" : finding.detail()));
            }
            xml.writeEndElement();
        }
        xml.writeEndElement();
    }

    /** Replaces characters that XML 1.0 cannot have. */
    private static String printable(String text) {
        if (text.codePoints().allMatch(CheckReport::isXml)) {
            return text;
        }
        return text.codePoints()
                .map(point -> isXml(point) ? point : 0xfffd)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isXml(int point) {
        return (point >= 0x20 && point < 0xd800) || (point >= 0xe000 && point < 0xfffe) || point > 0xffff;
    }
}
