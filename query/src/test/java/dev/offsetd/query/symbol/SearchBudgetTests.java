package dev.offsetd.query.symbol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Costs of a search. */
class SearchBudgetTests {

    @Test
    void partOfANameIsFoundWithinTheBudget() {
        SearchBudget budget = new SearchBudget(100);

        assertThat(budget.contains("_ZN1nL6hiddenE", "hidden")).isTrue();
        assertThat(budget.contains("_ZN1nL6hiddenE", "shown")).isFalse();
        assertThat(budget.isExceeded()).isFalse();
    }

    /** Each {@code a} of the name could begin the part, so all but its last character are compared for each. */
    @Test
    void searchForALongPartPaysForEachComparison() {
        SearchBudget budget = new SearchBudget(10_000);

        assertThat(budget.contains("a".repeat(1_000), "a".repeat(500) + "b")).isFalse();
        assertThat(budget.isExceeded()).isFalse();
        assertThat(budget.contains("a".repeat(1_000), "a".repeat(500))).isFalse();
        assertThat(budget.isExceeded()).isTrue();
    }
}
