/** A role, profile or property that this version of KafkaJS does not have; the text names it and the reason. */
export class Unsupported extends Error {}
