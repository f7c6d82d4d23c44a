// @platformatic/kafka in one folder: its exports, its version, and the key of the options that a client has.
import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** Load the package in `folder`; `mark` is the digest of a local build and becomes part of its version. */
export async function loadLibrary(folder, mark) {
  const place = realpathSync(folder);
  const stated = JSON.parse(readFileSync(path.join(place, "package.json"), "utf8")).version;
  const load = (file) => import(pathToFileURL(path.join(place, "dist", file)).href);
  const { kOptions } = await load("clients/base/base.js");
  return {
    ...(await load("index.js")),
    family: "platformatic-kafka",
    stated,
    version: mark ? `${stated}+local.${mark}` : stated,
    optionsOf: (client) => client[kOptions],
  };
}
