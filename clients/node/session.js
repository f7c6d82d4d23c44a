// The stream to the orchestrator: connect, send Hello, handle its messages.
import { Instances } from "./instances.js";
import { reportUncaught } from "./parent_watch.js";
import { Outbox } from "./outbox.js";

/** Milliseconds for the connection, on a machine that starts many drivers at once. */
const CONNECT_MS = 20_000;

/** Serve one stream to its end; return what failed in one line, empty if nothing did. */
export async function attach(driver, wire, address, token) {
  const client = wire.dial(address);
  try {
    await reach(client, CONNECT_MS);
  } catch {
    return `no orchestrator answers at ${address} within ${CONNECT_MS / 1000} s`;
  }
  const stream = wire.open(client);
  const outbox = new Outbox((message) => stream.write(message));
  const instances = new Instances(driver, outbox);
  reportUncaught((text) => {
    instances.noticeAll(text);
    outbox.flush();
  });
  outbox.send({ hello: hello(driver, token) });
  stream.on("data", (message) => handle(message, instances, outbox));
  stream.on("error", () => {}); // the status has it
  const status = await new Promise((resolve) => stream.on("status", resolve));
  return status.code === wire.OK ? "" : `the orchestrator at ${address} ended the stream: ${status.details}`;
}

function reach(client, milliseconds) {
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + milliseconds, (error) => (error ? reject(error) : resolve()));
  });
}

function handle(message, instances, outbox) {
  if (message.message === "ping") outbox.pong(message.ping.id);
  else if (message.message === "start") instances.start(message.start);
  else if (message.message === "stop") instances.stop(message.stop);
  else if (message.message === "pace") instances.pace(message.pace);
  else if (message.message === "handle") instances.handle(message.handle);
}

function hello({ library, roles, profiles }, token) {
  return {
    token,
    family: library.family,
    version: library.version,
    runtime: `node ${process.version}`,
    roles: Object.keys(roles),
    profiles,
  };
}
