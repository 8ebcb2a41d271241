// The script of the inspector's page. It shows what the server sends and says what it wants to see. It never parses HTML: texts
// become text nodes.

const $ = (id) => document.getElementById(id);
const rowHeight = 46, overscan = 40, unknown = "–";

/** What the page shows, which the server is told of whenever it changes. */
const view = {
  version: 0, filter: "", order: "count", isChangedOnly: false, expanded: [],
  rows: { start: 0, count: 100 }, screen: { start: 0, count: 40 }, selected: null, open: null, mark: null,
};
const page = {
  session: null, source: null, isSending: false, hasChanged: false, lastEvent: 0,
  rows: new Map(), total: 0, rowsVersion: -1, selectedIndex: 0, time: 0, timeReceived: 0, summary: null,
  detail: null, history: [], minute: [], tree: null, shown: null,
};

// MARK: Text

const counts = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const number = (value) => value == null ? unknown : value < 100000 ? counts.format(value) : compact.format(value);
const perSecond = (value) => value == null ? unknown : value === 0 ? "0" : value < 10 ? value.toFixed(1) : number(Math.round(value));

function duration(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 1) return "now";
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}
const ago = (time) => time == null ? unknown : duration(page.time - time) === "now" ? "now" : `${duration(page.time - time)} ago`;
const plural = (count, one, many = one + "s") => `${number(count)} ${count === 1 ? one : many}`;

function make(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children.filter((child) => child != null));
  return element;
}
/** Touches the document only if the text differs. */
function setText(element, text) {
  if (element.shownText === text) return;
  element.shownText = text;
  element.textContent = text;
}
function button(text, className, action) {
  const element = make("button", className, text);
  element.type = "button";
  element.addEventListener("click", action);
  return element;
}

// MARK: Connection

function connect() {
  page.source?.close();
  const source = new EventSource("events");
  page.source = source;
  page.session = null;
  const on = (name, handle) => source.addEventListener(name, (event) => {
    if (source !== page.source) return;
    page.lastEvent = performance.now();
    handle(JSON.parse(event.data));
  });
  on("session", ({ session }) => {
    page.session = session;
    setConnection("live", "Live");
    changeView();
  });
  on("refused", (reason) => setConnection("refused", reason));
  on("summary", showSummary);
  on("rows", receiveRows);
  on("tree", receiveTree);
  on("place", receivePlace);
  source.addEventListener("error", () => {
    if (source !== page.source) return;
    page.session = null;
    if ($("connection").dataset.state !== "refused") setConnection("lost", "Connection lost. Trying again");
    // The browser gives up if the server answers with an error.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => { if (source === page.source) connect(); }, 2000);
  });
}

function setConnection(state, text) {
  $("connection").dataset.state = state;
  setText($("connection"), text);
  document.body.classList.toggle("is-lost", state === "lost" || state === "refused");
}

setInterval(() => {
  if (page.session && performance.now() - page.lastEvent > 5000) {
    setConnection("lost", `No answer for ${duration(performance.now() - page.lastEvent)}`);
  } else if (page.session && $("connection").dataset.state === "lost") {
    setConnection("live", "Live");
  }
}, 1000);

// A page that nobody sees costs the process nothing.
let hiding = 0;
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiding);
  if (document.hidden) {
    hiding = setTimeout(() => {
      page.source?.close();
      page.source = null;
      page.session = null;
      setConnection("connecting", "Paused");
    }, 10000);
  } else if (!page.source) {
    connect();
  }
});

/** Tells the server what is shown, one request after another. */
async function changeView(change = {}) {
  Object.assign(view, change);
  view.version += 1;
  page.hasChanged = true;
  if (page.isSending) return;
  page.isSending = true;
  while (page.hasChanged && page.session) {
    page.hasChanged = false;
    try {
      const answer = await post(`views/${page.session}`, view);
      // The server was started anew.
      if (answer.status === 404) { connect(); break; }
    } catch { break; }
  }
  page.isSending = false;
}

const post = (path, body) => fetch(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
});

// MARK: Head

