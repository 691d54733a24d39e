// The operator's page: asks the server that it came from, and shows what it says.
// Whatever a row holds is put into the page as text, never as markup: `node` is the one way in.
"use strict";

const HISTORY = 120;
const moments = [];
let paused = false;
let shown = "";
let timer = 0;
let turn = 0;

/* ---- nodes ---- */

function node(name, options = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...present(children));
  return made;
}

// Children may be lists of their own, and what is not there is null.
const present = (children) => children.flat(3).filter((child) => child !== null && child !== undefined);

function svg(values, label) {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", `0 0 ${HISTORY - 1} 40`);
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", label);
  const most = Math.max(1, ...values);
  const first = HISTORY - values.length;
  const points = values.map((value, at) => `${first + at} ${(38 - (value / most) * 36).toFixed(1)}`);
  const path = document.createElementNS(space, "path");
  if (points.length > 1) path.setAttribute("d", "M" + points.join(" L"));
  picture.append(path);
  return picture;
}

function show(...children) {
  const main = document.getElementById("main");
  const focused = document.activeElement && document.activeElement.dataset.keep;
  main.replaceChildren(...present(children));
  if (focused) {
    const again = [...main.querySelectorAll("[data-keep]")].find((each) => each.dataset.keep === focused);
    if (again) again.focus();
  }
}

/* ---- words ---- */

