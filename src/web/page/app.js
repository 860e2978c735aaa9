// The page: what is shown, where in the game we are, and who plays. It knows no rules; the API says what is legal.
import * as api from './api.js';
import {element, showBoard, signed, standing} from './board.js';
import * as plots from './plot.js';
import {currentLanguage, number, say, seeds, setLanguage} from './words.js';

const $ = (id) => document.getElementById(id);
const SIDES = ['first', 'second'];

let base = null; // the answer of GET database
let state = null; // the start {board: side to move first, begins, stores}, and the letters played so far in {moves}
let future = ''; // letters that were taken back
let here = null; // the answer of GET position for it
let shown = 0; // counts what was asked for, so that a late answer is dropped
let pending = null; // AbortController of what is being asked
let turn = 0; // timer of the program's next move
const who = {first: {player: 'person', level: 0, advice: true}, second: {player: 'person', level: 0, advice: true}};

const sideName = (side) => say(side === 'first' ? 'south' : 'north');
const other = (side) => (side === 'first' ? 'second' : 'first');

// ------------------------------------------------------------------------------------------------ the state

function startState() {
  const each = Math.max(1, Math.min(4, Math.floor(base.complete_up_to / 12)));
  return {board: Array(12).fill(each), stores: [0, 0], begins: 'first', moves: ''};
}

/** A board alone as a state: nothing captured, but under majority-slam, which knows games of 48 seeds only, evenly. */
function stateOfBoard(board) {
  const captured = base.rules === 'majority-slam' ? 48 - board.reduce((a, b) => a + b, 0) : 0;
  return {board, stores: [Math.floor(captured / 2), Math.ceil(captured / 2)], begins: 'first', moves: ''};
}

/** The state that the address describes; none for an address without one. */
function stateOfAddress() {
  const query = new URLSearchParams(location.search);
  if (!query.has('board')) return null;
  const numbers = (text) => text.split(',').map((part) => (/^\d+$/.test(part) ? Number(part) : NaN));
  return {board: numbers(query.get('board')), stores: numbers(query.get('stores') ?? '0,0'), begins: query.get('begins') ?? 'first',
    moves: query.get('moves') ?? ''};
}

function remember(replace) {
  const address = `/?${api.queryOf(state)}`;
  if (replace) history.replaceState(null, '', address);
  else if (address !== location.pathname + location.search) history.pushState(null, '', address);
}

function notice(text) {
  $('notice').textContent = text;
  $('notice').hidden = !text;
}

function explain(error) {
  if (error.name === 'AbortError') return;
  notice(error.code === 'offline' ? say('offline') : say('problem', {detail: error.detail ?? error.message}));
}

/** Goes to a state, if the API takes it, and shows it. */
async function go(next, {redo = '', replace = false, address = false} = {}) {
  clearTimeout(turn);
  pending?.abort();
  pending = new AbortController();
  const mine = ++shown;
  let answer;
  try {
    answer = await api.position(next, pending.signal);
  } catch (error) {
    if (mine !== shown) return;
    if (!address) return explain(error);
    await go(startState(), {replace: true});
    return notice(say('bad_address', {detail: error.detail ?? ''}));
  }
  if (mine !== shown) return;
  state = next;
  future = redo;
  here = answer;
  notice('');
  remember(replace);
  render();
  await Promise.all([showList(mine), search(mine)]);
}

// ---------------------------------------------------------------------------------------------- what is shown

/** A value, or, of an outcome database, what it is at least or at most. */
const valueWords = (value, bound) => (bound ? say(bound, {value: signed(value)}) : signed(value));

/** "win", "draw" or "loss", if that is certain: beyond a bound the result may be another. */
function certainly(ahead, bound) {
  const result = standing(ahead);
  const beyond = {at_least: 'win', at_most: 'loss'}[bound];
  return !bound || result === beyond ? result : undefined;
}

/** What is known of a move, in words: its text, its standing, and whether it is a best one. */
function digest(move) {
  if (!move.legal) return;
  if (move.value !== null) {
    move.text = valueWords(move.value, move.bound);
    move.standing = certainly(move.lead, move.repeats ? null : move.bound);
  } else if (move.proven && move.proven[0] === move.proven[1]) {
    move.text = signed(move.proven[0]);
    move.standing = standing(lead() + move.proven[0]);
  } else if (move.proven) {
    move.text = move.estimate === null ? `${signed(move.proven[0])}…${signed(move.proven[1])}` : `~${move.estimate.toFixed(2)}`;
    if (lead() + move.proven[0] > 0) move.standing = 'win';
    if (lead() + move.proven[1] < 0) move.standing = 'loss';
  }
}

