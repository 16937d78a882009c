package dev.offsetd.server.sources.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OriginTests {

    @Test
    void knownOriginsAreFoundByTheirWord() {
        assertThat(Origin.known())
                .isNotEmpty()
                .allSatisfy(origin -> assertThat(Origin.ofWord(origin.word())).isSameAs(origin));
    }

    @Test
    void originOfALaterReleaseIsShownAndRanksLowest() {
        Origin later = Origin.ofWord("carrier_pigeon");
        assertThat(later.word()).isEqualTo("carrier_pigeon");
        assertThat(Origin.known())
                .allSatisfy(origin -> assertThat(origin.rank()).isLessThan(later.rank()));
        assertThat(later.isUpload()).isFalse();
    }

    @Test
    void knownOriginsAreInTheOrderOfTrust() {
        assertThat(Origin.known()).extracting(Origin::rank).isSorted();
    }
}
