package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.Precondition;
import dev.offsetd.server.web.ProblemException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.springframework.http.HttpStatus;

/** Problems of requests about pins. */
final class PinProblems {

    private PinProblems() {}

    /** Returns the problem of a draft that is invalid for any build: 400. */
    static ProblemException bad(List<DraftCheck.Diagnostic> diagnostics) {
        return refused(HttpStatus.BAD_REQUEST, "bad_pin", "The pin is invalid", diagnostics);
    }

    static ProblemException bad(String place, String message) {
        return bad(List.of(new DraftCheck.Diagnostic(place, message)));
    }

    /** Returns the problem of a draft that does not fit its build: 422. */
    static ProblemException doesNotFit(List<DraftCheck.Diagnostic> diagnostics) {
        return refused(HttpStatus.UNPROCESSABLE_CONTENT, "pin_does_not_fit", "The pin does not fit", diagnostics);
    }

    private static ProblemException refused(
            HttpStatus status, String code, String title, List<DraftCheck.Diagnostic> diagnostics) {
        return ProblemException.of(
                        status,
                        code,
                        title,
                        diagnostics.stream().map(DraftCheck.Diagnostic::message).collect(Collectors.joining("; also ")))
                .with("place", diagnostics.getFirst().place())
                .with("errors", diagnostics);
    }

    /** Returns the problem of an item that another pin overrides: 409. */
    static ProblemException exists(BuildId build, String item, UUID other) {
        return ProblemException.conflict("pin_exists", "The item is pinned already", existsDetail(build, item, other))
                .with("pin", other.toString());
    }

    static String existsDetail(BuildId build, String item, UUID other) {
        return "item " + HostileText.quote(item) + " of build " + build + " has the active pin " + other
                + "; edit or retire that pin";
    }

    /** Returns the problem of an expired pin: 409. */
    static ProblemException expired(Pin pin) {
        return ProblemException.conflict(
                "pin_expired",
                "The pin has expired",
                "pin " + pin.id() + " expired at " + pin.draft().expiresAt()
                        + "; edit it first, with an expiry in the future or none");
    }

    /** Returns the problem of an acknowledged value that is no longer the extracted one: 409. */
    static ProblemException valueChanged(Pin pin, String shown) {
        return ProblemException.conflict(
                "pin_value_changed",
                "The extracted value has changed",
                "the extracted value of item " + HostileText.quote(pin.draft().item()) + " is now "
                        + described(pin.extractedText()) + ", not " + described(shown) + "; review it again");
    }

    private static String described(String value) {
        return value.isEmpty() ? "missing" : HostileText.quote(value);
    }

    /** Returns the problem of a stale revision: 412. */
    static ProblemException stale(int expected, Pin pin) {
        return Precondition.stale(
                "pin",
                "revision " + expected + " of pin " + pin.id() + " is not the latest; expected " + pin.revision()
                        + ", by " + pin.editedBy());
    }

    /** Returns the problem of an unknown pin: 404. */
    static ProblemException notFound(String id) {
        return ProblemException.notFound("pin_not_found", "No such pin", "no pin has the id " + id);
    }
}
