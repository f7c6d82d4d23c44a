// Drives one version of KafkaJS for the probe; proto/driver.proto is the contract.
//
//   node main.js --library PACKAGE --beside FOLDER --connect HOST:PORT --token T [--local MARK]
//
// PACKAGE is the unpacked package of one version, FOLDER holds the packages that speak gRPC. `--report` only prints the
// version that the library states.
import { parseArgs } from "node:util";

import { attach } from "./attach.js";
import { loadLibrary } from "./library.js";
import { dieWithParent } from "./life.js";
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

const { values: told } = parseArgs({ options: OPTIONS });
const library = loadLibrary(told.library, told.local);
if (told.report) {
  process.stdout.write(`${library.version}\n`);
} else {
  dieWithParent();
  const problem = await attach(library, loadWire(told.beside), told.connect, told.token);
  if (problem) process.stderr.write(`${problem}\n`);
  process.exit(problem ? 1 : 0); // sockets of a library that still closes must not keep us
}