/** What the side to move is ahead in the stores. */
const lead = () => (here.to_move === 'first' ? 1 : -1) * (here.stores[0] - here.stores[1]);

function resultWords(ahead, bound = null) {
  const n = bound ? say('at_least', {value: seeds(Math.abs(ahead))}) : seeds(Math.abs(ahead));
  if (bound && ahead === 0) return say(bound === 'at_least' ? 'result_win_or_draw' : 'result_draw_or_loss');
  if (bound && !certainly(ahead, bound)) return '';
  return ahead > 0 ? say('result_win', {n}) : ahead < 0 ? say('result_loss', {n}) : say('result_draw');
}

function verdict() {
  if (here.outcome) {
    const {stores, winner, ending} = here.outcome;
    const parts = {side: winner ? sideName(winner) : '', stores: stores.map(number).join('–'), why: say(`end_${ending}`)};
    return say(winner ? 'won' : 'drawn', parts);
  }
  const parts = [say('to_move', {side: sideName(here.to_move)})];
  if (here.value === null && !here.proven) {
    parts.push(say('unknown'));
  } else if (here.value === null) {
    parts.push(say('proven_between', {low: signed(here.proven[0]), high: signed(here.proven[1])}));
  } else {
    if (here.bound) {
      const result = resultWords(here.lead, here.bound);
      if (result) parts.push(`${sideName(here.to_move)} ${result}`);
    } else {
      const winner = here.lead > 0 ? here.to_move : other(here.to_move);
      parts.push(here.lead === 0 ? say('draw') : say('wins_by', {side: sideName(winner), seeds: seeds(Math.abs(here.lead))}));
    }
    parts.push(say('value_here', {value: valueWords(here.value, here.bound)}));
    if (here.distance) parts.push(say('plies', {plies: here.distance}));
  }
  if (here.occurrences > 1) parts.push(say('occurrence', {n: here.occurrences}));
  return `${parts.join(', ')}.`;
}

function moveRow(move) {
  const cells = [move.move ?? `${move.pit}${move.seeds}`];
  if (!move.legal) return element('tr', {}, element('td', {}, cells[0]), element('td', {colSpan: 4}, say(`reason_${move.reason}`)));
  const ahead = move.lead;
  const result = element('td', {}, ahead === null ? '' : resultWords(ahead, move.repeats ? null : move.bound));
  if (move.repeats) result.append(` (${say('repeats')})`);
  const value = element('td', {class: 'number'}, `${move.best ? '★ ' : ''}${move.text ?? ''}`);
  return element('tr', {}, element('th', {scope: 'row'}, cells[0]), element('td', {class: 'number'}, move.captured ? String(move.captured) : ''),
    value, element('td', {class: 'number'}, move.distance ? String(move.distance) : ''), result);
}

function showMoves() {
  const head = ['move', 'takes', 'value', 'plies_head', 'result'].map((key, k) =>
    element('th', {scope: 'col', class: k > 0 && k < 4 ? 'number' : ''}, say(key)));
  const rows = who[here.to_move].advice ? here.moves.filter((move) => move.seeds > 0).map(moveRow) : [];
  $('moves').replaceChildren(element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows));
  const slice = base.slices.find((each) => each.seeds === here.seeds);
  $('hint').textContent = slice && !slice.distances ? say('hint_distances') : '';
}

function render() {
  here.moves.forEach(digest);
  $('verdict').textContent = verdict();
  showBoard($('board'), here, here.moves, who[here.to_move].advice, state.moves.at(-1), play);
  showMoves();
  $('line_box').hidden = true;
  for (const id of ['first', 'back']) $(id).disabled = state.moves === '';
  $('forward').disabled = future === '';
  $('best').disabled = here.choice === null;
  $('line').disabled = here.value === null;
  if (base.slices.some((each) => each.seeds === here.seeds) && Number($('slice').value) !== here.seeds) {
    $('slice').value = String(here.seeds);
    showSlice();
  }
  scheduleProgram();
}

async function showList(mine) {
  if (!state.moves) return void $('list').replaceChildren(element('li', {}, say('no_moves')));
  let game;
  try {
    game = await api.annotated(state, pending.signal);
  } catch (error) {
    return explain(error);
  }
  if (mine !== shown) return;
  const items = game.moves.map((move, ply) => {
    const button = element('button', {type: 'button'}, move.move);
    if (ply + 1 === state.moves.length) button.setAttribute('aria-current', 'true');
    button.addEventListener('click', () => jump(ply + 1));
    const item = element('li', {}, button);
    if (move.gave_away) item.append(` ${say('gave', {n: number(move.gave_away)})}`);
    return item;
  });
  $('list').replaceChildren(...items);
}

