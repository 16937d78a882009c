package dev.offsetd.extractor.checklist;

import org.jspecify.annotations.Nullable;

/**
 * One row of the reliability checklist.
 *
 * @param number by which tests name it, from 1
 * @param title in a few words
 * @param danger what goes wrong if nobody cares
 * @param figure what is promised and tested
 * @param notApplying why the row asks nothing of this program, or null if it applies
 */
record Risk(
        int number,
        String title,
        String danger,
        String figure,
        @Nullable String notApplying) {

    Risk(int number, String title, String danger, String figure) {
        this(number, title, danger, figure, null);
    }

    boolean applies() {
        return notApplying == null;
    }
}
