package dev.offsetd.server.answers.types;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.ItemResolution;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.typesets.TypeSets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class DiffControllerTests {

    /** A set may be edited between two readings of it. */
    @Test
    void setIsReadOnce() {
        BuildQueries queries = mock(BuildQueries.class);
        when(queries.access(any())).thenReturn(new BuildAccess.InProgress());
        BuildKeys keys = mock(BuildKeys.class);
        when(keys.resolve(anyString())).thenReturn(SmallBuild.ID);
        TypeSets sets = mock(TypeSets.class);
        when(sets.expand(any())).thenReturn(Expansion.of(List.of(ItemParser.parse("@ruby")), new BuiltInTypeSets()));
        LayoutComparison layouts =
                new LayoutComparison(queries, mock(Catalogues.class), sets, mock(Pins.class), mock(ComputePool.class));
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setQueryString("from=" + SmallBuild.ID + "&to=" + SmallBuild.ID + "&types=@ruby");

        var _ = new DiffController(queries, layouts, keys, sets, mock(ItemResolution.class)).diff(request);

        verify(sets, times(1)).expand(any());
    }
}
