// awele annotate: what each move of a recorded game gave away.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "awele/play/notation.hpp"
#include "awele/search/player.hpp"
#include "awele/support/error.hpp"
#include "board_print.hpp"
#include "commands.hpp"
#include "game_files.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "results.hpp"
#include "search_options.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(GAME is a game saved by awele play, or a record as people exchange them; which one
is recognised from its content. - reads it from standard input:
  OGN       tags such as [South "Ama"] or none, then 1. F f 2. A+2 e ... 25-23
  letters   FfAeC..., upper case for the first player, lower case for the second
  squares   d1e2 b2c1 ..., from and to; row 1 is the first player's, and a2, above
            its leftmost pit, is the second player's pit f
Comments are in {..}, or from ; or # to the end of the line. A record without a rule
set is taken to be under the database's rules. Moves may follow the end of the game.

For each move: its value, the best move with its value, and what the move gave away:
the difference of the two. Values count the seeds on the board, for the side that
moves, under best play by both from there on. Where the database reaches they are
exact; elsewhere each move is searched (--time, --depth): an estimate begins with ~,
and what is proven is shown separately. A loss without ~ is the difference of two
proven values; if a third move may still be better, (at most ..) says by how much.
Marks: ? a move proven to give something away, ?? one proven to turn a win into less
or a draw into a loss.

A value counts an endless line as an even split of what is left. A game that
does repeat a position, or was agreed to be endless, ends by --repetition: under
abapa each side keeps its own row, elsewhere the rest is split. A move that ends
the game in this way is worth what it then brings.

The last lines sum up, for each side, its moves and what they gave away, counting
proven losses only. With --format ogn the game is written as OGN, with what is said
about each move as its comment.

Examples:
  awele annotate game.txt --db awari --depth 10
  awele annotate - --db abapa --format ogn < game.ogn)";

struct Options {
  std::string db, game, format;
  std::optional<Sharing> repetition;
  Effort effort{200, 1};
  AnalysisLimits limits;
};

std::string short_value(const Advice& advice) {
  if (advice.known && !advice.repeats) return short_text(*advice.known);
  if (advice.proven.exact() || !advice.estimate) return describe(advice);
  return fmt::format("~{:+.2f}", *advice.estimate / 100.0);
}

int sign(int value) { return (value > 0) - (value < 0); }

/// What is told of a move.
struct Remark {
  std::string value, best, loss, mark;
};

class Annotation {
 public:
  explicit Annotation(const Options& options)
      : options_(options),
        prober_(options.db, Prober::kDefaultCache, Accept::any),
        record_(read_game(options.game, prober_.rules().value_or(RuleSet::awari), options.repetition)),
        game_(record_.game),
        player_(prober_, game_.rules(), options.effort, options.limits) {
    prober_.require_rules(game_.rules());
  }

  int run() {
    for (const std::string& note : record_.all_notes()) message("note: {}", note);
    options_.format == "ogn" ? print_ogn() : print_table();
    return 0;
  }

 private:
  void print_table() {
    put("  ply  move    value     best            gave away\n");
    for_each_ply([&](std::size_t ply, const Remark& remark) {
      put("  {:>3}  {:<6}  {:<8}  {:<14}  {}{}\n", ply + 1, format_move(game_.move(ply)), remark.value,
          remark.best, remark.loss, remark.mark);
      deliver_results();
    });
    print_end();
  }

  void print_ogn() {
    std::vector<std::string> comments;
    for_each_ply([&](std::size_t, const Remark& remark) {
      const bool lost = remark.loss != "0";
      comments.push_back(fmt::format(
          "value {}{}", remark.value,
          lost ? fmt::format(", best {}, gave away {}{}", remark.best, remark.loss, remark.mark) : ""));
    });
    put("{}", save_ogn(record_, comments));
  }

  template <typename Tell>
  void for_each_ply(Tell tell) {
    Game before(game_.rules(), game_.start(), game_.options());
    for (std::size_t ply = 0; ply < game_.plies(); ++ply) {
      tell(ply, remark_on(before, game_.move(ply)));
      before.play(game_.move(ply).pit);
    }
  }

  Remark remark_on(const Game& before, const PlayedMove& move) {
    const std::vector<Advice> all = player_.advise(before);
    const Advice& best = best_of(all);
    const Advice& played =
        *std::find_if(all.begin(), all.end(), [&](const Advice& a) { return a.pit == move.pit; });
    const Loss loss = loss_of(all, played);
    lost_[static_cast<std::size_t>(move.side)] += loss.proven.low;
    return {short_value(played), fmt::format("{} {}", pit_letter(move.side, best.pit), short_value(best)),
            loss_in_words(loss, best, played), mark(before.now(), all, played, loss.proven)};
  }

  static std::string loss_in_words(const Loss& loss, const Advice& best, const Advice& played) {
    if (loss.proven.exact()) return std::to_string(loss.proven.low);
    if (best.proven.exact() && played.proven.exact())
      return fmt::format("{} (at most {})", loss.proven.low, loss.proven.high);
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
    const auto outcome = record_.outcome();
    put("{}\n", outcome ? describe(*outcome, game_.rules()) : "The game is unfinished.");
    if (game_.sharing() == Sharing::rows)
      put("If it goes round forever each side keeps its own row; values count an even split.\n");
    std::array<std::size_t, 2> moves{};
    for (std::size_t ply = 0; ply < game_.plies(); ++ply)
      ++moves[static_cast<std::size_t>(game_.move(ply).side)];
    for (std::size_t side : {0, 1})
      put("{} gave away {} for certain in {} moves.\n", side == 0 ? "First" : "Second", lost_[side],
          moves[side]);
  }

  const Options& options_;
  Prober prober_;
  GameRecord record_;
  const Game& game_;
  Player player_;
  std::array<int, 2> lost_{};
};

}  // namespace

void add_annotate(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "annotate", "Show what each move of a recorded game gave away", kDetails);
  add_db(*command, options->db);
  command->add_option("GAME", options->game, "A record of a game; - for standard input")
      ->type_name("")
      ->required();
  add_repetition(*command, options->repetition);
  add_effort(*command, options->effort);
  add_search_tuning(*command, options->limits);
  add_format(*command, options->format, {"text", "ogn"});
  command->callback(
      [options, &context] { context.command = [options] { return Annotation(*options).run(); }; });
}

}  // namespace awele::cli
