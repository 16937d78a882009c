package dev.offsetd.server.builds.identity;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.codec.digest.DigestUtils;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Words that many builds share: a combination of architecture, distribution, compiler and language is stored once. If no
 * combination has two words together, such as two architectures, a search for both reads no build.
 */
@Component
class IdentityFacets {

    /** Most combinations, so that searches stay fast whatever files state; builds with another one keep all their words. */
    static final int MAX = 10_000;

    private final JdbcClient jdbc;

    IdentityFacets(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Stores a combination unless it is known, and returns its id; empty if the table is full. */
    OptionalLong store(String words) {
        long id = id(words);
        boolean stored = isStored(id)
                || jdbc.sql("""
                                insert into identity_facets (id, words) select :id, cast(:words as tsvector)
                                where (select count(*) from identity_facets) < :most on conflict do nothing
                                """)
                                .param("id", id)
                                .param("words", words)
                                .param("most", MAX)
                                .update()
                        > 0
                || isStored(id);
        return stored ? OptionalLong.of(id) : OptionalLong.empty();
    }

    private boolean isStored(long id) {
        return jdbc.sql("select exists (select from identity_facets where id = :id)")
                .param("id", id)
                .query(Boolean.class)
                .single();
    }

    private static long id(String words) {
        return ByteBuffer.wrap(DigestUtils.sha256(words)).getLong();
    }

    /** Returns the ids of combinations that have at least one of these words, by the words that they lack. */
    Map<List<SearchWord>, List<Long>> byMissing(List<SearchWord> words) {
        String columns = IntStream.range(0, words.size())
                .mapToObj(i -> ", words @@ cast(:word" + i + " as tsquery)")
                .collect(Collectors.joining());
        JdbcClient.StatementSpec query =
                jdbc.sql("select id" + columns + " from identity_facets where words @@ cast(:any as tsquery)");
        for (int i = 0; i < words.size(); i++) {
            query = query.param("word" + i, words.get(i).tsquery());
        }
        Map<List<SearchWord>, List<Long>> byMissing = new LinkedHashMap<>();
        query.param("any", SearchWord.oneOf(words)).query(row -> {
            List<SearchWord> missing = new ArrayList<>();
            for (int i = 0; i < words.size(); i++) {
                if (!row.getBoolean(i + 2)) {
                    missing.add(words.get(i));
                }
            }
            byMissing.computeIfAbsent(missing, _ -> new ArrayList<>()).add(row.getLong(1));
        });
        return byMissing;
    }
}
