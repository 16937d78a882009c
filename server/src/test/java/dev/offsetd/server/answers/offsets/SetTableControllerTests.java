package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetSource;
import dev.offsetd.server.answers.ItemResolution;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.identity.FilteredBuilds;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.typesets.TypeSets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import tools.jackson.databind.json.JsonMapper;

class SetTableControllerTests {

    /** A set may be edited between two readings of it. */
    @Test
    void versionIsThatOfTheItems() {
        TypeSet edited = new BuiltInTypeSets().find("ruby").orElseThrow().withVersion(77);
        TypeSetSource source = mock(TypeSetSource.class);
        when(source.find("ruby")).thenReturn(Optional.of(edited));
        Expansion expansion = Expansion.of(List.of(ItemParser.parse("@ruby")), source);
        TypeSets sets = mock(TypeSets.class);
        when(sets.expand(any())).thenReturn(expansion);

        SpooledBody table = new SetTableController(
                        sets,
                        mock(FilteredBuilds.class),
                        mock(Identities.class),
                        mock(ItemResolution.class),
                        mock(ComputePool.class))
                .get("ruby", new MockHttpServletRequest())
                .getBody();

        assertThat(JsonMapper.shared()
                        .readTree(Objects.requireNonNull(table).read())
                        .path("version")
                        .asInt())
                .isEqualTo(77);
    }
}
