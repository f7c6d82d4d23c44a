// The roles of kafka-node.
import { consumer } from "./consumer.js";
import { group } from "./group.js";
import { producer } from "./producer.js";

export const ROLES = { producer, consumer, group };
