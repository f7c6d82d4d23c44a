// KafkaJS in one folder: its exports and its version.
import { createRequire } from "node:module";
import { realpathSync } from "node:fs";
import path from "node:path";

/** Load the package in `folder`; `mark` is the digest of a local build and becomes part of its version. */
export function loadLibrary(folder, mark) {
  delete process.env.NODE_ENV; // "test" selects other back-offs (src/retry/index.js)
  delete process.env.KAFKAJS_LOG_LEVEL;
  const place = realpathSync(folder);
  const load = createRequire(path.join(place, "any.cjs"));
  const stated = load("./package.json").version;
  return {
    ...load("./"),
    family: "kafkajs",
    stated,
    version: mark ? `${stated}+local.${mark}` : stated,
    retryDefaults: load("./src/retry/defaults"),
  };
}

/** Return whether the library is at least a release: `isSince(library, "1.16.0")`. */
export function isSince(library, release) {
  const [have, want] = [library.stated, release].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  const differs = have.findIndex((part, place) => part !== want[place]);
  return differs < 0 || have[differs] > want[differs];
}
