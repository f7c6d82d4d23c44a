// Releases of a library in order.

/** Return whether the library is at least a release: `isSince(library, "1.16.0")`. */
export function isSince(library, release) {
  const [have, want] = [library.stated, release].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  const differs = have.findIndex((part, place) => part !== want[place]);
  return differs < 0 || have[differs] > want[differs];
}
