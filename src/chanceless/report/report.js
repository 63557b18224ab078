"use strict";
// What a page does beyond showing: a theme, hints under the pointer, arrow keys, sorting and filtering.
// All text is in the page already; without this script, tables and pictures are as complete.
(() => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "font-family", "font-size", "font-weight"];

  function addTheme() {
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    const dark = rules.find((rule) => rule.media && rule.media.mediaText.includes("prefers-color-scheme"));
    const system = matchMedia("(prefers-color-scheme: dark)");
    const button = document.getElementById("theme");
    const show = (isDark) => {
      dark.media.mediaText = isDark ? "screen" : "not all";
      button.textContent = isDark ? "Light colours" : "Dark colours";
    };
    button.addEventListener("click", () => show(dark.media.mediaText === "not all"));
    system.addEventListener("change", () => show(system.matches));
    button.hidden = false;
    show(system.matches);
  }

  function addHints() {
    const tooltip = document.getElementById("tooltip");
    for (const title of all("figure svg title")) { // the browser would show these too
      title.parentNode.setAttribute("aria-label", title.textContent);
      title.parentNode.classList.add("hinted");
      title.remove();
    }
    const show = (event) => {
      const mark = event.target.closest(".hinted");
      tooltip.hidden = !mark;
      if (!mark) return;
      tooltip.textContent = mark.getAttribute("aria-label");
      const box = mark.getBoundingClientRect();
      const room = document.documentElement.clientWidth - tooltip.offsetWidth - 8;
      const left = Math.max(Math.min(box.left + (box.width - tooltip.offsetWidth) / 2, room), 8);
      const above = box.top - tooltip.offsetHeight - 8;
      const top = above > 0 ? above : Math.min(box.bottom + 8, innerHeight - tooltip.offsetHeight);
      tooltip.style.translate = `${left + scrollX}px ${top + scrollY}px`;
    };
    document.addEventListener("pointerover", show);
    document.addEventListener("focusin", show);
    document.addEventListener("keydown", (event) => { tooltip.hidden ||= event.key === "Escape"; });
  }

  // Of the marks of a picture, Tab reaches one, and keys lead to the others.
  function moveTo(mark) {
    for (const other of all("[tabindex='0']", mark.closest("svg"))) other.setAttribute("tabindex", "-1");
    mark.setAttribute("tabindex", "0");
    mark.focus();
  }

  function addKeys(svg, marks, keys) {
    marks.forEach((mark, place) => mark.setAttribute("tabindex", place ? "-1" : "0"));
    svg.addEventListener("keydown", (event) => {
      const mark = event.target.closest(".cell, .ribbon");
      if (!mark || !(event.key in keys)) return;
      event.preventDefault();
      const found = keys[event.key](mark);
      if (found) moveTo(found);
    });
    svg.addEventListener("click", (event) => {
      const mark = event.target.closest(".cell, .ribbon");
      if (mark) moveTo(mark);
    });
  }

  function addGrid(svg) {
    const inRow = (row) => (row ? all(".cell", row) : []);
    const beside = (step) => (cell) => inRow(cell.parentNode)[inRow(cell.parentNode).indexOf(cell) + step];
    const nearest = (side) => (cell) => { // in the next row
      const far = (other) => Math.abs(other.dataset.column - cell.dataset.column);
      return inRow(cell.parentNode[side]).sort((one, other) => far(one) - far(other))[0];
    };
    addKeys(svg, all(".cell", svg), {
      ArrowRight: beside(1),
      ArrowLeft: beside(-1),
      ArrowDown: nearest("nextElementSibling"),
      ArrowUp: nearest("previousElementSibling"),
      Home: (cell) => inRow(cell.parentNode)[0],
      End: (cell) => inRow(cell.parentNode).at(-1),
      Enter: (cell) => openCluster(cell.parentNode.id),
    });
  }

  function addList(svg) { // ribbons from top to bottom
    const marks = all(".ribbon", svg).sort((one, other) => one.getBBox().y - other.getBBox().y);
    const by = (step) => (mark) => marks[marks.indexOf(mark) + step];
    addKeys(svg, marks, { ArrowRight: by(1), ArrowDown: by(1), ArrowLeft: by(-1), ArrowUp: by(-1) });
  }

  function openCluster(identifier) { // the row of a table
    const row = document.getElementById(identifier.replace(/row-(\d+)$/, "true-$1"));
    if (!identifier || !row) return;
    if (row.hidden) {
      const controls = all("input, select", row.closest(".sortable"));
      for (const control of controls) control.value = "";
      controls[0].dispatchEvent(new Event("input"));
    }
    row.setAttribute("tabindex", "-1");
    location.hash = row.id;
    row.focus();
  }

  function toNumber(text) { // "1,234", and "<1", which is a little less
    const near = { "<": -1e-9, ">": 1e-9 }[text[0]] ?? 0;
    return Number(text.replace(/[<>,]/g, "")) + near;
  }

  function addSorting(table, status) {
    const body = table.tBodies[0];
    all("thead th", table).forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        const numeric = header.classList.contains("number");
        const [first, second] = numeric ? ["descending", "ascending"] : ["ascending", "descending"];
        const order = header.getAttribute("aria-sort") === first ? second : first;
        for (const other of all("th", table.tHead)) other.removeAttribute("aria-sort");
        header.setAttribute("aria-sort", order);
        const value = (row) => (numeric ? toNumber(row.cells[column].textContent) : row.cells[column].textContent);
        const compare = (one, other) => (numeric ? one - other : one.localeCompare(other, undefined, { numeric: true }));
        const sign = order === "ascending" ? 1 : -1;
        body.append(...[...body.rows].sort((one, other) => sign * compare(value(one), value(other))));
        status.textContent = `Sorted by ${button.textContent}, ${order}.`;
      });
    });
  }

  function addFilter(section, table, status) {
    const [find, verdict] = all("input, select", section);
    const rows = [...table.tBodies[0].rows];
    const apply = () => {
      const matches = (row) => row.cells[0].textContent.toLowerCase().includes(find.value.toLowerCase())
        && ["", row.dataset.verdict].includes(verdict.value);
      for (const row of rows) row.hidden = !matches(row);
      status.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} clusters shown.`;
    };
    find.addEventListener("input", apply);
    verdict.addEventListener("change", apply);
    section.querySelector(".controls").hidden = false;
  }

  function markTarget() { // the ribbons, and the row or column, of the cluster that the address names
    for (const mark of all(".on")) mark.classList.remove("on");
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let closed = target?.querySelector(":scope > .part") ?? target?.closest("details");
    for (; closed; closed = closed.parentNode.closest("details")) closed.open = true;
    const [, prefix, side, code] = /^(.*)(row|column)-(\d+)$/.exec(target?.id) ?? [];
    if (!side) return;
    const place = `[data-column="${target.dataset.column}"]`;
    const cells = side === "row" ? all(".cell", target) : all(`.cell${place}`, target.closest("svg"));
    const ribbons = all(`#${prefix}flow [data-${side === "row" ? "true" : "pred"}="${code}"]`);
    for (const mark of [target, ...cells, ...ribbons]) mark.classList.add("on");
    if (cells.length) moveTo(cells[0]);
  }

  function foldContents() { // beside the page if it is wide
    const [contents, wide] = [document.querySelector("nav details"), matchMedia("(min-width: 70rem)")];
    const fold = () => { contents.open = wide.matches; };
    wide.addEventListener("change", fold);
    fold();
  }

  function addSaving(svg) { // a copy with all colours in it, which needs no style sheet
    const button = document.createElement("button");
    button.type = "button";
    button.className = "save";
    button.textContent = "Save picture";
    button.addEventListener("click", () => {
      const copy = svg.cloneNode(true);
      const marks = [copy, ...all("*", copy)];
      [svg, ...all("*", svg)].forEach((mark, place) => {
        const style = getComputedStyle(mark);
        for (const name of LOOKS) marks[place].setAttribute(name, style.getPropertyValue(name));
      });
      const paper = document.createElementNS(svg.namespaceURI, "rect");
      const { x, y, width, height } = svg.viewBox.baseVal;
      const fill = getComputedStyle(document.body).backgroundColor;
      for (const [name, value] of Object.entries({ x, y, width, height, fill })) paper.setAttribute(name, value);
      copy.prepend(paper);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
      link.download = `${svg.classList[0]}.svg`;
      link.click();
    });
    svg.closest("figure").querySelector(".keys").before(button);
  }

  addTheme();
  addHints();
  for (const svg of all("svg.heat, svg.flow, svg.tree")) addSaving(svg);
  for (const svg of all("svg.heat")) addGrid(svg);
  for (const svg of all("svg.flow, svg.tree")) addList(svg);
  for (const section of all(".sortable")) {
    const [table, status] = [section.querySelector("table"), section.querySelector(".status")];
    addSorting(table, status);
    addFilter(section, table, status);
  }
  addEventListener("hashchange", markTarget);
  markTarget();
  foldContents();
  document.documentElement.dataset.ready = "yes";
})();
