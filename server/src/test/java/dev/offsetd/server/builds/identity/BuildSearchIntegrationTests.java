package dev.offsetd.server.builds.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.testkit.Stores;
import dev.offsetd.server.testkit.TestDatabase;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.SqlParameterValue;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Each plan of a search finds the builds that a comparison of every build finds. */
class BuildSearchIntegrationTests {

    private static final int BUILDS = 300;

    private static final List<String> NAMES = List.of("libruby", "libssl", "ruby", "debian", "amd64");
    private static final List<String> VERSIONS = List.of("3.4", "3.4.5", "1.1", "12");
    private static final List<String> DISTRIBUTIONS = List.of("debian", "ubuntu", "fedora");
    private static final List<String> MACHINES = List.of("x86_64 amd64", "aarch64 arm64", "s390x");

    private static Stores stores;
    private static JdbcClient jdbc;

    /** Words of a build with their position, as in {@code name:1A}. */
    private record Row(BuildId id, List<String> words) {

        boolean has(SearchWord word) {
            return words.stream().anyMatch(own -> {
                String text = own.substring(0, own.lastIndexOf(':'));
                return (word.whole() ? text.equals(word.text()) : text.startsWith(word.text()))
                        && own.endsWith(word.in().position());
            });
        }
    }

    private static final List<Row> ROWS = new ArrayList<>();

    @BeforeAll
    static void fill() {
        stores = new Stores(TestDatabase.create());
        jdbc = stores.jdbc();
        IdentityFacets facets = new IdentityFacets(jdbc);
        Random random = new Random(1);
        for (int i = 0; i < BUILDS; i++) {
            BuildId id = BuildId.of(HexFormat.of().parseHex(String.format(Locale.ROOT, "%040x", i * 7L)));
            List<String> own = List.of(one(NAMES, random) + ":1A", one(VERSIONS, random) + ":2B");
            String machine = one(MACHINES, random);
            List<String> shared = Stream.concat(
                            Stream.of(one(DISTRIBUTIONS, random) + ":3C"),
                            Stream.of(machine.split(" ", -1)).map(name -> name + ":4D"))
                    .toList();
            boolean fromEarlierVersion = random.nextInt(10) == 0;
            jdbc.sql("insert into builds (build_id, state, settled_at) values (?, 'extracted', now())")
                    .param(id.toBytes())
                    .update();
            jdbc.sql("insert into build_identities (build_id, fields, title, machine, words, facets)"
                            + " values (?, '[]', '', ?, cast(? as tsvector), ?)")
                    .params(
                            id.toBytes(),
                            machine.split(" ", -1)[0],
                            String.join(" ", own) + (fromEarlierVersion ? ' ' + String.join(" ", shared) : ""),
                            fromEarlierVersion
                                    ? new SqlParameterValue(Types.BIGINT, null)
                                    : facets.store(String.join(" ", shared)).orElseThrow())
                    .update();
            ROWS.add(new Row(id, Stream.concat(own.stream(), shared.stream()).toList()));
        }
        jdbc.sql("analyze build_identities").update();
    }

    @AfterAll
    static void close() {
        stores.close();
    }

    private static <T> T one(List<T> words, Random random) {
        // Frequent words first.
        return words.get((int) (words.size() * Math.pow(random.nextDouble(), 3)));
    }

    private static SearchWord word(Random random) {
        List<String> all = Stream.of(
                        NAMES, VERSIONS, DISTRIBUTIONS, List.of("x86_64", "amd64", "arm64", "s390x", "none"))
                .flatMap(List::stream)
                .toList();
        String text = all.get(random.nextInt(all.size()));
        return new SearchWord(
                random.nextBoolean() ? text : text.substring(0, 1 + random.nextInt(text.length())),
                one(List.of(SearchWord.In.values()), random),
                random.nextInt(8) == 0);
    }

    @ParameterizedTest
    @CsvSource({"2000, 2000", "2000, 10", "50, 20", "1, 5", "0, 1"})
    void everyPlanFindsTheSameBuilds(int rare, int window) {
        BuildSearch search = new BuildSearch(jdbc, new WordFrequencies(jdbc), new IdentityFacets(jdbc), rare, window);
        Random random = new Random(rare + window);
        for (int i = 0; i < 60; i++) {
            List<SearchWord> words = IntStream.rangeClosed(0, random.nextInt(3))
                    .mapToObj(_ -> word(random))
                    .toList();
            BuildId after = random.nextBoolean()
                    ? null
                    : ROWS.get(random.nextInt(BUILDS)).id();
            int limit = 1 + random.nextInt(20);
            assertThat(search.page(new BuildFilter(null, null, null, words, new byte[0], null), after, limit))
                    .as("%s after %s", words, after)
                    .isEqualTo(ROWS.stream()
                            .filter(row -> words.stream().allMatch(row::has))
                            .map(Row::id)
                            .filter(id -> after == null || id.compareTo(after) > 0)
                            .limit(limit)
                            .toList());
        }
    }

    @Test
    void buildsKeepAllTheirWordsOnceThereAreTooManyFacets() {
        JdbcClient other = TestDatabase.create().jdbc();
        IdentityFacets facets = new IdentityFacets(other);
        assertThat(facets.store("debian:3C")).isPresent();
        other.sql("insert into identity_facets select n, '' from generate_series(1, ?) n")
                .param(IdentityFacets.MAX)
                .update();
        assertThat(facets.store("debian:3C")).isPresent();
        assertThat(facets.store("ubuntu:3C")).isEmpty();
    }
}
