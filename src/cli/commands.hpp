// The commands of awele, one file each. add_COMMAND declares the command's options and help; when the command
// line names it, it stores in Context::command what is to be done.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace awele::cli {

struct Context {
  int argc = 0;
  char** argv = nullptr;
  /// Set while the command line is parsed, called after it. Returns the exit code.
  std::function<int()> command;
};

void add_solve(CLI::App& app, Context& context);
void add_status(CLI::App& app, Context& context);
void add_verify(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
/// The command within bench that measures probing. Returns it.
CLI::App* add_bench_probe(CLI::App& bench, Context& context);
void add_plan(CLI::App& app, Context& context);
void add_probe(CLI::App& app, Context& context);
void add_line(CLI::App& app, Context& context);
void add_analyze(CLI::App& app, Context& context);
void add_play(CLI::App& app, Context& context);
void add_annotate(CLI::App& app, Context& context);
void add_stats(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_clamp(CLI::App& app, Context& context);
void add_info(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);

}  // namespace awele::cli
