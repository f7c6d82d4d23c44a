// The instances of a driver process: started, supervised while they close, ended exactly once.
import { Reports } from "./reports.js";
import { checkWorkload } from "./series.js";
import { Stopping } from "./stopping.js";
import { Unsupported } from "./unsupported.js";

/** The running instances, by name. */
export class Instances {
  #driver;
  #outbox;
  #running = new Map();

  /** `driver` is that of drive.js. */
  constructor(driver, outbox) {
    this.#driver = driver;
    this.#outbox = outbox;
  }

  /** Start an instance; failures are reported, never thrown. */
  start(start) {
    const reports = new Reports(start.instance, this.#outbox);
    for (const [name, one] of this.#running) if (one.reports.ended) this.#running.delete(name);
    if (this.#running.has(start.instance)) {
      reports.notice(`instance ${start.instance} is running already; this start is ignored`);
      return;
    }
    const instance = new Instance(this.#driver, start, reports);
    this.#running.set(start.instance, instance);
    instance.run();
  }

  /** Report a notice of every instance. */
  noticeAll(text) {
    for (const one of this.#running.values()) one.reports.notice(text);
  }

  /** Ask an instance to close; an unknown name has ended already and needs no answer. */
  stop(stop) {
    this.#running.get(stop.instance)?.stop(stop.deadline_ms);
  }

  /** Set the interval between operations of an instance; an unknown name has ended already. */
  pace(pace) {
    this.#running.get(pace.instance)?.pace(pace.interval_ms);
  }

  /** Let the application of an instance handle the next record for some time; an unknown name has ended already. */
  handle(order) {
    const one = this.#running.get(order.instance);
    if (one) one.reports.handlerMs = order.handler_ms;
  }
}

/** One client and its role. */
class Instance {
  #driver;
  #start;
  #stopping = new Stopping();

  constructor(driver, start, reports) {
    this.#driver = driver;
    this.#start = start;
    this.reports = reports;
  }

  /** Run the role until it is closed, and report the end. */
  async run() {
    try {
      await this.#role()(this.#driver.library, this.#start, this.reports, this.#stopping);
      this.reports.closed();
    } catch (thrown) {
      this.#threw(thrown);
    }
  }

  /** Ask to close. `closed` is reported in time, even if a call of the library is still in flight. */
  stop(milliseconds) {
    const margin = Math.min(250, milliseconds / 5);
    const waited = Math.round(milliseconds - margin);
    const text = `a call of the library was still open after ${waited} ms; it was left behind`;
    this.#stopping.ask(milliseconds - 2 * margin);
    setTimeout(() => this.reports.closed(text), milliseconds - margin);
  }

  /** Set the interval between operations: a workload reads it from its start at every tick. */
  pace(milliseconds) {
    this.#start.interval_ms = milliseconds;
  }

  /** End: as requested if it was thrown while closing, else as unusable. */
  #threw(thrown) {
    if (thrown instanceof Unsupported) {
      this.reports.unsupported(thrown.message);
      return;
    }
    const error = this.#driver.errorOf(thrown);
    if (!this.#stopping.asked) {
      this.reports.fatal(error);
      return;
    }
    this.reports.notice(`closing threw ${error.type}: ${error.text}`);
    this.reports.closed();
  }

  #role() {
    const { role, profile } = this.#start;
    const { library, roles, profiles } = this.#driver;
    const client = `${library.family} ${library.version}`;
    if (!Object.hasOwn(roles, role)) {
      throw new Unsupported(`${client} has no role '${role}'; it has ${Object.keys(roles).join(", ")}`);
    }
    if (!profiles.includes(profile)) {
      throw new Unsupported(`${client} has no profile '${profile}'; it has ${profiles.join(", ")}`);
    }
    checkWorkload(client, this.#start);
    return roles[role];
  }
}
