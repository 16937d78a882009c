package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/** A repository of RPM packages: {@code repodata/repomd.xml}, its signature, and the list of packages that it names. */
final class RpmRepository implements Repository {

    private static final int MAX_REPOMD_BYTES = 1 << 20;
    private static final int MAX_SIGNATURE_BYTES = 64 << 10;

    /** Names of RPM by those of Debian. */
    private static final Map<String, String> ARCHITECTURES =
            Map.of("amd64", "x86_64", "arm64", "aarch64", "ppc64el", "ppc64le", "i386", "i686", "armhf", "armv7hl");

    private final RepositoryDescription description;
    private final Http http;
    private final Path scratch;
    private final Keyring keyring;
    private final Set<String> architectures = new TreeSet<>();

    RpmRepository(RepositoryDescription description, Web web, Path scratch, InstantSource clock) {
        this.description = description;
        this.http = new Http(description.base(), web);
        this.scratch = scratch;
        this.keyring = new Keyring(description.keyring(), clock);
        description.architectures().forEach(name -> architectures.add(ARCHITECTURES.getOrDefault(name, name)));
    }

    /**
     * What {@code repomd.xml} says.
     *
     * @param timestamp the newest of its files, in seconds since 1970
     */
    private record Repomd(long timestamp, String location, String hash, long size) {

        String state() {
            return timestamp + " " + hash;
        }
    }

    @Override
    public Listing list(@Nullable String earlierState) throws IOException {
        URI url = description.base().resolve("repodata/repomd.xml");
        byte[] content = http.get(url, Map.of(), MAX_REPOMD_BYTES).body();
        String place = Http.shown(url);
        byte[] signature = http.get(url.resolve("repomd.xml.asc"), Map.of(), MAX_SIGNATURE_BYTES)
                .body();
        keyring.verify(place, content, signature);
        Repomd repomd = repomd(place, content);
        if (repomd.state().equals(earlierState)) {
            return new Listing(repomd.state(), true, List.of(), List.of());
        }
        long earlier = earlierState == null ? 0 : Long.parseLong(earlierState.substring(0, earlierState.indexOf(' ')));
        if (repomd.timestamp() < earlier) {
            throw new RepositoryException(
                    Reason.REPLAYED,
                    place + " is of the time " + repomd.timestamp() + ", older than the one read before, of "
                            + earlier);
        }
        Index index = index();
        URI primary = description.base().resolve(repomd.location());
        index.read(
                primary, repomd.hash(), repomd.size(), in -> readPackages(index, Http.shown(primary), new Bounded(in)));
        return new Listing(repomd.state(), false, index.entries(), List.of());
    }

    private Index index() {
        return new Index(description.base(), http, scratch, new Patterns(description.names()));
    }

    /** Limits what a parser keeps: the bytes between two events. */
    private static final class Bounded extends FilterInputStream {

        private static final int MAX_BYTES = 8 << 20;

        private int left = MAX_BYTES;

        Bounded(InputStream in) {
            super(in);
        }

        void event() {
            left = MAX_BYTES;
        }

        @Override
        public int read() throws IOException {
            return count(super.read(), 1);
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int got = super.read(target, offset, length);
            return count(got, got);
        }

        private int count(int result, int bytes) throws IOException {
            left -= Math.max(bytes, 0);
            if (left < 0) {
                throw new RepositoryException(
                        Reason.LIMIT, "an element or text of XML exceeds the limit of " + MAX_BYTES + " bytes");
            }
            return result;
        }
    }

    /** Reads the elements of XML, one at a time; a document with a DTD is malformed. */
    private static final class Elements {

        private static final XMLInputFactory FACTORY = XMLInputFactory.newDefaultFactory();

        static {
            FACTORY.setProperty(XMLInputFactory.SUPPORT_DTD, false);
            FACTORY.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        }

        private final String place;
        private final Bounded in;
        private final XMLStreamReader reader;

        Elements(String place, Bounded in) throws IOException {
            this.place = place;
            this.in = in;
            try {
                this.reader = FACTORY.createXMLStreamReader(in);
            } catch (XMLStreamException e) {
                throw malformed(e);
            }
        }

        private IOException malformed(XMLStreamException e) {
            return e.getNestedException() instanceof IOException cause
                    ? cause
                    : new RepositoryException(
                            Reason.MALFORMED,
                            place + " is not XML as expected: " + HostileText.quote(String.valueOf(e.getMessage())));
        }

