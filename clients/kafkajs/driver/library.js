// KafkaJS in one folder: its exports and its version.
import path from "node:path";
import { createRequire } from "node:module";
import { realpathSync } from "node:fs";

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
