package dev.offsetd.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import org.junit.jupiter.api.Test;

class PagesIntegrationTests {

    @Test
    void opens() {
        try (Chromium chromium = Chromium.start()) {
            Page page = chromium.open(Chromium.Window.DESK);
            page.setContent("<h1>hello</h1>");
            assertThat(page.locator("h1").textContent()).isEqualTo("hello");
            assertThat(chromium.errors()).isEmpty();
        }
    }
}
