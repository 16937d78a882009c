package dev.offsetd.server.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;

/** Actions that several browser tests share. */
final class Visitor {

    private Visitor() {}

    /** Signs in and waits for the next page. */
    static void signIn(Page page, String url, String name, String password) {
        page.navigate(url + "/admin/sign-in");
        page.getByLabel("Name").fill(name);
        page.getByLabel("Password").fill(password);
        press(page, "Sign in");
        assertThat(page).not().hasURL(url + "/admin/sign-in");
    }

    /** Presses the button with this name. */
    static void press(Page page, String name) {
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true))
                .first()
                .click();
    }
}
