package probe.driver;

import java.util.HashMap;
import java.util.Map;
import probe.driver.v1.Security;
import probe.driver.v1.Start;

/** Settings for the security of the brokers' listener. */
final class ListenerSecurity {
    private static final String PACKAGE = "org.apache.kafka.common.security.";
    private static final String LOGIN_HANDLER = "OAuthBearerLoginCallbackHandler";
    private static final String ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";

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
        if (!asked.getCertificateFile().isEmpty()) {
            settings.put("ssl.keystore.type", "PEM");
            settings.put("ssl.keystore.location", asked.getCertificateFile());
        }
        if (!asked.getTokenEndpoint().isEmpty()) {
            settings.putAll(ofTokens(asked));
        } else if (!asked.getMechanism().isEmpty()) {
            String module = asked.getMechanism().equals("PLAIN") ? "plain.PlainLoginModule" : "scram.ScramLoginModule";
            settings.put("sasl.mechanism", asked.getMechanism());
            settings.put("sasl.jaas.config", PACKAGE + module + " required username=\"" + asked.getUser()
                    + "\" password=\"" + asked.getPassword() + "\";");
        }
        return settings;
    }

    /** The client's own exchange of its credentials for a token (KIP-768). */
    private static Map<String, Object> ofTokens(Security asked) {
        allow(asked.getTokenEndpoint());
        Map<String, Object> settings = new HashMap<>();
        settings.put("sasl.mechanism", asked.getMechanism());
        settings.put("sasl.oauthbearer.token.endpoint.url", asked.getTokenEndpoint());
        settings.put("sasl.login.callback.handler.class", loginHandler());
        settings.put("sasl.jaas.config", PACKAGE + "oauthbearer.OAuthBearerLoginModule required clientId=\""
                + asked.getUser() + "\" clientSecret=\"" + asked.getPassword() + "\";");
        return settings;
    }

    /** The handler's class, which was in another package before 3.4. */
    private static String loginHandler() {
        try {
            return Class.forName(PACKAGE + "oauthbearer." + LOGIN_HANDLER).getName();
        } catch (ClassNotFoundException before) {
            return PACKAGE + "oauthbearer.secured." + LOGIN_HANDLER;
        }
    }

    /** Name the URL in the list of those that clients from 3.9.1 on may ask (CVE-2025-27817), one for all instances. */
    private static synchronized void allow(String url) {
        String allowed = System.getProperty(ALLOWED_URLS);
        System.setProperty(ALLOWED_URLS, allowed == null ? url : allowed + "," + url);
    }
}
