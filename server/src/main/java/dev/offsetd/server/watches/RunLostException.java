package dev.offsetd.server.watches;

/** Another server has taken the run over, or the watch was removed. */
final class RunLostException extends RuntimeException {

    RunLostException(String watch) {
        super("watch " + watch + ": the run was taken over, or the watch removed");
    }
}
