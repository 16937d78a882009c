package dev.offsetd.extractor.checklist;

import org.jspecify.annotations.Nullable;

/**
 * One row of the reliability checklist.
 *
 * @param number the number by which tests refer to the row, from 1
 * @param title a few words
 * @param danger the failure if nothing prevents it
 * @param figure the guarantee that is tested
 * @param notApplying the reason why the row does not apply to this program, or null if it does
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