        /** Returns whether there is another start or end of an element. */
        boolean next() throws IOException {
            try {
                while (reader.hasNext()) {
                    in.event();
                    int event = reader.next();
                    if (event == XMLStreamConstants.DTD) {
                        throw new RepositoryException(Reason.MALFORMED, place + " has a DTD; expected none");
                    }
                    if (event == XMLStreamConstants.START_ELEMENT || event == XMLStreamConstants.END_ELEMENT) {
                        return true;
                    }
                }
                return false;
            } catch (XMLStreamException e) {
                throw malformed(e);
            }
        }

        /** Returns the name of an element that starts, or the same with a slash before it for one that ends. */
        String name() {
            return reader.isStartElement() ? reader.getLocalName() : "/" + reader.getLocalName();
        }

        String attribute(String name) {
            String value = reader.getAttributeValue(null, name);
            return value == null ? "" : value;
        }

        /** Returns the text of an element that starts, and goes to its end. */
        String text() throws IOException {
            try {
                return reader.getElementText().strip();
            } catch (XMLStreamException e) {
                throw malformed(e);
            }
        }

        long number(String text) throws RepositoryException {
            try {
                // Some programs write a fraction.
                int point = text.indexOf('.');
                return Long.parseLong(point < 0 ? text : text.substring(0, point));
            } catch (NumberFormatException e) {
                throw new RepositoryException(
                        Reason.MALFORMED, place + " has " + HostileText.quote(text) + "; expected a number");
            }
        }
    }

    private static Repomd repomd(String place, byte[] content) throws IOException {
        Elements xml = new Elements(place, new Bounded(new ByteArrayInputStream(content)));
        long timestamp = 0;
        Map<String, String> primary = Map.of();
        while (xml.next()) {
            if (xml.name().equals("data")) {
                boolean isPrimary = xml.attribute("type").equals("primary");
                Map<String, String> fields = fields(xml, new TreeSet<>());
                timestamp = Math.max(timestamp, xml.number(fields.getOrDefault("timestamp", "0")));
                primary = isPrimary ? fields : primary;
            }
        }
        String hash = primary.getOrDefault("checksum", "");
        if (!Hash.isHex(hash)) {
            throw new RepositoryException(
                    Reason.MALFORMED, place + " has no SHA-256 of the list of packages (primary)");
        }
        return new Repomd(
                timestamp, primary.getOrDefault("location", ""), hash, xml.number(primary.getOrDefault("size", "0")));
    }

    private void readPackages(Index index, String place, Bounded in) throws IOException {
        Elements xml = new Elements(place, in);
        while (xml.next()) {
            if (!xml.name().equals("package")) {
                continue;
            }
            Set<BuildId> buildIds = new TreeSet<>();
            Map<String, String> fields = fields(xml, buildIds);
            String architecture = fields.getOrDefault("arch", "");
            if (architectures.contains(architecture)) {
                index.add(new RepositoryEntry(
                        Hash.PREFIX + fields.getOrDefault("checksum", ""),
                        fields.getOrDefault("name", ""),
                        fields.getOrDefault("version", ""),
                        architecture,
                        fields.getOrDefault("location", ""),
                        xml.number(fields.getOrDefault("size", "0")),
                        List.copyOf(buildIds)));
            }
        }
    }

    /** Returns what the element that starts says of a file of metadata or of a package, and goes to its end. */
    private static Map<String, String> fields(Elements xml, Set<BuildId> buildIds) throws IOException {
        String end = "/" + xml.name();
        Map<String, String> fields = new TreeMap<>();
        while (xml.next() && !xml.name().equals(end)) {
            String name = xml.name();
            switch (name) {
                case "name", "arch", "timestamp" -> fields.put(name, xml.text());
                case "location" -> fields.put(name, xml.attribute("href"));
                case "checksum" -> fields.put(name, xml.attribute("type").equals("sha256") ? xml.text() : "");
                case "size" -> {
                    String packageBytes = xml.attribute("package");
                    fields.put(name, packageBytes.isEmpty() ? xml.text() : packageBytes);
                }
                case "version" -> fields.put(name, xml.attribute("ver") + "-" + xml.attribute("rel"));
                case "entry" -> {
                    if (xml.attribute("name").equals("debuginfo(build-id)")) {
                        Index.addBuildId(xml.attribute("ver"), buildIds);
                    }
                }
                default -> {
                    // The other elements describe the package to people, and its relations.
                }
            }
        }
        return fields;
    }

    @Override
    public List<PackageFile> open(RepositoryEntry entry, Path folder) throws IOException {
        return index().open(entry, folder, new Patterns(description.files()));
    }
}
