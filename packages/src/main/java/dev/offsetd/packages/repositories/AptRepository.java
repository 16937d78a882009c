package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A suite of an apt archive (Debian's "Repository Format"). */
final class AptRepository implements Repository {

    private static final int MAX_RELEASE_BYTES = 16 << 20;

    private final URI suiteUrl;
    private final RepositoryDescription description;
    private final Http http;
    private final Path scratch;
    private final InstantSource clock;
    private final Patterns names;

    AptRepository(RepositoryDescription description, Web web, Path scratch, InstantSource clock) {
        this.description = description;
        this.suiteUrl = description.base().resolve("dists/" + description.suite() + "/");
        this.http = new Http(description.base(), web);
        this.scratch = scratch;
        this.clock = clock;
        this.names = new Patterns(description.names());
    }

    /** An index of a component for an architecture, as the release lists it. */
    private record IndexFile(String path, String hash, long size) {}

    /**
     * State after a listing, which is a stanza, too.
     *
     * @param validUntil end of the release; empty if it states none
     * @param indexes hashes of the indexes that were read
     * @param empty those of them in which no package is selected
     * @param lacking paths of selected indexes that the suite lacks
     */
    private record State(
            Instant date,
            @Nullable String etag,
            String validUntil,
            Set<String> indexes,
            Set<String> empty,
            Set<String> lacking) {

        /** Returns the state of a text; that of a damaged one is the first state. */
        static State parse(@Nullable String text) {
            try {
                Map<String, String> fields = text == null ? Map.of() : stanza("the earlier state", text);
                return new State(
                        Instant.parse(fields.getOrDefault("Date", Instant.EPOCH.toString())),
                        fields.get("ETag"),
                        fields.getOrDefault("Valid-Until", ""),
                        words(fields, "Indexes"),
                        words(fields, "Empty"),
                        words(fields, "Lacking"));
            } catch (IOException | DateTimeParseException damaged) {
                return parse(null);
            }
        }

        private static Set<String> words(Map<String, String> fields, String name) {
            return new TreeSet<>(Stanzas.words(fields.getOrDefault(name, "")));
        }

        String text() {
            return "Date: " + date + (etag == null ? "" : "\nETag: " + etag)
                    + (validUntil.isEmpty() ? "" : "\nValid-Until: " + validUntil) + "\nIndexes: "
                    + String.join(" ", indexes)
                    + (empty.isEmpty() ? "" : "\nEmpty: " + String.join(" ", empty))
                    + (lacking.isEmpty() ? "" : "\nLacking: " + String.join(" ", lacking))
                    + "\n";
        }
    }

    @Override
    public Listing list(@Nullable String earlierState, NewestIndex newest) throws IOException {
        State earlier = State.parse(earlierState);
        URI url = suiteUrl.resolve("InRelease");
        // If a newer release was verified since, the one of the state would be a replay.
        String etag = earlier.date().isBefore(newest.time()) ? null : earlier.etag();
        Http.Answer answer =
                http.get(url, etag == null ? Map.of() : Map.of(Http.IF_NONE_MATCH, etag), MAX_RELEASE_BYTES);
        if (answer.status() == 304) {
            requireValid(Web.shown(url), earlier.validUntil());
            return Listing.unchanged(earlier.text(), warnings(Web.shown(url), earlier));
        }
        String place = Web.shown(url);
        Map<String, String> release =
                stanza(place, new Keyring(description.keyring(), clock).signedText(place, answer.body()));
        Instant date = requireFresh(place, release, latest(earlier.date(), newest.time()));
        newest.verified(date);
        State state = new State(
                date,
                answer.etag(),
                release.getOrDefault("Valid-Until", ""),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>());
        List<IndexFile> files = indexes(place, release, state.lacking());
        Index index = index();
        for (IndexFile file : files) {
            state.indexes().add(file.hash());
            boolean empty = earlier.empty().contains(file.hash());
            if (!earlier.indexes().contains(file.hash())) {
                int before = index.entries().size();
                read(index, release, file);
                empty = index.entries().size() == before;
            }
            if (empty) {
                state.empty().add(file.hash());
            }
        }
        return new Listing(
                state.text(),
                earlier.indexes().containsAll(state.indexes()),
                Collections.disjoint(earlier.indexes(), state.indexes()),
                index.entries(),
                warnings(place, state));
    }

    /** Returns what the description selects and the suite lacks. */
    private List<String> warnings(String place, State state) {
        List<String> warnings = new ArrayList<>();
        state.lacking().forEach(path -> warnings.add(noIndex(place, path)));
        if (state.empty().containsAll(state.indexes())) {
            warnings.add(names.selectNothing(place, "package with build-ids"));
        }
        return warnings;
    }

    private static String noIndex(String place, String path) {
        return place + " has no index " + path;
    }

    private Index index() {
        return new Index(description.base(), http, scratch, names);
    }

    private static Map<String, String> stanza(String place, String text) throws IOException {
        return new Stanzas(place, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
                .next()
                .orElse(Map.of());
    }

    /** Returns the date of a release that is of this suite, has not expired, and is not older than the one read before. */
    private Instant requireFresh(String place, Map<String, String> release, Instant newest) throws RepositoryException {
        String suite = String.valueOf(description.suite());
        Set<String> names = new TreeSet<>();
        for (String field : List.of("Suite", "Codename")) {
            if (release.containsKey(field)) {
                names.add(release.get(field));
            }
        }
        if (!names.isEmpty() && !names.contains(suite)) {
            throw new RepositoryException(
                    Reason.REPLAYED,
                    place + " is of the suite " + quoted(names) + "; expected " + HostileText.quote(suite));
        }
        Instant date = time(place, "Date", release.getOrDefault("Date", ""));
        if (date.isBefore(newest)) {
            throw new RepositoryException(
                    Reason.REPLAYED, place + " is of " + date + ", older than the one read before, of " + newest);
        }
        requireValid(place, release.getOrDefault("Valid-Until", ""));
        return date;
    }

    private static Instant latest(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private void requireValid(String place, String validUntil) throws RepositoryException {
        if (!validUntil.isEmpty() && time(place, "Valid-Until", validUntil).isBefore(clock.instant())) {
            throw new RepositoryException(
                    Reason.EXPIRED, place + " was valid until " + time(place, "Valid-Until", validUntil));
        }
    }

    private static String quoted(Set<String> names) {
        return HostileText.quote(String.join(" or ", names));
    }

    private static Instant time(String place, String field, String text) throws RepositoryException {
        try {
            // The format is that of mail, with another name for the same zone, and in Ubuntu with hours of one digit.
            return ZonedDateTime.parse(
                            text.replace("UTC", "GMT").replace("  ", " 0"), DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
        } catch (DateTimeParseException e) {
            throw new RepositoryException(
                    Reason.MALFORMED,
                    place + " has the field " + field + " with " + HostileText.quote(text)
                            + "; expected a date like Sat, 11 Jul 2026 10:16:37 UTC");
        }
    }

    /** @param lacking to which paths of missing indexes are added */
    private List<IndexFile> indexes(String place, Map<String, String> release, Set<String> lacking)
            throws RepositoryException {
        Map<String, IndexFile> listed = new TreeMap<>();
        for (String line : release.getOrDefault("SHA256", "").lines().toList()) {
            List<String> words = Stanzas.words(line);
            if (words.size() == 3 && Hash.isHex(words.getFirst())) {
                listed.put(words.get(2), new IndexFile(words.get(2), words.getFirst(), number(place, words.get(1))));
            }
        }
        List<IndexFile> selected = new ArrayList<>();
        for (String component : description.components()) {
            for (String architecture : description.architectures()) {
                String path = component + "/binary-" + architecture + "/Packages";
                List.of(path + ".xz", path + ".gz", path).stream()
                        .filter(listed::containsKey)
                        .findFirst()
                        .ifPresentOrElse(found -> selected.add(listed.get(found)), () -> lacking.add(path));
            }
        }
        if (selected.isEmpty()) {
            throw new RepositoryException(
                    Reason.MISSING,
                    lacking.stream().map(path -> noIndex(place, path)).collect(Collectors.joining("; ")));
        }
        return selected;
    }

    private static long number(String place, String text) throws RepositoryException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new RepositoryException(
                    Reason.MALFORMED, place + " has the size " + HostileText.quote(text) + "; expected a number");
        }
    }

    private void read(Index index, Map<String, String> release, IndexFile file) throws IOException {
        boolean byHash =
                "yes".equals(release.getOrDefault("Acquire-By-Hash", "").toLowerCase(Locale.ROOT));
        String folder = file.path().substring(0, file.path().lastIndexOf('/') + 1);
        // The file by name may be of the next release already.
        URI url = suiteUrl.resolve(byHash ? folder + "by-hash/SHA256/" + file.hash() : file.path());
        String place = Web.shown(suiteUrl.resolve(file.path()));
        index.read(url, file.hash(), file.size(), in -> readPackages(index, place, in));
    }

    private static void readPackages(Index index, String place, InputStream in) throws IOException {
        Stanzas stanzas = new Stanzas(place, in);
        for (var next = stanzas.next(); next.isPresent(); next = stanzas.next()) {
            Map<String, String> fields = next.get();
            Set<BuildId> buildIds = new TreeSet<>();
            Stanzas.words(fields.getOrDefault("Build-Ids", "")).forEach(word -> Index.addBuildId(word, buildIds));
            index.add(new RepositoryEntry(
                    Hash.PREFIX + fields.getOrDefault("SHA256", ""),
                    fields.getOrDefault("Package", ""),
                    fields.getOrDefault("Version", ""),
                    fields.getOrDefault("Architecture", ""),
                    fields.getOrDefault("Filename", ""),
                    number(place, fields.getOrDefault("Size", "0")),
                    List.copyOf(buildIds)));
        }
    }

    @Override
    public List<PackageFile> open(RepositoryEntry entry, Path folder) throws IOException {
        return index().open(entry, folder, new Patterns(description.files()));
    }
}
