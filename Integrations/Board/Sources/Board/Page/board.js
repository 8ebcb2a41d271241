"use strict";
// Shows the readings of the last minute. They arrive as server-sent events, each of which has a batch.
const shown = 60;
const sensors = new Map();
let count = 0;
let arrivals = [];
let isStale = false;

function sensor(name) {
  let known = sensors.get(name);
  if (known) return known;
  const card = document.getElementById("sensor").content.cloneNode(true).firstElementChild;
  card.dataset.sensor = name;
  card.querySelector("h2").textContent = name;
  known = { name, card, readings: [] };
  sensors.set(name, known);
  const next = [...sensors.keys()].sort().find((other) => other > name && other !== name);
  document.getElementById("sensors").insertBefore(card, next ? sensors.get(next).card : null);
  document.getElementById("empty").hidden = true;
  return known;
}

function receive(readings) {
  for (const reading of readings) sensor(reading.sensor).readings.push(reading);
  count += readings.length;
  arrivals.push({ time: performance.now(), count: readings.length });
  if (!isStale) {
    isStale = true;
    // Draws once for all that have arrived until the next frame.
    requestAnimationFrame(draw);
  }
}

function draw() {
  isStale = false;
  for (const sensor of sensors.values()) drawSensor(sensor);
  arrivals = arrivals.filter((arrival) => arrival.time > performance.now() - 1000);
  document.getElementById("count").textContent = count.toLocaleString("en");
  document.getElementById("rate").textContent = arrivals.reduce((sum, arrival) => sum + arrival.count, 0).toLocaleString("en");
}

function drawSensor({ name, card, readings }) {
  if (!readings.length) return;
  const last = readings.at(-1);
  const begin = last.time - shown;
  const first = readings.findIndex((reading) => reading.time >= begin);
  readings.splice(0, first);
  const values = readings.map((reading) => reading.value);
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const range = highest - lowest || 1;
  const points = readings.map((reading) => {
    const x = ((reading.time - begin) / shown) * 300;
    const y = 86 - ((reading.value - lowest) / range) * 82;
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  card.querySelector(".value").textContent = last.value.toFixed(2);
  card.querySelector(".line").setAttribute("d", `M${points.join("L")}`);
  card.querySelector(".area").setAttribute("d", `M${points[0].split(" ")[0]} 90L${points.join("L")}L300 90Z`);
  card.querySelector(".lowest").textContent = `lowest ${lowest.toFixed(2)}`;
  card.querySelector(".span").textContent = `${shown} s`;
  card.querySelector(".highest").textContent = `highest ${highest.toFixed(2)}`;
  card.querySelector("svg").setAttribute(
    "aria-label", `${name}: ${last.value.toFixed(2)}, between ${lowest.toFixed(2)} and ${highest.toFixed(2)} in the last minute`);
}

const state = document.getElementById("state");
function show(text, isLost) {
  state.textContent = text;
  state.classList.toggle("lost", isLost);
}

// The browser connects again by itself, and says which event it has received last.
const events = new EventSource("readings");
events.onopen = () => show("Live", false);
events.onerror = () => show("The connection is lost. Trying again …", true);
events.onmessage = (event) => receive(JSON.parse(event.data));
// The board has more readings than it sends again.
events.addEventListener("gap", () => show("Live, without some earlier readings", false));