function showSummary(summary) {
  const isFirst = !page.summary;
  page.summary = summary;
  page.time = summary.time;
  setText($("streams"), number(summary.streams));
  setText($("places"), number(summary.places));
  setText($("rate"), perSecond(summary.rate));
  setText($("cost"), `${plural(summary.streams, "stream")} read in ${summary.snapshotTime} ms, ${plural(summary.trees, "tree")} in ${summary.treeTime} ms`);
  remember(page.minute, summary.time, { streams: summary.streams, rate: summary.rate });
  showMark(summary);
  showEmpty(summary);
  if (!view.open && (isFirst || page.shown !== "overview" || overviewKey(summary) !== page.overview)) showOverview(summary);
  if (page.shown === "overview") drawHistory(page.detail.history, page.minute);
}

function showMark(summary) {
  const { mark } = summary;
  if (summary.waitingForMark && summary.version === view.version && !mark) {
    // The process was started anew, or there are newer marks.
    changeView({ mark: null, isChangedOnly: false });
    $("changed-only").checked = false;
  }
  document.body.classList.toggle("with-mark", !!mark);
  for (const id of ["change", "clear", "changed-only-label"]) $(id).hidden = !mark;
  if (mark) {
    setText($("change"), `Since ${duration(summary.time - mark.time) === "now" ? "now" : duration(summary.time - mark.time) + " ago"}: ${number(mark.change.began)} began, ${number(mark.change.ended)} ended, ${plural(mark.change.received, "value")}`);
  }
}

function showEmpty(summary) {
  const empty = $("empty");
  const kind = page.total > 0 ? "" : summary.streams > 0 || view.filter || view.isChangedOnly ? "none" : "nothing";
  empty.hidden = !kind;
  if (!kind || empty.dataset.kind === kind) { empty.dataset.kind = kind; return; }
  empty.dataset.kind = kind;
  if (kind === "none") {
    empty.replaceChildren(make("h2", "", "Nothing matches"), make("p", "", "Change the filter, or press Esc in it."));
  } else {
    empty.replaceChildren(
      make("h2", "", "No live streams"),
      make("p", "", "Sinks and loops over values appear here while they live, if they began while streams were observed. Observe them from the beginning of main:"),
      make("pre", "", "import StreamInspection\n\nStreamInspector.start()"));
  }
}

$("mark").addEventListener("click", mark);
async function mark() {
  try {
    const answer = await post("marks", {});
    if (answer.ok) changeView({ mark: Number(await answer.text()) });
  } catch { setConnection("lost", "Connection lost. Trying again"); }
}
$("clear").addEventListener("click", () => {
  $("changed-only").checked = false;
  changeView({ mark: null, isChangedOnly: false });
});
$("changed-only").addEventListener("change", (event) => changeView({ isChangedOnly: event.target.checked }));
$("order").addEventListener("change", (event) => { list.scrollTop = 0; changeView({ order: event.target.value }); });
$("tools").addEventListener("submit", (event) => event.preventDefault());
let filtering = 0;
$("filter").addEventListener("input", (event) => {
  clearTimeout(filtering);
  filtering = setTimeout(() => { list.scrollTop = 0; changeView({ filter: event.target.value.trim() }); }, 120);
});

// MARK: List

const list = $("list"), extent = $("extent");
const pool = new Map();   // the elements of the rows on screen, by index

function receiveRows(message) {
  if (message.version !== view.version) return;
  if (message.isNew) page.rows.clear();
  for (const [index, row] of Object.entries(message.rows)) page.rows.set(Number(index), row);
  page.total = message.total;
  if (message.selectedIndex != null) {
    page.selectedIndex = message.selectedIndex;
  } else if (page.total > 0) {
    // The selected row has gone, or there was none yet.
    page.selectedIndex = Math.min(page.selectedIndex, page.total - 1);
    view.selected = page.rows.get(page.selectedIndex)?.key ?? view.selected;
  }
  drawList();
  if (page.summary) showEmpty(page.summary);
}

function screenWindow() {
  const start = Math.floor(list.scrollTop / rowHeight);
  return { start, count: Math.ceil(list.clientHeight / rowHeight) + 1 };
}

