// All words of the page. Both languages have the same keys; {name} stands for a part that is filled in.
export const words = {
  en: {
    title: 'Awele', language: 'Language', south: 'South', north: 'North', person: 'person', program: 'program',
    database: '{rules} · complete up to {seeds} seeds · {distances}',
    outcomes: '{rules} · outcomes of games of {total} seeds · complete up to {seeds} · {distances}',
    with_distances: 'with distances', without_distances: 'without distances', nothing_solved: 'no slices yet',
    to_move: '{side} to move', wins_by: '{side} wins by {seeds}', draw: 'a draw', value_here: 'value from here {value}',
    plies: '{plies} plies to the next capture or the end', unknown: 'not in the database', proven_between: 'proven between {low} and {high}',
    seed_one: '{n} seed', seed_many: '{n} seeds', occurrence: 'position seen {n} times',
    end_majority: 'more than half of all seeds', end_emptied: 'no seeds to move', end_no_move: 'no legal move',
    end_starved: 'the last move took all that was left', end_repetition: 'the position repeats', end_agreed: 'agreed to be endless',
    won: '{side} has won {stores}: {why}.', drawn: 'A draw {stores}: {why}.',
    to_start: 'Start', back: 'Back', forward: 'Forward', best_move: 'Best move', best_line: 'Best line', moving: 'Move through the game',
    games: 'Games', new_game: 'New game', edit_board: 'Edit board', load: 'Load game', save: 'Save game', copy_link: 'Copy link', copied: 'Link copied.',
    edit_help: 'Seeds in each pit and store. South moves first.', apply: 'Apply', cancel: 'Cancel', store: 'store', store_of: 'Store of {side}',
    moves_now: 'Moves', move: 'Move', takes: 'Takes', value: 'Value', plies_head: 'Plies', result: 'Result',
    result_win: 'wins by {n}', result_loss: 'loses by {n}', result_draw: 'draws', result_win_or_draw: 'wins or draws', result_draw_or_loss: 'draws or loses', best: 'best', repeats: 'ends by repetition',
    reason_empty: 'empty', reason_starves: 'would starve the opponent', reason_slam_without_majority: 'a grand slam without a majority', reason_game_over: 'the game is over',
    about: 'about {value}', at_least: 'at least {value}', at_most: 'at most {value}',
    hint_distances: 'This database was solved without distances: the moves towards the next capture are searched for. "awele solve --distances" stores them.',
    game_so_far: 'Game so far', gave: 'gave away {n}', no_moves: 'No moves yet.', unfinished: 'The line goes on.',
    plays: 'played by', advice: 'advice', level: 'level', level_perfect: 'perfect', level_gives: 'may give away {n}',
    slice: 'How many positions', seeds_on_board: 'Seeds on the board', csv: 'CSV', as_table: 'As a table', positions: 'Positions', random: 'Random position',
    plot_title: 'Positions of {n} seeds by value', share: '{won} won, {drawn} drawn, {lost} lost',
    keys: 'Keys: A to F or 1 to 6 play a pit, arrow left and right go through the game, Home to its start, the space bar plays the best move.',
    problem: 'That did not work: {detail}', bad_address: 'The address does not describe a game: {detail} The start position is shown.', offline: 'The server does not answer.',
  },
  fr: {
    title: 'Awélé', language: 'Langue', south: 'Sud', north: 'Nord', person: 'personne', program: 'programme',
    database: '{rules} · complète jusqu’à {seeds} graines · {distances}',
    outcomes: '{rules} · issues des parties de {total} graines · complète jusqu’à {seeds} · {distances}',
    with_distances: 'avec distances', without_distances: 'sans distances', nothing_solved: 'encore aucune tranche',
    to_move: '{side} au trait', wins_by: '{side} gagne de {seeds}', draw: 'partie nulle', value_here: 'valeur à partir d’ici {value}',
    plies: '{plies} demi-coups jusqu’à la prochaine prise ou la fin', unknown: 'pas dans la base', proven_between: 'prouvé entre {low} et {high}',
    seed_one: '{n} graine', seed_many: '{n} graines', occurrence: 'position vue {n} fois',
    end_majority: 'plus de la moitié des graines', end_emptied: 'plus de graine à jouer', end_no_move: 'aucun coup légal',
    end_starved: 'le dernier coup a pris tout le reste', end_repetition: 'la position se répète', end_agreed: 'déclarée sans fin',
    won: '{side} a gagné {stores} : {why}.', drawn: 'Partie nulle {stores} : {why}.',
    to_start: 'Début', back: 'Retour', forward: 'Suite', best_move: 'Meilleur coup', best_line: 'Meilleure ligne', moving: 'Parcourir la partie',
    games: 'Parties', new_game: 'Nouvelle partie', edit_board: 'Modifier le plateau', load: 'Charger', save: 'Enregistrer', copy_link: 'Copier le lien', copied: 'Lien copié.',
    edit_help: 'Graines de chaque case et de chaque grenier. Sud commence.', apply: 'Appliquer', cancel: 'Annuler', store: 'grenier', store_of: 'Grenier de {side}',
    moves_now: 'Coups', move: 'Coup', takes: 'Prend', value: 'Valeur', plies_head: 'Demi-coups', result: 'Résultat',
    result_win: 'gagne de {n}', result_loss: 'perd de {n}', result_draw: 'annule', result_win_or_draw: 'gagne ou annule', result_draw_or_loss: 'annule ou perd', best: 'meilleur', repeats: 'finit par répétition',
    reason_empty: 'vide', reason_starves: 'affamerait l’adversaire', reason_slam_without_majority: 'grand chelem sans majorité', reason_game_over: 'la partie est finie',
    about: 'environ {value}', at_least: 'au moins {value}', at_most: 'au plus {value}',
    hint_distances: 'Cette base a été résolue sans distances : les coups vers la prochaine prise sont recherchés. « awele solve --distances » les enregistre.',
    game_so_far: 'Partie jouée', gave: 'a donné {n}', no_moves: 'Encore aucun coup.', unfinished: 'La ligne continue.',
    plays: 'joué par', advice: 'conseils', level: 'niveau', level_perfect: 'parfait', level_gives: 'peut donner {n}',
    slice: 'Combien de positions', seeds_on_board: 'Graines sur le plateau', csv: 'CSV', as_table: 'En tableau', positions: 'Positions', random: 'Position au hasard',
    plot_title: 'Positions de {n} graines par valeur', share: '{won} gagnées, {drawn} nulles, {lost} perdues',
    keys: 'Touches : A à F ou 1 à 6 jouent une case, les flèches gauche et droite parcourent la partie, Début revient au départ, la barre d’espace joue le meilleur coup.',
    problem: 'Échec : {detail}', bad_address: 'L’adresse ne décrit pas une partie : {detail} La position initiale est affichée.', offline: 'Le serveur ne répond pas.',
  },
};

let language = 'en';

export function setLanguage(name) {
  language = words[name] ? name : 'en';
  document.documentElement.lang = language;
}
export const currentLanguage = () => language;

/** The word of a key, its parts filled in. */
export function say(key, parts = {}) {
  return words[language][key].replace(/\{(\w+)\}/g, (whole, name) => String(parts[name] ?? whole));
}
export const seeds = (n) => say(Math.abs(n) === 1 ? 'seed_one' : 'seed_many', {n: number(n)});
export const number = (n) => new Intl.NumberFormat(language).format(n);
/** "+2", "−2", "0". */
export const signed = (n) => (n > 0 ? `+${number(n)}` : n < 0 ? `−${number(-n)}` : '0');
