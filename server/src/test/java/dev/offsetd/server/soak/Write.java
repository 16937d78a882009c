package dev.offsetd.server.soak;

import java.util.Optional;

/** A write that a server has acknowledged. */
interface Write {

    /** Names it in reports. */
    String what();

    /**
     * Asks a server for it.
     *
     * @return empty if it cannot be asked now; else what is wrong with the answer, and empty text if it is right
     */
    Optional<String> look(Client client, Server server) throws InterruptedException;
}
