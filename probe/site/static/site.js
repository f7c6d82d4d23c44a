"use strict";
// Filters, search and keyboard of the matrix. Filters live in the URL's hash, so that a view can be shared,
// works from file:// and survives back and forward. Without this script the matrix is a plain table.

const form = document.getElementById("filters");
if (form) startMatrix();
startCarrying();
startSkipping();

function startMatrix() {
  const names = [...form.querySelectorAll("[data-filter]")].map((box) => box.dataset.filter);
  const matrix = readMatrix(document.getElementById("matrix"));
  form.hidden = false;
  const nothing = document.getElementById("nothing");

  function show() {
    const wanted = readForm(names);
    const shown = apply(matrix, wanted);
    const versions = matrix.columns.filter((column) => column.shown).length;
    document.getElementById("count").textContent =
      `${shown} of ${matrix.cells.length} cells shown, ${versions} of ${matrix.columns.length} client versions`;
    nothing.hidden = shown > 0;
    matrix.scroller.hidden = shown === 0;
    for (const name of names) {
      const count = wanted.sets[name].size;
      form.querySelector(`[data-filter="${name}"] .chosen`).textContent = count ? ` (${count})` : "";
    }
    rove(matrix, matrix.current && !matrix.current.hidden ? matrix.current : null);
  }

  function remember(replace) {
    const hash = writeHash(names);
    if (hash === location.hash.slice(1)) return;
    // With an empty hash the whole address must be named, else the old hash would stay.
    const url = location.href.split("#")[0] + (hash ? `#${hash}` : "");
    history[replace ? "replaceState" : "pushState"](null, "", url);
  }

  function clear() {
    for (const input of form.querySelectorAll("input[type=checkbox]")) input.checked = false;
    form.elements.q.value = "";
    show();
    remember(false);
  }

  function restore() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const input of form.querySelectorAll("input[type=checkbox]"))
      input.checked = given.getAll(input.name).includes(input.value);
    form.elements.q.value = given.get("q") || "";
    show();
    const at = given.get("at");
    if (at) {
      remember(true);
      const link = document.getElementById(at);
      if (link) focusCell(matrix, matrix.cells.find((cell) => cell.link === link));
    }
  }

  form.addEventListener("change", (event) => {
    if (event.target.type !== "checkbox") return;
    show();
    remember(false);
  });
  form.elements.q.addEventListener("input", () => {
    show();
    remember(true);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault(); // what the form would go back to is not always empty: browsers restore old input
    clear();
  });
  document.querySelector("[data-reset]").addEventListener("click", () => {
    clear();
    form.elements.q.focus();
  });
  addEventListener("popstate", restore);
  startPopups();
  startArrows(matrix);
  restore();
}

// ---- reading and filtering

function readMatrix(table) {
  const heads = [...table.querySelectorAll(".versions th[data-version]")];
  const cols = [...table.querySelectorAll("col.version")];
  const columns = heads.map((head, index) => ({ head, col: cols[index], tds: [], shown: true, index }));
  const rows = [];
  const cells = [];
  for (const tr of table.querySelectorAll("tbody tr[data-scenario]")) {
    const row = { tr, cells: [], shown: true };
    rows.push(row);
    columns.forEach((column, index) => {
      const td = tr.cells[index + 1];
      column.tds.push(td);
      if (!td.dataset.o) return;
      const head = column.head.dataset;
      const data = tr.dataset;
      const about = {
        family: head.family, role: data.role, profile: data.profile, scenario: data.scenario,
        engine: data.engine, broker: data.broker, outcome: td.dataset.o, conforms: td.dataset.c,
      };
      const words = Object.values(about).concat(head.version, `${head.family}@${head.version}`, td.textContent);
      const cell = { td, link: td.firstElementChild, about, row, column, hidden: false };
      cell.text = words.join(" ").toLowerCase();
      row.cells.push(cell);
      cells.push(cell);
    });
  }
  const bodies = [...table.tBodies].map((body) => ({ body, rows: rows.filter((row) => row.tr.parentNode === body) }));
  const families = [...table.querySelectorAll(".families th[data-family]")];
  return { table, scroller: table.parentNode, columns, rows, cells, bodies, families, current: null };
}

function readForm(names) {
  const sets = {};
  for (const name of names)
    sets[name] = new Set([...form.querySelectorAll(`input[name="${name}"]:checked`)].map((input) => input.value));
  return { sets, words: form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean) };
}

function matches(cell, names, wanted) {
  return names.every((name) => wanted.sets[name].has(cell.about[name])) &&
    wanted.words.every((word) => cell.text.includes(word));
}

