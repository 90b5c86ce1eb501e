import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts of the exemplars: short, the same where they must be the same, and nothing in them that measures. */
class ExemplarTest {
    private static final String MARK = "    // --- the same in every sender: ";

    static List<String> senders() {
        return Exemplars.allSenders();
    }

    @ParameterizedTest
    @MethodSource("senders")
    void senderIsReadInFiveMinutes(String sender) throws Exception {
        assertTrue(Exemplars.text(sender).lines().count() <= 170);
        long send = Exemplars.method(sender, "send").lines().count();
        assertTrue(send > 2 && send <= 20, () -> send + " lines");
    }

    @Test
    void receiverIsReadInFiveMinutes() throws Exception {
        assertTrue(Exemplars.text("slow-receiver").lines().count() <= 200);
    }

    @ParameterizedTest
    @MethodSource("senders")
    void sharedPartIsTheSameTextInEverySender(String sender) throws Exception {
        assertEquals(sharedPart("blocking-sender"), sharedPart(sender));
        assertTrue(sharedPart(sender).size() > 40 && sharedPart(sender).size() < 80);
    }

    private static List<String> sharedPart(String sender) throws Exception {
        List<String> part = new ArrayList<>();
        boolean inside = false;
        for (String line : Exemplars.text(sender).lines().toList()) {
            if (line.startsWith(MARK)) {
                assertEquals(MARK + (inside ? "end" : "begin"), line);
                inside = !inside;
            }
            if (inside) {
                part.add(line);
            }
        }
        assertFalse(inside);
        return part;
    }

    /** What only some have, they have in the same words; virtual-sender connects and gives up in its own way. */
    @ParameterizedTest
    @ValueSource(strings = {"connect", "untilGivingUp", "duration"})
    void methodsOfSomeSendersAreTheSameTextToo(String method) throws Exception {
        Set<String> texts = new LinkedHashSet<>();
        for (String sender : senders()) {
            if (!sender.equals("virtual-sender") || method.equals("duration")) {
                texts.add(Exemplars.method(sender, method));
            }
        }
        texts.remove("");
        assertEquals(1, texts.size(), texts::toString);
    }

    @Test
    void receiverReadsSizesAsTheSendersDo() throws Exception {
        assertEquals(Exemplars.method("blocking-sender", "size"), Exemplars.method("slow-receiver", "size"));
    }

    @Test
    void virtualSendersLoopIsTheBlockingSenders() throws Exception {
        assertEquals(Exemplars.withoutComments(Exemplars.method("blocking-sender", "send")),
                Exemplars.withoutComments(Exemplars.method("virtual-sender", "send")));
    }

    @ParameterizedTest
    @MethodSource("senders")
    void callUsesTheStrategyThatIsCopied(String sender) throws Exception {
        assertTrue(Exemplars.text(sender).contains("                send(channel, ")
                || Exemplars.text(sender).contains("            send(channel, "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking-sender", "nonblocking-sender", "poll-sender", "virtual-sender", "slow-receiver"})
    void nothingMeasures(String script) throws Exception {
        String code = Exemplars.withoutComments(Exemplars.text(script)).toLowerCase();
        for (String word : List.of("json", "heartbeat", "crc", "cpu", "connect-timeout", "--output", "--mode")) {
            assertFalse(code.contains(word), word);
        }
    }

    /** Beyond ASCII, JDK 17 reads a source as the locale has it. */
    @ParameterizedTest
    @ValueSource(strings = {"blocking-sender", "nonblocking-sender", "poll-sender", "virtual-sender", "slow-receiver"})
    void linesFitAScreenAndAnyLocale(String script) throws Exception {
        for (String line : Exemplars.text(script).lines().toList()) {
            assertTrue(line.length() <= 120 && line.matches("\\p{ASCII}*"), script + ": " + line);
        }
    }
}
