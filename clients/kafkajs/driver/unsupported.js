/** A role, profile or property that KafkaJS, in this version, does not have; the text says which and why. */
export class Unsupported extends Error {}
