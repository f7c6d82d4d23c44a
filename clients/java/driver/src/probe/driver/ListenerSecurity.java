package probe.driver;

import java.util.HashMap;
import java.util.Map;
import probe.driver.v1.Security;
import probe.driver.v1.Start;

/** Settings for the security of the brokers' listener. */
final class ListenerSecurity {
    private static final String MODULES = "org.apache.kafka.common.security.";

    private ListenerSecurity() {}

    /** The settings; none for PLAINTEXT. */
    static Map<String, Object> of(Start start) {
        Map<String, Object> settings = new HashMap<>();
        if (!start.hasSecurity()) {
            return settings;
        }
        Security asked = start.getSecurity();
        settings.put("security.protocol", asked.getProtocol());
        if (!asked.getAuthority().isEmpty()) {
            settings.put("ssl.truststore.type", "PEM");
            settings.put("ssl.truststore.certificates", asked.getAuthority());
        }
        if (!asked.getMechanism().isEmpty()) {
            settings.put("sasl.mechanism", asked.getMechanism());
            String module = asked.getMechanism().equals("PLAIN") ? "plain.PlainLoginModule" : "scram.ScramLoginModule";
            settings.put("sasl.jaas.config", MODULES + module + " required username=\"" + asked.getUser()
                    + "\" password=\"" + asked.getPassword() + "\";");
        }
        return settings;
    }
}
