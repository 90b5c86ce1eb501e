package results;

import com.google.gson.JsonIOException;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file to write, or standard output. It is looked at before the work begins, written beside what is there, and
 * replaces that in one step when it is complete; a symbolic link stays, what it leads to is replaced.
 */
public final class OutputFile {
    private static final int MOST_LINKS = 40; // as many as Linux follows

    private final Path path;
    private final String option;
    private final Path target;

    private OutputFile(Path path, String option, Path target) {
        this.path = path;
        this.option = option;
        this.target = target;
    }

    /** What is written. */
    @FunctionalInterface
    public interface Content {
        void write(OutputStream out) throws IOException;
    }

    /** Text that is written. */
    @FunctionalInterface
    public interface Text {
        void write(Writer out) throws IOException;
    }

    /**
     * Looks whether a file can be written.
     *
     * @param path the file, or {@code -} for standard output
     * @param option that names it, for the error
     * @param inputs files that it must not be
     * @throws FileSystemException with a line for the user: it cannot be written, or must not
     */
    public static OutputFile of(Path path, String option, Path... inputs) throws IOException {
        OutputFile file = new OutputFile(path, option, path.toString().equals("-") ? null : followed(path));
        if (file.isStandardOutput()) {
            file.checkOpen();
        } else {
            file.check(inputs);
        }
        return file;
    }

    /** Where standard output is closed, the JVM opens a file of its own in its place, its modules, to read from it. */
    private void checkOpen() throws IOException {
        Path info = Path.of("/proc/self/fdinfo/1"); // of Linux; elsewhere the first write tells
        if (Files.exists(info) && Files.readAllLines(info).stream().anyMatch(line -> line.matches("flags:\\s*\\d*0"))) {
            throw problem("is not open for writing");
        }
    }

    /** The path behind the symbolic links; it stays relative, as the working directory may have a name unknown here. */
    private static Path followed(Path path) throws IOException {
        Path followed = path;
        for (int links = 0; links < MOST_LINKS && Files.isSymbolicLink(followed); links++) {
            followed = followed.resolveSibling(Files.readSymbolicLink(followed));
        }
        return followed;
    }

    private void check(Path... inputs) throws IOException {
        if (Files.isSymbolicLink(target)) {
            throw unsuitable("is a loop of symbolic links");
        }
        boolean exists = Files.exists(target);
        if (exists && !Files.isRegularFile(target)) {
            throw unsuitable("is not a regular file");
        }
        if (!Files.isDirectory(directory())) {
            throw unsuitable(directory().toString().equals(".") // which exists, but not by the name that Java has of it
                    ? "the locale does not have the name of the working directory" : "its directory does not exist");
        }
        if (!Files.isWritable(directory()) || exists && !Files.isWritable(target)) {
            throw unsuitable("cannot be written to");
        }
        for (Path input : inputs) {
            if (exists && Files.exists(input) && Files.isSameFile(target, input)) {
                throw unsuitable("is one of the input files");
            }
        }
    }

    private Path directory() {
        return target.getParent() == null ? Path.of(".") : target.getParent();
    }

    private FileSystemException unsuitable(String why) {
        return problem(why + "; choose another " + option);
    }

    private FileSystemException problem(String why) {
        return new FileSystemException(isStandardOutput() ? "standard output" : path.toString(), null, why);
    }

    public boolean isStandardOutput() {
        return target == null;
    }

    /** Whether both lead to the same place. */
    public boolean isSameAs(OutputFile other) throws IOException {
        return isStandardOutput() || other.isStandardOutput() ? target == other.target
                : target.getFileName().equals(other.target.getFileName())
                && Files.isSameFile(directory(), other.directory());
    }

    /** Writes text, in UTF-8. */
    public void writeText(Text text) throws IOException {
        write(out -> {
            Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
            text.write(writer);
            writer.flush();
        });
    }

    /**
     * Writes the file; one that is there keeps its permissions.
     *
     * @throws IOException with a line for the user; what was there is as before then
     */
    public void write(Content content) throws IOException {
        try {
            if (isStandardOutput()) {
                // System.out hides errors; to close this one would put /dev/null where the JVM may have its modules
                flush(content, new FileOutputStream(FileDescriptor.out));
            } else {
                replace(content);
            }
        } catch (FileSystemException e) { // names its file
            throw e;
        } catch (JsonIOException | UncheckedIOException e) { // as deep as it happened
            throw problem(e.getCause().getMessage());
        } catch (IOException e) {
            throw problem(e.getMessage());
        }
    }

    private void replace(Content content) throws IOException {
        Path part = directory().resolve("." + target.getFileName() + "." + ProcessHandle.current().pid());
        OutputStream created = create(part);
        try {
            try (OutputStream out = created) {
                if (Files.exists(target)) {
                    Files.setPosixFilePermissions(part, Files.getPosixFilePermissions(target));
                }
                flush(content, out);
            }
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private OutputStream create(Path part) throws IOException {
        try {
            OutputStream out = Files.newOutputStream(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            part.toFile().deleteOnExit(); // a signal may come
            return out;
        } catch (FileAlreadyExistsException e) {
            throw problem(part + " is in the way; remove it");
        } catch (FileSystemException e) {
            throw problem(e.getReason() == null ? "cannot be written to" : e.getReason());
        }
    }

    private static void flush(Content content, OutputStream stream) throws IOException {
        OutputStream out = new BufferedOutputStream(stream);
        content.write(out);
        out.flush();
    }
}
