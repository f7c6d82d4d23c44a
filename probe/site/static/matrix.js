"use strict";
// Filters, search, order and keyboard of the matrix. Without this script the matrix is a plain table.
{
  const form = document.getElementById("filters");
  const table = document.getElementById("matrix");
  const scroller = table.parentNode;
  const names = [...form.querySelectorAll("[data-filter]")].map((box) => box.dataset.filter);
  const WORDS = { yes: "conforms", no: "does not conform", none: "not judged" };

  // ---- the matrix as data

  const heads = [...table.querySelectorAll(".versions th[data-version]")];
  const cols = [...table.querySelectorAll("col.version")];
  const columns = heads.map((head, index) => {
    const { family, version } = head.dataset;
    const text = `${family} ${version} ${family}@${version}`.toLowerCase();
    return { head, col: cols[index], link: head.firstElementChild, index, family, text, tds: [], shown: true };
  });
  const rows = [];
  const cells = [];
  const bodies = [...table.tBodies].map((body) => ({ body, rows: [...body.rows].slice(1).map((tr) => readRow(tr, body)) }));
  const families = [...table.querySelectorAll(".families th[data-family]")];
  const places = new Map();
  for (const column of columns) places.set(column.link, { row: null, column, link: column.link });
  for (const row of rows) places.set(row.link, { row, column: null, link: row.link });
  for (const cell of cells) places.set(cell.link, cell);
  let shownRows = rows;
  let shownColumns = columns;
  let current = null;

  function readRow(tr, body) {
    const about = { ...body.dataset, scenario: tr.dataset.scenario };
    const row = { tr, about, cells: [], link: tr.firstElementChild.firstElementChild, shown: true };
    row.text = Object.values(about).join(" ").toLowerCase();
    rows.push(row);
    columns.forEach((column, index) => {
      const td = tr.cells[index + 1];
      column.tds.push(td);
      if (!td.className) return;
      const [tone, outcome, judged, harm] = td.className.split(" ");
      const conforms = judged.replace("judged-", "");
      const text = `${outcome} ${WORDS[conforms]} ${td.textContent}`.toLowerCase();
      const cell = { td, link: td.firstElementChild, row, column, tone, outcome, conforms, harm, text, hidden: false };
      row.cells[index] = cell;
      cells.push(cell);
    });
    return row;
  }

  // ---- filters

  function wanted() {
    const sets = {};
    for (const name of names) {
      const values = [...form.querySelectorAll(`input[name="${name}"]:checked`)].map((input) => input.value);
      if (values.length) sets[name] = new Set(values);
    }
    return { sets, words: form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean) };
  }

  /** Return the words that a text contains, as bits. */
  function bits(words, text) {
    return words.reduce((found, word, index) => (text.includes(word) ? found | (1 << index) : found), 0);
  }

  function filter() {
    const { sets, words } = wanted();
    const all = 2 ** Math.min(words.length, 30) - 1;
    const allows = (name, value) => !sets[name] || sets[name].has(value);
    for (const column of columns) {
      column.fits = allows("family", column.family);
      column.bits = bits(words, column.text);
      column.shown = false;
    }
    for (const row of rows) {
      row.fits = ["role", "profile", "scenario", "engine", "broker", "workload"].every((name) => allows(name, row.about[name]));
      row.bits = bits(words, row.text);
      row.shown = false;
    }
    let shown = 0;
    for (const cell of cells) {
      const { row, column } = cell;
      let fits = row.fits && column.fits && allows("harm", cell.harm) && allows("outcome", cell.outcome) && allows("conforms", cell.conforms);
      if (fits && words.length) fits = ((row.bits | column.bits) & all) === all ||
        ((row.bits | column.bits | bits(words, cell.text)) & all) === all;
      if (fits === cell.hidden) {
        cell.hidden = !fits;
        cell.td.classList.toggle("off", !fits);
        cell.link.hidden = !fits;
      }
      if (!fits) continue;
      shown += 1;
      row.shown = true;
      column.shown = true;
    }
    return shown;
  }

  /** Hide empty rows, columns, groups and families. */
  function fold() {
    for (const row of rows) row.tr.hidden = !row.shown;
    for (const { body, rows: inside } of bodies) body.hidden = !inside.some((row) => row.shown);
    for (const column of columns) {
      if (column.head.hidden === !column.shown) continue;
      for (const node of [column.head, column.col, ...column.tds]) node.hidden = !column.shown;
    }
    const wide = columns.filter((column) => column.shown).length + 1;
    for (const th of table.querySelectorAll(".group th")) th.colSpan = wide;
    for (const th of families) {
      const own = columns.filter((column) => column.shown && column.family === th.dataset.family).length;
      th.hidden = own === 0;
      th.colSpan = own || 1;
    }
  }

  // ---- order

  /** Return how bad the shown cells are; cells in which work stops count most. */
  function badness(some) {
    return some.reduce((sum, cell) => (!cell || cell.hidden ? sum : sum + { bad: 1000, poor: 1 }[cell.tone] || sum), 0);
  }

  function orderRows(how) {
    for (const group of bodies) {
      const order = [...group.rows];
      if (how === "worst") {
        const bad = new Map(order.map((row) => [row, badness(row.cells)]));
        order.sort((a, b) => bad.get(b) - bad.get(a));
      }
      if (order.some((row, index) => group.body.rows[index + 1] !== row.tr)) group.body.append(...order.map((row) => row.tr));
      group.order = order;
    }
    shownRows = bodies.flatMap((group) => group.order.filter((row) => row.shown));
  }

  function orderColumns(how) {
    const order = [...columns];
    if (how === "newest") order.sort((a, b) => byFamily(a, b) || b.index - a.index);
    if (how === "worst") {
      const bad = new Map(order.map((column) => [column, badness(rows.map((row) => row.cells[column.index]))]));
      order.sort((a, b) => byFamily(a, b) || bad.get(b) - bad.get(a));
    }
    const line = heads[0].parentNode;
    if (order.some((column, index) => line.cells[index + 1] !== column.head)) {
      line.append(...order.map((column) => column.head));
      cols[0].parentNode.append(...order.map((column) => column.col));
      rows.forEach((row, index) => row.tr.append(...order.map((column) => column.tds[index])));
    }
    shownColumns = order.filter((column) => column.shown);
  }

  const familyPlaces = new Map(families.map((th, index) => [th.dataset.family, index]));
  const byFamily = (a, b) => familyPlaces.get(a.family) - familyPlaces.get(b.family);

  // ---- the view and its address

  function show() {
    const shown = filter();
    fold();
    orderRows(form.elements.rows.value);
    orderColumns(form.elements.columns.value);
    document.getElementById("count").textContent =
      `${shown} of ${cells.length} cells shown, ${shownColumns.length} of ${columns.length} client versions`;
    document.getElementById("nothing").hidden = shown > 0;
    scroller.hidden = shown === 0;
    for (const name of names) {
      const count = form.querySelectorAll(`input[name="${name}"]:checked`).length;
      form.querySelector(`[data-filter="${name}"] .chosen`).textContent = count ? ` (${count})` : "";
    }
    rove(current && isShown(current) ? current : null);
  }

  function remember(replace) {
    const given = new URLSearchParams();
    for (const input of form.querySelectorAll("input[type=checkbox]:checked")) given.append(input.name, input.value);
    const words = form.elements.q.value.trim();
    if (words) given.append("q", words);
    for (const name of ["rows", "columns"]) if (form.elements[name].value) given.append(name, form.elements[name].value);
    site.remember(given, replace);
  }

  function restore() {
    const given = site.given();
    for (const input of form.querySelectorAll("input[type=checkbox]"))
      input.checked = given.getAll(input.name).includes(input.value);
    form.elements.q.value = given.get("q") || "";
    for (const name of ["rows", "columns"]) {
      form.elements[name].value = given.get(name) || "";
      if (form.elements[name].selectedIndex < 0) form.elements[name].value = "";
    }
    show();
    const at = given.get("at");
    if (!at) return;
    remember(true);
    const link = table.querySelector(`td a[href="cell/${CSS.escape(at)}.html"]`);
    if (link) go(places.get(link));
  }

  function clear() {
    for (const input of form.querySelectorAll("input[type=checkbox]")) input.checked = false;
    form.elements.q.value = form.elements.rows.value = form.elements.columns.value = "";
    show();
    remember(false);
  }

  // ---- keyboard: one tab stop for the whole matrix, arrows within it; headers link to clients and scenarios

  const isShown = (place) => (place.row ? place.row.shown : true) && (place.column ? place.column.shown : true) && !place.hidden;

  function rove(place) {
    if (current) current.link.tabIndex = -1;
    current = place || firstIn(shownRows[0], shownColumns) || null;
    if (current) current.link.tabIndex = 0;
  }

  function firstIn(row, among) {
    const column = row && among.find((one) => cellAt(row, one));
    return column && cellAt(row, column);
  }

  function cellAt(row, column) {
    const cell = row.cells[column.index];
    return cell && !cell.hidden ? cell : null;
  }

  function go(place) {
    if (!place || !isShown(place)) return;
    rove(place);
    place.link.focus();
    place.link.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function step(place, key, far) {
    const across = place.row ? shownColumns.map((column) => cellAt(place.row, column)).filter(Boolean) : shownColumns.map(headOf);
    const down = place.column ? shownRows.map((row) => cellAt(row, place.column)).filter(Boolean) : shownRows.map(headOf);
    const x = across.indexOf(place);
    const y = down.indexOf(place);
    switch (key) {
      case "ArrowRight": return across[x + 1];
      case "ArrowLeft": return x > 0 ? across[x - 1] : x === 0 && place.row && headOf(place.row);
      case "ArrowDown": return down[y + 1];
      case "ArrowUp": return y > 0 ? down[y - 1] : y === 0 && place.column && headOf(place.column);
      case "Home": return far ? firstIn(shownRows[0], shownColumns) : across[0];
      case "End": return far ? firstIn(shownRows[shownRows.length - 1], [...shownColumns].reverse()) : across[across.length - 1];
      default: return null;
    }
  }

  const headOf = (one) => places.get(one.link);

  function startKeys() {
    for (const link of places.keys()) link.tabIndex = -1;
    table.addEventListener("focusin", (event) => {
      const place = places.get(event.target);
      if (place) rove(place);
    });
    table.addEventListener("keydown", (event) => {
      const place = places.get(event.target);
      if (!place || event.altKey || event.metaKey) return;
      const target = step(place, event.key, event.ctrlKey);
      if (!target) return;
      event.preventDefault();
      go(target);
    });
  }

  form.hidden = false;
  form.addEventListener("change", (event) => {
    if (event.target === form.elements.q) return;
    show();
    remember(false);
  });
  form.elements.q.addEventListener("input", () => {
    show();
    remember(true);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault(); // browsers restore old input, so a reset does not always empty the form
    clear();
  });
  document.querySelector("[data-reset]").addEventListener("click", () => {
    clear();
    form.elements.q.focus();
  });
  addEventListener("popstate", restore);
  site.popups(form);
  startKeys();
  restore();
}