const count = (value) => Math.round(value).toLocaleString("en");

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (value = Number(value); value >= 1024 && unit < 4; unit++) value /= 1024;
  return `${unit ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

function duration(micros) {
  micros = Number(micros);
  if (!(micros > 0)) return "0";
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 1e6) return `${(micros / 1000).toFixed(1)} ms`;
  if (micros < 120e6) return `${(micros / 1e6).toFixed(1)} s`;
  return `${(micros / 60e6).toFixed(0)} min`;
}

function uptime(seconds) {
  const [days, hours, minutes] = [seconds / 86400, (seconds / 3600) % 24, (seconds / 60) % 60].map(Math.floor);
  if (days) return `${days} d ${hours} h`;
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/* ---- the server ---- */

// The origin, as a page's own address may hold a password, which no request may.
const place = (path) => new URL(path, location.origin).href;

async function ask(name, order) {
  const mine = turn;
  const options = order
    ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(order) }
    : {};
  const answer = await fetch(place(`/api/${name}`), options);
  const said = await answer.json().catch(() => ({ error: `${answer.status} ${answer.statusText}` }));
  // Another view was chosen meanwhile: `renew` shows nothing of this one any more.
  if (!order && mine !== turn) throw new Error("outdated");
  if (said.error && !order) throw new Error(said.error);
  return said;
}

// A part's rows as objects, by their columns in small letters.
function objects(part) {
  if (!part || !part.rows) return [];
  const names = part.columns.map((name) => name.toLowerCase());
  return part.rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
}

const why = (part) => (part && part.error ? node("p", { class: "bad", role: "alert" }, part.error) : null);

/* ---- tables ---- */

// Columns: { name, value(row) to sort by, shown(row)?, number?, text? }
function table(caption, columns, rows, order) {
  let [by, down] = order || [0, true];
  const body = node("tbody");
  const heads = columns.map((column, at) => {
    const button = node("button", { type: "button", "data-keep": `${caption}/${column.name}` }, column.name);
    const head = node("th", { scope: "col", class: column.number ? "number" : null }, column.value ? button : column.name);
    button.addEventListener("click", () => {
      [by, down] = [at, by === at ? !down : true];
      fill();
    });
    return head;
  });
  function fill() {
    const value = columns[by].value;
    const sorted = [...rows];
    if (value) sorted.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
      return down ? -order : order;
    });
    heads.forEach((head, at) => {
      if (at === by && value) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    body.replaceChildren(...sorted.map((row) => node("tr", {}, columns.map((column) => {
      const cell = (column.shown || column.value)(row);
      return node("td", { class: column.number ? "number" : column.text ? "text" : null }, cell === null ? "NULL" : cell);
    }))));
  }
  fill();
  const whole = node("table", {}, node("caption", {}, rows.length ? caption : `${caption}: none`),
    node("thead", {}, node("tr", {}, heads)), body);
  return node("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, whole);
}

function filtered(caption, columns, rows, order) {
  const field = node("input", { type: "search", id: "filter", "data-keep": "filter", autocomplete: "off" });
  field.value = filters[shown] || "";
  const place = node("div");
  const fill = () => {
    filters[shown] = field.value;
    const wanted = field.value.toLowerCase();
    const chosen = rows.filter((row) => Object.values(row).some((value) => String(value).toLowerCase().includes(wanted)));
    place.replaceChildren(table(caption, columns, chosen, order));
  };
  field.addEventListener("input", fill);
  fill();
  return [node("label", { for: "filter" }, "Filter"), field, place];
}
const filters = {};

function rowsOf(part, caption) {
  if (part.error) return why(part);
  if (!part.columns) return node("p", { role: "status" }, `Done, ${part.affected || 0} rows`);
  const columns = part.columns.map((name, at) => ({ name, value: (row) => row[at] === null ? "" : row[at], shown: (row) => row[at], text: true }));
  return table(caption + (part.more ? " (cut off)" : ""), columns.map((column) => ({ ...column, value: null, shown: column.shown })), part.rows);
}

// A plan of EXPLAIN FORMAT=TREE: four spaces for each step down.
function plan(part) {
  if (part.error) return why(part);
  const lines = (part.rows || []).flatMap((row) => String(row[0]).split("\n")).filter((line) => line.trim());
  const root = node("ul", { class: "tree" });
  const open = [{ depth: -1, list: root }];
  for (const line of lines) {
    const depth = line.length - line.trimStart().length;
    while (open.length > 1 && open[open.length - 1].depth >= depth) open.pop();
    const above = open[open.length - 1];
    if (!above.list) above.item.append(above.list = node("ul"));
    const item = node("li", {}, node("code", {}, line.trim().replace(/^-> /, "")));
    above.list.append(item);
    open.push({ depth, item, list: null });
  }
  return root;
}

function dialog(title, ...children) {
  const heading = node("h2", { id: "said" }, title);
  const box = node("dialog", { "aria-labelledby": "said" }, heading, ...children,
    node("div", { class: "row" }, node("button", { type: "button", onclick: () => box.close() }, "Close")));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

/* ---- now ---- */

// The time that this part of the requests did not exceed, of counts by bucket.
function quantile(counts, bounds, part) {
  const all = counts.reduce((sum, each) => sum + each, 0);
  let seen = 0;
  for (let at = 0; at < counts.length; at++) {
    seen += counts[at];
    if (all && seen >= all * part) return bounds[at] || 2 * bounds[bounds.length - 1];
  }
  return 0;
}

const figure = (moment, name) => Number(moment.figures[name] || 0);

function perSecond(door) {
  const rates = [];
  for (let at = 1; at < moments.length; at++) {
    const [before, after] = [moments[at - 1], moments[at]];
    const passed = (after.at - before.at) / 1000;
    const name = door ? `${door.replaceAll("-", "_")}_requests` : "requests";
    rates.push(Math.max(0, figure(after, name) - figure(before, name)) / passed);
  }
  return rates;
}

function lastSecond(door) {
  const [before, after] = moments.slice(-2);
  if (!after || !after.latencies[door] || !before.latencies[door]) return [];
  return after.latencies[door].map((each, at) => Math.max(0, each - before.latencies[door][at]));
}

function meter(name, used, most) {
  const part = most > 0 ? Math.min(1, used / most) : 0;
  return node("div", { class: "card" }, node("h3", {}, name),
    node("p", {}, `${bytes(used)} of ${bytes(most)}`),
    node("progress", { max: "1", value: part.toFixed(3), "aria-label": `${name}: ${Math.round(part * 100)} percent` }));
}

function now(moment) {
  const doors = Object.keys(moment.latencies).filter((door) => !["status", "admin"].includes(door));
  const cards = doors.map((door) => {
    const name = door.replaceAll("-", "_");
    const rates = perSecond(door);
    const last = lastSecond(door);
    const of = (what) => figure(moment, `${name}_${what}`);
    const wrong = of("failed_logins") + of("refused") + of("failed") + of("connections_refused");
    return node("section", { class: "card", "aria-label": door },
      node("h3", {}, door),
      node("p", { class: "big" }, rates.length ? `${count(rates[rates.length - 1])}/s` : "…"),
      svg(rates, `${door}: requests a second, the last two minutes`),
      node("p", {}, `${count(of("connections"))} connected, ${count(of("requests"))} requests`),
      node("p", {}, `half within ${duration(quantile(last, moment.bounds, 0.5))}, 99% within ${duration(quantile(last, moment.bounds, 0.99))}`),
      node("p", { class: wrong ? "bad" : "quiet" }, `${count(wrong)} refused or failed`));
  });
  const of = (name) => figure(moment, name);
  const troubles = moment.troubles;
  show(
    node("h2", {}, "Now"),
    troubles.length
      ? node("ul", { role: "alert" }, troubles.map((each) => node("li", { class: "bad" }, each)))
      : node("p", { class: "good" }, "Writes go through, and memory and disk have room."),
    node("div", { class: "cards" }, cards),
    node("h2", {}, "Memory and disk"),
    node("div", { class: "cards" },
      meter("Of clients", of("client_memory_bytes"), of("client_memory_bytes_max")),
      meter("Row cache", of("row_cache_bytes"), of("row_cache_bytes_max")),
      meter("Analytic queries", of("query_memory_bytes"), of("query_memory_bytes_max")),
      node("div", { class: "card" }, node("h3", {}, "Disk"),
        node("p", {}, `${bytes(of("disk_free_bytes"))} free, ${of("disk_used_percent")}% used`),
        node("p", {}, `${bytes(of("store_disk_bytes"))} are the store's`))),
    node("h2", {}, "Last warnings and errors"),
    table("Lines of the log", [
      { name: "When", value: (line) => line.at, shown: (line) => new Date(line.at).toLocaleString() },
      { name: "Level", value: (line) => line.level },
      { name: "What", value: (line) => line.text, text: true },
    ], moment.lines));
}

