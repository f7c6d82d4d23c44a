// The roles of the library. There is no role `consumer`: no call assigns a partition outside of a group.
import { admin } from "./admin.js";
import { group } from "./group.js";
import { producer } from "./producer.js";
import { transactional } from "./transactional.js";

export const ROLES = { producer, group, transactional, admin };
