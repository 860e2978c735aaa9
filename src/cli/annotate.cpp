// awele annotate: what each move of a saved game gave away.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "awele/play/notation.hpp"
#include "awele/search/player.hpp"
#include "awele/support/error.hpp"
#include "commands.hpp"
#include "game_files.hpp"
#include "options.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(GAME is a game saved by awele play. For each move: its value and the best move
with its value, and what the move gave away: the difference of the two. Values
count the seeds on the board, for the side that moves, under best play by both
from there on. Where the database reaches they are exact; elsewhere each move is
searched (--time, --depth): an estimate begins with ~, and what is proven stands
apart. Marks: ? a move that proven gave something away, ?? one that proven
turned a win into less or a draw into a loss.

The last lines sum up for each side the moves and what they gave away, counting
proven loss only.

Example:
  awele annotate game.txt --db awari --depth 10)";

struct Options {
  std::string db, game;
  Effort effort{200, 1};
};

std::string short_value(const Advice& advice) {
  if (advice.proven.exact() || !advice.estimate) return describe(advice);
  return fmt::format("~{:+.2f}", *advice.estimate / 100.0);
}

int sign(int value) { return (value > 0) - (value < 0); }

class Annotation {
 public:
  explicit Annotation(const Options& options)
      : game_(read_game(options.game)), prober_(options.db), player_(prober_, game_.rules(), options.effort) {
    prober_.require_rules(game_.rules());
  }

  int run() {
    Game replayed(game_.rules(), game_.start());
    fmt::print("  ply  move    value     best            gave away\n");
    for (std::size_t ply = 0; ply < game_.plies(); ++ply) {
      print_ply(replayed, ply);
      replayed.play(game_.move(ply).pit);
    }
    print_end();
    return 0;
  }

 private:
  void print_ply(const Game& before, std::size_t ply) {
    const PlayedMove& move = game_.move(ply);
    const std::vector<Advice> all = player_.advise(before);
    const Advice& best = best_of(all);
    const Advice& played =
        *std::find_if(all.begin(), all.end(), [&](const Advice& a) { return a.pit == move.pit; });
    const Loss loss = loss_of(all, played);
    lost_[static_cast<std::size_t>(move.side)] += loss.proven.low;
    const std::string better = fmt::format("{} {}", pit_letter(move.side, best.pit), short_value(best));
    fmt::print("  {:>3}  {:<6}  {:<8}  {:<14}  {}{}\n", ply + 1, format_move(move), short_value(played),
               better, loss_in_words(loss), mark(before.now(), all, played, loss.proven));
    std::fflush(stdout);
  }

  static std::string loss_in_words(const Loss& loss) {
    if (loss.proven.exact()) return std::to_string(loss.proven.low);
    return fmt::format("~{:.2f} (proven: {} to {})", loss.estimate / 100.0, loss.proven.low,
                       loss.proven.high);
  }

  /// How the game stands for certain: what the side to move is ahead plus a value.
  static std::string mark(const Situation& situation, const std::vector<Advice>& all, const Advice& played,
                          const Interval& gave) {
    if (gave.low == 0) return "";
    int best = played.proven.low;
    for (const Advice& each : all) best = std::max(best, each.proven.low);
    const int lead = situation.lead();
    return sign(lead + played.proven.high) < sign(lead + best) ? " ??" : " ?";
  }

  void print_end() const {
    fmt::print("{}\n",
               game_.outcome() ? describe(*game_.outcome(), game_.rules()) : "The game is unfinished.");
    for (Side side : {Side::first, Side::second})
      fmt::print("{} gave away {} for certain in {} moves.\n", side == Side::first ? "First" : "Second",
                 lost_[static_cast<std::size_t>(side)], (game_.plies() + (side == Side::first ? 1 : 0)) / 2);
  }

  Game game_;
  Prober prober_;
  Player player_;
  std::array<int, 2> lost_{};
};

}  // namespace

void add_annotate(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "annotate", "Mark each move of a saved game with what it gave away", kDetails);
  add_db(*command, options->db);
  command->add_option("GAME", options->game, "A game saved by awele play")->type_name("")->required();
  add_effort(*command, options->effort);
  command->callback(
      [options, &context] { context.command = [options] { return Annotation(*options).run(); }; });
}

}  // namespace awele::cli
