package cli;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The name of a file on the command line; {@code -} stays a name, which the command may take for a stream. */
public class FileName implements ITypeConverter<Path> {
    @Override
    public Path convert(String text) {
        if (text.isEmpty()) {
            throw new TypeConversionException("the name of a file is empty");
        }
        try {
            Path path = Path.of(text);
            if (!path.isAbsolute() && !text.equals("-") && !Files.exists(Path.of("."))) { // Java looks in another place
                throw unknown("the working directory has a name");
            }
            return path;
        } catch (InvalidPathException e) {
            throw unknown("a name");
        }
    }

    private static TypeConversionException unknown(String what) {
        return new TypeConversionException(what + " with characters that the locale does not have;"
                + " set one that has them, as LC_ALL=C.UTF-8");
    }
}
