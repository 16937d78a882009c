/**
 * Says which risks of the reliability checklist the tests of all modules cover, and whether those tests ran: the source
 * of {@code docs/reliability.md}. It must not know what any test does.
 */
@NullMarked
package dev.offsetd.extractor.checklist;

import org.jspecify.annotations.NullMarked;
