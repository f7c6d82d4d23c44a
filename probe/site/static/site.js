"use strict";
// Functions of every page: links that keep the filters of the matrix, and jumps within a page.
// Filters live in the URL's hash, so that a view can be shared, works from file:// and survives back and forward.

const site = {
  /** Return the hash as parameters. */
  given() {
    return new URLSearchParams(location.hash.slice(1));
  },

  /** Write parameters into the hash; `replace` adds no entry to the history. */
  remember(parameters, replace) {
    const hash = parameters.toString();
    if (hash === location.hash.slice(1)) return;
    // With an empty hash the whole address must be named, otherwise the old hash would stay.
    const url = location.href.split("#")[0] + (hash ? `#${hash}` : "");
    history[replace ? "replaceState" : "pushState"](null, "", url);
  },

  /** Make an element with text or children. */
  make(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  },

  /** The filters' lists close on Escape, on a click elsewhere, and when another opens. */
  popups(form) {
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
  },
};

// Links to a cell, between cells, and back to the cell in the matrix.
{
  const carry = (event) => {
    const link = event.target.closest && event.target.closest("#matrix td a, a[data-carry]");
    if (link) link.hash = location.hash;
  };
  for (const kind of ["focusin", "pointerdown", "click"]) document.addEventListener(kind, carry);
  const back = document.querySelector("a[data-back]");
  if (back) {
    const given = site.given();
    given.set("at", back.dataset.back);
    back.hash = given.toString();
  }
}

// A plain in-page link would replace the filters in the hash.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-jump], a[data-skip]");
  if (!link) return;
  event.preventDefault();
  const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (target.tagName === "DETAILS") target.open = true;
  (target.tagName === "DETAILS" ? target.firstElementChild : target).focus({ preventScroll: true });
  target.scrollIntoView({ block: "start" });
});
