package dev.offsetd.query.check;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.SymbolSearch;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A consumer of layouts that builds are checked for. */
public interface Check {

    /** Returns the items to read of a build. */
    List<Item> items();

    /**
     * Returns a finding for each thing that the consumer needs, in its order.
     *
     * @param symbols reads the symbols of the build; null if it has none
     */
    List<Finding> findings(TypeIndex types, Supplier<@Nullable SymbolSearch> symbols);
}
