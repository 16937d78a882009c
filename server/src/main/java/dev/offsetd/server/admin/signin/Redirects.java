package dev.offsetd.server.admin.signin;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.View;

/** Answers to forms that were taken: go there, and do not send this again. */
final class Redirects {

    private Redirects() {}

    /** A view that sends the browser to this path, with 303 (RFC 9110 section 15.4.4). */
    static String to(HttpServletRequest request, String path) {
        request.setAttribute(View.RESPONSE_STATUS_ATTRIBUTE, HttpStatus.SEE_OTHER);
        return "redirect:" + path;
    }
}