function drawList() {
  const height = `${page.total * rowHeight}px`;
  if (extent.style.height !== height) extent.style.height = height;
  const screen = screenWindow();
  const end = Math.min(page.total, screen.start + screen.count);
  for (const [index, element] of pool) {
    if (index < screen.start || index >= end) { element.remove(); pool.delete(index); }
  }
  for (let index = screen.start; index < end; index++) {
    let element = pool.get(index);
    if (!element) {
      element = makeRow(index);
      pool.set(index, element);
      list.append(element);
    }
    drawRow(element, page.rows.get(index), index);
  }
  const selected = pool.get(page.selectedIndex);
  if (selected) list.setAttribute("aria-activedescendant", selected.id); else list.removeAttribute("aria-activedescendant");
}

function makeRow(index) {
  const element = make("div", "row");
  element.id = `row-${index}`;
  element.role = "treeitem";
  element.style.transform = `translateY(${index * rowHeight}px)`;
  const cells = element.cells = {
    twist: make("span", "twist", "▶"), label: make("span", "label"), isNew: make("span", "badge new", "new"),
    waiting: make("span", "badge"), findings: make("span", "badge warn"), text: make("span", "text"),
    count: make("span", "number"), rate: make("span", "number mark-out"), received: make("span", "number narrow-out"),
    last: make("span", "number wide-only"), change: make("span", "number mark-only"),
  };
  cells.twist.setAttribute("aria-hidden", "true");
  const name = make("span", "name", cells.twist, cells.label, cells.findings, cells.isNew);
  element.append(name, cells.count, cells.rate, cells.received, cells.last, cells.change, make("span", "more", cells.waiting, cells.text));
  element.addEventListener("click", (event) => {
    select(index);
    const row = page.rows.get(index);
    if (row && event.target === cells.twist) toggle(row); else openRow(row);
  });
  element.addEventListener("dblclick", () => toggle(page.rows.get(index)));
  return element;
}

function drawRow(element, row, index) {
  const { cells } = element;
  element.ariaSelected = String(index === page.selectedIndex);
  element.ariaPosInSet = String(index + 1);
  element.ariaSetSize = String(page.total);
  if (!row) {
    if (element.shownRow !== null) {
      element.shownRow = null;
      element.className = "row";
      for (const cell of Object.values(cells)) if (cell !== cells.twist && cell !== cells.isNew) setText(cell, "");
      for (const cell of [cells.isNew, cells.waiting, cells.findings]) cell.hidden = true;
      cells.twist.style.visibility = "hidden";
      setText(cells.label, "…");
    }
    return;
  }
  const isPlace = row.place != null;
  if (element.shownRow !== row) {
    element.shownRow = row;
    const isGone = isPlace && row.count === 0;
    element.className = `row${isPlace ? "" : " is-stream"}${row.findings ? " has-finding" : ""}${isGone ? " is-gone" : ""}`;
    element.ariaLevel = isPlace ? "1" : "2";
    if (row.isExpanded == null) element.removeAttribute("aria-expanded"); else element.ariaExpanded = String(row.isExpanded);
    cells.twist.style.visibility = row.isExpanded == null ? "hidden" : "visible";
    cells.label.classList.toggle("place", isPlace);
    cells.isNew.hidden = !row.isNew;
    cells.waiting.hidden = !row.waiting;
    setText(cells.waiting, row.waiting ? `${number(row.waiting)} waiting` : "");
    cells.findings.hidden = !row.findings;
    setText(cells.findings, row.findings ? `▲ ${row.findings > 1 ? row.findings : ""}` : "");
    element.title = [row.place, row.text].filter(Boolean).join("\n");
    setText(cells.count, isPlace ? number(row.count) : "");
    setText(cells.rate, perSecond(row.rate));
    setText(cells.received, number(row.received));
    drawChange(cells.change, row.change, isPlace);
  }
  // Times go on without the server.
  const age = duration(page.time - row.began) === "now" ? "just begun" : `${duration(page.time - row.began)} old`;
  setText(cells.label, [row.place, row.name, isPlace ? null : age].filter(Boolean).join(" · "));
  setText(cells.last, ago(row.last));
  setText(cells.text, row.text ?? (!isPlace ? "" : row.count === 0 ? "all have ended" : `oldest began ${ago(row.began)}`));
}

