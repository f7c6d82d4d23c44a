"use strict";
// What trials of two versions show, by the procedure of docs/comparisons.md. A test compares it with the Python of `probe advise`.
const comparison = {
  /** Return the logarithm of a binomial coefficient. */
  ways(all, some) {
    let sum = 0;
    for (let place = 1; place <= some; place += 1) sum += Math.log(all - some + place) - Math.log(place);
    return sum;
  },

  /** Fisher's exact test, one-sided: how often chance alone gives the first side at least this number of bad trials. */
  fisher(bad, trials, otherBad, otherTrials) {
    const total = bad + otherBad;
    let sum = 0;
    for (let hits = Math.max(bad, total - otherTrials, 0); hits <= Math.min(trials, total); hits += 1)
      sum += Math.exp(comparison.ways(trials, hits) + comparison.ways(otherTrials, total - hits) - comparison.ways(trials + otherTrials, total));
    return Math.min(1, sum);
  },

  /** The least value that `fisher` has for either side if the same bad trials were spread otherwise. */
  least(bad, trials, otherBad, otherTrials) {
    const total = bad + otherBad;
    const first = Math.min(trials, total);
    const other = Math.min(otherTrials, total);
    return Math.min(comparison.fisher(first, trials, total - first, otherTrials), comparison.fisher(other, otherTrials, total - other, trials));
  },

  /** Return which tests hold at the level that they share (Holm). */
  holm(values, level) {
    const order = values.map((value, place) => place).sort((a, b) => values[a] - values[b]);
    const held = values.map(() => false);
    for (const [rank, place] of order.entries()) {
      if (values[place] > level / (values.length - rank)) break;
      held[place] = true;
    }
    return held;
  },

  // A side is {run, harms, chance, recovery, outcome}; harms are numbers of trials: none, errors or burdens, stalls, stops or loses.
  // null instead of harms: nothing is required of the client.

  /** Return the numbers of trials by harm; to stall is none where both sides recover after about the same time. */
  levels(harms, alike) {
    const [none, errors, stalls, stops] = harms;
    return alike ? [none + stalls, errors, 0, stops] : harms;
  },

  recoverAlike(before, after, share) {
    if (before.recovery === null || after.recovery === null) return false;
    return Math.abs(before.recovery - after.recovery) < share * Math.max(before.recovery, after.recovery);
  },

  bad: (levels, harm) => levels.slice(harm).reduce((sum, one) => sum + one, 0),

  /** Return the harm of the middle trial. */
  middle(levels) {
    let left = Math.floor(comparison.bad(levels, 0) / 2);
    return levels.findIndex((count) => (left -= count) < 0);
  },

  /** Return the gravest question on which the middle trials differ, else any; 0 if on none. */
  question(before, after) {
    const [old, fresh] = [comparison.middle(before), comparison.middle(after)];
    for (const harm of [3, 2, 1]) if (old >= harm !== fresh >= harm) return harm;
    const all = [comparison.bad(before, 0), comparison.bad(after, 0)];
    for (const harm of [3, 2, 1]) if (comparison.bad(before, harm) * all[1] !== comparison.bad(after, harm) * all[0]) return harm;
    return 0;
  },

  /** Return a side's levels with one trial: its commonest. */
  screen(levels) {
    const most = levels.indexOf(Math.max(...levels));
    return levels.map((count, place) => Number(place === most));
  },

  /** Compare one question, but for Holm: {answer, towards, trials, chance}. */
  one(before, after, rules) {
    const together = before.run !== null && before.run === after.run;
    const other = before.outcome === after.outcome ? "no difference seen" : "changed";
    if (!before.harms || !after.harms) return { answer: other, trials: 1, chance: null };
    const alike = comparison.recoverAlike(before, after, rules.alike);
    let sides = [before, after].map((side) => comparison.levels(side.harms, alike));
    if (!together) sides = sides.map(comparison.screen);
    const [old, fresh] = sides;
    const counts = sides.map((side) => comparison.bad(side, 0));
    const trials = Math.min(...counts);
    const harm = comparison.question(old, fresh);
    if (!harm) return { answer: other, trials, chance: null };
    const [bad, now] = [comparison.bad(old, harm), comparison.bad(fresh, harm)];
    const towards = now / counts[1] > bad / counts[0] ? "worse" : "better";
    const found = { answer: "undecided", towards, trials, chance: null };
    const agree = [bad, now].every((hits, place) => hits === 0 || hits === counts[place]);
    if (agree && !before.chance && !after.chance) return trials >= rules.plain ? { ...found, answer: towards } : found;
    if (trials < rules.many || comparison.least(now, counts[1], bad, counts[0]) > rules.level) return found;
    const value = towards === "worse" ? comparison.fisher(now, counts[1], bad, counts[0]) : comparison.fisher(bad, counts[0], now, counts[1]);
    return { ...found, chance: value };
  },

  /** Take back answers on four trials a side of runs in which most cells with just as many do not differ: no screen chose these. */
  screened(pairs, found, rules) {
    const counts = new Map();
    const key = (place) => pairs[place].map((side) => side.run).join(" ");
    const shown = (one) => one.answer === "worse" || one.answer === "better";
    for (const [place, one] of found.entries()) {
      const seen = counts.get(key(place)) || { alike: 0, differ: 0 };
      if (shown(one)) seen.differ += 1;
      else if (one.answer !== "undecided" && one.trials === rules.plain) seen.alike += 1;
      counts.set(key(place), seen);
    }
    for (const [place, one] of found.entries()) {
      const { alike, differ } = counts.get(key(place));
      if (shown(one) && one.trials === rules.plain && alike > differ) one.answer = "undecided";
    }
  },

  /** Compare all questions of two versions: a list of [before, after]. */
  all(pairs, rules) {
    const found = pairs.map(([before, after]) => comparison.one(before, after, rules));
    comparison.screened(pairs, found, rules);
    const tested = found.filter((one) => one.chance !== null);
    const held = comparison.holm(tested.map((one) => one.chance), rules.level);
    tested.forEach((one, place) => { if (held[place]) one.answer = one.towards; });
    return found;
  },
};
if (typeof module !== "undefined") module.exports = comparison;
