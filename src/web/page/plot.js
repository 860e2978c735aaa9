// The histogram of a slice, as SVG and as a table.
import {element} from './board.js';
import {number, say, signed} from './words.js';

const SVG = 'http://www.w3.org/2000/svg';

function shape(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const kind = (value) => (value > 0 ? 'win' : value < 0 ? 'loss' : 'draw');

function shares(slice) {
  const n = slice.seeds, all = slice.positions;
  const sum = (from, to) => slice.histogram.slice(from, to).reduce((a, b) => a + b, 0);
  const percent = (count) => `${number(Math.round((1000 * count) / all) / 10)} %`;
  return {lost: percent(sum(0, n)), drawn: percent(slice.histogram[n]), won: percent(sum(n + 1))};
}

export function plot(place, slice) {
  const width = 480, height = 200, left = 8, bottom = 22, top = 8;
  const bars = slice.histogram.length, step = (width - 2 * left) / bars;
  const most = Math.max(...slice.histogram, 1);
  const svg = shape('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'});
  svg.append(shape('title', {}, `${say('plot_title', {n: slice.seeds})}: ${say('share', shares(slice))}`));
  slice.histogram.forEach((count, k) => {
    const value = k - slice.seeds, tall = ((height - bottom - top) * count) / most;
    const bar = shape('rect', {class: `bar ${kind(value)}`, x: left + k * step, y: height - bottom - tall,
      width: Math.max(step - 1, 0.5), height: tall});
    bar.append(shape('title', {}, `${signed(value)}: ${number(count)}`));
    svg.append(bar);
  });
  svg.append(shape('line', {x1: left, x2: width - left, y1: height - bottom + 0.5, y2: height - bottom + 0.5}));
  for (const value of new Set([-slice.seeds, 0, slice.seeds]))
    svg.append(shape('text', {x: left + (value + slice.seeds + 0.5) * step, y: height - 6, 'text-anchor': 'middle'}, signed(value)));
  place.replaceChildren(svg, element('p', {}, say('share', shares(slice))));
}

export function table(place, slice) {
  const head = element('tr', {}, element('th', {scope: 'col', class: 'number'}, say('value')),
    element('th', {scope: 'col', class: 'number'}, say('positions')));
  const rows = slice.histogram.map((count, k) => element('tr', {}, element('td', {class: 'number'}, signed(k - slice.seeds)),
    element('td', {class: 'number'}, number(count))));
  place.replaceChildren(element('thead', {}, head), element('tbody', {}, ...rows));
}
