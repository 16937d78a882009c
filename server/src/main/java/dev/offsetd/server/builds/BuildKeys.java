package dev.offsetd.server.builds;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.web.ProblemException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Keys of builds. A client names a build by its GNU build-id or by an alias key; the server stores it under one of them. */
@Component
public class BuildKeys {

    /** Bounds what a client with permission to upload can add. */
    static final int MAX_PER_BUILD = 64;

    /** Builds of a shared key that a problem lists. */
    private static final int MAX_LISTED = 20;

    /** Bytes of a build-id in a debug id. */
    private static final int PREFIX_BYTES = 16;

    /** Bytes of the fields of a GUID that are numbers. */
    private static final List<Integer> GUID_FIELDS = List.of(4, 2, 2);

    /** A debug id with the age 0, which samply and Breakpad write for each ELF file; only PDB files have other ages. */
    private static final Pattern DEBUG_ID = Pattern.compile("[0-9a-fA-F]{32}0{0,8}");

    private static final int MAX_DEBUG_ID_CHARS = 40;

    private final JdbcClient jdbc;
    private final SharedBuildIds shared;
    private final TransactionTemplate transaction;

    BuildKeys(JdbcClient jdbc, SharedBuildIds shared, PlatformTransactionManager transactions) {
        this.jdbc = jdbc;
        this.shared = shared;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * Returns the build that a key names.
     *
     * @throws ProblemException if the key is malformed (400, with the position of the error), or different programs have it
     *     (409)
     */
    public BuildId resolve(String text) {
        return resolve(parse(text));
    }

    /**
     * Parses a key.
     *
     * @throws ProblemException if it is malformed: 400, with the position of the error
     */
    public static BuildId parse(String text) {
        return parse(text, BuildId::parseKey);
    }

    /**
     * Parses a GNU build-id, by which debuggers name a build.
     *
     * @throws ProblemException if it is malformed or an alias key: 400, with the position of the error
     */
    public static BuildId parseGnu(String text) {
        return parse(text, BuildId::parse);
    }

    private static BuildId parse(String text, Function<String, BuildId> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest(
                    "bad_build_id", "Not a build-id", "build-id " + HostileText.quote(text) + ": " + e.getMessage());
        }
    }

    /**
     * Returns the build that a key names; the key itself if no stored build has it.
     *
     * @throws ProblemException if different programs have the key: 409
     */
    public BuildId resolve(BuildId key) {
        boolean isShared = isShared(key);
        if (key.isGnu() && !isShared) {
            return key;
        }
        List<BuildId> builds = named(key);
        if (!isShared && builds.size() <= 1) {
            return builds.isEmpty() ? key : builds.getFirst();
        }
        throw notUnique(key, builds);
    }

    /**
     * Returns the stored build with this debug id, as Breakpad spells it: the first 16 bytes of the build-id as a GUID, whose fields
     * are swapped for little-endian files, and the age 0. Shorter build-ids are padded with zeros.
     *
     * @return empty if the debug id is malformed or has another age, or no build or several have it
     */
    public Optional<BuildId> ofDebugId(String debugId) {
        if (debugId.length() > MAX_DEBUG_ID_CHARS || !DEBUG_ID.matcher(debugId).matches()) {
            return Optional.empty();
        }
        byte[] bytes = HexFormat.of().parseHex(debugId, 0, 2 * PREFIX_BYTES);
        byte[] swapped = bytes.clone();
        int start = 0;
        for (int length : GUID_FIELDS) {
            for (int i = 0; i < length; i++) {
                swapped[start + i] = bytes[start + length - 1 - i];
            }
            start += length;
        }
        List<BuildId> builds = Stream.concat(
                        startingWith(bytes, "big").stream(), startingWith(swapped, "little").stream())
                .toList();
        return builds.size() == 1 ? Optional.of(builds.getFirst()) : Optional.empty();
    }

