// kafka-node in one folder: its exports and its version.
import { createRequire } from "node:module";
import { realpathSync } from "node:fs";
import path from "node:path";

/** Load the package in `folder`; `mark` is the digest of a local build and becomes part of its version. */
export function loadLibrary(folder, mark) {
  const place = realpathSync(folder);
  const load = createRequire(path.join(place, "any.cjs"));
  const stated = load("./package.json").version;
  return { ...load("./"), family: "kafka-node", stated, version: mark ? `${stated}+local.${mark}` : stated };
}
