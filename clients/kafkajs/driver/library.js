// KafkaJS as it lies in one folder: what it exports, the version it states, what it has.
import { createRequire } from "node:module";
import { realpathSync } from "node:fs";
import path from "node:path";

/** Load the package in `folder`; `mark` stands for a local build, whose version bears it. */
export function loadLibrary(folder, mark) {
  delete process.env.NODE_ENV; // "test" would give KafkaJS other back-offs (src/retry/index.js)
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

/** Say whether the library is as new as a release: `isSince(library, "1.16.0")`. */
export function isSince(library, release) {
  const [have, want] = [library.stated, release].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  const differs = have.findIndex((part, place) => part !== want[place]);
  return differs < 0 || have[differs] > want[differs];
}
