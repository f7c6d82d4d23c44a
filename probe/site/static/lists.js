"use strict";
// Search and sorting of the tables of a page, kept in the URL's hash: `q`, and `sort=column` or `sort=-column`.
// Without this script they are plain tables in their own order.
{
  const ROLES = { TH: "rowheader", TD: "cell" };
  const form = document.getElementById("lists");
  const lists = [...document.querySelectorAll("table[data-list]")].map(readList);
  const count = document.getElementById("count");
  let sorted = "";

  /** Keep the table one for assistive technology where narrow pages show its parts as blocks. */
  function keepRoles(tr) {
    if (tr.hasAttribute("role")) return;
    tr.setAttribute("role", "row");
    for (const cell of tr.cells) cell.setAttribute("role", ROLES[cell.tagName]);
  }

  function readList(table) {
    [...table.tBodies[0].rows].forEach(keepRoles);
    const heads = [...table.tHead.rows[0].cells];
    const rows = [...table.tBodies[0].rows].map((tr, place) => ({ tr, place, text: tr.textContent.toLowerCase() }));
    return { table, heads, rows, section: table.closest("section"), fold: table.closest("details") };
  }

  function show() {
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    let all = 0;
    for (const list of lists) {
      let own = 0;
      for (const row of list.rows) {
        row.tr.hidden = !words.every((word) => row.text.includes(word));
        own += row.tr.hidden ? 0 : 1;
      }
      list.section.hidden = own === 0;
      if (list.fold && words.length) list.fold.open = true;
      shown += own;
      all += list.rows.length;
      sort(list);
    }
    const none = shown === 0 && form.dataset.none ? `: ${form.dataset.none}` : "";
    count.textContent = `${shown} of ${all} lines shown${none}`;
  }

  function sort(list) {
    const name = sorted.replace(/^-/, "");
    const column = list.heads.findIndex((head) => head.dataset.sort === name);
    const down = sorted.startsWith("-");
    const order = [...list.rows];
    if (column >= 0) order.sort((a, b) => compare(valueOf(list, a, column), valueOf(list, b, column), down) || a.place - b.place);
    if (order.some((row, index) => list.table.tBodies[0].rows[index] !== row.tr))
      list.table.tBodies[0].append(...order.map((row) => row.tr));
    list.heads.forEach((head, index) => {
      if (index === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }

  /** Return the value by which a row is sorted; of a column in whose order the rows come, their place. */
  function valueOf(list, row, column) {
    if (list.heads[column].dataset.inOrder !== undefined) return row.place;
    const cell = row.tr.cells[column];
    const text = cell.dataset.v === undefined ? cell.textContent.trim() : cell.dataset.v;
    return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  }

  /** Empty values come last in both directions; numbers come before words; numbers within words count, 1.9 before 1.27. */
  function compare(a, b, down) {
    if (a === "" || b === "") return (a === "") - (b === "");
    const both = typeof a === "number" && typeof b === "number";
    const found = both ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
    return down ? -found : found;
  }

  function restore() {
    const given = site.given();
    form.elements.q.value = given.get("q") || "";
    sorted = given.get("sort") || "";
    show();
  }

  function remember(replace) {
    const given = new URLSearchParams();
    const words = form.elements.q.value.trim();
    if (words) given.append("q", words);
    if (sorted) given.append("sort", sorted);
    site.remember(given, replace);
  }

  for (const list of lists) {
    for (const head of list.heads.filter((one) => one.dataset.sort)) {
      const button = site.make("button", { type: "button", class: "sort" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const name = head.dataset.sort;
        sorted = sorted === name ? `-${name}` : sorted === `-${name}` ? "" : name;
        show();
        remember(false);
      });
    }
  }
  if (form) {
    form.hidden = false;
    form.elements.q.addEventListener("input", () => {
      show();
      remember(true);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", (event) => {
      event.preventDefault();
      form.elements.q.value = sorted = "";
      show();
      remember(false);
    });
    addEventListener("popstate", restore);
    restore();
  }
}
