package dev.offsetd.server.uploads;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildStates;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.ConflictingFiles;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.ContentStore;
import dev.offsetd.server.builds.extraction.StoredLayouts;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.storage.SymbolTables;
import dev.offsetd.server.testkit.SmallBuild;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.PlatformTransactionManager;

/** Uploads that cannot claim the lease of their build. */
@Timeout(60)
class UploadStoreTests {

    private final LeaseHolder leases = mock(LeaseHolder.class);

    private final UploadStore store = new UploadStore(
            leases,
            mock(BuildStates.class),
            mock(ContentStore.class),
            mock(StoredLayouts.class),
            mock(SymbolTables.class),
            mock(ConflictingFiles.class),
            mock(BuildKeys.class),
            mock(AuditLog.class),
            mock(PlatformTransactionManager.class),
            new Binder(new MapConfigurationPropertySource(Map.of("offsetd.uploads.wait-timeout", "1h")))
                    .bindOrCreate("offsetd.uploads", UploadProperties.class));

    @BeforeEach
    void refuseClaims() {
        when(leases.claim(any(), any())).thenReturn(Optional.empty());
    }

    @Test
    void uploadDoesNotWaitForAServerThatShutsDown() {
        when(leases.isClosed()).thenReturn(true);
        when(leases.whenIdle(any())).thenReturn(CompletableFuture.completedFuture(null));
        assertThatThrownBy(() -> store.claim(SmallBuild.ID, mock(Builds.class))).isInstanceOf(BusyException.class);
    }

    @Test
    void outageOfTheDatabaseIsReportedAsOne() {
        when(leases.whenIdle(any()))
                .thenReturn(CompletableFuture.failedFuture(new DataAccessResourceFailureException("outage")));
        assertThatThrownBy(() -> store.claim(SmallBuild.ID, mock(Builds.class)))
                .isInstanceOf(DataAccessResourceFailureException.class);
    }
}
