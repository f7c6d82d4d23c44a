"use strict";
// The search of the site of evidence: what people paste, to the measured client that it names, or to the nearest ones.
{
  const form = document.getElementById("ask");
  const count = document.getElementById("count");
  const rows = [...document.querySelectorAll("#clients tbody tr")].map((tr) => ({
    tr, family: tr.dataset.family, version: tr.dataset.version, text: tr.textContent.toLowerCase(),
  }));
  const aliases = JSON.parse(document.getElementById("aliases").textContent)
    .map(([name, family, library, spans]) => ({ name: plain(name), family, library, spans }))
    .sort((a, b) => b.name.length - a.name.length);

  /** Names as all registries write them: small letters, `/` between their parts, `-` within. */
  function plain(text) {
    let found = text;
    try { found = decodeURIComponent(text); } catch { /* not encoded */ }
    return found.toLowerCase().replace(/[:]/g, "/").replace(/_/g, "-");
  }

  /** Return the longest name in a text, and the first version behind it; null if there is none. */
  function asked(text) {
    for (const one of aliases) {
      for (let at = text.indexOf(one.name); at >= 0; at = text.indexOf(one.name, at + 1)) {
        const behind = text.slice(at + one.name.length);
        if (/[a-z0-9]/.test(text[at - 1] || " ") || /^[a-z0-9]|^-[a-z]/.test(behind)) continue;
        const found = /(?:^|[^a-z0-9.])v?(\d+(?:\.\d+)+(?:[-.+](?!jar|tgz|whl|incompatible)[a-z0-9]+)*)/.exec(behind);
        return { alias: one, version: found ? found[1] : "" };
      }
    }
    return null;
  }

  /** Compare versions by their numbers; a word makes a version earlier than the same without it. */
  function compare(a, b) {
    const [left, right] = [a, b].map((one) => one.match(/\d+|[a-z]+/g) || []);
    for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
      const [x, y] = [left, right].map((parts) => (parts[at] === undefined ? 0 : Number(parts[at])));
      const [p, q] = [x, y].map((number) => (Number.isNaN(number) ? -1 : number));
      if (p !== q) return p - q;
    }
    return 0;
  }

  function show() {
    const text = plain(form.elements.q.value.trim());
    const found = text ? asked(text) : null;
    const [shown, words] = found ? named(found) : byWords(text);
    for (const row of rows) row.tr.hidden = !shown.includes(row);
    count.textContent = words;
  }

  /** Return how many letters to change, add or leave out make one word of the other. */
  function typos(a, b) {
    let row = [...Array(b.length + 1).keys()];
    for (let i = 1; i <= a.length; i += 1) {
      const next = [i];
      for (let j = 1; j <= b.length; j += 1)
        next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
      row = next;
    }
    return row[b.length];
  }

  function byWords(text) {
    const words = text.split(/\s+/).filter(Boolean);
    const shown = rows.filter((row) => words.every((word) => row.text.includes(word)));
    if (shown.length || !words.length) return [shown, `${shown.length} of ${rows.length} client versions`];
    const name = words[0].split(/[@=]/)[0];
    const meant = [...new Set(rows.map((row) => row.family))].filter((family) => typos(name, family) < 3);
    const hint = meant.length ? `did you mean ${meant.join(" or ")}?` : "write a package with its version, such as kafka-clients 3.9.1";
    return [[], `no client is named so: ${hint}`];
  }

  /** Return the rows of a client, of the library inside it, or of the nearest versions, and what is said of them. */
  function named({ alias, version }) {
    const own = rows.filter((row) => row.family === alias.family);
    if (!version) return [own, `${own.length} versions of ${alias.family} are known`];
    const exact = alias.family === alias.library ? [] : own.filter((row) => row.version === version);
    const span = alias.spans.find(([first, last]) => compare(first, version) <= 0 && compare(version, last) <= 0);
    if (!span) return answer(alias.family, version, "");
    const stand = own.filter((row) => span[3] && row.version === span[3]);
    if (stand.length) return [stand, `${alias.name} ${version} is in no registry; it was measured as ${alias.family} ${span[3]}`];
    const [inner, words] = answer(alias.library, span[2], `${alias.name} ${version} has ${alias.library} ${span[2]} inside; `);
    return [[...new Set([...exact, ...inner])], words];
  }

  function answer(family, version, before) {
    const versions = rows.filter((row) => row.family === family).sort((a, b) => compare(a.version, b.version));
    const exact = versions.filter((row) => row.version === version);
    if (exact.length) return [exact, `${before}${family} ${version} is known`];
    const line = versions.filter((row) => row.version.startsWith(`${version}.`));
    if (line.length) return [line, `${before}${version} names no release of ${family}; ${line.length} of that line are known`];
    const near = [
      versions.filter((row) => compare(row.version, version) < 0).at(-1),
      versions.find((row) => compare(row.version, version) > 0),
    ].filter(Boolean);
    const names = near.map((row) => row.version).join(" and ") || "none";
    return [near, `${before}${family} ${version} was not measured; nearest: ${names}`];
  }

  form.hidden = false;
  form.elements.q.value = new URLSearchParams(location.hash.slice(1)).get("q") || "";
  form.elements.q.addEventListener("input", () => {
    show();
    const text = form.elements.q.value.trim();
    site.remember(new URLSearchParams(text ? { q: text } : {}), true);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const shown = rows.filter((row) => !row.tr.hidden);
    if (shown.length === 1) shown[0].tr.querySelector("a").click();
  });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    form.elements.q.value = "";
    show();
    site.remember(new URLSearchParams(), true);
  });
  show();
}
