package measure;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The events that a process prints to a file, as far as it has come. */
final class Log implements Closeable {
    private final InputStream in;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    /** Null: no events at all. */
    Log(Path file) throws IOException {
        in = file == null ? InputStream.nullInputStream() : new BufferedInputStream(Files.newInputStream(file));
    }

    /** The next event; null when there is none yet, or only a part of it. */
    JsonObject next() throws IOException {
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                JsonObject event = JsonParser.parseString(line.toString(StandardCharsets.UTF_8)).getAsJsonObject();
                line.reset();
                return event;
            }
            line.write(b);
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
