"use strict";
// The changes by an upgrade, by the rules of `probe advise` (comparison.js).
{
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("chooser");
  const advice = document.getElementById("advice");
  const NAMES = ["family", "from", "to", "profile", "engine", "broker", "workload"];
  const SETTING = { profile: 1, engine: 3, broker: 4, workload: 5 }; // places in a question
  const DEFAULT_PROFILE = "continuous"; // the workload that names and addresses leave out
  const { make } = site;
  const CELL = { role: "cell" };
  const GROUP = { role: "rowgroup" };

  const INFORMS = data.states.informs; // the state of a cell that is not judged, after all severities

  // A cell is [version, question, outcome, state, tone, number, digest, run, harms, chance, recovery, harm].
  const chosen = () => Object.fromEntries(NAMES.map((name) => [name, form.elements[name].value]));
  const versionsOf = (family) => data.families[family].versions;
  /** Return the versions with a cell that is about the client. */
  const judgedOf = (family) => {
    const known = new Set(data.families[family].cells.filter((cell) => cell[3] < INFORMS).map((cell) => cell[0]));
    return versionsOf(family).filter((version, number) => known.has(number));
  };
  const fits = (question, wanted) =>
    Object.entries(SETTING).every(([name, place]) => !wanted[name] || question[place] === wanted[name]);

  /** Return the path of a cell's page, as page_names.py does. */
  function pageOf(family, cell) {
    const words = data.questions[cell[1]].slice(0, 6);
    if (words[SETTING.workload] === DEFAULT_PROFILE) words.pop();
    const all = [family, versionsOf(family)[cell[0]], ...words].join(" ");
    const readable = all.replace(/[^A-Za-z0-9.]+/g, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, 90);
    return `cell/${readable}-${cell[6]}.html`;
  }

  const sideOf = ([, , outcome, , , , , run, harms, chance, recovery]) => ({ run, harms, chance: Boolean(chance), recovery, outcome });

  /** Add what a comparison says to its steps. */
  function answered(steps) {
    const clear = steps.filter((step) => step.before[3] !== data.states.silent && step.after[3] !== data.states.silent);
    const found = comparison.all(clear.map((step) => [sideOf(step.before), sideOf(step.after)]), data.rules);
    steps.forEach((step) => { step.trend = "unclear"; step.trials = 1; });
    clear.forEach((step, place) => {
      Object.assign(step, { trend: found[place].answer, trials: found[place].trials, towards: found[place].towards });
      const bad = step.before[3] > 0 && step.before[3] < INFORMS && step.after[3] > 0 && step.after[3] < INFORMS;
      if (step.trend === "no difference seen" && bad) step.trend = "bad";
    });
    return steps;
  }

  /** Pair the cells of two versions with the same question. */
  function compare(wanted) {
    const versions = versionsOf(wanted.family);
    const sides = [wanted.from, wanted.to].map((version) => {
      const number = versions.indexOf(version);
      const own = data.families[wanted.family].cells.filter((cell) => cell[0] === number);
      return new Map(own.filter((cell) => fits(data.questions[cell[1]], wanted)).map((cell) => [cell[1], cell]));
    });
    const steps = [];
    for (const [question, before] of sides[0]) {
      const after = sides[1].get(question);
      if (after) steps.push({ before, after, question: data.questions[question] });
    }
    const alone = sides[0].size + sides[1].size - 2 * steps.length;
    steps.sort((a, b) => `${a.question[2]} ${a.question[0]}`.localeCompare(`${b.question[2]} ${b.question[0]}`));
    return { steps: answered(steps), alone };
  }

  /** Return what helps if the older version does not conform: the smallest upgrade, or another profile. */
  function remedy(wanted, step) {
    const versions = versionsOf(wanted.family);
    const last = versions.indexOf(wanted.to);
    const all = data.families[wanted.family].cells.filter((cell) => cell[3] === 0);
    const later = all.filter((cell) => cell[1] === step.before[1] && cell[0] > step.before[0] && cell[0] <= last);
    const smallest = later.sort((a, b) => a[0] - b[0])[0];
    const profiles = all.filter((cell) => cell[0] === step.before[0] && isOtherProfile(data.questions[cell[1]], step.question));
    return { smallest, profiles };
  }

  function isOtherProfile(one, other) {
    return one.every((text, place) => (place === SETTING.profile ? text !== other[place] : text === other[place]));
  }

  // ---- output

  function chip(family, cell) {
    const [glyph, word, outcome] = data.outcomes[cell[2]];
    const link = make("a", { href: pageOf(family, cell), class: `chip ${data.tones[cell[4]]}` },
      make("span", { class: `glyph g-${outcome}`, "aria-hidden": "true" }, glyph), " ", make("span", { class: "word" }, word));
    const harm = cell[11] && cell[11] !== "none" ? make("b", {}, `${cell[11]}; `) : "";
    return make("span", { class: "answer" }, harm, link, cell[5] ? ` ${cell[5]}` : "");
  }

  function sign(trend) {
    const [glyph, words] = data.signs[trend];
    return [make("span", { class: "glyph", "aria-hidden": "true" }, glyph), ` ${words}`];
  }

  function remedyLine(wanted, step) {
    if (!["better", "bad"].includes(step.trend) && step.towards !== "better") return "";
    const { smallest, profiles } = remedy(wanted, step);
    const parts = [];
    if (smallest && versionsOf(wanted.family)[smallest[0]] !== wanted.to)
      parts.push(make("span", {}, "conforms from ", make("a", { href: pageOf(wanted.family, smallest) }, versionsOf(wanted.family)[smallest[0]]), " on. "));
    if (!smallest) parts.push(make("span", {}, `no measured version up to ${wanted.to} conforms. `));
    for (const cell of profiles.slice(0, 3))
      parts.push(make("span", {}, `${wanted.from} conforms with profile `, make("a", { href: pageOf(wanted.family, cell) }, data.questions[cell[1]][1]), ". "));
    return make("small", {}, ...parts);
  }

  /** Say on how many trials an answer rests. */
  function basis(step) {
    const each = `${step.trials} trial${step.trials > 1 ? "s" : ""} each. `;
    return step.trend === "undecided" ? `May be ${step.towards}; ${each}` : each;
  }

  function table(wanted, trend, steps) {
    const mixed = Object.keys(SETTING).some((name) => !wanted[name]);
    const head = make("tr", { role: "row" }, ...["scenario", "role", `${wanted.from}`, `${wanted.to}`].map((text) => make("th", { role: "columnheader", scope: "col" }, text)));
    const lines = steps.map((step) => {
      const [role, profile, scenario, engine, broker, workload] = step.question;
      const name = make("th", { role: "rowheader", scope: "row" }, scenario);
      if (mixed) name.append(make("small", {}, `profile ${profile} · ${engine} engine · broker ${broker}${workload === DEFAULT_PROFILE ? "" : ` · ${workload} workload`}`));
      const after = make("td", CELL, chip(wanted.family, step.after));
      after.append(make("small", {}, basis(step)), remedyLine(wanted, step));
      return make("tr", { role: "row" }, name, make("td", CELL, role), make("td", CELL, chip(wanted.family, step.before)), after);
    });
    const whole = make("table", { class: "steps", role: "table" }, make("thead", GROUP, head), make("tbody", GROUP, ...lines));
    const label = `${data.signs[trend][1]}, ${steps.length}`;
    return make("div", { class: "scroller", role: "region", "aria-label": label, tabindex: "0" }, whole);
  }

  /** Return the roles whose level differs, on the chosen release line. */
  function levelChanges(wanted) {
    const family = data.families[wanted.family];
    const [old, fresh] = [wanted.from, wanted.to].map((version) => family.levels[versionsOf(wanted.family).indexOf(version)][wanted.broker] || {});
    const roles = Object.keys(old).filter((role) => fresh[role] && fresh[role][0] !== old[role][0] && fresh[role][1] === old[role][1]);
    if (!roles.length) return [];
    const source = (role) => [...new Set([old[role][2], fresh[role][2]].filter(Boolean))].map((words) => make("small", {}, ` ${words}`));
    const lines = roles.map((role) => make("li", {}, make("b", {}, role), `: ${old[role][0]} → ${fresh[role][0]}`, ...source(role)));
    return [make("section", { class: "levels", "data-levels": "" }, make("h3", {}, "Levels"), make("ul", {}, ...lines))];
  }

  function show() {
    const wanted = chosen();
    const { steps, alone } = compare(wanted);
    const by = new Map(data.order.map((trend) => [trend, steps.filter((step) => step.trend === trend)]));
    const worse = by.get("worse").length;
    const parts = [make("h2", {}, `${wanted.family} ${wanted.from} → ${wanted.to}`)];
    if (!steps.length) parts.push(make("p", { class: "lead" }, "The two versions have no common question in this setting. Choose others, or fill the gap:"));
    else parts.push(make("p", { class: "lead" }, make("b", {}, headline(steps, worse)),
      ` ${data.order.filter((trend) => by.get(trend).length).map((trend) => `${by.get(trend).length} ${data.signs[trend][2]}`).join(", ")}.`));
    if (alone) parts.push(make("p", { class: "fine" }, `${alone} cells were measured for one of the two only.`));
    parts.push(...levelChanges(wanted));
    for (const [trend, own] of by) {
      if (!own.length) continue;
      const title = [...sign(trend), ` (${own.length})`];
      if (trend === "worse" || trend === "better")
        parts.push(make("section", { class: `trend-${trend}`, "data-trend": trend }, make("h3", {}, ...title), table(wanted, trend, own)));
      else parts.push(make("details", { "data-trend": trend }, make("summary", {}, ...title), table(wanted, trend, own)));
    }
    parts.push(make("h2", {}, "On the command line"), make("pre", { class: "command", tabindex: "0" }, make("code", {}, command(wanted, alone > 0 || !steps.length || by.get("undecided").length > 0))));
    advice.replaceChildren(...parts);
    document.title = `${wanted.family} ${wanted.from} → ${wanted.to}: what the upgrade changes`;
  }

  function headline(steps, worse) {
    if (worse) return `${worse} of ${steps.length} cells ${worse === 1 ? "gets" : "get"} worse.`;
    const better = steps.filter((step) => step.trend === "better").length;
    return better ? `${better} of ${steps.length} cells ${better === 1 ? "gets" : "get"} better, none is shown worse.` : "No cell is shown worse.";
  }

  function command(wanted, fill) {
    const words = ["python3 run.py probe advise", wanted.family, wanted.from, wanted.to];
    if (wanted.profile) words.push("--profile", `'${wanted.profile}'`);
    if (wanted.engine) words.push("--engine", wanted.engine);
    if (wanted.broker) words.push("--broker", wanted.broker);
    if (wanted.workload && wanted.workload !== DEFAULT_PROFILE) words.push("--workload", wanted.workload);
    return words.join(" ") + (fill ? " --run" : "");
  }

  // ---- the form and the URL

  function fill(name, values, value, any) {
    const select = form.elements[name];
    const options = values.map((text) => make("option", { value: text }, text));
    if (any) options.push(make("option", { value: "" }, "all"));
    select.replaceChildren(...options);
    select.value = value;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
  }

  /** Offer the values of the family; the most frequent setting comes first. */
  function offer(given) {
    const families = Object.keys(data.families);
    fill("family", families, given.family || families.find((name) => judgedOf(name).length > 1) || families[0]);
    const family = form.elements.family.value;
    const newest = [...versionsOf(family)].reverse();
    const [to, from] = judgedOf(family).length > 1 ? judgedOf(family).reverse() : newest;
    fill("from", newest, given.from || from || to);
    fill("to", newest, given.to || to);
    for (const [name, place] of Object.entries(SETTING)) {
      const counts = new Map();
      for (const cell of data.families[family].cells) {
        const value = data.questions[cell[1]][place];
        counts.set(value, (counts.get(value) || 0) + 1);
      }
      const usual = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
      fill(name, usual, given[name] === undefined ? usual[0] : given[name], true);
    }
  }

  function restore() {
    offer(Object.fromEntries(site.given()));
    show();
  }

  form.hidden = false;
  form.addEventListener("change", (event) => {
    if (event.target.name === "family") offer({ family: event.target.value });
    show();
    site.remember(new URLSearchParams(chosen()), false);
  });
  document.getElementById("swap").addEventListener("click", () => {
    const { from, to } = chosen();
    form.elements.from.value = to;
    form.elements.to.value = from;
    show();
    site.remember(new URLSearchParams(chosen()), false);
  });
  addEventListener("popstate", restore);
  restore();
}
