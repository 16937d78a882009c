package dev.offsetd.server.startup;

/** Why the server cannot start, and what to do about it; the message is for whoever typed the command. */
class StartException extends Exception {

    StartException(String message) {
        super(message);
    }
}
