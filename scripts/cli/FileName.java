package cli;

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
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("a name with characters that the locale does not have;"
                    + " set one that has them, as LC_ALL=C.UTF-8");
        }
    }
}
