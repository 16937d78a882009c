package dev.offsetd.server.startup;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.answer.ByteCount;
import dev.offsetd.server.storage.BlobMoves;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import org.springframework.dao.DataAccessException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves stored bytes between the database and the object store, while servers run. */
@Command(
        name = StoreCommand.NAME,
        synopsisSubcommandLabel = "migrate",
        description = {
            "Moves types, symbols and kept uploads between the database and the object store.",
            "",
            "Works on the database at SPRING_DATASOURCE_URL, or else on the one in DIR, and on the object store of",
            "OFFSETD_STORE_S3_*. Servers may be running."
        },
        footer = {"", "Exit codes: 0 done, 1 not possible or interrupted, 2 invalid options."})
public final class StoreCommand extends DatabaseCommand {

    public static final String NAME = "store";

    private static final String S3 = "s3";
    private static final String DATABASE = "database";

    @Command(
            name = "migrate",
            description = {
                "Moves all stored types, symbols and kept uploads. A move that was interrupted can be repeated.",
                "",
                "Servers continue to write to the place of offsetd.store.write-to: set that first."
            })
    int migrate(
            @Option(names = "--to", paramLabel = "s3|database", required = true, description = "where the bytes go")
                    String to) {
        if (!to.equals(S3) && !to.equals(DATABASE)) {
            throw usage("--to is " + HostileText.quote(to) + "; expected s3 or database");
        }
        return run(CommandDatabase::withObjects, database -> moved(database, to));
    }

    private String moved(CommandDatabase database, String to) {
        ProgressLine progress = new ProgressLine(err());
        try {
            BlobMoves moves = database.moves();
            BlobMoves.MoveListener listener = (table, blobs, bytes) -> progress.at("moving", table, blobs, bytes);
            BlobMoves.Moved moved = to.equals(S3) ? moves.toObjects(listener) : moves.toRows(listener);
            progress.clear();
            return isJson() ? json(moved) : words(moved, to);
        } catch (StoreUnreachableException e) {
            throw new StartException(e.getMessage() + "; objects moved so far are kept");
        } catch (DataAccessException e) {
            throw new StartException("the database failed: " + e.getMessage() + "; objects moved so far are kept");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted; objects moved so far are kept");
        } finally {
            progress.clear();
        }
    }

    private static String words(BlobMoves.Moved moved, String to) {
        String words = "moved " + moved.blobs() + " catalogues, symbol tables and chunks of kept uploads ("
                + ByteCount.text(moved.bytes()) + ") to " + (to.equals(S3) ? "the object store" : "the database");
        return moved.damaged() == 0
                ? words
                : words + "; left " + moved.damaged() + " whose objects are missing or damaged";
    }

    private static String json(BlobMoves.Moved moved) {
        return JSON.createObjectNode()
                .put("moved", moved.blobs())
                .put("bytes", moved.bytes())
                .put("damaged", moved.damaged())
                .toString();
    }
}
