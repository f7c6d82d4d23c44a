// Settings of a role from a profile and from properties (`<function>.<option>`), which arrive as text.
import { Unsupported } from "./unsupported.js";

/** The types of options. */
export const [BOOLEAN, NUMBER, TEXT] = ["boolean", "number", "text"];

const READERS = {
  [BOOLEAN]: (text) => ({ true: true, false: false })[text.toLowerCase()],
  [NUMBER]: (text) => (text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text)),
  [TEXT]: (text) => text,
};

/**
 * Return the settings of each of a role's functions, as the profile has them. `profiles` has these by name and function.
 * Throws Unsupported for a profile of `forProducers` where no function of the role makes a producer.
 */
export function ofProfile(profiles, calls, forProducers, { role, profile }) {
  if (forProducers.has(profile) && !calls.includes("producer")) {
    throw new Unsupported(`profile ${profile} sets what only producers have; role ${role} does not produce`);
  }
  return Object.fromEntries(calls.map((call) => [call, { ...profiles[profile][call] }]));
}

/**
 * Put properties into settings. `known` has the type of every option by function; `retry.retries` is the option
 * `retries` within `retry`. Throws Unsupported for an unknown key and a value of another type.
 */
export function assign(settings, known, library, { role, properties }) {
  for (const [key, text] of Object.entries(properties)) {
    const [call, ...path] = key.split(".");
    const name = path.join(".");
    if (!Object.hasOwn(settings, call) || !Object.hasOwn(known[call], name)) {
      throw new Unsupported(`${library.family} ${library.version} has no setting '${key}' for role ${role}`);
    }
    const value = READERS[known[call][name]](text);
    if (value === undefined) throw new Unsupported(`${library.family} setting ${key} does not take '${text}'`);
    if (path.length === 1) settings[call][name] = value;
    else settings[call][path[0]] = { ...settings[call][path[0]], [path[1]]: value };
  }
}