async function renewNow() {
  const moment = await ask("now");
  moment.at = Date.now();
  moments.push(moment);
  if (moments.length > HISTORY) moments.shift();
  const of = (name) => moment.figures[name];
  document.getElementById("about").textContent =
    `${of("version")}, up ${uptime(Number(of("uptime_seconds")))}, as ${moment.user}${paused ? ", paused" : ""}`;
  return moment;
}

/* ---- the other views ---- */

async function explain(database, sql) {
  const part = await ask("console", { sql, database: database || "", explain: true });
  dialog("Plan and sample", node("h3", {}, "Sample"), node("pre", {}, sql), node("h3", {}, "Plan"), plan(part));
}

async function statements() {
  const said = await ask("statements");
  const rows = objects(said.statements);
  // Picoseconds.
  const time = (name) => ({ value: (row) => Number(row[name]), shown: (row) => duration(Number(row[name]) / 1e6), number: true });
  const number = (name) => ({ value: (row) => Number(row[name]), shown: (row) => count(row[name]), number: true });
  show(node("h2", {}, "Statements"), why(said.statements), filtered("Statements by the time they took; a column's name sorts", [
    { name: "Statement", value: (row) => row.digest_text || "", text: true },
    { name: "Times", ...number("count_star") },
    { name: "In all", ...time("sum_timer_wait") },
    { name: "Average", ...time("avg_timer_wait") },
    { name: "99%", ...time("quantile_99") },
    { name: "Errors", ...number("sum_errors") },
    { name: "Rows looked at", ...number("sum_rows_examined") },
    { name: "Rows sent", ...number("sum_rows_sent") },
    { name: "Changed", ...number("sum_rows_affected") },
    { name: "Plan", shown: (row) => row.query_sample_text
      ? node("button", { type: "button", onclick: () => explain(row.schema_name, row.query_sample_text),
        "aria-label": `Plan and sample of ${(row.digest_text || "").slice(0, 60)}` }, "Plan")
      : "" },
  ], rows, [2, true]));
}

