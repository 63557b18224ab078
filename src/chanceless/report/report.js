"use strict";
// What a page does beyond showing: a theme, hints under the pointer, arrow keys, sorting and filtering.
// All text is in the page already; without this script, tables and pictures are as complete.
(() => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  function addTheme() {
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    const dark = rules.find((rule) => rule.media && rule.media.mediaText.includes("prefers-color-scheme"));
    const system = matchMedia("(prefers-color-scheme: dark)");
    const button = document.getElementById("theme");
    let isDark = system.matches;
    const show = () => {
      dark.media.mediaText = isDark ? "screen" : "not all";
      button.textContent = isDark ? "Light colours" : "Dark colours";
      document.documentElement.dataset.theme = isDark ? "dark" : "light";
    };
    button.addEventListener("click", () => { isDark = !isDark; show(); });
    system.addEventListener("change", () => { isDark = system.matches; show(); });
    button.hidden = false;
    show();
  }

  function addHints() {
    const tooltip = document.getElementById("tooltip");
    const hide = () => { tooltip.hidden = true; };
    const show = (mark) => {
      tooltip.textContent = mark.getAttribute("aria-label");
      tooltip.hidden = false;
      const box = mark.getBoundingClientRect();
      const room = document.documentElement.clientWidth - tooltip.offsetWidth - 8;
      const middle = Math.min(Math.max(box.left + box.width / 2 - tooltip.offsetWidth / 2, 8), Math.max(room, 8));
      const above = box.top - tooltip.offsetHeight - 8;
      tooltip.style.left = `${middle + scrollX}px`;
      tooltip.style.top = `${(above > 0 ? above : Math.min(box.bottom + 8, innerHeight - tooltip.offsetHeight)) + scrollY}px`;
    };
    for (const title of all("figure svg title")) { // the browser would show these too
      title.parentNode.setAttribute("aria-label", title.textContent);
      title.parentNode.classList.add("hinted");
      title.remove();
    }
    for (const event of ["pointerover", "focusin"]) {
      document.addEventListener(event, (happened) => {
        const mark = happened.target.closest(".hinted");
        if (mark) show(mark); else hide();
      });
    }
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  }

  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

  function moveTo(mark, marks) {
    for (const other of marks) other.setAttribute("tabindex", "-1");
    mark.setAttribute("tabindex", "0");
    mark.focus({ preventScroll: false });
  }

  function addGrid(svg) {
    const cells = all(".cell", svg);
    const place = (cell) => [Number(cell.parentNode.dataset.row), Number(cell.dataset.column)];
    const next = (cell, [down, right]) => {
      const [row, column] = place(cell);
      const ahead = cells.map((other) => [other, place(other)]).filter(([, [otherRow, otherColumn]]) => (
        down ? Math.sign(otherRow - row) === down : otherRow === row && Math.sign(otherColumn - column) === right));
      const far = ([, [otherRow, otherColumn]]) => 1000 * Math.abs(otherRow - row) + Math.abs(otherColumn - column);
      return ahead.sort((one, other) => far(one) - far(other))[0]?.[0];
    };
    for (const cell of cells) cell.setAttribute("tabindex", "-1");
    cells[0]?.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      const cell = event.target.closest(".cell");
      if (!cell) return;
      let found;
      if (event.key in steps) found = next(cell, steps[event.key]);
      else if (event.key === "Home") found = all(".cell", cell.parentNode)[0];
      else if (event.key === "End") found = all(".cell", cell.parentNode).at(-1);
      else if (event.key === "Enter") openCluster(cell.parentNode.id);
      else return;
      event.preventDefault();
      if (found) moveTo(found, cells);
    });
    svg.addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) moveTo(cell, cells);
    });
  }

  function openCluster(identifier) {
    const row = document.getElementById(identifier.replace(/row-(\d+)$/, "true-$1"));
    if (!row || !row.id || row.id === identifier) return;
    if (row.hidden) showAll(row.closest(".sortable"));
    row.setAttribute("tabindex", "-1");
    location.hash = row.id;
    row.focus();
  }

  function showAll(section) {
    for (const control of all("input, select", section)) control.value = "";
    section.querySelector("input").dispatchEvent(new Event("input"));
  }

  function addList(svg) { // ribbons from top to bottom
    const marks = all(".ribbon", svg).sort((one, other) => one.getBBox().y - other.getBBox().y);
    for (const mark of marks) mark.setAttribute("tabindex", "-1");
    marks[0]?.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      const at = marks.indexOf(event.target.closest(".ribbon"));
      const step = steps[event.key];
      if (at < 0 || !step) return;
      event.preventDefault();
      const found = marks[at + step[0] + step[1]];
      if (found) moveTo(found, marks);
    });
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
        const first = numeric ? "descending" : "ascending";
        const order = header.getAttribute("aria-sort") === first ? (numeric ? "ascending" : "descending") : first;
        for (const other of all("th", table.tHead)) other.removeAttribute("aria-sort");
        header.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const value = (row) => (numeric ? toNumber(row.cells[column].textContent) : row.cells[column].textContent);
        const compare = (one, other) => (numeric ? one - other : one.localeCompare(other, undefined, { numeric: true }));
        body.append(...[...body.rows].sort((one, other) => sign * compare(value(one), value(other))));
        if (status) status.textContent = `Sorted by ${button.textContent}, ${order}.`;
      });
    });
  }

  function addFilter(section, table, status) {
    const [find, verdict] = [section.querySelector("input"), section.querySelector("select")];
    const rows = [...table.tBodies[0].rows];
    const texts = new Map(rows.map((row) => [row, row.cells[0].textContent.toLowerCase()]));
    const apply = () => {
      const wanted = find.value.toLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = !texts.get(row).includes(wanted) || (verdict.value !== "" && row.dataset.verdict !== verdict.value);
        shown += row.hidden ? 0 : 1;
      }
      status.textContent = `${shown} of ${rows.length} clusters shown.`;
    };
    find.addEventListener("input", apply);
    verdict.addEventListener("change", apply);
    section.querySelector(".controls").hidden = false;
  }

  function addTables() {
    for (const section of all(".sortable")) {
      const [table, status] = [section.querySelector("table"), section.querySelector(".status")];
      addSorting(table, status);
      if (section.querySelector(".controls")) addFilter(section, table, status);
    }
  }

  function markTarget() { // the ribbons, and the column, of the cluster that the address names
    for (const mark of all(".on")) mark.classList.remove("on");
    const closed = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details");
    if (closed) closed.open = true;
    const found = /^#(.*)(row|column)-(\d+)$/.exec(decodeURIComponent(location.hash));
    if (!found) return;
    const [, prefix, side, code] = found;
    const target = document.getElementById(`${prefix}${side}-${code}`);
    if (!target) return;
    const svg = target.closest("svg");
    const cells = side === "row" ? all(".cell", target)
      : all(".cell", svg).filter((cell) => cell.dataset.column === target.dataset.column);
    const flow = document.getElementById(`${prefix}flow`);
    const ribbons = flow ? all(`[data-${side === "row" ? "true" : "pred"}="${code}"]`, flow) : [];
    for (const mark of [target, ...cells, ...ribbons]) mark.classList.add("on");
    if (cells.length) moveTo(cells[0], all(".cell", svg));
  }

  function openForPrint() {
    let closed = [];
    addEventListener("beforeprint", () => {
      closed = all("details:not([open]):not(.full)");
      for (const one of closed) one.open = true;
    });
    addEventListener("afterprint", () => { for (const one of closed) one.open = false; });
  }

  addTheme();
  addHints();
  for (const svg of all("svg.heat")) addGrid(svg);
  for (const svg of all("svg.flow, svg.tree")) addList(svg);
  addTables();
  addEventListener("hashchange", markTarget);
  markTarget();
  openForPrint();
  document.documentElement.dataset.ready = "yes";
})();
