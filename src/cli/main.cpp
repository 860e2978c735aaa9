// The command line of awele. Results go to standard output, messages to standard error; exit codes as in
// awele/support/error.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "awele/store/database.hpp"
#include "awele/support/build_version.hpp"
#include "awele/support/error.hpp"
#include "commands.hpp"
#include "environment.hpp"
#include "messages.hpp"
#include "process.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

constexpr const char* kFooter = R"(See awele COMMAND --help for more about a command.

Exit codes: 0 done, 1 run-time error, 2 wrong usage, 3 verification failed,
4 not enough memory or disk, 75 stopped on request (run the same command to continue).)";

int report(ExitCode code, std::string_view sentence) noexcept {
  flush_results();
  error_message(sentence);
  return static_cast<int>(code);
}

void declare(CLI::App& app, Context& context) {
  app.name("awele");
  app.set_help_flag("--help,-h", "Print this help and exit");
  app.set_version_flag("--version", fmt::format("awele {}", build_version()), "Print the version and exit");
  app.footer(kFooter);
  app.get_formatter()->column_width(26);
  app.require_subcommand(0, 1);  // none at all is reported below, in better words
  add_solve(app, context);
  add_status(app, context);
  add_probe(app, context);
  add_line(app, context);
  add_analyze(app, context);
  add_play(app, context);
  add_annotate(app, context);
  add_serve(app, context);
  add_stats(app, context);
  add_export(app, context);
  add_clamp(app, context);
  add_info(app, context);
  add_check(app, context);
  add_verify(app, context);
  add_plan(app, context);
  add_bench(app, context);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// A first word that is no command gets an answer that names the commands.
void refuse_unknown_command(const CLI::App& app, const Context& context) {
  if (context.argc < 2) return;
  const std::vector<std::string> names = command_names(app);
  const std::string first = context.argv[1];
  if (!first.starts_with('-') && std::find(names.begin(), names.end(), first) == names.end())
    throw Error(ExitCode::usage, fmt::format("'{}' is not a command; use one of {}; try awele --help", first,
                                             fmt::join(names, ", ")));
}

/// The library would take the next argument for the value of "--db=", and an empty one for none.
void refuse_missing_values(const Context& context) {
  for (int k = 2; k < context.argc; ++k) {
    const std::string_view text = context.argv[k], before = context.argv[k - 1];
    if (text == "--") return;
    if (text.empty())
      throw Error(ExitCode::usage, fmt::format("the argument after '{}' is empty; try awele --help", before));
    if (text.starts_with("--") && text.find('=') == text.size() - 1)
      throw Error(ExitCode::usage,
                  fmt::format("'{}' has no value; try awele {} --help", text, context.argv[1]));
  }
}

/// --help and --version print and are done; everything else is an error in one sentence.
int parse_stopped(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    std::ostringstream help;
    const int code = app.exit(error, help);
    put_text(help.str());
    return code;
  }
  const auto commands = app.get_subcommands();
  std::string message = error.what();
  for (char& c : message)
    if (c == '\n') c = ' ';
  while (!message.empty() && (message.back() == ' ' || message.back() == '.')) message.pop_back();
  return report(ExitCode::usage, fmt::format("{}; try awele {}--help", message,
                                             commands.empty() ? "" : commands.front()->get_name() + " "));
}

int run(int argc, char** argv) {
  CLI::App app("Solves the game of Awele (Awari, Oware) and answers questions about its positions.");
  Context context{argc, argv, {}};
  declare(app, context);
  check_environment();
  refuse_unknown_command(app, context);
  refuse_missing_values(context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_stopped(app, error);
  }
  if (!context.command)
    throw Error(ExitCode::usage, fmt::format("a command is missing; use one of {}; try awele --help",
                                             fmt::join(command_names(app), ", ")));
  return context.command();
}

}  // namespace

}  // namespace awele::cli

int main(int argc, char** argv) {
  using namespace awele;
  cli::prepare_process();
  leave_hdf5_at_exit();
  try {
    return cli::close_results(cli::run(argc, argv));
  } catch (const Error& error) {
    return cli::report(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return cli::report(ExitCode::no_resources, "not enough memory; free some, or use a machine with more");
  } catch (const std::exception& error) {
    return cli::report(ExitCode::failure, error.what());
  }
}
