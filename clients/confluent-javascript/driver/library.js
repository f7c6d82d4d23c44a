// @confluentinc/kafka-javascript in one folder: the interface like that of KafkaJS, and its version.
import path from "node:path";
import { createRequire } from "node:module";
import { realpathSync } from "node:fs";

/** Load the package in `folder`; `mark` is the digest of a local build and becomes part of its version. */
export function loadLibrary(folder, mark) {
  delete process.env.KAFKAJS_LOG_LEVEL; // lib/kafkajs/_common.js
  const place = realpathSync(folder);
  const load = createRequire(path.join(place, "any.cjs"));
  const stated = load("./package.json").version;
  return {
    ...load("./").KafkaJS,
    family: "confluent-javascript",
    stated,
    version: mark ? `${stated}+local.${mark}` : stated,
  };
}
