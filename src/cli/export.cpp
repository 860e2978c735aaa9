// awele export: the values of a slice as raw bytes.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "awele/store/read_errors.hpp"
#include "awele/support/files.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "results.hpp"
#include "scan.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Writes one signed byte per position, in the order of the published Awari score
database (DOI 10.48338/vu01-11wjke): ascending in (p11, p10, ..., p0), leaving out
boards whose waiting half has no empty pit. For the rules awari this is the published
file scores.n. Its size is C(n+11,11) - C(n+5,11) bytes; 203,648,015,935 for 48
seeds. When FILE is a directory, the name in it is scores.n: a directory of exported
slices is what the reader published with that database expects (in its AWARI_PATH).

The CRC-32 of the values is compared with that in the slice file while writing. FILE
appears only when everything is written and correct; until then there is a file
beside it with a name of its own that ends in .tmp.
Prints one line: positions, CRC-32 and FILE.

The bytes of an outcome database (awele clamp, awele solve --outcome) are not the
published ones: they are written only with --clamped, and in a directory as
clamped.n.

Examples:
  awele export --db awari --slice 12 --out scores.12
  for n in $(seq 0 12); do awele export --db awari --slice $n --out DIRECTORY; done)";

struct Options {
  std::string db, out;
  int slice = 0;
  bool force = false, clamped = false;
};

/// Calls work(), which writes, and makes an awele::Error of the system's.
template <typename Work>
void writing(Work work) {
  try {
    work();
  } catch (const std::filesystem::filesystem_error& failure) {
    const int error = failure.code().value();
    const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    throw Error(full ? ExitCode::no_resources : ExitCode::failure,
                fmt::format("{} cannot be written: {}; {}", failure.path1().string(), std::strerror(error),
                            full ? "free some space there and try again" : "choose another --out"));
  }
}

void require_free_name(const std::filesystem::path& out, bool force) {
  std::error_code ignored;
  const auto status = std::filesystem::status(out, ignored);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_regular_file(status))
    throw Error(ExitCode::usage,
                fmt::format("{} exists and is not a file; choose another --out", out.string()));
  if (!force)
    throw Error(ExitCode::usage,
                fmt::format("{} exists; choose another --out or give --force to replace it", out.string()));
}

/// A chunk that does not inflate is as wrong as a digest that does not agree.
void read_chunk(const SliceReader& slice, std::uint64_t index, std::vector<std::int8_t>& values) {
  try {
    slice.read_chunk(index, values);
  } catch (const Unreadable&) {
    throw;
  } catch (const Error& error) {
    throw Error(ExitCode::verification_failed, error.what());
  }
}

/// Nobody shall take clamped values for the published ones.
void require_kind(const SliceReader& slice, const Options& options) {
  const Scope scope = slice.info().scope;
  if (scope.exact() && options.clamped)
    throw Error(ExitCode::usage,
                fmt::format("{} holds exact values; leave --clamped out", slice.path().string()));
  if (!scope.exact() && !options.clamped)
    throw Error(
        ExitCode::usage,
        fmt::format("{} holds {}, not the values of the game; give --clamped to export them all the same",
                    slice.path().string(), describe(scope)));
}

/// In a directory the name of the published file.
std::filesystem::path output_path(const Options& options) {
  const std::filesystem::path out = options.out;
  std::error_code ignored;
  return std::filesystem::is_directory(out, ignored)
             ? out / fmt::format("{}.{}", options.clamped ? "clamped" : "scores", options.slice)
             : out;
}

int run(const Options& options) {
  const SliceReader slice = open_slice(options.db, options.slice);
  require_kind(slice, options);
  const std::filesystem::path out = output_path(options);
  require_free_name(out, options.force);
  std::optional<FileUnderWay> output;
  writing([&] { output.emplace(out); });
  std::vector<std::int8_t> values;
  std::uint32_t crc = 0;
  for (std::uint64_t index = 0; index < slice.chunk_count(); ++index) {
    read_chunk(slice, index, values);
    crc = crc32(crc, std::span(std::as_const(values)));
    writing([&] { output->write(std::as_bytes(std::span(values))); });
  }
  if (crc != slice.info().crc)
    throw Error(
        ExitCode::verification_failed,
        fmt::format(
            "{} is damaged: the CRC-32 of its values is {:08x}, its attribute says {:08x}; {} was not "
            "written; remove the slice (or restore it from a copy) and solve it again",
            slice.path().string(), crc, slice.info().crc, out.string()));
  writing([&] {
    output->flush();
    output->finish();
  });
  const Scope scope = slice.info().scope;
  const int width = scope.width(options.slice);
  put("{} positions{}, CRC-32 {:08x}: {}\n", slice.info().positions,
      scope.exact() ? "" : fmt::format(" clamped to {}..{}", -width, width), crc, out.string());
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "export", "Write the values of a slice as raw bytes", kDetails);
  add_db(*command, options->db);
  add_seeds(*command, "--slice", options->slice, "The slice of N seeds")->required();
  command->add_option("--out", options->out, "File to write, or a directory")->type_name("FILE")->required();
  command->add_flag("--clamped", options->clamped, "Write the clamped values of an outcome database");
  command->add_flag("--force", options->force, "Replace FILE if it exists");
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
