// Drives one version of @confluentinc/kafka-javascript for the probe; clients/node/drive.js has the command line.
import { drive } from "../../node/drive.js";
import { errorOf } from "./errors.js";
import { loadLibrary } from "./library.js";
import { ROLES } from "./roles.js";
import { profilesOf } from "./settings.js";

await drive({ load: loadLibrary, rolesOf: () => ROLES, profilesOf, errorOf });
