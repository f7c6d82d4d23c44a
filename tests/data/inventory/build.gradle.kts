plugins {
    java
    id("org.springframework.boot") version "3.3.4"
}

val streamsVersion = "3.9.1"

dependencies {
    implementation("org.apache.kafka:kafka-clients:4.3.1")
    implementation("org.apache.kafka:kafka-streams:$streamsVersion")
    implementation("org.springframework.kafka:spring-kafka")
    implementation(libs.kafka.clients)
    // implementation("org.apache.kafka:kafka-clients:2.0.0")
    testImplementation("org.apache.kafka:kafka-clients:3.0.0:test")
}