function drawChange(cell, change, isPlace) {
  const key = JSON.stringify(change ?? null);
  if (cell.shownChange === key) return;
  cell.shownChange = key;
  cell.shownText = undefined;
  cell.replaceChildren();
  if (!change) return;
  if (isPlace && change.began) cell.append(make("span", "plus", `+${number(change.began)} `));
  if (isPlace && change.ended) cell.append(make("span", "minus", `−${number(change.ended)} `));
  if (change.received) cell.append(`${compact.format(change.received)} v`);
  if (!cell.hasChildNodes()) cell.append("=");
}

let isScrolling = false;
list.addEventListener("scroll", () => {
  if (isScrolling) return;
  isScrolling = true;
  requestAnimationFrame(() => {
    isScrolling = false;
    drawList();
    wantRows();
  });
}, { passive: true });
new ResizeObserver(() => { drawList(); wantRows(); }).observe(list);

/** Requests the rows around those on screen, when others are there than those that were requested. */
let wanting = 0;
function wantRows() {
  const screen = screenWindow();
  if (screen.start === view.screen.start && screen.count === view.screen.count) return;
  const end = screen.start + screen.count;
  const isMissing = screen.start < view.rows.start || Math.min(end, page.total) > view.rows.start + view.rows.count;
  clearTimeout(wanting);
  // The trees of rows that are only passing by are not worth reading.
  wanting = setTimeout(() => {
    const start = Math.max(0, screen.start - overscan);
    changeView({ screen, rows: { start, count: Math.min(200, end + overscan - start) } });
  }, isMissing ? 30 : 150);
}

function select(index) {
  if (page.total === 0) return;
  page.selectedIndex = Math.max(0, Math.min(page.total - 1, index));
  const top = page.selectedIndex * rowHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + rowHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + rowHeight - list.clientHeight;
  drawList();
  // Rows that are on their way name the row that was selected before. They are of an older version from here on.
  changeView({ selected: page.rows.get(page.selectedIndex)?.key ?? null });
  wantRows();
}

function toggle(row, isExpanded = !row?.isExpanded) {
  if (row?.isExpanded == null || row.isExpanded === isExpanded) return;
  // The last fifty places that were expanded stay so.
  const expanded = view.expanded.filter((place) => place !== row.place);
  changeView({ expanded: isExpanded ? [...expanded, row.place].slice(-50) : expanded, selected: row.key });
}

function openRow(row) {
  if (!row) return;
  openKey(row.place != null && row.stream ? row.stream : row.key, row.key);
}

function openKey(key, selected = view.selected) {
  if (view.open === key) return;
  page.history = [];
  page.tree = null;
  changeView({ open: key, selected });
}

function close() {
  changeView({ open: null });
  if (page.summary) showOverview(page.summary);
  list.focus();
}

// MARK: Keyboard

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  const isTyping = target.matches("input[type=search], select");
  if (event.key === "Escape") {
    if (target === $("filter")) {
      if (target.value) { target.value = ""; changeView({ filter: "" }); } else list.focus();
    } else if (view.open) close();
    return event.preventDefault();
  }
  if (target === $("filter") && (event.key === "ArrowDown" || event.key === "Enter")) { list.focus(); return event.preventDefault(); }
  if (isTyping) return;
  if (event.key === "/") { $("filter").focus(); $("filter").select(); return event.preventDefault(); }
  if (event.key === "m") { mark(); return event.preventDefault(); }
  if (target.closest("#detail")) return moveInDetail(event);
  if (target.matches("button, input")) return;
  const row = page.rows.get(page.selectedIndex), screen = Math.max(1, Math.floor(list.clientHeight / rowHeight) - 1);
  const moves = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: screen, PageUp: -screen, Home: -Infinity, End: Infinity };
  if (event.key in moves) {
    if (document.activeElement !== list) list.focus();
    select(page.selectedIndex + moves[event.key]);
  } else if (event.key === "Enter") {
    openRow(row);
  } else if (event.key === "ArrowRight" || event.key === " ") {
    if (event.key === "ArrowRight" && row?.isExpanded) select(page.selectedIndex + 1); else toggle(row);
  } else if (event.key === "ArrowLeft") {
    if (row?.isExpanded) toggle(row);
    else if (row && row.place == null) {
      for (let index = page.selectedIndex; index >= 0; index--) {
        if (page.rows.get(index)?.place != null) { select(index); break; }
      }
    }
  } else return;
  event.preventDefault();
});

