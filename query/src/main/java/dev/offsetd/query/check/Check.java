package dev.offsetd.query.check;

import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import java.util.List;

/** A consumer of layouts that builds are checked for. */
public interface Check {

    /** Returns the items to read of a build. */
    List<Item> items();

    /** Returns a finding for each thing that the consumer needs, in its order. */
    List<Finding> findings(BuildContents build);
}