async function kill(id, query) {
  if (!confirm(query ? `End the statement of connection ${id}?` : `End connection ${id}? Its open transaction is rolled back.`)) return;
  const said = await ask("kill", { id: Number(id), query });
  if (said.error) dialog("Not ended", node("p", { class: "bad" }, said.error));
  renew();
}

const ends = (id, query) => node("button", { type: "button", class: "end", "data-keep": `kill ${query} ${id}`,
  onclick: () => kill(id, query), "aria-label": query ? `End statement of connection ${id}` : `End connection ${id}` },
query ? "End statement" : "End connection");

function person(row) {
  const last = row.last ? ["does nothing now, with a transaction open for ", `${row.open} s, and did last `,
    node("code", {}, row.last.slice(0, 300))] : ["does nothing now"];
  return [node("strong", {}, `${row.id} ${row.user}@${row.host}`), " ",
    ...(row.info ? [node("code", {}, row.info.slice(0, 300))] : last),
    ` ${row.state || row.command}, ${row.time} s `, ends(row.id, false)];
}

async function waiting() {
  const said = await ask("waiting");
  const people = new Map(objects(said.connections).map((row) => [row.id, row]));
  for (const last of objects(said.last)) {
    const row = people.get(last.thread_id);
    if (row) Object.assign(row, { last: last.sql_text, open: Number(last.seconds) });
  }
  const waits = [...objects(said.waits), ...objects(said.definitions)].filter((wait) => people.has(wait.requesting_thread_id) && people.has(wait.blocking_thread_id));
  const behind = (id, above) => {
    const those = waits.filter((wait) => wait.blocking_thread_id === id && !above.includes(wait.requesting_thread_id));
    return those.length ? node("ul", {}, those.map((wait) => wait.requesting_thread_id)
      .map((one) => node("li", {}, person(people.get(one)), behind(one, [...above, one])))) : null;
  };
  const waiters = new Set(waits.map((wait) => wait.requesting_thread_id));
  const holders = [...new Set(waits.map((wait) => wait.blocking_thread_id))].filter((id) => !waiters.has(id));
  const others = [...people.values()].filter((row) => /^Waiting/.test(row.state || "") && !waiters.has(row.id));
  show(node("h2", {}, "Who waits for whom"), why(said.connections), why(said.waits), why(said.definitions), why(said.last),
    holders.length ? node("ul", { class: "tree" }, holders.map((id) => node("li", {}, person(people.get(id)), behind(id, [id])))) : null,
    others.length ? [node("p", {}, "These wait, and it is not told for whom:"),
      node("ul", { class: "tree" }, others.map((row) => node("li", {}, person(row))))] : null,
    holders.length || others.length ? null : node("p", { class: "good" }, "Nobody waits."),
    node("h2", {}, "Connections"),
    filtered("Connections of SQL", [
      { name: "Id", value: (row) => Number(row.id), number: true },
      { name: "User", value: (row) => `${row.user}@${row.host}` },
      { name: "Database", value: (row) => row.db || "" },
      { name: "Does", value: (row) => row.state || row.command },
      { name: "Seconds", value: (row) => Number(row.time), number: true },
      { name: "Memory", value: (row) => Number(row.memory_used), shown: (row) => bytes(row.memory_used), number: true },
      { name: "Statement", value: (row) => row.info || (row.last ? `last: ${row.last}` : ""), text: true },
      { name: "End", shown: (row) => row.info ? ends(row.id, true) : ends(row.id, false) },
    ], [...people.values()], [4, true]));
}

// What tables had on disk when this page saw them first, by name: growth is since then.
const firstSizes = new Map();

function grown(row) {
  const bytesNow = Number(row.data_length) + Number(row.index_length);
  const name = `${row.table_schema}.${row.table_name}`;
  if (!firstSizes.has(name)) firstSizes.set(name, bytesNow);
  return bytesNow - firstSizes.get(name);
}

