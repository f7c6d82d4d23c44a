// What KafkaJS can be asked to play. There is no role `consumer`: it has no call that assigns a partition without a group.
import { admin } from "./admin.js";
import { group } from "./group.js";
import { producer } from "./producer.js";
import { transactional } from "./transactional.js";

export const ROLES = { producer, group, transactional, admin };
