///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Run the tests of this kit
//JAVA 17+
//MAIN RunTests
//DEPS org.junit.jupiter:junit-jupiter:5.14.4
//DEPS org.junit.platform:junit-platform-launcher:1.14.4
//DEPS com.google.code.gson:gson:2.13.2
//SOURCES Kit.java
//SOURCES SenderTest.java
//SOURCES IntegrityTest.java
//SOURCES SocketFileTest.java
//SOURCES ErrorTest.java
//SOURCES PeerTest.java
//SOURCES SignalTest.java
//SOURCES OutputTest.java
//SOURCES StandaloneTest.java
//SOURCES Exemplars.java
//SOURCES ExemplarTest.java
//SOURCES CopyTest.java
//SOURCES Faulty.java
//SOURCES FaultyReceiverTest.java
//SOURCES FaultyStallTest.java
//SOURCES FaultySocketTest.java
//SOURCES FaultyOutputTest.java
//SOURCES FaultyUsageTest.java
//SOURCES Scenario.java
//SOURCES ScenarioTest.java
//SOURCES ScenarioEffortTest.java
//SOURCES ReadmeFaultyTest.java
//SOURCES CompareTest.java
//SOURCES CompareUseTest.java
//SOURCES CompareFiguresTest.java
//SOURCES CompareFaultsTest.java
//SOURCES CompareVirtualTest.java
//SOURCES CatalogTest.java
//SOURCES Recorded.java
//SOURCES KernelModelTest.java
//SOURCES ElsewhereTest.java
//SOURCES KernelApiTest.java
//SOURCES MachineTest.java
//SOURCES SimulationTest.java
//SOURCES VirtualModelTest.java
//SOURCES PredictTest.java
//SOURCES Samples.java
//SOURCES ResultsTest.java
//SOURCES OutputFileTest.java
//SOURCES ChartTest.java
//SOURCES LayerTest.java
//SOURCES PredictExportTest.java
//SOURCES KnownOutputTest.java
//SOURCES PlotTest.java
//SOURCES PlotOutputTest.java
//SOURCES CrowdTest.java
//SOURCES CrowdChartTest.java
//SOURCES Notebook.java
//SOURCES NotebookTest.java
//SOURCES NotebookRunTest.java
//SOURCES StuckSsTest.java
//SOURCES StuckTest.java
//SOURCES StuckCommandTest.java
//SOURCES FanOutTest.java
//SOURCES FanOutReaderTest.java
//SOURCES FanOutCopyTest.java
//SOURCES ../slow-receiver.java
//SOURCES ../faulty-receiver.java
//SOURCES ../blocking-sender.java
//SOURCES ../nonblocking-sender.java
//SOURCES ../poll-sender.java
//SOURCES ../fan-out-sender.java
//SOURCES ../compare.java
//SOURCES ../predict.java
//SOURCES ../plot.java
//SOURCES ../stuck.java
//FILES kernel-patterns.tsv
//FILES kernel-patterns-elsewhere.tsv
//FILES comparison.json
//FILES prediction.json
//COMPILE_OPTIONS -Xlint:all,-processing,-classfile,-auxiliaryclass -proc:none
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -Djava.awt.headless=true

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests, all or those of the classes whose names contain one of the arguments, and ends with one line:
 * {@code N passed, N failed, N skipped}. Exit status 0 if some passed and none failed, else 1.
 *
 * <p>Usage: {@code jbang run-tests}, {@code jbang run-tests Sender Predict}.
 */
class RunTests implements TestExecutionListener {
    private final Map<TestIdentifier, Long> started = new ConcurrentHashMap<>();
    private int passed;
    private int failed;
    private int skipped;

    public static void main(String... args) throws IOException, URISyntaxException {
        if (!Files.exists(Path.of("jbang-catalog.json"))) {
            System.err.println("run-tests: jbang-catalog.json: no such file; run the tests in the root of the kit");
            System.exit(1);
        }
        RunTests tests = new RunTests();
        Path jar = Path.of(RunTests.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String names = args.length == 0 ? ".*Test" : ".*(" + String.join("|", args) + ").*Test";
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClasspathRoots(Set.of(jar)))
                .filters(ClassNameFilter.includeClassNamePatterns(names))
                .configurationParameter("junit.jupiter.execution.timeout.default", "4 m")
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "same_thread")
                .configurationParameter("junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
                .build();
        LauncherFactory.create().execute(request, tests);
        System.out.printf("%d passed, %d failed, %d skipped%n", tests.passed, tests.failed, tests.skipped);
        System.exit(tests.failed == 0 && tests.passed > 0 ? 0 : 1);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        started.put(test, System.nanoTime());
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        skipped++;
        System.out.println("skipped " + name(test) + ": " + reason);
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started.remove(test));
        String reason = result.getThrowable().map(Throwable::toString).orElse("");
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    passed++;
                    System.out.printf("passed %s (%d ms)%n", name(test), millis);
                }
            }
            case ABORTED -> {
                skipped++;
                System.out.println("skipped " + name(test) + ": " + reason);
            }
            default -> {
                failed++;
                System.out.printf("FAILED %s (%d ms): %s%n", name(test), millis, reason);
                result.getThrowable().map(Throwable::getStackTrace).stream().flatMap(Arrays::stream)
                        .filter(frame -> frame.getClassName().matches(".*(Test|Kit)(\\$.*)?")).findFirst()
                        .ifPresent(frame -> System.out.println("    at " + frame));
            }
        }
    }

    private static String name(TestIdentifier test) {
        return test.getSource().filter(MethodSource.class::isInstance).map(MethodSource.class::cast)
                .map(source -> source.getClassName() + "." + source.getMethodName()
                        + (test.getDisplayName().startsWith("[") ? " " + test.getDisplayName() : ""))
                .orElse(test.getDisplayName());
    }
}
