// Drives one version of KafkaJS for the probe; driver.proto is the contract.
//
//   node main.js --library PACKAGE --beside FOLDER --connect HOST:PORT --token T [--local MARK]
//
// PACKAGE is the unpacked package of one version, FOLDER has the packages for gRPC. `--report` only prints the version
// of the library.
import { parseArgs } from "node:util";

import { attach } from "./session.js";
import { loadLibrary } from "./library.js";
import { exitWithParent } from "./parent_watch.js";
import { loadWire } from "./wire.js";

const TEXT = { type: "string", default: "" };
const OPTIONS = {
  library: TEXT,
  beside: TEXT,
  connect: TEXT,
  token: TEXT,
  local: TEXT,
  report: { type: "boolean", default: false },
};

const { values: options } = parseArgs({ options: OPTIONS });
const library = loadLibrary(options.library, options.local);
if (options.report) {
  process.stdout.write(`${library.version}\n`);
} else {
  exitWithParent();
  const problem = await attach(library, loadWire(options.beside), options.connect, options.token);
  if (problem) process.stderr.write(`${problem}\n`);
  process.exit(problem ? 1 : 0); // sockets of a library that still closes must not delay the exit
}