/** Beyond the database: what a search on the server finds. */
async function search(mine) {
  if (here.value !== null || here.outcome || base.limits.search_seconds === 0) return;
  let found;
  try {
    found = await api.analysis(state, pending.signal);
  } catch (error) {
    return explain(error);
  }
  if (mine !== shown) return;
  here.proven = found.proven;
  here.choice = found.choice;
  for (const move of found.moves) {
    const target = here.moves.find((each) => each.pit === move.pit);
    if (target) Object.assign(target, {proven: move.proven, estimate: move.estimate, best: move.pit === found.choice});
  }
  render();
}

async function showSlice() {
  const n = Number($('slice').value);
  try {
    const slice = await api.slice(n);
    if (n !== Number($('slice').value)) return;
    plots.plot($('plot'), slice);
    plots.table($('histogram'), slice);
    $('csv').href = `/api/v1/slices/${n}.csv`;
  } catch (error) {
    explain(error);
  }
}

// ------------------------------------------------------------------------------------------------ what people do

function play(letter) {
  const redo = future[0] === letter ? future.slice(1) : '';
  return go({...state, moves: state.moves + letter}, {redo});
}

/** To the game's state after so many plies; what comes after stays within reach. */
function jump(plies) {
  const all = state.moves + future;
  return go({...state, moves: all.slice(0, plies)}, {redo: all.slice(plies)});
}

const back = () => state.moves && jump(state.moves.length - 1);
const forward = () => future && jump(state.moves.length + 1);
const playBest = () => here.choice && play(here.choice);

/** The program's choice at its level: a best move, or any that gives away no more than the level allows. */
function programChoice() {
  const {level} = who[here.to_move];
  const known = here.moves.filter((move) => move.legal && move.value !== null && move.value >= here.value - level);
  if (level === 0 || known.length === 0) return here.choice;
  return known[Math.floor(Math.random() * known.length)].pit;
}

function scheduleProgram() {
  clearTimeout(turn);
  if (here.outcome || who[here.to_move].player !== 'program' || future) return;
  turn = setTimeout(() => {
    const choice = programChoice();
    if (choice) play(choice);
  }, 700);
}

async function showLine() {
  try {
    const line = await api.line(state);
    $('line_text').textContent = `${line.moves.map((move) => move.move).join(' ')}${line.complete ? '' : ` … ${say('unfinished')}`}`;
    $('line_box').hidden = false;
  } catch (error) {
    explain(error);
  }
}

