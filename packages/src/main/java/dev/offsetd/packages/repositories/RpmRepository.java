package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.ByteArrayInputStream;
import java.io.CharConversionException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UnsupportedEncodingException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.util.StreamReaderDelegate;
import org.jspecify.annotations.Nullable;

/** A repository of RPM packages: {@code repodata/repomd.xml}, its signature, and the list of packages that it names. */
final class RpmRepository implements Repository {

    private static final int MAX_BYTES = 1 << 20;

    /** End of the year 9999. */
    private static final long MAX_TIMESTAMP = 253_402_300_799L;

    /** At the end of the state of a list in which no package is selected. */
    private static final String EMPTY = " empty";

    /** Names of RPM by those of Debian. */
    private static final Map<String, String> ARCHITECTURES =
            Map.of("amd64", "x86_64", "arm64", "aarch64", "ppc64el", "ppc64le", "i386", "i686", "armhf", "armv7hl");

    private final RepositoryDescription description;
    private final Http http;
    private final Path scratch;
    private final Keyring keyring;
    private final Set<String> architectures;
    private final Patterns names;

    RpmRepository(RepositoryDescription description, Web web, Path scratch, InstantSource clock) {
        this.description = description;
        this.http = new Http(description.base(), web);
        this.scratch = scratch;
        this.names = new Patterns(description.names());
        this.keyring = new Keyring(description.keyring(), clock);
        this.architectures = description.architectures().stream()
                .map(name -> ARCHITECTURES.getOrDefault(name, name))
                .collect(Collectors.toSet());
    }

    @Override
    public Listing list(@Nullable String earlierState, NewestIndex newest) throws IOException {
        URI url = description.base().resolve("repodata/repomd.xml");
        String place = Web.shown(url);
        byte[] repomd = http.get(url, Map.of(), MAX_BYTES).body();
        keyring.verify(
                place,
                repomd,
                http.get(url.resolve("repomd.xml.asc"), Map.of(), MAX_BYTES).body());
        try {
            return list(place, new Xml(new ByteArrayInputStream(repomd)), earlierState, newest);
        } catch (XMLStreamException | NumberFormatException e) {
            throw malformed(place, e);
        }
    }

    private static IOException malformed(String place, Exception e) {
        return e instanceof XMLStreamException xml
                        && xml.getNestedException() instanceof IOException cause
                        && !isOfEncoding(cause)
                ? cause
                : new RepositoryException(
                        Reason.MALFORMED,
                        place + " is not XML as expected: " + HostileText.quote(String.valueOf(e.getMessage())));
    }

    /** Returns whether the parser complains about the bytes that it has read, and not the stream about reading them. */
    private static boolean isOfEncoding(IOException e) {
        return e instanceof CharConversionException || e instanceof UnsupportedEncodingException;
    }

    private Listing list(String place, Xml xml, @Nullable String earlierState, NewestIndex newest)
            throws IOException, XMLStreamException {
        long timestamp = 0;
        Map<String, String> primary = Map.of();
        while (xml.goTo("data")) {
            boolean isPrimary = xml.attribute("type").equals("primary");
            Map<String, String> fields = fields(xml, new TreeSet<>());
            // Some programs write a fraction.
            timestamp = Math.max(timestamp, (long) Double.parseDouble(fields.getOrDefault("timestamp", "0")));
            primary = isPrimary ? fields : primary;
        }
        String hash = primary.getOrDefault("checksum", "");
        String state = timestamp + " " + hash;
        requireFresh(
                place,
                timestamp,
                Math.max(timestamp(earlierState), newest.time().getEpochSecond()));
        newest.verified(Instant.ofEpochSecond(timestamp));
        List<String> empty = List.of(names.selectNothing(place, "package"));
        if (state.equals(earlierState)) {
            return Listing.unchanged(state, List.of());
        }
        if ((state + EMPTY).equals(earlierState)) {
            return Listing.unchanged(state + EMPTY, empty);
        }
        if (!Hash.isHex(hash)) {
            throw new RepositoryException(
                    Reason.MALFORMED, place + " has no SHA-256 of the list of packages (primary)");
        }
        Index index = index();
        URI location = index.location("primary", primary.getOrDefault("location", ""));
        index.read(
                location,
                hash,
                Long.parseLong(primary.getOrDefault("size", "0")),
                in -> readPackages(index, Web.shown(location), in));
        return index.entries().isEmpty()
                ? new Listing(state + EMPTY, false, true, List.of(), empty)
                : new Listing(state, false, true, index.entries(), List.of());
    }

