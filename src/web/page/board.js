// The board: South's pits A to F below, North's f to a above, each a button.
import {say, seeds, signed} from './words.js';

const SVG = 'http://www.w3.org/2000/svg';

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'class') made.className = value;
    else if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Seeds as dots in a spiral, as sunflowers have them. */
function drawSeeds(count) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '-50 -50 100 100');
  svg.setAttribute('aria-hidden', 'true');
  const step = count <= 4 ? 17 : count <= 12 ? 12.5 : 6.6;
  for (let k = 0; k < count; ++k) {
    const radius = count === 1 ? 0 : step * Math.sqrt(k + 0.5), angle = 2.39996 * k;
    const dot = document.createElementNS(SVG, 'circle');
    dot.setAttribute('cx', (radius * Math.cos(angle)).toFixed(1));
    dot.setAttribute('cy', (radius * Math.sin(angle)).toFixed(1));
    dot.setAttribute('r', count <= 12 ? 8 : 5);
    svg.append(dot);
  }
  return svg;
}

/** "win", "draw" or "loss" for the mover, by the result and not the value. */
export const standing = (lead) => (lead > 0 ? 'win' : lead < 0 ? 'loss' : 'draw');

function pitButton(side, pit, count, move, advised, play) {
  const letter = String.fromCharCode((side === 'first' ? 65 : 97) + pit);
  const button = element('button', {type: 'button', class: 'pit', id: `pit-${letter}`});
  button.append(element('span', {class: 'letter', 'aria-hidden': 'true'}, letter), drawSeeds(count));
  button.append(element('span', {class: 'number', 'aria-hidden': 'true'}, String(count)));
  let spoken = `${letter}, ${say(side === 'first' ? 'south' : 'north')}, ${seeds(count)}`;
  if (move?.legal) {
    button.classList.add('playable');
    button.addEventListener('click', () => play(letter));
    if (advised) {
      const text = move.text ?? '?';
      button.append(element('span', {class: `value ${move.standing ?? ''}`, 'aria-hidden': 'true'}, move.best ? `★ ${text}` : text));
      spoken += `, ${say('value')} ${text}${move.best ? `, ${say('best')}` : ''}`;
    }
  } else {
    button.setAttribute('aria-disabled', 'true'); // not disabled: it may have the focus
    if (move?.reason) spoken += `, ${say(`reason_${move.reason}`)}`;
  }
  button.append(element('span', {class: 'hidden'}, spoken));
  return button;
}

function store(side, count, turn) {
  const name = say(side === 'first' ? 'south' : 'north');
  return element('div', {class: `store ${side === 'first' ? 'south' : 'north'}${turn ? ' turn' : ''}`},
    element('span', {}, name), element('strong', {}, String(count)), element('span', {class: 'hidden'}, say('store_of', {side: name})));
}

/** The seeds of a side's pit, whoever is to move. */
export function seedsOf(situation, side, pit) {
  return situation.board[pit + (situation.to_move === side ? 0 : 6)];
}

/**
 * Shows a situation. `moves`: the six of the side to move, with `text` and `standing` of what is known; `advised`: show
 * them; `play(letter)` is called for a pit that may be played.
 */
export function showBoard(place, situation, moves, advised, last, play) {
  const focused = document.activeElement?.id ?? '';
  const table = element('div', {class: 'table'});
  const add = (side, pit) => {
    const own = situation.to_move === side;
    const button = pitButton(side, pit, seedsOf(situation, side, pit), own ? moves?.[pit] : undefined, advised, play);
    if (button.id === `pit-${last}`) button.classList.add('last');
    table.append(button);
  };
  table.append(store('second', situation.stores[1], situation.to_move === 'second'));
  for (let pit = 5; pit >= 0; --pit) add('second', pit);
  table.append(store('first', situation.stores[0], situation.to_move === 'first'));
  for (let pit = 0; pit < 6; ++pit) add('first', pit);
  place.replaceChildren(table);
  if (focused.startsWith('pit-')) document.getElementById(focused)?.focus();
}

export {signed};