function moveInDetail(event) {
  const items = [...$("detail").querySelectorAll("[role=treeitem]")];
  const current = items.indexOf(document.activeElement?.closest("[role=treeitem]"));
  const moves = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, Home: -Infinity, End: Infinity };
  if (!(event.key in moves) || items.length === 0) return;
  const next = items[Math.max(0, Math.min(items.length - 1, current + moves[event.key]))];
  for (const item of items) item.tabIndex = item === next ? 0 : -1;
  next.focus();
  event.preventDefault();
}

// MARK: Overview

const overviewKey = (summary) => JSON.stringify([summary.findings, summary.isObserving]);

function showOverview(summary) {
  page.shown = "overview";
  page.overview = overviewKey(summary);
  const detail = $("detail");
  const findings = [...summary.findings].reverse();
  const parts = [make("div", "title", make("h2", "", findings.length ? plural(findings.length, "finding") : "No findings"))];
  if (!summary.isObserving) parts.push(make("p", "finding", "Streams aren't being observed any more. Those that begin now aren't listed."));
  if (findings.length === 0) {
    parts.push(make("p", "quiet", "Nothing that goes wrong over time has been seen while a page was open: no queue that keeps growing, no values without demand, no delivery that lasts."));
  }
  for (const finding of findings) {
    const meta = make("p", "meta");
    if (finding.count > 1) meta.append(`${finding.count} times  `);
    if (finding.place) meta.append(button(finding.place, "link place", () => openKey("p" + finding.place)));
    if (finding.time != null) meta.append(`  found ${ago(finding.time)}`);
    parts.push(make("div", "finding", finding.text, meta));
  }
  page.detail = { history: makeHistory(["streams", "live streams", number], ["rate", "values/s", perSecond]) };
  parts.push(make("h3", "", "The last minute"), page.detail.history);
  drawHistory(page.detail.history, page.minute);
  parts.push(make("h3", "", "How to read this"));
  const steps = make("ul", "steps");
  for (const text of [
    "Each line of the list is a place in your code, with the streams that it began and that are alive. Open one to see its tree: what waits, where, and for what.",
    "To find a leak, mark this moment, use the program, and look at the places where more streams have begun than ended.",
    "Values are counted, never shown.",
  ]) steps.append(make("li", "", text));
  parts.push(steps);
  detail.replaceChildren(...parts);
}

function title(text, isPlace) {
  const heading = make("h2", isPlace ? "place" : "", text);
  const closing = button("Close", "close", close);
  closing.setAttribute("aria-keyshortcuts", "Escape");
  return make("div", "title", heading, closing);
}

function facts(...pairs) {
  const element = make("dl", "facts");
  element.values = pairs.map(([name]) => {
    const value = make("dd");
    element.append(make("div", "", make("dt", "", name), value));
    return value;
  });
  element.update = (texts) => texts.forEach((text, index) => setText(element.values[index], text));
  element.update(pairs.map(([, text]) => text));
  return element;
}

// MARK: A place

