// The server's API. Errors have `code` and `detail`.
export class ApiError extends Error {
  constructor(code, detail) {
    super(detail);
    this.code = code;
    this.detail = detail;
  }
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(`/api/v1/${path}`, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError('offline', '');
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({code: 'failure', detail: response.statusText}));
  throw new ApiError(problem.code, problem.detail);
}

/** The query of a state: {board, begins, stores, moves}. */
export function queryOf(state) {
  const query = new URLSearchParams({board: state.board.join(','), stores: state.stores.join(',')});
  if (state.begins === 'second') query.set('begins', 'second');
  if (state.moves) query.set('moves', state.moves);
  return query.toString().replaceAll('%2C', ',');
}

const json = async (path, options) => (await ask(path, options)).json();
export const database = () => json('database');
export const position = (state, signal) => json(`position?${queryOf(state)}`, {signal});
export const analysis = (state, signal) => json(`analysis?${queryOf(state)}`, {signal});
export const line = (state) => json(`line?${queryOf(state)}&limit=60`);
export const annotated = (state, signal) => json(`game?${queryOf(state)}&format=json`, {signal});
export const gameText = async (state) => (await ask(`game?${queryOf(state)}`)).text();
export const readGame = (text) => json('game', {method: 'POST', body: text});
export const slice = (n) => json(`slices/${n}`);
export const randomBoard = async (n) => (await json(`slices/${n}/random`)).board;