    /** Returns at most two of the stored builds of this byte order whose build-id, padded with zeros, starts with these bytes. */
    private List<BuildId> startingWith(byte[] prefix, String byteOrder) {
        byte[] last = Arrays.copyOf(prefix, BuildId.MAX_BYTES);
        Arrays.fill(last, prefix.length, last.length, (byte) 0xff);
        List<byte[]> padded = new ArrayList<>();
        for (int length = prefix.length - 1; length >= BuildId.MIN_BYTES && prefix[length] == 0; length--) {
            padded.add(Arrays.copyOf(prefix, length));
        }
        return jdbc.sql("""
                        select f.build_id from debug_files f
                        where (f.build_id between :first and :last or f.build_id = any(:padded))
                            and octet_length(f.build_id) <= :most and f.byte_order = :byteOrder
                        limit 2
                        """)
                .param("first", prefix)
                .param("last", last)
                .param("padded", padded.toArray(byte[][]::new))
                .param("most", BuildId.MAX_BYTES)
                .param("byteOrder", byteOrder)
                .query(Rows::id)
                .list();
    }

    /** Returns whether different programs are known to have this key. */
    public boolean isShared(BuildId key) {
        return shared.contains(key);
    }

    /** Does the same as {@link #isShared} from the database: an upload under the wrong key would be refused. */
    public boolean isSharedNow(BuildId key) {
        return shared.containsNow(key);
    }

    /** Returns the problem of a build-id that different programs have, with the keys of those that are stored. */
    public ProblemException notUnique(BuildId key) {
        return notUnique(key, named(key));
    }

    private List<BuildId> named(BuildId key) {
        return jdbc.sql("""
                        with shown as (select build_id, greatest(%s, :sources) as place from build_aliases
                            where alias = :alias)
                        select build_id from shown where place = (select min(place) from shown)
                        order by build_id limit :limit
                        """.formatted(Origin.rankIn("origin")))
                .param("alias", key.toBytes())
                // Sources count alike.
                .param("sources", Origin.UPLOAD.rank() - 1)
                .param("limit", MAX_LISTED)
                .query(Rows::id)
                .list();
    }

    private static ProblemException notUnique(BuildId key, List<BuildId> builds) {
        return ProblemException.conflict(
                        "build_id_not_unique",
                        "Different programs have this build-id",
                        key + " does not identify a program; expected another key of it, such as htl: or sha256:"
                                + " (offsetd build-id FILE --all)")
                .with("keys", builds.stream().map(BuildId::toString).toList());
    }

    /**
     * Returns the key of the build that a search text names by an alias key; otherwise the text itself.
     *
     * @throws ProblemException if different programs have the key: 409
     */
    public String searched(String text) {
        try {
            BuildId key = BuildId.parseKey(text.strip());
            return key.isGnu() ? text : resolve(key).toString();
        } catch (IllegalArgumentException otherText) {
            return text;
        }
    }

    /** Returns the alias keys of a build, in order of their text. */
    public List<BuildId> of(BuildId build) {
        return jdbc.sql("select alias from build_aliases where build_id = :id order by alias")
                .param("id", build.toBytes())
                .query(Rows::id)
                .list();
    }

    /**
     * Stores the keys of a file of this build, which exists, unless it has {@value #MAX_PER_BUILD} already. Part of the
     * caller's transaction, if there is one. A key that an upload has shown counts only while no source has shown it. Sources of
     * equal trust with different Go build-ids show that different programs have the GNU build-id.
     */
    public void record(BuildId build, FileKeys keys, Origin origin) {
        transaction.executeWithoutResult(status -> {
            StoredGenerations.lock(jdbc, Set.of(build));
            store(build, keys, origin);
            if (!origin.isUpload()) {
                shared.addIfGoBuildIdsDiffer(build);
            }
        });
    }

    private void store(BuildId build, FileKeys keys, Origin origin) {
        Collection<BuildId> aliases =
                keys.all().stream().filter(key -> !key.equals(build)).toList();
        jdbc.sql("""
                        insert into build_aliases (alias, build_id, origin)
                        select alias, :id, :origin from unnest(:aliases) alias
                        where (select count(*) from build_aliases where build_id = :id) < :max
                            and not exists (select from shared_build_ids where build_id = :id)
                        on conflict (alias, build_id) do update set origin = excluded.origin
                            where %s < %s
                        """.formatted(Origin.rankIn("excluded.origin"), Origin.rankIn("build_aliases.origin")))
                .param("id", build.toBytes())
                .param("origin", origin.word())
                .param("aliases", Rows.ids(aliases))
                .param("max", MAX_PER_BUILD)
                .update();
    }
}
