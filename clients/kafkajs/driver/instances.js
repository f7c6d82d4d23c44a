// The instances of a driver process: started, watched while they close, ended exactly once.
import { errorOf } from "./errors.js";
import { Reports } from "./reports.js";
import { ROLES } from "./roles.js";
import { profilesOf } from "./settings.js";
import { Stopping } from "./stopping.js";
import { Unsupported } from "./unsupported.js";

/** The table of instances, by name. */
export class Instances {
  #library;
  #outbox;
  #running = new Map();

  constructor(library, outbox) {
    this.#library = library;
    this.#outbox = outbox;
  }

  /** Start one; what cannot be done is reported, never thrown. */
  start(start) {
    const reports = new Reports(start.instance, this.#outbox);
    for (const [name, one] of this.#running) if (one.reports.ended) this.#running.delete(name);
    if (this.#running.has(start.instance)) {
      reports.notice(`instance ${start.instance} is running already; this start is ignored`);
      return;
    }
    const instance = new Instance(this.#library, start, reports);
    this.#running.set(start.instance, instance);
    instance.run();
  }

  /** Give every instance a notice. */
  tellAll(text) {
    for (const one of this.#running.values()) one.reports.notice(text);
  }

  /** Ask one to close; an unknown name has ended already, and needs no answer. */
  stop(stop) {
    this.#running.get(stop.instance)?.stop(stop.deadline_ms);
  }

  /** Let one begin its operations at another pace; an unknown name has ended already. */
  pace(pace) {
    this.#running.get(pace.instance)?.pace(pace.interval_ms);
  }
}

/** One client at work. */
class Instance {
  #library;
  #start;
  #stopping = new Stopping();

  constructor(library, start, reports) {
    this.#library = library;
    this.#start = start;
    this.reports = reports;
  }

  /** Work until closed, and report how it ended. */
  async run() {
    try {
      await this.#role()(this.#library, this.#start, this.reports, this.#stopping);
      this.reports.closed();
    } catch (thrown) {
      this.#threw(thrown);
    }
  }

  /** Ask to close. `closed` is said in time even if a call of the library is still open then. */
  stop(milliseconds) {
    const margin = Math.min(250, milliseconds / 5);
    const waited = Math.round(milliseconds - margin);
    const text = `a call of the library was still open after ${waited} ms; it was left behind`;
    this.#stopping.ask(milliseconds - 2 * margin);
    setTimeout(() => this.reports.closed(text), milliseconds - margin);
  }

  /** Begin an operation each so many milliseconds: a workload looks into its start at each beat. */
  pace(milliseconds) {
    this.#start.interval_ms = milliseconds;
  }

  /** End: as asked if it was thrown while closing; else as unusable. */
  #threw(thrown) {
    if (thrown instanceof Unsupported) {
      this.reports.unsupported(thrown.message);
      return;
    }
    const error = errorOf(thrown);
    if (!this.#stopping.asked) {
      this.reports.fatal(error);
      return;
    }
    this.reports.notice(`closing threw ${error.type}: ${error.text}`);
    this.reports.closed();
  }

  #role() {
    const { role, profile } = this.#start;
    const client = `kafkajs ${this.#library.version}`;
    if (!Object.hasOwn(ROLES, role)) {
      throw new Unsupported(`${client} has no role '${role}'; it has ${Object.keys(ROLES).join(", ")}`);
    }
    const profiles = profilesOf(this.#library);
    if (!profiles.includes(profile)) {
      throw new Unsupported(`${client} has no profile '${profile}'; it has ${profiles.join(", ")}`);
    }
    return ROLES[role];
  }
}