function receivePlace(detail) {
  if (detail.key !== view.open) return;
  const texts = [
    ["live streams", number(detail.count)], ["values/s", perSecond(detail.rate)], ["values", number(detail.received)],
    ["oldest began", ago(detail.oldest)], ["newest began", ago(detail.newest)], ["last value", ago(detail.last)],
  ];
  if (detail.change) texts.push(["since mark", `+${number(detail.change.began)} −${number(detail.change.ended)}`]);
  const kind = `${detail.key} ${texts.length}`;
  if (page.shown !== kind) {
    page.shown = kind;
    page.history = [];
    page.detail = {
      facts: facts(...texts), heading: make("h3"), causes: make("table", "causes"),
      history: makeHistory(["streams", "live streams", number], ["rate", "values/s", perSecond]),
    };
    $("detail").replaceChildren(title(detail.place, true), page.detail.facts, page.detail.history, page.detail.heading, page.detail.causes);
  }
  remember(page.history, detail.time, { streams: detail.count, rate: detail.rate });
  drawHistory(page.detail.history, page.history);
  page.detail.facts.update(texts.map(([, text]) => text));
  setText(page.detail.heading, detail.count === 0 ? "All streams of this place have ended."
    : detail.read < detail.count ? `What ${number(detail.read)} of ${plural(detail.count, "stream")} do` : "What the streams do");
  const key = JSON.stringify(detail.causes);
  if (page.detail.key === key) return;
  page.detail.key = key;
  // A button that has the focus stays.
  const rows = page.detail.causes.rows;
  detail.causes.forEach((cause, index) => {
    let row = rows[index];
    if (!row) {
      row = page.detail.causes.insertRow();
      row.link = button("", "link", () => openKey(row.stream));
      row.sentence = make("span");
      row.insertCell().append(row.link);
      row.insertCell().append(row.sentence);
    }
    row.stream = cause.stream;
    setText(row.link, plural(cause.count, "stream"));
    row.sentence.className = cause.isFinding ? "warn" : "";
    setText(row.sentence, `${cause.isFinding ? "▲ " : ""}${cause.text}`);
  });
  while (rows.length > detail.causes.length) page.detail.causes.deleteRow(-1);
}

// MARK: A stream

function receiveTree(tree) {
  if (tree.key !== view.open) return;
  if (page.shown !== tree.key) {
    page.shown = tree.key;
    page.tree = null;
    const detail = page.detail = {
      key: tree.key, facts: facts(["values/s", ""], ["values", ""], ["began", ""], ["last value", ""]), diagnosis: make("p", "diagnosis"),
      findings: make("div"), parts: make("div", "parts"), heading: title(tree.place ?? "This stream", !!tree.place),
      history: makeHistory(["rate", "values/s", perSecond]),
    };
    $("detail").replaceChildren(detail.heading, detail.facts, detail.history, detail.diagnosis, detail.findings, make("h3", "", "From the sink up to the sources"), detail.parts);
  }
  $("detail").classList.toggle("is-ended", tree.hasEnded);
  const { detail } = page;
  if (tree.hasEnded) {
    detail.diagnosis.className = "diagnosis ended";
    detail.findings.replaceChildren();
    setText(detail.diagnosis, page.tree
      ? `This stream has ended. Below is what it last was, ${ago(page.tree.time)}.` : "This stream has ended.");
    return;
  }
  const seconds = page.tree ? (tree.time - page.tree.time) / 1000 : 0;
  const before = page.tree;
  if (!before || seconds > 0) page.tree = tree;
  detail.facts.update([perSecond(tree.rate), number(tree.received), ago(tree.began), ago(tree.last)]);
  remember(page.history, tree.time, { rate: tree.rate });
  drawHistory(detail.history, page.history);
  const { inspection } = tree;
  detail.diagnosis.className = "diagnosis";
  detail.diagnosis.hidden = inspection.findings.length > 0;
  setText(detail.diagnosis, tree.text);
  const findings = JSON.stringify(inspection.findings);
  if (detail.shownFindings !== findings) {
    detail.shownFindings = findings;
    detail.findings.replaceChildren(...inspection.findings.map((finding) => {
      const text = make("div", "finding", finding.text);
      if (finding.place && !finding.text.includes(finding.place)) text.append(make("p", "meta place", finding.place));
      return text;
    }));
  }
  drawParts(detail, inspection, seconds > 0 ? before.inspection : null, seconds);
}