async function tables() {
  const said = await ask("tables");
  const size = (name) => ({ value: (row) => Number(row[name]), shown: (row) => bytes(row[name]), number: true });
  show(node("h2", {}, "Tables"), why(said.tables), filtered("Tables by their size on disk", [
    { name: "Table", value: (row) => `${row.table_schema}.${row.table_name}` },
    { name: "Engine", value: (row) => row.engine || "" },
    { name: "Rows", value: (row) => Number(row.table_rows), shown: (row) => count(row.table_rows), number: true },
    { name: "Rows' size", ...size("data_length") },
    { name: "Keys' size", ...size("index_length") },
    { name: "Uncompressed", ...size("plain_length") },
    { name: "Grown since the page was opened", value: grown, number: true,
      shown: (row) => (grown(row) < 0 ? "-" : "") + bytes(Math.abs(grown(row))) },
  ], objects(said.tables), [3, true]),
  node("h2", {}, "Hot keys"), why(said.hot_keys),
  table("Keys that much of what is asked by key is for, these seconds", [
    { name: "Table", value: (row) => `${row.table_schema}.${row.table_name}` },
    { name: "Key", value: (row) => `${row.index_name} ${row.key_values}`, text: true },
    { name: "Of all look-ups by key", value: (row) => Number(row.percent), shown: (row) => `${row.percent}%`, number: true },
  ], objects(said.hot_keys), [2, true]),
  node("h2", {}, "Unused keys"), why(said.unused),
  table("Keys that nobody has used since the server started", [
    { name: "Table", value: (row) => `${row.object_schema}.${row.object_name}` },
    { name: "Key", value: (row) => row.index_name },
  ], objects(said.unused), [0, false]),
  node("h2", {}, "Redundant keys"), why(said.redundant),
  table("Keys that another one begins with", [
    { name: "Table", value: (row) => `${row.table_schema}.${row.table_name}` },
    { name: "Key", value: (row) => `${row.redundant_index_name} (${row.redundant_index_columns})` },
    { name: "Is part of", value: (row) => `${row.dominant_index_name} (${row.dominant_index_columns})` },
  ], objects(said.redundant), [0, false]));
}

async function work() {
  const [said, moment] = await Promise.all([ask("work"), renewNow()]);
  const percent = (state) => /([0-9.]+) ?%/.exec(state || "");
  show(node("h2", {}, "Under way"), why(said.running),
    moment.backup ? node("p", {}, "A backup copies the state of a moment ago.") : null,
    table("Statements that run: loads and copies say how far they are", [
      { name: "Id", value: (row) => Number(row.id), number: true },
      { name: "User", value: (row) => row.user },
      { name: "Seconds", value: (row) => Number(row.time), number: true },
      { name: "State", value: (row) => row.state || "", shown: (row) => {
        const found = percent(row.state);
        return [row.state || "", found ? node("progress", { max: "100", value: found[1], "aria-label": row.state }) : ""]
          .reduce((place, each) => (place.append(each), place), node("span"));
      } },
      { name: "Statement", value: (row) => row.info || "", text: true },
      { name: "End", shown: (row) => ends(row.id, true) },
    ], objects(said.running), [2, true]),
    node("h2", {}, "Events"), why(said.events),
    table("Events", [
      { name: "Event", value: (row) => `${row.event_schema}.${row.event_name}` },
      { name: "Status", value: (row) => row.status },
      { name: "When", value: (row) => row.execute_at || `every ${row.interval_value} ${row.interval_field}` },
      { name: "Last run", value: (row) => row.last_executed || "never" },
      { name: "Failed", value: (row) => Number(row.failures), shown: (row) => `${row.failures} of ${row.runs}`, number: true },
      { name: "Last error", value: (row) => row.last_error || "", text: true },
    ], objects(said.events)));
}

