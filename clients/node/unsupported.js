/** A role, profile or property that this version of the library does not have; the text names it and the reason. */
export class Unsupported extends Error {}
