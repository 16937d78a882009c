package dev.offsetd.server.admin;

import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.view.RedirectView;

/** The answer to a form that was taken: where to look now (RFC 9110 §15.4.4). Loading that page again sends nothing twice. */
public final class SeeOther {

    private SeeOther() {}

    /**
     * A view that sends the browser there.
     *
     * @param path of a page of ours; never anything that a caller sent
     */
    public static View to(String path) {
        RedirectView view = new RedirectView(path, true);
        view.setStatusCode(HttpStatus.SEE_OTHER);
        view.setExpandUriTemplateVariables(false);
        return view;
    }
}
