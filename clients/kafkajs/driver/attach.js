// The stream to the orchestrator: dial, say hello, obey.
import { Instances } from "./instances.js";
import { dieInOneLine } from "./life.js";
import { Outbox } from "./outbox.js";
import { ROLES } from "./roles.js";
import { profilesOf } from "./settings.js";

/** To reach the orchestrator in, on a machine that starts many drivers at once. */
const DIAL_MS = 20_000;

/** Serve one stream to its end; return what went wrong in one line, or nothing. */
export async function attach(library, wire, address, token) {
  const client = wire.dial(address);
  try {
    await reach(client, DIAL_MS);
  } catch {
    return `no orchestrator answers at ${address} within ${DIAL_MS / 1000} s`;
  }
  const stream = wire.open(client);
  const outbox = new Outbox((message) => stream.write(message));
  const instances = new Instances(library, outbox);
  dieInOneLine((text) => {
    instances.tellAll(text);
    outbox.flush();
  });
  outbox.send({ hello: hello(library, token) });
  stream.on("data", (order) => obey(order, instances, outbox));
  stream.on("error", () => {}); // told by the status
  const status = await new Promise((resolve) => stream.on("status", resolve));
  return status.code === wire.OK ? "" : `the orchestrator at ${address} ended the stream: ${status.details}`;
}

function reach(client, milliseconds) {
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + milliseconds, (error) => (error ? reject(error) : resolve()));
  });
}

function obey(order, instances, outbox) {
  if (order.message === "ping") outbox.pong(order.ping.id);
  else if (order.message === "start") instances.start(order.start);
  else if (order.message === "stop") instances.stop(order.stop);
  else if (order.message === "pace") instances.pace(order.pace);
}

function hello(library, token) {
  return {
    token,
    family: library.family,
    version: library.version,
    runtime: `node ${process.version}`,
    roles: Object.keys(ROLES),
    profiles: profilesOf(library),
  };
}
