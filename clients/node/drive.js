// What every Node driver does; driver.proto is the contract.
//
//   node main.js --library PACKAGE --beside FOLDER --connect HOST:PORT --token T [--local MARK]
//
// PACKAGE is the unpacked package of one version, FOLDER has the packages for gRPC. `--report` only prints the version
// of the library.
import { parseArgs } from "node:util";

import { attach } from "./session.js";
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

/**
 * Drive the library of the command line until the stream ends, then exit.
 *
 * `load(folder, mark)` returns the library: `family`, `version`, and what its roles need. `rolesOf(library)` returns its
 * roles by name, functions of (library, start, reports, stopping); `profilesOf(library)` the names of its profiles;
 * `errorOf(thrown)` an error of driver.proto.
 */
export async function drive({ load, rolesOf, profilesOf, errorOf }) {
  const { values: options } = parseArgs({ options: OPTIONS });
  const library = await load(options.library, options.local);
  if (options.report) {
    process.stdout.write(`${library.version}\n`);
    return;
  }
  exitWithParent();
  const driver = { library, roles: rolesOf(library), profiles: profilesOf(library), errorOf };
  const problem = await attach(driver, loadWire(options.beside), options.connect, options.token);
  if (problem) process.stderr.write(`${problem}\n`);
  process.exit(problem ? 1 : 0); // sockets of a library that still closes must not delay the exit
}