async function settings() {
  const [said, variables] = await Promise.all([ask("settings"), ask("variables")]);
  show(node("h2", {}, "Settings"), filtered("Settings of the program, and where each came from", [
    { name: "Setting", value: (row) => row.name },
    { name: "Value", value: (row) => row.value },
    { name: "From", value: (row) => row.from },
  ], objects(said.settings), [0, false]),
  node("h2", {}, "Variables of SQL"), why(variables.variables),
  table("SHOW GLOBAL VARIABLES", [
    { name: "Variable", value: (row) => row.variable_name },
    { name: "Value", value: (row) => row.value },
  ], objects(variables.variables), [0, false]));
}

function consoleView() {
  const asked = node("textarea", { id: "sql", spellcheck: "false", "data-keep": "sql" });
  asked.value = filters.sql || "";
  const database = node("input", { id: "database", autocomplete: "off" });
  database.value = filters.database || "";
  const place = node("div", { role: "status" });
  const run = async (wantsPlan) => {
    [filters.sql, filters.database] = [asked.value, database.value];
    place.replaceChildren(node("p", {}, "runs…"));
    const begun = performance.now();
    const part = await ask("console", { sql: asked.value, database: database.value, explain: wantsPlan })
      .catch((error) => ({ error: error.message }));
    const took = node("p", { class: "quiet" }, `${(performance.now() - begun).toFixed(0)} ms`);
    place.replaceChildren(...[wantsPlan ? plan(part) : rowsOf(part, "Rows"), took].filter(Boolean));
  };
  asked.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run(event.shiftKey);
  });
  show(node("h2", {}, "Console"),
    node("p", { class: "quiet" }, "One query with your own rights, for ten seconds at most; it changes nothing. Ctrl+Enter runs it, Ctrl+Shift+Enter shows its plan."),
    node("label", { for: "database" }, "Database"), database,
    node("label", { for: "sql" }, "Query"), asked,
    node("div", { class: "row" },
      node("button", { type: "button", onclick: () => run(false) }, "Run"),
      node("button", { type: "button", onclick: () => run(true) }, "Explain")),
    place);
}

/* ---- which view ---- */

const VIEWS = {
  now: { every: 1000, draw: async () => now(moments[moments.length - 1]) },
  statements: { every: 0, draw: statements },
  waiting: { every: 2000, draw: waiting },
  tables: { every: 0, draw: tables },
  work: { every: 1000, draw: work },
  settings: { every: 0, draw: settings },
  console: { every: 0, draw: async () => consoleView() },
};

async function renew() {
  clearTimeout(timer);
  const mine = ++turn;
  const view = VIEWS[shown];
  try {
    if (shown === "now" || !moments.length) await renewNow().catch((error) => {
      if (shown !== "console") throw error;
      document.getElementById("about").textContent = error.message;
    });
    if (mine !== turn) return;
    await view.draw();
  } catch (error) {
    if (mine !== turn) return;
    show(node("h2", {}, "No answer"), node("p", { class: "bad", role: "alert" }, error.message));
  }
  if (mine === turn) {
    document.body.dataset.drawn = shown;
    if (view.every || document.querySelector("[role=alert]")) timer = setTimeout(again, view.every || 5000);
  }
}

// Not while something is read, typed or chosen.
function again() {
  const busy = paused || document.hidden || document.querySelector("dialog")
    || (document.activeElement && document.activeElement.id === "filter") || !getSelection().isCollapsed;
  if (busy) timer = setTimeout(again, 1000);
  else renew();
}

function choose() {
  const wanted = location.hash.slice(1);
  if (wanted === "main") return;
  shown = VIEWS[wanted] ? wanted : "now";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${shown}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${document.querySelector("nav a[aria-current]").textContent} – Rowhouse`;
  renew();
}

addEventListener("hashchange", choose);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
  const link = document.querySelectorAll("nav a")[Number(event.key) - 1];
  if (link) {
    location.hash = link.hash;
    document.getElementById("main").focus({ preventScroll: true });
  } else if (event.key === "/" && document.getElementById("filter")) {
    event.preventDefault();
    document.getElementById("filter").focus();
  } else if (event.key === "p") {
    paused = !paused;
    document.getElementById("about").textContent += paused ? ", paused" : "";
    if (!paused) renew();
  }
});
choose();