/** The parts keep their elements while they have the same shape. */
function drawParts(detail, inspection, before, seconds) {
  const shape = JSON.stringify(inspection.parts.map((part) => [part.id, part.name, part.place, part.upstreams.map((up) => [up.role, up.operators, up.part])]));
  if (detail.shape !== shape) {
    detail.shape = shape;
    detail.elements = new Map();
    const tree = make("ul", "tree");
    tree.role = "tree";
    tree.ariaLabel = "Parts of the stream";
    addPart(detail, inspection, tree, 0, null, 1, new Set());
    const first = tree.querySelector("[role=treeitem]");
    if (first) first.tabIndex = 0;
    detail.parts.replaceChildren(tree);
    if (inspection.isTruncated) detail.parts.append(make("p", "quiet", "… and more parts, which aren't read."));
  }
  const old = new Map(before?.parts.map((part) => [part.id, part]));
  for (const [index, element] of detail.elements) {
    const part = inspection.parts[index];
    if (part) drawPart(element, part, inspection.findings.filter((finding) => finding.part === index), old.get(part.id), seconds);
  }
  for (const flow of detail.parts.querySelectorAll(".flow")) drawFlow(flow, inspection);
}

function addPart(detail, inspection, parent, index, upstream, level, written) {
  while (true) {
    const part = inspection.parts[index];
    const item = make("li");
    item.role = "treeitem";
    item.ariaLevel = String(level);
    item.tabIndex = -1;
    if (upstream?.up.role) item.append(make("span", "branch-role", upstream.up.role));
    if (upstream) {
      const flow = make("div", "flow");
      flow.from = upstream.from;
      flow.number = upstream.number;
      item.append(flow);
    }
    parent.append(item);
    if (written.has(index)) {
      item.append(make("div", "part quiet", `${part.name} (see above)`));
      return;
    }
    written.add(index);
    const element = makePart(part);
    detail.elements.set(index, element);
    item.append(element);
    const ups = part.upstreams;
    if (ups.length === 1 && !ups[0].role) {
      upstream = { up: ups[0], from: index, number: 0 };
      index = ups[0].part;
      continue;
    }
    if (ups.length > 0 && level < 50) {
      const group = make("ul");
      group.role = "group";
      item.append(group);
      item.ariaExpanded = "true";
      ups.forEach((up, number) => addPart(detail, inspection, group, up.part, { up, from: index, number }, level + 1, written));
    }
    return;
  }
}

function makePart(part) {
  const element = make("div", "part");
  const cells = element.cells = {
    number: make("span", "number quiet"), states: make("div", "states"), queue: make("div", "queue"),
    fill: make("div", "fill"), waiting: make("span"), notes: make("div", "note"),
  };
  const head = make("div", "head", make("b", "", part.name));
  if (part.place) head.append(make("span", "place quiet", part.place));
  head.append(cells.number);
  cells.queue.append(make("div", "track", cells.fill), cells.waiting);
  element.append(head, cells.states, cells.queue, cells.notes);
  return element;
}

function drawPart(element, part, findings, before, seconds) {
  const { cells } = element;
  const count = part.count ?? null;
  const rate = before?.count != null && count != null && seconds > 0 ? (count - before.count) / seconds : null;
  element.className = `part${findings.length ? " has-finding" : ""}${rate > 0 || part.isDelivering ? " is-active" : ""}`;
  const verb = part.kind === "sink" ? "received" : "sent";
  const numbers = [];
  if (part.received != null && part.kind !== "sink") numbers.push(`${number(part.received)} in`);
  if (count != null) numbers.push(part.received != null && part.kind !== "sink" ? `${number(count)} out` : `${verb} ${number(count)}`);
  if (rate) numbers.push(`${perSecond(rate)}/s`);
  setText(cells.number, numbers.join("   "));
  const states = part.states.join("\n");
  if (element.shownStates !== states) {
    element.shownStates = states;
    // What the bar below says needn't be repeated.
    const others = part.states.filter((state) => state !== `${part.waiting} of ${part.bound} are waiting` && !/^\d+ values? (is|are) waiting$/.test(state));
    cells.states.replaceChildren(...others.map(drawState));
  }
  const bound = part.bound ?? null, size = bound ?? part.mostWaiting ?? null;
  cells.queue.hidden = !(part.waiting > 0 || bound);
  cells.queue.classList.toggle("is-full", bound != null && part.waiting >= bound);
  // Without a bound, the bar is on a logarithmic scale up to a hundred thousand.
  const fill = bound ? part.waiting / bound : Math.log10(part.waiting + 1) / 5;
  cells.fill.style.transform = `scaleX(${Math.min(1, fill).toFixed(3)})`;
  setText(cells.waiting, bound ? `${number(part.waiting)} of ${number(bound)} waiting` : `${number(part.waiting)} waiting, no bound${size > part.waiting ? `, at most ${number(size)} before` : ""}`);
  cells.notes.hidden = findings.length === 0;
  setText(cells.notes, findings.map((finding) => `▲ ${finding.text}${finding.place && !finding.text.includes(finding.place) ? ` (${finding.place})` : ""}`).join(" "));
}