/** Show what matches, hide the rest with rows and columns left empty; return how many cells are shown. */
function apply(matrix, wanted) {
  const names = Object.keys(wanted.sets).filter((name) => wanted.sets[name].size);
  const rows = new Set();
  const columns = new Set();
  let shown = 0;
  for (const cell of matrix.cells) {
    const hide = !matches(cell, names, wanted);
    if (hide !== cell.hidden) {
      cell.hidden = hide;
      cell.td.classList.toggle("off", hide);
      cell.link.hidden = hide;
    }
    if (hide) continue;
    shown += 1;
    rows.add(cell.row);
    columns.add(cell.column);
  }
  for (const row of matrix.rows) row.shown = !(row.tr.hidden = !rows.has(row));
  for (const { body, rows: inside } of matrix.bodies) body.hidden = !inside.some((row) => row.shown);
  for (const column of matrix.columns) showColumn(column, columns.has(column));
  const wide = matrix.columns.filter((column) => column.shown).length + 1;
  for (const th of matrix.table.querySelectorAll(".group th")) th.colSpan = wide;
  for (const th of matrix.families) {
    const own = matrix.columns.filter((one) => one.shown && one.head.dataset.family === th.dataset.family).length;
    th.hidden = own === 0;
    th.colSpan = own || 1;
  }
  return shown;
}

function showColumn(column, shown) {
  if (column.shown === shown) return;
  column.shown = shown;
  for (const node of [column.head, column.col, ...column.tds]) node.hidden = !shown;
}

function writeHash(names) {
  const given = new URLSearchParams();
  for (const name of names)
    for (const input of form.querySelectorAll(`input[name="${name}"]:checked`)) given.append(name, input.value);
  const words = form.elements.q.value.trim();
  if (words) given.append("q", words);
  return given.toString();
}

// ---- keyboard: one tab stop for the whole matrix, arrows within it

function rove(matrix, cell) {
  const next = cell || matrix.cells.find((one) => !one.hidden) || null;
  if (!matrix.roving) {
    for (const one of matrix.cells) one.link.tabIndex = -1;
    matrix.roving = true;
  } else if (matrix.current) matrix.current.link.tabIndex = -1;
  if (next) next.link.tabIndex = 0;
  matrix.current = next;
}

function focusCell(matrix, cell) {
  if (!cell || cell.hidden) return;
  rove(matrix, cell);
  cell.link.focus();
  cell.link.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function startArrows(matrix) {
  const byLink = new Map(matrix.cells.map((cell) => [cell.link, cell]));
  matrix.table.addEventListener("focusin", (event) => {
    const cell = byLink.get(event.target);
    if (cell) rove(matrix, cell);
  });
  matrix.table.addEventListener("keydown", (event) => {
    const cell = byLink.get(event.target);
    if (!cell || event.altKey || event.metaKey) return;
    const target = step(matrix, cell, event.key, event.ctrlKey);
    if (!target) return;
    event.preventDefault();
    focusCell(matrix, target);
  });
}

function step(matrix, cell, key, far) {
  const across = cell.row.cells.filter((one) => !one.hidden);
  const down = matrix.cells.filter((one) => one.column === cell.column && !one.hidden);
  const all = matrix.cells.filter((one) => !one.hidden);
  switch (key) {
    case "ArrowRight": return across[across.indexOf(cell) + 1];
    case "ArrowLeft": return across[across.indexOf(cell) - 1];
    case "ArrowDown": return down[down.indexOf(cell) + 1];
    case "ArrowUp": return down[down.indexOf(cell) - 1];
    case "Home": return far ? all[0] : across[0];
    case "End": return far ? all[all.length - 1] : across[across.length - 1];
    default: return null;
  }
}

/** The filters' lists close on Escape, on a click elsewhere, and when another opens. */
function startPopups() {
  const boxes = [...form.querySelectorAll("details.filter")];
  const close = (except) => boxes.forEach((box) => { if (box !== except) box.open = false; });
  boxes.forEach((box) => box.addEventListener("toggle", () => {
    if (!box.open) return;
    close(box);
    const list = box.lastElementChild;
    list.classList.remove("to-left");
    list.classList.toggle("to-left", list.getBoundingClientRect().right > document.documentElement.clientWidth);
  }));
  addEventListener("click", (event) => close(event.target.closest("details.filter")));
  form.addEventListener("keydown", (event) => {
    const box = event.key === "Escape" && event.target.closest("details.filter");
    if (!box) return;
    box.open = false;
    box.firstElementChild.focus();
  });
}

// ---- links keep the filters: to a cell, between cells, and back to where one was

function startCarrying() {
  const carry = (event) => {
    const link = event.target.closest && event.target.closest("#matrix a, a[data-carry]");
    if (link) link.hash = location.hash;
  };
  for (const kind of ["focusin", "pointerdown", "click"]) document.addEventListener(kind, carry);
  const back = document.querySelector("a[data-back]");
  if (!back) return;
  const given = new URLSearchParams(location.hash.slice(1));
  given.set("at", back.dataset.back);
  back.hash = given.toString();
}

/** A plain in-page link would replace the filters in the hash. */
function startSkipping() {
  document.querySelector("[data-skip]").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  });
}
