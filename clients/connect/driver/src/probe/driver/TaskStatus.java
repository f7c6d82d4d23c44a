package probe.driver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** What a worker's REST interface says about a connector and its task. */
final class TaskStatus {
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(LIMIT).build();
    private final HttpRequest request;
    private final Reports reports;
    private String last = "";

    TaskStatus(URI worker, String connector, Reports reports) {
        request = HttpRequest.newBuilder(worker.resolve("/connectors/" + connector + "/status")).timeout(LIMIT).build();
        this.reports = reports;
    }

    /** Reports a changed state as a notice; returns the trace of a connector or task that failed, else nothing. */
    String failure() {
        try {
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 200 ? failure(JSON.readTree(answer.body())) : "";
        } catch (IOException busy) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private String failure(JsonNode status) {
        JsonNode connector = status.path("connector");
        JsonNode task = status.path("tasks").path(0);
        String states = "connector " + connector.path("state").asText() + ", task " + task.path("state").asText("none");
        if (!states.equals(last)) {
            last = states;
            reports.notice("status: " + states);
        }
        for (JsonNode one : new JsonNode[] {connector, task}) {
            if (one.path("state").asText().equals("FAILED")) {
                return one.path("trace").asText("FAILED without a trace");
            }
        }
        return "";
    }
}