/** A state in words, with a bar if it's the number of values that a side has. */
function drawState(state) {
  const match = /^(.+ has) (\d+|none)$/.exec(state);
  if (!match) return make("span", "", state);
  const bar = make("i");
  bar.style.setProperty("--fill", Math.min(1, Math.log10((Number(match[2]) || 0) + 1) / 5).toFixed(3));
  return make("span", "side", state, bar);
}

function drawFlow(element, inspection) {
  const up = inspection.parts[element.from]?.upstreams[element.number];
  if (!up) return;
  const names = up.operators.map((name, index) => {
    const flow = up.flows?.[index];
    return flow ? `${name}  ${number(flow.received)} in, ${number(flow.sent)} out` : name;
  }).reverse();
  const wants = up.demand?.values ? `wants ${up.demand.values._0 === 0 ? "none" : number(up.demand.values._0)}` : "";
  const key = JSON.stringify([names, wants, up.count]);
  if (element.shownKey === key) return;
  element.shownKey = key;
  const texts = [up.count != null ? `${plural(up.count, "value")}` : "", wants].filter(Boolean).join(", ");
  element.replaceChildren(...names.map((name) => make("code", "", name)), texts);
}

const svg = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);

/** Keeps what was counted in the last minute. */
function remember(history, time, counted) {
  if (history.length && history.at(-1).time >= time) return;
  history.push({ time, ...counted });
  while (history[0].time < time - 60000) history.shift();
}

/** A chart for each number that's remembered: its name in the history, its title, and how it's written. */
function makeHistory(...numbers) {
  const element = make("div", "history");
  element.charts = numbers.map(([name, text, write]) => {
    const chart = svg("svg");
    chart.setAttribute("viewBox", "0 0 60 20");
    chart.setAttribute("preserveAspectRatio", "none");
    chart.setAttribute("role", "img");
    const base = svg("line");
    for (const [key, value] of Object.entries({ x1: 0, x2: 60, y1: 19.5, y2: 19.5 })) base.setAttribute(key, value);
    chart.append(base, svg("polyline"));
    const legend = make("figcaption");
    element.append(make("figure", "", chart, legend));
    return { name, text, write, chart, legend };
  });
  return element;
}

function drawHistory(element, history) {
  for (const { name, text, write, chart, legend } of element.charts) {
    const counted = history.filter((moment) => moment[name] != null);
    if (counted.length === 0) continue;
    const values = counted.map((moment) => moment[name]);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const now = counted.at(-1).time;
    chart.lastChild.setAttribute("points", counted.map((moment) =>
      `${(60 - (now - moment.time) / 1000).toFixed(2)},${(19 - 17 * moment[name] / Math.max(1, most)).toFixed(2)}`).join(" "));
    const span = duration(now - counted[0].time);
    const words = `${text} ${span === "now" ? "now" : `in the last ${span}`}: ${write(least)} to ${write(most)}, now ${write(values.at(-1))}`;
    chart.setAttribute("aria-label", words);
    setText(legend, words);
  }
}

list.focus({ preventScroll: true });
const first = screenWindow();
Object.assign(view, { screen: first, rows: { start: 0, count: Math.min(200, first.count + overscan) } });
connect();