    /** Returns the time of a state; 0 for a damaged one. */
    private static long timestamp(@Nullable String state) {
        try {
            return state == null ? 0 : Long.parseLong(Stanzas.words(state).getFirst());
        } catch (NumberFormatException | NoSuchElementException damaged) {
            return 0;
        }
    }

    private static void requireFresh(String place, long timestamp, long newest) throws RepositoryException {
        if (timestamp < newest) {
            throw new RepositoryException(
                    Reason.REPLAYED,
                    place + " is of the time " + timestamp + ", older than the one read before, of " + newest);
        }
        if (timestamp > MAX_TIMESTAMP) {
            throw new RepositoryException(
                    Reason.MALFORMED, place + " is of the time " + timestamp + "; expected seconds since 1970");
        }
    }

    private Index index() {
        return new Index(description.base(), http, scratch, names);
    }

    private void readPackages(Index index, String place, InputStream in) throws IOException {
        try {
            Xml xml = new Xml(in);
            while (xml.goTo("package")) {
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
                            Long.parseLong(fields.getOrDefault("size", "0")),
                            List.copyOf(buildIds)));
                }
            }
        } catch (XMLStreamException | NumberFormatException e) {
            throw malformed(place, e);
        }
    }

    /** Returns what the element that starts says of a file of metadata or of a package, and goes to its end. */
    private static Map<String, String> fields(Xml xml, Set<BuildId> buildIds) throws XMLStreamException {
        String element = xml.getLocalName();
        Map<String, String> fields = new TreeMap<>();
        while (xml.next() != XMLStreamReader.END_DOCUMENT) {
            if (xml.isEndElement() && xml.getLocalName().equals(element)) {
                break;
            }
            if (!xml.isStartElement()) {
                continue;
            }
            String name = xml.getLocalName();
            switch (name) {
                case "name", "arch", "timestamp" -> fields.put(name, xml.getElementText());
                case "location" -> fields.put(name, xml.attribute("href"));
                case "checksum" -> fields.put(name, xml.attribute("type").equals("sha256") ? xml.getElementText() : "");
                case "size" -> {
                    String packageBytes = xml.attribute("package");
                    fields.put(name, packageBytes.isEmpty() ? xml.getElementText() : packageBytes);
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

    /** Events of XML. A reference to a DTD's entity is malformed, and so is a token that does not fit in memory. */
    private static final class Xml extends StreamReaderDelegate {

        private static final XMLInputFactory FACTORY = XMLInputFactory.newDefaultFactory();

        static {
            FACTORY.setProperty(XMLInputFactory.SUPPORT_DTD, false);
            FACTORY.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        }

        private final Bounded in;

        Xml(InputStream in) throws XMLStreamException {
            this(new Bounded(in));
        }

        private Xml(Bounded in) throws XMLStreamException {
            super(FACTORY.createXMLStreamReader(in));
            this.in = in;
        }

        @Override
        public int next() throws XMLStreamException {
            in.left = Bounded.MAX_TOKEN_BYTES;
            return super.next();
        }

        /** Goes to the next start of such an element, and returns whether there is one. */
        boolean goTo(String name) throws XMLStreamException {
            while (hasNext()) {
                if (next() == START_ELEMENT && getLocalName().equals(name)) {
                    return true;
                }
            }
            return false;
        }

        String attribute(String name) {
            String value = getAttributeValue(null, name);
            return value == null ? "" : value;
        }
    }

    /** Limits the bytes between two events, which the parser keeps. */
    private static final class Bounded extends FilterInputStream {

        private static final int MAX_TOKEN_BYTES = 8 << 20;

        private int left = MAX_TOKEN_BYTES;

        Bounded(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int got = super.read(target, offset, length);
            left -= Math.max(got, 0);
            if (left < 0) {
                throw new RepositoryException(
                        Reason.LIMIT, "an element of XML exceeds the limit of " + MAX_TOKEN_BYTES + " bytes");
            }
            return got;
        }
    }
}
