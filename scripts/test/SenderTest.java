import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SenderTest {
    @Test
    void blockingWritesOnce() throws Exception {
        try (Kit kit = new Kit()) {
            kit.receiver("--interval", "10ms");
            Kit.Running sender = kit.script("blocking-sender");
            assertEquals(0, sender.await());
            assertEquals(List.of("wrote 1048576 bytes"), sender.out());
        }
    }
}
