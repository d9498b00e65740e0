import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.security.KeyStore;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A repository. Arguments: its folder, a file for a line per request, the one pair of
 * credentials and, for HTTPS, a key store whose password is its own name. The first part of a path tells how it behaves; the rest is the file. Ends with its standard input.
 */
public final class RepositoryServer {
    private final File root;
    private final File log;
    private final String authorization;
    private final Set<String> seen = new HashSet<>();
    private int writes;

    private RepositoryServer(File root, File log, String pair) {
        this.root = root;
        this.log = log;
        this.authorization = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes());
    }

    public static void main(String[] args) throws Exception {
        RepositoryServer repository = new RepositoryServer(new File(args[0]), new File(args[1]), args[2]);
        HttpServer server = args.length > 3 ? secure(new File(args[3])) : HttpServer.create();
        server.bind(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", repository::answer);
        server.start();
        System.out.println(server.getAddress().getPort());
        System.out.flush();
        while (System.in.read() >= 0) { }
        System.exit(0);
    }

    private static HttpServer secure(File store) throws Exception {
        char[] password = store.getName().toCharArray();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(store, password), password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        HttpsServer server = HttpsServer.create();
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return server;
    }

    private synchronized void answer(HttpExchange exchange) throws IOException {
        try {
            String method = exchange.getRequestMethod();
            String path = exchange.getRequestURI().getPath();
            String given = exchange.getRequestHeaders().getFirst("Authorization");
            try (FileWriter line = new FileWriter(log, true)) {
                line.write(method + " " + path + (given == null ? "" : " login") + "\n");
            }
            byte[] body = read(exchange.getRequestBody());
            String[] parts = path.split("/", 3);
            File file = new File(root, parts[2]);
            boolean put = method.equals("PUT");
            int port = exchange.getLocalAddress().getPort();
            switch (parts[1]) {
                case "closed":
                    if (!authorization.equals(given)) { reply(exchange, 401, null); return; }
                    break;
                case "upload":
                    if (put && !authorization.equals(given)) { reply(exchange, 403, null); return; }
                    break;
                case "moved":
                    exchange.getResponseHeaders().set("Location", "/closed/" + parts[2]);
                    reply(exchange, 307, null);
                    return;
                case "found":
                    if (put) {
                        exchange.getResponseHeaders().set("Location", "/open/" + parts[2]);
                        reply(exchange, 302, null);
                        return;
                    }
                    break;
                case "away":
                    exchange.getResponseHeaders().set("Location", "http://localhost:" + port + "/open/" + parts[2] + "?signature=secret");
                    reply(exchange, 307, null);
                    return;
                case "around":
                    exchange.getResponseHeaders().set("Location", path);
                    reply(exchange, 308, null);
                    return;
                case "full":
                    if (put && ++writes > 7) { reply(exchange, 507, null); return; }
                    break;
                case "frozen":
                    if (put) { reply(exchange, 409, null); return; }
                    break;
                // Another publisher was faster: what is there is seen too late, or only by the write itself.
                case "overtaken":
                    if (!put && seen.add(path)) { reply(exchange, 404, null); return; }
                    break;
                case "blind":
                    if (!put) { reply(exchange, 404, null); return; }
                    break;
                default:
                    break;
            }
            if (put && file.isFile() && "*".equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
                reply(exchange, 412, null);
                return;
            }
            if (put) {
                file.getParentFile().mkdirs();
                Files.write(file.toPath(), body);
                reply(exchange, 201, null);
            } else if (file.isFile()) {
                reply(exchange, 200, Files.readAllBytes(file.toPath()));
            } else {
                reply(exchange, 404, null);
            }
        } finally {
            exchange.close();
        }
    }

    private static byte[] read(InputStream stream) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] buffer = new byte[65536];
        for (int count; (count = stream.read(buffer)) > 0; ) {
            bytes.write(buffer, 0, count);
        }
        return bytes.toByteArray();
    }

    private static void reply(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body == null || body.length == 0 ? -1 : body.length);
        if (body != null && body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }
}