function download(name, text) {
  const link = element('a', {href: URL.createObjectURL(new Blob([text], {type: 'text/plain'})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function save() {
  try {
    download('game.txt', await api.gameText(state));
  } catch (error) {
    explain(error);
  }
}

async function load(file) {
  if (!file) return;
  try {
    const game = await api.readGame(await file.text());
    await go({board: game.start.board, begins: game.start.to_move, stores: game.start.stores, moves: game.letters});
    if (game.notes.length) notice(game.notes.join(' '));
  } catch (error) {
    explain(error);
  }
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    notice(say('copied'));
  } catch {
    notice(location.href);
  }
}

// ---------------------------------------------------------------------------------------------------- the editor

const FIELDS = [...'fedcba', ...'ABCDEF'];

function openEditor() {
  const south = here.to_move === 'first';
  const value = (letter) => {
    const pit = letter.toLowerCase().charCodeAt(0) - 97, own = (letter < 'a') === south;
    return here.board[own ? pit : pit + 6];
  };
  const field = (name, label, content) => element('label', {}, label,
    element('input', {type: 'number', min: '0', max: '48', name, value: String(content), required: true}));
  $('fields').replaceChildren(...FIELDS.map((letter) => field(letter, letter, value(letter))),
    field('south', `${say('south')}, ${say('store')}`, here.stores[0]), field('north', `${say('north')}, ${say('store')}`, here.stores[1]));
  $('editor').hidden = false;
  $('fields').querySelector('input').focus();
}

function closeEditor() {
  $('editor').hidden = true;
  $('edit').focus();
}

async function applyEditor(event) {
  event.preventDefault();
  const read = (name) => Number($('editor').elements[name].value);
  const board = [...'ABCDEFabcdef'].map(read);
  await go({board, stores: [read('south'), read('north')], moves: ''});
  if ($('notice').hidden) closeEditor();
}

// -------------------------------------------------------------------------------------------------- the controls

function choice(label, options, value, change) {
  const select = element('select', {}, ...options.map(([key, text]) => element('option', {value: key}, text)));
  select.value = String(value);
  select.addEventListener('change', () => change(select.value));
  return element('label', {}, element('span', {}, `${label} `), select);
}

function showPlayers() {
  $('players').replaceChildren(...SIDES.map((side) => {
    const own = who[side];
    const box = element('fieldset', {}, element('legend', {}, sideName(side)));
    const redraw = (property, value) => {
      own[property] = value;
      render();
    };
    const advice = element('input', {type: 'checkbox', checked: own.advice, id: `advice-${side}`});
    advice.addEventListener('change', () => redraw('advice', advice.checked));
    const levels = [0, 1, 2, 3, 4, 6, 8].map((n) => [n, n === 0 ? say('level_perfect') : say('level_gives', {n: seeds(n)})]);
    box.append(element('div', {class: 'row'},
      choice(say('plays'), [['person', say('person')], ['program', say('program')]], own.player, (value) => redraw('player', value)),
      choice(say('level'), levels, own.level, (value) => redraw('level', Number(value))),
      element('label', {}, advice, ` ${say('advice')}`)));
    return box;
  }));
}

function showWords() {
  for (const each of document.querySelectorAll('[data-word]')) each.textContent = say(each.dataset.word);
  for (const each of document.querySelectorAll('[data-label]')) each.setAttribute('aria-label', say(each.dataset.label));
  document.title = say('title');
  const all = base.slices.every((slice) => slice.distances);
  $('database').textContent = base.rules
    ? say(base.total === null ? 'database' : 'outcomes', {rules: base.rules, seeds: base.complete_up_to, total: base.total,
        distances: say(all ? 'with_distances' : 'without_distances')})
    : say('nothing_solved');
  $('slice').replaceChildren(...base.slices.map((slice) => element('option', {value: String(slice.seeds)}, String(slice.seeds))));
  showPlayers();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, textarea')) return;
  const side = here?.to_move === 'first' ? 'ABCDEF' : 'abcdef';
  const pit = /^[a-fA-F]$/.test(event.key) ? event.key.toLowerCase().charCodeAt(0) - 97 : /^[1-6]$/.test(event.key) ? Number(event.key) - 1 : -1;
  const onPit = event.target.closest('.pit');
  if (pit >= 0) {
    if (here.moves[pit].legal) play(side[pit]);
  } else if (event.key === 'ArrowLeft') back();
  else if (event.key === 'ArrowRight') forward();
  else if (event.key === 'Home') jump(0);
  else if (event.key === ' ' && !event.target.closest('button, a, summary')) playBest();
  else return;
  if (!onPit) event.preventDefault();
}

function connect() {
  const on = (id, action) => $(id).addEventListener('click', action);
  on('first', () => jump(0));
  on('back', back);
  on('forward', forward);
  on('best', playBest);
  on('line', showLine);
  on('new', () => go(startState()));
  on('edit', openEditor);
  on('cancel', closeEditor);
  on('save', save);
  on('load', () => $('file').click());
  on('copy', copyLink);
  on('random', async () => {
    try {
      await go(stateOfBoard(await api.randomBoard(Number($('slice').value))));
    } catch (error) {
      explain(error);
    }
  });
  $('file').addEventListener('change', () => load($('file').files[0]).then(() => ($('file').value = '')));
  $('editor').addEventListener('submit', applyEditor);
  $('slice').addEventListener('change', showSlice);
  $('language').addEventListener('change', () => {
    setLanguage($('language').value);
    localStorage.setItem('language', currentLanguage());
    const slice = $('slice').value;
    showWords();
    $('slice').value = slice;
    render();
    showList(shown);
    showSlice();
  });
  document.addEventListener('keydown', onKey);
  addEventListener('popstate', () => go(stateOfAddress() ?? startState(), {replace: true, address: true}));
}

async function begin() {
  setLanguage(localStorage.getItem('language') ?? navigator.language.slice(0, 2));
  $('language').value = currentLanguage();
  try {
    base = await api.database();
  } catch (error) {
    return explain(error);
  }
  showWords();
  connect();
  const asked = stateOfAddress();
  await go(asked ?? startState(), {replace: true, address: asked !== null});
}

begin();
