package dev.offsetd.server.startup;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.training.TrainingFile;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.modeler.Registry;

/** A debuginfod on the loopback interface that has the training file as every build. */
final class TrainingUpstream implements AutoCloseable {

    private static final BuildId TRAINING = BuildId.parse(TrainingFile.BUILD_ID);

    private final Tomcat tomcat = new Tomcat();

    private TrainingUpstream(Path folder) {
        // The server disables it, too, but starts later and could not do so then.
        Registry.disableRegistry();
        tomcat.setBaseDir(folder.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "debuginfod", new Debuginfod());
        context.addServletMapping("/buildid/*", "debuginfod");
    }

    /** @param folder for its temporary files */
    static TrainingUpstream start(Path folder) throws IOException {
        TrainingUpstream upstream = new TrainingUpstream(folder);
        try {
            upstream.tomcat.start();
        } catch (LifecycleException e) {
            throw new IOException("the upstream of the training did not start", e);
        }
        return upstream;
    }

    String url() {
        return "http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/";
    }

    static BuildId build(int number) {
        byte[] id = TRAINING.toBytes();
        id[0] = (byte) number;
        return BuildId.of(id);
    }

    @Override
    public void close() throws IOException {
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            throw new IOException("the upstream of the training did not stop", e);
        }
    }

    private static final class Debuginfod extends HttpServlet {

        @Serial
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String[] path = request.getPathInfo().split("/", -1);
            if (path.length != 3 || !path[2].equals("debuginfo")) {
                response.sendError(HttpServletResponse.SC_NOT_FOUND);
                return;
            }
            BuildId id = BuildId.parse(path[1]);
            TrainingFile file = id.toBytes()[0] % 2 == 0 ? TrainingFile.PLAIN : TrainingFile.COMPRESSED;
            byte[] bytes = file.bytes();
            System.arraycopy(id.toBytes(), 0, bytes, indexOf(TRAINING.toBytes(), bytes), id.toBytes().length);
            response.setContentLength(bytes.length);
            response.getOutputStream().write(bytes);
        }

        private static int indexOf(byte[] part, byte[] bytes) {
            int at = 0;
            while (!Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
                at++;
            }
            return at;
        }
    }
}
