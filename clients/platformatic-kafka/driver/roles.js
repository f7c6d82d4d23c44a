// The roles of each version. There is no role `consumer`: every stream is that of a group's member.
import { isSince } from "../../node/versions.js";
import { admin } from "./admin.js";
import { group } from "./group.js";
import { producer } from "./producer.js";
import { transactional } from "./transactional.js";

/** The first version with transactions, and with the questions of an admin client. */
const COMPLETE = "1.27.0";

export function rolesOf(library) {
  return { producer, group, ...(isSince(library, COMPLETE) && { transactional, admin }) };
}
