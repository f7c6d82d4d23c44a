// The messages of driver.proto and the call that carries them.
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const CONTRACT = fileURLToPath(new URL("../../proto/driver.proto", import.meta.url));
const METHOD = "/probe.driver.v1.Orchestrator/Attach";
const READ = { longs: Number, defaults: true, oneofs: true };
/** The orchestrator is on loopback: proxies of the environment do not apply. */
const OPTIONS = { "grpc.enable_http_proxy": 0 };

/** Load the packages for gRPC from `folder`; return the functions to connect. */
export function loadWire(folder) {
  const load = createRequire(path.join(path.resolve(folder), "any.cjs"));
  const grpc = load("@grpc/grpc-js");
  const { Root } = load("protobufjs");
  const contract = new Root().loadSync(CONTRACT, { keepCase: true });
  const FromDriver = contract.lookupType("probe.driver.v1.FromDriver");
  const ToDriver = contract.lookupType("probe.driver.v1.ToDriver");
  const write = (message) => Buffer.from(FromDriver.encode(FromDriver.fromObject(message)).finish());
  const read = (bytes) => ToDriver.toObject(ToDriver.decode(bytes), READ);
  return {
    OK: grpc.status.OK,
    dial: (address) => new grpc.Client(address, grpc.credentials.createInsecure(), OPTIONS),
    open: (client) => client.makeBidiStreamRequest(METHOD, write, read, new grpc.Metadata(), {}),
  };
}
