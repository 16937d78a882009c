package dev.offsetd.server.watches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.query.typeset.BuiltInTypeSets;
import java.util.List;
import org.junit.jupiter.api.Test;

class DefaultWatchesTests {

    private static final List<Watch.Draft> ALL = DefaultWatches.all();

    @Test
    void eachWatchesForABuiltInTypeSetUnderItsOwnName() {
        BuiltInTypeSets sets = new BuiltInTypeSets();
        assertThat(ALL).extracting(Watch.Draft::name).doesNotHaveDuplicates();
        assertThat(ALL)
                .allSatisfy(watch -> assertThat(watch.typeSets())
                        .isNotEmpty()
                        .allMatch(set -> sets.find(set).isPresent()));
    }

    @Test
    void allRuntimesOfTheDefaultsAreWatched() {
        assertThat(ALL)
                .flatExtracting(Watch.Draft::typeSets)
                .contains("ruby", "python", "php", "perl", "luajit", "glibc");
    }
}
