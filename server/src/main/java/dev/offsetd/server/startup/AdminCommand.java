package dev.offsetd.server.startup;

import dev.offsetd.server.access.users.RefusedException;
import dev.offsetd.server.access.users.Users.NewPassword;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Restores the access of a locked-out administrator through the server's database. Access to the data folder, or to the
 * database's password, authorizes this.
 */
@Command(
        name = AdminCommand.NAME,
        synopsisSubcommandLabel = "reset",
        description = {
            "Restores access for an administrator who is locked out of the pages.",
            "",
            "Works on the database at SPRING_DATASOURCE_URL, or else on the one in DIR. The server may be running."
        },
        footer = {"", "Exit codes: 0 done, 1 not possible, 2 invalid options."})
public final class AdminCommand extends DatabaseCommand {

    public static final String NAME = "admin";

    @Command(
            name = "reset",
            description = {
                "Sets a one-time password and prints it; it is not shown again.",
                "Ends the administrator's sessions, clears failed attempts, and enables the account."
            })
    int reset(
            @Parameters(
                            paramLabel = "NAME",
                            arity = "0..1",
                            description = "name of an administrator (default: the first one)")
                    @Nullable
                    String name) {
        return run(database -> {
            NewPassword password;
            try {
                password = database.firstAdmin().reset(name, cause());
            } catch (RefusedException e) {
                throw new StartException(String.valueOf(e.getMessage()));
            }
            String user = password.state().user().name();
            if (isJson()) {
                return JSON.createObjectNode()
                        .put("name", user)
                        .put("password", password.text())
                        .toString();
            }
            err().println("offsetd: one-time password of " + user
                    + "; change it at the next sign-in, it is not shown again");
            return password.text();
        });
    }
}
