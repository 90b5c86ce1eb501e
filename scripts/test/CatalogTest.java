import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The kit from a catalog behind an address, with nothing of it on the machine that runs it but JBang. */
class CatalogTest {
    private static final Path ROOT = Path.of("").toAbsolutePath();
    private static final String JBANG = ROOT.resolve("jbang").toString();

    private static void serve(HttpExchange exchange) throws IOException {
        Path file = ROOT.resolve(exchange.getRequestURI().getPath().substring(1)).normalize();
        if (Files.isRegularFile(file) && file.startsWith(ROOT)) {
            exchange.sendResponseHeaders(200, Files.size(file));
            Files.copy(file, exchange.getResponseBody());
        } else {
            exchange.sendResponseHeaders(404, -1);
        }
        exchange.close();
    }

    @Test
    void runsByAliasFromACatalogAtAnAddress() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", CatalogTest::serve);
        server.start();
        try (Kit kit = new Kit()) {
            Map<String, String> environment = Map.of("JBANG_DIR", kit.dir.resolve("jbang").toString());
            String catalog = "@http://127.0.0.1:" + server.getAddress().getPort() + "/jbang-catalog.json";
            for (List<String> command : List.of(
                    List.of("slow-receiver", "--help"), List.of("stuck", "--help"),
                    List.of("predict", "--strategy", "poll", "--export-json", "a.json"),
                    List.of("plot", "a.json", "--output", "a.png"),
                    List.of("compare", "--interval", "0s", "--sender", "poll"))) {
                List<String> all = new ArrayList<>(List.of(JBANG, command.get(0) + catalog));
                all.addAll(command.subList(1, command.size()));
                Kit.Running running = kit.run(environment, all.toArray(String[]::new));
                assertEquals(0, running.await(), () -> running.err().toString());
            }
            assertTrue(Files.size(kit.dir.resolve("a.png")) > 1000);
        } finally {
            server.stop(0);
        }
    }
}
