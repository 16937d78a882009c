package dev.offsetd.server.admin.shell;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.View;

/** The answer to a form that was taken: where to look now (RFC 9110 §15.4.4). Loading that page again sends nothing twice. */
public final class SeeOther {

    private SeeOther() {}

    /**
     * A view that sends the browser there.
     *
     * @param path of a page, escaped, or the address of the configured provider; never anything that a caller sent, but for a
     *     {@link LocalPath}
     */
    public static String to(HttpServletRequest request, String path) {
        request.setAttribute(View.RESPONSE_STATUS_ATTRIBUTE, HttpStatus.SEE_OTHER);
        return "redirect:" + path;
    }
}
