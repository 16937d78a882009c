package dev.offsetd.server.storage;

import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import dev.offsetd.server.storage.objects.StoredObject;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Objects that rows of this package refer to. A server commits the row of an object before it writes the object, and the rows that
 * refer to it afterwards. A server that dies in between leaves an unused object, which is deleted when it is old enough. Triggers of the
 * tables note when a row no longer refers to an object.
 */
@Component
public class ObjectRows {

    private static final Logger log = LoggerFactory.getLogger(ObjectRows.class);

    private static final int AT_A_TIME = 200;

    /** Time for which a server has an object to itself to delete it; much longer than {@link #DELETING}. */
    private static final String CONDEMNED = "10 minutes";

    private static final Duration DELETING = Duration.ofMinutes(3);
    private static final Duration MAX_WRITER_WAIT = Duration.ofSeconds(30);
    private static final Duration WRITER_POLL = Duration.ofMillis(250);

    private static final String IS_USED = Stream.concat(
                    Stream.of(BuildPart.values()).map(BuildPart::table), Stream.of(KeptFiles.TABLE))
            .map(table -> "exists (select from " + table + " t where t.object = o.sha256)")
            .collect(Collectors.joining(" or ", "(", ")"));

    private final JdbcClient jdbc;
    private final ObjectStore objects;
    private volatile boolean named;

    ObjectRows(JdbcClient jdbc, ObjectStore objects) {
        this.jdbc = jdbc;
        this.objects = objects;
    }

    /**
     * Prepares bytes for a row. Writes an object if the server is configured so, and must not be called in a transaction.
     *
     * @throws StoreUnreachableException if the object cannot be written
     */
    NewBlob prepare(byte[] bytes) {
        return objects.writesNew() ? new NewBlob(bytes, write(bytes)) : new NewBlob(bytes, null);
    }

    /** Writes an object, which is kept for a while until a row refers to it. */
    StoredObject write(byte[] bytes) {
        StoredObject object = objects.named(bytes);
        nameBucket(true);
        announce(object);
        objects.put(object, bytes);
        return object;
    }

    /** Commits that the object may exist. Waits if a server deletes the object now. */
    private void announce(StoredObject object) {
        long end = System.nanoTime() + MAX_WRITER_WAIT.toNanos();
        while (jdbc.sql("""
                        insert into stored_objects as o (sha256, bytes) values (:sha256, :bytes)
                        on conflict (sha256) do update set unused_since = now(), condemned_until = null
                            where o.condemned_until is null or o.condemned_until < now()
                        """)
                        .param("sha256", HexFormat.of().parseHex(object.sha256()))
                        .param("bytes", object.bytes())
                        .update()
                == 0) {
            if (System.nanoTime() > end) {
                throw new StoreUnreachableException("object " + object.sha256() + " is being deleted");
            }
            try {
                Thread.sleep(WRITER_POLL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoreUnreachableException("interrupted", e);
            }
        }
    }

    /**
     * Tells the store the name of this database, once.
     *
     * @param writes whether this process writes objects
     * @throws StoreUnreachableException if the database is new and the store fails
     */
    void nameBucket(boolean writes) {
        if (named) {
            return;
        }
        String name = jdbc.sql("select id::text from object_store")
                .query(String.class)
                .single();
        boolean first = jdbc.sql("select not exists (select from stored_objects)")
                .query(Boolean.class)
                .single();
        objects.belongsTo(name, first && writes);
        named = true;
    }

    /**
     * Deletes objects that nothing has referred to for a while.
     *
     * @param age time since they were written or last referred to
     * @return the number of deleted objects
     * @throws StoreUnreachableException if the store fails; the rest is deleted later
     */
    public int deleteUnused(Duration age) {
        keepUsed(age);
        int deleted = 0;
        List<String> condemned = condemn(age);
        long end = System.nanoTime() + DELETING.toNanos();
        for (String sha256 : condemned) {
            if (System.nanoTime() > end) {
                // Another server may write the object soon.
                break;
            }
            objects.delete(sha256);
            deleted += jdbc.sql("delete from stored_objects o where sha256 = decode(:sha256, 'hex') and not " + IS_USED)
                    .param("sha256", sha256)
                    .update();
        }
        if (deleted > 0) {
            log.info("deleted {} unused objects", deleted);
        }
        return deleted;
    }

    private void keepUsed(Duration age) {
        jdbc.sql("""
                        update stored_objects set unused_since = null
                        where unused_since < now() - make_interval(secs => :age) and sha256 in (
                            select sha256 from stored_objects o
                            where unused_since < now() - make_interval(secs => :age) and
                        """ + IS_USED + " for update skip locked)")
                .param("age", age.toSeconds())
                .update();
    }

    private List<String> condemn(Duration age) {
        return jdbc.sql("update stored_objects set condemned_until = now() + interval '" + CONDEMNED + """
                        ' where sha256 in (
                            select sha256 from stored_objects o
                            where unused_since < now() - make_interval(secs => :age)
                                and (condemned_until is null or condemned_until < now())
                                and not
                        """ + IS_USED
                        + """
                             order by unused_since limit :limit for update skip locked)
                        returning sha256
                        """)
                .param("age", age.toSeconds())
                .param("limit", AT_A_TIME)
                .query((row, number) -> HexFormat.of().formatHex(row.getBytes(1)))
                .list();
    }
}
